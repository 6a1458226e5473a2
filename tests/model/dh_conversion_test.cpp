#include "torsor/model/dh_conversion.hpp"

#include <gtest/gtest.h>

#include "model/chain_support.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

const double quarter = pi / 2;
const Convention both[] = {Convention::standard, Convention::modified};

DhTable table_of(Convention convention, const std::vector<std::array<double, 4>>& rows) {
  DhTable table;
  table.convention = convention;
  for (const auto& [a, alpha, d, theta] : rows) {
    DhRow row;
    row.a = a, row.alpha = alpha, row.d = d, row.theta = theta;
    table.rows.push_back(row);
  }
  return table;
}

void expect_rows(const DhTable& found, const DhTable& expected) {
  ASSERT_EQ(found.rows.size(), expected.rows.size());
  EXPECT_EQ(found.convention, expected.convention);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const DhRow &f = found.rows[i], &e = expected.rows[i];
    EXPECT_EQ(f.a, e.a) << i + 1;
    EXPECT_EQ(f.alpha, e.alpha) << i + 1;
    EXPECT_EQ(f.d, e.d) << i + 1;
    EXPECT_EQ(f.theta, e.theta) << i + 1;
  }
}

// The same robot: tool, dynamics and names at random q.
void expect_same_robot(const RobotDescription& a, const RobotDescription& b, std::size_t n,
                       Random& random, double bound) {
  for (int trial = 0; trial < 3; ++trial) {
    const std::vector<double> q = random.numbers(n, 3);
    EXPECT_LE(distance(world_state(a, q).frames.at("tool"), world_state(b, q).frames.at("tool")),
              bound);
    EXPECT_LE(dynamics_distance(a, b, q), 100 * bound);
  }
}

TEST(DhConversion, G_1_3b_table_1_2_becomes_table_2_4) {
  const double d2 = 0.15;
  const DhTable standard = table_of(Convention::standard, {{0, -quarter, 0, 0},
                                                           {0, quarter, d2, 0},
                                                           {0, 0, 0.9, 0},
                                                           {0, -quarter, 0, 0},
                                                           {0, quarter, 0, 0},
                                                           {0, 0, 0, 0}});
  const DhTable modified = table_of(Convention::modified, {{0, 0, 0, 0},
                                                           {0, -quarter, d2, 0},
                                                           {0, quarter, 0.9, 0},
                                                           {0, 0, 0, 0},
                                                           {0, -quarter, 0, 0},
                                                           {0, quarter, 0, 0}});
  expect_rows(dh_to_mdh(standard), modified);
  expect_rows(mdh_to_dh(modified), standard);
  EXPECT_EQ(distance(dh_to_mdh(standard).tool, Pose{}), 0);
}

TEST(DhConversion, X_1_19_X_1_20_tables_of_the_puma_600_belong_together) {
  const double a2 = 0.4318, a3 = -0.02032, d3 = 0.14909, d4 = 0.43307;
  expect_rows(dh_to_mdh(table_of(Convention::standard, {{0, -quarter, 0, 0},
                                                        {a2, 0, 0, 0},
                                                        {a3, quarter, d3, 0},
                                                        {0, -quarter, d4, 0},
                                                        {0, quarter, 0, 0},
                                                        {0, 0, 0, 0}})),
              table_of(Convention::modified, {{0, 0, 0, 0},
                                              {0, -quarter, 0, 0},
                                              {a2, 0, d3, 0},
                                              {a3, quarter, d4, 0},
                                              {0, -quarter, 0, 0},
                                              {0, quarter, 0, 0}}));
}

TEST(DhConversion, K_1_2_5_remainders_go_to_the_tool_and_to_the_base) {
  Random random(41);
  const DhTable standard = random_table(random, Convention::standard, 5);
  const DhTable modified = dh_to_mdh(standard);
  EXPECT_EQ(distance(modified.base, standard.base), 0);
  const DhRow& last = standard.rows.back();
  EXPECT_LE(distance(modified.tool, Tx(last.a) * Rx(last.alpha) * standard.tool), 4 * epsilon);
  DhTable other = random_table(random, Convention::modified, 5);
  other.inertial = random.inertial(), other.has_inertial = true;
  const DhTable back = mdh_to_dh(other);
  const DhRow& first = other.rows.front();
  EXPECT_EQ(distance(back.tool, other.tool), 0);
  EXPECT_LE(distance(back.base, other.base * Tx(first.a) * Rx(first.alpha)), 4 * epsilon);
  EXPECT_LE(distance(back.base * back.inertial.com, other.base * other.inertial.com), 8 * epsilon);
}

