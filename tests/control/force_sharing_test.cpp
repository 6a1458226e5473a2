/// (3-161) is where no other distribution is cheaper.
#include "torsor/control/arms/force_sharing.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/allocation_counter.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

Gain weight(int n, unsigned seed) {
  std::srand(seed);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(n, n);
  const Eigen::MatrixXd W = A * A.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n);
  return Gain::full(n, {W.data(), W.data() + n * n});
}
Eigen::MatrixXd dense(const Gain& W) {
  Eigen::MatrixXd D(W.size(), W.size());
  for (int r = 0; r < W.size(); ++r)
    for (int c = 0; c < W.size(); ++c) D(r, c) = W(r, c);
  return D;
}

TEST(ForceSharing, X_3_23_shares_sum_to_the_force_and_satisfy_the_kkt_conditions) {
  for (const int n : {1, 3, 6})
    for (const int arms : {2, 3, 5}) {
      std::vector<Gain> W;
      for (int k = 0; k < arms; ++k) W.push_back(weight(n, static_cast<unsigned>(10 * n + k)));
      const ForceSharing sharing(n, W);
      ASSERT_EQ(sharing.n_arms(), arms);
      const Eigen::VectorXd f = Eigen::VectorXd::LinSpaced(n, -3, 4);
      Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n, arms);
      for (int k = 0; k < arms; ++k) sharing.add_share(k, f, View<double>(F.col(k).data(), n));
      EXPECT_LT((F.rowwise().sum() - f).norm(), 1e-12);
      const Eigen::VectorXd mu = 2 * dense(W[0]) * F.col(0);  // 2 W F = U^T mu
      for (int k = 0; k < arms; ++k)
        EXPECT_LT((2 * dense(W[static_cast<std::size_t>(k)]) * F.col(k) - mu).norm(),
                  1e-11 * (1 + mu.norm()));
      // (3-161) with matrices
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
      for (const Gain& w : W) sum += dense(w).inverse();
      for (int k = 0; k < arms; ++k)
        EXPECT_LT(
            (dense(W[static_cast<std::size_t>(k)]).inverse() * sum.inverse() * f - F.col(k)).norm(),
            1e-11);
    }
}

TEST(ForceSharing, X_3_23_no_feasible_distribution_is_cheaper) {
  const int n = 3, arms = 3;
  const std::vector<Gain> W{weight(n, 1), weight(n, 2), weight(n, 3)};
  const ForceSharing sharing(n, W);
  const Eigen::Vector3d f(10, -4, 2);
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n, arms);
  for (int k = 0; k < arms; ++k) sharing.add_share(k, f, View<double>(F.col(k).data(), n));
  const auto cost = [&](const Eigen::MatrixXd& x) {
    double sum = 0;
    for (int k = 0; k < arms; ++k)
      sum += x.col(k).dot(dense(W[static_cast<std::size_t>(k)]) * x.col(k));
    return sum;
  };
  std::srand(7);
  for (int sample = 0; sample < 1000; ++sample) {
    Eigen::MatrixXd other = F + Eigen::MatrixXd::Random(n, arms);
    other.col(0) += f - other.rowwise().sum();
    EXPECT_GE(cost(other), cost(F) - 1e-12);
  }
}

TEST(ForceSharing, multiples_of_one_weight_share_along_the_force) {
  const ForceSharing sharing(3, {Gain::uniform(3, 1), Gain::uniform(3, 2)});
  const double f[3] = {0, 0, -10};
  double one[3] = {}, two[3] = {};
  sharing.add_share(0, f, one);
  sharing.add_share(1, f, two);
  EXPECT_NEAR(one[2], -6.6667, 1e-4);  // G3.13
  EXPECT_NEAR(two[2], -3.3333, 1e-4);
  EXPECT_EQ(one[0], 0);
}

TEST(ForceSharing, refuses_weights_that_have_no_minimum) {
  EXPECT_THROW(ForceSharing(2, {Gain({1, 1}), Gain({1, -1})}), Error);
  EXPECT_THROW(ForceSharing(2, {Gain({1, 1}), Gain({1, 0})}), Error);
  EXPECT_THROW(ForceSharing(2, {Gain({1, 1}), Gain::full(2, {1, 0.5, 0, 1})}), Error);
  EXPECT_THROW(ForceSharing(2, {Gain({1, 1}), Gain({1, 1, 1})}), Error);
}

TEST(ForceSharing, a_call_allocates_nothing) {
  const ForceSharing sharing(3, {Gain::uniform(3, 1), weight(3, 4)});
  double f[3] = {1, 2, 3}, own[3] = {};
  const testing::AllocationCounter counter;
  sharing.add_share(1, f, own);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
