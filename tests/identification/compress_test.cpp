#include "torsor/identification/compress.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/identification/column_regressor.hpp"

namespace torsor {
namespace {

/// Drawn states with drawn torques.
struct Motion {
  Matrix q, qd, qdd, tau, load;

  Motion(const Model<double>& model, int samples, unsigned seed)
      : q(samples, model.n_q()), qd(samples, model.n_v()), qdd(qd), tau(qd), load(qd) {
    testing::Draw<double> draw(seed);
    std::vector<double> at(static_cast<std::size_t>(model.n_q()));
    for (int s = 0; s < samples; ++s) {
      random_configuration(model, seed * 1000 + static_cast<unsigned>(s), at);
      for (int c = 0; c < q.cols(); ++c) q(s, c) = at[static_cast<std::size_t>(c)];
      for (Matrix* m : {&qd, &qdd, &tau, &load})
        for (int c = 0; c < qd.cols(); ++c) (*m)(s, c) = draw();
    }
  }
  MotionSamples samples() const { return {q, qd, qdd, tau, load}; }
};

Model<double> small_arm() {
  return Model<double>(testing::random_tree(
      4, 4, {.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::spherical}}));
}

/// Row by row with the scalar regressor.
Matrix rows_of(const Model<double>& model, const ParameterColumns& columns, const Motion& motion) {
  const int n = model.n_v(), m = motion.q.rows();
  ColumnWorkspace<double> ws(model);
  Matrix W(n * m, columns.size()), one(n, columns.size());
  for (int s = 0; s < m; ++s) {
    const auto row = [s](const Matrix& of) {
      return In<double>(of.data() + s * of.cols(), of.cols());
    };
    torque_regressor(model, ws, columns, row(motion.q), row(motion.qd), row(motion.qdd), one,
                     row(motion.load));
    for (int v = 0; v < n; ++v)
      for (int c = 0; c < columns.size(); ++c) W(v * m + s, c) = one(v, c);
  }
  return W;
}

TEST(SampleRegressor, has_the_rows_of_every_sample_velocity_by_velocity) {
  const Model<double> model(testing::random_tree(3, 14));  // every joint kind
  const ParameterColumns columns(model, ColumnChoice{.asymmetry = true, .load = true});
  for (const int m : {1, 7, 16}) {
    const Motion motion(model, m, 5);
    const Matrix expected = rows_of(model, columns, motion);
    SampleWorkspace ws(model, columns);
    Matrix W(model.n_v() * m, columns.size());
    sample_regressor(model, ws, columns, motion.samples(), W);
    Array<double> by_columns(W.rows() * W.cols());
    const testing::AllocationCounter counter;
    sample_regressor(model, ws, columns, motion.samples(),
                     column_major(by_columns.data(), W.rows(), W.cols()));
    EXPECT_EQ(counter.count(), 0u);
    for (int r = 0; r < W.rows(); ++r)
      for (int c = 0; c < W.cols(); ++c) {
        ASSERT_NEAR(W(r, c), expected(r, c), 1e-13 * (1 + std::abs(expected(r, c))));
        ASSERT_EQ(W(r, c), by_columns[c * W.rows() + r]);
      }
  }
}

TEST(Compress, factors_are_those_of_the_rows_of_each_velocity_and_block) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model, ColumnChoice{.load = true});
  const Motion motion(model, 450, 3);
  const Matrix W = rows_of(model, columns, motion);
  const CompressedLog log = compress(model, columns, motion.samples(), {.block = 100});
  const int n = columns.size(), m = 450;
  ASSERT_EQ(log.n_unknowns(), n);
  ASSERT_EQ(log.n_joints(), model.n_v());
  ASSERT_EQ(log.n_blocks(), 5);
  EXPECT_EQ(log.joints[1], model.dof_name(1));
  EXPECT_EQ(log.names[5], columns.name(5));
  for (int b = 0; b < log.n_blocks(); ++b) {
    const int first = 100 * b, end = std::min(m, first + 100);
    EXPECT_EQ(log.log_of_block[b], 0);
    for (int v = 0; v < model.n_v(); ++v) {
      const RowFactor& f = log.factor(b, v);
      EXPECT_EQ(f.rows(), end - first);
      for (int i = 0; i <= n; i += 3)
        for (int j = 0; j <= n; ++j) {
          double expected = 0, found = 0;
          for (int s = first; s < end; ++s)
            expected += (i < n ? W(v * m + s, i) : motion.tau(s, v)) *
                        (j < n ? W(v * m + s, j) : motion.tau(s, v));
          for (int k = 0; k <= n; ++k) found += f.R()(k, i) * f.R()(k, j);
          ASSERT_NEAR(found, expected, 1e-9 * (1 + std::abs(expected))) << columns.name(i % n);
        }
    }
  }
}

