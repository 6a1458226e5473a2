# cmake --install, and find_package(torsor) with one target per room.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY TORSOR_ROOM_TARGETS)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/torsor)

install(TARGETS ${rooms} EXPORT torsor-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/torsor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor/models
  OPTIONAL FILES_MATCHING PATTERN "*.yaml" PATTERN "*.urdf")

install(EXPORT torsor-targets NAMESPACE torsor:: DESTINATION ${package_folder})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/torsor-config.cmake.in ${PROJECT_BINARY_DIR}/torsor-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/torsor-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/torsor-config.cmake
  ${PROJECT_BINARY_DIR}/torsor-config-version.cmake
  DESTINATION ${package_folder})
