#pragma once
/// q: unit quaternion x, y, z, w; v: body angular velocity. Steps are those of SO(3): R exp(v).
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Spherical : BodyVelocityJoint<4, 3> {
  static constexpr int quaternion = 0;
  static constexpr std::array coordinates{Measure::quaternion, Measure::quaternion,
                                          Measure::quaternion, Measure::quaternion};
  static constexpr std::array velocities{Measure::angle, Measure::angle, Measure::angle};

  static constexpr int moved_coordinate(int) { return -1; }

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    out.T = {rotation(internal::quaternion_at(q)), {}};
    out.S[0] = {Vec3<Real>::unit_x(), {}};
    out.S[1] = {Vec3<Real>::unit_y(), {}};
    out.S[2] = {Vec3<Real>::unit_z(), {}};
  }
  template <class Real>
  TORSOR_HD static void rates(EulerOrder, const Real* q, const Real* v, Real* out) {
    internal::quaternion_rates(q, internal::vec_at(v), out);
  }
  template <class Real>
  TORSOR_HD static void integrate(EulerOrder, const Real* q, const Real* v, Real* out) {
    using namespace internal;
    store(normalised(quaternion_at(q) * quaternion_exp(vec_at(v))), out);
  }
  template <class Real>
  TORSOR_HD static void difference(EulerOrder, const Real* q0, const Real* q1, Real* v) {
    using namespace internal;
    store(log(conjugate(quaternion_at(q0)) * quaternion_at(q1)), v);
  }
  template <class Real>
  TORSOR_HD static void chart_rates(EulerOrder, const Real*, const Real* z, Real* v) {
    using namespace internal;
    store(dexp_inv(vec_at(z), vec_at(static_cast<const Real*>(v))), v);
  }
  template <class Real>
  TORSOR_HD static void subtract_bracket(EulerOrder, const Real*, const Real* v, const Real* dq,
                                         Real* out) {
    using namespace internal;
    subtract(cross(vec_at(v), vec_at(dq)), out);
  }
  template <class Real>
  TORSOR_HD static void magnitudes(const Real*, Real* m) {
    m[0] = m[1] = m[2] = Real(1);
  }
};

}  // namespace torsor::joints
