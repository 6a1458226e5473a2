// C-08: friction of every shape, rotors, joint springs, and their place in the torque balance.
#include "torsor/model/friction.hpp"

#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "support/random_model.hpp"
#include "torsor/model/builder.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

using Numbers = std::vector<double>;

Model<double> one_joint(const Friction& friction) {
  ModelBuilder b;
  b.revolute("joint", "base", "link").friction(friction);
  return b.build();
}
double friction_at(const Friction& friction, double v) {
  return friction_torque(one_joint(friction).dof(0), v);
}

TEST(Friction, C_08_viscous_friction_is_proportional_to_velocity) {
  EXPECT_EQ(friction_at({.viscous = 0.5}, 4), 2);
  EXPECT_EQ(friction_at({.viscous = 0.5}, -4), -2);
  EXPECT_EQ(friction_at({.viscous = 0.5, .damping = 0.25}, 4), 3);  // of the structure, too
}

TEST(Friction, C_08_coulomb_friction_is_constant_and_opposes_the_motion) {
  for (double v : {1e-300, 1e-9, 1.0, 1e9}) {
    EXPECT_EQ(friction_at({.coulomb = 3}, v), 3);
    EXPECT_EQ(friction_at({.coulomb = 3}, -v), -3);
  }
  EXPECT_EQ(friction_at({.coulomb = 3}, 0), 0);  // sgn(0) = 0, Huo 2005, sec. 2.6
}

TEST(Friction, C_08_viscous_and_coulomb_add_up) {
  EXPECT_EQ(friction_at({.viscous = 0.5, .coulomb = 3}, 4), 5);
  EXPECT_EQ(friction_at({.viscous = 0.5, .coulomb = 3}, -4), -5);
}

TEST(Friction, C_08_static_friction_holds_more_than_kinetic_friction) {
  const Model<double> model = one_joint({.coulomb = 3, .stiction = 5});
  for (double applied : {0.0, 4.0, 5.0, -5.0}) {
    EXPECT_TRUE(static_friction_holds(model, 0, applied));
    EXPECT_EQ(friction_torque_at_rest(model.dof(0), applied), applied);
  }
  for (double applied : {5.001, -7.0}) {
    EXPECT_FALSE(static_friction_holds(model, 0, applied));
    EXPECT_EQ(friction_torque_at_rest(model.dof(0), applied), applied > 0 ? 5 : -5);
  }
  EXPECT_EQ(friction_torque(model.dof(0), 1e-12), 3);  // once it moves
}

TEST(Friction, C_08_stiction_of_zero_stands_for_the_kinetic_value) {
  const Model<double> model = one_joint({.coulomb = 3});
  EXPECT_TRUE(static_friction_holds(model, 0, 3.0));
  EXPECT_FALSE(static_friction_holds(model, 0, 3.001));
}

TEST(Friction, C_08_stribeck_friction_decays_from_static_to_kinetic) {
  const Friction f{.coulomb = 3, .stiction = 5, .stribeck = 0.1};
  EXPECT_NEAR(friction_at(f, 1e-9), 5, 1e-12);
  EXPECT_NEAR(friction_at(f, 0.1), 3 + 2 / std::exp(1.0), 10 * eps<double>);
  EXPECT_NEAR(friction_at(f, -0.1), -3 - 2 / std::exp(1.0), 10 * eps<double>);
  EXPECT_EQ(friction_at(f, 10), 3);
}

TEST(Friction, C_08_smooth_friction_is_within_its_width_of_the_exact_one) {
  const Friction smooth{.viscous = 0.2, .coulomb = 3, .width = 0.01},
      exact{.viscous = 0.2, .coulomb = 3};
  EXPECT_EQ(friction_at(smooth, 0), 0);
  EXPECT_NEAR(friction_at(smooth, 0.01), 0.002 + 3 * std::tanh(1.0), 10 * eps<double>);
  EXPECT_NEAR(friction_at(smooth, 0.3), friction_at(exact, 0.3), 10 * eps<double>);
  EXPECT_FALSE(static_friction_holds(one_joint(smooth), 0, 1e-9));  // it creeps
  EXPECT_EQ(friction_torque_at_rest(one_joint(smooth).dof(0), 2.0), 0);
}

TEST(Friction, offset_and_asymmetry_make_the_two_directions_different) {
  const Friction f{.viscous = 0.5,
                   .coulomb = 3,
                   .offset = 0.25,
                   .viscous_asymmetry = 0.125,
                   .coulomb_asymmetry = 0.5};
  EXPECT_EQ(friction_at(f, 4), (0.5 + 0.125) * 4 + (3 + 0.5) + 0.25);
  EXPECT_EQ(friction_at(f, -4), -(0.5 - 0.125) * 4 - (3 - 0.5) + 0.25);
  EXPECT_EQ(friction_at(f, 0), 0.25);
  Friction smooth = f;
  smooth.width = 0.01;
  const double s = std::tanh(2.0);
  EXPECT_NEAR(friction_at(smooth, 0.02), 0.01 + 0.125 * 0.02 * s + 3 * s + 0.5 * s * s + 0.25,
              10 * eps<double>);
  EXPECT_EQ(friction_at(smooth, 0), 0.25);
  EXPECT_NEAR(friction_at(smooth, -0.5), friction_at(f, -0.5), 20 * eps<double>);
}

