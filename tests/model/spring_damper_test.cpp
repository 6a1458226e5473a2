// The spring and damper between two points.
#include "torsor/model/spring_damper.hpp"

#include <gtest/gtest.h>

#include "support/typed_scalars.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

SpringDamper spring(double stiffness, double rest_length, double damping) {
  SpringDamper s;
  s.stiffness = stiffness, s.rest_length = rest_length, s.damping = damping;
  return s;
}

TEST(SpringDamper, L_11_a_stretched_spring_pulls_its_ends_together) {
  // 3-4-5: length 5, stretch 2, tension 20
  const auto force = spring_damper_force<double>(spring(10, 3, 0), {1, 1, 1}, {}, {4, 5, 1}, {});
  EXPECT_EQ(force.length, 5);
  EXPECT_EQ(force.tension, 20);
  EXPECT_EQ(force.energy, 20);
  EXPECT_CLOSE(force.on_a, (Vec3<double>{12, 16, 0}), 40);
}

TEST(SpringDamper, a_damper_resists_the_rate_of_its_length_only) {
  const SpringDamper s = spring(0, 0, 7);
  const auto across = spring_damper_force<double>(s, {}, {}, {2, 0, 0}, {0, 3, 0});
  EXPECT_EQ(across.tension, 0);
  const auto along = spring_damper_force<double>(s, {}, {1, 0, 0}, {2, 0, 0}, {4, 3, 0});
  EXPECT_EQ(along.rate, 3);
  EXPECT_EQ(along.tension, 21);
  EXPECT_EQ(along.on_a.x, 21);
}

TEST(SpringDamper, ends_that_meet_feel_no_force) {
  const auto force =
      spring_damper_force<double>(spring(10, 1, 5), {1, 2, 3}, {1, 0, 0}, {1, 2, 3}, {});
  EXPECT_CLOSE(force.on_a, Vec3<double>{}, 0);
  EXPECT_EQ(force.length, 0);
  EXPECT_EQ(force.energy, 5);
}

TEST(SpringDamper, power_of_the_spring_is_the_rate_at_which_its_energy_falls) {
  using Tangent = Dual<double, 1>;
  Draw<double> draw(3);
  for (int k = 0; k < 50; ++k) {
    const Vec3<double> p_a = draw.vec(), v_a = draw.vec(), p_b = draw.vec(), v_b = draw.vec();
    const auto moving = [](const Vec3<double>& p, const Vec3<double>& v) {
      Vec3<Tangent> x = p.cast<Tangent>();
      x.x.d[0] = v.x, x.y.d[0] = v.y, x.z.d[0] = v.z;
      return x;
    };
    const SpringDamper s = spring(draw(1, 10), draw(0, 1), 0);
    const auto force = spring_damper_force(s, p_a, v_a, p_b, v_b);
    const Vec3<Tangent> still{};
    const auto slope = spring_damper_force(s, moving(p_a, v_a), still, moving(p_b, v_b), still);
    const double power = dot(force.on_a, v_a) - dot(force.on_a, v_b);
    EXPECT_NEAR(power, -slope.energy.d[0], 200 * eps<double>);
    EXPECT_NEAR(force.rate, slope.length.d[0], 20 * eps<double>);
  }
}

template <class Real>
class SpringDamperOf : public ::testing::Test {};
TYPED_TEST_SUITE(SpringDamperOf, Scalars, ScalarNames);

TYPED_TEST(SpringDamperOf, force_is_turned_with_the_robot) {
  using Real = TypeParam;
  Draw<Real> draw(5);
  const Vec3<Real> p_a = draw.vec(), v_a = draw.vec(), p_b = draw.vec() + Vec3<Real>{3, 0, 0},
                   v_b = draw.vec();
  const SO3<Real> R = draw.rotation();
  const SpringDamper s = spring(4, 0.5, 0.3);
  const auto one = spring_damper_force(s, p_a, v_a, p_b, v_b);
  const auto two = spring_damper_force<Real>(s, R * p_a, R * v_a, R * p_b, R * v_b);
  EXPECT_CLOSE(two.on_a, (R * one.on_a), 300);
}

}  // namespace
