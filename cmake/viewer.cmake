# The scripts of pages: TypeScript of viewer/, bundled by esbuild, compiled into the library.
#
# TORSOR_BUILD_VIEWER  AUTO: where node and viewer/node_modules are there (npm ci in viewer/ puts
#                      them there; nothing here touches the network). ON: it is an error if they are
#                      not. OFF: pages have pictures only.
# TORSOR_HAS_VIEWER    what came of it.

set(TORSOR_BUILD_VIEWER AUTO CACHE STRING "Build the scripts of pages: AUTO, ON or OFF")
set_property(CACHE TORSOR_BUILD_VIEWER PROPERTY STRINGS AUTO ON OFF)

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(TORSOR_HAS_VIEWER OFF)
if(TORSOR_BUILD_VIEWER)
  find_program(TORSOR_NODE NAMES node nodejs)
  if(TORSOR_NODE AND EXISTS ${viewer}/node_modules/esbuild/package.json
     AND EXISTS ${viewer}/node_modules/three/package.json)
    set(TORSOR_HAS_VIEWER ON)
  elseif(NOT TORSOR_BUILD_VIEWER STREQUAL "AUTO")
    message(FATAL_ERROR "TORSOR_BUILD_VIEWER: node or viewer/node_modules is missing; "
                        "run `npm ci` in viewer/")
  else()
    message(STATUS "Pages without script: node or viewer/node_modules is missing "
                   "(npm ci in viewer/)")
  endif()
endif()

set(viewer_files ${PROJECT_BINARY_DIR}/generated/viewer_files.cpp)
set(viewer_names "")
if(TORSOR_HAS_VIEWER)
  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*.ts ${viewer}/src/*.css)
  foreach(page IN ITEMS page view)  # as build.mjs has them
    if(EXISTS ${viewer}/src/${page}.ts)
      list(APPEND viewer_names ${page}.css ${page}.js)
    endif()
  endforeach()
  list(TRANSFORM viewer_names PREPEND ${PROJECT_BINARY_DIR}/viewer/ OUTPUT_VARIABLE viewer_bundles)
  add_custom_command(
    OUTPUT ${viewer_bundles}
    COMMAND ${TORSOR_NODE} ${viewer}/build.mjs ${PROJECT_BINARY_DIR}/viewer
    DEPENDS ${viewer_sources} ${viewer}/build.mjs ${viewer}/package-lock.json
    COMMENT "Bundling the scripts of pages"
    VERBATIM)
endif()
torsor_embed_files(${viewer_files} ${PROJECT_BINARY_DIR}/viewer "${viewer_names}"
                   torsor/experiments/internal/viewer_files.hpp torsor::internal viewer_files)
