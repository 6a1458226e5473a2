#include "torsor/math/view.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <vector>

namespace torsor {
namespace {

double sum(In<double> x) {
  double s = 0;
  for (const double a : x) s += a;
  return s;
}
void fill(Out<double> x, double value) {
  for (double& a : x) a = value;
}
double entry(InMatrix<double> m, int r, int c) { return m(r, c); }

static_assert(!std::is_convertible_v<const std::vector<double>&, Out<double>>);
static_assert(!std::is_convertible_v<std::vector<float>&, In<double>>);

TEST(View, vectors_arrays_and_eigen_vectors_convert_without_a_copy) {
  std::vector<double> v{1, 2, 3};
  std::array<double, 2> a{4, 5};
  double c[2] = {6, 7};
  Eigen::VectorXd e = Eigen::VectorXd::Constant(3, 2.0);
  EXPECT_EQ(sum(v), 6);
  EXPECT_EQ(sum(a), 9);
  EXPECT_EQ(sum(c), 13);
  EXPECT_EQ(sum(e), 6);
  EXPECT_EQ(In<double>(v).data, v.data());
  fill(e, 1.5);
  fill(c, 1);
  EXPECT_EQ(e.sum(), 4.5);
  EXPECT_EQ(c[1], 1);
}

TEST(View, nothing_given_is_empty) {
  EXPECT_TRUE(In<double>().empty());
  EXPECT_EQ(sum({}), 0);
}

TEST(View, dofs_are_a_slice_of_the_same_numbers) {
  std::vector<double> v{0, 1, 2, 3, 4};
  Out<double> all = v;
  const auto part = all[Dofs{1, 3}];
  EXPECT_EQ(part.size, 3);
  EXPECT_EQ(part[0], 1);
  part[2] = 9;
  EXPECT_EQ(v[3], 9);
}

TEST(MatrixView, reads_row_and_column_major_matrices_and_blocks) {
  Eigen::Matrix<double, 2, 3> columns;
  columns << 1, 2, 3, 4, 5, 6;
  const Eigen::Matrix<double, 2, 3, Eigen::RowMajor> rows = columns;
  Eigen::MatrixXd large = Eigen::MatrixXd::Zero(5, 5);
  large.block(2, 1, 2, 3) = columns;
  auto block = large.block(2, 1, 2, 3);
  const double raw[6] = {1, 4, 2, 5, 3, 6};
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(entry(columns, r, c), columns(r, c));
      EXPECT_EQ(entry(rows, r, c), columns(r, c));
      EXPECT_EQ(entry(block, r, c), columns(r, c));
      EXPECT_EQ(column_major(raw, 2, 3)(r, c), columns(r, c));
    }
  }
}

}  // namespace
}  // namespace torsor
