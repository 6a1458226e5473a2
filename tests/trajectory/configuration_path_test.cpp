#include "torsor/trajectory/configuration_path.hpp"

#include "support/allocation_counter.hpp"
#include "support/random_model.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::refusal;

RobotDescription one_joint(JointKind kind) {
  RobotDescription d;
  d.name = "probe";
  d.links.resize(2);
  d.links[0].name = "base", d.links[1].name = "arm";
  Joint joint;
  joint.name = "hinge", joint.parent = "base", joint.child = "arm";
  joint.kind = kind;
  d.joints = {joint};
  return d;
}
std::vector<double> configuration(const Model<double>& model, std::uint64_t seed) {
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  random_configuration(model, seed, q);
  return q;
}

const JointKind kinds[] = {
    JointKind::revolute,  JointKind::continuous,      JointKind::cylindrical,
    JointKind::universal, JointKind::planar,          JointKind::translational,
    JointKind::spherical, JointKind::spherical_euler, JointKind::free};

TEST(ConfigurationPath, meets_both_ends_and_its_velocity_is_that_of_the_coordinates) {
  for (const JointKind kind : kinds)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Model<double> model(one_joint(kind));
      const auto q0 = configuration(model, seed), q1 = configuration(model, seed + 100);
      const ConfigurationPath path(model, q0, q1);
      const auto n = static_cast<std::size_t>(model.n_v());
      std::vector<double> q(q0.size()), before = q, after = q, rates = q, qd(n), qdd(n), to(n);
      path.at(0, 0, 0, q, qd, qdd);
      for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(q[k], q0[k], 1e-15);
      path.at(1, 0, 0, q, qd, qdd);
      difference(model, q, q1, to);
      for (const double x : to) EXPECT_NEAR(x, 0, 1e-13) << name_of(kind);

      const double step = 1e-5;  // central differences: error about step^2
      path.at(0.4 - step, 0, 0, before, qd, qdd);
      path.at(0.4 + step, 0, 0, after, qd, qdd);
      path.at(0.4, 1.5, -0.7, q, qd, qdd);
      configuration_rates(model, q, qd, rates);
      for (std::size_t k = 0; k < q.size(); ++k)
        EXPECT_NEAR(1.5 * (after[k] - before[k]) / (2 * step), rates[k], 1e-8) << name_of(kind);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_EQ(qd[k], path.step()[k] * 1.5);
        EXPECT_EQ(qdd[k], path.step()[k] * -0.7);
      }
    }
}

TEST(ConfigurationPath, at_a_law_keeps_the_limits_of_every_degree_of_freedom) {
  RobotDescription d = one_joint(JointKind::free);
  Limits l;
  l.velocity = 0.7, l.acceleration = 2, l.jerk = 20;
  d.joints[0].limits.assign(6, l);
  const Model<double> model(d);
  const auto q0 = configuration(model, 3), q1 = configuration(model, 4);
  for (const Profile profile : {Profile::quintic, Profile::septic, Profile::double_s}) {
    const auto trajectory = configuration_trajectory(model, q0, q1, profile);
    std::vector<double> q(7), qd(6), qdd(6);
    double used = 0;
    const testing::AllocationCounter counter;
    for (int k = 0; k <= 2000; ++k) {
      trajectory.sample(trajectory.duration() * k / 2000, q, qd, qdd);
      for (std::size_t i = 0; i < 6; ++i)
        used = std::max({used, std::abs(qd[i]) / 0.7, std::abs(qdd[i]) / 2});
    }
    EXPECT_EQ(counter.count(), 0u);
    EXPECT_LE(used, 1 + 1e-12);
    EXPECT_GT(used, 0.5);
  }
}

TEST(CoordinateLimits, are_those_of_the_joints_in_the_order_of_q) {
  RobotDescription d = one_joint(JointKind::cylindrical);
  Limits turn, slide;
  turn.velocity = 2, slide.velocity = 0.5;
  d.joints[0].limits = {turn, slide};
  const auto limits = coordinate_limits(Model<double>(d));
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].velocity, 2);
  EXPECT_EQ(limits[1].velocity, 0.5);
}

TEST(CoordinateLimits, refuse_quaternions_and_body_velocities_naming_the_joint) {
  for (const JointKind kind :
       {JointKind::spherical, JointKind::free, JointKind::planar, JointKind::free_euler})
    EXPECT_EQ(refusal([&] { coordinate_limits(Model<double>(one_joint(kind))); }),
              std::string("robot \"probe\": joint \"hinge\" (") + name_of(kind) +
                  ") has velocities that are not the rates of its coordinates; move it along "
                  "configuration_path or a pose path");
  EXPECT_EQ(refusal([] {
              const Model<double> model(one_joint(JointKind::free_euler));
              ConfigurationPath(model, std::vector<double>(6), std::vector<double>(6));
            }),
            "robot \"probe\": joint \"hinge\" (free_euler) has no configuration path; make it a "
            "free joint");
  EXPECT_EQ(refusal([] {
              const Model<double> model(one_joint(JointKind::revolute));
              ConfigurationPath(model, {0, 1}, {1});
            }),
            "robot \"probe\": configuration has 2 numbers; 1 are needed");
}

}  // namespace
}  // namespace torsor
