#pragma once
/// 1/2 u^T H(q) u with the plant's inertia, rotors included: the first term of most Lyapunov
/// functions.
///
/// `ws` may come from another model with the same joints. Cost O(n), no allocation.
#include "torsor/dynamics/energy.hpp"

namespace torsor {

double kinetic_form(const Model<double>& plant, MomentumWorkspace<double>& ws, View<const double> q,
                    View<const double> u);

}  // namespace torsor
