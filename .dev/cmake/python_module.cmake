# Target numjit_python: the Python package in build/python/numjit, an extension module and the sources beside it.
# Only in release builds by default: NUMJIT_PYTHON_MODULE=ON asks for it, and makes its absence an error.

if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT NUMJIT_SANITIZE AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(default_python AUTO)
else()
  set(default_python OFF)
endif()
set(NUMJIT_PYTHON_MODULE "${default_python}" CACHE STRING "build the Python module: AUTO (where nanobind is found), ON, OFF")
if(NOT NUMJIT_PYTHON_MODULE MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "NUMJIT_PYTHON_MODULE: got ${NUMJIT_PYTHON_MODULE}, expected AUTO, ON or OFF")
endif()

if(NOT NUMJIT_PYTHON_MODULE STREQUAL "OFF" AND TARGET numjit AND NUMJIT_PYTHON)
  if(NOT Python_EXECUTABLE)
    set(Python_EXECUTABLE "${NUMJIT_PYTHON}")
  endif()
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
  numjit_python_package(nanobind nanobind_wheel)
  if(Python_FOUND AND NOT nanobind_DIR AND nanobind_wheel)
    set(nanobind_DIR "${nanobind_wheel}/cmake")
  endif()
  numjit_python_package(numpy numpy_wheel)
  if(Python_FOUND AND numpy_wheel)
    find_package(nanobind CONFIG QUIET)
  endif()
  if(nanobind_FOUND AND nanobind_wheel)
    set(NB_DIR "${nanobind_wheel}")  # its functions go by this; the package itself resolves the link
  endif()
  if(NOT nanobind_FOUND AND NUMJIT_PYTHON_MODULE STREQUAL "ON")
    message(FATAL_ERROR "NUMJIT_PYTHON_MODULE: Python's development files, nanobind or NumPy are missing")
  elseif(NOT nanobind_FOUND)
    message(STATUS "numjit: nanobind, NumPy or Python's development files not found, no Python module (./dev build installs them)")
  endif()
endif()

if(nanobind_FOUND)
  set(python_folder "${PROJECT_BINARY_DIR}/python/numjit")
  file(GLOB_RECURSE python_cpp CONFIGURE_DEPENDS numpy_compat/python/*.cpp)
  nanobind_add_module(numjit_python NB_STATIC NOMINSIZE ${python_cpp})
  # Inline variables of the core (is this thread recording?) must be one in all libraries: nothing hidden.
  set_target_properties(numjit_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${python_folder}"
    CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN")
  target_link_libraries(numjit_python PRIVATE numjit numjit_flags)
  # In front: a NumPy of the system has its headers in Python's folder.
  target_include_directories(numjit_python BEFORE PRIVATE "${numpy_wheel}/_core/include")
  target_compile_options(numjit_python PRIVATE -O2 -ftls-model=initial-exec -Wno-missing-field-initializers -Wno-cast-function-type)

  # The sources are copied, so that the folder works without the tree and editing a copy is no trap: build again.
  file(GLOB python_sources CONFIGURE_DEPENDS numpy_compat/python/numjit/*.py numpy_compat/python/numjit/*.pyi
    numpy_compat/python/numjit/py.typed)
  set(python_copies "")
  foreach(source IN LISTS python_sources)
    get_filename_component(name "${source}" NAME)
    add_custom_command(OUTPUT "${python_folder}/${name}" DEPENDS "${source}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${source}" "${python_folder}/${name}" COMMENT "")
    list(APPEND python_copies "${python_folder}/${name}")
  endforeach()
  add_custom_target(numjit_python_sources ALL DEPENDS ${python_copies})
  add_dependencies(numjit_python numjit_python_sources)
  set(stubs "")
  foreach(name IN ITEMS __init__ distributed emath exceptions fft lib linalg polynomial random special testing tree)
    list(APPEND stubs "${python_folder}/${name}.pyi")
  endforeach()
  add_custom_command(OUTPUT ${stubs} COMMENT "Type stubs of the Python package"
    DEPENDS numjit_python numpy_compat/python/stubs.py ${python_copies}
    COMMAND "${Python_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/numpy_compat/python/stubs.py" "${PROJECT_BINARY_DIR}/python")
  add_custom_target(numjit_python_stubs ALL DEPENDS ${stubs})
  foreach(plugin IN ITEMS numjit_halide LISTS numjit_mpi_plugins)
    if(TARGET ${plugin})
      add_dependencies(numjit_python ${plugin})
    endif()
  endforeach()

  # What `pip install .` takes: the package, with the libraries beside the module.
  install(TARGETS numjit_python LIBRARY DESTINATION numjit COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES ${python_sources} ${stubs} DESTINATION numjit COMPONENT python EXCLUDE_FROM_ALL)
  install(TARGETS numjit LIBRARY DESTINATION numjit COMPONENT python NAMELINK_SKIP EXCLUDE_FROM_ALL)
  if(TARGET numjit_halide)
    install(TARGETS numjit_halide LIBRARY DESTINATION numjit COMPONENT python EXCLUDE_FROM_ALL)
    install(FILES ${kernel_objects} DESTINATION numjit COMPONENT python EXCLUDE_FROM_ALL)
  endif()
  foreach(plugin IN LISTS numjit_mpi_plugins)
    install(TARGETS ${plugin} LIBRARY DESTINATION numjit COMPONENT python EXCLUDE_FROM_ALL)
  endforeach()
endif()
