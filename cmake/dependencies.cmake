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

# cpp-httplib: the server of `torsor view`. Debian's is compiled, with these options; structures of its
# header depend on them. Without the package there is no such verb.
find_path(TORSOR_HTTPLIB_INCLUDE httplib.h)
find_library(TORSOR_HTTPLIB_LIBRARY cpp-httplib)
if(TORSOR_HTTPLIB_INCLUDE AND TORSOR_HTTPLIB_LIBRARY)
  add_library(torsor_httplib INTERFACE)
  target_include_directories(torsor_httplib SYSTEM INTERFACE ${TORSOR_HTTPLIB_INCLUDE})
  target_link_libraries(torsor_httplib INTERFACE ${TORSOR_HTTPLIB_LIBRARY} Threads::Threads)
  target_compile_definitions(torsor_httplib INTERFACE
    CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
endif()
