// Least squares on factors against the rows they came from, and against what statistics promises.
#include "torsor/identification/least_squares.hpp"

#include <gtest/gtest.h>

#include "identification/made_log.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/math/error.hpp"

namespace torsor::testing {
namespace {

/// (W^T W)^-1 W^T tau of the rows themselves, columns 0 ... n - 1, tau in column n.
Array<double> normal_equations(const Array<Array<double>>& rows, int n, In<double> weight,
                               In<int> joint) {
  Matrix A(n, n);
  Array<double> b(n, 0.0);
  for (int k = 0; k < rows.size(); ++k) {
    const double w = weight[joint[k]] * weight[joint[k]];
    for (int r = 0; r < n; ++r) {
      b[r] += w * rows[k][r] * rows[k][n];
      for (int c = 0; c < n; ++c) A(r, c) += w * rows[k][r] * rows[k][c];
    }
  }
  Cholesky factor(n);
  EXPECT_TRUE(factor.factorise(A));
  factor.solve(b);
  return b;
}
void expect_near(const Array<double>& x, const Array<double>& y, double tolerance) {
  ASSERT_EQ(x.size(), y.size());
  for (int k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], tolerance) << k;
}

TEST(LeastSquares, noiseless_rows_give_their_parameters) {
  const MadeLog made;
  for (const bool weighted : {false, true}) {
    const Estimate e = least_squares(made.log(1), {.weighted = weighted});
    expect_near(e.x, made.x, 1e-10);
    EXPECT_LT(e.residual.all, 1e-8);
    EXPECT_EQ(e.base.size(), 5);
    EXPECT_TRUE(e.undetermined().empty());
  }
}

TEST(LeastSquares, ordinary_is_the_solution_of_the_normal_equations) {
  MadeLog made;
  made.noise = {0.3, 0.3};
  Array<int> joint;
  const auto rows = made.all_rows(2, &joint);
  const Estimate e = least_squares(made.log(2), {.weighted = false});
  expect_near(e.x, normal_equations(rows, 5, Array<double>{1.0, 1.0}, joint), 1e-12);
  double residual = 0, tau = 0;
  for (const auto& row : rows) {
    double r = row[5];
    for (int c = 0; c < 5; ++c) r -= row[c] * e.x[c];
    residual += r * r, tau += row[5] * row[5];
  }
  EXPECT_NEAR(e.residual.all, 100 * std::sqrt(residual / tau), 1e-9);
  EXPECT_EQ(e.rows, rows.size());
}

TEST(LeastSquares, weights_of_joints_and_their_noise_agree) {
  MadeLog made;
  made.noise = {0.01, 2};
  made.rows = 200;
  Array<int> joint;
  const auto rows = made.all_rows(3, &joint);
  const Estimate e = least_squares(made.log(3));
  EXPECT_NEAR(e.noise[0], 0.01, 0.0005);
  EXPECT_NEAR(e.noise[1], 2, 0.1);
  const Array<double> weights{1 / e.noise[0], 1 / e.noise[1]};
  expect_near(e.x, normal_equations(rows, 5, weights, joint), 1e-8);
  const Estimate plain = least_squares(made.log(3), {.weighted = false});
  EXPECT_LT(e.sigma[0], 0.05 * plain.sigma[0]);
}

TEST(LeastSquares, a_column_that_depends_on_others_is_named_and_regrouped) {
  MadeLog made;
  made.noise = {0.01, 0.01};
  made.change = [](int, int joint, Array<double>& row) {
    if (joint < 0) row[3] = 2 * row[0] - 0.5 * row[1], row[4] = 0;
  };
  const Estimate e = least_squares(made.log(4));
  EXPECT_EQ(e.undetermined(), (std::vector<std::string>{"d", "e"}));
  EXPECT_FALSE(e.determined(3));
  EXPECT_EQ(e.x[3], 0);
  EXPECT_TRUE(std::isinf(e.sigma[3]));
  EXPECT_EQ(e.base.roles[4], ParameterRole::ineffective);
  EXPECT_EQ(e.base.formula(0, 4), "a + 2 d");
  EXPECT_NEAR(e.x[0], made.x[0] + 2 * made.x[3], 5 * e.sigma[0]);
  EXPECT_NEAR(e.x[1], made.x[1] - 0.5 * made.x[3], 5 * e.sigma[1]);
  // Another order keeps another set.
  const Array<int> order{3, 4, 2, 1, 0};
  const Estimate other = least_squares(made.log(4), {.order = order});
  EXPECT_EQ(other.undetermined(), (std::vector<std::string>{"a", "e"}));
  EXPECT_NEAR(other.residual.all, e.residual.all, 1e-9);
}

TEST(LeastSquares, classical_intervals_cover_under_white_noise) {
  MadeLog made;
  made.noise = {0.5, 0.1};
  const int seeds = 200;
  Array<int> covered(5, 0);
  int all = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Estimate e = least_squares(made.log(seed));
    for (int k = 0; k < 5; ++k)
      if (std::abs(e.x[k] - made.x[k]) < 1.96 * e.sigma[k]) ++covered[k], ++all;
  }
  EXPECT_NEAR(all / (5.0 * seeds), 0.95, 0.02);
  for (int k = 0; k < 5; ++k) EXPECT_GE(covered[k], 0.89 * seeds) << k;
}

