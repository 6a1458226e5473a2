#include "torsor/trajectory/pose_path.hpp"

#include "support/allocation_counter.hpp"
#include "support/typed_scalars.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::distance;
using testing::Draw;
using testing::refusal;
using D = Dual<double, 1>;

const std::vector<double> times{0, 1, 1.8, 3};

std::vector<SE3<double>> poses(std::uint64_t seed) {
  Draw<double> draw(seed);
  return {draw.pose(), draw.pose(), draw.pose(), draw.pose()};
}
std::vector<PosePath<double>> both(double blend, std::uint64_t seed = 21) {
  return {pose_path(times, poses(seed), blend, PoseInterpolation::screw),
          pose_path(times, poses(seed), blend, PoseInterpolation::straight)};
}
double apart(const SE3<double>& a, const SE3<double>& b) {
  return distance(a.R, b.R) + distance(a.p, b.p);
}
double size(const Twist<double>& V) { return norm(V.w) + norm(V.v); }

TEST(PosePath, stopping_meets_every_pose_at_its_time_and_at_rest) {
  for (const auto& path : both(0)) {
    EXPECT_EQ(path.duration(), 3);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const PoseMotion<double> m = path.sample(times[k]);
      EXPECT_LE(apart(m.T, path.poses()[k]), 1e-14);
      EXPECT_LE(size(m.V), 1e-14);
      EXPECT_LE(size(m.Vdot), 1e-13);
    }
  }
}

TEST(PosePath, blending_meets_the_ends_at_rest_and_the_middles_of_long_segments) {
  for (const auto& path : both(0.4)) {
    EXPECT_NEAR(path.duration(), 3.4, 1e-15);
    EXPECT_LE(apart(path.sample(0.0).T, path.poses().front()), 1e-14);
    EXPECT_LE(apart(path.sample(3.4).T, path.poses().back()), 1e-14);
    EXPECT_LE(size(path.sample(0.0).V) + size(path.sample(0.0).Vdot), 1e-14);
    EXPECT_LE(size(path.sample(3.4).V) + size(path.sample(3.4).Vdot), 1e-12);
  }
  // Half a second after the first pose is the middle of the first screw, at constant twist.
  const auto path = both(0.4)[0];
  const ScrewPath<double> first(path.poses()[0], path.poses()[1]);
  const PoseMotion<double> m = path.sample(0.7);
  EXPECT_LE(apart(m.T, first.at(0.5).T), 1e-14);
  EXPECT_LE(distance(m.V.w, first.screw().w) + distance(m.V.v, first.screw().v), 1e-13);
  EXPECT_LE(size(m.Vdot), 1e-13);
}

TEST(PosePath, blending_passes_inner_poses_at_the_distance_stated) {
  const double blend = 0.4;
  const auto path = both(blend)[0];
  for (std::size_t k = 1; k < 3; ++k) {
    const auto screw = [&](std::size_t i) {
      return log(inverse_times(path.poses()[i - 1], path.poses()[i]));
    };
    const double before = 3.0 / 32 * blend / (times[k] - times[k - 1]);
    const double after = 3.0 / 32 * blend / (times[k + 1] - times[k]);
    const SE3<double> expected =
        path.poses()[k] * exp(screw(k) * -before) * exp(screw(k + 1) * after);
    EXPECT_LE(apart(path.sample(times[k] + blend / 2).T, expected), 1e-13);
  }
}

