#pragma once
/// q: x, y and angle in the plane normal to the axis; v: body twist (w, vx, vy). Steps are those of
/// SE(2): T exp(v).
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Planar : BodyVelocityJoint<3, 3> {
  static constexpr bool has_axis = true, in_urdf = true;
  static constexpr const char* urdf_type = "planar";
  static constexpr Dofs linear_in_child{1, 2};
  static constexpr std::array coordinates{Measure::length, Measure::length, Measure::angle};
  static constexpr std::array velocities{Measure::angle, Measure::length, Measure::length};

  static constexpr int moved_coordinate(int k) { return (k + 2) % 3; }

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    out.T = {rotation_z(q[2]), {q[0], q[1], Real(0)}};
    out.S[0] = {Vec3<Real>::unit_z(), {}};
    out.S[1] = {{}, Vec3<Real>::unit_x()};
    out.S[2] = {{}, Vec3<Real>::unit_y()};
  }
  template <class Real>
  TORSOR_HD static void rates(EulerOrder, const Real* q, const Real* v, Real* out) {
    // z passes the angle's rate through.
    internal::store(rotation_z(q[2]) * Vec3<Real>{v[1], v[2], v[0]}, out);
  }
  template <class Real>
  TORSOR_HD static void integrate(EulerOrder, const Real* q, const Real* v, Real* out) {
    const Twist<Real> x = twist(v);
    const Vec3<Real> step = internal::translation_of_exp(x.w, x.v);
    internal::store(Vec3<Real>{q[0], q[1], q[2] + v[0]} + rotation_z(q[2]) * step, out);
  }
  template <class Real>
  TORSOR_HD static void difference(EulerOrder, const Real* q0, const Real* q1, Real* v) {
    const Real o(0), turn = internal::wrapped_angle(q1[2] - q0[2]);
    const Vec3<Real> moved{q1[0] - q0[0], q1[1] - q0[1], o};
    const Vec3<Real> step =
        dexp_inv<Real>({o, o, -turn}, transpose_times(rotation_z(q0[2]), moved));
    v[0] = turn, v[1] = step.x, v[2] = step.y;
  }
  template <class Real>
  TORSOR_HD static void chart_rates(EulerOrder, const Real*, const Real* z, Real* v) {
    const Twist<Real> u = dexp_inv(twist(z), twist(v));
    v[0] = u.w.z, v[1] = u.v.x, v[2] = u.v.y;
  }
  template <class Real>
  TORSOR_HD static void subtract_bracket(EulerOrder, const Real*, const Real* v, const Real* dq,
                                         Real* out) {
    const Twist<Real> b = ad(twist(v), twist(dq));
    out[1] = out[1] - b.v.x, out[2] = out[2] - b.v.y;
  }
  template <class Real>
  TORSOR_HD static void magnitudes(const Real* q, Real* m) {
    m[0] = abs(q[2]), m[1] = m[2] = sqrt(q[0] * q[0] + q[1] * q[1]);
  }

 private:
  template <class Real>
  TORSOR_HD static Twist<Real> twist(const Real* v) {
    const Real o(0);
    return {{o, o, v[0]}, {v[1], v[2], o}};
  }
};

}  // namespace torsor::joints
