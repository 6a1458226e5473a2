#pragma once
/// Sampled control: the loop linearised at postures of a run and discretised exactly.
///
///   M qdd + h(q, qd) = tau + C^T mu,   C qd = 0            tree, loops, rigid surfaces touched
///   x = (xi, eta): q = q_0 (+) Z xi, qd = qd_0 + Z eta, C Z = 0
///   x' = A x + B u,   u_k = K (x_k, x_c, f)               f: forces that the law measures
///   x(k + 1) = exp(A T) x + int exp(A s) ds B u           the torque acts from t_k + delay on
///   x_c(k + 1) = x_c + T x_c'                             as simulate() steps them
///
/// Estimates are held for the row of the loop, and move for a row of their own: there the loop of
/// error and estimates is looked at with the regressor of the reference, which shows a gain of
/// adaptation that is too large for the period.
///
/// The loop is stable at this posture where every eigenvalue of the map from sample to sample is
/// within the unit circle. Those at 1 (closer than 1e-4) are left out: what no feedback moves, the
/// self-motion of a redundant arm, or motion too slow for the period to matter.
///
/// Postures Along the reference, and the start where it is elsewhere; after a run those that it
///          passed. A law of joints is looked at there without error: as if its reference stood
///          there. (Laws of tasks: postures of their reference alone.)
///
/// Forces of rigid surfaces are those under the torque that acted until the sample.
/// Frozen   Each posture by itself, velocities and accelerations of the reference there; curvature
///          of constraints is left out. A law whose loops are all stable may still be unstable on
///          the way from one to the next.
/// Cost     For each posture 2 (2 n + states) torques and the eigenvalues of a matrix of 2 n +
///          states + n (lags of the delay) rows; allocates.
/// Source   Golub & Van Loan 2013, sec. 9.3 (the integral from one exponential).
#include "torsor/control/scope.hpp"

namespace torsor::control_detail {

/// The rows of a run with a period.
std::vector<Condition> sampled_control(ControlLaw& law, const Run& run, const RunRange& range);

}  // namespace torsor::control_detail
