#include "torsor/trajectory/se3_path.hpp"

#include "support/allocation_counter.hpp"
#include "support/typed_scalars.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::distance;
using testing::Draw;
using testing::refusal;
using D = Dual<double, 1>;

constexpr double pi = std::numbers::pi;

/// T^-1 T' as a twist, and V', from a sample at a dual time; against V and V' as returned.
template <class Source>
void expect_twist_is_that_of_the_pose(const Source& sample, double t, double tol) {
  const PoseMotion<D> m = sample(D::variable(t, 0));
  Mat3<double> R, Rdot;
  Vec3<double> pdot, Vw, Vv;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      R(r, c) = m.T.R(r, c).value;
      Rdot(r, c) = m.T.R(r, c).d[0];
    }
    pdot[c] = m.T.p[c].d[0];
    Vw[c] = m.V.w[c].value, Vv[c] = m.V.v[c].value;
    EXPECT_NEAR(m.V.w[c].d[0], m.Vdot.w[c].value, tol);
    EXPECT_NEAR(m.V.v[c].d[0], m.Vdot.v[c].value, tol);
  }
  EXPECT_LE(distance(transpose_times(R, Rdot), skew(Vw)), tol);
  EXPECT_LE(distance(transpose_times(R, pdot), Vv), tol);
}

TEST(ScrewPath, meets_both_ends_for_every_angle_to_pi) {
  Draw<double> draw(11);
  for (const double angle : testing::angle_battery<double>())
    for (int k = 0; k < 20; ++k) {
      const SE3<double> T0 = draw.pose();
      const SE3<double> T1 = T0 * SE3<double>{exp(draw.unit() * angle), draw.vec()};
      for (const auto& ends : {screw_path(T0, T1).at(0.0).T, line_path(T0, T1).at(0.0).T}) {
        EXPECT_LE(distance(ends.R, T0.R), 1e-15);
        EXPECT_LE(distance(ends.p, T0.p), 1e-15);
      }
      for (const auto& ends : {screw_path(T0, T1).at(1.0).T, line_path(T0, T1).at(1.0).T}) {
        EXPECT_LE(distance(ends.R, T1.R), 2e-15) << angle;
        EXPECT_LE(distance(ends.p, T1.p), 1e-14) << angle;
      }
    }
}

TEST(ScrewPath, has_a_constant_body_twist) {
  Draw<double> draw(12);
  for (const double angle : {0.0, 1e-8, 0.5, 2.0, pi - 1e-8, pi}) {
    const SE3<double> T0 = draw.pose();
    const SE3<double> T1 = T0 * SE3<double>{exp(draw.unit() * angle), draw.vec()};
    const ScrewPath<double> path = screw_path(T0, T1);
    for (const double s : {0.0, 0.3, 0.9}) {
      const PoseMotion<double> m = path.at(s, 1, 0);
      EXPECT_LE(distance(m.V.w, path.screw().w) + distance(m.V.v, path.screw().v), 0);
      // What remains of the way is the same screw.
      const Twist<double> rest = log(inverse_times(m.T, T1));
      EXPECT_LE(distance(rest.w, path.screw().w * (1 - s)), 1e-12);
      EXPECT_LE(distance(rest.v, path.screw().v * (1 - s)), 1e-12);
    }
  }
}

