# cpack -G DEB: libtorsor0, libtorsor-dev, torsor, python3-torsor and, built with MPI, torsor-mpi, one for
# each component. Many ranks are apart, as they bring all of Open MPI.
# cpack -G TGZ: everything below one folder that may be put anywhere.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_PACKAGE_NAME torsor)
set(CPACK_PACKAGE_VENDOR "The authors of Torsor")
set(TORSOR_MAINTAINER "The authors of Torsor <torsor@localhost>" CACHE STRING
  "Who publishes the packages: name and address")
set(CPACK_PACKAGE_CONTACT "${TORSOR_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME torsor-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake
                            ${PROJECT_SOURCE_DIR}/cmake/package_times.cmake)

set(library libtorsor${PROJECT_VERSION_MAJOR})
set(package_of_runtime ${library})
set(package_of_development libtorsor-dev)
set(package_of_command torsor)
set(package_of_python python3-torsor)
set(package_of_mpi torsor-mpi)
set(components development)
if(TARGET torsor_shared)
  list(PREPEND components runtime)
endif()
if(TARGET torsor_command)
  list(APPEND components command)
endif()
if(TARGET torsor_python)
  list(APPEND components python)
endif()
if(TARGET torsor_mpi)
  list(APPEND components mpi)
endif()
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")  # the interface of 0.x changes
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Robot dynamics on Lie groups: shared library
 Kinematics, dynamics, identification and control of robots.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Robot dynamics on Lie groups: headers and static libraries
 What C++20 programs are built with, by CMake or pkg-config.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Robot dynamics on Lie groups: the command torsor
 With manual, completions, documents, robots, examples and scenarios.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Robot dynamics on Lie groups: the Python module
 The same verbs for NumPy's arrays.")
set(CPACK_COMPONENT_MPI_DESCRIPTION "Robot dynamics on Lie groups: many machines by Open MPI
 mpirun torsor sweep, identify, excite and eval --columns.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS torsor-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "torsor (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${library} (= ${PROJECT_VERSION}), libeigen3-dev, libtinyxml2-dev, libyaml-cpp-dev")
if(TARGET torsor_python)
  get_property(minor GLOBAL PROPERTY TORSOR_PYTHON_MINOR)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${minor}), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/packaging/debian/postinst;${PROJECT_SOURCE_DIR}/packaging/debian/prerm")
endif()
foreach(component IN LISTS components)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_of_${component}})
  # Every package says what it may be used for, and whose code is in it; a plain install says it once.
  set(once EXCLUDE_FROM_ALL)
  if(component STREQUAL "command")
    set(once "")
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright COMPONENT ${component} ${once}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_of_${component}})
endforeach()
include(CPack)
