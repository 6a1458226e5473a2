/// Parameters by name: the written-out regressors of the textbook, and every kind of joint.
#include "torsor/control/uncertain/parameter_set.hpp"

#include <gtest/gtest.h>

#include "control/reference_runs.hpp"
#include "control/textbook_regressors.hpp"
#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "support/random_model.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using testing::State;
using Numbers = std::vector<double>;

/// The robot without any mass: nothing is known of it.
Model<double> weightless(const Model<double>& model) {
  return testing::with_inertia_times(model, 0);
}

/// Y by columns.
Numbers dense(ParameterSet& set, const Numbers& q, const Numbers& qd, const Numbers& v,
              const Numbers& w) {
  const int n = set.model().n_v();
  Numbers Y(static_cast<std::size_t>(n * set.size()), 99.0);
  set.regressor(q, qd, v, w, column_major(Y.data(), n, set.size()));
  return Y;
}
/// H w + C v + G and what joints add, of the model.
Numbers truth(const Model<double>& model, const Numbers& q, const Numbers& qd, const Numbers& v,
              const Numbers& w) {
  TwoVelocityWorkspace<double> two(model);
  Numbers tau(qd.size());
  two_velocity_inverse_dynamics(model, two, q, qd, v, w, tau);
  add_joint_torques(model, q, qd, tau);
  return tau;
}
/// Inertias, their shares, friction and rotors of a drawn robot.
std::vector<std::string> mixed_names(const Model<double>& model) {
  std::vector<std::string> names;
  const std::vector<std::string> all = parameter_names(model);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k % 10 < 4 && k % 3 == 0) names.push_back(all[k] + ".inertia");
    if (k % 10 < 4 && k % 3 == 1) names.push_back("-2.5*" + all[k] + ".gravity");
    if (k % 3 == 2) names.push_back("-" + all[k]);
    if (k % 10 == 4) names.push_back(all[k] + " - 0.5*" + all[(k + 13) % all.size()]);
  }
  for (int k = 0; k < model.n_v(); ++k)
    names.push_back((k % 2 == 1 ? "-2*" : "") + model.dof_name(k) + "." +
                    internal::joint_parameter_words[static_cast<std::size_t>(k % 4)]);
  return names;
}

TEST(ParameterSet, of_the_arm_R2_is_the_regressor_written_out) {
  const Model<double> arm = load_robot("planar2r"), nothing = weightless(arm);
  ParameterSet set(nothing, testing::r2_names());
  ASSERT_EQ(set.size(), 5);
  const Numbers q{0.3, -0.7}, qd{0.5, -1.2}, v{0.2, 0.4}, w{1, -2};
  const auto expected = testing::r2_regressor(q, qd, v, w);
  const Numbers Y = dense(set, q, qd, v, w);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_NEAR(Y[c * 2 + r], expected[r][c], 1e-14) << r << ", " << c;
  // the spec's parameters and torques
  const Numbers p = set.values_of(arm), known{5.0 / 3, 0.5, 1.0 / 3, 1.5, 0.5};
  for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(p[c], known[c], 1e-13) << c;
  Numbers tau(2);
  set.torque(q, qd, v, w, known, tau);
  EXPECT_NEAR(tau[0], 19.408084, 5e-7);
  EXPECT_NEAR(tau[1], 4.5346811, 5e-8);
  const Numbers loaded = set.values_of(attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}})),
                heavier{8.0 / 3, 1, 5.0 / 6, 2, 1};
  for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(loaded[c], heavier[c], 1e-13) << c;
}

