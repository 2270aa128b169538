# Target numjit: the core library. The eager loops are compiled once per x86-64 level and dispatched at start.

find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_library(NUMJIT_OPENBLAS openblas REQUIRED)
find_library(NUMJIT_LAPACKE lapacke REQUIRED)
find_path(NUMJIT_XXHASH_INCLUDE xxhash.h REQUIRED)

add_library(numjit SHARED ${numjit_sources})
add_library(numjit::numjit ALIAS numjit)
target_include_directories(numjit PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/numpy_compat>
  $<INSTALL_INTERFACE:include>)
target_compile_features(numjit PUBLIC cxx_std_20)
set(numjit_private numjit_flags fmt::fmt "${NUMJIT_OPENBLAS}" "${NUMJIT_LAPACKE}" Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(numjit PRIVATE $<BUILD_INTERFACE:${numjit_private}>)
# Global-dynamic thread-local access made a call 2.5 times slower; nobody interposes our functions.
set(numjit_library_flags -ftls-model=initial-exec -fno-semantic-interposition)
target_compile_options(numjit PRIVATE ${numjit_library_flags})
if(NOT NUMJIT_SANITIZE AND NOT NUMJIT_PARTIAL)
  target_link_options(numjit PRIVATE -Wl,--no-undefined)
elseif(NUMJIT_PARTIAL)
  target_link_options(numjit INTERFACE -Wl,--unresolved-symbols=ignore-all)
endif()
set_target_properties(numjit PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# Levels rise, so that the linker, which keeps the first copy of an inline function that several objects
# hold, keeps the one that runs everywhere (tests/lint/isa_test.py looks).
foreach(isa IN LISTS NUMJIT_ISAS)
  target_compile_definitions(numjit PRIVATE NUMJIT_HAVE_ISA_${isa}=1)
  if(numjit_loop_sources)
    set(loops numjit_loops_${isa})
    add_library(${loops} OBJECT ${numjit_loop_sources})
    set_target_properties(${loops} PROPERTIES NUMJIT_ISA ${isa})
    target_include_directories(${loops} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/numpy_compat")
    target_link_libraries(${loops} PRIVATE numjit_flags)
    target_compile_definitions(${loops} PRIVATE NUMJIT_ISA=${isa} NUMJIT_ISA_${isa}=1 NUMJIT_HAVE_ISA_${isa}=1)
    target_compile_options(${loops} PRIVATE -march=x86-64-${isa} $<$<STREQUAL:${isa},v4>:-mprefer-vector-width=512>
      -fno-trapping-math ${numjit_library_flags} $<$<NOT:$<BOOL:${NUMJIT_SANITIZE}>>:-O3>)
    target_sources(numjit PRIVATE $<TARGET_OBJECTS:${loops}>)
  endif()
endforeach()
