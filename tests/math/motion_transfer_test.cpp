#include "torsor/math/motion_transfer.hpp"

#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::Draw;

template <class Real>
class MotionTransferLaws : public ::testing::Test {};
TYPED_TEST_SUITE(MotionTransferLaws, testing::Scalars, testing::ScalarNames);

/// Second-order Taylor arithmetic: one variable, the time, at 0.
template <class Real>
using Time = Dual<Dual<Real, 1>, 1>;
template <class Real>
Time<Real> now() {
  Time<Real> t;
  t.value.d[0] = Real(1);
  t.d[0].value = Real(1);
  return t;
}
template <class Real>
struct Jet {
  Vec3<Real> value, rate, second;
};
template <class Real>
Jet<Real> jet(const Vec3<Time<Real>>& x) {
  Jet<Real> j;
  for (int k = 0; k < 3; ++k)
    j.value[k] = x[k].value.value, j.rate[k] = x[k].d[0].value, j.second[k] = x[k].d[0].d[0];
  return j;
}
template <class Real>
Mat3<Real> value(const Mat3<Time<Real>>& R) {
  return {jet<Real>(R.c0).value, jet<Real>(R.c1).value, jet<Real>(R.c2).value};
}
template <class Real>
Vec3<Time<Real>> drawn_path(Draw<Real>& draw) {
  const Time<Real> t = now<Real>();
  Vec3<Time<Real>> x;
  const auto a = draw.vec(), b = draw.vec(), c = draw.vec();
  for (int k = 0; k < 3; ++k)
    x[k] = Time<Real>(Dual<Real, 1>(a[k])) + t * Dual<Real, 1>(b[k]) + t * t * Dual<Real, 1>(c[k]);
  return x;
}
/// A moving frame as a curve in SE(3), and what it means at time 0.
template <class Real>
struct MovingFrame {
  SE3<Time<Real>> curve;
  FrameMotion<Real> motion;

  explicit MovingFrame(Draw<Real>& draw) : curve{exp(drawn_path(draw)), drawn_path(draw)} {
    motion = motion_of(curve);
  }
  /// w from R' R^T = [w], and w' from R'' R^T = [w'] + [w]^2.
  static FrameMotion<Real> motion_of(const SE3<Time<Real>>& T) {
    Mat3<Real> R, R1, R2;
    for (int k = 0; k < 3; ++k) {
      const auto j = jet<Real>(T.R[k]);
      R[k] = j.value, R1[k] = j.rate, R2[k] = j.second;
    }
    const auto p = jet<Real>(T.p);
    return {{R, p.value}, vee(R1 * transpose(R)), vee(R2 * transpose(R)), p.rate, p.second};
  }
};

// Craig 2005, ch. 6 (2) and 002: the general acceleration with Coriolis term, for a point that moves in a
// frame that moves, against two derivatives of its position.
TYPED_TEST(MotionTransferLaws, C_01_velocity_and_acceleration_of_a_moving_point_in_a_moving_frame) {
  using Real = TypeParam;
  Draw<Real> draw(1);
  for (int n = 0; n < 20; ++n) {
    const MovingFrame<Real> b(draw);
    const auto q = drawn_path(draw);
    const auto point = jet<Real>(q), truth = jet<Real>(b.curve * q);
    const auto got = b.motion * PointMotion<Real>{point.value, point.rate, point.second};
    EXPECT_CLOSE(got.position, truth.value, 60);
    EXPECT_CLOSE(got.velocity, truth.rate, 12);
    EXPECT_CLOSE(got.acceleration, truth.second, 40);
  }
}

