// Surgery: every verb gives another robot whose poses, energies and masses follow from the old
// one's.
#include "torsor/model/surgery.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_loops.hpp"
#include "support/tree_motion.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/inertial_parameters.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

using Numbers = std::vector<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Values of the joints of `part` in it, taken from a larger robot by name.
Numbers taken(const Model<double>& part, const Model<double>& whole, const Numbers& x,
              bool velocity, const std::string& prefix = "") {
  Numbers result;
  for (int i = 1; i < part.n_bodies(); ++i) {
    const auto& body = whole.body(whole.joint_index(prefix + part.joint_name(i)));
    const Dofs slice = velocity ? body.v : body.q;
    for (int k = 0; k < slice.count; ++k) result.push_back(x[at(slice.first + k)]);
  }
  return result;
}

Model<double> gripper() {
  ModelBuilder b("gripper");
  b.prismatic("left", "palm", "left_finger", {}, {0, 1, 0}).limits(0, 0.04);
  b.prismatic("right", "palm", "right_finger", {}, {0, -1, 0});
  b.mimic("right", "left");
  for (const char* link : {"palm", "left_finger", "right_finger"})
    b.inertia(link, 0.2, {0, 0, 0.05});
  SpringDamper spring;
  spring.name = "coil", spring.link_a = "left_finger", spring.link_b = "right_finger";
  spring.stiffness = 1;
  LoopJoint loop;
  loop.name = "bar", loop.kind = LoopJoint::Kind::distance;
  loop.link_a = "left_finger", loop.link_b = "right_finger";
  return b.spring_damper(spring).loop(loop).frame("pinch", "palm", {.p = {0, 0, 0.1}}).build();
}

Model<double> two_link_arm() {
  ModelBuilder b("arm");
  b.revolute("shoulder", "base", "upper", {.p = {0, 0, 0.4}}, {0, 1, 0});
  b.revolute("elbow", "upper", "lower", {.p = {0.5, 0, 0}}, {0, 1, 0});
  b.fixed("flange", "lower", "tool", {.p = {0.3, 0, 0}});
  b.revolute("side", "upper", "antenna", {.p = {0.1, 0.1, 0}});
  for (const char* link : {"upper", "lower", "tool", "antenna"})
    b.inertia(link, 1, {0.1, 0.2, 0.3});
  return b.base({.p = {1, 2, 3}}).build();
}

TEST(Surgery, a_locked_robot_moves_like_the_old_one_with_those_joints_held) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const Numbers q = random_q(model, seed);
    Numbers v = random_velocity(model, seed);
    std::vector<std::string> names;
    Draw<double> draw(seed);
    for (int i = 1; i < model.n_bodies(); ++i) {
      if (draw() > 0) continue;
      names.push_back(model.joint_name(i));
      for (int k = 0; k < model.joint(i).n_v; ++k) v[at(model.body(i).v.first + k)] = 0;
    }
    const Model<double> held = lock_joints(model, names, q);
    EXPECT_EQ(held.n_bodies() + static_cast<int>(names.size()), model.n_bodies());
    const auto whole = tree_motion(model, q, v);
    const auto part = tree_motion(held, taken(held, model, q, false), taken(held, model, v, true));
    for (const Link& link : model.description().links)
      EXPECT_CLOSE(world_pose(held, part, link.name), world_pose(model, whole, link.name), 1000);
    const double energy = tree_totals(model, whole).energy;
    EXPECT_NEAR(tree_totals(held, part).energy, energy, 1000 * eps<double> * (1 + energy)) << seed;
    EXPECT_NEAR(tree_totals(held, part).mass + held.fixed_inertia().m,
                tree_totals(model, whole).mass + model.fixed_inertia().m, 100 * eps<double>);
  }
}

TEST(Surgery, a_locked_joint_leaves_its_couplings_as_a_constant) {
  ModelBuilder b;
  b.revolute("a", "base", "A");
  b.revolute("b", "A", "B");
  b.revolute("c", "B", "C");
  b.coupling("gear", {{"a", 1}, {"b", 2}, {"c", -3}}, 0.5);
  const Coupling left =
      lock_joints(b.build(), {"b"}, Numbers{0, 0.7, 0}).description().couplings.at(0);
  ASSERT_EQ(left.terms.size(), 2u);
  EXPECT_EQ(left.terms[1].joint, "c");
  EXPECT_EQ(left.offset, 0.5 - 2 * 0.7);
  const Numbers on{0.1, 0.2, 0.0};  // 0.1 + 0.4 = 0.5
  EXPECT_TRUE(lock_joints(b.build(), {"a", "b", "c"}, on).description().couplings.empty());
  EXPECT_EQ(message_of([&] {
              lock_joints(b.build(), {"a", "b", "c"}, Numbers{0, 0, 0});
            }),
            "coupling \"gear\" does not hold where its joints are locked: it is off by 0.5");
}

