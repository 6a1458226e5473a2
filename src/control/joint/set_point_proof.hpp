#pragma once
/// What the proofs of set-point laws ask about weight and integral.
#include "torsor/control/gain.hpp"
#include "torsor/control/run.hpp"

namespace torsor::internal {

/// Whether the plant weighs at drawn configurations what the law believes, to rounding.
bool weighs_as_believed(const Run& run);

/// Whether joints or motors of the plant have friction: V then falls at least as fast as a proof
/// without friction says, where that dissipates.
bool has_friction(const Model<double>& plant);

/// Spherical joints: e = log(R^T R_d) jumps at half a turn, and no law of this kind converges from
/// everywhere. Where V >= mu/2 |e|^2 falls, none gets there from V(0) < mu/2 pi^2: a row, if there
/// are such joints.
std::vector<Condition> half_turns_of_joints(const Model<double>& plant, double mu, double V_start);

/// With an integral the loop near q_d is
///   H e'' + Kd e' + (Kp + S) e + Ki x = 0,  x' = e,   S = d(G - G_compensated)/dq + springs
/// and, for symmetric matrices, stable where
///   l_m(Kp + S) l_m(Kd) > l_M(H) l_M(Ki)                          Routh, along each eigenvector.
/// H and S are the plant's, at q_d and at configurations as far from it as the start. `compensated`:
/// the robot whose weight the law takes off at every q; null: none.
Condition integral_condition(const Run& run, const Gain& Kp, const Gain& Kd, const Gain& Ki,
                             const Model<double>* compensated);

}  // namespace torsor::internal
