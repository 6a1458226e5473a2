#pragma once
/// Gains to begin with, from the masses and weights of a robot. Private to this room.
#include "scenario/posture.hpp"

namespace torsor::internal::scenario {

/// Of laws that do not know the weight where they are: Kp_i above the sum of row i of |dG/dq|, so
/// that Kp + dG/dq is positive (Gershgorin), no joint softer than a hundredth of the stiffest, and
/// none that its load moves by more than 0.025; damped critically.
Array<double> stiff_Kp(const Posture& place);
Array<double> stiff_Kd(const Posture& place);
/// A third of what Routh's inequality allows: l_m(Kp + dG/dq) l_m(Kd) / l_M(H).
double small_Ki(const Posture& place);
/// Hills of k m^2 / 2 (1 / nearest - 1)^2 = 49 k at the margin 0.1 and its hundredth, three times
/// what pd_gravity starts with.
Array<double> barriers(const Posture& place);

}  // namespace torsor::internal::scenario
