// Write-back: estimates become robots with the torques of the fit.
#include "torsor/identification/write_back.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "identification/disturbed.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/parameter_dynamics.hpp"

namespace torsor::testing {
namespace {

/// The largest difference of rigid torques of `model` on parameters p, of bodies alone, and of `made` on
/// its own, relative to the largest torque.
double torque_difference(const Model<double>& model, In<double> p, const Model<double>& made) {
  RegressorWorkspace<double> ws(model);
  const std::vector<double> own = parameters(made);
  Draw<double> draw(5);
  double worst = 0, most = 1;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v()), a(model.n_v()), b(model.n_v());
    random_configuration(model, seed, q);
    for (double& x : qd) x = draw(-2, 2);
    for (double& x : qdd) x = draw(-3, 3);
    rigid_inverse_dynamics<double, double>(model, ws, q, qd, qdd, p, a);
    rigid_inverse_dynamics<double, double>(made, ws, q, qd, qdd, own, b);
    for (int k = 0; k < a.size(); ++k) {
      worst = std::max(worst, std::abs(a[k] - b[k]));
      most = std::max(most, std::abs(a[k]));
    }
  }
  return worst / most;
}

void expect_same_torques(const RobotDescription& robot, bool rotors, unsigned seed) {
  const Model<double> model(robot);
  const BaseParameterOptions options{.rotors = rotors};
  const BaseParameters base = base_parameters(model, options);
  Array<double> p = disturbed(model, 0.2, seed);
  const Array<double> inertial = p;
  const Array<double> all = all_parameters(model, options);
  for (int k = p.size(); k < all.size(); ++k) p.push_back(all[k] * 1.1);
  const WriteBack back = write_back(model, base, base.values(p));
  ASSERT_TRUE(back.ok()) << robot.name << ": " << back.message;
  EXPECT_TRUE(back.consistent) << robot.name;
  const Model<double> made(back.robot);
  if (rotors) {
    const Array<double> b = base.values(p), found = base.values(all_parameters(made, options));
    for (int k = 0; k < b.size(); ++k)
      EXPECT_NEAR(found[k], b[k], 1e-9 * (1 + std::abs(b[k]))) << robot.name;
  } else {
    EXPECT_LT(torque_difference(model, inertial, made), 1e-9) << robot.name;
  }
}

