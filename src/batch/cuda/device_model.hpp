#pragma once
/// A robot as a kernel sees it: its shape is a type, its parameters are plain data.
///
/// What a sweep asks of a model, parent(i), first_v(i), the joint's class and kind, a shape answers with
/// constants: loops unroll, choices between kinds of joints vanish, and what a sweep hands from body to body
/// stays in registers. Read from memory instead, the same sweeps take twelve times as long. RolledModel
/// is that: for robots whose unrolled code would be too large, and, with the sizes of AnyShape, one program
/// for all robots where no compiler is at hand.
///
/// The arrays of a DeviceModel lie one after the other, so that the host can write them without knowing
/// the shape (model_bytes.cpp).
#include "torsor/model/internal/sweep.hpp"

namespace torsor::internal {

/// What is constant about a body of a shape; of a composite joint also where its parts begin.
struct BodyShape {
  JointClass joint = JointClass::hinge;
  JointKind kind = JointKind::revolute;
  EulerOrder order = EulerOrder::zyx;
  bool branching = false;
  int parent = 0, q = 0, v = 0, n_q = 0, n_v = 0;
  int first_part = 0, n_parts = 0;
};
struct JointPartShape {
  JointKind kind = JointKind::revolute;
  EulerOrder order = EulerOrder::zyx;
};

/// A serial chain of n hinges. `right`: each axis but the first is normal to the one before
/// (right_hinge.hpp).
template <int n, bool right = false>
struct HingeChainShape {
  static constexpr bool is_chain = true, right_angles = right;
  static constexpr int bodies = n + 1, coordinates = n, velocities = n, parts = 0;

  TORSOR_HD static constexpr BodyShape body(int i) {
    return {JointClass::hinge,
            JointKind::revolute,
            EulerOrder::zyx,
            false,
            i - 1,
            i - 1,
            i - 1,
            1,
            1,
            0,
            0};
  }
  TORSOR_HD static constexpr JointPartShape part(int) { return {}; }
};

template <class Shape>
using ShapeStorage = FixedStorage<Shape::bodies, Shape::coordinates, Shape::velocities>;

template <class Shape, class Real>
struct DeviceModel {
  static constexpr bool is_chain = Shape::is_chain;
  static constexpr bool right_angles = [] {
    if constexpr (is_chain) return Shape::right_angles;
    return false;
  }();
  static constexpr int max_velocities = Shape::velocities;
  using Storage = ShapeStorage<Shape>;

  CanonicalBody<Real> bodies[Shape::bodies];
  SO3<Real> axes[Shape::bodies];
  Real offsets[Shape::coordinates];
  DofConstants<Real> dofs[Shape::velocities];
  Real pitches[Shape::bodies];
  Vec3<Real> g;
  PartShape<Real> parts[Shape::parts > 0 ? Shape::parts : 1];
  Real slides[Shape::bodies];  ///< how far the file's origins were slid along the axes

