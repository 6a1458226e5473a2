# cmake -D MODULE=FILE -D FOLDER=FOLDER -P copy_libraries.cmake: copies the shared libraries that a module
# needs beside it, but for those that are everywhere.
file(GET_RUNTIME_DEPENDENCIES MODULES ${MODULE}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  CONFLICTING_DEPENDENCIES_PREFIX twice  # copies that are there already
  POST_EXCLUDE_REGEXES "/ld-linux[^/]*$" "/lib(c|m|stdc\\+\\+|gcc_s|pthread|dl|rt)\\.so[^/]*$")
if(missing)
  message(FATAL_ERROR "${MODULE}: not found: ${missing}")
endif()
foreach(name IN LISTS twice_FILENAMES)
  list(APPEND found ${twice_${name}})
endforeach()
foreach(library IN LISTS found)
  cmake_path(GET library PARENT_PATH where)
  cmake_path(GET library FILENAME name)
  if(NOT where STREQUAL FOLDER)
    file(REAL_PATH ${library} file)
    file(COPY_FILE ${file} ${FOLDER}/${name} ONLY_IF_DIFFERENT)
  endif()
endforeach()