TEST(Compress, rows_of_samples_added_by_hand_are_the_same_log) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model);
  const Motion motion(model, 300, 8);
  const CompressedLog log = compress(model, columns, motion.samples(), {.block = 300});
  CompressedLog by_hand;
  by_hand.names = log.names;
  by_hand.joints = log.joints;
  by_hand.add_block(0);
  SampleWorkspace ws(model, columns);
  for (const int first : {0, 150}) {
    const MotionSamples part = motion.samples().part(first, 150);
    Matrix W(150 * model.n_v(), columns.size());
    sample_regressor(model, ws, columns, part, W);
    by_hand.add_rows(W, part.tau);
  }
  for (int v = 0; v < model.n_v(); ++v) {
    const Matrix &A = log.factor(0, v).R(), &B = by_hand.factor(0, v).R();
    for (int r = 0; r < A.rows(); ++r)
      for (int c = 0; c < A.cols(); ++c)
        ASSERT_EQ(A(r, c), B(r, c)) << model.dof_name(v) << " " << r << ", " << c;
  }
}

void expect_same(const CompressedLog& a, const CompressedLog& b) {
  ASSERT_EQ(a.log_of_block, b.log_of_block);
  for (int k = 0; k < a.factors.size(); ++k) {
    EXPECT_EQ(a.factors[k].rows(), b.factors[k].rows());
    EXPECT_EQ(a.factors[k].R().entries(), b.factors[k].R().entries());
  }
}

TEST(Compress, threads_and_chunks_change_no_digit) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model);
  const Motion motion(model, 1500, 7);
  const CompressOptions once{.block = 64, .max_blocks = 8, .threads = 1};
  const CompressedLog one = compress(model, columns, motion.samples(), once);
  EXPECT_GT(one.n_blocks(), 4);
  EXPECT_LE(one.n_blocks(), 8);
  for (const int threads : {2, 3}) {
    CompressOptions options = once;
    options.threads = threads;
    expect_same(one, compress(model, columns, motion.samples(), options));
    LogCompressor stream(model, columns, options);
    for (int first = 0, step = 1; first < 1500; first += step, step = 3 * step + 1) {
      step = std::min(step, 1500 - first);
      stream.add(motion.samples().part(first, step));
    }
    expect_same(one, stream.finish());
  }
}

TEST(Compress, joined_blocks_and_several_logs_hold_all_rows) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model);
  const Motion motion(model, 700, 9), other(model, 130, 10);
  LogCompressor stream(model, columns, {.block = 10, .max_blocks = 4});
  stream.begin_log();  // nothing yet: it is still the first
  stream.add(motion.samples());
  stream.begin_log();
  stream.add(other.samples());
  const CompressedLog log = stream.finish();
  long long rows[2] = {};
  int blocks[2] = {};
  for (int b = 0; b < log.n_blocks(); ++b) {
    ++blocks[log.log_of_block[b]];
    rows[log.log_of_block[b]] += log.factor(b, 0).rows();
  }
  EXPECT_EQ(rows[0], 700);
  EXPECT_EQ(rows[1], 130);
  EXPECT_EQ(blocks[0], 3);  // of 32 * 10 samples
  EXPECT_EQ(blocks[1], 4);  // of 4 * 10
  const CompressedLog whole = compress(model, columns, motion.samples(), {.block = 1000});
  ASSERT_EQ(whole.n_blocks(), 1);
  const int n = columns.size();
  for (int v = 0; v < model.n_v(); ++v) {
    RowFactor sum(n + 1);
    for (int b = 0; b < 3; ++b) sum.add(log.factor(b, v));
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; j += 5) {
        double a = 0, b = 0;
        for (int k = 0; k <= n; ++k) {
          a += sum.R()(k, i) * sum.R()(k, j);
          b += whole.factor(0, v).R()(k, i) * whole.factor(0, v).R()(k, j);
        }
        ASSERT_NEAR(a, b, 1e-9 * (1 + std::abs(b)));
      }
  }
}

TEST(Compress, a_short_rest_goes_to_the_last_block) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model);
  const Motion motion(model, 240, 9);
  EXPECT_EQ(compress(model, columns, motion.samples(), {.block = 100}).n_blocks(), 2);
  EXPECT_EQ(compress(model, columns, motion.samples(), {.block = 80}).n_blocks(), 3);
  EXPECT_EQ(compress(model, columns, motion.samples().part(0, 30), {.block = 80}).n_blocks(), 1);
  EXPECT_EQ(compress(model, columns, motion.samples().part(0, 0)).n_blocks(), 0);
}

TEST(Compress, a_stop_keeps_what_was_done) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model);
  const Motion motion(model, 400, 9);
  const std::atomic<bool> stop{true};
  const CompressedLog log = compress(model, columns, motion.samples(), {.block = 4, .stop = &stop});
  EXPECT_GT(log.n_blocks(), 0);
  EXPECT_LT(log.n_blocks(), 100);
}

TEST(Compress, refuses_other_sizes_and_numbers_that_are_none) {
  const Model<double> model = small_arm();
  const ParameterColumns columns(model), load(model, ColumnChoice{.load = true});
  Motion motion(model, 20, 9);
  MotionSamples samples = motion.samples();
  samples.qdd = samples.q;
  EXPECT_THROW((void)compress(model, columns, samples), Error);
  samples = motion.samples();
  samples.tau_load = {};
  EXPECT_NO_THROW((void)compress(model, columns, samples));
  EXPECT_THROW((void)compress(model, load, samples), Error);
  motion.tau(13, 1) = std::nan("");
  try {
    (void)compress(model, columns, motion.samples());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tau of sample 13"), std::string::npos);
  }
}

}  // namespace
}  // namespace torsor
