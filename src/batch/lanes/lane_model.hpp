#pragma once
/// A robot whose bodies have other inertial parameters in every lane: what the sweeps ask of a model
/// (sweep_model.hpp), with the topology, the geometry and the joints of one model.
///
/// The parameters of a body are in its link frame; the sweeps need mass moments in canonical axes, less
/// what lies on a joint's axis (canonical.hpp). set() does for all lanes what building a model does once.
#include "lane_memory.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/internal/sweep.hpp"

namespace torsor::internal {

template <class Real>
class LaneModel {
 public:
  using P = Lanes<Real>;

  explicit LaneModel(const Model<Real>& model)
      : model_(model), gravity_(model.gravity().template cast<P>()) {
    for (int i = 0; i < model.n_bodies(); ++i)
      bodies_.push_back(model.canonical(i).template cast<P>());
    for (int i = 0; i < model.n_bodies(); ++i)
      axes_.push_back(model.link_axes(i).template cast<P>());
    for (int k = 0; k < model.n_q(); ++k) offsets_.push_back(P(model.offset(k)));
    for (int k = 0; k < model.n_v(); ++k) dofs_.push_back(model.dof(k).template cast<P>());
  }

  /// Robots that differ in masses, friction, rotors, springs and limits alone, one for each lane; the
  /// first outlives this.
  explicit LaneModel(const Array<const Model<Real>*>& robots) : LaneModel(*robots[0]) {
    constexpr int W = lane_count<Real>;
    const auto gather = [&](P& to, auto number) {
      for (int l = 0; l < W; ++l) put<Real>(to, l, number(*robots[l]));
    };
    for (int i = 0; i < n_bodies(); ++i) {
      MassMoments<P>& a = bodies_[i].moments;
      gather(a.m, [&](const auto& m) { return m.canonical(i).moments.m; });
      for (int k = 0; k < 3; ++k)
        gather(a.h[k], [&](const auto& m) { return m.canonical(i).moments.h[k]; });
      const auto entry = [&](P& to, auto member) {
        gather(to, [&](const auto& m) { return m.canonical(i).moments.S.*member; });
      };
      using S = Sym3<Real>;
      entry(a.S.xx, &S::xx), entry(a.S.xy, &S::xy), entry(a.S.yy, &S::yy);
      entry(a.S.xz, &S::xz), entry(a.S.yz, &S::yz), entry(a.S.zz, &S::zz);
    }
    for (int k = 0; k < n_v(); ++k) {
      const auto constant = [&](P& to, auto member) {
        gather(to, [&](const auto& m) { return m.dof(k).*member; });
      };
      using D = DofConstants<Real>;
      DofConstants<P>& d = dofs_[k];
      constant(d.viscous, &D::viscous), constant(d.coulomb, &D::coulomb);
      constant(d.stiction, &D::stiction), constant(d.stribeck, &D::stribeck);
      constant(d.width, &D::width), constant(d.armature, &D::armature);
      constant(d.stiffness, &D::stiffness), constant(d.rest, &D::rest);
      constant(d.disturbance, &D::disturbance), constant(d.offset, &D::offset);
      constant(d.viscous_asymmetry, &D::viscous_asymmetry);
      constant(d.coulomb_asymmetry, &D::coulomb_asymmetry), constant(d.load, &D::load);
    }
  }

  /// Ten parameters of each moving body, in lanes.
  void set(const P* parameters) {
    for (int i = 1; i < n_bodies(); ++i) {
      const Inertia<P> I = inertia_of(parameters + parameters_per_body * (i - 1));
      bodies_[i].moments = mass_moments(transported(SE3<P>{transpose(axes_[i]), {}}, I));
    }
    bodies_[0].moments = {};
    for (int i = n_bodies() - 1; i > 0; --i)
      regroup(bodies_[i], bodies_[bodies_[i].parent].moments);
  }

  int n_bodies() const { return model_.n_bodies(); }
  int n_q() const { return model_.n_q(); }
  int n_v() const { return model_.n_v(); }
  int parent(int i) const { return model_.parent(i); }
  int first_q(int i) const { return model_.first_q(i); }
  int first_v(int i) const { return model_.first_v(i); }
  int n_v(int i) const { return model_.n_v(i); }
  bool branching(int i) const { return model_.branching(i); }
  JointClass joint_class(int i) const { return model_.joint_class(i); }
  const JointShape<Real>& joint(int i) const { return model_.joint(i); }
  const CanonicalBody<P>& canonical(int i) const { return bodies_[i]; }
  const SO3<P>& link_axes(int i) const { return axes_[i]; }
  const P& offset(int k) const { return offsets_[k]; }
  const DofConstants<P>& dof(int k) const { return dofs_[k]; }
  const Vec3<P>& gravity() const { return gravity_; }
  template <class Function>
  TORSOR_INLINE void for_each_hinge(Function&& f) const {
    model_.for_each_hinge(f);
  }
  template <class Function>
  TORSOR_INLINE void for_each_not_hinge(Function&& f) const {
    model_.for_each_not_hinge(f);
  }

 private:
  /// What lies on the axis of a hinge belongs to the parent, and the second moment of a slider.
  static void regroup(CanonicalBody<P>& b, MassMoments<P>& parent) {
    MassMoments<P>& a = b.moments;
    if (b.joint == JointClass::slider) {
      parent.S = parent.S + rotated(b.R, a.S);
      a.S = {};
    }
    if (b.joint != JointClass::hinge && b.joint != JointClass::turned_hinge) return;
    const Vec3<P>&z = b.R.c2, &p = b.p;
    const auto entry = [&](int r, int c) {
      return a.S.zz * z[r] * z[c] + a.h.z * (z[r] * p[c] + p[r] * z[c]) + a.m * p[r] * p[c];
    };
    parent = parent + MassMoments<P>{a.m,
                                     z * a.h.z + p * a.m,
                                     {entry(0, 0), entry(0, 1), entry(1, 1), entry(0, 2),
                                      entry(1, 2), entry(2, 2)}};
    a.m = a.h.z = a.S.zz = P(0);
  }

  const Model<Real>& model_;
  Array<CanonicalBody<P>> bodies_;
  Array<SO3<P>> axes_;
  Array<P> offsets_;
  Array<DofConstants<P>> dofs_;
  Vec3<P> gravity_;
};

}  // namespace torsor::internal
