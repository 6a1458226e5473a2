#pragma once
/// Springs and dampers between links: their wrenches on the bodies, torque and energy.
///
///   on body a   f at point_a,   on body b   -f at point_b         f: model/spring_damper.hpp
///   F_i = sum over the ends on body i of (R_i^T (r x f), R_i^T f)
///
/// The wrenches join the external ones of any verb: F_ext += F.
///
/// Frames   Wrenches in the link frames of the bodies, as F_ext; ends in those of their links. A
///          spring without a link ends on the ground: its point is in the root link's frame.
/// Cost     O(n) for the motion and O(1) for each spring; no allocation.
/// Source   Kim 2012: springs and dampers between bodies.
#include "torsor/kinematics/velocity.hpp"
#include "torsor/model/spring_damper.hpp"

namespace torsor {

template <class Real>
struct SpringDamperWorkspace {
  VelocityWorkspace<Real> velocity;
  std::vector<internal::SpringEnds> ends;

  template <class Param>
  explicit SpringDamperWorkspace(const Model<Param>& model)
      : velocity(model), ends(internal::spring_ends(model.description(), model.frames())) {}
};

/// Adds the wrenches of all springs and dampers to F, at the motion that forward_velocity found;
/// returns the energy of the springs (J).
template <class Param, class Real>
Real add_spring_damper_wrenches(const Model<Param>& model,
                                const std::vector<internal::SpringEnds>& ends,
                                const VelocityWorkspace<Real>& motion, Out<Wrench<Real>> F) {
  Real energy(0);
  const auto& T = motion.T_world_body;
  const auto& V = motion.V;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const auto& [a, b, point_a, point_b] = ends[k];
    const Vec3<Real> r_a = point_a.template cast<Real>(), r_b = point_b.template cast<Real>();
    const auto force = spring_damper_force(model.description().springs[k], T[a] * r_a,
                                           T[a].R * (V[a].v + cross(V[a].w, r_a)), T[b] * r_b,
                                           T[b].R * (V[b].v + cross(V[b].w, r_b)));
    const Vec3<Real> f_a = transpose_times(T[a].R, force.on_a),
                     f_b = -transpose_times(T[b].R, force.on_a);
    F[a] += Wrench<Real>{cross(r_a, f_a), f_a};
    F[b] += Wrench<Real>{cross(r_b, f_b), f_b};
    energy = energy + force.energy;
  }
  return energy;
}
/// The same at q and qd.
template <class Param, class Real>
Real add_spring_damper_wrenches(const Model<Param>& model, SpringDamperWorkspace<Real>& ws,
                                In<Real> q, In<Real> qd, Out<Wrench<Real>> F) {
  if (ws.ends.empty()) return Real(0);
  forward_velocity(model, ws.velocity, q, qd);
  return add_spring_damper_wrenches<Param, Real>(model, ws.ends, ws.velocity, F);
}

}  // namespace torsor
