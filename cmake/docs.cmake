# The target `docs`: a reference of the public names as HTML, from the comments of the headers, where
# Doxygen is installed, and the documents as HTML with formulas, where pandoc is. What was built is
# installed with the documents.
find_program(TORSOR_DOXYGEN doxygen)
find_program(TORSOR_AWK awk)
find_program(TORSOR_PANDOC pandoc)
if(PROJECT_IS_TOP_LEVEL AND TORSOR_DOXYGEN AND TORSOR_AWK)
  configure_file(${PROJECT_SOURCE_DIR}/docs/api/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
  add_custom_target(docs
    COMMAND ${TORSOR_DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
    COMMENT "Writing the reference of the public names"
    VERBATIM)
  if(TORSOR_PANDOC)
    add_custom_command(TARGET docs POST_BUILD
      COMMAND ${PROJECT_SOURCE_DIR}/docs/api/pages.sh ${PROJECT_SOURCE_DIR}/docs
              ${PROJECT_BINARY_DIR}/docs/pages
      COMMENT "Writing the documents as HTML"
      VERBATIM)
  endif()
  if(TORSOR_INSTALL)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/api ${PROJECT_BINARY_DIR}/docs/pages
      DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
  endif()
endif()
