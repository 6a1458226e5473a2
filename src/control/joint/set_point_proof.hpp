#pragma once
/// What the proofs of set-point laws ask about weight and integral.
#include "torsor/control/gain.hpp"
#include "torsor/control/run.hpp"

namespace torsor::internal {

/// Whether the plant weighs at drawn configurations what the law believes, to rounding.
bool weighs_as_believed(const Run& run);

/// With an integral the loop near q_d is
///   H e'' + Kd e' + (Kp + S) e + Ki x = 0,  x' = e,   S = d(G - G_compensated)/dq + springs
/// and, for symmetric matrices, stable where
///   l_m(Kp + S) l_m(Kd) > l_M(H) l_M(Ki)                          Routh, along each eigenvector.
/// H and S are the plant's, at q_d and at configurations as far from it as the start. `compensated`:
/// the robot whose weight the law takes off at every q; null: none.
Condition integral_condition(const Run& run, const Gain& Kp, const Gain& Kd, const Gain& Ki,
                             const Model<double>* compensated);

}  // namespace torsor::internal
