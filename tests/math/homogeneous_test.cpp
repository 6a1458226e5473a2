#include "torsor/math/homogeneous.hpp"

#include "support/typed_scalars.hpp"
#include "torsor/math/spatial.hpp"

namespace torsor {
namespace {

using testing::Draw;
constexpr double pi = std::numbers::pi;

double distance(const HomogeneousMatrix<double>& a, const HomogeneousMatrix<double>& b) {
  double d = 0;
  for (std::size_t k = 0; k < 16; ++k) d = std::max(d, testing::distance(a[k], b[k]));
  return d;
}

template <class Real>
class HomogeneousLaws : public ::testing::Test {};
TYPED_TEST_SUITE(HomogeneousLaws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(HomogeneousLaws, K_1_1_11_points_are_equal_up_to_a_nonzero_factor) {
  using Real = TypeParam;
  using Point = HomogeneousPoint<Real>;
  Draw<Real> draw(1);
  for (int n = 0; n < 50; ++n) {
    const auto r = draw.vec();
    const Real s = draw(0.5, 3), t = draw(-3, -0.5);
    const Point p{r, Real(1)}, scaled{r * s, s}, negative{r * t, t};
    EXPECT_TRUE(all(p == scaled));
    EXPECT_TRUE(all(p == negative));
    EXPECT_TRUE(all(scaled == negative));
    EXPECT_FALSE(any(p == Point{r, Real(-1)}));
    EXPECT_FALSE(any(p == Point{r + Vec3<Real>{Real(1e-3), Real(0), Real(0)}, Real(1)}));
    EXPECT_FALSE(any(p == Point{r, Real(0)}));
    EXPECT_FALSE(any(Point{Vec3<Real>{}, Real(0)} == p));
  }
}

TYPED_TEST(HomogeneousLaws, points_move_and_directions_turn) {
  using Real = TypeParam;
  Draw<Real> draw(2);
  for (int n = 0; n < 50; ++n) {
    const auto T = draw.pose();
    const auto r = draw.vec();
    const Real s = draw(0.5, 2);
    const auto moved = T * HomogeneousPoint<Real>{r * s, s};
    EXPECT_CLOSE(moved.a, (T * r) * s, 40);
    EXPECT_CLOSE(moved.alpha, s, 0);
    EXPECT_CLOSE((T * HomogeneousPoint<Real>{r, Real(0)}).a, T.R * r, 10);
  }
}

TYPED_TEST(HomogeneousLaws, K_1_1_12_basic_motions_are_exponentials_of_screws) {
  using Real = TypeParam;
  Draw<Real> draw(3);
  const Real d = draw(-2, 2), a = draw(-3, 3);
  using V = Vec3<Real>;
  EXPECT_CLOSE(trans_x(d), exp(Twist<Real>{{}, V::unit_x() * d}), 1);
  EXPECT_CLOSE(trans_y(d), exp(Twist<Real>{{}, V::unit_y() * d}), 1);
  EXPECT_CLOSE(trans_z(d), exp(Twist<Real>{{}, V::unit_z() * d}), 1);
  EXPECT_CLOSE(rot_x(a), exp(Twist<Real>{V::unit_x() * a, {}}), 4);
  EXPECT_CLOSE(rot_y(a), exp(Twist<Real>{V::unit_y() * a, {}}), 4);
  EXPECT_CLOSE(rot_z(a), exp(Twist<Real>{V::unit_z() * a, {}}), 4);
  // Along and about the same axis they commute.
  EXPECT_CLOSE(trans_z(d) * rot_z(a), rot_z(a) * trans_z(d), 4);
}

TYPED_TEST(HomogeneousLaws, K_1_1_12_rotation_about_a_line_leaves_the_line_and_turns_the_rest) {
  using Real = TypeParam;
  Draw<Real> draw(4);
  for (int n = 0; n < 50; ++n) {
    const auto c = draw.vec(), k = draw.unit(), x = draw.vec();
    const Real a = draw(-3, 3);
    const auto T = rotation_about_line(c, k, a);
    EXPECT_CLOSE(T * (c + k * Real(2.5)), c + k * Real(2.5), 60);
    EXPECT_CLOSE(T * x, c + rotation_axis_angle(k, a) * (x - c), 20);
    EXPECT_CLOSE(T, exp(Twist<Real>{k * a, cross(c, k) * a}), 40);  // the screw of pitch zero
  }
}

// Exercise 1-14: absolute motions stand on the left.
TYPED_TEST(HomogeneousLaws, X_1_14_absolute_rigid_motions_multiply_on_the_left) {
  using Real = TypeParam;
  Draw<Real> draw(5);
  const auto A = draw.pose(), B = draw.pose(), C = draw.pose();
  const auto x = draw.vec();
  EXPECT_CLOSE(compose_absolute(A, B, C), C * B * A, 200);
  EXPECT_CLOSE(compose_absolute(A, B, C) * x, C * (B * (A * x)), 20);
  EXPECT_CLOSE(compose_relative(A, B, C), A * B * C, 8);
}

TEST(Homogeneous, K_1_1_11_normalizing_gives_alpha_one_and_refuses_directions) {
  const auto p = normalised(HomogeneousPoint<double>{{2, -4, 6}, -2});
  ASSERT_TRUE(p.has_value());
  EXPECT_EQ(testing::distance(p->a, Vec3<double>{-1, 2, -3}), 0);
  EXPECT_EQ(p->alpha, 1);
  EXPECT_FALSE(normalised(HomogeneousPoint<double>{{1, 2, 3}, 0}).has_value());
  EXPECT_FALSE(normalised(HomogeneousPoint<double>{{1, 2, 3}, -0.0}).has_value());
  EXPECT_FALSE(normalised(HomogeneousPoint<double>{{1, 2, 3}, std::nan("")}).has_value());
}

TEST(Homogeneous, matrices_round_trip_and_only_rigid_ones_are_taken) {
  Draw<double> draw(6);
  for (int n = 0; n < 50; ++n) {
    const auto T = draw.pose();
    const auto A = homogeneous_matrix(T);
    EXPECT_EQ(A[3], T.p.x);
    EXPECT_EQ(A[4], T.R.c0.y);
    const auto back = rigid_motion(A);
    ASSERT_TRUE(back.has_value());
    EXPECT_CLOSE(*back, T, 0);
    for (std::size_t k = 0; k < 16; ++k) {
      if (k % 4 == 3 && k < 12) continue;  // a translation may be anything finite
      auto bad = A;
      bad[k] += 1e-3;
      EXPECT_FALSE(rigid_motion(bad).has_value()) << "entry " << k;
      EXPECT_TRUE(rigid_motion(bad, 1e-2).has_value()) << "entry " << k;
    }
    auto bad = A;
    bad[7] = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(rigid_motion(bad).has_value());
  }
}

TEST(Homogeneous, TV_05_homogeneous_transform_of_a_point_and_its_inverse) {
  const SE3<double> T{rotation_axis_angle(Vec3<double>{2.0 / 3, -1.0 / 3, 2.0 / 3}, 0.8),
                      {0.1, -0.2, 0.3}};
  const auto moved = T * HomogeneousPoint<double>{{1, 2, 3}, 1};
  EXPECT_CLOSE(moved.a,
               Vec3<double>({-0.47273311521460825, 0.034743103726410774, 3.9901046670778136}), 8);
  EXPECT_EQ(moved.alpha, 1);
  const HomogeneousMatrix<double> truth = {0.8315037274150919,
                                           0.41083888489905193,
                                           0.37391571503443407,
                                           -0.11315731027202902,
                                           -0.54563590296697841,
                                           0.73040596386414704,
                                           0.41083888489905193,
                                           0.077393117599811669,
                                           -0.10432167889858111,
                                           -0.54563590296697841,
                                           0.8315037274150919,
                                           -0.34814613092806514,
                                           0,
                                           0,
                                           0,
                                           1};
  EXPECT_LE(distance(homogeneous_matrix(inverse(T)), truth), 4e-16);
}

// Gripper turned by 90 degrees about the line parallel to X through (0, 0, 2).
TEST(Homogeneous, G_1_1_gripper_turned_about_a_line) {
  const auto A = compose_relative(trans_z(2.0), rot_x(pi / 2), trans_z(-2.0));
  const auto B = rotation_about_line(Vec3<double>{0, 0, 2}, Vec3<double>::unit_x(), pi / 2);
  const HomogeneousMatrix<double> truth = {1, 0, 0, 0, 0, 0, -1, 2, 0, 1, 0, 2, 0, 0, 0, 1};
  EXPECT_LE(distance(homogeneous_matrix(A), truth), 4e-16);
  EXPECT_LE(distance(homogeneous_matrix(B), truth), 4e-16);
}

// Base, table, object, camera. Errata E-08 (second factor of A01 is Trans_z), E-09 (last of A23 is
// Rot_x), E-10 (entry (3, 4) of A03 is 3).
TEST(Homogeneous, G_1_2_camera_above_an_object_on_a_table) {
  const auto A01 = trans_y(1.0) * trans_z(1.0);
  const auto A12 = trans_y(1.0) * trans_x(-1.0);
  const auto A23 = compose_relative(trans_z(2.0), rot_z(pi / 2), rot_x(pi));
  const HomogeneousMatrix<double> t01 = {1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1};
  const HomogeneousMatrix<double> t12 = {1, 0, 0, -1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
  const HomogeneousMatrix<double> t23 = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, -1, 2, 0, 0, 0, 1};
  const HomogeneousMatrix<double> t03 = {0, 1, 0, -1, 1, 0, 0, 2, 0, 0, -1, 3, 0, 0, 0, 1};
  EXPECT_EQ(distance(homogeneous_matrix(A01), t01), 0);
  EXPECT_EQ(distance(homogeneous_matrix(A12), t12), 0);
  EXPECT_LE(distance(homogeneous_matrix(A23), t23), 3e-16);
  EXPECT_LE(distance(homogeneous_matrix(A01 * A12 * A23), t03), 3e-16);
}

}  // namespace
}  // namespace torsor
