#pragma once
/// The Lyapunov equation A^T P + P A = -Q: V = x^T P x falls at x^T Q x along x' = A x.
///
///   P = int_0^inf exp(A^T t) Q exp(A t) dt
///
/// It is the Riccati equation of a system without input, over ever longer horizons (riccati.hpp).
/// P > 0 for every Q > 0 if and only if all eigenvalues of A have negative real parts.
///
/// Layout   Square matrices are row-major vectors of n^2 numbers, as in Gain::full.
/// Cost     O(n^3) for each of some tens of steps; allocates. For the door of a law.
/// Source   Textbook sections 3.9 and 3.11; Smith 1968 (doubling).
#include <vector>

#include "torsor/control/gain.hpp"

namespace torsor {

struct [[nodiscard]] LyapunovSolution {
  std::vector<double> P;   ///< symmetric
  double residual = 0;     ///< largest entry of A^T P + P A + Q
  bool converged = false;  ///< false: A is not Hurwitz
};
/// Throws Error for sizes that do not fit and numbers that are not finite.
LyapunovSolution solve_lyapunov(int n, std::vector<double> A, std::vector<double> Q);

/// [0 1; -Kp -Kd], the error equation e'' + Kd e' + Kp e = 0 as x' = A x with x = (e, e').
std::vector<double> error_system(const Gain& Kp, const Gain& Kd);

}  // namespace torsor
