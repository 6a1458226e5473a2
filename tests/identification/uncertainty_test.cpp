// What intervals promise: how often they contain the truth, under white and coloured noise.
#include "torsor/identification/uncertainty.hpp"

#include <gtest/gtest.h>

#include "identification/made_log.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/residual_tests.hpp"
#include "torsor/math/error.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::testing {
namespace {

struct Coverage {
  double classical = 0, bootstrap = 0, percentile = 0, least = 1;
};
Coverage coverage(const MadeLog& made, int seeds) {
  Coverage c;
  Array<double> each(5, 0.0);
  const double part = 1.0 / (5 * seeds);
  for (int seed = 1; seed <= seeds; ++seed) {
    const CompressedLog log = made.log(static_cast<unsigned>(seed));
    const Estimate e = least_squares(log);
    const Uncertainty u = block_bootstrap(log, e, {.seed = static_cast<unsigned>(seed)});
    for (int k = 0; k < 5; ++k) {
      const double x = made.x[k];
      c.classical += std::abs(e.x[k] - x) < 1.96 * e.sigma[k] ? part : 0;
      c.bootstrap += u.low[k] < x && x < u.high[k] ? part : 0;
      c.percentile += u.percentile_low[k] < x && x < u.percentile_high[k] ? part : 0;
      each[k] += u.low[k] < x && x < u.high[k] ? 1.0 / seeds : 0;
    }
  }
  c.least = *std::min_element(each.begin(), each.end());
  return c;
}

TEST(Uncertainty, both_intervals_cover_under_white_noise) {
  MadeLog made;
  made.noise = {0.5, 0.1};
  made.blocks = 40, made.rows = 10;
  const Coverage c = coverage(made, 200);
  EXPECT_NEAR(c.classical, 0.95, 0.02);
  EXPECT_NEAR(c.bootstrap, 0.95, 0.02);
  EXPECT_GE(c.least, 0.89);
  EXPECT_GE(c.percentile, 0.90);
}

TEST(Uncertainty, under_coloured_noise_the_bootstrap_covers_and_classical_intervals_do_not) {
  MadeLog made;
  made.noise = {0.5, 0.1};
  made.memory = made.drift = 0.95;
  made.blocks = 40, made.rows = 100;
  const Coverage c = coverage(made, 100);
  EXPECT_LT(c.classical, 0.6);
  EXPECT_GE(c.bootstrap, 0.91);
  EXPECT_LE(c.bootstrap, 0.98);
  // And it is said: by the inflation of the deviations, and by the residuals.
  const CompressedLog log = made.log(1);
  const Estimate e = least_squares(log);
  const Uncertainty u = block_bootstrap(log, e);
  EXPECT_GT(u.inflation, 2);
  ASSERT_EQ(u.notes.size(), 1u);
  EXPECT_NE(u.notes[0].find("times the classical ones"), std::string::npos);
  Array<double> series;
  Array<int> joint;
  const auto rows = made.all_rows(1, &joint);
  for (int k = 0; k < rows.size(); ++k) {
    if (joint[k] != 0) continue;
    double r = rows[k][5];
    for (int i = 0; i < 5; ++i) r -= rows[k][i] * e.x[i];
    series.push_back(r);
  }
  EXPECT_FALSE(whiteness(series).white);
}

TEST(Uncertainty, a_draw_of_blocks_is_a_fit_of_these_blocks) {
  MadeLog made;
  made.noise = {0.5, 0.1};
  const CompressedLog log = made.log(3);
  const Estimate e = least_squares(log);
  const Uncertainty u = block_bootstrap(log, e, {.samples = 20, .seed = 7});
  std::mt19937_64 random(7);  // the first draw again
  Array<int> times(20, 0);
  for (int k = 0; k < 20; ++k) ++times[static_cast<int>(random() % 20u)];
  const Array<double> weights{1 / e.noise[0], 1 / e.noise[1]};
  CompressedLog drawn = log;
  for (int b = 0; b < 20; ++b)
    for (int j = 0; j < 2; ++j) {
      RowFactor many(6);
      if (times[b] > 0) many.add(log.factor(b, j), std::sqrt(times[b]));
      drawn.factor(b, j) = many;
    }
  const Estimate again = least_squares(drawn, {.weights = weights});
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(u.samples(0, k), again.x[k], 1e-9);
  EXPECT_NEAR((u.high[0] - u.low[0]) / (2 * u.sigma[0]), 2.093024, 1e-6);  // t of 19 degrees
  EXPECT_EQ(block_bootstrap(log, e, {.seed = 2}).sigma, block_bootstrap(log, e, {.seed = 2}).sigma);
}

TEST(Uncertainty, what_is_not_determined_has_no_interval) {
  MadeLog made;
  made.noise = {0.1, 0.1};
  made.change = [](int, int joint, Array<double>& row) {
    if (joint < 0) row[4] = row[0];
  };
  const CompressedLog log = made.log(4);
  const Estimate e = least_squares(log);
  const Uncertainty u = block_bootstrap(log, e);
  EXPECT_TRUE(std::isinf(u.sigma[4]) && std::isinf(u.high[4]));
  EXPECT_TRUE(std::isfinite(u.sigma[0]));
}

TEST(Uncertainty, motion_left_out_shows_white_noise_as_it_is) {
  MadeLog made;
  made.noise = {0.5, 0.1};
  made.blocks = 30;
  const CompressedLog log = made.log(5);
  const Estimate e = least_squares(log);
  const LeftOutMotion left = leave_motion_out(log, e, 0.999);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(left.noise[j], made.noise[j], 0.05 * made.noise[j]);
  EXPECT_LT(left.inflation, 1.5);
  EXPECT_NEAR(left.share, 1.0 / 30, 1e-9);
}

/// Columns follow a phase of the motion that comes again four times; the torque has a term without
/// column.
MadeLog with_model_error() {
  MadeLog made;
  made.noise = {0.02, 0.02};
  made.blocks = 32;
  made.change = [](int block, int joint, Array<double>& row) {
    const double phase = 2 * 3.14159265 * (block % 8) / 8;
    if (joint < 0) {
      for (int c = 0; c < 5; ++c) row[c] = 0.3 * row[c] + std::sin(phase + c) + std::cos(2 * phase);
    } else {
      row[5] += 0.3 * std::tanh(3 * row[0]) * row[1];
    }
  };
  return made;
}

TEST(Uncertainty, motion_left_out_shows_the_error_of_the_model) {
  const CompressedLog log = with_model_error().log(6);
  const Estimate e = least_squares(log);
  const LeftOutMotion alike = leave_motion_out(log, e, 0.5), single = leave_motion_out(log, e, 1);
  EXPECT_GT(alike.share, 3.5 / 32);  // at least the four that are alike
  EXPECT_NEAR(single.share, 1.0 / 32, 1e-9);
  EXPECT_GT(alike.noise[0], 1.2 * single.noise[0]);  // their likeness had hidden it
  EXPECT_GT(alike.inflation, 2);
}

TEST(Uncertainty, intervals_of_torque_hold_along_another_motion) {
  MadeLog made = with_model_error();
  const CompressedLog log = made.log(7);
  const Estimate e = least_squares(log);
  const LeftOutMotion left = leave_motion_out(log, e);
  const Array<double> prior(5, 0.0), width(5, 5.0);
  const TorquePrediction prediction(log, e, left, prior, width);
  MadeLog other = made;  // other phases, another mixture
  other.change = [&](int block, int joint, Array<double>& row) {
    if (joint < 0)
      for (int c = 0; c < 5; ++c) row[c] = 0.8 * row[c] + std::cos(0.7 * block + 2 * c);
    else
      made.change(block, joint, row);
  };
  Array<int> joint;
  const auto rows = other.all_rows(8, &joint);
  Matrix W(2, 5);
  Array<double> mean(2), half(2);
  int inside = 0;
  for (int k = 0; k + 1 < rows.size(); k += 2) {
    for (int j = 0; j < 2; ++j)
      for (int c = 0; c < 5; ++c) W(j, c) = rows[k + j][c];
    prediction.predict(W, mean, half);
    for (int j = 0; j < 2; ++j) inside += std::abs(rows[k + j][5] - mean[j]) < half[j];
  }
  EXPECT_GE(inside, 0.9 * rows.size());
}

TEST(Uncertainty, where_the_data_is_silent_the_prior_says_how_wide) {
  MadeLog made;
  made.noise = {0.1, 0.1};
  made.change = [](int, int joint, Array<double>& row) {
    if (joint < 0) row[4] = 0;
  };
  const CompressedLog log = made.log(9);
  const Estimate e = least_squares(log);
  const Array<double> prior{0.0, 0.0, 0.0, 0.0, 2.0}, width{10.0, 10.0, 10.0, 10.0, 0.7};
  TorquePrediction prediction(log, e, leave_motion_out(log, e, 0.999), prior, width);
  EXPECT_NEAR(prediction.x()[4], 2, 1e-9);
  EXPECT_NEAR(prediction.deviation(Array<double>{0.0, 0.0, 0.0, 0.0, 3.0}), 2.1, 1e-9);
  EXPECT_LT(prediction.deviation(Array<double>{1.0, 0.0, 0.0, 0.0, 0.0}), 0.02);
  // Another mean: how far it is from the data's counts.
  Matrix W(2, 5);
  W(0, 0) = 1;
  Array<double> mean(2), half(2), wide(2);
  prediction.predict(W, mean, half);
  Array<double> x = prediction.x();
  x[0] += 1;
  prediction.set_mean(x);
  prediction.predict(W, mean, wide);
  EXPECT_NEAR(mean[0], x[0], 1e-12);
  EXPECT_NEAR(wide[0] * wide[0] - half[0] * half[0], 1.959964 * 1.959964, 1e-4);
  EXPECT_NEAR(wide[1], half[1], 1e-12);
}

TEST(Uncertainty, widths_of_priors_have_the_units_of_their_parameters) {
  CompressedLog log;
  log.joints = {"j"};
  for (const char* word : internal::parameter_words)
    log.names.push_back("link." + std::string(word));
  log.names.emplace_back("j.viscous");
  log.add_block(0);
  Array<double> row(12, 0.0);
  row[10] = 2, row[11] = 6;
  log.factor(0, 0).add(row);
  // 4 kg, int r^2 dm = (0.3 + 0.3 + 0.12) / 2 = 0.36: radius 0.3.
  const Array<double> prior{4.0, 0.0, 0.0, 0.0, 0.3, 0.0, 0.3, 0.0, 0.0, 0.12, 0.1};
  const Array<double> width = prior_width(log, prior, 0.5);
  EXPECT_NEAR(width[0], 2, 1e-12);
  EXPECT_NEAR(width[1], 0.6, 1e-12);
  EXPECT_NEAR(width[5], 0.18, 1e-12);
  EXPECT_NEAR(width[10], 1.5, 1e-12);  // half of 6 / 2
}

TEST(Uncertainty, what_is_refused) {
  MadeLog made;
  made.noise = {0.1, 0.1};
  const CompressedLog log = made.log(1);
  const Estimate e = least_squares(log);
  EXPECT_THROW((void)block_bootstrap(log, e, {.samples = 3}), Error);
  MadeLog few = made;
  few.blocks = 5;
  EXPECT_THROW((void)block_bootstrap(few.log(1), e), Error);
  EXPECT_THROW((void)leave_motion_out(few.log(1), e), Error);
  const Array<double> prior(5, 0.0), none(5, 0.0), wide(5, 1.0);
  const LeftOutMotion left = leave_motion_out(log, e);
  EXPECT_THROW(TorquePrediction(log, e, left, prior, none), Error);
  EXPECT_THROW(TorquePrediction(log, e, left, Array<double>{1.0}, wide), Error);
}

}  // namespace
}  // namespace torsor::testing