TEST(ParameterSet, of_the_direct_drive_arm_is_the_corrected_regressor_of_example_3_4) {
  const Model<double> arm = load_robot("ddarm"), nothing = weightless(arm);
  ParameterSet set(nothing, testing::ddarm_names());
  const Numbers q{0.3, -0.7, 1.1}, qd{0.5, -1.2, 0.8}, v{0.2, 0.4, -0.6}, w{1, -2, 3};
  const auto expected = testing::ddarm_regressor(q, qd, v, w);
  const Numbers Y = dense(set, q, qd, v, w);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 9; ++c)
      EXPECT_NEAR(Y[c * 3 + r], expected[r][c], 1e-14) << r << ", " << c;
  EXPECT_GT(std::abs(Y[8 * 3] - testing::ddarm_regressor(q, qd, v, w, true)[0][8]), 0.1);
  // the model's links and the textbook's set give the nine alike
  const Numbers p = set.values_of(arm), known = testing::ddarm_parameters(),
                exact = set.values_of(with_parameters(arm, testing::ddarm_links()));
  for (std::size_t c = 0; c < 9; ++c) EXPECT_NEAR(p[c], known[c], 1e-12) << c;
  for (std::size_t c = 0; c < 9; ++c) EXPECT_NEAR(exact[c], known[c], 1e-12) << c;
  Numbers tau(3);
  set.torque(q, qd, v, w, known, tau);
  EXPECT_NEAR(tau[0], 14.2263526, 5e-8);
  EXPECT_NEAR(tau[1], 17.6268287, 5e-8);
  EXPECT_NEAR(tau[2], 2.4970534, 5e-8);
}

TEST(ParameterSet, X_3_16_recursions_equal_the_dense_regressor_for_every_joint) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14)),
        plant(testing::with_inertia_times(model, 1.3));
    const State<double> s(model, seed), other(model, seed + 50);
    const Numbers &v = other.qd, &r = other.tau;
    for (const bool all : {false, true}) {
      ParameterSet set(model, all ? std::vector<std::string>{} : mixed_names(model));
      const std::size_t n = s.qd.size(), m = static_cast<std::size_t>(set.size());
      const Numbers Y = dense(set, s.q, s.qd, v, s.qdd);
      const double scale = testing::scale_of(Y) * static_cast<double>(m);
      testing::Draw<double> draw(seed);
      Numbers p(m), tau(n), y(m), known(n);
      for (double& x : p) x = draw();
      set.torque(s.q, s.qd, v, s.qdd, p, tau);
      set.torque(s.q, s.qd, v, s.qdd, Numbers(m), known);
      set.transpose_times(s.q, s.qd, v, s.qdd, r, y);
      for (std::size_t k = 0; k < n; ++k) {
        double product = known[k];
        for (std::size_t c = 0; c < m; ++c) product += Y[c * n + k] * p[c];
        EXPECT_NEAR(tau[k], product, 1e-14 * scale) << "seed " << seed;
      }
      for (std::size_t c = 0; c < m; ++c) {
        double product = 0;
        for (std::size_t k = 0; k < n; ++k) product += Y[c * n + k] * r[k];
        EXPECT_NEAR(y[c], product, 1e-14 * scale)
            << "seed " << seed << " " << set.names()[static_cast<int>(c)];
      }
      // at the model's own values it is the model, at the plant's it is the plant
      const Numbers own = truth(model, s.q, s.qd, v, s.qdd);
      set.torque(s.q, s.qd, v, s.qdd, set.values(), tau);
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(tau[k], own[k], 1e-13 * scale) << "seed " << seed;
      if (!all) continue;
      const Numbers theirs = truth(plant, s.q, s.qd, v, s.qdd);
      set.torque(s.q, s.qd, v, s.qdd, set.values_of(plant), tau);
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(tau[k], theirs[k], 1e-13 * scale) << "seed " << seed;
    }
  }
}

TEST(ParameterSet, inertia_matrix_at_p_is_that_of_the_robot_that_has_p) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14));
    const State<double> s(model, seed);
    ParameterSet set(model);
    Numbers p(set.values().begin(), set.values().end());
    testing::Draw<double> draw(seed);
    for (double& x : p) x *= 1 + 0.3 * draw();
    const int n = model.n_v();
    testing::Square<double> H(n), expected(n);
    set.inertia_matrix(s.q, p, H.view());
    CrbaWorkspace<double> crba(model);
    mass_matrix(with_parameters(model, p), crba, s.q, expected.view());
    for (std::size_t k = 0; k < H.data.size(); ++k)
      EXPECT_NEAR(H.data[k], expected.data[k], 1e-13 * testing::scale_of(expected.data));
  }
}

