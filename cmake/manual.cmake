# cmake -D TORSOR=... -D FOLDER=... -P manual.cmake: the pages of the manual and the completions of the
# shells, from the help that the command itself prints. man1/torsor.1 is about all of it, man1/torsor-VERB.1
# about one verb.
function(written words file)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env COLUMNS=76 ${TORSOR} ${words}
    OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER}/man1)
file(MAKE_DIRECTORY ${FOLDER}/man1)
written("--manual" man1/torsor.1)
written("--completion" torsor.bash)
written("--completion;zsh" _torsor)
execute_process(COMMAND ${TORSOR} --verbs OUTPUT_VARIABLE verbs COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+" verbs "${verbs}")
foreach(verb IN LISTS verbs)
  written("--manual;${verb}" man1/torsor-${verb}.1)
endforeach()
