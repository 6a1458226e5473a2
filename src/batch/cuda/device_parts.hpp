#pragma once
/// What a Device, a stream, an array and a graph hold.
#include <algorithm>
#include <memory>
#include <string>

#include "driver.hpp"
#include "torsor/batch/device.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

namespace internal {

struct DeviceParts {
  int index = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string name, architecture;
  std::int64_t memory = 0;
  int processors = 0;

  const Driver& driver() const { return Driver::get(); }
  void use() const { check_driver(driver().cuCtxSetCurrent(context), "context"); }
  ~DeviceParts() {
    if (context) driver().cuDevicePrimaryCtxRelease(device);
  }
};

/// Memory that is freed with its owner.
struct ArrayParts {
  std::shared_ptr<DeviceParts> device;
  std::shared_ptr<StreamParts> stream;
  CUdeviceptr at = 0;

  ArrayParts(std::shared_ptr<DeviceParts> on, std::shared_ptr<StreamParts> in, std::size_t bytes)
      : device(std::move(on)), stream(std::move(in)) {
    device->use();
    const CUresult result = device->driver().cuMemAlloc(&at, std::max<std::size_t>(bytes, 16));
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
      throw Error("device: no room for " + std::to_string(bytes) + " bytes");
    check_driver(result, "memory");
  }
  ArrayParts(const ArrayParts&) = delete;
  ArrayParts& operator=(const ArrayParts&) = delete;
  ~ArrayParts() {
    device->driver().cuCtxSetCurrent(device->context);
    device->driver().cuMemFree(at);
  }
};

struct StreamParts {
  std::shared_ptr<DeviceParts> device;
  CUstream stream = nullptr;

  ~StreamParts() {
    if (!stream) return;
    device->driver().cuCtxSetCurrent(device->context);
    device->driver().cuStreamDestroy(stream);
  }
  const Driver& driver() const { return device->driver(); }
  void wait() const {
    device->use();
    check_driver(driver().cuStreamSynchronize(stream), "waiting");
  }
};

struct GraphParts {
  std::shared_ptr<StreamParts> stream;
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;

  ~GraphParts() {
    if (ready) stream->driver().cuGraphExecDestroy(ready);
    if (graph) stream->driver().cuGraphDestroy(graph);
  }
};

}  // namespace internal

}  // namespace torsor
