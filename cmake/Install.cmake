# Installs the command, the library and its headers as the CMake package `firn`.

include(CMakePackageConfigHelpers)

install(TARGETS firn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS firn ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY firn/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/firn
        FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE PATTERN "cli" EXCLUDE)
