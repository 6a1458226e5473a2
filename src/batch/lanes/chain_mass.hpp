#pragma once
/// The composite bodies of crba.hpp for a serial chain of hinges: each wrench F = I S is walked to the
/// base in registers, and M_kj is its moment about the axis of joint k.
#include "hinge_chain.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor::internal {

/// M at q, both triangles, by rows; rotors included.
template <class Param, bool with_rotors, class Real>
TORSOR_FLATTEN TORSOR_COLD void chain_mass_matrix(const HingeChain<Param, with_rotors>& chain,
                                                  JointStates<Real>& joints, In<Real> q, Real* M) {
  prepare(chain, joints, q);
  const int n = chain.n_v();
  const auto hinge = [&](int i) TORSOR_INLINE_LAMBDA {
    return Hinge<Param, Real>(chain.canonical(i), joints.cos[i - 1], joints.sin[i - 1]);
  };
  MassMoments<Real> I{};
  for (int i = n; i > 0; --i) {
    add(chain.canonical(i).moments, I);
    Wrench<Real> F = composite_wrench<Hinge<Param, Real>>(I);
    Real *row = M + (i - 1) * n + i - 1, *column = row;  // entries (i, j) and (j, i), j to the base
    *row = F.m.z;
    if constexpr (with_rotors) *row = *row + chain.dof(i - 1).armature;
    for (int j = i; j > 1; --j) {
      F = transported(hinge(j), F);
      *(row -= 1) = F.m.z;
      *(column -= n) = F.m.z;
    }
    if (i > 1) I = transported(hinge(i), I);
  }
}

}  // namespace torsor::internal
