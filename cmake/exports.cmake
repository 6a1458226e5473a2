# cmake -DARCHIVES= -DINTERNAL= -DOUTPUT= -DNM= -DNODE= -P exports.cmake
# Writes the version script of libtorsor.so: every symbol of namespace torsor that the archives define,
# without torsor::internal, but with the names of INTERNAL (one mangled name to a line, # comments).
# Names are given one by one, because a wildcard of what is exported wins over one of what is not.
cmake_minimum_required(VERSION 3.25)

set(symbols "")
foreach(archive IN LISTS ARCHIVES)
  execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${archive}
    OUTPUT_VARIABLE text ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)_Z[^ \n]*" found "${text}")
  list(APPEND symbols ${found})
endforeach()
list(TRANSFORM symbols STRIP)
list(REMOVE_DUPLICATES symbols)
list(SORT symbols)

# Functions and data, virtual tables, type information, guards, thunks; not names by level (f.v3).
set(public ${symbols})
list(FILTER public INCLUDE REGEX
  "^_Z(T[VIST]|GV|GR|Th[n0-9]*_|Tv[n0-9]*_[n0-9]*_)?N[VKRO]*6torsor")
list(FILTER public EXCLUDE REGEX "^_Z(T[VIST]|GV|GR|T[hv][n0-9_]*_)?N[VKRO]*6torsor8internal")
list(FILTER public EXCLUDE REGEX "[.]")

file(STRINGS ${INTERNAL} allowed REGEX "^_Z")
foreach(symbol IN LISTS allowed)
  if(NOT symbol IN_LIST symbols)
    message(FATAL_ERROR "${INTERNAL}: ${symbol} is in no room; remove the line")
  endif()
endforeach()
list(APPEND public ${allowed})
list(JOIN public ";\n    " lines)
file(WRITE ${OUTPUT}.new "${NODE} {\n  global:\n    ${lines};\n  local:\n    *;\n};\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