TYPED_TEST(MotionTransferLaws, C_01_angular_velocity_and_acceleration_add_along_a_chain_of_frames) {
  using Real = TypeParam;
  Draw<Real> draw(2);
  for (int n = 0; n < 20; ++n) {
    const MovingFrame<Real> b(draw), c(draw);
    const auto truth = MovingFrame<Real>::motion_of(b.curve * c.curve);
    const auto got = b.motion * c.motion;
    EXPECT_CLOSE(got.T_ab, truth.T_ab, 60);
    EXPECT_CLOSE(got.w, truth.w, 12);
    EXPECT_CLOSE(got.w_dot, truth.w_dot, 60);
    EXPECT_CLOSE(got.velocity, truth.velocity, 20);
    EXPECT_CLOSE(got.acceleration, truth.acceleration, 80);
  }
}

TYPED_TEST(MotionTransferLaws, C_01_transfer_composes_like_the_poses) {
  using Real = TypeParam;
  Draw<Real> draw(3);
  const auto frame = [&] {
    return FrameMotion<Real>{draw.pose(), draw.vec(), draw.vec(), draw.vec(), draw.vec()};
  };
  for (int n = 0; n < 50; ++n) {
    const auto a = frame(), b = frame(), c = frame();
    const PointMotion<Real> q{draw.vec(), draw.vec(), draw.vec()};
    const auto left = (a * b) * q, right = a * (b * q);
    EXPECT_CLOSE(left.position, right.position, 20);
    EXPECT_CLOSE(left.velocity, right.velocity, 60);
    EXPECT_CLOSE(left.acceleration, right.acceleration, 150);
    EXPECT_CLOSE(((a * b) * c).w_dot, (a * (b * c)).w_dot, 60);
  }
}

TYPED_TEST(MotionTransferLaws, frame_motion_is_that_of_the_body_twist_and_its_rate) {
  using Real = TypeParam;
  Draw<Real> draw(4);
  for (int n = 0; n < 20; ++n) {
    const auto T = draw.pose();
    const auto V = draw.twist(), Vdot = draw.twist();
    // A curve with T^-1 T' = V + t V': exp(x) with x = V t + V' t^2/2, [V, V'] enters at t^2.
    const Time<Real> t = now<Real>();
    Twist<Time<Real>> x;
    const auto half = testing::ValueOf<Real>(0.5);
    for (int k = 0; k < 3; ++k) {
      x.w[k] = t * Dual<Real, 1>(V.w[k]) + t * t * Dual<Real, 1>(Vdot.w[k] * half);
      x.v[k] = t * Dual<Real, 1>(V.v[k]) + t * t * Dual<Real, 1>(Vdot.v[k] * half);
    }
    SE3<Time<Real>> start;
    for (int k = 0; k < 3; ++k) {
      start.p[k] = Time<Real>(Dual<Real, 1>(T.p[k]));
      for (int r = 0; r < 3; ++r) start.R(r, k) = Time<Real>(Dual<Real, 1>(T.R(r, k)));
    }
    const auto truth = MovingFrame<Real>::motion_of(start * exp(x));
    const auto got = frame_motion(T, V, Vdot);
    EXPECT_CLOSE(got.w, truth.w, 30);
    EXPECT_CLOSE(got.w_dot, truth.w_dot, 20);
    EXPECT_CLOSE(got.velocity, truth.velocity, 60);
    EXPECT_CLOSE(got.acceleration, truth.acceleration, 400);
  }
}

// A bead that slides outwards at 2 m/s along a spoke turning at 3 rad/s: at 0.5 m the acceleration
// is -w^2 r = -4.5 along the spoke and 2 w v = 12 across it (m/s^2).
TEST(MotionTransfer, C_01_bead_on_a_turning_spoke) {
  const FrameMotion<double> spoke{{}, {0, 0, 3}, {}, {}, {}};
  const auto bead = spoke * PointMotion<double>{{0.5, 0, 0}, {2, 0, 0}, {}};
  EXPECT_EQ(testing::distance(bead.velocity, Vec3<double>{2, 1.5, 0}), 0);
  EXPECT_EQ(testing::distance(bead.acceleration, Vec3<double>{-4.5, 12, 0}), 0);
}

}  // namespace
}  // namespace torsor
