#include "torsor/control/gain.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations, on the diagonal of `a`.
void diagonalise(std::vector<double>& a, int n) {
  const auto at = [&](int r, int c) -> double& { return a[static_cast<std::size_t>(r * n + c)]; };
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, on = 0;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) (r == c ? on : off) += at(r, c) * at(r, c);
    if (!(off > 1e-30 * on)) return;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (at(p, q) == 0) continue;
        const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta));
        const double c = 1 / std::hypot(1.0, t), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double x = at(k, p), y = at(k, q);
          at(k, p) = c * x - s * y, at(k, q) = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = at(p, k), y = at(q, k);
          at(p, k) = c * x - s * y, at(q, k) = s * x + c * y;
        }
      }
  }
}

/// Smallest and largest eigenvalue of the symmetric part.
std::pair<double, double> spectrum(const Gain& gain) {
  const int n = gain.size();
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      a[static_cast<std::size_t>(r * n + c)] = (gain(r, c) + gain(c, r)) / 2;
  diagonalise(a, n);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int k = 0; k < n; ++k) {
    low = std::fmin(low, a[static_cast<std::size_t>(k * n + k)]);
    high = std::fmax(high, a[static_cast<std::size_t>(k * n + k)]);
  }
  return {low, high};
}

}  // namespace

Gain Gain::full(int n, std::vector<double> rows) {
  if (n < 0 || rows.size() != static_cast<std::size_t>(n) * static_cast<std::size_t>(n))
    throw Error("gain: " + std::to_string(rows.size()) + " entries for a matrix of " +
                std::to_string(n) + " rows");
  Gain g;
  g.n_ = n;
  g.full_ = true;
  g.entries_ = std::move(rows);
  return g;
}

double Gain::asymmetry() const {
  double worst = 0;
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < r; ++c) worst = std::fmax(worst, std::abs((*this)(r, c) - (*this)(c, r)));
  return worst;
}
double Gain::smallest_eigenvalue() const { return spectrum(*this).first; }
double Gain::largest_eigenvalue() const { return spectrum(*this).second; }

void Gain::check(const char* law, const char* gain, int n) const {
  const std::string who = std::string(law) + ": gain " + gain;
  if (n_ != n)
    throw Error(who + " is of size " + std::to_string(n_) + "; the robot has " + std::to_string(n) +
                " degrees of freedom");
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c)
      if (!std::isfinite((*this)(r, c)))
        throw Error(who + " is not finite at row " + std::to_string(r + 1) + ", column " +
                    std::to_string(c + 1));
}

}  // namespace torsor
