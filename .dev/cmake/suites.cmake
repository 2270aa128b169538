# Read by ctest when it starts: one test per GoogleTest suite of @TEST_PROGRAM@, so that a failure names its suite
# and tests run side by side. The list is kept until the program changes.
set(program "@TEST_PROGRAM@")
set(launcher "@test_launcher@")
set(list "${program}.suites")
if(NOT EXISTS "${program}")
  add_test("@NUMJIT_TEST_PREFIX@@TEST_FOLDER@.not_built" "${program}")
  set_tests_properties("@NUMJIT_TEST_PREFIX@@TEST_FOLDER@.not_built" PROPERTIES LABELS "@TEST_LABELS@")
  return()
endif()
if(NOT EXISTS "${list}" OR "${program}" IS_NEWER_THAN "${list}")
  execute_process(COMMAND ${launcher} "${program}" --gtest_list_tests OUTPUT_VARIABLE text RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} --gtest_list_tests: exit status ${status}")
  endif()
  string(REGEX REPLACE "[;\\[]" "" text "${text}")
  string(REGEX MATCHALL "(^|\n)[A-Za-z_][A-Za-z0-9_/]*\\." suites "${text}")
  string(REGEX REPLACE "\n" "" suites "${suites}")
  list(TRANSFORM suites REPLACE "(/[0-9]+)?\\..*$" "")  # typed suites S/0, S/1, ... run as one
  list(REMOVE_DUPLICATES suites)
  file(WRITE "${list}" "${suites}")
endif()
file(READ "${list}" suites)
set(caches "@PROJECT_BINARY_DIR@/test_cache/@TEST_FOLDER@")
file(REMOVE_RECURSE "${caches}")  # each suite begins with an empty kernel cache of its own
foreach(suite IN LISTS suites)
  set(name "@NUMJIT_TEST_PREFIX@@TEST_FOLDER@.${suite}")
  add_test("${name}" ${launcher} "${program}" "--gtest_filter=${suite}.*:${suite}/*" --gtest_brief=1)
  set(labels "@TEST_LABELS@")
  if(suite MATCHES "^(OpenCL|OpenCl|Library|Devices|DeviceMemory|Cuda|Ptx)")
    list(APPEND labels gpu)
  endif()
  set_tests_properties("${name}" PROPERTIES LABELS "${labels}" TIMEOUT 600
    WORKING_DIRECTORY "@PROJECT_SOURCE_DIR@" ENVIRONMENT "@test_environment@;NUMJIT_CACHE_DIR=${caches}/${suite}")
  if("@TEST_FOLDER@" STREQUAL "device" AND suite MATCHES "^(OpenCl|Library)")  # the same on a GPU, skipped where there is none
    set(name "@NUMJIT_TEST_PREFIX@device.cuda.${suite}")
    add_test("${name}" ${launcher} "${program}" "--gtest_filter=${suite}.*" --gtest_brief=1)
    set_tests_properties("${name}" PROPERTIES LABELS cuda TIMEOUT 600 WORKING_DIRECTORY "@PROJECT_SOURCE_DIR@"
      SKIP_REGULAR_EXPRESSION "PASSED  . 0 tests.\n.  SKIPPED"
      ENVIRONMENT "@test_environment@;TEST_DEVICE=cuda;NUMJIT_CACHE_DIR=${caches}/cuda_${suite}")
  endif()
endforeach()
