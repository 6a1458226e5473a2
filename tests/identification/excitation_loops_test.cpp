// Excitation of robots with motors that several joints turn, and of robots with loops.
#include "identification/excited.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/excitation.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor {
namespace {

using testing::expect_gradient;
using testing::odd_robot;
using testing::quick;

/// A wrist as those of industrial arms: motor 2 turns with both joints.
Model<double> with_coupled_motor(const Model<double>& plain, const std::string& a,
                                 const std::string& b) {
  RobotDescription robot = plain.description();
  robot.motors.push_back(
      {"motor_2", {{a, 30}, {b, -50}}, 2e-4, {.viscous = 1e-4, .coulomb = 2e-3}});
  return Model<double>(robot);
}

TEST(Excitation, motors_of_several_joints_have_columns_of_their_own) {
  const Model<double> odd = with_coupled_motor(odd_robot(), "to_a", "to_b");
  ExcitationOptions o = quick(odd);
  o.limits = {};
  o.torque_noise = {1, 2, 0.5, 3};
  for (const int power : {0, 8}) expect_gradient(odd, o, power);
  const Model<double> arm = with_coupled_motor(load_robot("puma560"), "wrist_bend", "flange_roll");
  o = quick(arm);
  o.iterations = 3;
  const Excitation found = design_excitation(arm, o);
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has(found.unknowns, "motor.motor_2.rotor"));
  EXPECT_TRUE(has(found.unknowns, "motor.motor_2.viscous"));
  EXPECT_TRUE(has(found.unknowns, "motor.motor_2.coulomb"));
  EXPECT_TRUE(std::isfinite(found.condition));
  // Its constant torque is one of both joints.
  EXPECT_TRUE(has(found.dependent, "motor.motor_2.offset"));
}

TEST(Excitation, gradient_is_that_of_differences_with_loops_too) {
  const Model<double> model = load_robot("four_bar");
  ExcitationOptions o = quick(model);
  const int crank = excited_coordinates(model)[0];
  for (int k = 0; k < model.n_q(); ++k) {
    Limits& l = o.limits[static_cast<std::size_t>(k)];
    if (k == crank) {
      l.effort = 500, l.jerk = 300;
    } else {
      l = {};
      l.velocity = 9;
    }
  }
  o.viscous = o.coulomb = false;  // of a better condition: loops are closed to 1e-12
  o.floor = -5;
  o.torque_noise = {2};
  for (const int power : {0, 2, 8}) expect_gradient(model, o, power, 1e-4);
}

TEST(Excitation, of_robots_with_loops_moves_what_drives_and_all_else_follows) {
  const Model<double> model = load_robot("palletiser");
  const Array<int> driven = excited_coordinates(model);
  EXPECT_LT(driven.size(), model.n_q());
  ExcitationOptions o = quick(model);
  for (int k = 0; k < model.n_q(); ++k) {
    Limits& l = o.limits[static_cast<std::size_t>(k)];
    const bool drives = std::find(driven.begin(), driven.end(), k) != driven.end();
    if (drives)
      l.effort = 1e4, l.jerk = 300;
    else
      l = {};
  }
  o.floor = -5;
  const Excitation found = design_excitation(model, o);
  EXPECT_TRUE(found.keeps_limits());
  EXPECT_LT(found.condition, found.start_condition);
  EXPECT_EQ(found.coordinates, driven);

  // Loops are closed, and rows of the motors show as many parameters as the mechanism has.
  Array<double> times;
  for (int k = 0; k < 200; ++k) times.push_back(found.duration() * k / 200);
  const SampledMotion motion = sampled_motion(model, found, 0, times);
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  const auto row = [](const Matrix& x, int k) {
    return View<const double>(x.data() + k * x.cols(), x.cols());
  };
  Array<double> own(driven.size());
  for (int k = 0; k < times.size(); ++k) {
    const ConstraintErrors errors =
        constraint_errors(model, set, ws, row(motion.q, k), row(motion.qd, k), row(motion.qdd, k));
    EXPECT_LT(errors.position, 1e-10);
    EXPECT_LT(errors.velocity, 1e-9);
    EXPECT_LT(errors.acceleration, 1e-8);
    found.sample(0, times[k], own);
    for (int c = 0; c < driven.size(); ++c) EXPECT_EQ(motion.q(k, driven[c]), own[c]);
  }
  o.rotors = o.viscous = o.coulomb = o.offset = false;
  o.iterations = 1;
  EXPECT_EQ(static_cast<int>(design_excitation(model, o).unknowns.size()),
            base_parameters(model).size());
}

}  // namespace
}  // namespace torsor
