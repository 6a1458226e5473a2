#include "torsor/control/uncertain/ultimate_bound.hpp"

#include <cmath>
#include <limits>

#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

UltimateBound ultimate_bound(const Gain& P, const Gain& Q, double epsilon, double rho_bar) {
  UltimateBound b;
  b.rho_bar = rho_bar, b.epsilon = epsilon;
  b.P_smallest = P.smallest_eigenvalue(), b.P_largest = P.largest_eigenvalue();
  const double Q_smallest = Q.smallest_eigenvalue();
  if (P.size() != Q.size() || !(b.P_smallest > 0) || !(Q_smallest > 0))
    throw Error(
        "ultimate_bound: P and Q must be of one size and positive definite; smallest "
        "eigenvalues are " +
        std::to_string(b.P_smallest) + " and " + std::to_string(Q_smallest));
  b.decay = internal::smallest_generalised_eigenvalue(Q.matrix(), P.matrix());
  b.delta_bar = std::sqrt(epsilon * rho_bar / (2 * Q_smallest));
  b.k_under = b.P_largest * b.delta_bar * b.delta_bar;
  b.delta = b.radius(b.k_under);
  return b;
}

double UltimateBound::radius(double k_bar) const { return std::sqrt(k_bar / P_smallest); }

double UltimateBound::reaching_time(double k_0, double k_bar) const {
  if (!(k_bar > k_under)) return std::numeric_limits<double>::infinity();
  if (k_0 <= k_bar) return 0;
  return (k_0 - k_bar) / (decay * k_bar - epsilon * rho_bar / 2);
}

double UltimateBound::level_at(double t, double k_0) const {
  const double rest = epsilon * rho_bar / (2 * decay);
  return rest + (k_0 - rest) * std::exp(-decay * t);
}

}  // namespace torsor
