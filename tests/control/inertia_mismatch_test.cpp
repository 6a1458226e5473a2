/// How far a believed inertia matrix can be off: closed forms, lemma 3-3, and robots inside the
/// corners.
#include "torsor/control/uncertain/inertia_mismatch.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "control/textbook_bounds.hpp"
#include "torsor/control/uncertain/disturbance_bound.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

Model<double> with_inertia_times(const Model<double>& model, double factor) {
  return with_parameters(model, testing::times(factor, parameters(model)));
}

TEST(InertiaMismatch, of_a_robot_that_is_heavier_all_over_is_the_share_that_is_missing) {
  for (const char* robot : {"planar2r", "ddarm", "ur5"}) {
    const Model<double> believed = load_robot(robot);
    const InertiaMismatch m = inertia_mismatch(
        believed, {with_inertia_times(believed, 1.25), with_inertia_times(believed, 0.9)},
        {.samples = 32});
    const int n = believed.n_v();
    // H^-1 Hhat - I = 1 / f - 1: -0.2 and 1/9
    EXPECT_NEAR(m.alpha, 0.2, 1e-9) << robot;
    EXPECT_NEAR(m.spectral_radius(), 0.2, 1e-8) << robot;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        EXPECT_NEAR(m.A[static_cast<std::size_t>(r * n + c)], r == c ? 0.2 : 0, 1e-8) << robot;
    EXPECT_NEAR(m.alpha_2, 1 / (0.9 * inertia_bounds(believed).smallest), 1e-3 * m.alpha_2)
        << robot;
    EXPECT_EQ(m.robots, 2);
    EXPECT_FALSE(m.indefinite);
  }
}

/// A climb for each of 38 x 38 entries of two matrices would take minutes.
TEST(InertiaMismatch, of_a_humanoid_takes_seconds) {
  const Model<double> believed = load_robot("humanoid38");
  const std::clock_t start = std::clock();
  const InertiaMismatch m =
      inertia_mismatch(believed, {with_inertia_times(believed, 1.25)}, {.samples = 8});
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20);
  EXPECT_NEAR(m.alpha, 0.2, 1e-7);
  EXPECT_NEAR(m.A[0], 0.2, 1e-7);
}

TEST(InertiaMismatch, X_3_18_lemma_3_3_is_sharp_on_the_two_link_arm) {
  const Model<double> arm = load_robot("planar2r");
  const ConstantInertia best = constant_inertia(inertia_bounds(arm));
  EXPECT_NEAR(best.inertia, 0.1296296, 5e-8);
  EXPECT_NEAR(best.alpha, 0.9558139, 5e-8);
  const InertiaMismatch m = inertia_mismatch(arm, {arm}, {.constant_inertia = best.inertia});
  EXPECT_NEAR(m.alpha, best.alpha, 1e-9);
  EXPECT_NEAR(m.alpha_2, 15.0877, 5e-5);
  // any other constant is worse
  for (const double factor : {0.9, 1.1})
    EXPECT_GT(inertia_mismatch(arm, {arm}, {.constant_inertia = factor * best.inertia}).alpha,
              best.alpha + 1e-3);
}

/// Robots anywhere in the box, at any configuration, stay within what its corners told.
TEST(InertiaMismatch, corners_bound_the_robots_between_them) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> p = testing::r2_parameters(), a = testing::times(0.04, p);
  ParameterSet set(arm, testing::r2_names());
  const InertiaMismatch m = inertia_mismatch(set, a);
  EXPECT_EQ(m.robots, 8);  // b1 and b2 are in G alone
  unsigned long word = 5;
  const auto draw = [&] {
    word = word * 6364136223846793005ul + 1442695040888963407ul;
    return static_cast<double>(static_cast<long>(word)) * 0x1p-63;
  };
  double tightest = 0;
  for (int sample = 0; sample < 5000; ++sample) {
    const double a1 = p[0] + a[0] * draw(), a2 = p[1] + a[1] * draw(), a3 = p[2] + a[2] * draw();
    const double c2 = std::cos(3.2 * draw());
    // by hand: H of the section, inverse and product
    const double H[3] = {a1 + 2 * a2 * c2, a3 + a2 * c2, a3};
    const double hat[3] = {p[0] + 2 * p[1] * c2, p[2] + p[1] * c2, p[2]};
    const double det = H[0] * H[2] - H[1] * H[1];
    const double W[4] = {H[2] / det, -H[1] / det, -H[1] / det, H[0] / det};
    const double A[4] = {W[0] * hat[0] + W[1] * hat[1] - 1, W[0] * hat[1] + W[1] * hat[2],
                         W[2] * hat[0] + W[3] * hat[1], W[2] * hat[1] + W[3] * hat[2] - 1};
    for (std::size_t e = 0; e < 4; ++e) {
      ASSERT_LE(std::abs(A[e]), m.A[e] * (1 + 1e-9));
      ASSERT_LE(std::abs(W[e]), m.W[e] * (1 + 1e-9));
      tightest = std::max(tightest, std::abs(A[e]) / m.A[e]);
    }
  }
  EXPECT_GT(tightest, 0.8);
}

TEST(InertiaMismatch, parameters_beyond_ten_are_drawn_and_indefinite_boxes_are_told) {
  const Model<double> arm = load_robot("puma560");
  ParameterSet all(arm);
  const std::vector<double> values(all.values().begin(), all.values().end());
  std::vector<double> a;
  for (const double x : values) a.push_back(1e-3 * std::abs(x));
  const InertiaMismatch m = inertia_mismatch(all, a, {.samples = 8});
  EXPECT_EQ(m.robots, 1024);
  EXPECT_GT(m.alpha, 0);
  EXPECT_LT(m.alpha, 1);
  EXPECT_EQ(m.note(), "8 configurations and 1024 robots sampled");

  const Model<double> r2 = load_robot("planar2r");
  ParameterSet set(r2, testing::r2_names());
  const std::vector<double> wide = testing::times(0.9, testing::r2_parameters());
  const InertiaMismatch none = inertia_mismatch(set, wide);
  EXPECT_TRUE(none.indefinite);
  EXPECT_EQ(none.alpha, infinity);
  EXPECT_EQ(none.spectral_radius(), infinity);
  EXPECT_NE(none.note().find("indefinite"), std::string::npos);
  const DisturbanceBound bound(none, RegressorBound(r2, testing::r2_names()), wide);
  EXPECT_FALSE(all_satisfied(bound.conditions()));
  EXPECT_THROW(bound.check("law", 2), Error);
  EXPECT_THROW((void)inertia_mismatch(r2, {arm}), Error);
  const std::vector<double> one{0.1};
  EXPECT_THROW((void)inertia_mismatch(set, one), Error);
}

}  // namespace
}  // namespace torsor
