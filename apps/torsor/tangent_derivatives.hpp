#pragma once
/// Derivatives of tau and qdd along the tangent of q and along qd, the plain way: one sweep with
/// dual numbers for each direction. Exact; O(n^2).
#include <vector>

#include "states.hpp"
#include "torsor/math/spatial.hpp"

namespace torsor::command {

/// n_v x n_v by columns: column k is the derivative along the k-th direction.
struct TangentDerivatives {
  std::vector<double> by_q, by_qd;
};

/// Of tau(q, qd, qdd). Wrenches keep their numbers in the link frames.
TangentDerivatives torque_derivatives(const Model<double>& model, const State& state,
                                      const std::vector<Wrench<double>>& F_ext);
/// Of qdd(q, qd, tau).
TangentDerivatives acceleration_derivatives(const Model<double>& model, const State& state,
                                            const std::vector<Wrench<double>>& F_ext);

}  // namespace torsor::command