TEST(WriteBack, base_parameters_of_any_tree_become_a_possible_robot_with_the_same_torques) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    expect_same_torques(random_tree(seed, 6), false, seed);
    expect_same_torques(random_tree(seed, 6), true, seed);
  }
}
TEST(WriteBack, bodies_that_are_nothing_like_the_priors_are_found_where_they_exist) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(random_tree(seed, 6));
    const BaseParameters base = base_parameters(model);
    Draw<double> draw(seed + 70);
    Array<double> p;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const Inertial in = random_tree_detail::cloud(draw, draw(0.02, 1));
      const double factor = std::exp(draw(-4, 4));
      for (const double x :
           parameters_of(Inertia<double>::at_com(in.mass, in.com, in.about_com) * factor))
        p.push_back(x);
    }
    const WriteBack back = write_back(model, base, base.values(p));
    ASSERT_TRUE(back.ok()) << seed << ": " << back.message;
    EXPECT_TRUE(back.consistent);
    EXPECT_LT(torque_difference(model, p, Model<double>(back.robot)), 1e-9) << seed;
  }
}
TEST(WriteBack, base_parameters_of_built_in_arms_become_robots_with_the_same_torques) {
  for (const char* name :
       {"puma560", "puma560_akb", "ur5", "panda", "stanford", "scara", "iiwa14", "humanoid38"})
    expect_same_torques(load_robot(name).description(), false, 3);
}
TEST(WriteBack, the_models_own_base_parameters_give_the_model_back) {
  const Model<double> model(random_tree(4, 7));
  const BaseParameters base = base_parameters(model);
  const WriteBack back = write_back(model, base, base.values(parameters(model)));
  ASSERT_TRUE(back.ok()) << back.message;
  EXPECT_LT(back.divergence, 1e-9);
  const std::vector<double> p = parameters(model), now = parameters(Model<double>(back.robot));
  for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(now[k], p[k], 1e-9);
}
TEST(WriteBack, the_distribution_is_the_nearest_one_along_every_direction_that_no_motion_tells) {
  const Model<double> model(random_tree(9, 3, {.kinds = one_dof_kinds(), .fixed_links = false}));
  const BaseParameters base = base_parameters(model);
  const Array<double> b = base.values(disturbed(model, 0.3, 2));
  const WriteBack back = write_back(model, base, b);
  ASSERT_TRUE(back.ok());
  // Written back again from itself moved along the null space, the divergence cannot be less.
  Draw<double> draw(8);
  for (int trial = 0; trial < 20; ++trial) {
    Array<double> p = back.inertial;
    Array<double> change(p.size());
    for (double& x : change) x = draw(-1e-5, 1e-5);
    const Array<double> seen = base.values(change), lift = base.expanded(seen);
    for (int k = 0; k < p.size(); ++k) p[k] += change[k] - lift[k];
    double here = 0, there = 0;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto value = [&](const Array<double>& of) {
        const auto pseudo = [](const Inertia<double>& I) {
          const MassMoments<double> m = mass_moments(I);
          return std::array<double, 16>{m.S.xx, m.S.xy, m.S.xz, I.h.x,  m.S.xy, m.S.yy,
                                        m.S.yz, I.h.y,  m.S.xz, m.S.yz, m.S.zz, I.h.z,
                                        I.h.x,  I.h.y,  I.h.z,  I.m};
        };
        const auto P = pseudo(inertia_of(of.data() + 10 * (i - 1)));
        const auto P0 = pseudo(model.body(i).inertia);
        // tr(P0^-1 P) - log det P by elimination of [P0 | P] and of P.
        double A[4][8], trace = 0, log_det = 0;
        for (std::size_t r = 0; r < 4; ++r)
          for (std::size_t c = 0; c < 4; ++c) A[r][c] = P0[4 * r + c], A[r][c + 4] = P[4 * r + c];
        for (int k = 0; k < 4; ++k)
          for (int r = 0; r < 4; ++r) {
            if (r == k) continue;
            const double f = A[r][k] / A[k][k];
            for (int c = 0; c < 8; ++c) A[r][c] -= f * A[k][c];
          }
        for (int k = 0; k < 4; ++k) trace += A[k][k + 4] / A[k][k];
        double B[4][4];
        for (std::size_t r = 0; r < 4; ++r)
          for (std::size_t c = 0; c < 4; ++c) B[r][c] = P[4 * r + c];
        for (int k = 0; k < 4; ++k) {
          log_det += std::log(B[k][k]);
          for (int r = k + 1; r < 4; ++r) {
            const double f = B[r][k] / B[k][k];
            for (int c = 0; c < 4; ++c) B[r][c] -= f * B[k][c];
          }
        }
        return trace - log_det;
      };
      here += value(back.inertial), there += value(p);
    }
    EXPECT_GT(there, here);
  }
}
TEST(WriteBack, impossible_base_parameters_are_told_and_exact_only_on_request) {
  const Model<double> model(random_tree(2, 3, {.kinds = {JointKind::revolute}, .base = false}));
  const BaseParameters base = base_parameters(model);
  Array<double> b = base.values(parameters(model));
  bool changed = false;
  for (int k = 0; k < b.size(); ++k) {  // no body turns backwards
    const std::string& name = base.names[static_cast<std::size_t>(base.kept[k])];
    if (name.ends_with(".zz") || name.ends_with(".xx")) b[k] = -std::abs(b[k]) - 1, changed = true;
  }
  ASSERT_TRUE(changed);
  const WriteBack back = write_back(model, base, b);
  EXPECT_FALSE(back.ok());
  EXPECT_FALSE(back.consistent);
  EXPECT_NE(back.message.find("link_"), std::string::npos) << back.message;
  EXPECT_EQ(back.bodies.size(), 3U);
  const WriteBack exact = write_back(model, base, b, {.inconsistent = true});
  EXPECT_FALSE(exact.consistent);
  const Array<double> found = base.values(exact.inertial);
  for (int k = 0; k < b.size(); ++k) EXPECT_NEAR(found[k], b[k], 1e-9 * (1 + std::abs(b[k])));
}

