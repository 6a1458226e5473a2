# cmake --install: command, libraries, headers, models, examples, documents; find_package(torsor) with
# one target per room, and pkg-config.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY TORSOR_ROOM_TARGETS)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/torsor)

install(TARGETS ${rooms} EXPORT torsor-targets
  LIBRARY COMPONENT development ARCHIVE COMPONENT development)
if(TARGET torsor_shared)
  install(TARGETS torsor_shared EXPORT torsor-shared-targets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT torsor-shared-targets NAMESPACE torsor:: DESTINATION ${package_folder}
    COMPONENT development)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/torsor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development
  FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor/models
  COMPONENT command OPTIONAL FILES_MATCHING PATTERN "*.yaml" PATTERN "*.urdf")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor
  COMPONENT command
  FILES_MATCHING PATTERN "*.[ch]pp" PATTERN "*.yaml" PATTERN "*.md" PATTERN "*.urdf" PATTERN "*.py"
                 PATTERN "*.csv" PATTERN "hosts")
install(PROGRAMS ${PROJECT_SOURCE_DIR}/examples/cluster/sweep.sbatch COMPONENT command
  DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor/examples/cluster)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/README.zh.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)

# pkg-config: torsor is libtorsor.so where it was built, else the static libraries; torsor-static is the
# static libraries by their files. Those that need others come first.
set(pkgconfig_libraries "")
set(pkgconfig_static "")
foreach(room IN LISTS rooms)
  get_target_property(type ${room} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    string(PREPEND pkgconfig_libraries " -l${room}")
    string(PREPEND pkgconfig_static " -l:lib${room}.a")
  endif()
endforeach()
string(APPEND pkgconfig_libraries " -ltinyxml2 -lyaml-cpp -pthread")
string(APPEND pkgconfig_static " -ltinyxml2 -lyaml-cpp -pthread")
set(pkgconfig_names torsor)
if(TARGET torsor_shared)
  set(pkgconfig_libraries " -ltorsor")
endif()
if(NOT BUILD_SHARED_LIBS)
  list(APPEND pkgconfig_names torsor-static)
endif()
file(RELATIVE_PATH pkgconfig_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name IN LISTS pkgconfig_names)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endforeach()

install(EXPORT torsor-targets NAMESPACE torsor:: DESTINATION ${package_folder}
  COMPONENT development)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/torsor-config.cmake.in ${PROJECT_BINARY_DIR}/torsor-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/torsor-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/torsor-config.cmake
  ${PROJECT_BINARY_DIR}/torsor-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)
include(${CMAKE_CURRENT_LIST_DIR}/packages.cmake)
