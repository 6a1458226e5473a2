#pragma once
/// The verbs for very many states on a graphics processor (docs/gpu.md).
///
///   Device device;                                         // the first one; Error says why there is none
///   DeviceStream stream(device);
///   DeviceBatch<double> batch(stream, model);
///   DeviceArray<double> q(stream, N, 7), qd(q), qdd(q), tau(q);
///   q.upload(by_state(data, N, 7));                        // ...
///   batch.rigid_inverse_dynamics(q, qd, qdd, tau);         // returns at once
///   tau.download(by_state(result, N, 7));                  // waits
///
/// Arrays   stay on the device, by number: number k of all states, then number k + 1. Matrices are by
///          rows; the mass matrix and its inverse may also be their lower triangles by rows alone.
///          Inputs that are empty count as zero.
/// Results  are those of Batch, rigid bodies and rotors, to rounding. States without an answer (a
///          singular mass matrix, numbers that are not finite, angles of 2^48 or more, quaternions off
///          unit norm by more than 1e-6) are nan, and counted.
/// Order    Verbs of one stream run one after the other; a call enters them and returns. Two streams run
///          beside each other. One thread for each stream.
/// Refused  robots with loops, couplings, motors of several joints, and more than 64 bodies.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/batch/states.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

namespace internal {

struct DeviceParts;
struct StreamParts;
struct ArrayParts;
struct GraphParts;

}  // namespace internal

class Device {
 public:
  /// Why no device can be used, in one line: "built without CUDA", no driver, no device; "" where one can.
  static std::string missing();
  static int count();

  /// Throws Error with missing(), or where there is no device of that number.
  explicit Device(int index = 0);

  const std::string& name() const;
  std::int64_t memory() const;  ///< bytes, all of it
  std::int64_t free_memory() const;
  int processors() const;                   ///< multiprocessors
  const std::string& architecture() const;  ///< "sm_90"

 private:
  friend class DeviceStream;
  std::shared_ptr<internal::DeviceParts> parts_;
};

/// What is entered here runs in the order of the calls.
class DeviceStream {
 public:
  explicit DeviceStream(const Device& device);

  /// Until all that was entered is done. Throws Error where the device failed.
  void wait();
  /// ms that the device takes for what `calls` enter, by its own clock.
  double time(const std::function<void()>& calls);
  const std::shared_ptr<internal::StreamParts>& parts() const { return parts_; }

 private:
  std::shared_ptr<internal::StreamParts> parts_;
};

/// `width` numbers of `count` states in the device's memory.
template <class Real>
class DeviceArray {
 public:
  DeviceArray() = default;  ///< empty: an input that counts as zero
  DeviceArray(const DeviceStream& stream, std::int64_t count, int width);
  /// As many numbers, not their values.
  DeviceArray(const DeviceArray& other);
  DeviceArray& operator=(const DeviceArray&) = delete;
  DeviceArray(DeviceArray&&) noexcept = default;
  DeviceArray& operator=(DeviceArray&&) noexcept = default;
  ~DeviceArray() = default;

  bool empty() const { return data_ == nullptr; }
  std::int64_t count() const { return count_; }
  int width() const { return width_; }
  /// An address of the device, for kernels of your own.
  Real* data() const { return data_; }

  /// From and to the caller's memory, after all that was entered before. Both wait.
  void upload(const StatesView<const Real>& from);
  void download(const StatesView<Real>& to) const;

 private:
  std::shared_ptr<internal::ArrayParts> parts_;
  Real* data_ = nullptr;
  std::int64_t count_ = 0;
  int width_ = 0;
};

/// Where kernels come from, and how much is said about it.
struct DeviceOptions {
  /// Compiled kernels are kept here; "": $XDG_CACHE_HOME/torsor/kernels or ~/.cache/torsor/kernels.
  std::string cache;
  bool compile = true;  ///< false: only what was compiled ahead
  /// Gets one line where kernels are compiled or the slow ones are taken. Empty: to the standard error.
  std::function<void(const std::string&)> say;
};

/// The law of a rollout; it is asked once in every step and held.
///
///   pd               tau = kp e + kd ed, with `gravity` also what holds the robot at rest
///   computed_torque  tau = ID(q, qd, qdd_r + kp e + kd ed)
///
/// e = q_r (-) q, ed = qd_r - qd. The reference leaves `from` at t = 0 and comes to `goal` at t = duration
/// by a quintic along their difference.
template <class Real>
struct DeviceRollout {
  enum class Law : unsigned char { pd, computed_torque };

  Law law = Law::pd;
  bool gravity = false;
  std::vector<double> kp, kd;                               ///< n_v numbers each
  const DeviceArray<Real>*from = nullptr, *goal = nullptr;  ///< n_q numbers for each state
  double duration = 0;                                      ///< s; 0: the goal from the start
  double time = 0;                                          ///< s, where the rollout begins
  double step = 1e-3;                                       ///< s, of the control
  int steps = 1000;
  int substeps = 1;  ///< steps of Runge-Kutta 4 in each step of the control
};

template <class Real = double>
class DeviceBatch {
 public:
  using Array = DeviceArray<Real>;

  DeviceBatch(const DeviceStream& stream, const Model<double>& model, DeviceOptions options = {});
  ~DeviceBatch();
  DeviceBatch(DeviceBatch&&) noexcept;
  DeviceBatch& operator=(DeviceBatch&&) noexcept;

  /// Which kernels these are: compiled ahead, compiled at run time by what, from the cache, or rolled.
  std::string kernels() const;

  void rigid_inverse_dynamics(const Array& q, const Array& qd, const Array& qdd, Array& tau);
  void rigid_forward_dynamics(const Array& q, const Array& qd, const Array& tau, Array& qdd);
  /// n_v n_v numbers for each state, or n_v (n_v + 1) / 2: the array's width says which.
  void mass_matrix(const Array& q, Array& M);
  void mass_matrix_inverse(const Array& q, Array& inverse);
  /// 16 n_bodies: [R p; 0 1] of every body, the world included.
  void body_poses(const Array& q, Array& T);
  /// n_v n_v each; the last may be null.
  void rigid_inverse_dynamics_derivatives(const Array& q, const Array& qd, const Array& qdd,
                                          Array& dtau_dq, Array& dtau_dqd,
                                          Array* dtau_dqdd = nullptr);
  void rigid_forward_dynamics_derivatives(const Array& q, const Array& qd, const Array& tau,
                                          Array& dqdd_dq, Array& dqdd_dqd,
                                          Array* dqdd_dtau = nullptr);
  /// Changes q and qd.
  void rollout(Array& q, Array& qd, const DeviceRollout<Real>& how);

  /// States without an answer since the last call. Waits.
  std::int64_t unanswered();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What `calls` enter in the stream, kept to be entered again at once: few states cost less so.
class DeviceGraph {
 public:
  DeviceGraph(const DeviceStream& stream, const std::function<void()>& calls);
  void launch();

 private:
  std::shared_ptr<internal::GraphParts> parts_;
};

extern template class DeviceArray<double>;
extern template class DeviceArray<float>;
extern template class DeviceBatch<double>;
extern template class DeviceBatch<float>;

}  // namespace torsor