TEST(DhConversion, K_1_2_5_converted_tables_are_the_same_robot) {
  Random random(42);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial) % 7;
    const DhTable standard = random_table(random, Convention::standard, n);
    const DhTable modified = random_table(random, Convention::modified, n);
    expect_same_robot(from_dh(standard), from_dh(dh_to_mdh(standard)), n, random, 1e3 * epsilon);
    expect_same_robot(from_dh(modified), from_dh(mdh_to_dh(modified)), n, random, 1e3 * epsilon);
    // Elementary products, without from_dh.
    const std::vector<double> q = random.numbers(n, 3);
    const DhTable other = dh_to_mdh(standard);
    EXPECT_LE(distance(elementary_frames(standard, q).back() * standard.tool,
                       elementary_frames(other, q).back() * other.tool),
              200 * epsilon);
  }
}

TEST(DhConversion, K_1_2_5_round_trips_return_rows_and_inertias) {
  Random random(43);
  for (int trial = 0; trial < 20; ++trial) {
    DhTable table = random_table(random, Convention::standard, 4);
    table.rows.back().a = table.rows.back().alpha = 0;  // what no modified row holds
    table.rows[1].name = "elbow", table.rows[1].limits.upper = 1.5;
    table.inertial = random.inertial(), table.has_inertial = true;
    const DhTable back = mdh_to_dh(dh_to_mdh(table));
    expect_rows(back, table);
    EXPECT_LE(distance(back.tool, table.tool), 8 * epsilon);
    EXPECT_LE(distance(back.base, table.base), 8 * epsilon);
    EXPECT_EQ(back.rows[1].name, "elbow");
    EXPECT_EQ(back.rows[1].limits.upper, 1.5);
    EXPECT_EQ(back.inertial.mass, table.inertial.mass);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_LE(distance(back.rows[i].inertial.com, table.rows[i].inertial.com), 16 * epsilon);
  }
}

TEST(DhConversion, tables_of_the_other_convention_are_refused) {
  DhTable table = table_of(Convention::modified, {{0, 0, 0, 0}});
  table.name = "arm";
  EXPECT_EQ(message_of([&] { dh_to_mdh(table); }),
            "DH table 'arm' is modified, a standard one is expected");
  table.convention = Convention::standard;
  EXPECT_EQ(message_of([&] { mdh_to_dh(table); }),
            "DH table 'arm' is standard, a modified one is expected");
}

Joint joint(const std::string& name, JointKind kind, const std::string& parent,
            const std::string& child, const Pose& placement, const Vec3<double>& axis) {
  Joint result;
  result.name = name, result.kind = kind, result.parent = parent, result.child = child;
  result.placement = placement, result.axis = axis;
  return result;
}

// A chain as a file has it: any axes, fixed links between and beside the moving ones.
RobotDescription random_chain(Random& random, std::size_t n, bool right_angled) {
  RobotDescription robot;
  robot.name = "file", robot.root = "ground", robot.base = random.pose(1);
  robot.gravity = random.vector(10);
  const auto add_link = [&](const std::string& name) {
    robot.links.push_back({name, random.inertial(), true, {}, {}});
  };
  const auto place = [&] {
    if (!right_angled) return random.pose(0.5);
    const auto turn = [&] { return quarter * std::floor(random(0, 3.999)); };
    const auto step = [&] { return 0.25 * std::floor(random(0, 2.999)); };
    return Pose{rotation_x(turn()) * rotation_z(turn()), {step(), step(), step()}};
  };
  add_link("ground");
  std::string parent = "ground";
  for (std::size_t i = 1; i <= n; ++i) {
    const std::string number = std::to_string(i);
    if (random.coin()) {
      add_link("bracket_" + number);
      robot.joints.push_back(joint("weld_" + number, JointKind::fixed, parent, "bracket_" + number,
                                   place(), {0, 0, 1}));
      if (random.coin()) parent = "bracket_" + number;  // between, else beside
    }
    const Vec3<double> axes[] = {{1, 0, 0}, {0, -1, 0}, exp(random.vector(2)).c0};
    const JointKind kinds[] = {JointKind::revolute, JointKind::continuous, JointKind::prismatic};
    add_link("part_" + number);
    robot.joints.push_back(
        joint("axis_" + number, kinds[static_cast<std::size_t>(random(0, 2.999))], parent,
              "part_" + number, place(),
              axes[static_cast<std::size_t>(random(0, right_angled ? 1.999 : 2.999))]));
    parent = "part_" + number;
  }
  add_link("hand");
  robot.joints.push_back(joint("wrist", JointKind::fixed, parent, "hand", place(), {0, 0, 1}));
  robot.frames.push_back({"tool", "hand", random.pose(0.3), {}});
  return robot;
}

