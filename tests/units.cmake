# cmake -DFILES=a_test.cpp|b_test.cpp -DOUTPUT=unit.cpp -P units.cmake
# Writes several test files after each other into one source: most of the time of a small one is its headers.
# Each gets a namespace of its own, so that their helpers may have the same names.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" files "${FILES}")
set(unit "")
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  file(READ "${file}" text)
  if(text MATCHES "\nnamespace torsor")
    string(REGEX REPLACE "\nnamespace (torsor[a-z:]*) {" "\nnamespace \\1::${name} {" text "${text}")
  else()
    # After the includes; a line of the file stays the line that compilers tell of.
    string(REGEX REPLACE "^(.*\n#include [^\n]*\n)" "\\1namespace ${name} {" text "${text}")
    string(APPEND text "}  // namespace ${name}\n")
  endif()
  if(text MATCHES "\n}  // namespace\n.*\nTEST_F")  # no warning in a file that is not included by others
    string(APPEND unit "#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"\n")
  endif()
  string(APPEND unit "#line 1 \"${file}\"\n${text}")
endforeach()
file(WRITE "${OUTPUT}" "${unit}")
