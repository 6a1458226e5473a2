# cmake --install: command, libraries, headers, models, examples, documents; find_package(torsor) with
# one target per room, and pkg-config.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY TORSOR_ROOM_TARGETS)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/torsor)

install(TARGETS ${rooms} EXPORT torsor-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/torsor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor/models
  OPTIONAL FILES_MATCHING PATTERN "*.yaml" PATTERN "*.urdf")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.yaml" PATTERN "*.md" PATTERN "*.urdf" PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/README.zh.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# pkg-config: every library, those that need others first.
set(pkgconfig_libraries "")
foreach(room IN LISTS rooms)
  get_target_property(type ${room} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    string(PREPEND pkgconfig_libraries " -l${room}")
  endif()
endforeach()
file(RELATIVE_PATH pkgconfig_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/torsor.pc.in ${PROJECT_BINARY_DIR}/torsor.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/torsor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

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
