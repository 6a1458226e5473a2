/// Eigenvalues of general and symmetric matrices against Eigen, and norms from them.
#include "torsor/linear/eigenvalues.hpp"

#include "linear/matrices.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/math/error.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

std::vector<Complex> sorted(std::vector<Complex> values) {
  std::sort(values.begin(), values.end(), [](const Complex& a, const Complex& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return values;
}
std::vector<Complex> values_of(const Eigenvalues& own) {
  std::vector<Complex> values;
  for (int k = 0; k < own.size(); ++k) values.emplace_back(own.real(k), own.imaginary(k));
  return sorted(values);
}

TEST(Eigenvalues, agree_with_eigen_and_come_in_conjugate_pairs) {
  Draw<double> draw(1);
  Eigenvalues own(24);
  for (int n = 1; n <= 24; ++n)
    for (int trial = 0; trial < 10; ++trial) {
      const MatrixXd A = random_matrix(draw, n, n);
      ASSERT_TRUE(own.compute(A));
      const Eigen::VectorXcd truth = A.eigenvalues();
      const auto expected = sorted({truth.begin(), truth.end()}), got = values_of(own);
      for (std::size_t k = 0; k < got.size(); ++k)
        EXPECT_LE(std::abs(got[k] - expected[k]), 1e-10) << n << " " << k;
      for (int k = 0; k + 1 < n; ++k)
        if (own.imaginary(k) > 0) {
          EXPECT_EQ(own.real(k), own.real(k + 1));
          EXPECT_EQ(own.imaginary(k), -own.imaginary(k + 1));
        }
    }
}

TEST(Eigenvalues, sum_to_the_trace_and_multiply_to_the_determinant) {
  Draw<double> draw(2);
  Eigenvalues own(9);
  const MatrixXd A = random_matrix(draw, 9, 9);
  ASSERT_TRUE(own.compute(A));
  Complex sum = 0, product = 1;
  for (const Complex& x : values_of(own)) sum += x, product *= x;
  EXPECT_NEAR(sum.real(), A.trace(), 1e-13);
  EXPECT_NEAR(sum.imag(), 0, 1e-15);
  EXPECT_NEAR(product.real() / A.determinant(), 1, 1e-12);
}

TEST(Eigenvalues, of_badly_scaled_matrices_keep_their_accuracy) {
  Draw<double> draw(3);
  Eigenvalues own(6);
  const MatrixXd A = random_matrix(draw, 6, 6);
  VectorXd units(6);
  for (int k = 0; k < 6; ++k) units[k] = std::pow(2.0, 15 * k - 40);
  const MatrixXd scaled = units.asDiagonal() * A * units.cwiseInverse().asDiagonal();
  ASSERT_TRUE(own.compute(A));
  const auto plain = values_of(own);
  ASSERT_TRUE(own.compute(scaled));
  const auto same = values_of(own);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_LE(std::abs(plain[k] - same[k]), 1e-11);
}

TEST(Eigenvalues, special_matrices) {
  Eigenvalues own(5);
  ASSERT_TRUE(own.compute(MatrixXd(0, 0)));
  EXPECT_EQ(own.size(), 0);
  ASSERT_TRUE(own.compute(MatrixXd(MatrixXd::Zero(5, 5))));
  for (int k = 0; k < 5; ++k) EXPECT_EQ(own.real(k), 0);
  const MatrixXd turn = (MatrixXd(2, 2) << 0, -3, 3, 0).finished();
  ASSERT_TRUE(own.compute(turn));
  EXPECT_EQ(own.real(0), 0);
  EXPECT_NEAR(own.imaginary(0), 3, 1e-15);
  MatrixXd cycle = MatrixXd::Zero(5, 5);  // a permutation: needs the exceptional shift
  for (int k = 0; k < 5; ++k) cycle(k, (k + 1) % 5) = 1;
  ASSERT_TRUE(own.compute(cycle));
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(std::hypot(own.real(k), own.imaginary(k)), 1, 1e-14);
  cycle(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(own.compute(cycle));
  const AllocationCounter counter;
  ASSERT_TRUE(own.compute(turn));
  EXPECT_EQ(counter.count(), 0u);
}

TEST(SymmetricEigen, reproduces_the_matrix_with_orthonormal_vectors) {
  Draw<double> draw(4);
  SymmetricEigen own(14);
  for (int n = 1; n <= 14; ++n) {
    MatrixXd A = random_matrix(draw, n, n);
    A = (A + A.transpose()).eval();
    if (n > 3) A = (random_positive(draw, n, 0) - MatrixXd::Identity(n, n)).eval();
    own.factorise(A);
    const VectorXd truth = A.selfadjointView<Eigen::Upper>().eigenvalues();
    MatrixXd V(n, n);
    VectorXd d(n);
    for (int k = 0; k < n; ++k) {
      d[k] = own.value(k);
      EXPECT_NEAR(d[k], truth[k], 20 * n * eps_double * A.norm());
      for (int r = 0; r < n; ++r) V(r, k) = own.vector(r, k);
    }
    EXPECT_LE((V * d.asDiagonal() * V.transpose() - A).norm(), 20 * n * eps_double * A.norm());
    EXPECT_LE((V.transpose() * V - MatrixXd::Identity(n, n)).norm(), 20 * n * eps_double);
    EXPECT_EQ(own.smallest(), d.minCoeff());
    EXPECT_EQ(own.largest(), d.maxCoeff());
  }
}

TEST(SymmetricEigen, coincident_values_and_allocation) {
  SymmetricEigen own(6);
  const MatrixXd A = MatrixXd::Ones(6, 6) + 2 * MatrixXd::Identity(6, 6);
  const AllocationCounter counter;
  own.factorise(A);
  EXPECT_EQ(counter.count(), 0u);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(own.value(k), 2, 1e-14);
  EXPECT_NEAR(own.largest(), 8, 1e-14);
}

TEST(SymmetricEigen, generalised_problem_agrees_with_eigen) {
  Draw<double> draw(5);
  for (int n = 1; n <= 6; ++n) {
    MatrixXd A = random_matrix(draw, n, n);
    A = (A + A.transpose()).eval();
    const MatrixXd B = random_positive(draw, n);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> truth(A, B);
    EXPECT_NEAR(internal::smallest_generalised_eigenvalue(A, B), truth.eigenvalues()[0],
                100 * eps_double * condition(B) * (1 + truth.eigenvalues().norm()));
    EXPECT_TRUE(std::isnan(internal::smallest_generalised_eigenvalue(A, MatrixXd(-B))));
  }
}

TEST(Matrix, norms_and_products_agree_with_eigen) {
  Draw<double> draw(6);
  for (int n = 1; n <= 7; ++n) {
    const MatrixXd A = random_matrix(draw, n, n + 2), B = random_matrix(draw, n + 2, n);
    const Matrix own = product(A, B);
    const MatrixXd truth = A * B;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) EXPECT_NEAR(own(r, c), truth(r, c), 1e-14);
    EXPECT_NEAR(internal::spectral_norm(A), A.jacobiSvd().singularValues()[0], 1e-14 * n);
    EXPECT_NEAR(internal::spectral_radius(own), truth.eigenvalues().cwiseAbs().maxCoeff(), 1e-11);
  }
  EXPECT_EQ(internal::spectral_norm(MatrixXd(0, 3)), 0);
  EXPECT_EQ(internal::spectral_radius(MatrixXd(0, 0)), 0);
  EXPECT_THROW(Matrix(2, 2, {1, 2, 3}), Error);
}

}  // namespace
}  // namespace torsor::testing
