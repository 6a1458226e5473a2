// Robots built in code.
#include "torsor/model/builder.hpp"

#include <gtest/gtest.h>

#include "support/random_model.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ModelBuilder, every_joint_kind_has_its_verb) {
  ModelBuilder b("zoo");
  b.fixed("fixed", "base", "l0");
  b.revolute("revolute", "l0", "l1");
  b.continuous("continuous", "l1", "l2");
  b.prismatic("prismatic", "l2", "l3");
  b.helical("helical", "l3", "l4", 0.2);
  b.cylindrical("cylindrical", "l4", "l5");
  b.universal("universal", "l5", "l6");
  b.planar("planar", "l6", "l7");
  b.translational("translational", "l7", "l8");
  b.spherical("spherical", "l8", "l9");
  b.spherical_euler("spherical_euler", "l9", "l10", EulerOrder::zxz);
  b.free("free", "l10", "l11");
  b.free_euler("free_euler", "l11", "l12", EulerOrder::zyz);
  b.composite("composite", "l12", "l13",
              {{.kind = JointKind::revolute}, {.kind = JointKind::spherical}});
  const Model<double> model = b.build();
  EXPECT_EQ(model.n_bodies(), 14);  // the world and all but the fixed one
  for (int i = 1; i < model.n_bodies(); ++i) {
    EXPECT_EQ(model.joint_name(i), name_of(model.joint(i).kind));
  }
  EXPECT_EQ(model.joint(4).pitch, 0.2);
  EXPECT_EQ(model.joint(10).order, EulerOrder::zxz);
  EXPECT_EQ(model.joint(12).order, EulerOrder::zyz);
  EXPECT_EQ(model.joint(13).n_q, 5);
  EXPECT_EQ(model.n_q(), 4 + 2 + 2 + 3 + 3 + 4 + 3 + 7 + 6 + 5);
  EXPECT_EQ(model.n_v(), 4 + 2 + 2 + 3 + 3 + 3 + 3 + 6 + 6 + 4);
  EXPECT_EQ(model.description().joints.size(), 14u);
}

TEST(ModelBuilder, details_go_to_the_joint_that_was_added) {
  ModelBuilder b;
  auto first = b.revolute("one", "base", "a");
  for (int k = 0; k < 100; ++k)  // the builder's storage moves
    b.revolute("j" + std::to_string(k), k == 0 ? "a" : "l" + std::to_string(k - 1),
               "l" + std::to_string(k));
  first.limits(-1, 2, 3, 4).friction({.coulomb = 5}).rotor(1e-3, 10).spring(6, 7);
  const Model<double> model = b.build();
  EXPECT_EQ(model.limits(0).lower, -1);
  EXPECT_EQ(model.limits(0).upper, 2);
  EXPECT_EQ(model.limits(0).velocity, 3);
  EXPECT_EQ(model.limits(0).effort, 4);
  EXPECT_EQ(model.dof(0).coulomb, 5);
  EXPECT_NEAR(model.dof(0).armature, 0.1, 1e-16);
  EXPECT_EQ(model.dof(0).stiffness, 6);
  EXPECT_EQ(model.dof(0).rest, 7);
  EXPECT_EQ(model.limits(1).upper, infinity);
}

TEST(ModelBuilder, one_detail_is_for_every_degree_of_freedom_and_a_number_chooses_one) {
  ModelBuilder b;
  b.cylindrical("slide", "base", "a")
      .friction({.viscous = 1})
      .friction(1, {.viscous = 2})
      .limits(1, {.lower = 0, .upper = 0.5});
  const Model<double> model = b.build();
  EXPECT_EQ(model.dof(0).viscous, 1);
  EXPECT_EQ(model.dof(1).viscous, 2);
  EXPECT_EQ(model.limits(0).upper, infinity);
  EXPECT_EQ(model.limits(1).upper, 0.5);
}

TEST(ModelBuilder, inertias_given_twice_add_up) {
  ModelBuilder b;
  b.revolute("joint", "base", "arm");
  b.inertia("arm", 1, {1, 0, 0}).inertia("arm", 3, {0, 1, 0}, {1, 0, 2, 0, 0, 3});
  const Inertia<double> I = b.build().body(1).inertia;
  EXPECT_EQ(I.m, 4);
  EXPECT_CLOSE(I.h, (Vec3<double>{1, 3, 0}), 4);
  EXPECT_CLOSE(I.J, (Sym3<double>{1 + 3, 0, 2 + 1, 0, 0, 3 + 1 + 3}), 20);
}

