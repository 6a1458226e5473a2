#include "torsor/math/shape_inertia.hpp"

#include "support/typed_scalars.hpp"
#include "torsor/math/principal_axes.hpp"

namespace torsor {
namespace {

/// Mass moments of the shape {|x| <= half width at (y, z)}, by exact integration along x (quadratic
/// in x) and the midpoint rule over slices of y and z, scaled to the mass.
template <class HalfWidth>
Inertia<double> integrated(double mass, double y_max, double z_max, HalfWidth half_width) {
  constexpr int n = 400;
  Inertia<double> sum{};
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      const double y = y_max * (2 * (j + 0.5) / n - 1), z = z_max * (2 * (k + 0.5) / n - 1);
      const double a = half_width(y, z), m = 2 * a;  // a rod along x
      const double xx = a * a / 3;                   // mean of x^2
      sum = sum +
            Inertia<double>{m, Vec3<double>{0, y, z} * m,
                            Sym3<double>{y * y + z * z, 0, xx + z * z, 0, -y * z, xx + y * y} * m};
    }
  }
  return sum * (mass / sum.m);
}
double root(double x) { return x > 0 ? std::sqrt(x) : 0; }

void expect_near(const Inertia<double>& a, const Inertia<double>& b, double tol) {
  EXPECT_LE(testing::distance(a, b), tol);
}

TEST(ShapeInertia, C_02_formulas_are_the_integrals_over_the_shapes) {
  const double m = 2.5, r = 0.3, l = 0.8;
  // Midpoint error: O(n^-2) in the smooth directions, O(n^-1.5) at the rims.
  expect_near(box_inertia(m, Vec3<double>{0.4, 0.6, l}),
              integrated(m, 0.3, l / 2, [](double, double) { return 0.2; }), 2e-6);
  expect_near(cylinder_inertia(m, r, l),
              integrated(m, r, l / 2, [&](double y, double) { return root(r * r - y * y); }), 2e-5);
  expect_near(sphere_inertia(m, r),
              integrated(m, r, r, [&](double y, double z) { return root(r * r - y * y - z * z); }),
              2e-5);
  expect_near(capsule_inertia(m, r, l),
              integrated(m, r, l / 2 + r,
                         [&](double y, double z) {
                           const double out = std::max(0.0, std::abs(z) - l / 2);
                           return root(r * r - y * y - out * out);
                         }),
              2e-5);
}

TEST(ShapeInertia, limits_meet_the_simpler_shapes) {
  const double m = 1.7, r = 0.2, l = 0.9;
  EXPECT_CLOSE(rod_inertia(m, l).J, box_inertia(m, Vec3<double>{0, 0, l}).J, 2);
  EXPECT_CLOSE(capsule_inertia(m, r, 0.0).J, sphere_inertia(m, r).J, 2);
  EXPECT_CLOSE(capsule_inertia(m, 0.0, l).J, rod_inertia(m, l).J, 2);
  EXPECT_CLOSE(rod_inertia(m, l).J.xx, m * l * l / 12, 2);
}

// Two half boxes side by side are the whole box.
TEST(ShapeInertia, C_02_parts_moved_into_place_add_up_to_the_whole) {
  const auto half = box_inertia(1.5, Vec3<double>{0.4, 0.2, 0.3});
  const SE3<double> left{{}, {-0.2, 0, 0}}, right{rotation_x(std::numbers::pi), {0.2, 0, 0}};
  const SE3<double> shifted{Mat3<double>::identity(), left.p};
  EXPECT_CLOSE(transported(shifted, half) + transported(right, half),
               box_inertia(3.0, Vec3<double>{0.8, 0.2, 0.3}), 4);
}

TEST(ShapeInertia, every_shape_is_a_physical_body) {
  EXPECT_TRUE(is_physical(box_inertia(1.0, Vec3<double>{0.1, 2, 0.3})));
  EXPECT_TRUE(is_physical(cylinder_inertia(1.0, 0.1, 2.0)));
  EXPECT_TRUE(is_physical(sphere_inertia(1.0, 0.1)));
  EXPECT_TRUE(is_physical(rod_inertia(1.0, 0.1)));
  EXPECT_TRUE(is_physical(capsule_inertia(1.0, 0.1, 0.5)));
}

}  // namespace
}  // namespace torsor
