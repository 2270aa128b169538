# Options, compiler and linker flags, output folders, and the helpers that the other files use.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

set(NUMJIT_SANITIZE "" CACHE STRING "empty, address (with undefined) or thread")
if(NUMJIT_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug" OR CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(default_isas "v3")  # one copy of the loops keeps these builds short
else()
  set(default_isas "v2;v3;v4")
endif()
set(NUMJIT_ISAS "${default_isas}" CACHE STRING "x86-64 levels that the eager loops are built for")
set(NUMJIT_PARTIAL OFF CACHE BOOL "let the library have undefined symbols, while parts are being written")
set(NUMJIT_HALIDE AUTO CACHE STRING "build the Halide plug-in: AUTO (where Halide is found), ON, OFF")
set(NUMJIT_TEST_TIERS "null;cpu" CACHE STRING "tiers of tests to build")
set(NUMJIT_TEST_FOLDERS "" CACHE STRING "folders of tests to build, all if empty")
option(NUMJIT_SHUFFLED_ROWS "take the rows of ops in another order" OFF)
option(NUMJIT_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})
option(NUMJIT_TEST_SCRIPTS "register lint, docs, compile-fail and install tests too" ON)
option(NUMJIT_PROGRAMS "build the examples and benchmarks" ${PROJECT_IS_TOP_LEVEL})

# They save a third of the library's compile time, and hide a missing include: builds of other kinds do without.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT NUMJIT_SANITIZE AND NOT NUMJIT_SHUFFLED_ROWS)
  set(precompiled ON)
else()
  set(precompiled OFF)
endif()
option(NUMJIT_PRECOMPILED_HEADERS "compile the common headers once" ${precompiled})

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/static")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

find_program(NUMJIT_CCACHE ccache)
if(NUMJIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What it must overlook to keep objects that were made with precompiled headers.
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${NUMJIT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_C_COMPILER_LAUNCHER}")
endif()

# The Python whose packages the build uses: the one that builds a wheel names itself, ./dev made one in .venv.
set(venv_python "${PROJECT_SOURCE_DIR}/.venv/bin/python")
if(NOT NUMJIT_PYTHON AND Python_EXECUTABLE)
  set(NUMJIT_PYTHON "${Python_EXECUTABLE}")
elseif(NOT NUMJIT_PYTHON AND EXISTS "${venv_python}")
  set(NUMJIT_PYTHON "${venv_python}")
elseif(NOT NUMJIT_PYTHON)
  find_program(NUMJIT_PYTHON python3)
endif()

# The folder of a package of that Python, or empty. An environment in which pip builds has another path each time: the
# compiler sees it through a link in the build tree, and ccache what it knows.
function(numjit_python_package name out)
  set(folder "")
  if(NUMJIT_PYTHON)
    execute_process(COMMAND "${NUMJIT_PYTHON}" -c
      "import importlib.util as u; s = u.find_spec('${name}'); print(s.submodule_search_locations[0] if s else '')"
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(link "${PROJECT_BINARY_DIR}/python_packages/${name}")
  file(REMOVE "${link}")
  if(folder)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python_packages")
    file(CREATE_LINK "${folder}" "${link}" SYMBOLIC)
    set(folder "${link}")
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# Flags that decide bits (contraction, errno) and text (file names), for everything compiled here.
add_library(numjit_flags INTERFACE)
target_compile_options(numjit_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror
  -ffp-contract=off -fno-math-errno
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in "text" + std::string (GCC bug 105651).
  target_compile_options(numjit_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # `&` between conditions is meant: it keeps loops free of branches.
  target_compile_options(numjit_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-bitwise-instead-of-logical>)
endif()
target_link_options(numjit_flags INTERFACE -Wl,--as-needed)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Loops in eager/loops carry their own level; the rest must run on any x86-64-v2 machine.
  target_compile_options(numjit_flags INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:NUMJIT_ISA>>>:-march=x86-64-v2>)
endif()

find_program(NUMJIT_MOLD mold)
if(NUMJIT_MOLD AND NOT NUMJIT_SANITIZE)
  target_link_options(numjit_flags INTERFACE -fuse-ld=mold)
endif()

if(NUMJIT_SANITIZE STREQUAL "address")
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined)
elseif(NUMJIT_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread)
elseif(NUMJIT_SANITIZE)
  message(FATAL_ERROR "NUMJIT_SANITIZE: got ${NUMJIT_SANITIZE}, expected address or thread")
endif()
if(NUMJIT_SANITIZE)
  # g++ 12 warns wrongly about overflows and uninitialised reads in code it has instrumented.
  target_compile_options(numjit_flags INTERFACE ${sanitize} -O1 -g1 -fno-omit-frame-pointer
    -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  target_link_options(numjit_flags INTERFACE ${sanitize})
endif()

# The target's common headers, and those of the standard library.
function(numjit_precompile target)
  if(NUMJIT_PRECOMPILED_HEADERS)
    # The first option for ccache. The others, as the headers of g++ 12 silence them by pragmas, which precompiled ones lose.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-stringop-overflow -Wno-array-bounds)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <bit> <cmath> <complex> <cstring> <filesystem>
      <functional> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <unordered_map>
      <unordered_set> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()

# One program per .cpp directly in `folder`, into build/`out`.
function(numjit_programs folder out)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    string(MAKE_C_IDENTIFIER "${out}_${name}" target)
    add_executable(${target} "${source}")
    set_target_properties(${target} PROPERTIES OUTPUT_NAME "${name}"
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${out}")
    target_link_libraries(${target} PRIVATE numjit numjit_flags ${ARGN})
  endforeach()
endfunction()
