#pragma once
/// Rotors of motors that turn with several joints, in verbs that solve for accelerations.
///
/// M = M_0 + N^T I N with the rows n_j of N and the rotors I_j on a diagonal; M_0 is what the sweeps
/// over the tree know. With lambda = I N qdd, the torques at the motors that move their rotors,
///
///   M_0 qdd + N^T lambda = ...,   so   qdd = qdd_0 - Y lambda,   M_0 Y = N^T
///   (1 + I N Y) lambda = I N qdd_0                                             (Woodbury)
///
/// In hybrid dynamics N of the released velocities alone pulls at them: Y is what released
/// velocities and the torques of prescribed ones answer to it, and prescribed torques bear N^T lambda
/// on top. Pivots of 1 + I N Y are 1 or more, as N Y is positive semidefinite. M_0 has to be regular
/// by itself.
///
/// Cost     One response of the tree for each motor and O(n r^2); no allocation. Robots without such
///          motors pay for one comparison.
/// Source   Golub & Van Loan 2013, sec. 2.1.4.
#include "torsor/math/array.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

/// Empty for robots without such motors.
template <class Real>
struct MotorScratch {
  Array<Real> x;       // per velocity
  Array<Real> Y;       // motor j: n_v numbers from j n_v on
  Array<Real> lu;      // of 1 + I N Y, by rows
  Array<Real> lambda;  // per motor
  Array<char> held;    // per velocity

  MotorScratch() = default;
  template <class Param>
  explicit MotorScratch(const Model<Param>& model) {
    const int r = model.motors().size();
    if (r == 0) return;
    x.resize(model.n_v());
    Y.resize(r * model.n_v());
    lu.resize(r * r);
    lambda.resize(r);
    held.resize(model.n_v());
  }
  Real* response(int motor) { return Y.data() + motor * x.size(); }
};

/// n x of the velocities for which `counts`.
template <class Real, class Param, class Entry, class Counts>
Real along_some(const CoupledMotor<Param>& motor, Entry x, Counts counts) {
  Real sum(0);
  for (const auto& term : motor.terms)
    if (counts(term.v)) sum = sum + x(term.v) * term.ratio;
  return sum;
}
/// The row of a motor, in ws.x: zero where not `released`.
template <class Param, class Real, class Released>
void set_row(const CoupledMotor<Param>& motor, MotorScratch<Real>& ws, Released released) {
  for (Real& x : ws.x) x = Real(0);
  for (const auto& term : motor.terms)
    if (released(term.v)) ws.x[term.v] = Real(1) * term.ratio;
}

/// Factors of 1 + I N Y, after all responses.
template <class Param, class Real, class Released>
void factorise_motors(const Model<Param>& model, MotorScratch<Real>& ws, Released released) {
  const int r = model.motors().size();
  for (int i = 0; i < r; ++i) {
    const CoupledMotor<Param>& motor = model.motors()[i];
    for (int j = 0; j < r; ++j)
      ws.lu[i * r + j] = along_some<Real>(
                             motor, [&](int k) { return ws.response(j)[k]; }, released) *
                             motor.constants.armature +
                         Real(i == j ? 1 : 0);
  }
  for (int c = 0; c < r; ++c)
    for (int i = c + 1; i < r; ++i) {
      const Real factor = ws.lu[i * r + c] = ws.lu[i * r + c] / ws.lu[c * r + c];
      for (int j = c + 1; j < r; ++j)
        ws.lu[i * r + j] = ws.lu[i * r + j] - factor * ws.lu[c * r + j];
    }
}
/// ws.lambda = (1 + I N Y)^-1 ws.lambda.
template <class Real>
void solve_motors(MotorScratch<Real>& ws) {
  const int r = ws.lambda.size();
  for (int i = 0; i < r; ++i)
    for (int j = 0; j < i; ++j) ws.lambda[i] = ws.lambda[i] - ws.lu[i * r + j] * ws.lambda[j];
  for (int i = r - 1; i >= 0; --i) {
    for (int j = i + 1; j < r; ++j) ws.lambda[i] = ws.lambda[i] - ws.lu[i * r + j] * ws.lambda[j];
    ws.lambda[i] = ws.lambda[i] / ws.lu[i * r + i];
  }
}
/// found(k) is the acceleration of a released velocity or the torque of another, without motors on
/// entry and with them on return; ws.lambda as solve_motors leaves it.
template <class Param, class Real, class Released, class Found>
void couple(const Model<Param>& model, MotorScratch<Real>& ws, Released released, Found found) {
  for (int j = 0; j < ws.lambda.size(); ++j) {
    for (int k = 0; k < model.n_v(); ++k) found(k) = found(k) - ws.response(j)[k] * ws.lambda[j];
    for (const auto& term : model.motors()[j].terms)
      if (!released(term.v)) found(term.v) = found(term.v) + ws.lambda[j] * term.ratio;
  }
}

/// tau += N^T I N qdd.
template <class Param, class Real>
void add_motor_torques(const Model<Param>& model, View<const Real> qdd, View<Real> tau) {
  for (const CoupledMotor<Param>& motor : model.motors())
    motor.add(motor.along(qdd) * motor.constants.armature, tau);
}

}  // namespace torsor::internal
