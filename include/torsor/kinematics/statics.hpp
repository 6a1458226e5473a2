#pragma once
/// Statics: joint torques that hold a wrench at a frame, and the wrench that torques can hold.
///
///   tau = J^T F         <F, J qd> = <tau, qd> for every qd: virtual work
///   F   = (J^T)^+ tau   the least wrench with least |tau - J^T F|
///
/// Frames   F is the wrench that the robot exerts at the frame, written in the same Reference as J:
///          about the frame's origin in its own axes (body) or the world's (world_aligned), or
///          about the origin of the world. A wrench that acts on the robot has the opposite sign.
/// Cost     O(n), no allocation; J is not formed for tau.
/// Source   Craig 2005, sec. 5.9 to 5.11; duality of velocity and force.
#include "torsor/kinematics/singularity.hpp"

namespace torsor {

/// Forward kinematics, then tau = J^T F.
template <class Param, class Real>
void statics(const Model<Param>& model, KinematicsWorkspace<Real>& ws, In<Real> q,
             const Frame& frame, Reference reference, const std::type_identity_t<Wrench<Real>>& F,
             Out<Real> tau) {
  forward_kinematics<Param, Real>(model, ws, q);
  const SE3<Real>* const T = ws.T_world_body.data();
  const SE3<Real> T_frame = frame_pose(ws, frame);
  const bool own_axes = reference == Reference::body;
  const Vec3<Real> f = own_axes ? T_frame.R * F.f : F.f, m = own_axes ? T_frame.R * F.m : F.m;
  const Vec3<Real> x = reference == Reference::world ? Vec3<Real>{} : T_frame.p;
  internal::for_each_column(
      model, T, q.data, frame.body,
      [&](int k, int i, const Vec3<Real>& s, const Vec3<Real>& u) {
        tau[k] = dot(s, m + cross(x - T[i].p, f)) + dot(u, f);
      },
      [&](int k) { tau[k] = Real(0); });
}

struct [[nodiscard]] StaticWrench {
  Wrench<double> F{};
  int rank = 0;         ///< fewer than six: other wrenches need the same torques
  double residual = 0;  ///< |tau - J^T F|: torques that no wrench at the frame explains
};
/// The wrench that torques tau hold at a frame.
StaticWrench wrench_from_torques(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                                 const Frame& frame, Reference reference, In<double> tau,
                                 double rank_tolerance = 1e-10);

}  // namespace torsor