  TORSOR_HD Real slide(int i) const { return slides[i]; }
  TORSOR_HD static constexpr int n_bodies() { return Shape::bodies; }
  TORSOR_HD static constexpr int n_q() { return Shape::coordinates; }
  TORSOR_HD static constexpr int n_v() { return Shape::velocities; }
  TORSOR_HD static constexpr int parent(int i) { return Shape::body(i).parent; }
  TORSOR_HD static constexpr int first_q(int i) { return Shape::body(i).q; }
  TORSOR_HD static constexpr int first_v(int i) { return Shape::body(i).v; }
  TORSOR_HD static constexpr int n_q(int i) { return Shape::body(i).n_q; }
  TORSOR_HD static constexpr int n_v(int i) { return Shape::body(i).n_v; }
  TORSOR_HD static constexpr bool branching(int i) { return Shape::body(i).branching; }
  TORSOR_HD static constexpr JointClass joint_class(int i) { return Shape::body(i).joint; }
  TORSOR_HD const CanonicalBody<Real>& canonical(int i) const { return bodies[i]; }
  TORSOR_HD const SO3<Real>& link_axes(int i) const { return axes[i]; }
  TORSOR_HD Real offset(int k) const { return offsets[k]; }
  TORSOR_HD const DofConstants<Real>& dof(int k) const { return dofs[k]; }
  TORSOR_HD const Vec3<Real>& gravity() const { return g; }
  TORSOR_HD JointShape<Real> joint(int i) const {
    const BodyShape b = Shape::body(i);
    JointShape<Real> shape{b.kind, b.order, b.n_q, b.n_v, pitches[i], {}, b.n_parts};
    for (int k = 0; k < b.n_parts; ++k) {
      const PartShape<Real>& from = parts[b.first_part + k];
      const JointPartShape part = Shape::part(b.first_part + k);
      shape.parts[k] = {part.kind, part.order, from.pitch, from.before, from.after};
    }
    return shape;
  }
  template <class Function>
  TORSOR_HD void for_each_hinge(Function&& f) const {
    TORSOR_UNROLL
    for (int i = 1; i < Shape::bodies; ++i) {
      const BodyShape b = Shape::body(i);
      if (b.joint == JointClass::hinge || b.joint == JointClass::turned_hinge) f(b.q);
    }
  }
  template <class Function>
  TORSOR_HD void for_each_not_hinge(Function&& f) const {
    if constexpr (!is_chain) {
      TORSOR_UNROLL
      for (int i = 1; i < Shape::bodies; ++i)
        if (Shape::body(i).joint != JointClass::hinge) f(i);
    }
  }
};

/// Sizes for any robot: what is compiled ahead for where there is no compiler.
struct AnyShape {
  static constexpr int bodies = 65, coordinates = 97, velocities = 96;
};

/// A robot up to the sizes of a shape, read from memory: loops over bodies stay loops.
template <class Shape, class Real>
struct RolledModel {
  static constexpr bool is_chain = false, right_angles = false;
  static constexpr int max_velocities = Shape::velocities;
  using Storage = ShapeStorage<Shape>;

  int count_bodies, count_q, count_v;
  const CanonicalBody<Real>* bodies;
  const SO3<Real>* axes;
  const Real* offsets;
  const DofConstants<Real>* dofs;
  const JointShape<Real>* joints;
  Vec3<Real> g;

  TORSOR_HD int n_bodies() const { return count_bodies; }
  TORSOR_HD int n_q() const { return count_q; }
  TORSOR_HD int n_v() const { return count_v; }
  TORSOR_HD int parent(int i) const { return bodies[i].parent; }
  TORSOR_HD int first_q(int i) const { return bodies[i].q; }
  TORSOR_HD int first_v(int i) const { return bodies[i].v; }
  TORSOR_HD int n_q(int i) const { return joints[i].n_q; }
  TORSOR_HD int n_v(int i) const { return bodies[i].n_v; }
  TORSOR_HD bool branching(int i) const { return bodies[i].branching; }
  TORSOR_HD JointClass joint_class(int i) const { return bodies[i].joint; }
  TORSOR_HD const CanonicalBody<Real>& canonical(int i) const { return bodies[i]; }
  TORSOR_HD const SO3<Real>& link_axes(int i) const { return axes[i]; }
  TORSOR_HD Real offset(int k) const { return offsets[k]; }
  TORSOR_HD const DofConstants<Real>& dof(int k) const { return dofs[k]; }
  TORSOR_HD const Vec3<Real>& gravity() const { return g; }
  TORSOR_HD const JointShape<Real>& joint(int i) const { return joints[i]; }
  template <class Function>
  TORSOR_HD void for_each_hinge(Function&& f) const {
    for (int i = 1; i < count_bodies; ++i)
      if (bodies[i].joint == JointClass::hinge || bodies[i].joint == JointClass::turned_hinge)
        f(bodies[i].q);
  }
  template <class Function>
  TORSOR_HD void for_each_not_hinge(Function&& f) const {
    for (int i = 1; i < count_bodies; ++i)
      if (bodies[i].joint != JointClass::hinge) f(i);
  }
};

}  // namespace torsor::internal
