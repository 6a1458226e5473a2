#include "torsor/linear/internal/tridiagonal.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace torsor {
namespace {

std::mt19937 engine(5);
double draw() { return std::uniform_real_distribution<double>(-1, 1)(engine); }

TEST(Tridiagonal, solutions_are_those_of_the_dense_matrix_with_and_without_corners) {
  for (const int n : {1, 2, 3, 4, 9})
    for (const bool cyclic : {false, true}) {
      internal::tridiagonal::System<double> rows(n);
      Array<double> x(n);
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
      Eigen::VectorXd b(n);
      for (int i = 0; i < n; ++i) {
        const int k = i;
        rows.below[k] = draw(), rows.above[k] = draw(), rows.diagonal[k] = 3 + draw();
        b(i) = x[k] = draw();
        A(i, i) += rows.diagonal[k];
        if (i > 0 || cyclic) A(i, (i + n - 1) % n) += rows.below[k];
        if (i < n - 1 || cyclic) A(i, (i + 1) % n) += rows.above[k];
      }
      cyclic ? internal::tridiagonal::solve_cyclic(rows, x) : internal::tridiagonal::solve(rows, x);
      const Eigen::VectorXd exact = A.fullPivLu().solve(b);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], exact(i), 1e-14);
    }
}

TEST(Tridiagonal, block_solutions_are_those_of_the_dense_matrix) {
  for (const int n : {1, 2, 3, 7}) {
    internal::tridiagonal::BlockSystem<double> rows(n);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    Eigen::VectorXd b(2 * n);
    const auto fill = [&](internal::tridiagonal::Block<double>& block, int row, int col,
                          double diagonal) {
      block = {diagonal + draw(), draw(), draw(), diagonal + draw()};
      if (col >= 0 && col < n)
        A.block<2, 2>(2 * row, 2 * col) << block.p, block.q, block.r, block.s;
    };
    for (int i = 0; i < n; ++i) {
      const int k = i;
      fill(rows.below[k], i, i - 1, 0);
      fill(rows.diagonal[k], i, i, 6);
      fill(rows.above[k], i, i + 1, 0);
      rows.right[k] = {draw(), draw()};
      b.segment<2>(2 * i) << rows.right[k].a, rows.right[k].b;
    }
    internal::tridiagonal::solve(rows);
    const Eigen::VectorXd exact = A.fullPivLu().solve(b);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(rows.right[i].a, exact(2 * i), 1e-14);
      EXPECT_NEAR(rows.right[i].b, exact(2 * i + 1), 1e-14);
    }
  }
}

}  // namespace
}  // namespace torsor
