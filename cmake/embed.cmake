# Text files compiled into a program, so that it needs no data folder.
#
# Included: torsor_embed(output folder header namespace function) generates `output`, the definition
#           of std::span<const torsor::builtin::File> namespace::function(), which `header` declares,
#           from folder/*.yaml and folder/*.urdf; torsor_embed_files(output folder names ...) does so
#           from the files of that list, which another command may write.
# Script:   cmake -D FOLDER=... -D NAMES=a.yaml|b.urdf -D OUTPUT=... -D HEADER=... -D NAMESPACE=...
#           -D FUNCTION=... -P embed.cmake writes it.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TORSOR_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(torsor_embed output folder header namespace function)
    file(GLOB names CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.yaml ${folder}/*.urdf)
    list(SORT names)
    torsor_embed_files(${output} ${folder} "${names}" ${header} ${namespace} ${function})
    # Source properties are seen only in the folder that sets them: the one of the target.
    set_source_files_properties(${output} PROPERTIES GENERATED TRUE)
  endfunction()

  function(torsor_embed_files output folder names header namespace function)
    list(TRANSFORM names PREPEND ${folder}/ OUTPUT_VARIABLE files)
    list(JOIN names "|" joined)  # in the command line, so that a removed file is noticed too
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D NAMES=${joined} -D OUTPUT=${output}
              -D HEADER=${header} -D NAMESPACE=${namespace} -D FUNCTION=${function}
              -P ${TORSOR_EMBED_SCRIPT}
      DEPENDS ${files} ${TORSOR_EMBED_SCRIPT}
      COMMENT "Embedding ${folder}"
      VERBATIM)
  endfunction()
  return()
endif()

set(text "// Generated from ${FOLDER}.
#include \"${HEADER}\"

// Compilers need not accept one literal above 64 KiB; those we support do.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"

using namespace std::string_view_literals;  // lengths are known, none is counted

namespace ${NAMESPACE} {
")
string(REPLACE "|" ";" names "${NAMES}")
if(names)
  string(APPEND text "\nstatic constexpr torsor::builtin::File table[] = {\n")
  foreach(name IN LISTS names)
    file(READ "${FOLDER}/${name}" content)
    string(APPEND text "    {\"${name}\", R\"torsor~(${content})torsor~\"sv},\n")
  endforeach()
  string(APPEND text "};\n")
  set(result table)
else()
  set(result {})
endif()
string(APPEND text "
std::span<const torsor::builtin::File> ${FUNCTION}() { return ${result}; }

}  // namespace ${NAMESPACE}
")
file(WRITE "${OUTPUT}" "${text}")
