# Target numjit_halide: the plug-in that compiles graphs, its build tools, and numjit::jit for those who need it.

if(NOT NUMJIT_HALIDE MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "NUMJIT_HALIDE: got ${NUMJIT_HALIDE}, expected AUTO, ON or OFF")
endif()
file(GLOB_RECURSE halide_sources CONFIGURE_DEPENDS halide_gen/*.cpp)
list(FILTER halide_sources EXCLUDE REGEX "/halide_gen/tools/")
list(FILTER halide_sources EXCLUDE REGEX "/halide_gen/kernel_math_rt")  # is linked with kernels
# The whole function vocabulary on Halide's expressions: building them costs what Halide's allocations cost, and
# optimising this file would take twice the time of compiling it.
set_source_files_properties("${PROJECT_SOURCE_DIR}/halide_gen/lower_ops.cpp" PROPERTIES COMPILE_OPTIONS -O1)

if(NOT NUMJIT_HALIDE STREQUAL "OFF" AND TARGET numjit)
  set(required QUIET)
  if(NUMJIT_HALIDE STREQUAL "ON")
    set(required REQUIRED)
  endif()
  # The wheel's own package first: those in share/cmake of its environment ask for Python's development files, which
  # we need not, and look for the wheel where another Python has its packages.
  numjit_python_package(halide halide_wheel)
  if(halide_wheel)
    set(HalideHelpers_DIR "${halide_wheel}/lib64/cmake/HalideHelpers")
    find_package(Halide 21 CONFIG QUIET COMPONENTS Halide shared PATHS "${halide_wheel}/lib64/cmake/Halide" NO_DEFAULT_PATH)
  endif()
  if(NOT Halide_FOUND)
    unset(HalideHelpers_DIR)
    find_package(Halide 21 CONFIG ${required} COMPONENTS Halide shared)
  endif()
  if(NOT Halide_FOUND)
    message(STATUS "numjit: Halide not found, building the core alone (./dev build installs it)")
  endif()
endif()

if(Halide_FOUND AND halide_sources)
  get_target_property(halide_library Halide::Halide IMPORTED_LOCATION_RELEASE)
  get_filename_component(halide_folder "${halide_library}" DIRECTORY)

  # A shared library without prefix and not a MODULE, so that tests can link what the runtime opens by name.
  add_library(numjit_halide SHARED ${halide_sources})
  # Where it is installed, Halide's library lies in a folder below it, beside it, or in Halide's wheel next to ours.
  set_target_properties(numjit_halide PROPERTIES PREFIX "" INSTALL_RPATH "$ORIGIN/numjit;$ORIGIN;$ORIGIN/../halide/lib64")
  target_include_directories(numjit_halide PUBLIC "${PROJECT_SOURCE_DIR}/halide_gen")
  target_compile_definitions(numjit_halide PUBLIC NUMJIT_M=inline)  # see ops/math/value.h
  target_link_libraries(numjit_halide PUBLIC numjit Halide::Halide PRIVATE numjit_flags fmt::fmt ${CMAKE_DL_LIBS})
  add_library(numjit_jit INTERFACE)
  add_library(numjit::jit ALIAS numjit_jit)
  target_link_libraries(numjit_jit INTERFACE numjit)
  add_dependencies(numjit_jit numjit_halide)

  file(GLOB tool_sources CONFIGURE_DEPENDS halide_gen/tools/*.cpp)
  foreach(source IN LISTS tool_sources)
    get_filename_component(tool "${source}" NAME_WE)
    add_executable(${tool} "${source}")
    set_target_properties(${tool} PROPERTIES BUILD_RPATH "${halide_folder}"
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tools")
    target_link_libraries(${tool} PRIVATE numjit_halide numjit_flags)
  endforeach()

  # Made by a build tool: rules beside the tools (OUTPUT files in build/lib, target names their own).
  include(${PROJECT_SOURCE_DIR}/halide_gen/halide_gen.cmake OPTIONAL)
endif()

# The few functions that a kernel calls, linked into each kernel's shared object; those of GPU kernels besides.
if(TARGET numjit_halide AND EXISTS "${PROJECT_SOURCE_DIR}/halide_gen/kernel_rt.c")
  set(kernel_objects "")
  foreach(part rt device_rt)
    set(kernel_source "${PROJECT_SOURCE_DIR}/halide_gen/kernel_${part}.c")
    set(kernel_rt "${PROJECT_BINARY_DIR}/lib/numjit_kernel_${part}.o")
    add_custom_command(OUTPUT "${kernel_rt}" DEPENDS "${kernel_source}" COMMENT "Kernel runtime: ${part}"
      COMMAND "${CMAKE_C_COMPILER}" -std=c11 -O2 -fPIC -ffreestanding -fno-stack-protector -ffp-contract=off
        -march=x86-64-v2 -Wall -Wextra -Wpedantic -Werror "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
        -c "${kernel_source}" -o "${kernel_rt}")
    list(APPEND kernel_objects "${kernel_rt}")
  endforeach()
  # Functions of ops/math for one element, for every machine: nothing of the C++ library is linked with it.
  set(kernel_rt "${PROJECT_BINARY_DIR}/lib/numjit_kernel_math_rt.o")
  set(kernel_source "${PROJECT_SOURCE_DIR}/halide_gen/kernel_math_rt.cpp")
  add_custom_command(OUTPUT "${kernel_rt}" DEPENDS "${kernel_source}" COMMENT "Kernel runtime: math_rt"
    DEPFILE "${kernel_rt}.d"
    COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -O2 -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti
      -fno-stack-protector -ffp-contract=off -fno-math-errno -march=x86-64-v2 -Wall -Wextra -Wpedantic -Werror
      "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-I${PROJECT_SOURCE_DIR}/src"
      -MD -MF "${kernel_rt}.d" -c "${kernel_source}" -o "${kernel_rt}")
  list(APPEND kernel_objects "${kernel_rt}")
  add_custom_target(numjit_kernel_rt ALL DEPENDS ${kernel_objects})
  add_dependencies(numjit_halide numjit_kernel_rt)
endif()
