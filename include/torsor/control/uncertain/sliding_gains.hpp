#pragma once
/// The switched torque of sliding laws that keep the passive structure, and what it is worth.
///
///   tau_r = Kd s + SGN(s) (k + eta)                       |Y p~|_i <= k_i  Huo 2005, (3-106)
///   s^T (Y p~ - tau_r) <= -s^T Kd s - sum_i |s_i| (|sgn s_i| (k_i + eta_i) - k_i)
///
/// With the sign the sum is eta_i |s_i|; inside a layer, where |sat| < 1, it may be negative.
///
/// Units    Lambda 1/s, Kd N m s, eta N m, layer rad/s.
#include "torsor/control/certificate.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/uncertain/switching.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct SlidingGains {
  Gain Lambda;
  Gain Kd{};              ///< empty: 1 N m s, as Huo 2005, (3-106)
  Array<double> eta{};    ///< empty: 0
  Switching switching{};  ///< sgn, or a boundary layer

  /// The door of a law: fills what is empty, throws Error for what does not fit.
  void complete(const char* law, int n);
  /// tau += tau_r.
  void add_torque(In<double> s, In<double> k, Out<double> tau) const;
  /// The bound of s^T (Y p~ - tau_r).
  double power_bound(In<double> s, In<double> k) const;
  /// Kd positive definite, eta not negative.
  std::vector<Condition> conditions() const;
};

}  // namespace torsor