/// The joints' torques with friction, rotors, springs of joints and between links.
Numbers torques(const Model<double>& model, const Numbers& q, const Numbers& v, const Numbers& a) {
  Numbers tau(at(model.n_v()));
  add_joint_torques(model, q, v, tau);
  for (int k = 0; k < model.n_v(); ++k) tau[at(k)] += model.dof(k).armature * a[at(k)];
  return tau;
}

TEST(Surgery, what_joints_have_besides_bodies_goes_with_them_and_leaves_with_locked_ones) {
  const Model<double> model(random_tree(7, 14));
  const Numbers q = random_q(model, 8), v = random_velocity(model, 9),
                a = random_velocity(model, 1);
  const std::vector<std::string> names{"joint_2", "joint_5", "joint_9"};
  const Model<double> held = lock_joints(model, names, q);
  EXPECT_EQ(torques(held, taken(held, model, q, false), taken(held, model, v, true),
                    taken(held, model, a, true)),
            taken(held, model, torques(model, q, v, a), true));
}

TEST(Surgery, a_joint_named_twice_is_locked_once) {
  Model<double> model = two_link_arm();
  std::vector<std::string> once{"elbow"}, twice{"elbow", "elbow"};
  Numbers q{0.4, 0.7, 0};
  EXPECT_CLOSE(lock_joints(model, twice, q).frame("tool").placement,
               lock_joints(model, once, q).frame("tool").placement, 0);
}

TEST(Surgery, a_loop_left_on_one_body_leaves_where_it_is_closed_and_is_refused_elsewhere) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const LoopedRobot robot = random_loops(seed, 12, every_loop_kind());
    std::vector<std::string> all;
    for (int i = 1; i < robot.model.n_bodies(); ++i) all.push_back(robot.model.joint_name(i));
    EXPECT_TRUE(lock_joints(robot.model, all, robot.q).description().loops.empty());
    const Numbers open = random_q(robot.model, seed + 100);
    EXPECT_EQ(message_of([&] {
                lock_joints(robot.model, all, open);
              }).find("loop \"loop_0_weld\" is not closed where its joints are locked: "),
              0u);
    // what still has a joint between its ends stays
    const LoopJoint& first = robot.model.description().loops[0];
    const int last =  // never above the other end: its joint is between them
        std::max(robot.model.frame(first.link_a).body, robot.model.frame(first.link_b).body);
    std::erase(all, robot.model.joint_name(last));
    const Model<double> held = lock_joints(robot.model, all, robot.q);
    EXPECT_EQ(held.description().loops.at(0).name, first.name);
    EXPECT_EQ(ConstraintSet(held).loops().size(), held.description().loops.size());
  }
}

TEST(Surgery, lock_checks_names_and_configuration) {
  EXPECT_EQ(message_of([] { lock_joints(two_link_arm(), {"elbo"}, Numbers(3)); }),
            "robot \"arm\" has no moving joint \"elbo\"; did you mean \"elbow\"?");
  EXPECT_EQ(message_of([] { lock_joints(two_link_arm(), {"elbow"}, Numbers(2)); }),
            "robot \"arm\": configuration has 2 numbers; 3 are needed");
}

TEST(Surgery, an_extracted_chain_is_the_old_one_seen_from_its_root) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    // From the body below the world on the path to the last one.
    int first = model.n_bodies() - 1;
    while (model.body(first).parent != 0) first = model.body(first).parent;
    const std::string &from = model.body_name(first), &to = model.body_name(model.n_bodies() - 1);
    const Model<double> chain = extract(model, from, to);
    EXPECT_EQ(chain.description().root, from);
    const Numbers q = random_q(model, seed), v(at(model.n_v()));
    const auto whole = tree_motion(model, q, v);
    const auto part =
        tree_motion(chain, taken(chain, model, q, false), taken(chain, model, v, true));
    for (const Link& link : chain.description().links)
      EXPECT_CLOSE(
          inverse_times(world_pose(chain, part, from), world_pose(chain, part, link.name)),
          inverse_times(world_pose(model, whole, from), world_pose(model, whole, link.name)), 1000);
    for (int i = 1; i < chain.n_bodies(); ++i)
      EXPECT_CLOSE(chain.body(i).inertia,
                   model.body(model.joint_index(chain.joint_name(i))).inertia, 0);
    // the root stands where it stood at the neutral configuration
    Numbers zero(at(model.n_q())), zero_part(at(chain.n_q()));
    neutral(model, zero);
    neutral(chain, zero_part);
    EXPECT_CLOSE(world_pose(chain, tree_motion(chain, zero_part, Numbers(at(chain.n_v()))), to),
                 world_pose(model, tree_motion(model, zero, v), to), 1000);
  }
}

