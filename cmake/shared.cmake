# libtorsor.so: all rooms in one shared library, linked from the objects of the static rooms, so that
# nothing is compiled twice. It exports the public names and, of torsor::internal, what inline functions
# and templates of public headers call (exports_internal.txt); tests/house/exports_test.cpp holds it to
# that. Consumers link torsor::shared instead of the rooms, never both.
#
# The SONAME is libtorsor.so.<major>. While the major version is 0 every minor version may change the
# interface, so symbols carry the minor version too: a program that was linked with another one is
# refused by the loader, with that name (docs/versions.md).
set(shared_default OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_NM
   AND NOT BUILD_SHARED_LIBS AND NOT "${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize=")
  set(shared_default ON)
endif()
option(TORSOR_SHARED "Link libtorsor.so of the static rooms too" ${shared_default})
if(NOT TORSOR_SHARED)
  return()
endif()
if(BUILD_SHARED_LIBS)
  message(FATAL_ERROR "TORSOR_SHARED joins static rooms; BUILD_SHARED_LIBS makes each room a library")
endif()

get_property(rooms GLOBAL PROPERTY TORSOR_ROOM_TARGETS)
set(archives "")
set(archive_files "")
foreach(room IN LISTS rooms)
  get_target_property(type ${room} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND archives ${room})
    list(APPEND archive_files $<TARGET_FILE:${room}>)
  endif()
endforeach()

set(exports ${PROJECT_BINARY_DIR}/generated/torsor.map)
set(script ${PROJECT_SOURCE_DIR}/cmake/exports.cmake)
set(internal ${PROJECT_SOURCE_DIR}/cmake/exports_internal.txt)
add_custom_command(OUTPUT ${exports}
  COMMAND ${CMAKE_COMMAND} "-DARCHIVES=${archive_files}" -DINTERNAL=${internal} -DOUTPUT=${exports}
          -DNM=${CMAKE_NM} -DNODE=TORSOR_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} -P ${script}
  DEPENDS ${archives} ${archive_files} ${script} ${internal}
  COMMENT "Listing what libtorsor.so exports"
  VERBATIM)
add_custom_target(torsor_exports DEPENDS ${exports})

add_library(torsor_shared SHARED ${PROJECT_SOURCE_DIR}/cmake/shared_library.cpp)
add_library(torsor::shared ALIAS torsor_shared)
add_dependencies(torsor_shared torsor_exports)
target_compile_features(torsor_shared INTERFACE cxx_std_20)
target_include_directories(torsor_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# By file, because rooms that are named as targets bring each other again.
target_link_libraries(torsor_shared
  PRIVATE -Wl,--whole-archive ${archive_files} -Wl,--no-whole-archive
          $<BUILD_INTERFACE:tinyxml2::tinyxml2> $<BUILD_INTERFACE:${TORSOR_YAML_CPP}>
          $<BUILD_INTERFACE:Threads::Threads>
  INTERFACE Eigen3::Eigen)
target_link_options(torsor_shared PRIVATE
  LINKER:--version-script=${exports} LINKER:-Bsymbolic-functions LINKER:--no-undefined
  $<$<CONFIG:Release>:-s>)
set_target_properties(torsor_shared PROPERTIES
  OUTPUT_NAME torsor
  EXPORT_NAME shared
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS "${exports};${archive_files}")
