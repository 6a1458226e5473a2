# torsor_mpi.so: a module that the command loads where mpirun started it (docs/many-machines.md). No library
# or program of Torsor links MPI.
# Alone with MPI and without: units of several sources are the same in both.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/experiments/ranks/ranks.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
if(TORSOR_BUILD_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS CXX)
elseif(TORSOR_BUILD_MPI STREQUAL "AUTO" AND TORSOR_BUILD_APPS)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(TORSOR_BUILD_MPI AND MPI_CXX_FOUND)
  add_library(torsor_mpi MODULE ${PROJECT_SOURCE_DIR}/src/experiments/ranks/mpi/transport.cpp)
  target_include_directories(torsor_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src/experiments)
  target_include_directories(torsor_mpi SYSTEM PRIVATE ${MPI_CXX_INCLUDE_DIRS})
  target_link_libraries(torsor_mpi PRIVATE ${MPI_CXX_LIBRARIES})
  target_compile_features(torsor_mpi PRIVATE cxx_std_20)
  torsor_own_target(torsor_mpi)
  set_target_properties(torsor_mpi PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/experiments/ranks/ranks.cpp APPEND PROPERTY
    COMPILE_DEFINITIONS TORSOR_MPI_FOLDER="../${CMAKE_INSTALL_LIBDIR}/torsor")
  if(TORSOR_INSTALL)
    install(TARGETS torsor_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/torsor COMPONENT mpi)
  endif()
endif()
