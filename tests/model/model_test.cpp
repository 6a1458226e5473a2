// Model: order, merging, frames by name, other scalars, sharing, and one clear line on bad input.
#include "torsor/model/model.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <thread>

#include "support/random_model.hpp"
#include "support/tree_motion.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/configuration.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

TEST(Model, bodies_are_depth_first_with_children_in_file_order) {
  ModelBuilder b;
  b.revolute("c", "root", "C");  // the file's order is not the tree's
  b.revolute("a1", "A", "A1");
  b.revolute("a", "root", "A");
  b.revolute("a2", "A", "A2");
  b.revolute("a11", "A1", "A11");
  const Model<double> model = b.build();
  std::vector<std::string> names;
  std::vector<int> parents;
  for (int i = 0; i < model.n_bodies(); ++i) {
    names.push_back(model.body_name(i));
    parents.push_back(model.body(i).parent);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"world", "C", "A", "A1", "A11", "A2"}));
  EXPECT_EQ(parents, (std::vector<int>{0, 0, 0, 2, 3, 2}));
  EXPECT_EQ(model.joint_index("a11"), 4);
  EXPECT_EQ(model.joint_description(4).child, "A11");
}

TEST(Model, parents_come_before_children_and_slices_follow_each_other) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(random_tree(seed, 30));
    int q = 0, v = 0;
    for (int i = 1; i < model.n_bodies(); ++i) {
      EXPECT_LT(model.body(i).parent, i);
      EXPECT_EQ(model.body(i).q.first, q);
      EXPECT_EQ(model.body(i).v.first, v);
      EXPECT_EQ(model.canonical(i).q, q);
      EXPECT_EQ(model.canonical(i).v, v);
      q += model.joint(i).n_q, v += model.joint(i).n_v;
    }
    EXPECT_EQ(model.n_q(), q);
    EXPECT_EQ(model.n_v(), v);
  }
}

TEST(Model, links_behind_fixed_joints_are_merged_and_stay_addressable) {
  ModelBuilder b;
  const SE3<double> flange{rotation_x(0.3), {0, 0, 1}}, camera{rotation_z(0.4), {1, 0, 0}};
  b.revolute("j", "base", "arm", {.p = {0, 0, 0.5}});
  b.fixed("f", "arm", "tool", flange);
  b.fixed("g", "tool", "camera", camera);
  b.revolute("k", "camera", "finger", {.p = {0, 0.2, 0}});
  b.inertia("arm", 2, {0.1, 0, 0}).inertia("tool", 1, {0, 0.1, 0}).inertia("camera", 0.5, {});
  const Model<double> model = b.build();
  ASSERT_EQ(model.n_bodies(), 3);
  EXPECT_EQ(model.body(1).inertia.m, 3.5);
  const Inertia<double> expected =
      Inertia<double>::at_com(2, {0.1, 0, 0}, {}) +
      transported(flange, Inertia<double>::at_com(1, {0, 0.1, 0}, {})) +
      transported(flange * camera, Inertia<double>::at_com(0.5, {}, {}));
  EXPECT_CLOSE(model.body(1).inertia, expected, 10);
  EXPECT_EQ(model.frame("camera").body, 1);
  EXPECT_CLOSE(model.frame("camera").placement, flange * camera, 4);
  EXPECT_CLOSE(model.frame("g").placement, flange * camera, 4);  // a joint's name: its child frame
  const SE3<double> beside{.p = {0, 0.2, 0}};
  EXPECT_CLOSE(model.body(2).placement, flange * camera * beside, 4);
}

TEST(Model, what_is_fixed_to_the_world_is_counted_apart) {
  ModelBuilder b;
  b.fixed("f", "base", "stand", {.p = {1, 0, 0}});
  b.revolute("j", "stand", "arm");
  b.inertia("base", 3, {}).inertia("stand", 1, {}).inertia("arm", 2, {});
  const Model<double> model = b.base({.p = {0, 5, 0}}).build();
  EXPECT_EQ(model.fixed_inertia().m, 4);
  EXPECT_CLOSE(model.fixed_inertia().h, (Vec3<double>{1, 20, 0}), 20);
  EXPECT_EQ(model.body(1).inertia.m, 2);
  EXPECT_CLOSE(model.body(1).placement.p, (Vec3<double>{1, 5, 0}), 4);
}