TEST(Surgery, an_extracted_chain_leaves_out_branches_and_keeps_what_is_fixed_to_it) {
  const Model<double> chain = extract(two_link_arm(), "base", "lower");
  EXPECT_TRUE(chain.has_frame("tool"));
  EXPECT_FALSE(chain.has_frame("antenna"));
  EXPECT_EQ(chain.n_v(), 2);
  EXPECT_EQ(message_of([] { extract(two_link_arm(), "lower", "base"); }),
            "robot \"arm\": link \"base\" is not below link \"lower\"");
  EXPECT_EQ(message_of([] { extract(two_link_arm(), "base", "lowr"); }),
            "robot \"arm\" has no link \"lowr\"; did you mean \"lower\"?");
}

TEST(Surgery, extract_refuses_to_tear_a_loop_a_coupling_or_a_spring) {
  EXPECT_EQ(message_of([] { extract(gripper(), "palm", "left_finger"); }),
            "loop \"bar\" ties \"left_finger\", which stays, to \"right_finger\", which does not");
  RobotDescription d = gripper().description();
  d.loops.clear();
  EXPECT_EQ(message_of([&] { extract(Model<double>(d), "palm", "left_finger"); }),
            "coupling \"right_mimic\" ties \"left\", which stays, to \"right\", which does not");
  d.couplings.clear();
  EXPECT_EQ(
      message_of([&] { extract(Model<double>(d), "palm", "left_finger"); }),
      "spring \"coil\" ties \"left_finger\", which stays, to \"right_finger\", which does not");
  d.springs[0].link_b = "";  // to the ground, which stays as the root
  EXPECT_EQ(extract(Model<double>(d), "palm", "left_finger").description().springs.size(), 1u);
  d.springs[0].link_a = "right_finger";
  d.springs[0].link_b = "left_finger";
  EXPECT_TRUE(extract(Model<double>(d), "palm", "palm").description().springs.empty());
}

TEST(Surgery, an_appended_robot_moves_on_its_link) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const Model<double> model(random_tree(seed, 8)), other(random_tree(50 + seed, 8));
    Draw<double> draw(seed);
    const SE3<double> placement = draw.pose();
    const Model<double> both = append(model, other, "link_3", placement, "b/");
    ASSERT_EQ(both.n_v(), model.n_v() + other.n_v());
    const Numbers q = random_q(both, seed), v = random_velocity(both, seed);
    const auto sum = tree_motion(both, q, v);
    const auto one = tree_motion(model, taken(model, both, q, false), taken(model, both, v, true));
    const auto two =
        tree_motion(other, taken(other, both, q, false, "b/"), taken(other, both, v, true, "b/"));
    for (const Link& link : model.description().links)
      EXPECT_CLOSE(world_pose(both, sum, link.name), world_pose(model, one, link.name), 1000);
    const SE3<double> mount = world_pose(both, sum, "link_3") * placement;
    const SE3<double> root = world_pose(other, two, "base");
    for (const Link& link : other.description().links)
      EXPECT_CLOSE(world_pose(both, sum, model.has_frame(link.name) ? "b/" + link.name : link.name),
                   (mount * inverse_times(root, world_pose(other, two, link.name))), 1000);
    const double mass = tree_totals(model, one).mass + tree_totals(other, two).mass;
    EXPECT_NEAR(tree_totals(both, sum).mass, mass + other.fixed_inertia().m, 100 * eps<double>);
  }
}

TEST(Surgery, appending_gives_the_prefix_to_names_that_are_taken) {
  const Model<double> hand = append(two_link_arm(), gripper(), "tool", {});
  EXPECT_EQ(hand.joint_index("left"), 3);  // before "side", the later child of the upper arm
  EXPECT_TRUE(hand.has_frame("pinch"));
  EXPECT_EQ(hand.frame("palm_mount").body, 2);
  const Model<double> hands = append(hand, gripper(), "antenna", {}, "second_");
  const RobotDescription& d = hands.description();
  EXPECT_TRUE(hands.has_frame("second_pinch"));
  EXPECT_EQ(d.couplings.at(1).name, "second_right_mimic");
  EXPECT_EQ(d.couplings.at(1).terms.at(0).joint, "second_right");
  EXPECT_EQ(d.loops.at(1).link_a, "second_left_finger");
  EXPECT_EQ(d.springs.at(1).link_b, "second_right_finger");
  EXPECT_EQ(d.couplings.at(0).terms.at(0).joint, "right");
  const Model<double> more = append(hands, gripper(), "base", {});
  EXPECT_TRUE(more.has_frame("gripper_palm"));
  EXPECT_EQ(message_of([&] { append(more, gripper(), "base", {}); }),
            "link \"gripper_palm\" is in both robots; give another prefix");
}