TEST(ModelBuilder, loops_couplings_springs_frames_gravity_and_base_are_kept) {
  ModelBuilder b("closed");
  b.revolute("left", "base", "a");
  b.revolute("right", "base", "b");
  LoopJoint loop;
  loop.name = "pin", loop.kind = LoopJoint::Kind::revolute, loop.link_a = "a", loop.link_b = "b";
  SpringDamper spring;
  spring.name = "coil", spring.link_b = "b", spring.stiffness = 3;
  b.loop(loop).mimic("right", "left", -2, 0.5).spring_damper(spring);
  b.frame("tip", "a", {.p = {1, 0, 0}}).gravity({0, -9.81, 0}).base({.p = {0, 0, 2}});
  const Model<double> model = b.build();
  const RobotDescription& d = model.description();
  EXPECT_EQ(d.loops.at(0).name, "pin");
  EXPECT_EQ(d.springs.at(0).stiffness, 3);
  // q(right) = -2 q(left) + 0.5
  EXPECT_EQ(d.couplings.at(0).terms.at(0).joint, "right");
  EXPECT_EQ(d.couplings.at(0).terms.at(0).factor, 1);
  EXPECT_EQ(d.couplings.at(0).terms.at(1).factor, 2);
  EXPECT_EQ(d.couplings.at(0).offset, 0.5);
  EXPECT_EQ(model.frame("tip").placement.p.x, 1);
  EXPECT_EQ(model.gravity().y, -9.81);
  EXPECT_EQ(model.frame("base").placement.p.z, 2);
}

TEST(ModelBuilder, a_massless_link_and_a_robot_without_joints_are_allowed) {
  ModelBuilder b;
  b.link("alone");
  EXPECT_EQ(b.build().n_v(), 0);
  EXPECT_EQ(b.build().n_bodies(), 1);
}

TEST(ModelBuilder, misspelt_names_are_refused_at_once) {
  ModelBuilder b;
  b.revolute("elbow", "upper", "lower");
  EXPECT_EQ(message_of([&] { b.inertia("uper", 1, {}); }),
            "inertia: link \"uper\" does not exist; did you mean \"upper\"?");
  EXPECT_EQ(message_of([&] { b.frame("tip", "lowe", {}); }),
            "frame: link \"lowe\" does not exist; did you mean \"lower\"?");
  EXPECT_EQ(message_of([&] { b.mimic("elbow", "elbo"); }),
            "coupling: joint \"elbo\" does not exist; did you mean \"elbow\"?");
  EXPECT_EQ(message_of([&] { b.revolute("x", "lower", "hand").friction(1, {}); }),
            "joint \"x\" has 1 degrees of freedom; there is no number 1");
  EXPECT_THROW(b.geometry("nobody", {}), Error);
}

TEST(ModelBuilder, a_thousand_joints_in_a_chain_and_fifty_branches_build_fast) {
  ModelBuilder chain("chain");
  for (int k = 1; k <= 1000; ++k)
    chain.revolute("j" + std::to_string(k), "l" + std::to_string(k - 1), "l" + std::to_string(k));
  const Model<double> model = chain.build();
  EXPECT_EQ(model.n_v(), 1000);
  for (int i = 1; i < model.n_bodies(); ++i) EXPECT_EQ(model.body(i).parent, i - 1);
  ModelBuilder star("star");
  for (int arm = 0; arm < 50; ++arm)
    for (int k = 0; k < 20; ++k) {
      const std::string a = "a" + std::to_string(arm) + "_";
      star.revolute("j" + a + std::to_string(k), k == 0 ? "hub" : a + std::to_string(k - 1),
                    a + std::to_string(k));
    }
  const Model<double> hub = star.build();
  EXPECT_EQ(hub.n_v(), 1000);
  for (int arm = 0; arm < 50; ++arm) EXPECT_EQ(hub.body(1 + 20 * arm).parent, 0);
}

}  // namespace
