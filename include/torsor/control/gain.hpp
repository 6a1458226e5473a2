#pragma once
/// Gain matrices of control laws: diagonal, or full where a proof allows it.
///
///   Gain({100, 60})            diag(100, 60)
///   Gain::uniform(2, 20)       20 I
///   Gain::full(2, {2, 1,       rows
///                  1, 3})
///
/// Cost     n or n^2 multiplications; no allocation in a call but that of the eigenvalues.
#include <string>
#include <vector>

#include "torsor/linear/matrix.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class Gain {
 public:
  Gain() = default;
  explicit Gain(std::vector<double> diagonal) : n_(static_cast<int>(diagonal.size())) {
    entries_ = std::move(diagonal);
  }
  static Gain uniform(int n, double k) { return Gain(Array<double>(n, k)); }
  /// n x n entries by rows; throws Error for another count.
  static Gain full(int n, std::vector<double> rows);

  int size() const { return n_; }
  Matrix matrix() const;
  bool is_diagonal() const { return !full_; }
  double operator()(int r, int c) const {
    if (full_) return entries_[r * n_ + c];
    return r == c ? entries_[r] : 0.0;
  }
  Gain scaled(double factor) const {
    Gain g = *this;
    for (double& k : g.entries_) k *= factor;
    return g;
  }

  /// y += K x. x and y are different vectors.
  void add_product(View<const double> x, View<double> y) const {
    for (int r = 0; r < n_; ++r)
      if (full_)
        for (int c = 0; c < n_; ++c) y[r] += entries_[r * n_ + c] * x[c];
      else
        y[r] += entries_[r] * x[r];
  }
  /// x^T K x.
  double quadratic(View<const double> x) const {
    double sum = 0;
    for (int r = 0; r < n_; ++r)
      if (full_)
        for (int c = 0; c < n_; ++c) sum += entries_[r * n_ + c] * x[r] * x[c];
      else
        sum += entries_[r] * x[r] * x[r];
    return sum;
  }

  /// Largest |K - K^T| entry.
  double asymmetry() const;
  /// Of the symmetric part (K + K^T) / 2.
  double smallest_eigenvalue() const;
  double largest_eigenvalue() const;

  /// Checks a gain: throws Error, naming law and gain, for another size or a number that is not
  /// finite.
  void check(const char* law, const char* gain, int n) const;

 private:
  int n_ = 0;
  bool full_ = false;
  Array<double> entries_;  // the diagonal, or all by rows
};

/// [0 1; -Kp -Kd], the error equation e'' + Kd e' + Kp e = 0 as x' = A x with x = (e, e').
Matrix error_system(const Gain& Kp, const Gain& Kd);

}  // namespace torsor