TEST(Surgery, with_base_puts_a_joint_under_the_root) {
  const Model<double> model = two_link_arm();
  const Model<double> floating = with_base(model, JointKind::free);
  EXPECT_EQ(floating.joint_name(1), "root_joint");
  EXPECT_EQ(floating.body_name(1), "base");
  EXPECT_EQ(floating.n_v(), model.n_v() + 6);
  Numbers q(at(floating.n_q())), v(at(floating.n_v()));
  neutral(floating, q);
  EXPECT_CLOSE(world_pose(floating, tree_motion(floating, q, v), "tool"),
               world_pose(model, tree_motion(model, Numbers(3), Numbers(3)), "tool"), 10);
  EXPECT_EQ(with_base(floating, JointKind::planar).joint_name(1), "root_joint_1");
  EXPECT_EQ(with_base(floating, JointKind::planar).joint(1).kind, JointKind::planar);
  EXPECT_EQ(with_base(model, JointKind::free_euler, "elbow").joint_name(1), "elbow_1");
}

TEST(Surgery, with_base_at_a_pose_moves_the_root_link) {
  const SE3<double> pose{rotation_x(0.5), {4, 5, 6}};
  const Model<double> moved = with_base(two_link_arm(), pose);
  EXPECT_CLOSE(moved.frame("base").placement, pose, 0);
}

TEST(Surgery, an_added_frame_is_addressable) {
  const SE3<double> pose{rotation_x(0.5), {4, 5, 6}}, flange{.p = {0.3, 0, 0}};
  const Model<double> model = add_frame(two_link_arm(), "lens", "tool", pose);
  EXPECT_EQ(model.frame("lens").body, model.joint_index("elbow"));
  EXPECT_CLOSE(model.frame("lens").placement, (flange * pose), 4);
  EXPECT_EQ(message_of([] { add_frame(two_link_arm(), "lens", "tol", {}); }),
            "frame \"lens\": link \"tol\" does not exist; did you mean \"tool\"?");
  EXPECT_THROW(add_frame(model, "lens", "tool", {}), Error);
}

TEST(Surgery, a_payload_adds_its_inertia_to_the_body) {
  const Inertial box{2, {0.1, 0, 0}, {0.1, 0, 0.2, 0, 0, 0.3}};
  const SE3<double> grasp{rotation_y(0.3), {0, 0.1, 0}}, flange{.p = {0.3, 0, 0}};
  const Model<double> model = two_link_arm(), loaded = attach_payload(model, "tool", box, grasp);
  const int i = model.joint_index("elbow");
  const Inertia<double> expected =
      model.body(i).inertia +
      transported(flange * grasp, Inertia<double>::at_com(box.mass, box.com, box.about_com));
  EXPECT_CLOSE(loaded.body(i).inertia, expected, 10);
  EXPECT_CLOSE(loaded.frame("payload").placement, flange * grasp, 4);
  EXPECT_EQ(attach_payload(loaded, "tool", box).description().links.back().name, "payload_1");
  EXPECT_THROW(attach_payload(model, "nothing", box), Error);
  EXPECT_THROW(attach_payload(model, "tool", {-1, {}, {}}), Error);
}

TEST(Surgery, gravity_can_point_anywhere) {
  EXPECT_EQ(with_gravity(two_link_arm(), {1, 2, 3}).gravity().y, 2);
  EXPECT_THROW(with_gravity(two_link_arm(), {NAN, 0, 0}), Error);
}

TEST(Surgery, the_old_model_is_left_alone) {
  const Model<double> model = two_link_arm();
  const Numbers before = parameters(model);
  (void)attach_payload(with_base(lock_joints(model, {"side"}, Numbers(3)), JointKind::free), "tool",
                       {1, {}, {}});
  EXPECT_EQ(parameters(model), before);
  EXPECT_EQ(model.n_v(), 3);
}

TEST(Surgery, a_model_with_base_parameters_only_is_refused) {
  ModelBuilder b("pendulum");
  b.revolute("pivot", "base", "bob");
  const Model<double> model = with_parameters(b.build(), Numbers{0, 1, 0, 0, 0, 0, 0, 0, 0, 2});
  EXPECT_EQ(message_of([&] { with_gravity(model, {}); }),
            "robot \"pendulum\" has inertial parameters of no possible body; it cannot be changed");
}

}  // namespace
