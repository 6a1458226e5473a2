/// Robots with loops in time: closed and with their energy, and at rest where statics say.
#include <gtest/gtest.h>

#include "support/nothing.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor {
namespace {

using testing::nothing;
using testing::Nothing;

TEST(Loops, a_five_bar_falls_with_its_loop_closed_and_its_energy_kept) {
  const Model<double> model = load_robot("five_bar");
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  Nothing law;
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince8}) {
    SimulateOptions o;
    o.integrator = integrator;
    o.duration = 0.3;
    o.step = 2e-4;
    const Recording r = simulate(Plant(model), law, nothing, o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_GT(r.energy(r.size() - 1, 0), 1e-2);
    EXPECT_LT(r.energy_balance(), 1e-8 * r.energy(r.size() - 1, 0)) << name_of(integrator);
    for (int k = 0; k < r.size(); ++k) {
      const ConstraintErrors e = constraint_errors(model, set, ws, r.q.row(k), r.qd.row(k));
      EXPECT_LT(e.position, 1e-9) << name_of(integrator) << " " << r.t[static_cast<std::size_t>(k)];
      EXPECT_LT(e.velocity, 1e-8);
    }
  }
}

TEST(Loops, a_robot_that_starts_open_is_refused_with_the_row) {
  const Model<double> model = load_robot("five_bar");
  Nothing law;
  SimulateOptions o;
  o.q0 = {0.1, 0, 0, 0, 0};
  try {
    (void)simulate(Plant(model), law, nothing, o);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("assemble the robot first"), std::string::npos)
        << error.what();
  }
}

struct Shoulders final : testing::LawOfTests {
  int left, right;
  Shoulders(int l, int r) : LawOfTests("shoulders"), left(l), right(r) {}
  void torque(const ControlInput& input, Out<double> tau) override {
    for (int k = 0; k < tau.size; ++k) tau[k] = 0;
    for (const int k : {left, right}) tau[k] = -2 * input.state.q[k] - 0.05 * input.state.qd[k];
  }
};

/// Motors at the shoulders alone hold the five-bar against gravity: PD with a weight left over.
TEST(Loops, proportional_motors_hold_a_five_bar_where_statics_say) {
  const Model<double> model = load_robot("five_bar");
  const int left = model.body(model.joint_index("left_shoulder")).v.first;
  const int right = model.body(model.joint_index("right_shoulder")).v.first;
  Shoulders law{left, right};
  SimulateOptions o;
  o.duration = 5;
  const Recording r = simulate(Plant(model), law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const int last = r.size() - 1;
  EXPECT_NEAR(r.qd(last, 0), 0, 1e-9);
  EXPECT_NEAR(r.q(last, left), -r.q(last, right), 1e-9);  // the mechanism is symmetric
  // virtual work: the potential has the slope of the motors' torques along the symmetric motion
  const auto potential = [&](double angle) {
    std::vector<double> q(r.q.row(last).begin(), r.q.row(last).end());
    q[static_cast<std::size_t>(left)] = angle, q[static_cast<std::size_t>(right)] = -angle;
    const ConstraintSet set(model);
    AssemblyWorkspace ws(model, set);
    AssemblyOptions options;
    std::vector<char> moving(q.size(), 1);
    moving[static_cast<std::size_t>(left)] = moving[static_cast<std::size_t>(right)] = 0;
    options.moving = moving;
    EXPECT_TRUE(assemble(model, set, ws, q, options));
    KinematicsWorkspace<double> kinematics(model);
    forward_kinematics(model, kinematics, q);
    return potential_energy(model, kinematics);
  };
  const double q = r.q(last, left), h = 1e-4;
  const double slope = (potential(q + h) - potential(q - h)) / (2 * h);
  EXPECT_NEAR(2 * -2 * q, slope, 1e-7);
}

}  // namespace
}  // namespace torsor