TEST(LeastSquares, the_noise_of_few_rows_has_no_bias) {
  MadeLog made;
  made.noise = {0.5, 0.5};
  made.blocks = 3, made.rows = 4;  // 12 rows of each joint for 5 unknowns
  double variance = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const Estimate e = least_squares(made.log(seed), {.weighted = false});
    for (int j = 0; j < 2; ++j) variance += e.noise[j] * e.noise[j] / 800;
  }
  EXPECT_NEAR(variance, 0.25, 0.02);  // 0.2 if rows alone were counted
}

TEST(LeastSquares, a_prior_decides_where_the_data_does_not) {
  MadeLog made;
  made.noise = {0.1, 0.1};
  made.change = [](int, int joint, Array<double>& row) {
    if (joint < 0) row[4] = 0;
  };
  LeastSquaresOptions options;
  options.weights = {10.0, 10.0};
  options.prior = {0.0, 0.0, 0.0, 0.0, 0.3};
  options.width = {1.0, 1.0, 1.0, 1.0, 0.2};
  const Estimate e = least_squares(made.log(5), options);
  EXPECT_NEAR(e.x[4], 0.3, 1e-12);
  EXPECT_NEAR(e.sigma[4], 0.2, 1e-12);
  Array<int> joint;
  auto rows = made.all_rows(5, &joint);
  for (auto& row : rows)
    for (double& v : row) v *= 10;
  for (int k = 0; k < 5; ++k) {
    Array<double> row(6, 0.0);
    row[k] = 1 / options.width[k], row[5] = options.prior[k] / options.width[k];
    rows.push_back(row), joint.push_back(0);
  }
  expect_near(e.x, normal_equations(rows, 5, Array<double>{1.0, 1.0}, joint), 1e-10);
}

TEST(LeastSquares, total_is_the_singular_vector_of_the_rows) {
  MadeLog made;
  made.noise = {0.2, 0.2};
  const auto rows = made.all_rows(6);
  Matrix all(rows.size(), 6);
  Array<double> length(6, 0.0);
  for (const auto& row : rows)
    for (int c = 0; c < 6; ++c) length[c] += row[c] * row[c];
  for (int r = 0; r < rows.size(); ++r)
    for (int c = 0; c < 6; ++c) all(r, c) = rows[r][c] / std::sqrt(length[c]);
  Svd svd(all.rows(), 6);
  svd.factorise(all);
  const Estimate e = total_least_squares(made.log(6), {.weighted = false});
  for (int k = 0; k < 5; ++k)
    EXPECT_NEAR(e.x[k], -svd.right(k, 5) / svd.right(5, 5) * std::sqrt(length[5] / length[k]),
                1e-9);
}

TEST(LeastSquares, total_has_no_bias_where_columns_are_noisy_too) {
  MadeLog made;
  made.x = {1.0, 1.0, 1.0, 1.0, 1.0};
  made.rows = 500;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  made.change = [&](int, int joint, Array<double>& row) {  // equal noise in all scaled columns
    if (joint < 0) return;
    for (int c = 0; c < 5; ++c) row[c] += 0.3 * normal(random);
    row[5] += 0.3 * std::sqrt(5.0) * normal(random);
  };
  const CompressedLog log = made.log(7);
  const Estimate total = total_least_squares(log, {.weighted = false});
  const Estimate plain = least_squares(log, {.weighted = false});
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(total.x[k], 1, 0.03);
    EXPECT_NEAR(plain.x[k], 1 / 1.09, 0.03);  // attenuated by 1 + 0.3^2
  }
}

