#pragma once
/// Riccati equations of optimal control: differential and algebraic, by exact steps.
///
///   x' = A x + B u,   J = 1/2 x(tf)^T P x(tf) + 1/2 int (x^T Q x + u^T R u) dt
///   K' = -K A - A^T K - Q + K S K,   K(tf) = P,   S = B R^-1 B^T              (3-52), (3-53)
///   0  =  K A + A^T K + Q - K S K                        infinite horizon     (3-55)
///   u = -R^-1 B^T K x,   J = 1/2 x^T K x
///
/// Backwards over a time h the solution moves by  K <- Y + E^T K (1 + G K)^-1 E.  E, G and Y come
/// from the exponential of the Hamiltonian matrix [-A S; Q A^T]; two steps of h make one of 2 h
/// (doubling), so the infinite horizon is reached in some tens of products and without eigenvalues.
/// What is found is the limit of ever longer horizons with P = 0: the smallest K >= 0.
///
/// Layout   Square matrices are row-major vectors of n^2 numbers, as in Gain::full.
/// Cost     O(n^3) per step; allocates. For the door of a law, not for its calls.
/// Source   Textbook section 3.6; Anderson 1978, Second-order convergent algorithms for the
///          steady-state Riccati equation; Chu, Fan & Lin 2005.
#include <vector>

#include "torsor/control/gain.hpp"

namespace torsor {

/// A, S and Q are n x n; S = B R^-1 B^T.
struct RiccatiProblem {
  int n = 0;
  std::vector<double> A, S, Q;
};
/// The door: throws Error for sizes that do not fit, numbers that are not finite and an R that is
/// not symmetric positive definite. B is n x m by rows.
RiccatiProblem riccati_problem(int n, std::vector<double> A, const std::vector<double>& B,
                               std::vector<double> Q, const Gain& R);

/// The move of K over one step backwards in time.
class RiccatiStep {
 public:
  /// Of h seconds.
  RiccatiStep(const RiccatiProblem& problem, double h);
  /// Two of these steps. False: the numbers have left the range of double.
  bool double_it();
  /// K(t - h) from K(t), symmetric.
  void move(std::vector<double>& K) const;
  /// K after this step from P = 0.
  const std::vector<double>& from_zero() const { return Y_; }

 private:
  int n_;
  std::vector<double> E_, G_, Y_;
};

struct [[nodiscard]] RiccatiSolution {
  std::vector<double> K;
  double residual = 0;     ///< largest entry of K A + A^T K + Q - K S K
  bool converged = false;  ///< false: longer horizons cost ever more (not stabilisable)
};
RiccatiSolution solve_riccati(const RiccatiProblem& problem);

/// -K' = K A + A^T K + Q - K S K.
std::vector<double> riccati_rate(const RiccatiProblem& problem, const std::vector<double>& K);

/// R^-1 B^T K, m x n by rows: u = -gain x.
std::vector<double> optimal_gain(int n, const std::vector<double>& B, const Gain& R,
                                 const std::vector<double>& K);

/// K(t) over a finite horizon, kept at equal times and interpolated by cubics that have the slopes
/// of the equation.
class RiccatiHistory {
 public:
  /// From 0 to tf with K(tf) = P. Throws Error for a horizon that is not positive or where K
  /// escapes.
  RiccatiHistory(const RiccatiProblem& problem, std::vector<double> P, double tf);

  double horizon() const { return tf_; }
  int intervals() const { return intervals_; }
  /// K at a time, held before 0 and after tf. n^2 numbers; allocates nothing.
  void at(double t, View<double> K) const;

 private:
  int n_ = 0, intervals_ = 0;
  double tf_ = 0;
  std::vector<double> K_, slope_;  // per time
};

}  // namespace torsor
