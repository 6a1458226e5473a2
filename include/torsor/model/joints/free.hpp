#pragma once
/// q: position in the joint frame and unit quaternion x, y, z, w; v: body twist (w, v). Steps are those
/// of SE(3): T exp(v).
#include "torsor/model/joints/spherical.hpp"

namespace torsor::joints {

struct Free : BodyVelocityJoint<7, 6> {
  static constexpr int quaternion = 3;
  static constexpr bool in_urdf = true;
  static constexpr const char* urdf_type = "floating";
  static constexpr Dofs linear_in_child{3, 3};
  static constexpr std::array coordinates{
      Measure::length,     Measure::length,     Measure::length,    Measure::quaternion,
      Measure::quaternion, Measure::quaternion, Measure::quaternion};
  static constexpr std::array velocities{Measure::angle,  Measure::angle,  Measure::angle,
                                         Measure::length, Measure::length, Measure::length};

  static constexpr int moved_coordinate(int k) { return k < 3 ? -1 : k - 3; }

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    const Vec3<Real> x = Vec3<Real>::unit_x(), y = Vec3<Real>::unit_y(), z = Vec3<Real>::unit_z();
    out.T = {rotation(internal::quaternion_at(q + 3)), internal::vec_at(q)};
    out.S = {{{x, {}}, {y, {}}, {z, {}}, {{}, x}, {{}, y}, {{}, z}}};
  }
  template <class Real>
  TORSOR_HD static void rates(EulerOrder, const Real* q, const Real* v, Real* out) {
    using namespace internal;
    store(rotation(quaternion_at(q + 3)) * vec_at(v + 3), out);
    quaternion_rates(q + 3, vec_at(v), out + 3);
  }
  template <class Real>
  TORSOR_HD static void integrate(EulerOrder, const Real* q, const Real* v, Real* out) {
    using namespace internal;
    const Quaternion<Real> R = quaternion_at(q + 3);
    const Vec3<Real> step = rotation(R) * translation_of_exp(vec_at(v), vec_at(v + 3));
    store(vec_at(q) + step, out);
    store(normalised(R * quaternion_exp(vec_at(v))), out + 3);
  }
  template <class Real>
  TORSOR_HD static void difference(EulerOrder, const Real* q0, const Real* q1, Real* v) {
    using namespace internal;
    const Quaternion<Real> R0 = quaternion_at(q0 + 3), R1 = quaternion_at(q1 + 3);
    const Vec3<Real> moved = transpose_times(rotation(R0), vec_at(q1) - vec_at(q0));
    const Vec3<Real> w = log(conjugate(R0) * R1);
    store(w, v);
    store(dexp_inv(-w, moved), v + 3);
  }
  template <class Real>
  TORSOR_HD static void chart_rates(EulerOrder, const Real*, const Real* z, Real* v) {
    const Twist<Real> u = dexp_inv(twist(z), twist(static_cast<const Real*>(v)));
    internal::store(u.w, v);
    internal::store(u.v, v + 3);
  }
  template <class Real>
  TORSOR_HD static void subtract_bracket(EulerOrder, const Real*, const Real* v, const Real* dq,
                                         Real* out) {
    const Twist<Real> b = ad(twist(v), twist(dq));
    internal::subtract(b.w, out);
    internal::subtract(b.v, out + 3);
  }
  template <class Real>
  TORSOR_HD static void magnitudes(const Real* q, Real* m) {
    Spherical::magnitudes(q + 3, m);
    m[3] = m[4] = m[5] = norm(internal::vec_at(q));
  }

 private:
  template <class Real>
  TORSOR_HD static Twist<Real> twist(const Real* v) {
    return {internal::vec_at(v), internal::vec_at(v + 3)};
  }
};

}  // namespace torsor::joints
