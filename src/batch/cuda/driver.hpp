#pragma once
/// The driver's functions, found when the program runs: a program built here starts on machines without
/// a driver too, and nothing is linked.
#include <cuda.h>

#include <string>

namespace torsor::internal {

#define TORSOR_DRIVER_FUNCTIONS(X)               \
  X(cuInit)                                      \
  X(cuGetErrorString)                            \
  X(cuDriverGetVersion)                          \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetName)                             \
  X(cuDeviceTotalMem)                            \
  X(cuDeviceGetAttribute)                        \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuMemGetInfo)                                \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemcpyHtoDAsync)                           \
  X(cuMemcpyDtoHAsync)                           \
  X(cuMemcpyDtoDAsync)                           \
  X(cuMemsetD8Async)                             \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamSynchronize)                         \
  X(cuStreamBeginCapture)                        \
  X(cuStreamEndCapture)                          \
  X(cuGraphInstantiateWithFlags)                 \
  X(cuGraphLaunch)                               \
  X(cuGraphDestroy)                              \
  X(cuGraphExecDestroy)                          \
  X(cuEventCreate)                               \
  X(cuEventRecord)                               \
  X(cuEventSynchronize)                          \
  X(cuEventElapsedTime)                          \
  X(cuEventDestroy)                              \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuModuleGetGlobal)                           \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuLaunchKernel)

struct Driver {
#define TORSOR_DRIVER_FUNCTION(name) decltype(&::name) name = nullptr;
  TORSOR_DRIVER_FUNCTIONS(TORSOR_DRIVER_FUNCTION)
#undef TORSOR_DRIVER_FUNCTION
  std::string missing;  ///< why there is none; ""
  int devices = 0;

  /// Found at the first call.
  static const Driver& get();
};

/// Throws Error "what: the driver's words" unless all is well.
void check_driver(CUresult result, const char* what);

#ifndef TORSOR_DRIVER_SOURCE
#undef TORSOR_DRIVER_FUNCTIONS
#endif

}  // namespace torsor::internal
