#pragma once
/// Torque and acceleration of a robot with friction, rotors, joint springs and disturbances.
#include <vector>

#include "torsor/dynamics/aba.hpp"
#include "torsor/model/friction.hpp"

namespace torsor::command {

/// tau of q, qd, qdd: rigid bodies and joints.
template <class Real>
class JointTorque {
 public:
  explicit JointTorque(const Model<double>& model) : model_(model), workspace_(model) {}

  void operator()(In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau) {
    inverse_dynamics<double, Real>(model_, workspace_, q, qd, qdd, F_ext, tau);
    add_joint_torques(model_, q, qd, qdd, tau);
  }

 private:
  const Model<double>& model_;
  RneaWorkspace<Real> workspace_;
};

/// qdd of q, qd, tau: what friction, springs and disturbances leave of tau moves bodies and rotors.
template <class Real>
class JointAcceleration {
 public:
  explicit JointAcceleration(const Model<double>& model)
      : model_(model),
        workspace_(model),
        zero_(static_cast<std::size_t>(model.n_v()), Real(0)),
        taken_(zero_),
        left_(zero_) {}

  /// Whether M could be inverted.
  bool operator()(In<Real> q, In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd) {
    taken_ = zero_;
    add_joint_torques(model_, q, qd, zero_, taken_);
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] = tau[static_cast<int>(k)] - taken_[k];
    return static_cast<bool>(
        forward_dynamics<double, Real>(model_, workspace_, q, qd, left_, F_ext, qdd));
  }

 private:
  const Model<double>& model_;
  AbaWorkspace<Real> workspace_;
  std::vector<Real> zero_, taken_, left_;
};

}  // namespace torsor::command
