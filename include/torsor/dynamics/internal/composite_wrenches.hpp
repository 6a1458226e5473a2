#pragma once
/// The sweep of crba.hpp in body axes: composite moments from the tips to the base, and with them the
/// wrenches F = I S of all velocities, neighbours in one register (columns.hpp).
#include "torsor/dynamics/internal/composite_columns.hpp"
#include "torsor/dynamics/internal/matrix_output.hpp"

namespace torsor::internal {

/// Wrenches on a child, seen by its parent.
template <class Joint, class Block>
TORSOR_HD TORSOR_INLINE Wrench<Block> transported(const Joint& joint, const Wrench<Block>& F) {
  const Vec3<Block> f = joint.to_parent(F.f);
  return {joint.to_parent(F.m) + cross(joint.origin(), f), f};
}

/// F = I S of a joint with one degree of freedom.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> composite_wrench(const MassMoments<Real>& I) {
  if constexpr (is_hinge<Joint>) {
    return {{-I.S.xz, -I.S.yz, I.S.xx + I.S.yy}, {-I.h.y, I.h.x, Real(0)}};
  } else {
    return {{I.h.y, -I.h.x, Real(0)}, {Real(0), Real(0), I.m}};
  }
}

/// columns[k] = F, as part of a block: what is loaded next in one piece must have been stored in one.
template <class Real>
TORSOR_HD TORSOR_INLINE void put_one(int k, const Wrench<Real>& F, Columns<Real>& columns) {
  if constexpr (column_lanes<Real> == 1) {
    columns.set(k, F.m, F.f);
  } else {
    using Block = ColumnBlock<Real>;
    const int lane = k % column_lanes<Real>;
    const auto here = lane_numbers<Block, Real>() == Block(Real(lane));
    const Wrench<Block> old = columns.wrenches(k - lane);
    columns.set(k - lane,
                {{select(here, Block(F.m.x), old.m.x), select(here, Block(F.m.y), old.m.y),
                  select(here, Block(F.m.z), old.m.z)},
                 {select(here, Block(F.f.x), old.f.x), select(here, Block(F.f.y), old.f.y),
                  select(here, Block(F.f.z), old.f.z)}});
  }
}

/// Puts the block of columns from j on back; columns from `end` on stay as they are.
template <class Real>
TORSOR_HD TORSOR_INLINE void put_before(int end, int j, const Wrench<ColumnBlock<Real>>& F,
                                        Columns<Real>& columns) {
  if constexpr (column_lanes<Real> == 1) {
    columns.set(j, F.m, F.f);
  } else {
    using Block = ColumnBlock<Real>;
    if (j + column_lanes<Real> <= end) return columns.set(j, F);
    const auto inside = lane_numbers<Block, Real>() < Block(Real(end - j));
    const Wrench<Block> old = columns.wrenches(j);
    columns.set(j, {{select(inside, F.m.x, old.m.x), select(inside, F.m.y, old.m.y),
                     select(inside, F.m.z, old.m.z)},
                    {select(inside, F.f.x, old.f.x), select(inside, F.f.y, old.f.y),
                     select(inside, F.f.z, old.f.z)}});
  }
}

/// What is on and below the diagonal of M at q, without rotors.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void composite_wrenches(const Model<Param>& model, CrbaWorkspace<Real>& ws,
                                                In<Real> q, const OutMatrix<Real>& M) {
  using Block = ColumnBlock<Real>;
  prepare(model, ws.world.joints, q);
  for (const int i : model.canonical().branching) ws.I[i] = {};
  MassMoments<Real> I{};  // of body i and all it carries
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.branching) add(ws.I[i], I);
    add(b.moments, I);
    const int start = b.v - b.v % column_lanes<Real>;                // of the block of velocity b.v
    const int end = b.v_end == model.n_v() ? ws.F.size() : b.v_end;  // of what may be overwritten
    visit(model, ws.world.joints, i, [&](const auto& joint) {
      using Kind = decltype(joint);
      if constexpr (has_one_dof<Kind>) {
        put_one(b.v, composite_wrench<Kind>(I), ws.F);
        write_column<Real>(M, b.v, start, b.v_end, [&](int j) {
          const Wrench<Block> F = ws.F.wrenches(j);
          if (b.parent != 0) put_before<Real>(end, j, transported(joint, F), ws.F);
          return is_hinge<Kind> ? F.m.z : F.f.z;
        });
      } else {
        for (int c = 0; c < b.n_v; ++c) {
          const Wrench<Real> F = times(I, joint.S[c].w, joint.S[c].v);
          ws.F.set(b.v + c, F.m, F.f);
        }
        for (int c = 0; c < b.n_v; ++c)
          write_column<Real>(M, b.v + c, start, b.v_end,
                             [&](int j) { return ws.F.dots(j, joint.S[c].w, joint.S[c].v); });
        for (int j = start; b.parent != 0 && j < b.v_end; j += column_lanes<Real>)
          put_before<Real>(end, j, transported(joint, ws.F.wrenches(j)), ws.F);
      }
      if (b.parent != 0) {
        const MassMoments<Real> J = transported(joint, I);
        I.m = J.m, I.h = J.h, I.S = J.S;
      }
    });
    if (b.parent != i - 1) {
      if (b.parent != 0) add(I, ws.I[b.parent]);
      I.m = Real(0), I.h = {}, I.S = {};
    }
  }
}

}  // namespace torsor::internal
