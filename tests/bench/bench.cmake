# The benchmarks' shared library, which run.py loads into its Python process. Included by the top CMakeLists.txt.
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/lib/*.cpp")
add_library(numjit_bench SHARED ${bench_sources})
target_link_libraries(numjit_bench PRIVATE numjit numjit_flags)
