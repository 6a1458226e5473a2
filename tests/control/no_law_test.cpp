/// No law: nothing but weight moves the robot.
#include "torsor/control/beside/no_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/experiments/scenario_file.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

/// A mass on a vertical slide falls by g t^2 / 2.
TEST(NoLaw, a_mass_falls_freely) {
  ModelBuilder b("stone");
  b.prismatic("slide", "base", "stone");
  b.inertia("stone", 2, {0, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> robot = b.build();
  NoLaw law(robot);
  SimulateOptions o;
  o.duration = 1.5;
  const Recording r = simulate(
      Plant(robot), law, [](double, ReferencePoint&) {}, o);
  ASSERT_EQ(r.stop, StopReason::finished);
  for (int k = 0; k < r.size(); ++k) {
    const double t = r.t[static_cast<std::size_t>(k)];
    EXPECT_NEAR(r.q(k, 0), -0.5 * 9.81 * t * t, 1e-9);
    EXPECT_EQ(r.tau(k, 0), 0);
  }
}

TEST(NoLaw, has_no_loop_that_a_period_could_shake) {
  Scenario s = load_scenario(TORSOR_SOURCE_DIR "/examples/scenarios/falling_arm.yaml");
  s.options.period = 0.01;
  s.options.duration = 0.1;
  const Recording r = run_scenario(s);
  for (const Condition& c : r.conditions) EXPECT_TRUE(c.satisfied()) << c.name << ": " << c.text();
}

TEST(NoLaw, an_arm_that_swings_keeps_its_energy) {
  const Recording r =
      run_scenario(load_scenario(TORSOR_SOURCE_DIR "/examples/scenarios/falling_arm.yaml"));
  double most = 0;
  for (int k = 0; k < r.size(); ++k) {
    most = std::max(most, r.energy(k, 0));
    EXPECT_NEAR(r.energy(k, 0) + r.energy(k, 1), r.energy(0, 1), 1e-8);
  }
  EXPECT_GT(most, 20);
}

}  // namespace
}  // namespace torsor
