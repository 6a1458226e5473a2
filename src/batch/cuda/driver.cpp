#ifdef TORSOR_HAS_CUDA

#define TORSOR_DRIVER_SOURCE
#include "driver.hpp"

#include <dlfcn.h>

#include "torsor/math/error.hpp"

namespace torsor::internal {
namespace {

#define TORSOR_TEXT(x) #x
#define TORSOR_EXPANDED_TEXT(x) TORSOR_TEXT(x)  // cuda.h renames functions to their version

Driver found() {
  Driver driver;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    driver.missing = "no NVIDIA driver on this machine (libcuda.so.1 is not found)";
    return driver;
  }
#define TORSOR_DRIVER_FUNCTION(name)                                                       \
  driver.name =                                                                            \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, TORSOR_EXPANDED_TEXT(name))); \
  if (!driver.name) driver.missing = "the NVIDIA driver is too old: it has no " #name;
  TORSOR_DRIVER_FUNCTIONS(TORSOR_DRIVER_FUNCTION)
#undef TORSOR_DRIVER_FUNCTION
  if (!driver.missing.empty()) return driver;
  const CUresult begun = driver.cuInit(0);
  if (begun == CUDA_ERROR_NO_DEVICE) {
    driver.missing = "the NVIDIA driver finds no device";
    return driver;
  }
  if (begun != CUDA_SUCCESS) {
    const char* words = nullptr;
    driver.cuGetErrorString(begun, &words);
    driver.missing =
        std::string("the NVIDIA driver does not start: ") + (words ? words : "unknown error");
    return driver;
  }
  if (driver.cuDeviceGetCount(&driver.devices) != CUDA_SUCCESS || driver.devices == 0)
    driver.missing = "the NVIDIA driver finds no device";
  return driver;
}

}  // namespace

const Driver& Driver::get() {
  static const Driver driver = found();
  return driver;
}

void check_driver(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* words = nullptr;
  Driver::get().cuGetErrorString(result, &words);
  throw Error(std::string("device: ") + what + ": " + (words ? words : "unknown error"));
}

}  // namespace torsor::internal

#endif