TEST(Friction, at_rest_an_uneven_friction_holds_what_lies_between_its_two_directions) {
  const Friction f{.coulomb = 3, .stiction = 4, .offset = 0.25, .coulomb_asymmetry = 0.5};
  const Model<double> model = one_joint(f);
  const double up = 4 + 0.5 + 0.25, down = -4 + 0.5 + 0.25;
  for (const double applied : {down, -1.0, 0.0, 2.0, up}) {
    EXPECT_TRUE(static_friction_holds(model, 0, applied)) << applied;
    EXPECT_EQ(friction_torque_at_rest(model.dof(0), applied), applied);
  }
  EXPECT_FALSE(static_friction_holds(model, 0, up + 1e-9));
  EXPECT_FALSE(static_friction_holds(model, 0, down - 1e-9));
  EXPECT_EQ(friction_torque_at_rest(model.dof(0), 100.0), up);
  EXPECT_EQ(friction_torque_at_rest(model.dof(0), -100.0), down);
  Friction smooth = f;
  smooth.width = 0.1;
  EXPECT_EQ(friction_torque_at_rest(one_joint(smooth).dof(0), 2.0), 0.25);
}

TEST(Friction, an_asymmetry_that_would_drive_the_joint_is_refused) {
  const auto message = [](const Friction& f) -> std::string {
    try {
      (void)one_joint(f);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message({.viscous = 0.5, .viscous_asymmetry = -0.5}), "");
  EXPECT_NE(
      message({.viscous = 0.5, .viscous_asymmetry = -0.51}).find("viscous_asymmetry is -0.51"),
      std::string::npos);
  EXPECT_NE(message({.coulomb = 1, .coulomb_asymmetry = 2}).find("coulomb_asymmetry is 2"),
            std::string::npos);
  EXPECT_NE(message({.offset = std::nan("")}).find("offset"), std::string::npos);
  EXPECT_NE(message({.viscous = 1, .viscous_asymmetry = std::nan("")}).find("viscous_asymmetry"),
            std::string::npos);
  Actuator motor;  // its viscous friction counts
  motor.gear_ratio = 10, motor.motor_viscous = 0.01;
  ModelBuilder b;
  b.revolute("joint", "base", "link").friction({.viscous_asymmetry = 0.9}).actuator(motor);
  EXPECT_NO_THROW((void)b.build());
}

TEST(Friction, an_offset_alone_is_a_joint_torque) {
  EXPECT_FALSE(internal::has_joint_torques(one_joint({})));
  EXPECT_TRUE(internal::has_joint_torques(one_joint({.offset = 0.1})));
  Numbers tau{0};
  add_joint_torques(one_joint({.offset = 0.1}), Numbers{0}, Numbers{-3}, tau);
  EXPECT_EQ(tau[0], 0.1);
}

TEST(Friction, C_08_a_user_function_of_position_and_velocity_is_added) {
  ModelBuilder b;
  b.revolute("one", "base", "a").friction({.viscous = 1});
  b.revolute("two", "a", "b").friction({.coulomb = 2});
  const Model<double> model = b.build();
  const Numbers q{0.3, -0.7}, qd{1.5, -2};
  Numbers tau(2);
  friction_torque(model, q, qd, tau, [](int k, View<const double> theta, View<const double> rate) {
    return std::cos(theta[k]) * rate[k];
  });
  EXPECT_EQ(tau[0], 1.5 + std::cos(0.3) * 1.5);
  EXPECT_EQ(tau[1], -2 + std::cos(-0.7) * -2);
}

TEST(Friction, friction_takes_power_from_every_motion) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const Numbers q = random_q(model, seed), v = random_velocity(model, seed);
    Numbers tau(v.size());
    friction_torque(model, q, v, tau);
    for (std::size_t k = 0; k < v.size(); ++k) EXPECT_GE(tau[k] * v[k], 0);
  }
}

TEST(Friction, derivative_along_velocity_is_that_of_the_formula) {
  using Tangent = Dual<double, 1>;
  const double coulomb = 3, stiction = 5, stribeck = 0.2, width = 0.05, viscous = 0.7;
  const Model<double> model = one_joint({viscous, 0, coulomb, stiction, stribeck, width});
  for (double v : {-1.0, -0.1, 0.0, 0.03, 0.4}) {
    const double e = std::exp(-v * v / stribeck / stribeck), t = std::tanh(v / width);
    const double slope = viscous + (1 - t * t) / width * (coulomb + (stiction - coulomb) * e) -
                         t * (stiction - coulomb) * e * 2 * v / stribeck / stribeck;
    EXPECT_NEAR(friction_torque(model.dof(0), Tangent::variable(v, 0)).d[0], slope, 1e-12);
  }
  // of the exact one away from rest, and finite at rest
  EXPECT_EQ(
      friction_torque(one_joint({.viscous = 2, .coulomb = 3}).dof(0), Tangent::variable(0.1, 0))
          .d[0],
      2);
  EXPECT_EQ(
      friction_torque(one_joint({.viscous = 2, .coulomb = 3}).dof(0), Tangent::variable(0, 0)).d[0],
      2);
}

