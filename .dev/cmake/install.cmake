# Install rules, the package behind find_package(numjit [COMPONENTS jit]), and what pkg-config says.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/numjit")
install(TARGETS numjit EXPORT numjit_targets)
install(EXPORT numjit_targets NAMESPACE numjit:: DESTINATION "${package}")
install(DIRECTORY src/numjit numpy_compat/numjit DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET numjit_cli)
  set_target_properties(numjit_cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS numjit_cli)
endif()
if(TARGET numjit_halide)
  # The runtime opens the plug-in by name beside libnumjit; only its presence is a component. Halide's library lies
  # beside it: a prefix needs neither the build tree nor the environment that Halide came from.
  install(TARGETS numjit_halide LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(IMPORTED_RUNTIME_ARTIFACTS Halide::Halide LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/" DESTINATION "${CMAKE_INSTALL_LIBDIR}" FILES_MATCHING PATTERN "numjit_*.o")
endif()
if(numjit_mpi_plugins)
  install(TARGETS ${numjit_mpi_plugins} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()

configure_package_config_file(.dev/cmake/numjit-config.cmake.in "${PROJECT_BINARY_DIR}/numjit-config.cmake"
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/numjit-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/numjit-config.cmake" "${PROJECT_BINARY_DIR}/numjit-config-version.cmake"
  DESTINATION "${package}")

file(RELATIVE_PATH numjit_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" numjit_up "${numjit_up}")
configure_file(.dev/cmake/numjit.pc.in "${PROJECT_BINARY_DIR}/numjit.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/numjit.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
