# Targets numjit_mpi_openmpi and numjit_mpi_mpich: the plug-ins of np::distributed, from one source, for the libraries that are
# there. Where neither is, programs run on one rank.

set(mpi_folder "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
find_path(NUMJIT_OPENMPI_INCLUDE mpi.h PATHS "${mpi_folder}/openmpi/include" NO_DEFAULT_PATH)
find_library(NUMJIT_OPENMPI mpi PATHS "${mpi_folder}/openmpi/lib" NO_DEFAULT_PATH)
find_path(NUMJIT_MPICH_INCLUDE mpi.h PATHS "/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich" NO_DEFAULT_PATH)
find_library(NUMJIT_MPICH mpich PATHS "${mpi_folder}" NO_DEFAULT_PATH)

set(numjit_mpi_plugins "")
foreach(mpi OPENMPI MPICH)
  if(TARGET numjit AND NUMJIT_${mpi} AND NUMJIT_${mpi}_INCLUDE)
    string(TOLOWER "numjit_mpi_${mpi}" plugin)
    add_library(${plugin} MODULE "${PROJECT_SOURCE_DIR}/mpi/plugin.cpp")
    set_target_properties(${plugin} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
    target_include_directories(${plugin} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_include_directories(${plugin} SYSTEM PRIVATE "${NUMJIT_${mpi}_INCLUDE}")
    target_compile_definitions(${plugin} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_link_libraries(${plugin} PRIVATE numjit_flags "${NUMJIT_${mpi}}")
    list(APPEND numjit_mpi_plugins ${plugin})
  endif()
endforeach()

# What operations cost beside plain MPI. Made when asked for: ninja bench_ranks.
if(TARGET numjit_mpi_openmpi)
  add_executable(bench_ranks EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/bench/ranks/ranks.cpp")
  set_target_properties(bench_ranks PROPERTIES OUTPUT_NAME ranks RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/bench")
  target_include_directories(bench_ranks SYSTEM PRIVATE "${NUMJIT_OPENMPI_INCLUDE}")
  target_compile_definitions(bench_ranks PRIVATE OMPI_SKIP_MPICXX)
  target_link_libraries(bench_ranks PRIVATE numjit numjit_flags "${NUMJIT_OPENMPI}")
endif()
