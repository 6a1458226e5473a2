#pragma once
/// How much acceleration a wrong model can cost a computed torque law.
///
///   tau = Hhat v + Chat qd + Ghat   =>   qdd = v - d~
///   d~ = (I - H^-1 Hhat) v + H^-1 (C~ qd + G~)                                      (3-97), (3-98)
///
/// d~ contains v, and a law that outweighs it puts the bound into v. With |I - H^-1 Hhat| <= A,
/// |H^-1| <= W and v = v_0 + SGN(s) (d + u),
///
///   d = (I - A)^-1 [A (|v_0| + u) + W Ybar(q, qd, qd, 0) a]   =>   |d~_i| <= d_i
///
/// needs the spectral radius of A below 1. (Huo 2005 bounds H^-1 Y(q, qd, qdd) "beforehand",
/// which is circular.)
///
/// Cost     One Ybar and O(n^2); no allocation in a call.
/// Source   Huo 2005, sec. 3.10, (3-96) to (3-103).
#include "torsor/control/certificate.hpp"
#include "torsor/control/uncertain/inertia_mismatch.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"

namespace torsor {

class DisturbanceBound {
 public:
  /// A number for each degree of freedom that the caller answers for, rad/s^2.
  explicit DisturbanceBound(std::vector<double> d_bar);
  /// From the stated half widths of parameters. Where the spectral radius of A is not below 1,
  /// d = A (|v_0| + u) + W Ybar a, which is no bound: a condition says so.
  DisturbanceBound(InertiaMismatch mismatch, RegressorBound regressor,
                   std::vector<double> half_width);

  int size() const { return n_; }
  /// Nothing is unknown.
  bool is_zero() const;
  /// d at a state; v_size holds |v_0| + u.
  void at(View<const double> q, View<const double> qd, View<const double> v_size, View<double> d);
  std::vector<Condition> conditions() const;
  /// The same, and whether the plant of a run is within the half widths.
  std::vector<Condition> conditions(const Run& run) const;
  /// What d is made from; null where it is the caller's.
  const RegressorBound* regressor() const { return regressor_ ? &*regressor_ : nullptr; }
  /// Whether the rows of conditions(run) compare friction, too.
  bool says_friction() const { return regressor_ && regressor_->says_friction(); }
  /// The caller's d of a degree of freedom.
  double given(int i) const { return given_[i]; }
  /// The door of a law: throws Error for another size, and for numbers that are negative or not
  /// finite.
  void check(const char* law, int n) const;

 private:
  int n_;
  Array<double> given_;
  InertiaMismatch mismatch_{};
  std::optional<RegressorBound> regressor_{};
  Array<double> half_width_{}, k_{}, zero_{};
  Array<double> by_v_{}, by_k_{};  // (I - A)^-1 A and (I - A)^-1 W
};

}  // namespace torsor
