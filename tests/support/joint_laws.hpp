#pragma once
/// What every kind of joint obeys (model/joints/joint_type.hpp): its members describe one motion.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "support/typed_scalars.hpp"
#include "torsor/math/dual.hpp"
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::testing {

/// One kind at a drawn state. Laws are checked to `near`; those of finite differences to 1e-6.
template <class Kind>
class JointLaws {
  using Tangent = Dual<double, 1>;
  static constexpr int room = internal::max_joint_coordinates;
  static constexpr double pitch = 0.3, near = 1e-12;

 public:
  JointLaws(std::string name, EulerOrder order, unsigned seed) : what_(std::move(name)), o_(order) {
    Draw<double> draw(seed);
    for (int k = 0; k < Kind::n_q; ++k) q_[k] = draw(-1.2, 1.2);
    if constexpr (Kind::quaternion >= 0)
      internal::store(normalised(internal::quaternion_at(q_ + Kind::quaternion)),
                      q_ + Kind::quaternion);
    for (int k = 0; k < Kind::n_v; ++k) v_[k] = draw(-0.8, 0.8), x_[k] = draw(-0.8, 0.8);
  }

  void expect_all() {
    velocity_columns_are_those_of_the_motion();
    rates_begin_a_step();
    steps_and_differences_are_inverse();
    chart_rates_follow_the_velocity();
    changes_along_a_motion_obey_the_bracket();
    coordinates_and_velocities_belong_together();
  }

 private:
  /// T^-1 T' = S v, and S changes along the motion exactly where has_sdot says so.
  void velocity_columns_are_those_of_the_motion() {
    double rates[room]{};
    Kind::rates(o_, in(q_), in(v_), rates);
    Tangent x[room];
    for (int k = 0; k < Kind::n_q; ++k) x[k].value = q_[k], x[k].d[0] = rates[k];
    JointMotion<Tangent> motion;
    Kind::motion(o_, pitch, static_cast<const Tangent*>(x), motion);
    JointMotion<double> still;
    Kind::motion(o_, pitch, in(q_), still);
    Twist<double> V{};
    double change = 0;
    for (int k = 0; k < Kind::n_v; ++k) {
      V += still.S[k] * v_[k];
      change += norm(rate(motion.S[k].w)) + norm(rate(motion.S[k].v));
    }
    const Mat3<double> Rdot{rate(motion.T.R.c0), rate(motion.T.R.c1), rate(motion.T.R.c2)};
    const Twist<double> seen{vee(transpose_times(still.T.R, Rdot)),
                             transpose_times(still.T.R, rate(motion.T.p))};
    EXPECT_LE(norm(seen.w - V.w) + norm(seen.v - V.v), near) << what_;
    EXPECT_EQ(change > near, Kind::has_sdot && Kind::n_v > 0) << what_;
    const bool turns = Kind::motion_class == JointMotionClass::turns;
    if (Kind::motion_class == JointMotionClass::general) return;
    EXPECT_EQ(Kind::n_v, 1) << what_;
    EXPECT_EQ(norm(turns ? still.S[0].v : still.S[0].w), 0) << what_;
    EXPECT_EQ((turns ? still.S[0].w : still.S[0].v).z, 1) << what_;
  }

  void rates_begin_a_step() {
    double rates[room]{};
    Kind::rates(o_, in(q_), in(v_), rates);
    Tangent q[room], step[room], after[room];
    for (int k = 0; k < Kind::n_q; ++k) q[k].value = q_[k];
    for (int k = 0; k < Kind::n_v; ++k) step[k].d[0] = v_[k];
    Kind::integrate(o_, static_cast<const Tangent*>(q), static_cast<const Tangent*>(step), after);
    bool same = Kind::n_q == Kind::n_v;
    for (int k = 0; k < Kind::n_q; ++k) {
      EXPECT_NEAR(after[k].value, q_[k], near) << what_ << " " << k;
      EXPECT_NEAR(after[k].d[0], rates[k], near) << what_ << " " << k;
      same = same && rates[k] == v_[k];
    }
    if (Kind::n_v > 0) {
      EXPECT_EQ(same, Kind::velocities_are_rates) << what_;
    }
  }

  void steps_and_differences_are_inverse() {
    double after[room]{}, back[room]{};
    Kind::integrate(o_, in(q_), in(v_), after);
    Kind::difference(o_, in(q_), in(after), back);
    for (int k = 0; k < Kind::n_v; ++k) EXPECT_NEAR(back[k], v_[k], near) << what_ << " " << k;
  }

  /// q0 (+) z(t) with z' = chart_rates(z, v) has the rates of v.
  void chart_rates_follow_the_velocity() {
    double zdot[room]{}, after[room]{}, rates[room]{};
    for (int k = 0; k < Kind::n_v; ++k) zdot[k] = v_[k];
    Kind::chart_rates(o_, in(q_), in(x_), zdot);
    Tangent q[room], z[room], moved[room];
    for (int k = 0; k < Kind::n_q; ++k) q[k].value = q_[k];
    for (int k = 0; k < Kind::n_v; ++k) z[k].value = x_[k], z[k].d[0] = zdot[k];
    Kind::integrate(o_, static_cast<const Tangent*>(q), static_cast<const Tangent*>(z), moved);
    Kind::integrate(o_, in(q_), in(x_), after);
    Kind::rates(o_, in(after), in(v_), rates);
    for (int k = 0; k < Kind::n_q; ++k)
      EXPECT_NEAR(moved[k].d[0], rates[k], near) << what_ << " " << k;

    double along[room]{};
    for (int k = 0; k < Kind::n_v; ++k) along[k] = v_[k];
    Kind::chart_rates(o_, in(q_), in(v_), along);
    double off = 0;
    for (int k = 0; k < Kind::n_v; ++k) off += std::abs(along[k] - v_[k]);
    EXPECT_EQ(off <= near, Kind::constant_velocity_steps) << what_;
  }

  /// On the surface q(t, s) = q (+) (t v + s x): d/dt of the velocity along s less d/ds of the one
  /// along t is minus their bracket.
  void changes_along_a_motion_obey_the_bracket() {
    const double h = 1e-4;
    double q[5][5][room]{};  // t and s from -2h to 2h
    for (int t = 0; t < 5; ++t)
      for (int s = 0; s < 5; ++s) {
        double z[room]{};
        for (int k = 0; k < Kind::n_v; ++k) z[k] = h * ((t - 2) * v_[k] + (s - 2) * x_[k]);
        Kind::integrate(o_, in(q_), in(z), q[t][s]);
      }
    const auto velocity = [&](const double* before, const double* at, const double* after,
                              double* v) {
      double back[room]{};
      Kind::difference(o_, at, after, v);
      Kind::difference(o_, at, before, back);
      for (int k = 0; k < Kind::n_v; ++k) v[k] = (v[k] - back[k]) / (2 * h);
    };
    const auto along_t = [&](int t, int s, double* v) {
      velocity(q[t - 1][s], q[t][s], q[t + 1][s], v);
    };
    const auto along_s = [&](int t, int s, double* v) {
      velocity(q[t][s - 1], q[t][s], q[t][s + 1], v);
    };
    double v0[room]{}, v1[room]{}, x0[room]{}, x1[room]{}, bracket[room]{};
    along_t(2, 1, v0), along_t(2, 3, v1), along_s(1, 2, x0), along_s(3, 2, x1);
    Kind::subtract_bracket(o_, in(q_), in(v_), in(x_), bracket);
    for (int k = 0; k < Kind::n_v; ++k)
      EXPECT_NEAR((x1[k] - x0[k] - v1[k] + v0[k]) / (2 * h), bracket[k], 1e-6) << what_ << " " << k;
  }

  void coordinates_and_velocities_belong_together() {
    double rates[room]{}, sizes[room];
    Kind::rates(o_, in(q_), in(v_), rates);
    for (double& m : sizes) m = -1;
    Kind::magnitudes(in(q_), sizes);
    JointMotion<double> motion;
    Kind::motion(o_, pitch, in(q_), motion);
    const auto [first, count] = Kind::linear_in_child;
    Vec3<double> v{};
    for (int k = 0; k < count; ++k) v[k] = v_[first + k];
    std::set<int> moved;
    for (int k = 0; k < room; ++k) EXPECT_EQ(sizes[k] >= 0, k < Kind::n_v) << what_ << " " << k;
    for (int k = 0; k < Kind::n_v; ++k) {
      const int at = Kind::moved_coordinate(k);
      if (at < 0) continue;
      ASSERT_LT(at, Kind::n_q) << what_;
      EXPECT_TRUE(moved.insert(at).second) << what_ << " " << k;
      EXPECT_EQ(Kind::coordinates.data()[at], Kind::velocities.data()[k]) << what_ << " " << k;
      const bool in_child = first <= k && k < first + count;
      EXPECT_NEAR(rates[at], in_child ? (motion.T.R * v)[k - first] : v_[k], near) << what_;
    }
    for (int k = 0; k < Kind::n_q; ++k) {
      const bool quaternion = Kind::coordinates.data()[k] == Measure::quaternion;
      EXPECT_EQ(quaternion, Kind::quaternion >= 0 && k >= Kind::quaternion) << what_ << " " << k;
      EXPECT_EQ(!quaternion, moved.contains(k)) << what_ << " " << k;
    }
  }

  static const double* in(const double* x) { return x; }
  static Vec3<double> rate(const Vec3<Tangent>& a) { return {a.x.d[0], a.y.d[0], a.z.d[0]}; }

  std::string what_;
  EulerOrder o_;
  double q_[room]{}, v_[room]{}, x_[room]{};
};

}  // namespace torsor::testing