TEST(DhConversion, any_chain_becomes_a_table_of_the_same_robot_with_the_same_q) {
  Random random(44);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial) % 7;
    const RobotDescription robot = random_chain(random, n, trial % 2 == 0);
    for (const Convention convention : both) {
      const DhConversion found = to_dh(robot, convention);
      ASSERT_TRUE(found.ok()) << found.message;
      ASSERT_EQ(found.table.convention, convention);
      const RobotDescription again = from_dh(found.table);
      double reach = 1;  // near-parallel axes have their common normal far away
      for (const DhRow& row : found.table.rows) reach = std::max({reach, std::abs(row.d), row.a});
      expect_same_robot(robot, again, n, random, 4e3 * epsilon * reach * reach);
      // Every link of the file is where link_frames says, at any q.
      const std::vector<double> q = random.numbers(n, 2);
      const std::vector<Pose> frames = elementary_frames(found.table, q);
      const WorldState state = world_state(robot, q);
      EXPECT_EQ(found.link_frames.size(), robot.links.size());
      for (const FrameOnLink& link : found.link_frames) {
        std::size_t i = 0;
        while (i < n && (i == 0 ? found.table.root : found.table.rows[i - 1].link) != link.link)
          ++i;
        EXPECT_LE(distance(frames[i] * link.placement, state.frames.at(link.name)),
                  4e3 * epsilon * reach * reach)
            << link.name;
      }
    }
  }
}

TEST(DhConversion, K_1_2_5_torques_survive_to_1e_12_for_right_angled_arms) {
  Random random(45);
  for (int trial = 0; trial < 100; ++trial) {
    const RobotDescription robot = random_chain(random, 6, true);
    for (const Convention convention : both) {
      const DhConversion found = to_dh(robot, convention);
      const std::vector<double> q = random.numbers(6, 3);
      const RobotDescription again = from_dh(found.table);
      double largest = 1;
      for (const auto& row : world_state(robot, q).mass_matrix)
        for (const double m : row) largest = std::max(largest, std::abs(m));
      EXPECT_LE(dynamics_distance(robot, again, q), 1e-12 * largest);
      EXPECT_LE(found.direction_error, 16 * epsilon);
      EXPECT_LE(found.position_error, 32 * epsilon);
    }
  }
}

TEST(DhConversion, tables_pass_through_descriptions) {
  Random random(46);
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial) % 6;
    const DhTable table = random_table(random, both[trial % 2], n);
    const RobotDescription robot = from_dh(table);
    for (const Convention convention : both) {
      const DhConversion found = to_dh(robot, convention);
      ASSERT_TRUE(found.ok());
      expect_same_robot(robot, from_dh(found.table), n, random, 1e5 * epsilon);
    }
  }
}

TEST(DhConversion, names_limits_friction_and_motors_are_carried_along) {
  Random random(47);
  RobotDescription robot = random_chain(random, 3, true);
  robot.source = "a book";
  for (Joint& axis : robot.joints)
    if (axis.name == "axis_2") {
      axis.kind = JointKind::continuous;
      axis.limits = {Limits{-1, 2, 3, 4, 5, 6}};
      axis.friction = {Friction{1, 2, 3, 4, 5, 6}};
      axis.actuator = {Actuator{1, 2, 3, 4, 5}};
      axis.spring = {JointSpring{7, 8}};
      axis.origin = {"arm.urdf", 7};
    }
  const DhTable table = to_dh(robot, Convention::standard).table;
  EXPECT_EQ(table.name, "file");
  EXPECT_EQ(table.source, "a book");
  EXPECT_EQ(table.root, "ground");
  EXPECT_EQ(distance(table.gravity, robot.gravity), 0);
  const DhRow& row = table.rows[1];
  EXPECT_EQ(row.name, "axis_2");
  EXPECT_EQ(row.link, "part_2");
  EXPECT_TRUE(row.continuous);
  EXPECT_EQ(row.limits.lower, -1);
  EXPECT_EQ(row.limits.effort, 6);
  EXPECT_EQ(row.friction.width, 6);
  EXPECT_EQ(row.actuator.disturbance, 5);
  EXPECT_EQ(row.spring.rest, 8);
  EXPECT_EQ(row.origin.line, 7);
  const Joint again = from_dh(table).joints[1];
  EXPECT_EQ(again.kind, JointKind::continuous);
  EXPECT_EQ(again.limits.at(0).upper, 2);
}

