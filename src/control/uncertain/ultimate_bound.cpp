#include "torsor/control/uncertain/ultimate_bound.hpp"

#include <cmath>
#include <limits>

#include "square_matrix.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

/// Smallest eigenvalue of P^-1 Q: of L^-1 Q L^-T with P = L L^T.
double relative_smallest(const Gain& P, const Gain& Q) {
  const int n = P.size();
  control_detail::Square L(static_cast<std::size_t>(n * n)), M(L.size());
  const auto at = [n](control_detail::Square& a, int r, int c) -> double& {
    return a[static_cast<std::size_t>(r * n + c)];
  };
  for (int c = 0; c < n; ++c)
    for (int r = c; r < n; ++r) {
      double x = P(r, c);
      for (int k = 0; k < c; ++k) x -= at(L, r, k) * at(L, c, k);
      at(L, r, c) = r == c ? std::sqrt(x) : x / at(L, c, c);
    }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) at(M, r, c) = Q(r, c);
  for (int side = 0; side < 2; ++side) {  // M <- L^-1 M, then the same of its transpose
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r) {
        for (int k = 0; k < r; ++k) at(M, r, c) -= at(L, r, k) * at(M, k, c);
        at(M, r, c) /= at(L, r, r);
      }
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < r; ++c) std::swap(at(M, r, c), at(M, c, r));
  }
  return Gain::full(n, std::move(M)).smallest_eigenvalue();
}

}  // namespace

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
  b.decay = relative_smallest(P, Q);
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

}  // namespace torsor
