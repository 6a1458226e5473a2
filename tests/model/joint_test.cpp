// Every joint kind: S, Sdot and the coordinate rates are one motion, seen through dual numbers.
#include "torsor/model/joint.hpp"

#include <gtest/gtest.h>

#include "support/random_model.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

using Tangent = Dual<double, 1>;

/// One joint of each kind (composites of many shapes, Euler joints of each order) on a random base.
std::vector<Model<double>> one_joint_robots() {
  std::vector<Model<double>> robots;
  for (JointKind kind : every_moving_kind()) {
    const int rounds = kind == JointKind::composite ? 20 : 6;
    for (int k = 0; k < rounds; ++k) {
      RandomTree options;
      options.kinds = {kind};
      options.fixed_links = false;
      RobotDescription robot = random_tree(static_cast<unsigned>(100 + k), 1, options);
      robot.joints[0].order = static_cast<EulerOrder>(k % 3);
      robots.emplace_back(robot);
    }
  }
  return robots;
}

/// T^-1 T' of a pose with derivatives.
Twist<double> body_twist(const SE3<Tangent>& T) {
  const auto value = [](const Vec3<Tangent>& a) {
    return Vec3<double>{a.x.value, a.y.value, a.z.value};
  };
  const auto rate = [](const Vec3<Tangent>& a) {
    return Vec3<double>{a.x.d[0], a.y.d[0], a.z.d[0]};
  };
  const Mat3<double> R{value(T.R.c0), value(T.R.c1), value(T.R.c2)};
  const Mat3<double> Rdot{rate(T.R.c0), rate(T.R.c1), rate(T.R.c2)};
  return {vee(transpose_times(R, Rdot)), transpose_times(R, rate(T.p))};
}

Twist<double> times(const internal::JointColumns<double>& S, const std::vector<double>& v) {
  Twist<double> sum;
  for (std::size_t k = 0; k < v.size(); ++k) sum += S[k] * v[k];
  return sum;
}

std::vector<Tangent> with_rates(const Model<double>& model, const std::vector<double>& q,
                                const std::vector<double>& v) {
  std::vector<double> rates(q.size());
  configuration_rates(model, q, v, rates);
  std::vector<Tangent> x(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) x[k].value = q[k], x[k].d[0] = rates[k];
  return x;
}

TEST(Joint, body_twist_of_the_pose_is_S_v_for_every_kind) {
  unsigned seed = 0;
  for (const Model<double>& model : one_joint_robots()) {
    const auto q = random_q(model, ++seed), v = random_velocity(model, seed);
    const SE3<Tangent> T = joint_pose(model, 1, with_rates(model, q, v));
    EXPECT_CLOSE(body_twist(T), times(joint_subspace(model, 1, q), v), 200)
        << name_of(model.joint(1).kind);
  }
}

TEST(Joint, poses_are_rigid_motions_for_every_kind) {
  unsigned seed = 50;
  for (const Model<double>& model : one_joint_robots()) {
    const SO3<double> R = joint_pose(model, 1, random_q(model, ++seed)).R;
    EXPECT_CLOSE(transpose_times(R, R), SO3<double>::identity(), 30);
    EXPECT_NEAR(determinant(R), 1, 30 * eps<double>);
  }
}

TEST(Joint, child_frame_is_on_the_joint_frame_at_the_neutral_configuration) {
  for (const Model<double>& model : one_joint_robots()) {
    if (model.joint(1).kind == JointKind::composite) continue;  // its parts have placements
    std::vector<double> q(static_cast<std::size_t>(model.n_q()));
    neutral(model, q);
    EXPECT_CLOSE(joint_pose(model, 1, q), model.body(1).placement, 20);
  }
}

TEST(Joint, one_dof_kinds_move_along_the_axis_of_the_file) {
  for (JointKind kind : one_dof_kinds()) {
    RandomTree options;
    options.kinds = {kind};
    const RobotDescription robot = random_tree(7, 1, options);
    const Model<double> model(robot);
    const Vec3<double> axis = robot.joints[0].axis;
    const double pitch = kind == JointKind::helical ? robot.joints[0].pitch : 0;
    const Twist<double> expected =
        kind == JointKind::prismatic ? Twist<double>{{}, axis} : Twist<double>{axis, axis * pitch};
    const std::vector<double> q{0.7};
    EXPECT_CLOSE(joint_subspace(model, 1, q)[0], expected, 10);
    EXPECT_CLOSE(joint_pose(model, 1, q), model.body(1).placement * exp(expected * 0.7), 20);
  }
}

TEST(Joint, L_03_Sdot_is_the_derivative_of_S_along_the_motion) {
  unsigned seed = 300;
  const double h = 1e-5;
  for (const Model<double>& model : one_joint_robots()) {
    const auto q = random_q(model, ++seed), v = random_velocity(model, seed);
    std::vector<double> step(v), before(q.size()), after(q.size());
    for (double& x : step) x *= h;
    integrate(model, q, step, after);
    for (double& x : step) x = -x;
    integrate(model, q, step, before);
    const auto Sdot = joint_sdot(model.joint(1), q.data(), v.data());
    const auto S1 = joint_motion(model.joint(1), after.data()).S;
    const auto S0 = joint_motion(model.joint(1), before.data()).S;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const Twist<double> expected = (S1[k] - S0[k]) * (0.5 / h);
      EXPECT_LE(distance(Sdot[k], expected), 2e-9) << name_of(model.joint(1).kind);
      if (internal::has_sdot(model.joint(1).kind)) continue;
      EXPECT_EQ(distance(Sdot[k], Twist<double>{}), 0);
    }
  }
}

TEST(Joint, coordinate_rates_are_velocities_exactly_where_the_kind_says_so) {
  unsigned seed = 500;
  for (const Model<double>& model : one_joint_robots()) {
    if (model.joint(1).kind == JointKind::composite) continue;
    const auto q = random_q(model, ++seed), v = random_velocity(model, seed);
    std::vector<double> rates(q.size());
    configuration_rates(model, q, v, rates);
    EXPECT_EQ(internal::velocities_are_rates(model.joint(1).kind), rates == v)
        << name_of(model.joint(1).kind);
    for (int k = 0; k < model.n_v(); ++k) {
      const int at = internal::coordinate_of_dof(model.joint(1), k);
      if (at < 0) continue;
      EXPECT_EQ(rates[static_cast<std::size_t>(at)], v[static_cast<std::size_t>(k)]);
    }
  }
}

TEST(Joint, counts_of_coordinates_and_velocities_are_those_of_the_table) {
  const int n_q_expected[] = {0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 3, 7, 6};
  const int n_v_expected[] = {0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 6, 6};
  for (int k = 0; k < 13; ++k) {
    const auto kind = static_cast<JointKind>(k);
    EXPECT_EQ(n_q(kind), n_q_expected[k]);
    EXPECT_EQ(n_v(kind), n_v_expected[k]);
    EXPECT_EQ(joint_kind(name_of(kind)), kind);
  }
}

}  // namespace
