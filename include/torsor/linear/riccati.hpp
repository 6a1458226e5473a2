#pragma once
/// Riccati equations of optimal control: differential and algebraic, by exact steps.
///
///   x' = A x + B u,   J = 1/2 x(tf)^T P x(tf) + 1/2 int (x^T Q x + u^T R u) dt
///   K' = -K A - A^T K - Q + K S K,   K(tf) = P,   S = B R^-1 B^T
///   0  =  K A + A^T K + Q - K S K                        infinite horizon
///   u = -R^-1 B^T K x,   J = 1/2 x^T K x
///
/// Backwards over a time h the solution moves by  K <- Y + E^T K (1 + G K)^-1 E.  E, G and Y come
/// from the exponential of the Hamiltonian matrix [-A S; Q A^T]; two steps of h make one of 2 h
/// (doubling), so the infinite horizon is reached in some tens of products and without eigenvalues.
/// What is found is the limit of ever longer horizons with P = 0: the smallest K >= 0.
///
/// Cost     O(n^3) per step; allocates. For the construction of a law, not for its calls.
/// Source   Huo 2005, sec. 3.6, (3-52) to (3-55); Anderson 1978; Chu, Fan & Lin 2005.
#include "torsor/linear/matrix.hpp"

namespace torsor {

/// A, S and Q are n x n; S = B R^-1 B^T.
struct RiccatiProblem {
  Matrix A, S, Q;
  int n() const { return A.rows(); }
};
/// Throws Error for sizes that do not fit, numbers that are not finite and an R that is not
/// symmetric positive definite.
RiccatiProblem riccati_problem(InMatrix<double> A, InMatrix<double> B, InMatrix<double> Q,
                               InMatrix<double> R);

struct [[nodiscard]] RiccatiSolution {
  Matrix K;
  double residual = 0;     ///< largest entry of K A + A^T K + Q - K S K
  bool converged = false;  ///< false: longer horizons cost ever more (not stabilisable)
};
RiccatiSolution solve_riccati(const RiccatiProblem& problem);

/// R^-1 B^T K, R symmetric positive definite: u = -gain x.
Matrix optimal_gain(InMatrix<double> B, InMatrix<double> R, InMatrix<double> K);

/// K(t) over a finite horizon, kept at equal times and interpolated by cubics that have the slopes
/// of the equation.
class RiccatiHistory {
 public:
  /// From 0 to tf with K(tf) = P. Throws Error for a horizon that is not positive or where K
  /// escapes: it cannot with P >= 0 and Q >= 0.
  RiccatiHistory(const RiccatiProblem& problem, InMatrix<double> P, double tf);

  double horizon() const { return tf_; }
  int intervals() const { return intervals_; }
  /// K at a time, held before 0 and after tf. n^2 numbers; allocates nothing.
  void at(double t, Out<double> K) const;

 private:
  int size_ = 0, intervals_ = 0;  // size: n^2
  double tf_ = 0;
  Array<double> K_, slope_;  // per time
};

}  // namespace torsor
