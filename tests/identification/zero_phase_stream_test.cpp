/// Rows filtered in pieces are those of the whole, to the stated error.
#include "torsor/identification/signal/zero_phase_stream.hpp"

#include <gtest/gtest.h>

#include <random>

#include "torsor/linear/matrix.hpp"

namespace torsor {
namespace {

Matrix walk(int rows, int cols, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Matrix x(rows, cols);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) x(r, c) = (r > 0 ? x(r - 1, c) : 10) + normal(engine);
  return x;
}

/// Rows in unequal portions, as they come from a log; every sample must come once and in order.
Matrix streamed(ZeroPhaseStream& stream, const Matrix& x, int decimation) {
  Matrix y((x.rows() - 1) / decimation + 1, x.cols());
  long long next = 0;
  const auto sink = [&](long long first, InMatrix<double> rows) {
    EXPECT_EQ(first, next * decimation);
    for (int r = 0; r < rows.rows; ++r, ++next)
      for (int c = 0; c < rows.cols; ++c) y(static_cast<int>(next), c) = rows(r, c);
  };
  int at = 0;
  for (int portion = 1; at < x.rows(); portion = portion * 7 % 1013 + 1) {
    const int count = std::min(portion, x.rows() - at);
    stream.add({x.data() + at * x.cols(), count, x.cols(), x.cols(), 1}, sink);
    at += count;
  }
  stream.finish(sink);
  EXPECT_EQ(next, y.rows());
  return y;
}

TEST(ZeroPhaseStream, equals_the_whole_to_the_stated_error) {
  for (const double cutoff : {2.0, 20.0, 120.0}) {
    const LowPass filter = butterworth(4, cutoff, 1e-3);
    for (const double tolerance : {1e-4, 1e-9}) {
      const Matrix x = walk(12000, 5, 1);
      Matrix whole = x;
      zero_phase(filter, whole);
      ZeroPhaseStream stream(filter, 5, 1, tolerance);
      const Matrix y = streamed(stream, x, 1);
      double largest = 0, off = 0;
      for (int k = 0; k < x.rows(); ++k)
        for (int c = 0; c < 5; ++c) {
          largest = std::max(largest, std::abs(x(k, c)));
          off = std::max(off, std::abs(y(k, c) - whole(k, c)));
        }
      // The start and the end have a padding of L rows, too: three truncations.
      EXPECT_LE(off, 6 * std::max(tolerance, 1e-9) * largest) << cutoff;
      if (tolerance > 1e-9) {
        EXPECT_GT(off, 1e-9 * largest);  // it is what the tolerance says, not less
      }
    }
  }
}

TEST(ZeroPhaseStream, hands_out_every_nth_sample_of_every_stretch) {
  const LowPass filter = butterworth(4, 25, 1e-3);
  const int decimation = 10;
  ZeroPhaseStream stream(filter, 3, decimation);
  for (const int rows : {5003, 40, 1, stream.look_ahead(), stream.look_ahead() + 1,
                         stream.look_ahead() + 2, 1024 + stream.look_ahead(), 4000}) {
    const Matrix x = walk(rows, 3, 7);
    Matrix whole = x;
    zero_phase(filter, whole);
    const Matrix y = streamed(stream, x, decimation);
    for (int k = 0; k < y.rows(); ++k)
      for (int c = 0; c < 3; ++c)
        ASSERT_NEAR(y(k, c), whole(k * decimation, c), 1e-6) << rows << " " << k;
  }
}

TEST(ZeroPhaseStream, memory_does_not_grow_with_the_rows) {
  const LowPass filter = butterworth(4, 25, 1e-3);
  ZeroPhaseStream stream(filter, 2, 5);
  const Matrix x = walk(1000, 2, 3);
  const double* first = nullptr;
  long long rows = 0;
  for (int k = 0; k < 200; ++k)
    stream.add(x, [&](long long, InMatrix<double> ready) {
      if (first == nullptr) first = ready.data;
      EXPECT_LT(std::abs(ready.data - first), 10);  // the same place, up to the phase of decimation
      rows += ready.rows;
    });
  EXPECT_GT(rows, 190 * 1000 / 5);
}

}  // namespace
}  // namespace torsor
