// Huo 2005, sec. 2.6: a hand in contact, and actuators, friction and disturbances in the joints. The arm is
// the DDArm of example 2-1 with made-up link data (Appendix numbers computed with extended precision).
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/model/dh.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {
namespace {

constexpr double half_pi = std::numbers::pi / 2;

DhTable ddarm() {
  DhTable table;
  table.rows.resize(3);
  table.rows[0].alpha = -half_pi;
  table.rows[1].alpha = half_pi;
  table.rows[1].d = 0.462;
  const Inertial links[] = {{20, {0.01, -0.05, 0.02}, {0.9, 0.02, 0.7, -0.01, 0.03, 0.8}},
                            {8, {0.02, -0.1, 0.05}, {0.3, -0.01, 0.22, 0.02, 0.015, 0.25}},
                            {4, {0.07, 0.01, 0.12}, {0.11, 0.004, 0.12, -0.006, 0.003, 0.05}}};
  for (std::size_t i = 0; i < 3; ++i) {
    table.rows[i].inertial = links[i];
    table.rows[i].has_inertial = true;
  }
  return table;
}

struct Motion {
  std::vector<double> q{0.3, -0.7, 0.45}, qd{0.8, -0.5, 0.35}, qdd{-0.4, 1.1, 0.25}, zero{0, 0, 0};
};

std::vector<double> torques(const Model<double>& model, const Motion& s, In<Wrench<double>> F_ext) {
  RneaWorkspace<double> ws(model);
  std::vector<double> tau(3);
  rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, F_ext, tau);
  return tau;
}

/// The contact of the golden data: force and moment on the environment in the axes of frame n at its origin.
std::vector<Wrench<double>> contact(const Model<double>& model) {
  const Frame& hand = model.frame("frame_3");
  const Wrench<double> on_environment{{0.4, 0.6, -0.3}, {3, -2, 5}};
  std::vector<Wrench<double>> F_ext(4);
  F_ext[static_cast<std::size_t>(hand.body)] = Ad_dual_inv(hand.placement, -on_environment);
  return F_ext;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], 2e-14 * testing::scale_of(expected)) << k;
}

TEST(ExtendedModel, DDARM_DH_torques_gravity_bias_and_energies) {
  const Model<double> model(from_dh(ddarm()));
  Motion s;
  expect_near(torques(model, s, {}), {-1.57627928409493, 3.25515515835962, -1.15532887343473});
  Motion rest = s;
  rest.qd = rest.qdd = rest.zero;
  expect_near(torques(model, rest, {}), {0.0, 2.59972881020948, -0.99731261055195});
  MomentumWorkspace<double> ws(model);
  EXPECT_NEAR(kinetic_energy(model, ws, s.q, s.qd), 1.24914569094818, 1e-14);
  EXPECT_NEAR(potential_energy(model, ws.kinematics), 18.9073129282336, 1e-13);
}

TEST(ExtendedModel, DDARM_DH_mass_and_coriolis_matrices) {
  const Model<double> model(from_dh(ddarm()));
  const Motion s;
  testing::Square<double> H(3), C(3);
  CrbaWorkspace<double> crba(model);
  mass_matrix(model, crba, s.q, H.view());
  expect_near(H.data, {3.12889822577999, -0.403805405064662, 0.0868346694841041,  //
                       -0.403805405064662, 0.435815497828305, -0.0188454399350395,
                       0.0868346694841041, -0.0188454399350395, 0.07});
  CoriolisWorkspace<double> ws(model);
  coriolis_matrix(model, ws, s.q, s.qd, C.view());
  expect_near(C.data, {0.0825441274545242, 0.044171882079813, -0.12556960263918,  //
                       0.00619204858767885, -0.00374172432152278, 0.0391934580985021,
                       0.0994800192782593, -0.0513996266506201, 0.0});
}

TEST(ExtendedModel, D_32_hand_wrench_adds_J_transpose_F) {
  const Model<double> model(from_dh(ddarm()));
  expect_near(torques(model, {}, contact(model)),
              {-1.51561741310911, 3.96940963341571, -1.45532887343473});
}

TEST(ExtendedModel, D_33_actuators_friction_and_disturbance) {
  DhTable table = ddarm();
  const double inertia[] = {0.5, 0.3, 0.1}, damping[] = {0.2, 0.1, 0.05},
               viscous[] = {0.3, 0.25, 0.15}, coulomb[] = {1.2, 0.8, 0.4},
               disturbance[] = {0.05, -0.02, 0.01};
  for (std::size_t i = 0; i < 3; ++i) {
    table.rows[i].actuator.rotor_inertia = inertia[i];
    table.rows[i].actuator.disturbance = -disturbance[i];  // d_i of Huo 2005 resists the motor
    table.rows[i].friction.damping = damping[i];
    table.rows[i].friction.viscous = viscous[i];
    table.rows[i].friction.coulomb = coulomb[i];
  }
  const Model<double> model(from_dh(table));
  const Motion s;
  std::vector<double> tau = torques(model, s, contact(model));
  add_joint_torques(model, s.q, s.qd, tau);
  expect_near(tau, {-0.0656174131091092, 3.30440963341571, -0.950328873434729});
}

}  // namespace
}  // namespace torsor
