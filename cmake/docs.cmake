# The target `docs`: a reference of the public names as HTML, from the comments of the headers, where
# Doxygen is installed. It is installed with the documents if it was built.
find_program(TORSOR_DOXYGEN doxygen)
find_program(TORSOR_AWK awk)
if(PROJECT_IS_TOP_LEVEL AND TORSOR_DOXYGEN AND TORSOR_AWK)
  configure_file(${PROJECT_SOURCE_DIR}/docs/api/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
  add_custom_target(docs
    COMMAND ${TORSOR_DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
    COMMENT "Writing the reference of the public names"
    VERBATIM)
  if(TORSOR_INSTALL)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/api DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command OPTIONAL)
  endif()
endif()
