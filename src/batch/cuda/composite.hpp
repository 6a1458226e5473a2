#pragma once
/// Mass moments and wrenches on their way from a child to its parent, as crba.hpp needs them: of one body
/// and one column at a time, with nothing of the host in it.
///
/// Frames   Canonical frames, as in dynamics/internal/composite_columns.hpp and composite_wrenches.hpp.
#include "torsor/model/internal/sweep.hpp"

namespace torsor::internal::device {

/// to = x, and leave the caches to others.
template <class Real>
TORSOR_HD TORSOR_INLINE void stream(Real& to, const Real& x) {
#ifdef __CUDA_ARCH__
  __stcs(&to, x);
#else
  to = x;
#endif
}

template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void accumulate(const MassMoments<Param>& a, MassMoments<Real>& b) {
  b.m = b.m + a.m;
  b.h.x = b.h.x + a.h.x, b.h.y = b.h.y + a.h.y, b.h.z = b.h.z + a.h.z;
  b.S.xx = b.S.xx + a.S.xx, b.S.xy = b.S.xy + a.S.xy, b.S.yy = b.S.yy + a.S.yy;
  b.S.xz = b.S.xz + a.S.xz, b.S.yz = b.S.yz + a.S.yz, b.S.zz = b.S.zz + a.S.zz;
}

/// I (w, v).
template <class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> momentum(const MassMoments<Real>& I, const Vec3<Real>& w,
                                              const Vec3<Real>& v) {
  return {w * trace(I.S) - I.S * w + cross(I.h, v), v * I.m + cross(w, I.h)};
}

/// Seen by the parent.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> passed_on(const Joint& joint, const Wrench<Real>& F) {
  const Vec3<Real> f = joint.to_parent(F.f);
  return {joint.to_parent(F.m) + cross(joint.origin(), f), f};
}
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE MassMoments<Real> passed_on(const Joint& joint,
                                                    const MassMoments<Real>& I) {
  const Vec3<Real> h = joint.to_parent(I.h);
  const Sym3<Real> S = joint.to_parent(I.S);
  const auto& p = joint.origin();
  const Vec3<Real> k = h + p * I.m;
  return {I.m,
          k,
          {S.xx + (p.x * k.x + h.x * p.x), S.xy + (p.x * k.y + h.x * p.y),
           S.yy + (p.y * k.y + h.y * p.y), S.xz + (p.x * k.z + h.x * p.z),
           S.yz + (p.y * k.z + h.y * p.z), S.zz + (p.z * k.z + h.z * p.z)}};
}

/// I S of a hinge.
template <class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> of_hinge(const MassMoments<Real>& I) {
  return {{-I.S.xz, -I.S.yz, I.S.xx + I.S.yy}, {-I.h.y, I.h.x, Real(0)}};
}

}  // namespace torsor::internal::device