TEST(DhConversion, tool_is_the_named_one_or_the_outermost_link) {
  Random random(48);
  RobotDescription robot = random_chain(random, 2, false);
  const std::vector<double> q = {0.3, -0.4};
  const WorldState state = world_state(robot, q);
  const auto pose = [&](const std::string& name) {
    const DhConversion found = to_dh(robot, Convention::modified, name);
    EXPECT_TRUE(found.ok()) << found.message;
    return world_state(from_dh(found.table), q).frames.at("tool");
  };
  EXPECT_LE(distance(pose(""), state.frames.at("tool")), 1e3 * epsilon);
  EXPECT_LE(distance(pose("part_2"), state.frames.at("part_2")), 1e3 * epsilon);
  robot.frames.clear();
  EXPECT_LE(distance(pose(""), state.frames.at("hand")), 1e3 * epsilon);
  EXPECT_EQ(to_dh(robot, Convention::modified, "part_1").message,
            "tool 'part_1' is no link or frame fixed to the last moving link 'part_2'");
}

TEST(DhConversion, what_a_table_cannot_say_is_refused_by_name) {
  Random random(49);
  const RobotDescription chain = random_chain(random, 3, false);
  const auto message = [](const RobotDescription& robot) {
    return to_dh(robot, Convention::standard).message;
  };
  RobotDescription robot = chain;
  for (Joint& axis : robot.joints)
    if (axis.name == "axis_2") axis.kind = JointKind::helical, axis.origin = {"arm.urdf", 9};
  EXPECT_EQ(message(robot),
            "arm.urdf:9: joint 'axis_2' is helical; a DH table has revolute, "
            "continuous and prismatic joints");
  robot = chain;
  robot.links.push_back({"finger", {}, false, {}, {}});
  const std::string parent = robot.find_joint("axis_2")->parent;
  robot.joints.push_back(joint("grip", JointKind::prismatic, parent, "finger", {}, {0, 0, 1}));
  EXPECT_EQ(message(robot),
            "joint 'grip' branches off beside joint 'axis_2'; a DH table describes one chain");
  robot = chain;
  robot.loops.push_back({"bar", LoopJoint::Kind::weld, "ground", "hand", {}, {}, {0, 0, 1}, 0, {}});
  EXPECT_EQ(message(robot), "loop joint 'bar' closes a loop; a DH table describes an open chain");
  robot = chain;
  robot.couplings.push_back({"gear", {{"axis_1", 1}, {"axis_2", -2}}, 0, {}});
  EXPECT_EQ(message(robot), "coupling 'gear' ties joints together; a DH table cannot say that");
  robot = chain;
  robot.springs.push_back({"coil", "ground", "hand", {}, {}, 1, 0, 0, {}});
  EXPECT_EQ(message(robot), "spring 'coil' acts between links; a DH table cannot say that");
  robot = chain;
  robot.motors.push_back({"wrist", {{"axis_1", 1}, {"axis_2", 2}}, 0, {}, {}});
  EXPECT_EQ(message(robot), "motor 'wrist' turns with several joints; a DH table cannot say that");
  robot = chain;
  for (Joint& axis : robot.joints) axis.kind = JointKind::fixed;
  EXPECT_EQ(message(robot), "robot 'file' has no moving joint");
}

TEST(DhConversion, broken_descriptions_are_errors) {
  Random random(50);
  RobotDescription robot = random_chain(random, 1, false);
  const auto message = [](const RobotDescription& bad) {
    return message_of([&] { (void)to_dh(bad, Convention::standard); });
  };
  RobotDescription bad = robot;
  bad.root = "sky";
  EXPECT_EQ(message(bad), "robot 'file': root link 'sky' is not among its links");
  bad = robot;
  bad.joints.back().child = "nothing";
  EXPECT_EQ(message(bad), "joint 'wrist': child link 'nothing' does not exist");
  bad = robot;
  bad.joints.back().child = "part_1";
  EXPECT_EQ(message(bad), "joint 'wrist': link 'part_1' already has a parent");
  bad.joints.back().child = "ground";
  EXPECT_EQ(message(bad), "joint 'wrist': link 'ground' already has a parent");
}

}  // namespace
