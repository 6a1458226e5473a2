// Configurations of trees with every joint kind: steps, differences, rates, and the door for q.
#include "torsor/model/configuration.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/allocation_counter.hpp"
#include "support/random_model.hpp"
#include "torsor/model/builder.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

constexpr double pi = std::numbers::pi;
using Numbers = std::vector<double>;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

double largest_difference(const Numbers& a, const Numbers& b) {
  double d = a.size() == b.size() ? 0 : infinity;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    d = std::max(d, distance(a[k], b[k]));
  return d;
}
std::string message_of(const Model<double>& model, Numbers q) {
  try {
    check_configuration(model, q);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// T exp(v) by the group's own exponential, from the poses of the joint.
SE3<double> stepped(const Model<double>& model, int i, const Numbers& q, const Numbers& v) {
  Twist<double> x;
  const auto S = joint_subspace(model, i, q);
  for (int k = 0; k < model.joint(i).n_v; ++k) x += S[size(k)] * v[size(model.body(i).v.first + k)];
  return joint_pose(model, i, q) * exp(x);
}

TEST(Configuration, difference_undoes_integrate_for_every_kind) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const Numbers q = random_q(model, seed), v = random_velocity(model, seed);
    Numbers q1(q.size()), back(v.size());
    integrate(model, q, v, q1);
    difference(model, q, q1, back);
    EXPECT_LE(largest_difference(back, v), 100 * eps<double>) << seed;
  }
}

TEST(Configuration, integrate_undoes_difference_for_every_kind) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const Numbers q0 = random_q(model, seed), q1 = random_q(model, 1000 + seed);
    Numbers v(size(model.n_v())), q(q0.size());
    difference(model, q0, q1, v);
    integrate(model, q0, v, q);
    for (int i = 1; i < model.n_bodies();
         ++i)  // the same poses; quaternions may have the other sign
      EXPECT_CLOSE(joint_pose(model, i, q), joint_pose(model, i, q1), 400) << seed;
  }
}

TEST(Configuration, difference_from_q_to_itself_is_zero) {
  const Model<double> model(random_tree(3, 30));
  const Numbers q = random_q(model, 4);
  Numbers v(size(model.n_v()));
  difference(model, q, q, v);
  EXPECT_LE(largest_difference(v, Numbers(v.size())), 4 * eps<double>);
}

TEST(Configuration, a_step_is_the_exponential_on_the_joint_group) {
  for (JointKind kind : {JointKind::revolute, JointKind::continuous, JointKind::prismatic,
                         JointKind::helical, JointKind::cylindrical, JointKind::planar,
                         JointKind::translational, JointKind::spherical, JointKind::free}) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      RandomTree options;
      options.kinds = {kind};
      const Model<double> model(random_tree(seed, 2, options));
      const Numbers q = random_q(model, seed), v = random_velocity(model, seed, 2);
      Numbers q1(q.size());
      integrate(model, q, v, q1);
      for (int i = 1; i <= 2; ++i)
        EXPECT_CLOSE(joint_pose(model, i, q1), stepped(model, i, q, v), 100) << name_of(kind);
    }
  }
}

TEST(Configuration, derivative_of_integrate_at_zero_is_S) {
  using Tangent = Dual<double, 1>;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const Numbers q = random_q(model, seed), v = random_velocity(model, seed);
    std::vector<Tangent> x(q.begin(), q.end()), step(v.size()), moved(q.size());
    for (std::size_t k = 0; k < v.size(); ++k) step[k].d[0] = v[k];
    integrate(model, x, step, moved);
    Numbers rates(q.size());
    configuration_rates(model, q, v, rates);
    for (std::size_t k = 0; k < q.size(); ++k) {
      EXPECT_NEAR(moved[k].value, q[k], 4 * eps<double>);
      EXPECT_NEAR(moved[k].d[0], rates[k], 30 * eps<double>);
    }
  }
}

TEST(Configuration, a_step_of_a_moved_copy_equals_a_step_in_place) {
  const Model<double> model(random_tree(9, 14));
  const Numbers v = random_velocity(model, 9);
  Numbers q = random_q(model, 9), q1(q.size());
  integrate(model, q, v, q1);
  integrate(model, q, v, q);
  EXPECT_EQ(q, q1);
}

