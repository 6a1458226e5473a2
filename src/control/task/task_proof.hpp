#pragma once
/// What the proofs of task laws ask about postures, orientations and the surfaces that are pressed.
#include <cmath>
#include <functional>
#include <numbers>

#include "torsor/control/scope.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/control/task/impedance.hpp"

namespace torsor::internal {

/// Of an error: in [-pi, pi].
inline double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

/// The start, and along the reference where it is one of the law's (run_range).
Array<RunInstant> postures_of(ControlLaw& law, const Run& run);

/// "the robot can do the task", and whether every matrix `regularity` looks at (smallest over
/// largest singular value at a posture) stays out of the range in which its inverse is damped.
std::vector<Condition> task_conditions(const char* matrix, int n_task, int n_v,
                                       const Array<RunInstant>& postures,
                                       const std::function<double(const RunInstant&)>& regularity);
/// The same of J~.
std::vector<Condition> task_conditions(TaskCoordinates& coordinates,
                                       const Array<RunInstant>& postures);

/// Rotations e = log(R_d R^T) = theta k with w~' = -D w~ - k e stay below half a turn, where e jumps,
/// if V = 1/2 w~^T M w~ + k U(theta) starts below k U(pi). `V` and `hill` of the start.
Condition half_turn_condition(double V, double hill);
/// Of the rotation of X, where it has one: K = k I there, M the inertia that the loop shows
/// (empty: 1), U = theta^2 / 2.
std::vector<Condition> half_turn_conditions(TaskCoordinates& coordinates, const Run& run,
                                            const Gain& K, const Gain& M = {});

/// What impedances of this mode ask of the surfaces.
std::vector<Condition> impedance_surface_conditions(ImpedanceMode mode, const Run& run);

/// What a law that commands forces says about itself: f_c, positions first, of the wrenches measured
/// at a state; how many of them are forces; the gain of their integral (empty: none).
struct PressingLaw {
  std::function<void(const ControlState& state, Out<double> f_c)> measured;
  int n_position = 0, n_force = 0;
  Gain KF{};
};
PressingLaw pressing_law(HybridTask& task, const Gain& KF);

/// Whether the surfaces of the run are those that the law presses on, that it presses and does not
/// pull, that it starts in contact, and what KF needs.
///
///   compliant, stiffness k, damping c     m s^3 + c s^2 + (k + KF c) s + KF k     stable where
///   (m: what the plant shows there)       c (k + KF c) > m KF k                        (Routh)
///   rigid, sampled with the period T      z^(N+1) - z^N + KF T = 0, N samples from measuring to
///                                         acting: KF T < 2 sin(pi / (4 N + 2)), 1 for N = 1
std::vector<Condition> pressing_conditions(const PressingLaw& law, const Run& run,
                                           const Array<RunInstant>& postures);

}  // namespace torsor::internal
