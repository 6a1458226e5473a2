#pragma once
/// Torque and acceleration of a robot with friction, rotors, springs and disturbances, and what to
/// say where there is none.
#include "command.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::command {

/// tau of q, qd, qdd: rigid bodies and joints.
template <class Real>
class JointTorque {
 public:
  explicit JointTorque(const Model<double>& model) : model_(model), workspace_(model) {}

  void operator()(In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau) {
    inverse_dynamics<double, Real>(model_, workspace_, q, qd, qdd, F_ext, tau);
  }

 private:
  const Model<double>& model_;
  DynamicsWorkspace<Real> workspace_;
};

/// qdd of q, qd, tau: what friction, springs and disturbances leave of tau moves bodies and rotors.
template <class Real>
class JointAcceleration {
 public:
  explicit JointAcceleration(const Model<double>& model) : model_(model), workspace_(model) {}

  /// Whether M could be inverted.
  bool operator()(In<Real> q, In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd) {
    return static_cast<bool>(
        forward_dynamics<double, Real>(model_, workspace_, q, qd, tau, F_ext, qdd));
  }

 private:
  const Model<double>& model_;
  DynamicsWorkspace<Real> workspace_;
};

inline Failure singular_mass_matrix(const Model<double>& model) {
  return Failure("the mass matrix of \"" + model.name() +
                 "\" is singular here: a joint moves no mass (torsor check says more)");
}

}  // namespace torsor::command
