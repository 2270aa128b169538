# Install rules, the package behind find_package(numjit [COMPONENTS jit]), and what pkg-config says. By component: runtime, dev,
# tools, one for each MPI library (packages.cmake), and python, which only wheels take.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Libraries that come along (Halide's, and with a tar others) lie in a folder of numjit's own: a system may have other versions.
set(numjit_own "${CMAKE_INSTALL_LIBDIR}/numjit")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/numjit")
set_target_properties(numjit PROPERTIES INSTALL_RPATH "$ORIGIN/numjit")
install(TARGETS numjit EXPORT numjit_targets RUNTIME_DEPENDENCY_SET numjit_needs
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(EXPORT numjit_targets NAMESPACE numjit:: DESTINATION "${package}" COMPONENT dev)
install(DIRECTORY src/numjit numpy_compat/numjit DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
if(TARGET numjit_cli)
  set_target_properties(numjit_cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/../${numjit_own}")
  install(TARGETS numjit_cli RUNTIME_DEPENDENCY_SET numjit_needs RUNTIME COMPONENT tools)
endif()
if(TARGET numjit_halide)
  # The runtime opens the plug-in by name beside libnumjit; only its presence is a component. With Halide's library a prefix
  # needs neither the build tree nor the environment that Halide came from.
  install(TARGETS numjit_halide LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
  install(IMPORTED_RUNTIME_ARTIFACTS Halide::Halide LIBRARY DESTINATION "${numjit_own}" COMPONENT runtime)
  file(REAL_PATH "${halide_folder}" halide_real)
  file(GLOB halide_licences "${halide_real}/../../halide-*.dist-info/licenses/*")
  install(FILES ${halide_licences} DESTINATION "${CMAKE_INSTALL_DOCDIR}/licences/Halide" COMPONENT runtime)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
    FILES_MATCHING PATTERN "numjit_*.o" PATTERN static EXCLUDE)
endif()
foreach(plugin IN LISTS numjit_mpi_plugins)
  install(TARGETS ${plugin} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${plugin})
endforeach()

# The libraries of this system that it takes, for a tar: without those of the C and C++ compilers, which each system has. They find
# each other where they lie, and their licences come along.
install(RUNTIME_DEPENDENCY_SET numjit_needs
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt|stdc\\+\\+|gcc_s|numjit)\\.so"
  LIBRARY DESTINATION "${numjit_own}" COMPONENT bundled EXCLUDE_FROM_ALL)
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  file(GLOB libraries \"\${prefix}/${numjit_own}/*.so*\")
  set(licences \"${NUMJIT_PYTHON}\" \"${PROJECT_SOURCE_DIR}/.dev/package/licences.py\" \"\${prefix}/${CMAKE_INSTALL_DOCDIR}/licences\")
" COMPONENT bundled EXCLUDE_FROM_ALL)
install(CODE [[
  foreach(library IN LISTS libraries)
    if(NOT IS_SYMLINK "${library}")
      execute_process(COMMAND patchelf --set-rpath "$ORIGIN" "${library}" COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND ${licences} "${library}" COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
]] COMPONENT bundled EXCLUDE_FROM_ALL)

configure_package_config_file(.dev/cmake/numjit-config.cmake.in "${PROJECT_BINARY_DIR}/numjit-config.cmake"
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/numjit-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/numjit-config.cmake" "${PROJECT_BINARY_DIR}/numjit-config-version.cmake"
  DESTINATION "${package}" COMPONENT dev)

file(RELATIVE_PATH numjit_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" numjit_up "${numjit_up}")
configure_file(.dev/cmake/numjit.pc.in "${PROJECT_BINARY_DIR}/numjit.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/numjit.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
if(PROJECT_IS_TOP_LEVEL)
  include(packages)
endif()