TEST(Model, a_name_is_a_links_then_a_frames_then_a_joints) {
  ModelBuilder b;
  b.revolute("arm", "base", "hand");
  b.revolute("hand", "hand", "finger");
  b.frame("arm", "hand", {.p = {7, 0, 0}});
  const Model<double> model = b.build();
  EXPECT_EQ(model.frame("hand").body, 1);          // the link, not joint "hand" with body 2
  EXPECT_EQ(model.frame("arm").placement.p.x, 7);  // the frame, not the joint
  EXPECT_TRUE(model.has_frame("finger"));
  EXPECT_FALSE(model.has_frame("toe"));
}

TEST(Model, names_of_dofs_and_coordinates_are_numbered_where_a_joint_has_several) {
  ModelBuilder b;
  b.revolute("hip", "base", "a");
  b.spherical("ball", "a", "b");
  const Model<double> model = b.build();
  EXPECT_EQ(model.dof_name(0), "hip");
  EXPECT_EQ(model.dof_name(3), "ball.2");
  EXPECT_EQ(model.coordinate_name(4), "ball.3");
}

TEST(Model, every_number_of_a_body_has_the_name_of_its_joint) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const auto expected = [&](int i, Dofs of, int k) {
      const std::string name = model.joint_name(i);
      return of.count == 1 ? name : name + "." + std::to_string(k - of.first);
    };
    int dofs = 0, coordinates = 0;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto [q, v] = std::pair(model.body(i).q, model.body(i).v);
      for (int k = v.first; k < v.first + v.count; ++k, ++dofs)
        EXPECT_EQ(model.dof_name(k), expected(i, v, k));
      for (int k = q.first; k < q.first + q.count; ++k, ++coordinates)
        EXPECT_EQ(model.coordinate_name(k), expected(i, q, k));
    }
    EXPECT_EQ(dofs, model.n_v());
    EXPECT_EQ(coordinates, model.n_q());
    EXPECT_EQ(model.dof_name(model.n_v()), "");
    EXPECT_EQ(model.coordinate_name(-1), "");
  }
}

TEST(Model, axes_of_any_length_are_normalised) {
  ModelBuilder b;
  b.prismatic("slide", "base", "a", {}, {0, 3, 4});
  const auto S = joint_subspace(b.build(), 1, std::vector<double>{0.0});
  EXPECT_CLOSE(S[0].v, (Vec3<double>{0, 0.6, 0.8}), 2);
}

// Its coordinate along that one is 1, to the last bit.
TEST(Model, an_axis_that_is_1e_8_beside_a_coordinate_axis_is_not_that_one) {
  ModelBuilder b;
  b.revolute("j", "base", "a", {}, {1e-8, 0, 1});
  const SE3<double> T = joint_pose(b.build(), 1, std::vector<double>{std::numbers::pi / 2});
  EXPECT_NEAR(T.R.c2.x, 1e-8, 1e-15);
  EXPECT_NEAR(T.R.c2.y, -1e-8, 1e-15);
}

TEST(Model, cast_to_float_rounds_every_constant) {
  const Model<double> model(random_tree(3, 20));
  const Model<float> single = model.cast<float>();
  EXPECT_EQ(single.n_bodies(), model.n_bodies());
  EXPECT_EQ(single.n_q(), model.n_q());
  EXPECT_EQ(single.gravity().x, static_cast<float>(model.gravity().x));
  for (int i = 1; i < model.n_bodies(); ++i) {
    EXPECT_EQ(distance(single.body(i).inertia, model.body(i).inertia.cast<float>()), 0);
    EXPECT_EQ(distance(single.canonical(i).moments, model.canonical(i).moments.cast<float>()), 0);
    EXPECT_EQ(single.canonical(i).joint, model.canonical(i).joint);
    EXPECT_EQ(single.canonical(i).branching, model.canonical(i).branching);
    EXPECT_EQ(single.joint(i).kind, model.joint(i).kind);
    EXPECT_EQ(single.joint_name(i), model.joint_name(i));
  }
  for (int k = 0; k < model.n_v(); ++k) {
    EXPECT_EQ(single.dof(k).viscous, static_cast<float>(model.dof(k).viscous));
    EXPECT_EQ(single.dof(k).armature, static_cast<float>(model.dof(k).armature));
  }
  const auto q = random_q(model, 1);
  const std::vector<float> qf(q.begin(), q.end());
  for (int i = 1; i < model.n_bodies(); ++i)
    EXPECT_CLOSE(joint_pose(single, i, qf), joint_pose(model, i, q).cast<float>(), 40);
}

