# Target numjit: the core library. The eager loops are compiled once per x86-64 level and dispatched at start.

find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_library(NUMJIT_OPENBLAS openblas REQUIRED)
find_path(NUMJIT_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(NUMJIT_ZIP_INCLUDE zip.h REQUIRED)
find_library(NUMJIT_ZIP zip REQUIRED)

# Frames of user code (config().user_stack): libbacktrace, which Debian's g++ brings in a folder of its own. Without it
# reports show the innermost one.
execute_process(COMMAND g++ -print-file-name=libbacktrace.a OUTPUT_VARIABLE libbacktrace OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(NUMJIT_BACKTRACE_FOLDER "${libbacktrace}" DIRECTORY)
find_library(NUMJIT_BACKTRACE libbacktrace.a PATHS "${NUMJIT_BACKTRACE_FOLDER}")
find_path(NUMJIT_BACKTRACE_INCLUDE backtrace.h PATHS "${NUMJIT_BACKTRACE_FOLDER}/include")

# Rows of ops in another order, in front of those of the tree: nothing may come out differently.
if(NUMJIT_SHUFFLED_ROWS)
  file(GLOB op_tables CONFIGURE_DEPENDS src/numjit/ops/*.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${op_tables})
  execute_process(COMMAND "${NUMJIT_PYTHON}" "${PROJECT_SOURCE_DIR}/.dev/shuffle_rows.py" "${PROJECT_SOURCE_DIR}/src/numjit/ops"
    "${PROJECT_BINARY_DIR}/shuffled/numjit/ops" COMMAND_ERROR_IS_FATAL ANY)
  include_directories(BEFORE "${PROJECT_BINARY_DIR}/shuffled")
endif()

# Flags that only library code gets. Global-dynamic thread-local access made a call 2.5 times slower; nobody
# interposes our functions.
add_library(numjit_library_flags INTERFACE)
target_link_libraries(numjit_library_flags INTERFACE numjit_flags)
target_compile_options(numjit_library_flags INTERFACE -ftls-model=initial-exec -fno-semantic-interposition)
target_include_directories(numjit_library_flags INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/numpy_compat")
# Only those who choose among the levels know which there are: another level compiles nothing else anew.
foreach(isa IN LISTS NUMJIT_ISAS)
  set_property(SOURCE src/numjit/eager/dispatch.cpp src/numjit/eager/vector_split.cpp numpy_compat/fft/routine.cpp
    APPEND PROPERTY COMPILE_DEFINITIONS NUMJIT_HAVE_ISA_${isa}=1)
endforeach()

# The surface, which sees all of the public headers, and what is below it: each has its precompiled headers.
set(numjit_surface_sources ${numjit_sources})
list(FILTER numjit_surface_sources INCLUDE REGEX "/numpy_compat/")
list(FILTER numjit_sources EXCLUDE REGEX "/numpy_compat/")
add_library(numjit_core OBJECT ${numjit_sources})
add_library(numjit_surface OBJECT ${numjit_surface_sources})
foreach(target numjit_core numjit_surface)
  target_link_libraries(${target} PRIVATE numjit_library_flags fmt::fmt)
endforeach()
numjit_precompile(numjit_core <fmt/format.h> <numjit/array/array.h> <numjit/ops/bind.h>)
numjit_precompile(numjit_surface <fmt/format.h> <numjit/np.h> <numjit/ops/bind.h>)
if(NUMJIT_BACKTRACE AND NUMJIT_BACKTRACE_INCLUDE)
  set_property(SOURCE src/numjit/base/user_frames.cpp APPEND PROPERTY COMPILE_DEFINITIONS NUMJIT_HAVE_BACKTRACE)
  # Behind all others: the folder holds headers of the compiler as well.
  set_property(SOURCE src/numjit/base/user_frames.cpp PROPERTY COMPILE_FLAGS "-idirafter ${NUMJIT_BACKTRACE_INCLUDE}")
  list(APPEND numjit_backtrace "${NUMJIT_BACKTRACE}")
endif()

# g++ 12 makes vfmaddsub of neighbouring sums and differences of products even under -ffp-contract=off, which
# changes the last bit. It does so where real and imaginary parts lie side by side (and in casts), and only
# processors without FMA keep it from it; AVX-512 always has FMA, so the v4 copies of these files are v3 code.
# tests/lint/build_test.py looks for fused instructions in all loops.
set(no_fma $<$<STREQUAL:$<TARGET_PROPERTY:NUMJIT_ISA>,v4>:-march=x86-64-v3> -mno-fma)
foreach(name complex_short complex_long reductions_complex scans casts)
  set_property(SOURCE src/numjit/eager/loops/${name}.cpp APPEND PROPERTY COMPILE_OPTIONS ${no_fma})
endforeach()

# Link order is core, v2, v3, v4: of an inline function that several objects hold the linker keeps the first
# copy, so each is compiled for the lowest level that calls it (tests/lint/build_test.py holds the order).
add_library(numjit SHARED $<TARGET_OBJECTS:numjit_core> $<TARGET_OBJECTS:numjit_surface>)
foreach(isa IN LISTS NUMJIT_ISAS)
  if(numjit_loop_sources)
    set(loops numjit_loops_${isa})
    add_library(${loops} OBJECT ${numjit_loop_sources})
    set_target_properties(${loops} PROPERTIES NUMJIT_ISA ${isa})
    target_link_libraries(${loops} PRIVATE numjit_library_flags)
    target_compile_definitions(${loops} PRIVATE NUMJIT_ISA=${isa} NUMJIT_ISA_${isa}=1)
    target_compile_options(${loops} PRIVATE -march=x86-64-${isa} -fno-trapping-math
      $<$<STREQUAL:${isa},v4>:-mprefer-vector-width=512> $<$<NOT:$<BOOL:${NUMJIT_SANITIZE}>>:-O3>)
    target_sources(numjit PRIVATE $<TARGET_OBJECTS:${loops}>)
  endif()
endforeach()

add_library(numjit::numjit ALIAS numjit)
target_include_directories(numjit PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/numpy_compat>
  $<INSTALL_INTERFACE:include>)
target_compile_features(numjit PUBLIC cxx_std_20)
set(numjit_private numjit_flags fmt::fmt "${NUMJIT_OPENBLAS}" "${NUMJIT_ZIP}" ${numjit_backtrace} Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(numjit PRIVATE $<BUILD_INTERFACE:${numjit_private}>)
if(numjit_backtrace)
  target_link_options(numjit PRIVATE -Wl,--exclude-libs,libbacktrace.a)  # a program may have one of its own
endif()
if(NUMJIT_PARTIAL)
  target_link_options(numjit INTERFACE -Wl,--unresolved-symbols=ignore-all)
elseif(NOT NUMJIT_SANITIZE)
  # Calls inside the library go straight to their function.
  target_link_options(numjit PRIVATE -Wl,--no-undefined -Wl,-Bsymbolic-functions)
endif()
set_target_properties(numjit PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(SKBUILD)  # a wheel has no links, and would hold a library twice that has two names
  set_target_properties(numjit PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})
endif()
