#pragma once
/// Mass matrix, its inverse, poses and derivatives of any tree, one state (or one state and one direction)
/// per thread.
///
/// Derivatives are those of rnea.hpp and aba.hpp on dual numbers along one direction: one thread for each
/// direction of each state, so that few states keep a device busy too, and every kind of joint is right by
/// construction.
#include "composite.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor::internal::device {

/// put(i, j, M_ij) for what is on and below the diagonal, i >= j, and not zero.
template <class Model, class Real, class Storage, class Put>
TORSOR_HD TORSOR_INLINE void tree_mass_matrix(
    const Model& model, JointStates<Real, Storage>& joints,
    typename Storage::template PerBody<MassMoments<Real>>& from_children, In<Real> q, Put put) {
  prepare(model, joints, q);
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i)
    if (model.branching(i)) from_children[i] = {};
  MassMoments<Real> I{};
  TORSOR_UNROLL
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (model.branching(i)) accumulate(from_children[i], I);
    accumulate(model.canonical(i).moments, I);
    visit(model, joints, i, [&](const auto& joint) {
      for (int c = 0; c < model.n_v(i); ++c) {
        Real unit[max_joint_dofs]{};
        unit[c] = Real(1);
        const Vec3<Real> w = Vec3<Real>{} + joint.S_w(unit), v_c = Vec3<Real>{} + joint.S_v(unit);
        Wrench<Real> F = momentum(I, w, v_c);
        for (int j = i; j > 0; j = model.parent(j)) {
          visit(model, joints, j, [&](const auto& on) {
            Real row[max_joint_dofs];
            on.project(F, row);
            for (int d = 0; d < (j == i ? c + 1 : model.n_v(j)); ++d)
              put(v + c, model.first_v(j) + d,
                  row[d] +
                      Real(v + c == model.first_v(j) + d ? model.dof(v + c).armature : Real(0)));
            F = passed_on(on, F);
          });
        }
      }
      if (parent != 0) I = passed_on(joint, I);
    });
    if (parent != i - 1) {
      if (parent != 0) accumulate(I, from_children[parent]);
      I = {};
    }
  }
}

/// The inverse of a symmetric matrix in place, of which a(i, j), j <= i, is read and written; the
/// ratio of its smallest pivot to its largest.
template <class Real, class Entry>
TORSOR_HD Real invert_in_place(int n, Entry a) {
  Real least{}, most{};
  for (int j = 0; j < n; ++j) {  // L D L^T, 1 / D on the diagonal
    Real d = a(j, j);
    for (int k = 0; k < j; ++k) {
      Real u = a(j, k);
      for (int p = 0; p < k; ++p) u = u - a(j, p) * a(k, p);
      a(j, k) = u;
    }
    for (int k = 0; k < j; ++k) {
      const Real u = a(j, k), l = u * a(k, k);
      d = d - u * l;
      a(j, k) = l;
    }
    a(j, j) = reciprocal_or_zero(d);
    least = j == 0 ? d : min(least, d);
    most = j == 0 ? d : max(most, d);
  }
  for (int c = 0; c < n; ++c)  // the inverse of L, whose diagonal is one
    for (int i = c + 1; i < n; ++i) {
      Real x = -a(i, c);
      for (int k = c + 1; k < i; ++k) x = x - a(i, k) * a(k, c);
      a(i, c) = x;
    }
  for (int i = 0; i < n; ++i)  // L^-T D^-1 L^-1
    for (int j = 0; j <= i; ++j) {
      Real x = i == j ? a(i, i) : Real(a(i, i) * a(i, j));
      for (int k = i + 1; k < n; ++k) x = x + a(k, i) * a(k, k) * a(k, j);
      a(i, j) = x;
    }
  return least / select(most > Real(0), most, Real(1));
}

/// T(i, R, p) of all bodies, in the file's link frames.
template <class Model, class Real, class Storage, class Put>
TORSOR_HD TORSOR_INLINE void tree_poses(const Model& model, JointStates<Real, Storage>& joints,
                                        typename Storage::template PerBody<SE3<Real>>& kept,
                                        In<Real> q, Put put) {
  prepare(model, joints, q);
  SE3<Real> at;
  put(0, at.R, at.p);
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.parent(i);
    if (parent == 0)
      at = {};
    else if (parent != i - 1)
      at = kept[parent];
    visit(model, joints, i, [&](const auto& joint) {
      at.p = at.p + at.R * joint.origin();
      joint.advance(at.R);
    });
    if (model.branching(i)) kept[i] = at;
    if constexpr (Model::right_angles)
      put(i, at.R * transpose(model.link_axes(i)), at.p - at.R.c2 * model.slide(i));
    else
      put(i, at.R * transpose(model.link_axes(i)), at.p);
  }
}

/// q, qd and the third input as duals along direction d of the tangent of q (d < n_v) or of qd.
template <class Model, class Real>
struct DualState {
  using Number = Dual<Real, 1>;
  using Storage = typename Model::Storage;
  typename Storage::template PerCoordinate<Number> q;
  typename Storage::template PerVelocity<Number> qd, third;

  TORSOR_HD TORSOR_INLINE DualState(const Model& model, const Real* at_q, const Real* at_qd,
                                    const Real* at_third, int direction) {
    const int n = model.n_v();
    TORSOR_UNROLL
    for (int i = 1; i < model.n_bodies(); ++i) {
      const int iq = model.first_q(i), iv = model.first_v(i);
      Real rates[max_joint_coordinates]{}, along[max_joint_dofs]{};
      for (int k = 0; k < model.n_v(i); ++k) along[k] = Real(direction == iv + k ? 1 : 0);
      if (model.joint_class(i) == JointClass::general)
        coordinate_rates(model.joint(i), at_q + iq, along, rates);
      else
        rates[0] = along[0];
      for (int k = 0; k < model.n_q(i); ++k)
        q[iq + k].value = at_q[iq + k], q[iq + k].d[0] = rates[k];
    }
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k) {
      qd[k].value = at_qd[k], qd[k].d[0] = Real(direction == n + k ? 1 : 0);
      third[k].value = at_third[k], third[k].d[0] = Real(direction == 2 * n + k ? 1 : 0);
    }
  }
};

}  // namespace torsor::internal::device
