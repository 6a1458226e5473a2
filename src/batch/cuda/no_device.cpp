#ifndef TORSOR_HAS_CUDA

#include "torsor/batch/device.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

namespace internal {

struct DeviceParts {
  std::string nothing;
};
struct StreamParts {};
struct ArrayParts {};
struct GraphParts {};

}  // namespace internal

namespace {

constexpr const char* without = "built without CUDA";

[[noreturn]] void refuse() { throw Error(std::string("device: ") + without); }

}  // namespace

std::string Device::missing() { return without; }
int Device::count() { return 0; }
Device::Device(int) { refuse(); }
const std::string& Device::name() const { return parts_->nothing; }
const std::string& Device::architecture() const { return parts_->nothing; }
std::int64_t Device::memory() const { return 0; }
std::int64_t Device::free_memory() const { return 0; }
int Device::processors() const { return 0; }
DeviceStream::DeviceStream(const Device&) { refuse(); }
void DeviceStream::wait() {}
double DeviceStream::time(const std::function<void()>&) { return 0; }
DeviceGraph::DeviceGraph(const DeviceStream&, const std::function<void()>&) { refuse(); }
void DeviceGraph::launch() {}

template <class Real>
DeviceArray<Real>::DeviceArray(const DeviceStream&, std::int64_t, int) {
  refuse();
}
template <class Real>
DeviceArray<Real>::DeviceArray(const DeviceArray&) {}
template <class Real>
void DeviceArray<Real>::upload(const StatesView<const Real>&) {}
template <class Real>
void DeviceArray<Real>::download(const StatesView<Real>&) const {}

template <class Real>
struct DeviceBatch<Real>::Parts {};
template <class Real>
DeviceBatch<Real>::DeviceBatch(const DeviceStream&, const Model<double>&, DeviceOptions) {
  refuse();
}
template <class Real>
DeviceBatch<Real>::~DeviceBatch() = default;
template <class Real>
DeviceBatch<Real>::DeviceBatch(DeviceBatch&&) noexcept = default;
template <class Real>
DeviceBatch<Real>& DeviceBatch<Real>::operator=(DeviceBatch&&) noexcept = default;
template <class Real>
std::string DeviceBatch<Real>::kernels() const {
  return {};
}
template <class Real>
void DeviceBatch<Real>::rigid_inverse_dynamics(const Array&, const Array&, const Array&, Array&) {}
template <class Real>
void DeviceBatch<Real>::rigid_forward_dynamics(const Array&, const Array&, const Array&, Array&) {}
template <class Real>
void DeviceBatch<Real>::mass_matrix(const Array&, Array&) {}
template <class Real>
void DeviceBatch<Real>::mass_matrix_inverse(const Array&, Array&) {}
template <class Real>
void DeviceBatch<Real>::body_poses(const Array&, Array&) {}
template <class Real>
void DeviceBatch<Real>::rigid_inverse_dynamics_derivatives(const Array&, const Array&, const Array&,
                                                           Array&, Array&, Array*) {}
template <class Real>
void DeviceBatch<Real>::rigid_forward_dynamics_derivatives(const Array&, const Array&, const Array&,
                                                           Array&, Array&, Array*) {}
template <class Real>
void DeviceBatch<Real>::rollout(Array&, Array&, const DeviceRollout<Real>&) {}
template <class Real>
std::int64_t DeviceBatch<Real>::unanswered() {
  return 0;
}

template class DeviceArray<double>;
template class DeviceArray<float>;
template class DeviceBatch<double>;
template class DeviceBatch<float>;

}  // namespace torsor

#endif
