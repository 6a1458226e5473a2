#ifdef TORSOR_HAS_CUDA

#include "torsor/batch/device.hpp"

#include <vector>

#include "device_parts.hpp"

namespace torsor {

std::string Device::missing() { return internal::Driver::get().missing; }
int Device::count() { return internal::Driver::get().devices; }

Device::Device(int index) : parts_(std::make_shared<internal::DeviceParts>()) {
  using internal::check_driver;
  const internal::Driver& driver = internal::Driver::get();
  if (!driver.missing.empty()) throw Error("device: " + driver.missing);
  if (index < 0 || index >= driver.devices)
    throw Error("device: there is no device " + std::to_string(index) + ", the driver finds " +
                std::to_string(driver.devices));
  auto& p = *parts_;
  p.index = index;
  check_driver(driver.cuDeviceGet(&p.device, index), "device");
  char name[256] = "";
  check_driver(driver.cuDeviceGetName(name, sizeof name - 1, p.device), "name");
  p.name = name;
  std::size_t memory = 0;
  check_driver(driver.cuDeviceTotalMem(&memory, p.device), "memory");
  p.memory = static_cast<std::int64_t>(memory);
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    check_driver(driver.cuDeviceGetAttribute(&value, which, p.device), "attributes");
    return value;
  };
  p.architecture = "sm_" + std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
                   std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  p.processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  check_driver(driver.cuDevicePrimaryCtxRetain(&p.context, p.device), "context");
}

const std::string& Device::name() const { return parts_->name; }
const std::string& Device::architecture() const { return parts_->architecture; }
std::int64_t Device::memory() const { return parts_->memory; }
int Device::processors() const { return parts_->processors; }
std::int64_t Device::free_memory() const {
  parts_->use();
  std::size_t rest = 0, all = 0;
  internal::check_driver(parts_->driver().cuMemGetInfo(&rest, &all), "memory");
  return static_cast<std::int64_t>(rest);
}

DeviceStream::DeviceStream(const Device& device)
    : parts_(std::make_shared<internal::StreamParts>()) {
  parts_->device = device.parts_;
  parts_->device->use();
  internal::check_driver(parts_->driver().cuStreamCreate(&parts_->stream, CU_STREAM_NON_BLOCKING),
                         "stream");
}
void DeviceStream::wait() { parts_->wait(); }
double DeviceStream::time(const std::function<void()>& calls) {
  using internal::check_driver;
  const internal::Driver& driver = parts_->driver();
  parts_->device->use();
  CUevent events[2]{};
  for (CUevent& event : events) check_driver(driver.cuEventCreate(&event, 0), "clock");
  check_driver(driver.cuEventRecord(events[0], parts_->stream), "clock");
  calls();
  check_driver(driver.cuEventRecord(events[1], parts_->stream), "clock");
  check_driver(driver.cuEventSynchronize(events[1]), "waiting");
  float ms = 0;
  check_driver(driver.cuEventElapsedTime(&ms, events[0], events[1]), "clock");
  for (CUevent& event : events) driver.cuEventDestroy(event);
  return static_cast<double>(ms);
}

DeviceGraph::DeviceGraph(const DeviceStream& stream, const std::function<void()>& calls)
    : parts_(std::make_shared<internal::GraphParts>()) {
  using internal::check_driver;
  parts_->stream = stream.parts();
  const internal::Driver& driver = parts_->stream->driver();
  parts_->stream->device->use();
  check_driver(driver.cuStreamBeginCapture(parts_->stream->stream, CU_STREAM_CAPTURE_MODE_RELAXED),
               "graph");
  try {
    calls();
  } catch (...) {
    driver.cuStreamEndCapture(parts_->stream->stream, &parts_->graph);
    throw;
  }
  check_driver(driver.cuStreamEndCapture(parts_->stream->stream, &parts_->graph), "graph");
  check_driver(driver.cuGraphInstantiateWithFlags(&parts_->ready, parts_->graph, 0), "graph");
}
void DeviceGraph::launch() {
  parts_->stream->device->use();
  internal::check_driver(
      parts_->stream->driver().cuGraphLaunch(parts_->ready, parts_->stream->stream), "graph");
}

template <class Real>
DeviceArray<Real>::DeviceArray(const DeviceStream& stream, std::int64_t count, int width)
    : count_(count), width_(width) {
  if (count < 0 || width < 0)
    throw Error("device: an array of " + std::to_string(count) + " states of " +
                std::to_string(width) + " numbers");
  const auto bytes =
      static_cast<std::size_t>(count) * static_cast<std::size_t>(width) * sizeof(Real);
  parts_ = std::make_shared<internal::ArrayParts>(stream.parts()->device, stream.parts(), bytes);
  data_ = reinterpret_cast<Real*>(parts_->at);
}
template <class Real>
DeviceArray<Real>::DeviceArray(const DeviceArray& other) {
  if (other.empty()) return;
  count_ = other.count_, width_ = other.width_;
  const auto bytes =
      static_cast<std::size_t>(count_) * static_cast<std::size_t>(width_) * sizeof(Real);
  parts_ =
      std::make_shared<internal::ArrayParts>(other.parts_->device, other.parts_->stream, bytes);
  data_ = reinterpret_cast<Real*>(parts_->at);
}

namespace {

template <class View>
void check_shape(const View& view, std::int64_t count, int width) {
  if (view.count != count || view.width != width)
    throw Error("device: an array of " + std::to_string(count) + " states of " +
                std::to_string(width) + " numbers and a view of " + std::to_string(view.count) +
                " of " + std::to_string(view.width));
}

}  // namespace

template <class Real>
void DeviceArray<Real>::upload(const StatesView<const Real>& from) {
  check_shape(from, count_, width_);
  if (empty() || from.empty()) return;
  const internal::StreamParts& stream = *parts_->stream;
  std::vector<Real> turned;
  const Real* numbers = from.data;
  if (from.state_stride != 1 || (width_ > 1 && from.number_stride != count_)) {
    turned.reserve(static_cast<std::size_t>(count_) * static_cast<std::size_t>(width_));
    for (int k = 0; k < width_; ++k)
      for (std::int64_t s = 0; s < count_; ++s) turned.push_back(from(s, k));
    numbers = turned.data();
  }
  stream.device->use();
  internal::check_driver(
      stream.driver().cuMemcpyHtoDAsync(
          parts_->at, numbers,
          static_cast<std::size_t>(count_) * static_cast<std::size_t>(width_) * sizeof(Real),
          stream.stream),
      "upload");
  stream.wait();
}
template <class Real>
void DeviceArray<Real>::download(const StatesView<Real>& to) const {
  check_shape(to, count_, width_);
  if (empty() || to.empty()) return;
  const internal::StreamParts& stream = *parts_->stream;
  const bool straight = to.state_stride == 1 && (width_ <= 1 || to.number_stride == count_);
  const auto numbers = static_cast<std::size_t>(count_) * static_cast<std::size_t>(width_);
  std::vector<Real> turned(straight ? 0 : numbers);
  stream.device->use();
  internal::check_driver(
      stream.driver().cuMemcpyDtoHAsync(straight ? to.data : turned.data(), parts_->at,
                                        numbers * sizeof(Real), stream.stream),
      "download");
  stream.wait();
  for (int k = 0; k < width_ && !straight; ++k)
    for (std::int64_t s = 0; s < count_; ++s)
      to(s, k) = turned[static_cast<std::size_t>(k * count_ + s)];
}

template class DeviceArray<double>;
template class DeviceArray<float>;

}  // namespace torsor

#endif
