// Huo 2005, section 2.5.III: stacked least squares and the method joint by joint, on its robots.
#include "torsor/identification/joint_by_joint.hpp"

#include <gtest/gtest.h>

#include <map>

#include "dynamics/golden_ch2_robots.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/math/error.hpp"

namespace torsor::testing {
namespace {

/// Samples k = 0 ... 59: q_i = sin(1.3 k + 0.7 i), qd_i = cos(0.9 k + 1.1 i), qdd_i = sin(2.1 k -
/// 0.5 i).
struct Samples {
  CompressedLog log;       // the columns asked for
  Array<int> joint;        // of each column
  double frobenius = 0;    // of all columns
  Array<double> true_x{};  // regrouped where the columns are base parameters
};

Samples sampled(const Model<double>& model, const Array<int>& columns, double noise = 0) {
  const int n = model.n_v(), all = 10 * n;
  const std::vector<double> p = parameters(model);
  const std::vector<std::string> names = parameter_names(model);
  Samples made;
  for (const int c : columns) {
    made.log.names.push_back(names[static_cast<std::size_t>(c)]);
    made.joint.push_back(c / 10);
  }
  for (int j = 0; j < n; ++j) made.log.joints.push_back(model.dof_name(j));
  made.log.add_block(0);
  RegressorWorkspace<double> ws(model);
  Matrix Y(n, all);
  Array<double> q(n), qd(n), qdd(n), row(columns.size() + 1);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 60; ++k) {
    for (int i = 1; i <= n; ++i) {
      q[i - 1] = std::sin(1.3 * k + 0.7 * i);
      qd[i - 1] = std::cos(0.9 * k + 1.1 * i);
      qdd[i - 1] = std::sin(2.1 * k - 0.5 * i);
    }
    torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
    for (int j = 0; j < n; ++j) {
      double tau = noise * normal(random);
      for (int c = 0; c < all; ++c) {
        tau += Y(j, c) * p[static_cast<std::size_t>(c)];
        made.frobenius += Y(j, c) * Y(j, c);
      }
      for (int c = 0; c < columns.size(); ++c) row[c] = Y(j, columns[c]);
      row[columns.size()] = tau;
      made.log.factor(0, j).add(row);
    }
  }
  made.frobenius = std::sqrt(made.frobenius);
  return made;
}

struct Expected {
  const char* robot;
  std::vector<int> ranks;  // of the blocks, first link to last
  double largest, smallest, frobenius;
};
const std::vector<Expected> table_a5 = {
    {"DDARM_MDH", {1, 7, 7}, 78.1515918569358, 1.90387308426933, 121.254750024594},
    {"STANFORD_MDH", {1, 7, 4, 7, 7, 7}, 123.44534835618, 1.74286152164985, 269.917887121246},
    {"SCARA_MDH", {1, 3, 1, 3}, 76.2467657594015, 2.22601011091474, 114.978210772089},
    {"PUMA560_MDH", {1, 7, 7, 7, 7, 7}, 129.846235818488, 1.55382164427706, 304.328770641036},
    {"MIXA_MDH", {1, 3, 3, 7, 4}, 145.307343451603, 0.712049506657098, 258.407358976666},
    {"MIXB_MDH", {1, 1, 3, 3}, 107.891851445657, 3.64869253221361, 135.47363859512},
    {"TWO_R_MDH", {3, 3}, 96.8360756118083, 3.86856339758089, 136.311668403827},
};

TEST(JointByJointGolden, D_28_stacked_least_squares_give_the_base_parameters) {
  for (const Expected& expected : table_a5) {
    const Model<double> model(from_dh(golden_robot(expected.robot).table()));
    const BaseParameters base = base_parameters(model);
    const Samples made = sampled(model, base.kept);
    EXPECT_NEAR(made.frobenius, expected.frobenius, 1e-11 * made.frobenius) << expected.robot;
    const Matrix R = stacked(made.log).R();
    const int n = base.size();
    Matrix columns(n, n);
    for (int r = 0; r < n; ++r)
      for (int c = r; c < n; ++c) columns(r, c) = R(r, c);
    Svd svd(n, n);
    svd.factorise(columns);
    EXPECT_NEAR(svd.largest(), expected.largest, 1e-11 * svd.largest()) << expected.robot;
    EXPECT_NEAR(svd.smallest(), expected.smallest, 1e-11 * svd.largest()) << expected.robot;
    const Estimate e = least_squares(made.log, {.weighted = false});
    const Array<double> b = base.values(all_parameters(model));
    ASSERT_EQ(e.base.size(), n);
    for (int k = 0; k < n; ++k) EXPECT_NEAR(e.x[k], b[k], 1e-11) << made.log.names[k];
  }
}

TEST(JointByJointGolden, D_29_from_the_last_joint_to_the_first) {
  for (const Expected& expected : table_a5) {
    const Model<double> model(from_dh(golden_robot(expected.robot).table()));
    const BaseParameters base = base_parameters(model);
    const Samples made = sampled(model, base.kept);
    const JointByJoint found = joint_by_joint_least_squares(made.log, made.joint);
    EXPECT_TRUE(found.sequential) << expected.robot;
    EXPECT_EQ(std::vector<int>(found.ranks.begin(), found.ranks.end()), expected.ranks);
    const Array<double> b = base.values(all_parameters(model));
    for (int k = 0; k < base.size(); ++k)
      EXPECT_NEAR(found.estimate.x[k], b[k], 1e-11) << expected.robot << made.log.names[k];
    EXPECT_LT(found.estimate.residual.all, 1e-9);
  }
}

TEST(JointByJointGolden, D_29_a_base_set_towards_the_hand_lacks_rank_and_is_solved_together) {
  const Model<double> model(from_dh(golden_robot("DDARM_DH").table()));
  const std::vector<std::string> names = parameter_names(model);
  Array<int> columns;
  for (const char* name : {"link_2.xy", "link_2.xz", "link_2.yz", "link_2.zz", "link_2.mx",
                           "link_3.xx", "link_3.xy", "link_3.xz", "link_3.yy", "link_3.yz",
                           "link_3.zz", "link_3.mx", "link_3.my", "link_3.mz", "link_3.m"})
    columns.push_back(
        static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
  const Samples made = sampled(model, columns);
  const JointByJoint found = joint_by_joint_least_squares(made.log, made.joint);
  EXPECT_FALSE(found.sequential);
  EXPECT_EQ(found.sizes[2], 10);
  EXPECT_EQ(found.ranks[2], 7);
  ASSERT_EQ(found.estimate.notes.size(), 1u);
  EXPECT_EQ(
      found.estimate.notes[0],
      "the block of joint joint_3 has 10 columns but rank 7: all joints were solved together");
  EXPECT_EQ(found.estimate.base.size(), 15);
  EXPECT_LT(found.estimate.residual.all, 1e-9);  // together they are exact
}

TEST(JointByJoint, deviations_carry_the_errors_of_the_joints_behind) {
  const Model<double> model(from_dh(golden_robot("TWO_R_MDH").table()));
  const BaseParameters base = base_parameters(model);
  // Many noises on the same rows: the scatter of the estimates is what sigma says.
  const int tries = 300;
  Array<double> mean(base.size(), 0.0), square(base.size(), 0.0), sigma(base.size(), 0.0);
  const Samples clean = sampled(model, base.kept);
  const int N = base.size();
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int t = 0; t < tries; ++t) {
    CompressedLog log = clean.log;  // noise in the coordinates of the factors, and below
    for (int j = 0; j < 2; ++j) {
      const Matrix& R = clean.log.factor(0, j).R();
      RowFactor noisy(N + 1);
      Array<double> row(N + 1);
      for (int r = 0; r < 60; ++r) {
        for (int c = 0; c <= N; ++c) row[c] = r <= c && r <= N ? R(r, c) : 0;
        row[N] += 0.1 * normal(random);
        noisy.add(row);
      }
      log.factor(0, j) = noisy;
    }
    const JointByJoint found = joint_by_joint_least_squares(log, clean.joint);
    ASSERT_TRUE(found.sequential);
    for (int k = 0; k < N; ++k) {
      mean[k] += found.estimate.x[k] / tries;
      square[k] += found.estimate.x[k] * found.estimate.x[k] / tries;
      sigma[k] += found.estimate.sigma[k] / tries;
    }
  }
  for (int k = 0; k < N; ++k)
    EXPECT_NEAR(std::sqrt(square[k] - mean[k] * mean[k]), sigma[k], 0.15 * sigma[k])
        << clean.log.names[k];
}

TEST(JointByJoint, rows_that_are_not_triangular_are_solved_together) {
  CompressedLog log;
  log.names = {"a", "b"}, log.joints = {"j1", "j2"};
  log.add_block(0);
  for (int k = 1; k < 5; ++k) {
    log.factor(0, 0).add(Array<double>{1.0 * k, 1.0, 2.0 * k + 3});
    log.factor(0, 1).add(Array<double>{0.5, 1.0 * k, 1.0 + 3 * k});
  }
  const Array<int> joint{0, 1};
  const JointByJoint found = joint_by_joint_least_squares(log, joint);
  EXPECT_FALSE(found.sequential);
  EXPECT_EQ(found.estimate.notes[0],
            "a of joint j1 moves the torque of joint j2: all joints were solved together");
  EXPECT_NEAR(found.estimate.x[0], 2, 1e-12);
  EXPECT_NEAR(found.estimate.x[1], 3, 1e-12);
  EXPECT_THROW((void)joint_by_joint_least_squares(log, Array<int>{0, 2}), Error);
  EXPECT_THROW((void)joint_by_joint_least_squares(log, Array<int>{0}), Error);
}

}  // namespace
}  // namespace torsor::testing
