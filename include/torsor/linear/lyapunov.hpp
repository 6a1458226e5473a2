#pragma once
/// The Lyapunov equation A^T P + P A = -Q: V = x^T P x falls at x^T Q x along x' = A x.
///
///   P = int_0^inf exp(A^T t) Q exp(A t) dt
///
/// It is the Riccati equation of a system without input, over ever longer horizons (riccati.hpp).
/// P > 0 for every Q > 0 if and only if all eigenvalues of A have negative real parts.
///
/// Cost     O(n^3) for each of some tens of steps; allocates. For the construction of a law.
/// Source   Huo 2005, sec. 3.9 and 3.11; Smith 1968 (doubling).
#include "torsor/linear/matrix.hpp"

namespace torsor {

struct [[nodiscard]] LyapunovSolution {
  Matrix P;                ///< symmetric
  double residual = 0;     ///< largest entry of A^T P + P A + Q
  bool converged = false;  ///< false: A is not Hurwitz
};
/// Throws Error for sizes that do not fit and numbers that are not finite.
LyapunovSolution solve_lyapunov(InMatrix<double> A, InMatrix<double> Q);

}  // namespace torsor
