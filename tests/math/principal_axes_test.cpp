#include "torsor/math/principal_axes.hpp"

#include "support/typed_scalars.hpp"
#include "torsor/math/rotation.hpp"

namespace torsor {
namespace {

using testing::Draw;

template <class Real>
class PrincipalAxesLaws : public ::testing::Test {};
using PlainScalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(PrincipalAxesLaws, PlainScalars, testing::ScalarNames);

template <class Real>
Sym3<Real> from(const SO3<Real>& axes, const Vec3<Real>& moments) {
  return rotated(axes, Sym3<Real>::diagonal(moments.x, moments.y, moments.z));
}

/// The eigenvalue of J near x, in extended precision: Newton on the characteristic polynomial. J is
/// made with rounding, so its moments are not quite the numbers it was made from.
template <class Real>
double exact_moment(const Sym3<Real>& J, double near) {
  const long double a = J.xx, b = J.yy, c = J.zz, d = J.xy, e = J.xz, f = J.yz;
  const long double trace = a + b + c, minors = a * b - d * d + a * c - e * e + b * c - f * f;
  const long double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
  long double x = near;
  for (int k = 0; k < 20; ++k)
    x -= (((x - trace) * x + minors) * x - det) / ((3 * x - 2 * trace) * x + minors);
  return static_cast<double>(x);
}

TYPED_TEST(PrincipalAxesLaws, C_02_principal_axes_make_the_inertia_diagonal) {
  using Real = TypeParam;
  Draw<Real> draw(1);
  for (int n = 0; n < 200; ++n) {
    const Vec3<Real> m{draw(0.1, 1), draw(1.1, 2), draw(2.1, 3)};
    const auto A = draw.rotation();
    const auto J = from(A, m);
    const auto got = principal_axes(J);
    EXPECT_TRUE(is_rotation(got.axes, Real(8 * testing::eps<Real>)));
    EXPECT_CLOSE(from(got.axes, got.moments), J, 20);
    for (int k = 0; k < 3; ++k) {
      EXPECT_LE(testing::distance(static_cast<double>(got.moments[k]), exact_moment(J, m[k])),
                12 * testing::eps<Real>);
      EXPECT_CLOSE(abs(dot(got.axes[k], A[k])), Real(1), 12);
    }
  }
}

// a 1 + b v v^T has the moments a, a, a + b |v|^2: exact numbers for whole v and dyadic a, b.
TYPED_TEST(PrincipalAxesLaws, C_02_equal_moments_still_give_a_frame) {
  using Real = TypeParam;
  for (const Vec3<Real>& v : {Vec3<Real>{1, 2, 2}, {2, -1, 2}, {2, 3, -6}, {-1, 4, 8}, {0, 0, 3}}) {
    const Real vv = squared_norm(v), b = Real(1) / Real(64), a = vv * b;
    const auto one = Sym3<Real>::diagonal(1, 1, 1), line = Sym3<Real>::of(outer(v, v));
    for (const auto& [J, m] : {std::pair(one * a, Vec3<Real>{a, a, a}),
                               std::pair(one * a + line * b, Vec3<Real>{a, a, 2 * a}),
                               std::pair(one * a - line * b, Vec3<Real>{0, a, a}),
                               std::pair(one * (2 * a) - line * b, Vec3<Real>{a, 2 * a, 2 * a})}) {
      const auto got = principal_axes(J);
      const double scale = static_cast<double>(2 * a);
      EXPECT_CLOSE(got.moments, m, 4 * scale);
      EXPECT_TRUE(is_rotation(got.axes, Real(8 * testing::eps<Real>)));
      EXPECT_CLOSE(from(got.axes, got.moments), J, 8 * scale);
    }
  }
  EXPECT_CLOSE(principal_axes(Sym3<Real>{}).moments, Vec3<Real>{}, 0);
}

TYPED_TEST(PrincipalAxesLaws, C_02_invariants_do_not_depend_on_the_axes) {
  using Real = TypeParam;
  Draw<Real> draw(3);
  for (int n = 0; n < 100; ++n) {
    const Vec3<Real> m{draw(0.1, 2), draw(0.1, 2), draw(0.1, 2)};
    const auto got = invariants(from(draw.rotation(), m));
    EXPECT_CLOSE(got.trace, m.x + m.y + m.z, 30);
    EXPECT_CLOSE(got.minors, m.x * m.y + m.y * m.z + m.z * m.x, 100);
    EXPECT_CLOSE(got.determinant, m.x * m.y * m.z, 100);
  }
}

TYPED_TEST(PrincipalAxesLaws, C_02_positive_definite_and_triangle_inequality_are_told_in_any_axes) {
  using Real = TypeParam;
  Draw<Real> draw(4);
  for (int n = 0; n < 50; ++n) {
    const auto R = draw.rotation();
    EXPECT_TRUE(is_positive_definite(from(R, Vec3<Real>{1, 2, Real(2.9)})));
    EXPECT_TRUE(obeys_triangle_inequality(from(R, Vec3<Real>{1, 2, Real(2.9)})));
    EXPECT_FALSE(obeys_triangle_inequality(from(R, Vec3<Real>{1, 2, Real(3.1)})));
    EXPECT_TRUE(obeys_triangle_inequality(from(R, Vec3<Real>{1, 2, 3})));  // a plate
    EXPECT_FALSE(is_positive_definite(from(R, Vec3<Real>{Real(-0.1), 1, 1})));
    EXPECT_FALSE(obeys_triangle_inequality(from(R, Vec3<Real>{Real(-0.1), 1, 1})));
  }
  Sym3<Real> broken = Sym3<Real>::diagonal(1, 1, 1);
  broken.xy = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_FALSE(is_positive_definite(broken));
  EXPECT_FALSE(obeys_triangle_inequality(broken));
}

// Craig 2005, ch. 6: I = sum m [(r.r) 1 - r r^T]; Craig 2005, ch. 6: moments and products as integrals.
TYPED_TEST(PrincipalAxesLaws, C_02_inertia_of_points_is_the_definition) {
  using Real = TypeParam;
  Draw<Real> draw(5);
  for (int n = 0; n < 20; ++n) {
    std::vector<PointMass<Real>> points;
    Mat3<Real> sum{};
    Real ixx(0), ixy(0);
    for (int k = 0; k < 9; ++k) {
      const PointMass<Real> p{draw(0.1, 1), draw.vec()};
      points.push_back(p);
      const auto& r = p.position;
      sum = sum + (Mat3<Real>::identity() * dot(r, r) - outer(r, r)) * p.mass;
      ixx += (r.y * r.y + r.z * r.z) * p.mass;
      ixy += r.x * r.y * p.mass;
    }
    const std::span<const PointMass<Real>> view(points);
    const auto J = inertia_of_points(view).J;
    EXPECT_CLOSE(J.matrix(), sum, 20);
    EXPECT_CLOSE(J.xx, ixx, 40);
    EXPECT_CLOSE(J.xy, -ixy, 40);
    const auto I = inertia_of_points(view);
    EXPECT_TRUE(is_physical(I));
    EXPECT_TRUE(is_positive_definite(J));
    // Parallel axes, matrix form, from the centre of mass to the origin.
    const auto c = I.h * (Real(1) / I.m);
    const auto about_com = inertia_about_com(I);
    EXPECT_CLOSE(about_com.matrix() + (Mat3<Real>::identity() * dot(c, c) - outer(c, c)) * I.m,
                 J.matrix(), 20);
    EXPECT_CLOSE(Inertia<Real>::at_com(I.m, c, about_com), I, 20);
    for (auto& p : points) p.position -= c;
    EXPECT_CLOSE(inertia_of_points(view).J, about_com, 40);
  }
}

// A plane of symmetry of the mass: the axis normal to it is principal.
TEST(PrincipalAxes, C_02_the_normal_of_a_plane_of_symmetry_is_a_principal_axis) {
  Draw<double> draw(6);
  std::vector<PointMass<double>> points;
  for (int k = 0; k < 6; ++k) {
    const double m = draw(0.1, 1);
    const auto r = draw.vec();
    points.push_back({m, r});
    points.push_back({m, {r.x, r.y, -r.z}});
  }
  const auto J = inertia_of_points(std::span<const PointMass<double>>(points)).J;
  EXPECT_NEAR(J.xz, 0, 1e-15);
  EXPECT_NEAR(J.yz, 0, 1e-15);
}

TEST(PrincipalAxes, only_possible_bodies_are_physical) {
  Draw<double> draw(7);
  for (int n = 0; n < 100; ++n) {
    auto I = draw.inertia();
    EXPECT_TRUE(is_physical(I));
    EXPECT_TRUE(is_physical(transported(draw.pose(), I)));
    I.m = 0.9 * squared_norm(I.h) / (trace(I.J) / 2);  // h^2 <= m tr(J)/2 for a real body
    EXPECT_FALSE(is_physical(I));
  }
  EXPECT_TRUE(is_physical(Inertia<double>::at_com(1, {0.3, -2, 5}, {})));  // a point
  EXPECT_FALSE(is_physical(Inertia<double>{}));
  EXPECT_FALSE(is_physical(Inertia<double>::at_com(1, {}, Sym3<double>::diagonal(1, 1, 3))));
  EXPECT_FALSE(
      is_physical(Inertia<double>::at_com(std::nan(""), {}, Sym3<double>::diagonal(1, 1, 1))));
}

TEST(PrincipalAxes, tiny_moments_beside_large_ones_are_found) {
  const auto got = principal_axes(Sym3<double>::diagonal(3, 1e-9, 2));
  EXPECT_EQ(got.moments.x, 1e-9);
  EXPECT_EQ(got.moments.y, 2);
  EXPECT_EQ(got.moments.z, 3);
}

}  // namespace
}  // namespace torsor
