#pragma once
/// Which arm presses how much: a force shared among several arms at the least weighted cost.
///
///   minimise F^T W F,  F = (f_1 ... f_m),  W = diag(W_1 ... W_m),  W_i = W_i^T > 0     (3-159)
///   subject to U F = f,  U = (1 ... 1)                                                 (3-160)
///   f_i = W_i^-1 (sum_j W_j^-1)^-1 f                                                   (3-161)
///
/// Optimal because 2 W_i f_i is the same multiplier for every arm (exercise 3-23). Where the W_i
/// are multiples of one matrix each f_i points along f; otherwise parts of the f_i across f cancel
/// in the sum, and the object is squeezed by them.
///
/// Cost     m n^2 multiplications; no allocation in a call.
/// Source   Huo 2005, sec. 3.13, (3-159) to (3-161).
#include "torsor/control/gain.hpp"

namespace torsor {

class ForceSharing {
 public:
  ForceSharing() = default;
  /// One n x n weight for each arm. Throws Error for another size or one that is not symmetric
  /// positive definite.
  ForceSharing(int n, const std::vector<Gain>& weights);

  int n() const { return n_; }
  int n_arms() const { return n_ == 0 ? 0 : static_cast<int>(shares_.size()) / (n_ * n_); }
  /// f_i += scale times the share of arm i in f.
  void add_share(int arm, View<const double> f, View<double> f_i, double scale = 1) const {
    const double* const S = shares_.data() + arm * n_ * n_;
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c < n_; ++c) f_i[r] += scale * S[r * n_ + c] * f[c];
  }

 private:
  int n_ = 0;
  std::vector<double> shares_;  // W_i^-1 (sum_j W_j^-1)^-1 of each arm, by rows
};

}  // namespace torsor