TEST(Configuration, difference_of_continuous_joints_is_in_the_half_open_turn) {
  ModelBuilder b;
  b.continuous("wheel", "base", "link");
  const Model<double> model = b.build();
  for (double a : {-20.0, -pi, -1.0, 0.0, 2.0, pi, 7.0, 40.0}) {
    Numbers v(1), q0{0.0}, q1{a};
    difference(model, q0, q1, v);
    EXPECT_GT(v[0], -pi);
    EXPECT_LE(v[0], pi);
    EXPECT_NEAR(std::remainder(v[0] - a, 2 * pi), 0, 100 * eps<double>);
    EXPECT_EQ(v[0] == a, a > -pi && a <= pi);
  }
  Numbers v(1);
  difference(model, Numbers{pi}, Numbers{0.0}, v);
  EXPECT_EQ(v[0], pi);  // -pi is written pi
}

TEST(Configuration, difference_keeps_its_derivative_where_the_angle_wraps) {
  using Tangent = Dual<double, 1>;
  ModelBuilder b;
  b.continuous("wheel", "base", "link");
  const Model<double> model = b.build();
  for (double a : {-3 * pi, -pi, pi, 3 * pi}) {
    const std::vector<Tangent> q0{Tangent(0)}, q1{Tangent::variable(a, 0)};
    std::vector<Tangent> v(1);
    difference(model, q0, q1, v);
    EXPECT_NEAR(std::abs(v[0].value), pi, 8 * eps<double>) << a;
    EXPECT_EQ(v[0].d[0], 1) << a;
  }
}

TEST(Configuration, difference_of_revolute_joints_counts_turns) {
  ModelBuilder b;
  b.revolute("joint", "base", "link");
  Numbers v(1);
  difference(b.build(), Numbers{-5.0}, Numbers{5.0}, v);
  EXPECT_EQ(v[0], 10);
}

TEST(Configuration, difference_of_orientations_is_finite_at_half_a_turn) {
  ModelBuilder b;
  b.free("float", "world", "body");
  const Model<double> model = b.build();
  const Numbers q0{0, 0, 0, 0, 0, 0, 1}, q1{1, 2, 3, 1, 0, 0, 0};
  Numbers v(6), q(7);
  difference(model, q0, q1, v);
  EXPECT_NEAR(std::abs(v[0]), pi, 4 * eps<double>);
  integrate(model, q0, v, q);
  EXPECT_CLOSE(joint_pose(model, 1, q), joint_pose(model, 1, q1), 20);
}

TEST(Configuration, neutral_has_unit_quaternions_and_zeros) {
  const Model<double> model(random_tree(5, 26));
  Numbers q(size(model.n_q()), 7.0);
  neutral(model, q);
  double sum = 0;
  for (double x : q) sum += x;
  int quaternions = 0;
  internal::for_each_quaternion(model, [&](int at) {
    ++quaternions;
    EXPECT_EQ(q[size(at + 3)], 1);
  });
  EXPECT_GE(quaternions, 4);
  EXPECT_EQ(sum, quaternions);
}

TEST(Configuration, random_configurations_are_inside_limits_and_repeatable) {
  RandomTree options;
  options.limits = true;
  const Model<double> model(random_tree(6, 40, options));
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Numbers q = random_q(model, seed);
    EXPECT_EQ(q, random_q(model, seed));
    EXPECT_EQ(message_of(model, q), "");
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int k = 0; k < model.joint(i).n_q; ++k) {
        const int dof = limits_of_coordinate(model.joint(i), k);
        if (dof < 0) continue;
        const Limits& l = model.limits(model.body(i).v.first + dof);
        EXPECT_GE(q[size(model.body(i).q.first + k)], l.lower);
        EXPECT_LE(q[size(model.body(i).q.first + k)], l.upper);
      }
  }
  EXPECT_NE(random_q(model, 1), random_q(model, 2));
}

// SDF and many URDF files write 1e16 where there is no limit.
TEST(Configuration, random_configurations_stay_near_where_limits_are_as_good_as_none) {
  ModelBuilder b;
  b.revolute("turn", "base", "arm").limits(-1e16, 1e16);
  b.prismatic("slide", "arm", "hand").limits(0.5, 1e300);
  const Model<double> model = b.build();
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Numbers q = random_q(model, seed);
    EXPECT_LE(std::abs(q[0]), pi);
    EXPECT_GE(q[1], 0.5);
    EXPECT_LE(q[1], 2.5);
  }
}

TEST(Configuration, limits_of_planar_and_free_joints_belong_to_the_coordinate_they_name) {
  ModelBuilder b;
  b.planar("cart", "world", "cart").limits(0, {.lower = 0.1, .upper = 0.2});  // the turn
  b.free("flyer", "cart", "body").limits(4, {.lower = 5, .upper = 6});        // y
  const Model<double> model = b.build();
  const Numbers q = random_q(model, 3);
  EXPECT_GE(q[2], 0.1);
  EXPECT_LE(q[2], 0.2);
  EXPECT_GE(q[4], 5);
  EXPECT_LE(q[4], 6);
}