TEST(LeastSquares, robust_rows_forget_outliers) {
  MadeLog made;
  made.noise = {0.05, 0.05};
  int count = 0;
  made.change = [&count](int, int joint, Array<double>& row) {
    if (joint >= 0 && ++count % 9 == 0) row[5] += 20 * row[0] + 5;
  };
  const auto source = [&](const std::function<void(int, In<double>)>& visit) {
    Array<int> joint;
    count = 0;
    const auto rows = made.all_rows(8, &joint);
    for (int k = 0; k < rows.size(); ++k) visit(joint[k], rows[k]);
  };
  const double clean = [&] {
    MadeLog same = made;
    same.change = nullptr;
    return least_squares(same.log(8)).sigma[0];
  }();
  count = 0;
  const Estimate plain = least_squares(made.log(8));
  EXPECT_GT(std::abs(plain.x[0] - made.x[0]), 10 * clean);
  const Estimate tukey = robust_least_squares(made.names, made.joints, source, RobustLoss::tukey);
  const Estimate huber = robust_least_squares(made.names, made.joints, source, RobustLoss::huber);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(tukey.x[k], made.x[k], 5 * clean) << k;
    EXPECT_NEAR(huber.x[k], made.x[k], 15 * clean) << k;
  }
  EXPECT_NE(tukey.notes.back().find(" of 1200 rows count less than half"), std::string::npos);
}

TEST(LeastSquares, robust_blocks_forget_a_stretch_that_went_wrong) {
  MadeLog made;
  made.noise = {0.05, 0.05};
  made.change = [](int block, int joint, Array<double>& row) {
    if (joint == 1 && block == 7) row[5] += 10 * row[2] + 5;
  };
  const Estimate e = robust_least_squares(made.log(9));
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(e.x[k], made.x[k], 0.02) << k;
  ASSERT_EQ(e.notes.size(), 1u);
  EXPECT_EQ(e.notes[0], "joint j2, block 8 counts less than half");
  EXPECT_GT(std::abs(least_squares(made.log(9), {.weighted = false}).x[2] - made.x[2]), 0.1);
}

TEST(LeastSquares, the_residual_of_a_model_is_that_of_its_rows) {
  MadeLog made;
  made.noise = {0.4, 0.1};
  const Array<double> x{0.9, -1.9, 0.4, 3.1, -0.5};
  Array<int> joint;
  const auto rows = made.all_rows(10, &joint);
  double square[2] = {}, tau[2] = {};
  for (int k = 0; k < rows.size(); ++k) {
    double r = rows[k][5];
    for (int c = 0; c < 5; ++c) r -= rows[k][c] * x[c];
    square[joint[k]] += r * r, tau[joint[k]] += rows[k][5] * rows[k][5];
  }
  const Residual found = residual(made.log(10), x);
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(found.joints[j], 100 * std::sqrt(square[j] / tau[j]), 1e-9);
  EXPECT_NEAR(found.all, 100 * std::sqrt((square[0] + square[1]) / (tau[0] + tau[1])), 1e-9);
}

TEST(LeastSquares, what_is_refused) {
  const MadeLog made;
  CompressedLog empty;
  empty.names = made.names, empty.joints = made.joints;
  EXPECT_THROW(least_squares(empty), Error);
  EXPECT_THROW(least_squares(made.log(1), {.prior = Array<double>{1.0}}), Error);
  EXPECT_THROW(least_squares(made.log(1), {.weights = Array<double>{1.0}}), Error);
  EXPECT_THROW(residual(made.log(1), Array<double>{1.0}), Error);
  MadeLog broken;
  broken.change = [](int block, int joint, Array<double>& row) {
    if (block == 3 && joint == 0) row[1] = std::nan("");
  };
  try {
    (void)least_squares(broken.log(1));
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "identification: joint j1, block 4: a number is not finite");
  }
}

}  // namespace
}  // namespace torsor::testing
