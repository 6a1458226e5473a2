#pragma once
/// Sensitivity of a motion: how q(t) and v(t) change with parameters of the robot, its load, its start.
///
///   q' = v on the manifold,        v' = qdd(q, v, tau; p)          tau = law(t, q, v)
///   dq' = dv - [v, dq]             dq along the tangent of q; the bracket of each joint's group
///   dv' = d qdd along (dq, dv, dtau = dlaw(dq, dv)) + d qdd / dp   parameter_derivatives.hpp
///
/// The variational equation is integrated with the motion as further states of a RobotSpace, by any
/// integrator of this room: one linearisation per evaluation, O(n) for each parameter.
///
///   q.JOINT, qd.JOINT   the start: dq(0), dv(0)          tau.JOINT   a constant torque beside the law's
///   everything else     a constant of the robot or its load, as Parameter has it
///
/// The motion must be smooth: Coulomb friction needs a `width` (Error from the constructor).
///
/// Frames   As parameter_derivatives.hpp. dq on the body side: q(p + h) = q (+) dq h.
/// Source   Hairer, Norsett & Wanner 1993, sec. I.14 (variational equation); Kim 2012, sec. 4.
#include <functional>
#include <string>

#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/sim/adaptive.hpp"

namespace torsor {

/// The torque of a motion, and how it changes with the state. Empty: none.
struct TorqueLaw {
  /// tau(t, q, v).
  std::function<void(double t, View<const double> q, View<const double> v, View<double> tau)>
      torque;
  /// dtau along (dq, dv) at (t, q, v); empty: the law does not look at the state.
  std::function<void(double t, View<const double> q, View<const double> v, View<const double> dq,
                     View<const double> dv, View<double> dtau)>
      change;
};

/// The rates of a motion and its sensitivities: y = (q, v, dq_1, dv_1, dq_2, dv_2, ...).
class SensitivityRates {
 public:
  /// Throws Error where friction jumps. The model outlives this.
  SensitivityRates(const Model<double>& model, const std::vector<Parameter>& parameters,
                   TorqueLaw law, std::vector<Wrench<double>> F_ext = {});

  const RobotSpace<double>& space() const { return space_; }
  /// The state at the start.
  std::vector<double> start(View<const double> q, View<const double> v) const;
  /// dy, for the integrators; allocates nothing.
  void operator()(double t, View<const double> y, View<double> dy);
  /// Whether M could always be inverted.
  bool regular() const { return regular_; }

  /// Parts of a state, for parameter k.
  View<const double> dq(View<const double> y, int k) const;
  View<const double> dv(View<const double> y, int k) const;

 private:
  const Model<double>* model_;
  RobotSpace<double> space_;
  std::vector<Parameter> parameters_;  // what acts during the motion
  std::vector<Parameter> at_start_;
  TorqueLaw law_;
  Array<Wrench<double>> F_ext_;
  ParameterWorkspace<double> ws_;
  Array<double> tau_, dtau_, qdd_;
  bool regular_ = true;
};

struct SensitivityOptions {
  std::vector<double> q0, v0;         ///< empty: neutral, at rest
  std::vector<Wrench<double>> F_ext;  ///< constant, per body in its link frame; empty: none
  double start = 0, duration = 1, record_every = 0.1;  ///< s
  StepControl control{};
};

/// A motion and its sensitivities at the recorded times.
struct [[nodiscard]] SensitivityRecord {
  std::vector<std::string> parameters;
  std::vector<double> t;
  std::vector<std::vector<double>> q, v;    ///< per time
  std::vector<std::vector<double>> dq, dv;  ///< per time: n_v x parameters, by columns
  std::string message;                      ///< empty, or why the motion ends before its time

  explicit operator bool() const { return message.empty(); }
};

/// Integrates to the accuracy of options.control. Throws Error for sizes and numbers.
SensitivityRecord motion_sensitivity(const Model<double>& model,
                                     const std::vector<Parameter>& parameters, const TorqueLaw& law,
                                     const SensitivityOptions& options);

}  // namespace torsor
