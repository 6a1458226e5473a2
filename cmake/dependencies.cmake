# Packages by find_package, each only where something that needs it is built.

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(tinyxml2 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(Threads REQUIRED)

# yaml-cpp renamed its target in 0.8.
if(TARGET yaml-cpp::yaml-cpp)
  set(TORSOR_YAML_CPP yaml-cpp::yaml-cpp)
else()
  set(TORSOR_YAML_CPP yaml-cpp)
endif()

if(TORSOR_BUILD_APPS)
  find_package(CLI11 REQUIRED)
endif()
if(TORSOR_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TORSOR_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
