#pragma once
/// The form of a robot that the sweeps run on; exact for tau, qdd, M, C, energy, momentum and their
/// derivatives.
///
/// 1. Frames. The origin of each body frame stays the file's; it is turned so that z is the joint's axis
///    and x is normal to the axis of the first hinge it carries. A revolute joint then is
///      R_parent_child = Rx(alpha) Rz(q + offset)       ("hinge": a rotation costs 8 multiply-adds, not 9 + 12)
///    and, for the other children of a branching body, R Rz(q + offset) with a constant R ("turned hinge").
/// 2. Base parameters. Particles on the axis of a hinge belong to the parent as much as to the child: their
///    moments (m, h_z, S_zz) are moved to the parent when the model is built, and 7 of 10 numbers remain. A
///    slider does not turn, so its second moment moves to the parent. Only link wrenches lose their meaning.
/// 3. Second moments S = int r r^T dm instead of the inertia matrix: see MassMoments in math/inertia.hpp.
///
/// Source   Khalil & Dombre 2002, ch. 9 (regrouping); Huo 2005, sec. 2.5; here used for speed.
#include "torsor/math/array.hpp"
#include "torsor/model/internal/sweep_model.hpp"

namespace torsor::internal {

template <class Param>
struct CanonicalForm {
  Array<CanonicalBody<Param>> bodies;  ///< [0]: what the first hinges gave to the world
  Array<Param> offset;                 ///< per coordinate: hinge angle = q + offset
  Array<SO3<Param>> R_link_canonical;  ///< canonical axes of body i in its link frame
  Array<int> hinge_q;                  ///< coordinates whose sine and cosine are needed
  Array<int> branching;                ///< bodies that carry another one than the next
  Array<int> not_hinges;               ///< bodies whose joint is not a (plain) hinge
  /// The moments once more, by component, for the algorithms that take several bodies at a time: blocks of 16
  /// velocities with rows m, h, S of 16 numbers; a body's at its last velocity, zeros at its others.
  Array<Param> moment_rows;

  template <class Other>
  CanonicalForm<Other> cast() const {
    CanonicalForm<Other> form;
    for (const auto& b : bodies) form.bodies.push_back(b.template cast<Other>());
    for (const auto& x : offset) form.offset.push_back(Other(x));
    for (const auto& R : R_link_canonical)
      form.R_link_canonical.push_back(R.template cast<Other>());
    form.hinge_q = hinge_q;
    form.branching = branching;
    form.not_hinges = not_hinges;
    for (const auto& x : moment_rows) form.moment_rows.push_back(Other(x));
    return form;
  }
};

/// One body of the physical form, as the canonical form needs it.
struct CanonicalInput {
  int parent = 0, q = 0, v = 0;
  JointKind kind = JointKind::fixed;
  int n_v = 0;
  SE3<double> placement{};
  SO3<double> turn{};
  Inertia<double> inertia{};
};
CanonicalForm<double> canonical_form(const Array<CanonicalInput>& bodies, int n_q);

}  // namespace torsor::internal