TEST(ParameterSet, values_of_a_plant_that_needs_all_terms_come_by_least_squares) {
  const Model<double> arm = load_robot("planar2r"), heavy = testing::with_inertia_times(arm, 2);
  // the mass of link 2 is not in the list; mx, zz of link 1 and the split of mx can stand for it
  ParameterSet set(arm, testing::r2_names());
  const Numbers p = set.values_of(heavy), q{0.4, 0.9}, qd{1, -0.5}, v{0.3, 2}, w{-1, 3};
  Numbers tau(2);
  set.torque(q, qd, v, w, p, tau);
  const Numbers expected = truth(heavy, q, qd, v, w);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-11);
}

TEST(ParameterSet, friction_and_rotors_are_parameters_of_joints) {
  const Model<double> arm = load_robot("puma560");
  ParameterSet set(arm, {"shoulder.viscous", "elbow.coulomb", "elbow.rotor"});
  for (int k = 0; k < 3; ++k) EXPECT_GT(set.values()[k], 0);
  EXPECT_EQ(set.values()[0], arm.dof(1).viscous);
  EXPECT_EQ(set.values()[2], arm.dof(2).armature);
  const Numbers q(6, 0.1), qd{0, 0.5, -0.3, 0, 0, 0}, w{0, 0, 2, 0, 0, 0};
  const Numbers Y = dense(set, q, qd, qd, w);
  EXPECT_EQ(Y[1], 0.5);
  EXPECT_EQ(Y[6 + 2], -1);
  EXPECT_EQ(Y[12 + 2], 2);
}

TEST(ParameterSet, a_link_stands_for_its_ten_and_bad_names_are_refused) {
  const Model<double> arm = load_robot("puma560");
  const ParameterSet set(arm, {"link_6", "waist.viscous"});
  ASSERT_EQ(set.size(), 11);
  EXPECT_EQ(set.names()[3], "link_6.mz");
  const auto message = [&](const std::vector<std::string>& names) -> std::string {
    try {
      ParameterSet refused(arm, names);
    } catch (const Error& e) {
      return e.what();
    }
    return "taken";
  };
  EXPECT_EQ(message({"link_6.mq"}),
            "robot \"puma560\": parameter \"link_6.mq\" is unknown; did you mean \"link_6.m\"?");
  EXPECT_NE(message({"waist.viscus"}).find("did you mean \"waist.viscous\"?"), std::string::npos);
  EXPECT_NE(message({"link_2.zz - link_9.zz"}).find("\"link_9.zz\" is unknown"), std::string::npos);
  EXPECT_NE(message({"link_2.zz.gravity"}).find("no share in gravity"), std::string::npos);
  EXPECT_NE(message({"waist.viscous.inertia"}).find("is unknown"), std::string::npos);
  EXPECT_NE(message({"0*link_2.zz"}).find("a number other than 0"), std::string::npos);
  EXPECT_NE(message({"x*link_2.zz"}).find("a number other than 0"), std::string::npos);
  EXPECT_NE(message({"link_2.m", "link_2.m"}).find("twice"), std::string::npos);
  EXPECT_NE(message({""}).find("unknown"), std::string::npos);
}

TEST(ParameterSet, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  ParameterSet set(arm);
  const Numbers q(6, 0.3), p(set.values().begin(), set.values().end());
  Numbers tau(6), y(60), Y(360), H(36);
  const testing::AllocationCounter counter;
  set.torque(q, q, q, q, p, tau);
  set.transpose_times(q, q, q, q, tau, y);
  set.regressor(q, q, q, q, column_major(Y.data(), 6, 60));
  set.inertia_matrix(q, p, column_major(H.data(), 6, 6));
  EXPECT_EQ(counter.count(), 0u);
}

TEST(ParameterSet, of_a_robot_with_friction_of_the_load_is_refused) {
  RobotDescription robot = testing::random_tree(1, 2, {.kinds = {JointKind::revolute}});
  robot.joints[0].friction[0].load = 0.1;
  const Model<double> model(robot);
  EXPECT_THROW(ParameterSet(model, {"joint_1.coulomb"}), Error);
}

}  // namespace
}  // namespace torsor