TEST(Configuration, random_orientations_are_uniform) {
  ModelBuilder b;
  b.spherical("ball", "base", "link");
  const Model<double> model = b.build();
  const int n = 20000;
  Mat3<double> mean{};
  for (int k = 0; k < n; ++k)
    mean = mean + joint_pose(model, 1, random_q(model, static_cast<unsigned>(k))).R * (1.0 / n);
  EXPECT_LE(distance(mean, Mat3<double>{}), 5 / std::sqrt(n));  // each entry has variance 1/3
}

TEST(Configuration, check_normalises_quaternions_that_are_nearly_unit) {
  ModelBuilder b;
  b.spherical("ball", "base", "link");
  const Model<double> model = b.build();
  Numbers q{0, 0, 0, 1 + 5e-7};
  check_configuration(model, q);
  EXPECT_EQ(q[3], 1);
  normalise(model, q = {0, 3, 0, 4});
  EXPECT_LE(largest_difference(q, {0, 0.6, 0, 0.8}), 2 * eps<double>);
}

TEST(Configuration, check_names_the_joint_at_fault) {
  ModelBuilder b("bot");
  b.revolute("hip", "base", "thigh");
  b.free("fly", "thigh", "body");
  const Model<double> model = b.build();
  EXPECT_EQ(message_of(model, {1, 2}), "robot \"bot\": configuration has 2 numbers; 8 are needed");
  EXPECT_EQ(message_of(model, {NAN, 0, 0, 0, 0, 0, 0, 1}),
            "robot \"bot\": coordinate \"hip\" is not finite (nan)");
  EXPECT_EQ(message_of(model, {0, 0, infinity, 0, 0, 0, 0, 1}),
            "robot \"bot\": coordinate \"fly.1\" is not finite (inf)");
  EXPECT_EQ(message_of(model, {0, 0, 0, 0, 0, 0, 0, 1.1}),
            "robot \"bot\": joint \"fly\": quaternion 0 0 0 1.1 has norm 1.1; it must be 1");
  EXPECT_EQ(message_of(model, {-1e15, 0, 0, 0, 0, 0, 0, 1}),
            "robot \"bot\": coordinate \"hip\" is -1e+15 rad; the sine of so large an angle has no "
            "correct digit");
  EXPECT_EQ(message_of(model, {1e14, 1e15, 0, 0, 0, 0, 0, 1}), "");  // lengths may be
  EXPECT_THROW(check_velocity(model, Numbers(8)), Error);
  EXPECT_THROW(check_velocity(model, Numbers{0, 0, 0, 0, 0, 0, NAN}), Error);
  EXPECT_NO_THROW(check_velocity(model, Numbers(7)));
}

TEST(Configuration, steps_allocate_nothing) {
  const Model<double> model(random_tree(2, 26));
  const Numbers q = random_q(model, 1), v = random_velocity(model, 1);
  Numbers q1(q.size()), v1(v.size());
  const AllocationCounter counter;
  integrate(model, q, v, q1);
  difference(model, q, q1, v1);
  configuration_rates(model, q, v, q1);
  neutral(model, q1);
  normalise(model, q1);
  random_configuration(model, 5, q1);
  check_configuration(model, q1);
  for (int i = 1; i < model.n_bodies(); ++i) (void)joint_pose(model, i, q);
  EXPECT_EQ(counter.count(), 0u);
}

template <class Real>
class ConfigurationOf : public ::testing::Test {};
TYPED_TEST_SUITE(ConfigurationOf, Scalars, ScalarNames);

TYPED_TEST(ConfigurationOf, difference_undoes_integrate_in_every_scalar) {
  using Real = TypeParam;
  using Value = ValueOf<Real>;
  const Model<double> source(random_tree(11, 14));
  const auto model = source.template cast<Value>();
  Draw<Real> draw(12);
  std::vector<Real> q(size(model.n_q())), v(size(model.n_v())), q1(q.size()), back(v.size());
  neutral(model, q);
  for (Real& x : v) x = draw();
  integrate(model, q, v, q1);  // away from the neutral one first
  for (Real& x : v) x = draw();
  q = q1;
  integrate(model, q, v, q1);
  difference(model, q, q1, back);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_CLOSE(back[k], v[k], 200);
}

}  // namespace
