#pragma once
/// q: position in the joint frame and three Euler angles; v: velocity of the origin in the child's axes
/// and rates of the angles. S depends on q. A step is p + R v, angles + rates.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct FreeEuler : BodyVelocityJoint<6, 6> {
  static constexpr bool has_order = true, has_sdot = true, constant_velocity_steps = false;
  static constexpr const char* urdf_type = "floating";
  static constexpr Dofs linear_in_child{0, 3};
  static constexpr std::array coordinates{Measure::length, Measure::length, Measure::length,
                                          Measure::angle,  Measure::angle,  Measure::angle};
  static constexpr std::array velocities = coordinates;

  static constexpr int moved_coordinate(int k) { return k; }

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder order, const Param&, const Real* q,
                               JointMotion<Real>& out) {
    Vec3<Real> axis[3];
    internal::euler_motion(order, q + 3, out.T.R, axis);
    out.T.p = internal::vec_at(q);
    out.S[0] = {{}, Vec3<Real>::unit_x()};
    out.S[1] = {{}, Vec3<Real>::unit_y()};
    out.S[2] = {{}, Vec3<Real>::unit_z()};
    for (int k = 0; k < 3; ++k) out.S[3 + k] = {axis[k], {}};
  }
  template <class Real>
  TORSOR_HD static void rates(EulerOrder order, const Real* q, const Real* v, Real* out) {
    using namespace internal;
    store(euler_rotation(order, q + 3) * vec_at(v), out);
    store(vec_at(v + 3), out + 3);
  }
  template <class Real>
  TORSOR_HD static void integrate(EulerOrder order, const Real* q, const Real* v, Real* out) {
    using namespace internal;
    store(vec_at(q) + euler_rotation(order, q + 3) * vec_at(v), out);
    store(vec_at(q + 3) + vec_at(v + 3), out + 3);
  }
  template <class Real>
  TORSOR_HD static void difference(EulerOrder order, const Real* q0, const Real* q1, Real* v) {
    using namespace internal;
    store(transpose_times(euler_rotation(order, q0 + 3), vec_at(q1) - vec_at(q0)), v);
    store(vec_at(q1 + 3) - vec_at(q0 + 3), v + 3);
  }
  /// p_0 + R_0 z: R_0 z' = R v.
  template <class Real>
  TORSOR_HD static void chart_rates(EulerOrder order, const Real* q0, const Real* z, Real* v) {
    using namespace internal;
    const Real turned[3] = {q0[3] + z[3], q0[4] + z[4], q0[5] + z[5]};
    const SO3<Real> R0 = euler_rotation(order, q0 + 3);
    const SO3<Real> R = euler_rotation(order, static_cast<const Real*>(turned));
    store(transpose_times(R0, R * vec_at(static_cast<const Real*>(v))), v);
  }
  /// p' = R v: the angles are coordinates, the position turns.
  template <class Real>
  TORSOR_HD static void subtract_bracket(EulerOrder order, const Real* q, const Real* v,
                                         const Real* dq, Real* out) {
    using namespace internal;
    SO3<Real> R;
    Vec3<Real> axis[3], w, turn;
    internal::euler_motion(order, q + 3, R, axis);
    for (int k = 0; k < 3; ++k) w += axis[k] * v[3 + k], turn += axis[k] * dq[3 + k];
    subtract(cross(w, vec_at(dq)) - cross(turn, vec_at(v)), out);
  }
  template <class Real>
  TORSOR_HD static void magnitudes(const Real* q, Real* m) {
    m[0] = m[1] = m[2] = norm(internal::vec_at(q));
    for (int k = 3; k < 6; ++k) m[k] = abs(q[k]);
  }
};

}  // namespace torsor::joints
