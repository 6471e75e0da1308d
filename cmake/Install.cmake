# Installs the command, the library and its public headers as the CMake package `firn`: find_package(firn) gives firn::firn.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/firn)

install(TARGETS firn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS firn firn_dependencies EXPORT firn-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The front door; what is behind it stays inside.
install(FILES firn/firn.h firn/c_api.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/firn)
install(DIRECTORY firn/api DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/firn FILES_MATCHING PATTERN "*.h")

install(EXPORT firn-targets NAMESPACE firn:: DESTINATION ${package_folder})
configure_package_config_file(cmake/firn-config.cmake.in firn-config.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may change anything.
write_basic_package_version_file(firn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/firn-config.cmake ${PROJECT_BINARY_DIR}/firn-config-version.cmake
        DESTINATION ${package_folder})