TEST(WriteBack, friction_rotor_spring_and_offset_go_where_the_model_reads_them) {
  RobotDescription robot = random_tree(3, 4, {.kinds = {JointKind::revolute}});
  const Model<double> model(robot);
  ParameterValues estimate;
  const auto give = [&](const std::string& name, double x) {
    estimate.names.push_back(name), estimate.values.push_back(x);
  };
  for (int k = 0; k < model.n_v(); ++k) {
    const std::string joint = model.dof_name(k);
    give(joint + ".viscous", 2.5 + k), give(joint + ".coulomb", 3.0 + k);
    give(joint + ".stiction", 4.0 + k), give(joint + ".stribeck", 0.2 + k);
    give(joint + ".offset", -1.5 + k), give("rotor." + joint, 0.7 + k);
    give("spring." + joint + ".stiffness", 9.0 + k);
    give(joint + ".viscous_asymmetry", 0.5), give(joint + ".coulomb_asymmetry", -0.25);
  }
  const WriteBack back = write_back(model, estimate);
  ASSERT_TRUE(back.ok()) << back.message;
  const Model<double> made(back.robot);
  for (int k = 0; k < model.n_v(); ++k) {
    const DofConstants<double>& d = made.dof(k);
    EXPECT_NEAR(d.viscous, 2.5 + k, 1e-12);
    EXPECT_EQ(d.coulomb, 3.0 + k);
    EXPECT_EQ(d.stiction, 4.0 + k);
    EXPECT_EQ(d.stribeck, 0.2 + k);
    EXPECT_EQ(d.offset, -1.5 + k);
    EXPECT_EQ(d.disturbance, model.dof(k).disturbance);
    EXPECT_EQ(d.viscous_asymmetry, 0.5);
    EXPECT_EQ(d.coulomb_asymmetry, -0.25);
    EXPECT_NEAR(d.armature, 0.7 + k, 1e-12);
    EXPECT_EQ(d.stiffness, 9.0 + k);
  }
}
TEST(WriteBack, torques_of_motors_are_the_regressor_times_the_estimate) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Model<double> model(random_tree(seed, 6));
    ParameterValues estimate{parameter_names(model), disturbed(model, 0.2, seed)};
    const Array<double> p = estimate.values;
    Draw<double> draw(seed);
    Matrix joints(model.n_v(), 4);  // viscous, Coulomb, stiction, rotor
    const JointParameter words[] = {JointParameter::viscous, JointParameter::coulomb,
                                    JointParameter::stiction, JointParameter::rotor};
    for (int k = 0; k < model.n_v(); ++k) {
      const std::string dof = model.dof_name(k);
      const double x[] = {draw(1, 2), draw(1, 2), draw(2, 3), draw(0.1, 0.5)};
      const std::string names[] = {dof + ".viscous", dof + ".coulomb", dof + ".stiction",
                                   "rotor." + dof};
      for (int w = 0; w < 4; ++w) {
        estimate.names.push_back(names[w]);
        estimate.values.push_back(joints(k, w) = x[w]);
      }
    }
    const WriteBack back = write_back(model, estimate);
    ASSERT_TRUE(back.ok()) << back.message;
    const Model<double> made(back.robot);
    RegressorWorkspace<double> ws(model);
    DynamicsWorkspace<double> full(made);
    for (unsigned state = 1; state <= 5; ++state) {
      Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v()), fit(model.n_v()),
          tau(model.n_v());
      random_configuration(model, state, q);
      for (double& x : qd) x = draw(-2, 2);
      for (double& x : qdd) x = draw(-3, 3);
      rigid_inverse_dynamics<double, double>(model, ws, q, qd, qdd, p, fit);
      for (int k = 0; k < model.n_v(); ++k)
        for (int w = 0; w < 4; ++w)
          fit[k] += joints(k, w) * joint_regressor(model.dof(k), words[w], qd[k], qdd[k]);
      ASSERT_TRUE((inverse_dynamics<double, double>(made, full, q, qd, qdd, {}, tau)));
      for (int k = 0; k < model.n_v(); ++k)
        EXPECT_NEAR(tau[k], fit[k], 1e-9 * (1 + std::abs(fit[k])));
    }
  }
}
TEST(WriteBack, base_parameters_of_robots_with_loops_are_distributed_too) {
  for (const char* name : {"four_bar", "five_bar", "slider_crank"}) {
    const Model<double> model = load_robot(name);
    const BaseParameters base = base_parameters(model);
    const Array<double> b = base.values(disturbed(model, 0.1, 3));
    const WriteBack back = write_back(model, base, b);
    ASSERT_TRUE(back.ok()) << name << ": " << back.message;
    const Array<double> found = base.values(parameters(Model<double>(back.robot)));
    for (int k = 0; k < b.size(); ++k) EXPECT_NEAR(found[k], b[k], 1e-11) << name;
  }
}
TEST(WriteBack, springs_between_links_are_set_and_gains_of_drives_are_left_out) {
  RobotDescription robot = random_tree(3, 2, {.kinds = {JointKind::revolute}});
  SpringDamper spring;
  spring.name = "balance", spring.link_a = "base", spring.link_b = "link_1";
  spring.point_b = {0.3, 0, 0}, spring.stiffness = 10;
  robot.springs.push_back(spring);
  const WriteBack back =
      write_back(Model<double>(robot),
                 ParameterValues{{"spring_damper.balance.stiffness", "gain.first"}, {25, 1.1}});
  ASSERT_TRUE(back.ok()) << back.message;
  EXPECT_EQ(back.robot.springs[0].stiffness, 25);
}
TEST(WriteBack, viscous_friction_below_the_motors_is_taken_from_the_motor_and_said) {
  RobotDescription robot = load_robot("puma560").description();
  const Model<double> model(robot);
  const WriteBack back =
      write_back(model, ParameterValues{{"waist.viscous"}, {model.dof(0).viscous / 2}});
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back.notes.size(), 1U);
  EXPECT_NEAR(Model<double>(back.robot).dof(0).viscous, model.dof(0).viscous / 2, 1e-12);
}
TEST(WriteBack, links_that_are_fixed_keep_their_mass_or_share_what_is_left) {
  RobotDescription robot;
  robot.links = {
      {"base", {}, false, {}, {}},
      {"arm", {2, {0.1, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.1)}, true, {}, {}},
      {"hand", {1, {0, 0.1, 0}, Sym3<double>::diagonal(0.02, 0.02, 0.02)}, true, {}, {}}};
  Joint turn;
  turn.name = "turn", turn.parent = "base", turn.child = "arm";
  Joint weld;
  weld.name = "weld", weld.kind = JointKind::fixed, weld.parent = "arm", weld.child = "hand";
  weld.placement.p = {0.3, 0, 0};
  robot.joints = {turn, weld};
  const Model<double> model(robot);
  const auto scaled = [&](double by) {
    ParameterValues all{parameter_names(model), {}};
    for (const double x : parameters(model)) all.values.push_back(x * by);
    return write_back(model, all);
  };
  const WriteBack more = scaled(1.5), less = scaled(0.3);
  EXPECT_EQ(more.robot.find_link("hand")->inertial.mass, 1);
  EXPECT_NEAR(more.robot.find_link("arm")->inertial.mass, 3.5, 1e-12);
  EXPECT_TRUE(more.notes.empty());
  EXPECT_NEAR(less.robot.find_link("hand")->inertial.mass, 0.3, 1e-12);
  EXPECT_NEAR(less.robot.find_link("arm")->inertial.mass, 0.6, 1e-12);
  ASSERT_EQ(less.notes.size(), 1U);
  for (const WriteBack* back : {&more, &less}) {
    const std::vector<double> now = parameters(Model<double>(back->robot));
    for (std::size_t k = 0; k < now.size(); ++k) EXPECT_NEAR(now[k], back->inertial[k], 1e-12);
  }
  // A link that is named itself is a payload: the rest of the body stays.
  const WriteBack payload = write_back(model, ParameterValues{{"hand.m"}, {1.5}});
  EXPECT_NEAR(payload.robot.find_link("hand")->inertial.mass, 1.5, 1e-12);
  EXPECT_EQ(payload.robot.find_link("arm")->inertial.mass, 2);
  EXPECT_NEAR(payload.inertial[0], 3.5, 1e-12);
}
TEST(WriteBack, what_no_robot_can_have_is_refused_by_name) {
  const Model<double> model = load_robot("puma560");
  EXPECT_THROW(write_back(model, ParameterValues{{"waste.viscous"}, {1}}), Error);
  EXPECT_THROW(write_back(model, ParameterValues{{"waist.viscous", "waist.viscous"}, {1, 1}}),
               Error);
  EXPECT_THROW(write_back(model, ParameterValues{{"waist.viscous"}, {NAN}}), Error);
  EXPECT_THROW(write_back(model, ParameterValues{{"waist.viscous"}, {}}), Error);
  const WriteBack back = write_back(model, ParameterValues{{"elbow.coulomb"}, {-1}});
  EXPECT_FALSE(back.ok());
  EXPECT_NE(back.message.find("elbow"), std::string::npos);
}

}  // namespace
}  // namespace torsor::testing
