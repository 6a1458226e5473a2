# The built-in robots, compiled into the library so that a program needs no data folder.
#
# Included: torsor_embed(target folder) generates builtin_files.cpp (the definition behind
#           include/torsor/formats/builtin_files.hpp) from folder/*.yaml and folder/*.urdf.
# Script:   cmake -D FOLDER=... -D NAMES=a.yaml|b.urdf -D OUTPUT=... -P embed.cmake writes it.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TORSOR_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(torsor_embed target folder)
    if(NOT TARGET ${target})
      return()
    endif()
    set(folder ${PROJECT_SOURCE_DIR}/${folder})
    set(output ${PROJECT_BINARY_DIR}/generated/builtin_files.cpp)
    file(GLOB names CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.yaml ${folder}/*.urdf)
    list(SORT names)
    list(TRANSFORM names PREPEND ${folder}/ OUTPUT_VARIABLE files)
    list(JOIN names "|" joined)  # in the command line, so that a removed file is noticed too
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D NAMES=${joined} -D OUTPUT=${output}
              -P ${TORSOR_EMBED_SCRIPT}
      DEPENDS ${files} ${TORSOR_EMBED_SCRIPT}
      COMMENT "Embedding the built-in robots"
      VERBATIM)
    # Source properties are seen only in the folder that sets them: this one, where the library is.
    set_source_files_properties(${output} PROPERTIES GENERATED TRUE)
  endfunction()
  return()
endif()

set(text [[
// Generated from the models folder.
#include "torsor/formats/builtin_files.hpp"

// Compilers need not accept one literal above 64 KiB; those we support do.
#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace torsor::builtin {
]])
string(REPLACE "|" ";" names "${NAMES}")
if(names)
  string(APPEND text "\nstatic constexpr File table[] = {\n")
  foreach(name IN LISTS names)
    file(READ "${FOLDER}/${name}" content)
    string(APPEND text "    {\"${name}\", R\"torsor~(${content})torsor~\"},\n")
  endforeach()
  string(APPEND text "};\n\nstd::span<const File> files() { return table; }\n")
else()
  string(APPEND text "\nstd::span<const File> files() { return {}; }\n")
endif()
string(APPEND text "\n}  // namespace torsor::builtin\n")
file(WRITE "${OUTPUT}" "${text}")