TEST(Model, threads_share_one_model) {
  const Model<double> model(random_tree(5, 40));
  const auto q = random_q(model, 1), v = random_velocity(model, 1);
  std::vector<double> energy(4);
  std::vector<std::thread> threads;
  for (double& e : energy)
    threads.emplace_back([&] {
      e = tree_totals(model, tree_motion(model, q, v)).energy + model.frame("base").placement.p.x;
    });
  for (std::thread& thread : threads) thread.join();
  for (double e : energy) EXPECT_EQ(e, energy[0]);
}

TEST(Model, a_thousand_joints_of_every_kind_and_branches_of_fifty_build) {
  RandomTree options;
  options.chain = true;
  EXPECT_EQ(Model<double>(random_tree(1, 1000, options)).n_bodies(), 1001);
  options.chain = false;
  options.branching = 50;
  EXPECT_EQ(Model<double>(random_tree(1, 1000, options)).n_bodies(), 1001);
}

TEST(Model, unknown_names_are_answered_with_the_nearest) {
  ModelBuilder b("arm");
  b.revolute("elbow", "upper", "lower");
  const Model<double> model = b.build();
  try {
    (void)model.frame("lowr");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "robot \"arm\" has no frame \"lowr\"; did you mean \"lower\"?");
  }
  try {
    (void)model.joint_index("elbw");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "robot \"arm\" has no moving joint \"elbw\"; did you mean \"elbow\"?");
  }
  EXPECT_THROW(joint_kind("revolut"), Error);
}

/// Two joints with everything that a description can have; each case spoils one thing.
RobotDescription sound() {
  const auto from = [](int line) { return Origin{"arm.urdf", line}; };
  RobotDescription d;
  d.name = "arm";
  d.origin = from(1);
  for (const char* name : {"base", "upper", "lower"})
    d.links.push_back({name, {1, {}, {}}, true, {}, from(2)});
  for (const auto& [name, parent, child] :
       {std::array{"shoulder", "base", "upper"}, std::array{"elbow", "upper", "lower"}}) {
    Joint j;
    j.name = name, j.parent = parent, j.child = child, j.origin = from(3);
    d.joints.push_back(j);
  }
  d.frames.push_back({"tip", "lower", {}, from(4)});
  d.loops.push_back({"pin", LoopJoint::Kind::weld, "base", "lower", {}, {}, {0, 0, 1}, 0, from(5)});
  d.couplings.push_back({"gear", {{"shoulder", 1}, {"elbow", -1}}, 0, from(6)});
  d.springs.push_back({"coil", "", "lower", {}, {}, 1, 0, 0, from(7)});
  return d;
}

struct BadCase {
  const char* message;
  std::function<void(RobotDescription&)> spoil;
};

TEST(Model, the_sound_description_of_the_bad_cases_is_sound) {
  EXPECT_NO_THROW(Model<double>{sound()});
}

