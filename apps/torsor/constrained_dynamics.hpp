#pragma once
/// Dynamics of robots with loops and couplings, with friction, springs and disturbances.
#include "joint_dynamics.hpp"
#include "states.hpp"
#include "torsor/dynamics/derivatives/constrained_derivatives.hpp"
#include "torsor/kinematics/mobility.hpp"

namespace torsor::command {

/// Why inverse dynamics found no torques.
Failure no_torques(const Model<double>& model, const ConstrainedInverseResult& result);

/// The constraints of a robot with all that the verbs compute of them.
class ConstrainedDynamics {
 public:
  explicit ConstrainedDynamics(const Model<double>& model);

  const ConstraintSet& set() const { return set_; }

  /// Throws Error, naming the row, where q leaves a loop open by more than 1e-6 m or rad, or where
  /// qd or qdd (if given) do not fit.
  void check(const State& state, bool with_qdd);
  /// At any state, closed or not: the equations alone.
  ConstrainedResult solve(const State& state, const std::vector<Wrench<double>>& F_ext,
                          std::vector<double>& qdd, std::vector<double>& lambda);
  /// The same; throws Failure where there is no acceleration.
  void accelerate(const State& state, const std::vector<Wrench<double>>& F_ext,
                  std::vector<double>& qdd, std::vector<double>& lambda);
  /// Torques of the actuated joints, those of the others zero; the least ones where there is a
  /// choice. Throws Failure where there are none.
  void drive(const State& state, const std::vector<Wrench<double>>& F_ext, std::vector<double>& tau,
             std::vector<double>& lambda);
  /// Hybrid dynamics: qdd is read where state.prescribed says so, tau elsewhere. Throws Failure.
  void follow(const State& state, const std::vector<Wrench<double>>& F_ext,
              std::vector<double>& qdd, std::vector<double>& tau, std::vector<double>& lambda);
  Quantity multipliers(const std::vector<double>& lambda) const;
  /// A(q), by columns.
  std::vector<double> jacobian(const State& state);

  /// Derivatives of accelerate(), n_v x n_v by columns.
  struct Derivatives {
    std::vector<double> by_q, by_qd, by_tau;
  };
  ConstrainedResult derivatives(const State& state, const std::vector<Wrench<double>>& F_ext,
                                Derivatives& out);

 private:
  /// What friction, springs and disturbances take of tau.
  std::vector<double> taken(const State& state);

  const Model<double>& model_;
  ConstraintSet set_;
  AssemblyWorkspace assembly_;
  ConstrainedDerivativeWorkspace workspace_;
  JointTorque<double> torque_;
  RneaWorkspace<double> rnea_;
};

}  // namespace torsor::command