TEST(PosePath, twist_and_its_derivative_are_those_of_the_pose) {
  for (const double blend : {0.0, 0.4, 0.8})
    for (const auto& path : both(blend, 22))
      for (int k = 0; k < 60; ++k) {
        const double t = path.duration() * (k + 0.5) / 60;
        const PoseMotion<D> m = path.sample(D::variable(t, 0));
        Mat3<double> R, Rdot;
        Vec3<double> pdot, w, v;
        for (int c = 0; c < 3; ++c) {
          for (int r = 0; r < 3; ++r) R(r, c) = m.T.R(r, c).value, Rdot(r, c) = m.T.R(r, c).d[0];
          pdot[c] = m.T.p[c].d[0], w[c] = m.V.w[c].value, v[c] = m.V.v[c].value;
          EXPECT_NEAR(m.V.w[c].d[0], m.Vdot.w[c].value, 1e-11);
          EXPECT_NEAR(m.V.v[c].d[0], m.Vdot.v[c].value, 1e-11);
        }
        EXPECT_LE(distance(transpose_times(R, Rdot), skew(w)), 1e-12) << t;
        EXPECT_LE(distance(transpose_times(R, pdot), v), 1e-12) << t;
      }
}

TEST(PosePath, pose_twist_and_acceleration_are_continuous) {
  for (const double blend : {0.0, 0.4, 0.8})
    for (const auto& path : both(blend, 23)) {
      double largest = 0;
      for (int k = 0; k <= 3000; ++k)
        largest = std::max(largest, size(path.sample(path.duration() * k / 3000).Vdot));
      std::vector<double> corners;
      for (const double t : times)
        for (const double edge : {0.0, blend / 2, blend}) corners.push_back(t + edge);
      for (const double t : corners) {
        const auto a = path.sample(t - 1e-9), b = path.sample(t + 1e-9);
        EXPECT_LE(apart(a.T, b.T), 1e-7);
        EXPECT_LE(size(a.V - b.V), 4e-9 * largest + 1e-12);
        EXPECT_LE(size(a.Vdot - b.Vdot), 1e-5 * largest);
      }
    }
}

TEST(PosePath, holds_the_ends_outside_its_time_and_does_not_allocate) {
  for (const auto& path : both(0.4)) {
    const testing::AllocationCounter counter;
    const auto before = path.sample(-1.0), after = path.sample(10.0);
    EXPECT_EQ(counter.count(), 0u);
    EXPECT_LE(apart(before.T, path.poses().front()), 1e-14);
    EXPECT_LE(apart(after.T, path.poses().back()), 1e-13);
    EXPECT_EQ(size(before.V) + size(before.Vdot), 0);
    EXPECT_LE(size(after.V) + size(after.Vdot), 1e-13);
  }
}

TEST(PosePath, of_two_poses_is_the_screw_path) {
  const auto T = poses(24);
  const auto path = pose_path({0, 2}, {T[0], T[1]});
  const PoseTrajectory same(screw_path(T[0], T[1]), unit_law(Profile::quintic, 2));
  for (const double t : {0.3, 1.0, 1.9}) {
    EXPECT_LE(apart(path.sample(t).T, same.sample(t).T), 1e-14);
    EXPECT_LE(size(path.sample(t).V - same.sample(t).V), 1e-13);
    EXPECT_LE(size(path.sample(t).Vdot - same.sample(t).Vdot), 1e-13);
  }
}

TEST(PosePath, refuses_bad_input_with_one_line) {
  EXPECT_EQ(refusal([] {
              pose_path({0, 1}, {SE3<double>{}});
            }),
            "pose_path: poses has 1 numbers; 2 are needed");
  EXPECT_EQ(refusal([] {
              pose_path({0, -1}, {SE3<double>{}, SE3<double>{}});
            }),
            "pose_path: times[1] is -1 after 0; times must increase");
  EXPECT_EQ(refusal([] { pose_path(times, poses(1), 0.9); }),
            "pose_path: blend is 0.9 s; it must be between 0 and the time of every segment, 0.8 s "
            "before poses[2]");
  EXPECT_EQ(refusal([] { pose_path(times, poses(1), -1); }),
            "pose_path: blend is -1 s; it must be between 0 and the time of every segment");
  auto T = poses(1);
  T[2].R.c0 = T[2].R.c0 * 1.1;
  EXPECT_EQ(refusal([&] { pose_path(times, T); }).substr(0, 41),
            "pose_path: poses[2].R is not a rotation (");
}

}  // namespace
}  // namespace torsor
