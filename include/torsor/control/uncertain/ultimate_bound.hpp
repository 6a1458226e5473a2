#pragma once
/// Uniform ultimate boundedness: how small the error becomes under a robust law, and by when.
///
///   V = x^T P x,   V' <= -x^T Q x + epsilon rho_bar / 2                          (3-122), (3-124)
///   V' < 0 for |x| > delta_bar = sqrt(epsilon rho_bar / (2 l_m(Q)))              (3-125), (3-126)
///   k_under = l_M(P) delta_bar^2: the smallest ellipsoid V <= k around that ball
///   V <= k_bar is kept, and reached from V = k_0 by (k_0 - k_bar) / c_0,                 (3-127)
///   c_0 = l_m(P^-1 Q) k_bar - epsilon rho_bar / 2;   then |e|, |edot| <= sqrt(k_bar / l_m(P))
///
/// rho_bar is a bound over V <= k_0: rho grows with |x|, so over all states there is none.
///
/// Cost     Eigenvalues of 2n x 2n matrices; allocates.
/// Source   Huo 2005, sec. 3.11; Corless & Leitmann 1981.
#include "torsor/control/gain.hpp"

namespace torsor {

struct UltimateBound {
  double delta_bar = 0;
  double k_under = 0;
  double delta = 0;  ///< of |e| and |edot|: the limit of k_bar -> k_under
  double rho_bar = 0, epsilon = 0;
  double P_smallest = 0, P_largest = 0;  ///< eigenvalues
  double decay = 0;                      ///< l_m(P^-1 Q), 1/s

  /// |x| within V <= k_bar.
  double radius(double k_bar) const;
  /// (3-127), s: 0 from inside; infinity for k_bar that is not above k_under.
  double reaching_time(double k_0, double k_bar) const;
  /// Bound of V after a time: V' <= -l_m(P^-1 Q) V + epsilon rho_bar / 2 integrated from V = k_0.
  double level_at(double t, double k_0) const;
};

/// P and Q are symmetric and of one size. Throws Error where one is not positive definite.
UltimateBound ultimate_bound(const Gain& P, const Gain& Q, double epsilon, double rho_bar);

}  // namespace torsor
