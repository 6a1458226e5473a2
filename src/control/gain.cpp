#include "torsor/control/gain.hpp"

#include <cmath>
#include <limits>

#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

/// Of the symmetric part.
SymmetricEigen spectrum(const Gain& gain) {
  const int n = gain.size();
  Matrix a(n, n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) a(r, c) = (gain(r, c) + gain(c, r)) / 2;
  SymmetricEigen eigen(n);
  eigen.factorise(a);
  return eigen;
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

Matrix Gain::matrix() const {
  Matrix a(n_, n_);
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c) a(r, c) = (*this)(r, c);
  return a;
}

Matrix error_system(const Gain& Kp, const Gain& Kd) {
  const int n = Kp.size();
  Matrix A(2 * n, 2 * n);
  for (int r = 0; r < n; ++r) {
    A(r, n + r) = 1;
    for (int c = 0; c < n; ++c) {
      A(n + r, c) = -Kp(r, c);
      A(n + r, n + c) = -Kd(r, c);
    }
  }
  return A;
}

double Gain::asymmetry() const {
  double worst = 0;
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < r; ++c) worst = std::fmax(worst, std::abs((*this)(r, c) - (*this)(c, r)));
  return worst;
}
double Gain::smallest_eigenvalue() const {
  return n_ > 0 ? spectrum(*this).smallest() : std::numeric_limits<double>::infinity();
}
double Gain::largest_eigenvalue() const {
  return n_ > 0 ? spectrum(*this).largest() : -std::numeric_limits<double>::infinity();
}

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