TEST(ScrewPath, a_quarter_turn_about_a_distant_axis_follows_the_circle) {
  // About z through (1, 0, 0), from the origin: the half-way point is (1 - cos 45, -sin 45, 0).
  const SE3<double> T1{rotation_z(pi / 2), {1, -1, 0}};
  const PoseMotion<double> m = screw_path({}, T1).at(0.5, 1, 0);
  EXPECT_NEAR(m.T.p.x, 1 - std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(m.T.p.y, -std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(m.V.w.z, pi / 2, 1e-15);
  EXPECT_NEAR(m.V.v.y, -pi / 2, 1e-15) << "radius times rate, along the tangent";
  EXPECT_NEAR(m.V.v.x, 0, 1e-15);
}

TEST(ScrewPath, does_not_depend_on_the_frames_chosen) {
  Draw<double> draw(13);
  for (int k = 0; k < 20; ++k) {
    const SE3<double> T0 = draw.pose(), T1 = draw.pose(), left = draw.pose(), tool = draw.pose();
    const SE3<double> a = left * screw_path(T0, T1).at(0.37).T * tool;
    const SE3<double> b = screw_path(left * T0 * tool, left * T1 * tool).at(0.37).T;
    EXPECT_LE(distance(a.R, b.R), 1e-13);
    EXPECT_LE(distance(a.p, b.p), 1e-12);
  }
}

TEST(LinePath, moves_the_origin_straight_and_turns_evenly) {
  Draw<double> draw(14);
  for (int k = 0; k < 20; ++k) {
    const SE3<double> T0 = draw.pose(), T1 = draw.pose();
    const LinePath<double> path = line_path(T0, T1);
    const Vec3<double> turn = log(transpose_times(T0.R, T1.R));
    for (const double s : {0.2, 0.7}) {
      const PoseMotion<double> m = path.at(s, 1, 0);
      EXPECT_LE(distance(m.T.p, T0.p + (T1.p - T0.p) * s), 1e-15);
      EXPECT_LE(distance(log(transpose_times(T0.R, m.T.R)), turn * s), 1e-13);
      EXPECT_LE(distance(m.T.R * m.V.v, T1.p - T0.p), 1e-14);
    }
  }
}

TEST(PoseTrajectory, twist_and_its_derivative_are_those_of_the_pose) {
  Draw<double> draw(15);
  for (const double angle : {0.0, 1e-4, 1.0, 3.0, pi}) {
    const SE3<double> T0 = draw.pose();
    const SE3<double> T1 = T0 * SE3<double>{exp(draw.unit() * angle), draw.vec()};
    const PoseTrajectory screw(screw_path(T0, T1), unit_law(Profile::quintic, 1.7));
    const PoseTrajectory line(line_path(T0, T1), unit_law(Profile::double_s, 1.7));
    for (const double t : {0.1, 0.6, 1.5}) {
      expect_twist_is_that_of_the_pose([&](const D& x) { return screw.sample(x); }, t, 1e-13);
      expect_twist_is_that_of_the_pose([&](const D& x) { return line.sample(x); }, t, 1e-13);
    }
  }
}

/// Speeds and accelerations of the origin and the rotation, at their largest over samples.
template <class Trajectory>
PoseLimits largest(const Trajectory& trajectory) {
  PoseLimits l{0, 0, 0, 0};
  for (int k = 0; k <= 5000; ++k) {
    const PoseMotion<double> m = trajectory.sample(trajectory.duration() * k / 5000);
    l.velocity = std::max(l.velocity, norm(m.V.v));
    l.angular_velocity = std::max(l.angular_velocity, norm(m.V.w));
    l.acceleration = std::max(l.acceleration, norm(m.Vdot.v + cross(m.V.w, m.V.v)));
    l.angular_acceleration = std::max(l.angular_acceleration, norm(m.Vdot.w));
  }
  return l;
}

TEST(TimedPath, keeps_the_limits_and_touches_one_of_them_on_a_line) {
  Draw<double> draw(16);
  const PoseLimits l{0.5, 1, 0.8, 2};
  for (int k = 0; k < 20; ++k) {
    const SE3<double> T0 = draw.pose(), T1 = draw.pose();
    for (const Profile profile : {Profile::cubic, Profile::quintic, Profile::double_s}) {
      const PoseLimits a = largest(timed(screw_path(T0, T1), l, profile));
      const PoseLimits b = largest(timed(line_path(T0, T1), l, profile));
      for (const PoseLimits& seen : {a, b}) {
        EXPECT_LE(seen.velocity, l.velocity * (1 + 1e-12));
        EXPECT_LE(seen.acceleration, l.acceleration * (1 + 1e-12));
        EXPECT_LE(seen.angular_velocity, l.angular_velocity * (1 + 1e-12));
        EXPECT_LE(seen.angular_acceleration, l.angular_acceleration * (1 + 1e-12));
      }
      EXPECT_NEAR(std::max({b.velocity / l.velocity, b.acceleration / l.acceleration,
                            b.angular_velocity / l.angular_velocity,
                            b.angular_acceleration / l.angular_acceleration}),
                  1, 1e-5);
    }
  }
}

TEST(TimedPath, keeps_the_acceleration_limit_where_the_screw_bends_the_way) {
  // Half a turn on a circle of radius 2 under the cubic law: half way the origin has no tangential
  // acceleration, and pi^2 2 (3/2)^2 / T^2 towards the centre, more than 2 pi 6 / T^2 at the ends.
  const auto path = screw_path({}, {rotation_z(pi), {4, 0, 0}});
  const auto motion = timed(path, {.acceleration = 1}, Profile::cubic);
  const double T = motion.duration();
  const double tangential = 2 * pi * 6, central = pi * pi * 2 * 2.25;
  EXPECT_NEAR(T, std::sqrt(std::hypot(tangential, central)), 1e-12);
  EXPECT_NEAR(largest(motion).acceleration, central / (T * T), 1e-9);
  EXPECT_LE(largest(motion).acceleration, 1);
}

TEST(ScrewPath, duals_in_a_pose_pass_through) {
  SE3<D> T0, T1;
  T1.p.x = D::variable(2.0, 0);
  const auto m = ScrewPath<D>(T0, T1).at(0.25, 3.0, 0.0);
  EXPECT_NEAR(m.T.p.x.d[0], 0.25, 1e-15);
  EXPECT_NEAR(m.V.v.x.d[0], 3, 1e-15);
}

TEST(ScrewPath, sampling_does_not_allocate) {
  const PoseTrajectory path(screw_path({}, {rotation_x(1.0), {1, 2, 3}}), unit_law(Profile::cubic));
  const testing::AllocationCounter counter;
  const auto m = path.sample(0.4);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(m.T.p.x, 0);
}

TEST(ScrewPath, refuses_poses_that_are_not_rigid_and_bad_laws_with_one_line) {
  SE3<double> bad;
  bad.p.y = std::nan("");
  EXPECT_EQ(refusal([&] { screw_path({}, bad); }), "screw_path: T1.p[1] is not finite (nan)");
  bad = {};
  bad.R.c0.x = -1;
  EXPECT_EQ(refusal([&] { line_path(bad, {}); }),
            "line_path: T0.R is not a rotation (determinant -1, first column of norm 1)");
  const auto path = screw_path({}, {rotation_x(1.0), {}});
  EXPECT_EQ(refusal([&] { PoseTrajectory(path, quintic({.q = {0}}, {.q = {2}}, 1)); }),
            "time_scaled: the law goes from 0 to 2; the trajectory is defined from 0 to 1");
  EXPECT_EQ(refusal([&] { timed(path, {}); }),
            "minimum_duration: nothing that moves has a finite limit");
  EXPECT_EQ(refusal([&] { timed(path, {.velocity = 1}); }),
            "minimum_duration: nothing that moves has a finite limit");
  EXPECT_EQ(refusal([&] { timed(path, {.velocity = -1}); }),
            "minimum_duration: a pose limit is -1; it must be greater than zero");
}

}  // namespace
}  // namespace torsor
