#pragma once
/// Another simulator behind one small door (peer.hpp): the same robot under the same sampled law.
#include "peer.hpp"

namespace torsor {

/// Computed torque with gains kp and kd along offset + amplitude sin(frequency t), from rest at the
/// offset, one torque for each step of a fixed length.
struct PeerTracking {
  double kp, kd, step;                           ///< 1/s^2, 1/s, s
  const double *offset, *amplitude, *frequency;  ///< one number for each joint
};

class PeerLoop {
 public:
  virtual ~PeerLoop() = default;
  virtual const char* name() const = 0;
  /// From the start; q: where it ends.
  virtual void run(int steps, double* q) = 0;
};

extern "C" PeerLoop* make_mujoco_loop(const PeerBody* bodies, int n_bodies, const double* gravity,
                                      const PeerTracking& tracking);

}  // namespace torsor