TEST(Model, each_malformed_description_gets_one_line_with_its_origin) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using D = RobotDescription;
  const BadCase cases[] = {
      {"arm.urdf:1: robot \"arm\": has no links", [](D& d) { d.links.clear(); }},
      {"arm.urdf:2: link: has no name", [](D& d) { d.links[1].name = ""; }},
      {"arm.urdf:2: link \"base\": appears twice", [](D& d) { d.links[1].name = "base"; }},
      {"arm.urdf:2: link \"upper\": mass is -1 kg; it must be 0 or more",
       [](D& d) { d.links[1].inertial.mass = -1; }},
      {"arm.urdf:2: link \"upper\": mass is nan kg; it must be 0 or more",
       [=](D& d) { d.links[1].inertial.mass = nan; }},
      {"arm.urdf:2: link \"upper\": centre of mass is not finite",
       [=](D& d) { d.links[1].inertial.com.y = nan; }},
      {"arm.urdf:2: link \"upper\": inertia is not finite",
       [](D& d) { d.links[1].inertial.about_com.xz = infinity; }},
      {"arm.urdf:3: joint: has no name", [](D& d) { d.joints[0].name = ""; }},
      {"arm.urdf:3: joint \"shoulder\": appears twice",
       [](D& d) { d.joints[1].name = "shoulder"; }},
      {"arm.urdf:3: joint \"elbow\": parent link \"uper\" does not exist; did you mean \"upper\"?",
       [](D& d) { d.joints[1].parent = "uper"; }},
      {"arm.urdf:3: joint \"elbow\": child link \"lowerr\" does not exist; did you mean \"lower\"?",
       [](D& d) { d.joints[1].child = "lowerr"; }},
      {"arm.urdf:3: joint \"elbow\": child link \"upper\" is already the child of joint "
       "\"shoulder\"",
       [](D& d) { d.joints[1].child = "upper"; }},
      {"arm.urdf:3: robot \"arm\": has no root: the joints form a cycle through link \"upper\"",
       [](D& d) {
         d.joints.push_back(d.joints[0]);
         d.joints[2].name = "back", d.joints[2].parent = "lower", d.joints[2].child = "base";
       }},
      {"arm.urdf:2: robot \"arm\": has several roots: links \"base\" and \"lower\"",
       [](D& d) {
         d.joints.pop_back();
         d.couplings.clear();
       }},
      {"arm.urdf:3: joint \"shoulder\": is part of a cycle apart from the root",
       [](D& d) { d.joints[0].parent = "lower"; }},
      {"arm.urdf:1: root \"upper\": is not the link without a parent joint; that is \"base\"",
       [](D& d) { d.root = "upper"; }},
      {"arm.urdf:3: joint \"elbow\": axis is zero or not finite (0 0 0)",
       [](D& d) { d.joints[1].axis = {}; }},
      {"arm.urdf:3: joint \"elbow\": orientation is not a rotation (off by 1.73205081)",
       [](D& d) { d.joints[1].placement.R = {}; }},
      {"arm.urdf:3: joint \"elbow\": position is not finite (nan 0 0)",
       [=](D& d) { d.joints[1].placement.p.x = nan; }},
      {"arm.urdf:3: joint \"elbow\": pitch is not finite", [=](D& d) { d.joints[1].pitch = nan; }},
      {"arm.urdf:3: joint \"elbow\": lower limit 2 is above the upper limit 1",
       [](D& d) {
         d.joints[1].limits = {{2, 1, 1, 1, 1, 1}};
       }},
      {"arm.urdf:3: joint \"elbow\": a limit is negative or not a number (-3)",
       [](D& d) {
         d.joints[1].limits = {{0, 1, -3, 1, 1, 1}};
       }},
      {"arm.urdf:3: joint \"elbow\": limits has 2 entries for 1 degrees of freedom",
       [](D& d) { d.joints[1].limits.resize(2); }},
      {"arm.urdf:3: joint \"elbow\": a friction parameter is -0.5; it must be 0 or more",
       [](D& d) {
         d.joints[1].friction = {{-0.5, 0, 0, 0, 0, 0}};
       }},
      {"arm.urdf:3: joint \"elbow\": rotor inertia is -1; it must be 0 or more",
       [](D& d) {
         d.joints[1].actuator = {{-1, 1, 0, 0, 0}};
       }},
      {"arm.urdf:3: joint \"elbow\": an actuator parameter is not finite",
       [=](D& d) {
         d.joints[1].actuator = {{1, nan, 0, 0, 0}};
       }},
      {"arm.urdf:3: joint \"elbow\": a spring parameter is not finite",
       [=](D& d) {
         d.joints[1].spring = {{nan, 0}};
       }},
      {"arm.urdf:3: joint \"elbow\": velocity 1 of a spherical joint is not the rate of a "
       "coordinate; "
       "it cannot have a spring",
       [](D& d) {
         d.couplings.clear();
         d.joints[1].kind = JointKind::spherical;
         d.joints[1].spring = {{0, 0}, {1, 0}, {0, 0}};
       }},
      {"arm.urdf:3: joint \"elbow\": parts belong to composite joints, and a composite joint needs "
       "some",
       [](D& d) { d.joints[1].kind = JointKind::composite; }},
      {"arm.urdf:3: joint \"elbow\": a part cannot be fixed",
       [](D& d) {
         d.joints[1].kind = JointKind::composite;
         d.joints[1].parts = {{.kind = JointKind::fixed}};
       }},
      {"arm.urdf:3: joint \"elbow\": axis is zero or not finite (1e+200 0 0)",  // its square is not
       [](D& d) {
         d.joints[1].axis = {1e200, 0, 0};
       }},
      {"arm.urdf:2: link \"lower\": centre of mass (0 1e+200 0) m is out of range",
       [](D& d) {
         d.links.back().inertial = {1, {0, 1e200, 0}, {}};
       }},
      {"arm.urdf:2: link \"lower\": mass of 1e+31 kg is out of range",
       [](D& d) {
         d.links.back().inertial = {1e31, {}, {}};
       }},
      {"arm.urdf:2: link \"lower\": inertia of 3e+31 kg m^2 (trace) is out of range",
       [](D& d) {
         d.links.back().inertial = {1, {}, Sym3<double>::diagonal(1e31, 1e31, 1e31)};
       }},
      {"arm.urdf:3: joint \"elbow\": position (0 1e+200 0) m is out of range",
       [](D& d) {
         d.joints[1].placement.p = {0, 1e200, 0};
       }},
      {"arm.urdf:3: joint \"elbow\": pitch of a part is not finite",
       [](D& d) {
         d.joints[1].kind = JointKind::composite;
         d.joints[1].parts = {{.kind = JointKind::helical, .pitch = infinity}};
       }},
      {"arm.urdf:3: joint \"elbow\": has 7 degrees of freedom; 6 at most",
       [](D& d) {
         d.joints[1].kind = JointKind::composite;
         d.joints[1].parts = {{.kind = JointKind::free}, {.kind = JointKind::revolute}};
       }},
      {"arm.urdf:4: frame: has no name", [](D& d) { d.frames[0].name = ""; }},
      {"arm.urdf:4: frame \"tip\": link \"lowe\" does not exist; did you mean \"lower\"?",
       [](D& d) { d.frames[0].link = "lowe"; }},
      {"arm.urdf:4: frame \"base\": appears twice, or is a link's name",
       [](D& d) { d.frames[0].name = "base"; }},
      {"arm.urdf:5: loop \"pin\": link \"bse\" does not exist; did you mean \"base\"?",
       [](D& d) { d.loops[0].link_a = "bse"; }},
      {"arm.urdf:5: loop \"pin\": joins link \"lower\" to itself",
       [](D& d) { d.loops[0].link_a = "lower"; }},
      {"arm.urdf:5: loop \"pin\": axis is zero or not finite", [](D& d) { d.loops[0].axis = {}; }},
      {"arm.urdf:5: loop \"pin\": axis is zero or not finite",
       [](D& d) {
         d.loops[0].axis = {1e200, 1e200, 0};
       }},
      {"arm.urdf:5: loop \"pin\": distance is -1; it must be 0 or more",
       [](D& d) { d.loops[0].kind = LoopJoint::Kind::distance, d.loops[0].distance = -1; }},
      {"arm.urdf:5: loop \"pin\": placement on the second link is not finite",
       [=](D& d) { d.loops[0].placement_b.p.x = nan; }},
      {"arm.urdf:5: loop \"pin\": appears twice", [](D& d) { d.loops.push_back(d.loops[0]); }},
      {"arm.urdf:6: coupling \"gear\": has no terms", [](D& d) { d.couplings[0].terms.clear(); }},
      {"arm.urdf:6: coupling \"gear\": joint \"elbo\" does not exist; did you mean \"elbow\"?",
       [](D& d) { d.couplings[0].terms[1].joint = "elbo"; }},
      {"arm.urdf:6: coupling \"gear\": joint \"elbow\" has 4 coordinates; a coupling takes joints "
       "with one",
       [](D& d) { d.joints[1].kind = JointKind::spherical; }},
      {"arm.urdf:6: coupling \"gear\": joint \"elbow\" appears twice",
       [](D& d) { d.couplings[0].terms[0].joint = "elbow"; }},
      {"arm.urdf:6: coupling \"gear\": factor of joint \"elbow\" is 0; it must be finite and not 0",
       [](D& d) { d.couplings[0].terms[1].factor = 0; }},
      {"arm.urdf:6: coupling \"gear\": offset is not finite (inf)",
       [](D& d) { d.couplings[0].offset = infinity; }},
      {"arm.urdf:7: spring \"coil\": link \"lowr\" does not exist; did you mean \"lower\"?",
       [](D& d) { d.springs[0].link_b = "lowr"; }},
      {"arm.urdf:7: spring \"coil\": both ends are on one link",
       [](D& d) { d.springs[0].link_b = ""; }},
      {"arm.urdf:7: spring \"coil\": a point is not finite",
       [=](D& d) { d.springs[0].point_a.z = nan; }},
      {"arm.urdf:7: spring \"coil\": stiffness is -2; it must be 0 or more",
       [](D& d) { d.springs[0].stiffness = -2; }},
      {"arm.urdf:1: gravity: is not finite (0 0 nan)", [=](D& d) { d.gravity.z = nan; }},
      {"arm.urdf:1: base: orientation is not a rotation (off by 1.73205081)",
       [](D& d) { d.base.R = {}; }},
  };
  for (const BadCase& bad : cases) {
    RobotDescription d = sound();
    bad.spoil(d);
    std::string message;
    try {
      const Model<double> model(d);
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, bad.message);
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

}  // namespace
