#include "torsor/control/arms/force_sharing.hpp"

#include "torsor/linear/cholesky.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

Matrix inverse_of(const Matrix& a, const std::string& which) {
  Cholesky factors(a.rows());
  if (!factors.factorise(a))
    throw Error("force sharing: " + which + " is not symmetric positive definite");
  Matrix inverse(a.rows(), a.rows());
  factors.inverse(inverse);
  return inverse;
}

}  // namespace

ForceSharing::ForceSharing(int n, const std::vector<Gain>& weights) : n_(n) {
  std::vector<Matrix> inverses;
  Matrix sum(n, n);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string which = "W of arm " + std::to_string(i + 1);
    weights[i].check("force sharing", which.c_str(), n);
    if (!(weights[i].asymmetry() <= 1e-12 * weights[i].largest_eigenvalue()))
      throw Error("force sharing: " + which + " is not symmetric positive definite");
    inverses.push_back(inverse_of(weights[i].matrix(), which));
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) sum(r, c) += inverses.back()(r, c);
  }
  sum = inverse_of(sum, "the sum of W^-1");
  for (const Matrix& inverse : inverses) {
    const Matrix share = product(inverse, sum);
    shares_.insert(shares_.end(), share.entries().begin(), share.entries().end());
  }
}

}  // namespace torsor
