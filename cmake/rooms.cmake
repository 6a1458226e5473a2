# A room is one library: headers in include/torsor/<room>, sources in src/<room>.

# Language level and warnings of one of our own targets; nothing leaks to the user's targets.
function(torsor_own_target target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TORSOR_WERROR}>>:-Werror>)
  # Packs pass between functions that are inlined; precompiled headers lose the pragma that says so.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>)
  # GCC 12 takes "literal" + std::string for overlapping or foreign memory (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow>)
  endif()
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    INSTALL_RPATH "$ORIGIN")  # shared rooms find each other in a prefix of any name
endfunction()

# Several sources of a target are compiled as one: most of the time of a small source is its headers and the
# templates of the standard library. Anonymous namespaces of a folder share no names therefore. The clang
# preset compiles each alone, so that each is known to include what it uses. Sources of several instruction
# sets (levels.cmake) stay apart: what is inlined into a sweep must not depend on neighbours.
option(TORSOR_UNITY "Compile several sources of a room as one" ON)
if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  set(TORSOR_UNITY OFF)
endif()
function(torsor_unity target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TORSOR_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# The library `target` from `sources`, or an INTERFACE library when there are none; `scope` is
# the keyword under which its public requirements are stated.
function(torsor_library target sources scope)
  if(sources)
    add_library(${target} ${sources})
    # Position independent, so that one set of objects serves the command and the Python module; without
    # interposition calls inside of a room stay direct, and it costs nothing (docs/performance.md).
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
    set(${scope} PUBLIC PARENT_SCOPE)
  else()
    add_library(${target} INTERFACE)
    set(${scope} INTERFACE PARENT_SCOPE)
  endif()
endfunction()

# The compile options of a room's sources.
function(torsor_room_sources target room precompile)
  get_target_property(sources ${target} SOURCES)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/${room})
  if(room MATCHES "^(model|formats|experiments)$")  # built once, or waiting for kernels: quick to compile
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(room MATCHES "^(kinematics|dynamics|identification|batch)$")
    separate_arguments(kernel_flags NATIVE_COMMAND "${TORSOR_KERNEL_FLAGS}")
    target_compile_options(${target} PRIVATE ${kernel_flags})
    target_compile_definitions(${target} PRIVATE TORSOR_INSTANTIATE)  # headers leave their lists
  endif()
  if(room STREQUAL "batch")  # roots of lanes in one instruction
    target_compile_options(${target} PRIVATE -fno-math-errno)
  endif()
  # What nearly every source of a room includes, read once. The clang preset compiles without, so
  # that each source is known to include what it uses.
  list(LENGTH sources n_sources)
  if(n_sources GREATER 4)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <functional> <memory> <optional> <string> <vector>)
    list(TRANSFORM precompile PREPEND ${PROJECT_SOURCE_DIR}/include/torsor/)
    target_precompile_headers(${target} PRIVATE ${precompile})
  endif()
endfunction()

set(TORSOR_UNITY_ROOMS "" CACHE STRING
  "Rooms whose sources are compiled eight at a time: a build that is made once is shorter so")

# torsor_room(name [ROOMS rooms...] [PUBLIC targets...] [PRIVATE targets...]
#             [HEADER_ONLY targets...] [PRECOMPILE headers...] [LEVELS patterns...]
#             [ONE_LEVEL patterns...])
# PRIVATE and HEADER_ONLY targets are used by the sources alone; consumers of the installed static
# library must find the PRIVATE ones to link, and never need the HEADER_ONLY ones. LEVELS: sources that
# are compiled for several instruction sets (levels.cmake), without those of ONE_LEVEL, whose time is spent
# elsewhere. A room with neither headers nor sources is skipped, and so are doors that lead to it.
function(torsor_room room)
  cmake_parse_arguments(arg "" "" "ROOMS;PUBLIC;PRIVATE;HEADER_ONLY;PRECOMPILE;LEVELS;ONE_LEVEL" ${ARGN})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/torsor/${room}/*.hpp)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/ranks/mpi/")  # a module of its own: mpi.cmake
  if(NOT headers AND NOT sources)
    return()
  endif()
  set(level_sources "")
  if(TORSOR_LEVELS)
    foreach(pattern IN LISTS arg_LEVELS)
      set(matching ${sources})
      list(FILTER matching INCLUDE REGEX "/src/${room}/${pattern}$")
      list(APPEND level_sources ${matching})
    endforeach()
    foreach(pattern IN LISTS arg_ONE_LEVEL)
      list(FILTER level_sources EXCLUDE REGEX "/src/${room}/${pattern}$")
    endforeach()
    if(level_sources)
      list(REMOVE_ITEM sources ${level_sources})
      list(APPEND sources ${PROJECT_BINARY_DIR}/levels/torsor_${room}/jumps.cpp)
    endif()
  endif()

  set(target torsor_${room})
  if(room STREQUAL "formats")
    set(sources ${sources} ${PROJECT_BINARY_DIR}/generated/builtin_files.cpp)
  endif()
  if(room STREQUAL "experiments")
    set(sources ${sources} ${PROJECT_BINARY_DIR}/generated/viewer_files.cpp
                ${PROJECT_BINARY_DIR}/generated/theory_files.cpp)
  endif()
  torsor_library(${target} "${sources}" scope)
  if(room MATCHES "^(identification|control|sim|batch|formats|experiments)$")
    torsor_unity(${target} 8)
  endif()
  add_library(torsor::${room} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  torsor_own_target(${target})

  foreach(door IN LISTS arg_ROOMS)
    if(TARGET torsor_${door})
      target_link_libraries(${target} ${scope} torsor_${door})
    endif()
  endforeach()
  target_link_libraries(${target} ${scope} ${arg_PUBLIC})
  if(scope STREQUAL "PUBLIC")
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
    foreach(library IN LISTS arg_HEADER_ONLY)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
    endforeach()
    torsor_room_sources(${target} ${room} "${arg_PRECOMPILE}")
  endif()
  if(level_sources)
    torsor_level_objects(${target} ${room} "${level_sources}" "${arg_PRECOMPILE}")
  endif()
  if(room IN_LIST TORSOR_UNITY_ROOMS AND scope STREQUAL "PUBLIC")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  set_property(GLOBAL APPEND PROPERTY TORSOR_ROOM_TARGETS ${target})
endfunction()

# torsor::torsor: every room, and the faces on top of them (robot.hpp, torsor.hpp).
function(torsor_umbrella)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
  torsor_library(torsor "${sources}" scope)
  add_library(torsor::torsor ALIAS torsor)
  target_compile_features(torsor ${scope} cxx_std_20)
  target_include_directories(torsor ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  get_property(rooms GLOBAL PROPERTY TORSOR_ROOM_TARGETS)
  target_link_libraries(torsor ${scope} ${rooms} Eigen3::Eigen)
  torsor_own_target(torsor)
  if(sources)  # faces without mathematics: compiling them should be quick
    target_compile_options(torsor PRIVATE $<$<CONFIG:Release>:-O1>)
    torsor_unity(torsor 6)
  endif()
  set_property(GLOBAL APPEND PROPERTY TORSOR_ROOM_TARGETS torsor)
endfunction()