TEST(Friction, derivative_with_respect_to_a_friction_parameter_comes_from_a_dual_model) {
  using Tangent = Dual<double, 1>;
  const Friction f{.viscous = 0.5, .coulomb = 3, .stiction = 4, .stribeck = 0.3};
  DofConstants<Tangent> dof = one_joint(f).cast<Tangent>().dof(0);
  dof.viscous = Tangent::variable(0.5, 0);
  EXPECT_EQ(friction_torque(dof, 2.0).d[0], 2);
  EXPECT_EQ(friction_torque(dof, 2.0).value, friction_at(f, 2));
}

TEST(Friction, lanes_of_a_pack_are_states_of_their_own) {
  using Lanes = Pack<double, 4>;
  const Friction f{.viscous = 0.5, .coulomb = 3, .stiction = 4, .stribeck = 0.3};
  const double speeds[] = {-1, 0, 0.1, 2};
  Lanes v(0);
  for (int lane = 0; lane < 4; ++lane) v.set(lane, speeds[lane]);
  const Lanes tau = friction_torque(one_joint(f).dof(0), v);
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(tau[lane], friction_at(f, speeds[lane]));
}

TEST(Friction, rotor_inertia_and_motor_damping_go_with_the_square_of_the_gear_ratio) {
  Actuator motor;
  motor.rotor_inertia = 2e-4, motor.gear_ratio = -50, motor.motor_viscous = 1e-3;
  ModelBuilder b;
  b.revolute("joint", "base", "link").friction({.viscous = 0.5}).actuator(motor);
  const Model<double> model = b.build();
  EXPECT_EQ(model.dof(0).armature, 2e-4 * 2500);  // gear_ratio^2 rotor_inertia
  EXPECT_EQ(model.dof(0).viscous, 0.5 + 2500 * 1e-3);
}

TEST(Friction, L_11_joint_spring_torque_is_the_slope_of_its_energy) {
  using Tangent = Dual<double, 1>;
  ModelBuilder b;
  b.revolute("one", "base", "a").spring(3, 0.2);
  b.planar("two", "a", "b").spring(0, {5, -0.1});
  b.spherical("three", "b", "c");
  b.cylindrical("four", "c", "d").spring(7, 0.3);
  const Model<double> model = b.build();
  const Numbers q = random_q(model, 3);
  Numbers tau(static_cast<std::size_t>(model.n_v()));
  joint_spring_torque(model, q, tau);
  double largest = 0;
  for (std::size_t k = 0; k < tau.size(); ++k) {
    std::vector<Tangent> x(q.begin(), q.end()), step(tau.size()), moved(q.size());
    step[k].d[0] = 1;
    integrate(model, x, step, moved);
    EXPECT_NEAR(joint_spring_energy(model, moved).d[0], tau[k], 10 * eps<double>) << k;
    largest = std::max(largest, std::abs(tau[k]));
  }
  EXPECT_GT(largest, 1);
}

TEST(Friction, D_33_torque_balance_has_every_term_with_its_sign) {
  Actuator motor;
  motor.rotor_inertia = 0.01, motor.gear_ratio = 10, motor.disturbance = 0.6;
  ModelBuilder b;
  b.revolute("joint", "base", "link")
      .friction({.viscous = 0.3, .coulomb = 1.2})
      .actuator(motor)
      .spring(2, 0.5);
  Numbers tau{100};
  add_joint_torques(b.build(), Numbers{0.7}, Numbers{-2}, tau, {},
                    [](int, auto, auto) { return 0.25; });
  const double expected = 100 + (0.3 * -2 - 1.2) + 2 * (0.7 - 0.5) - 0.6 + 0.25;
  EXPECT_NEAR(tau[0], expected, 4 * eps<double> * 100);
}

TEST(Friction, D_33_sum_is_that_of_its_parts_for_every_kind_and_allocates_nothing) {
  const Model<double> model(random_tree(4, 20, everything()));
  const Numbers q = random_q(model, 1), v = random_velocity(model, 1);
  Numbers tau(v.size()), friction(v.size());
  {
    const AllocationCounter counter;
    add_joint_torques(model, q, v, tau);
    friction_torque(model, q, v, friction);
    EXPECT_EQ(counter.count(), 0u);
  }
  for (int k = 0; k < model.n_v(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(tau[at], friction[at] - model.dof(k).disturbance, 10 * eps<double>);
  }
}

}  // namespace
