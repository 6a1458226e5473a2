#pragma once
/// Motors that turn with several joints, as the algorithms read them.
///
///   q_m = sum_k ratio_k q_k = n q,   M += rotor n^T n,   tau += n^T friction(n qd)
///
/// n is a row of the coupling matrix of the drives, as of coupled wrists.
/// Source   Khalil & Dombre 2002 (transmissions that couple joints).
#include "torsor/math/array.hpp"
#include "torsor/model/dof_constants.hpp"

namespace torsor {

/// One of them. What it takes is at the motor.
template <class Param>
struct CoupledMotor {
  struct Term {
    int v = 0;  ///< velocity
    Param ratio{};
  };
  Array<Term> terms;
  DofConstants<Param> constants;  ///< friction, and the rotor's inertia as `armature`

  /// n x.
  template <class Vector>
  auto along(const Vector& x) const {
    auto sum = x[terms[0].v] * terms[0].ratio;
    for (int t = 1; t < terms.size(); ++t) sum = sum + x[terms[t].v] * terms[t].ratio;
    return sum;
  }
  /// y += n^T x.
  template <class Vector, class Real>
  void add(const Real& x, Vector&& y) const {
    for (const Term& t : terms) y[t.v] = y[t.v] + x * t.ratio;
  }

  template <class Other>
  CoupledMotor<Other> cast() const {
    CoupledMotor<Other> m{{}, constants.template cast<Other>()};
    for (const Term& t : terms) m.terms.push_back({t.v, Other(t.ratio)});
    return m;
  }
};

}  // namespace torsor
