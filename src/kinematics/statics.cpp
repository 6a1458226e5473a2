#include "torsor/kinematics/statics.hpp"

#include <cmath>

#include "torsor/model/configuration.hpp"

namespace torsor {

StaticWrench wrench_from_torques(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                                 const Frame& frame, Reference reference, In<double> tau,
                                 double rank_tolerance) {
  internal::require_configuration(model, q, "wrench_from_torques");
  check_velocity(model, tau, "tau");
  const int n = model.n_v();
  const auto J = column_major(ws.J.data(), 6, n);
  jacobian(model, ws.kinematics, q, frame, reference, J);
  ws.svd.factorise(column_major<const double>(ws.J.data(), 6, n));
  StaticWrench result;
  result.rank = ws.svd.rank(rank_tolerance);
  double F[6]{};
  for (int k = 0; k < result.rank; ++k) {
    double along = 0;
    for (int c = 0; c < n; ++c) along += ws.svd.right(c, k) * tau[c];
    for (int r = 0; r < 6; ++r) F[r] += ws.svd.left(r, k) * (along / ws.svd.sigma(k));
  }
  result.F = {{F[0], F[1], F[2]}, {F[3], F[4], F[5]}};
  double sum = 0;
  for (int c = 0; c < n; ++c) {
    double rest = tau[c];
    for (int r = 0; r < 6; ++r) rest -= J(r, c) * F[r];
    sum += rest * rest;
  }
  result.residual = std::sqrt(sum);
  return result;
}

}  // namespace torsor
