// One target: poses reached, limits, weights, closest poses, turns, bad input, no allocation.
#include "torsor/kinematics/inverse_kinematics.hpp"

#include <functional>

#include "kinematics/analytic_ik_support.hpp"
#include "kinematics/inverse_kinematics_support.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/instruction_set.hpp"

namespace torsor {
namespace {

using testing::AllocationCounter;
using testing::angle_apart;
using testing::arm;
using testing::Asker;
using testing::inside_limits;
using testing::middle_of_limits;
using testing::point_target;
using testing::pose_by_products;
using testing::position_apart;
using testing::random_q;

constexpr double pi = 3.14159265358979323846;

struct Robot {
  const char *name, *frame;
};
void PrintTo(const Robot& r, std::ostream* out) { *out << r.name; }
class NumericIkRobots : public ::testing::TestWithParam<Robot> {};

TEST_P(NumericIkRobots, poses_of_500_configurations_inside_the_limits_are_reached_inside_them) {
  const Model<double> model = load_robot(GetParam().name);
  const std::string frame = GetParam().frame;
  Asker asker(model, {frame});
  const auto start = middle_of_limits(model);
  for (unsigned seed = 1; seed <= 500; ++seed) {
    const SE3<double> T = pose_by_products(model, frame, random_q(model, seed));
    const auto [result, q] = asker.ask({{T}}, start);
    EXPECT_TRUE(result.converged) << describe(model, result) << " for seed " << seed;
    EXPECT_EQ(result.status, IkStatus::reached);
    const SE3<double> there = pose_by_products(model, frame, q);
    // What the sweep and the product differ by.
    const double rounding = 1e-14;
    EXPECT_LE(position_apart(there, T), 1e-8 + rounding);
    EXPECT_LE(angle_apart(there, T), 1e-8 + rounding);
    EXPECT_NEAR(result.position_residual, position_apart(there, T), rounding);
    EXPECT_NEAR(result.orientation_residual, angle_apart(there, T), rounding);
    EXPECT_TRUE(inside_limits(model, q));
  }
}
INSTANTIATE_TEST_SUITE_P(Builtin, NumericIkRobots,
                         ::testing::Values(Robot{"puma560", "tool"}, Robot{"ur5", "tool"},
                                           Robot{"panda", "tool"}, Robot{"iiwa14", "flange"},
                                           Robot{"stanford", "tool"}),
                         [](const auto& robot) { return std::string(robot.param.name); });

TEST(NumericIk, every_joint_kind_moves_its_frame_to_a_reachable_pose_inside_its_limits) {
  for (const JointKind kind : testing::every_moving_kind())
    for (unsigned seed = 1; seed <= 12; ++seed) {
      testing::RandomTree options;
      options.kinds = {kind};
      options.chain = options.limits = true;
      const Model<double> model(
          testing::random_tree(seed, kind == JointKind::composite ? 2 : 3, options));
      Asker asker(model, {"link_2"});
      const auto goal = random_q(model, 100 + seed), start = random_q(model, 200 + seed);
      const SE3<double> T = pose_by_products(model, "link_2", goal);
      const auto [result, q] = asker.ask({{T}}, start);
      EXPECT_TRUE(result.converged) << name_of(kind) << ' ' << seed << describe(model, result);
      EXPECT_LE(position_apart(pose_by_products(model, "link_2", q), T), 2e-8);
      EXPECT_LE(angle_apart(pose_by_products(model, "link_2", q), T), 2e-8);
      EXPECT_TRUE(inside_limits(model, q)) << name_of(kind);
      for (int k = 0; k < model.n_q(); ++k)  // joint 3 carries nothing that is asked for
        if (model.n_bodies() > 3 && k >= model.body(3).q.first) {
          EXPECT_EQ(q[static_cast<std::size_t>(k)], start[static_cast<std::size_t>(k)]);
        }
    }
}

TEST(NumericIk, a_chain_of_all_joint_kinds_reaches_poses_and_keeps_unit_quaternions) {
  testing::RandomTree options;
  options.chain = options.limits = true;
  const Model<double> model(testing::random_tree(7, 13, options));
  Asker asker(model, {"link_13"});
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const SE3<double> T = pose_by_products(model, "link_13", random_q(model, seed));
    const auto [result, q] = asker.ask({{T}}, random_q(model, 50 + seed));
    EXPECT_TRUE(result.converged);
    EXPECT_LE(position_apart(pose_by_products(model, "link_13", q), T), 2e-8);
    EXPECT_TRUE(inside_limits(model, q));
    auto copy = q;
    EXPECT_NO_THROW(check_configuration(model, copy));
  }
}

TEST(NumericIk, a_planar_2r_that_cannot_reach_stops_at_the_distance_to_its_ring) {
  const double l1 = 0.5, l2 = 0.3;
  const Model<double> model = arm({{l1, 0, 0}, {l2, 0, 0}});
  Asker asker(model, {"tool"});
  for (int k = 0; k < 24; ++k) {
    const double angle = 0.1 + k * pi / 12, radius = k % 2 ? 0.85 + 0.03 * k : 0.05 + 0.004 * k;
    const Vec3<double> p{radius * std::cos(angle), radius * std::sin(angle), 0};
    const double away = radius > l1 + l2 ? radius - (l1 + l2) : (l1 - l2) - radius;
    const auto [result, q] = asker.ask({point_target(p)}, {0.3, 0.4});
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.status, IkStatus::unreachable);
    EXPECT_EQ(result.levels_reached, 0);
    EXPECT_NEAR(result.position_residual, away, 1e-10);
    EXPECT_NEAR(norm(pose_by_products(model, "tool", q).p - p), away, 1e-10);
    EXPECT_EQ(result.orientation_residual, 0);  // it has no weight
    EXPECT_NE(describe(model, result).find("unreachable: the closest pose is "), std::string::npos);
  }
}

Model<double> limited_2r() {
  DhTable table = testing::arm_table({{0.5, 0, 0}, {0.3, 0, 0}});
  for (DhRow& row : table.rows) row.limits.lower = -1, row.limits.upper = 1;
  return Model<double>(from_dh(table));
}

TEST(NumericIk, what_limits_keep_away_is_named_with_the_bound) {
  const Model<double> model = limited_2r();
  Asker asker(model, {"tool"});
  // Both joints at +1 turn the tool by 2; asked for 2.5, half a radian is missing.
  const auto [result, q] = asker.ask({{{rotation_z(2.5), {}}, {1, 1, 1}, {0, 0, 0}}}, {0.1, 0.2});
  EXPECT_EQ(result.status, IkStatus::unreachable);
  EXPECT_NEAR(result.orientation_residual, 0.5, 1e-12);
  EXPECT_EQ(q, (std::vector<double>{1, 1}));
  ASSERT_EQ(result.active_limits.size, 2);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(result.active_limits[k].coordinate, k);
    EXPECT_TRUE(result.active_limits[k].upper);
    EXPECT_EQ(result.active_limits[k].value, 1);
  }
  EXPECT_NE(describe(model, result).find(" is at its upper limit 1"), std::string::npos);
}

TEST(NumericIk, with_one_joint_at_its_limit_the_other_comes_as_near_as_the_circle_it_draws) {
  const Model<double> model = limited_2r();
  Asker asker(model, {"tool"});
  // Behind the arm: joint 1 ends at -1 or 1, the tool on the circle of joint 2 around the elbow.
  const Vec3<double> p{-0.1, 0.45, 0};
  const auto [result, q] = asker.ask({point_target(p)}, {0, 0});
  double least = infinity;
  for (int i = 0; i <= 2000; ++i)
    for (int j = 0; j <= 2000; ++j) {
      const double a = -1 + i * 1e-3, b = a - 1 + j * 1e-3;
      least = std::min(least, std::hypot(0.5 * std::cos(a) + 0.3 * std::cos(b) - p.x,
                                         0.5 * std::sin(a) + 0.3 * std::sin(b) - p.y));
    }
  EXPECT_NEAR(result.position_residual, least, 1e-6);  // the grid's mesh, at a smooth minimum
  EXPECT_LE(result.position_residual, least + 1e-12);
  EXPECT_GE(result.active_limits.size, 1);
}

TEST(NumericIk, a_start_beyond_a_limit_counts_as_at_it) {
  const Model<double> model = limited_2r();
  Asker asker(model, {"tool"});
  const SE3<double> T = pose_by_products(model, "tool", {0.4, -0.7});
  const auto [result, q] = asker.ask({{T}}, {5, -9});
  EXPECT_TRUE(result.converged);
  EXPECT_TRUE(inside_limits(model, q));
  // Even where it meets the target as it is.
  const std::vector<double> outside{1.3, 0.2};
  const auto here = asker.ask({{pose_by_products(model, "tool", outside)}}, outside);
  EXPECT_FALSE(here.result.converged);
  EXPECT_TRUE(inside_limits(model, here.q));
}

TEST(NumericIk, no_joint_alone_brings_the_closest_pose_closer) {
  DhTable table = testing::arm_table(
      {{0.1, 90, 0.3}, {0.4, 0, 0}, {0.1, 90, 0.1}, {0, -90, 0.3}, {0.1, 90, 0}, {0, 0, 0.1}});
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    table.rows[k].limits.lower = -0.6 - 0.1 * static_cast<double>(k);
    table.rows[k].limits.upper = 0.9 - 0.1 * static_cast<double>(k);
  }
  const Model<double> model(from_dh(table));
  InverseKinematicsWorkspace ws(model, {"tool"});
  testing::Draw<double> draw(5);
  int limited = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const IkTarget target{{draw.rotation(), draw.vec(0.8)}};
    std::vector<double> q = random_q(model, seed);
    const auto result = inverse_kinematics(model, ws, {&target, 1}, q, {}, q);
    EXPECT_EQ(result.status, IkStatus::unreachable);
    limited += result.active_limits.size;
    // The squared error that is least: a radian counts as ws.length() metres.
    const auto cost = [&](const std::vector<double>& x) {
      const SE3<double> T = pose_by_products(model, "tool", x);
      const double p = position_apart(T, target.T_world_frame) / ws.length(),
                   r = angle_apart(T, target.T_world_frame);
      return p * p + r * r;
    };
    const double h = 1e-5;
    for (std::size_t k = 0; k < q.size(); ++k)
      for (const double side : {-h, h}) {
        auto other = q;
        other[k] += side;
        // The slope is below 1e-4 towards either side that the limits leave open.
        if (inside_limits(model, other)) {
          EXPECT_GE(cost(other), cost(q) - 1e-4 * h) << seed << ' ' << k;
        }
      }
  }
  EXPECT_GT(limited, 80);
}

TEST(NumericIk, directions_without_weight_are_free_and_the_others_are_met) {
  const Model<double> model = load_robot("ur5");
  Asker asker(model, {"tool"});
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const SE3<double> T = pose_by_products(model, "tool", random_q(model, seed));
    const auto start = random_q(model, 1000 + seed);
    // The tool may turn about its z, as a drill may.
    const auto drill = asker.ask({{T, {1, 1, 0}, {1, 1, 1}}}, start);
    EXPECT_TRUE(drill.result.converged);
    const SE3<double> there = pose_by_products(model, "tool", drill.q);
    EXPECT_LE(position_apart(there, T), 2e-8);
    EXPECT_LE(norm(cross(there.R.c2, T.R.c2)), 2e-8);
    EXPECT_GT(dot(there.R.c2, T.R.c2), 0);
    // On a line along the target's y, any orientation.
    const auto line = asker.ask({{T, {0, 0, 0}, {2, 0, 1}}}, start);
    EXPECT_TRUE(line.result.converged);
    const Vec3<double> off = transpose_times(T.R, pose_by_products(model, "tool", line.q).p - T.p);
    EXPECT_LE(std::hypot(off.x, off.z), 2e-8);
  }
}

TEST(NumericIk, a_free_turn_however_large_does_not_slow_convergence) {
  const Model<double> model = load_robot("ur5");
  Asker asker(model, {"tool"});
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const auto goal = random_q(model, seed);
    if (std::abs(std::sin(goal[4])) < 0.3 || std::abs(std::sin(goal[2])) < 0.3) continue;
    auto start = goal;
    for (double& x : start) x += 0.02;
    start[5] += start[5] > 0 ? -2.2 : 2.2;  // about the tool's z
    const SE3<double> T = pose_by_products(model, "tool", goal);
    const auto [result, q] = asker.ask({{T, {1, 1, 0}, {1, 1, 1}}}, start);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 6);
    EXPECT_GT(angle_apart(pose_by_products(model, "tool", q), T), 1.5);  // it was left turned
  }
}

TEST(NumericIk, analytic_solutions_are_found_from_starts_near_them) {
  const Model<double> model = load_robot("puma560");
  const AnalyticIkSolver solver(model, "tool");
  Asker asker(model, {"tool"});
  InverseKinematicsOptions once;
  once.max_restarts = 0;
  int compared = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const SE3<double> T = pose_by_products(model, "tool", random_q(model, seed));
    AnalyticIkResult all;
    solver.solve(T, all);
    for (const AnalyticIkSolution& s : all) {
      if (!s.inside_limits() || std::abs(std::sin(s.q[4])) < 0.2) continue;
      std::vector<double> start(s.q.begin(), s.q.end());
      for (std::size_t k = 0; k < 6; ++k) start[k] += k % 2 ? 0.01 : -0.01;
      const auto [result, q] = asker.ask({{T}}, start, once);
      EXPECT_TRUE(result.converged);
      EXPECT_EQ(result.restarts, 0);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(q[k], s.q[k], 1e-6);
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(NumericIk, joints_with_more_than_a_turn_stay_in_the_turn_of_the_start) {
  const Model<double> model = load_robot("ur5");  // limits of +-2 pi
  Asker asker(model, {"tool"});
  for (const double turn : {-2 * pi, 0.0, 2 * pi}) {
    const std::vector<double> goal{0.4, -1.1, 1.3, -0.5, 0.9, 0.2};
    std::vector<double> there = goal;
    there[0] += turn > 0 ? 0 : turn, there[5] -= turn < 0 ? 0 : turn;
    std::vector<double> start = there;
    for (double& x : start) x += 0.05;
    const auto [result, q] = asker.ask({{pose_by_products(model, "tool", goal)}}, start);
    EXPECT_TRUE(result.converged);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(q[k], there[k], 1e-6);
    EXPECT_TRUE(inside_limits(model, q));
  }
}

TEST(NumericIk, the_answer_is_the_same_for_the_same_seed_and_inside_its_own_tolerances) {
  const Model<double> model = load_robot("panda");
  const auto start = middle_of_limits(model);
  int restarts = 0, different = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const SE3<double> T = pose_by_products(model, "tool", random_q(model, seed));
    InverseKinematicsOptions options;
    options.position_tolerance = 1e-4, options.orientation_tolerance = 1e-3;
    Asker first(model, {"tool"}), second(model, {"tool"});
    (void)second.ask({{T}}, random_q(model, seed));  // what a workspace did before does not matter
    const auto a = first.ask({{T}}, start, options), b = second.ask({{T}}, start, options);
    EXPECT_EQ(a.q, b.q);
    EXPECT_EQ(a.result.iterations, b.result.iterations);
    EXPECT_LE(position_apart(pose_by_products(model, "tool", a.q), T), 1e-4);
    EXPECT_LE(angle_apart(pose_by_products(model, "tool", a.q), T), 1e-3);
    options.seed = 2;
    restarts += a.result.restarts;
    different += first.ask({{T}}, start, options).q != a.q;
  }
  EXPECT_GT(restarts, 0);
  EXPECT_GT(different, 0);  // where a restart was needed, another seed restarts elsewhere
}

TEST(NumericIk, budgets_end_the_search_and_the_result_says_so) {
  const Model<double> model = load_robot("puma560");
  Asker asker(model, {"tool"});
  const auto start = middle_of_limits(model);
  const SE3<double> T = pose_by_products(model, "tool", random_q(model, 3));
  InverseKinematicsOptions options;
  options.max_iterations = 2;
  const auto few = asker.ask({{T}}, start, options);
  EXPECT_EQ(few.result.status, IkStatus::out_of_budget);
  EXPECT_FALSE(few.result.converged);
  EXPECT_LE(few.result.iterations, 2 + 16);  // one step may be tried with several dampings
  EXPECT_TRUE(inside_limits(model, few.q));
  EXPECT_NEAR(few.result.position_residual,
              position_apart(pose_by_products(model, "tool", few.q), T), 1e-14);

  // Far out of reach and with restarts without end, only the clock stops it.
  options = {};
  options.max_iterations = 2000000000, options.max_restarts = 2000000000;
  options.time_limit = 0.005;
  const auto late = asker.ask({{{SO3<double>::identity(), {9, 0, 0}}}}, start, options);
  EXPECT_EQ(late.result.status, IkStatus::out_of_budget);
  EXPECT_GT(late.result.restarts, 1);
  EXPECT_NE(describe(model, late.result).find("out of budget"), std::string::npos);
}

TEST(NumericIk, a_call_allocates_nothing) {
  const Model<double> humanoid = load_robot("humanoid38");
  InverseKinematicsWorkspace ws(humanoid, {"left_palm", "right_palm", "left_sole"});
  const auto goal = random_q(humanoid, 5), start = random_q(humanoid, 6);
  std::vector<IkTarget> targets;
  for (const char* frame : {"left_palm", "right_palm", "left_sole"})
    targets.push_back({pose_by_products(humanoid, frame, goal)});
  targets[1].orientation_weight = {1, 0, 1};
  targets[2].priority = 3;
  std::vector<double> q(goal.size());
  for (const IkObjective objective : {IkObjective::none, IkObjective::nearest,
                                      IkObjective::away_from_limits, IkObjective::manipulability}) {
    InverseKinematicsOptions options;
    options.objective = objective;
    options.max_iterations = 200;
    const AllocationCounter counter;
    const auto result = inverse_kinematics(humanoid, ws, targets, start, options, q);
    EXPECT_EQ(counter.count(), 0u);
    EXPECT_EQ(result.targets.size, 3);
  }
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(NumericIk, bad_questions_get_one_clear_answer) {
  const Model<double> model = load_robot("puma560");
  const auto workspace = [&](const std::vector<std::string>& frames) {
    return message_of([&] { InverseKinematicsWorkspace(model, frames); });
  };
  EXPECT_EQ(workspace({}), "inverse_kinematics: no frame to move");
  EXPECT_NE(workspace({"tol"}).find("tool"), std::string::npos);  // the nearest name
  EXPECT_NE(workspace({model.description().root}).find("no joint moves frame"), std::string::npos);

  InverseKinematicsWorkspace ws(model, {"tool"});
  const std::vector<double> start = middle_of_limits(model);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto ask = [&](std::vector<IkTarget> targets, std::vector<double> q_start = {},
                       InverseKinematicsOptions options = {}, std::size_t room = 6) {
    if (q_start.empty()) q_start = start;
    std::vector<double> q(room);
    return message_of([&] { (void)inverse_kinematics(model, ws, targets, q_start, options, q); });
  };
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_EQ(message.find("inverse_kinematics: "), 0u) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  };
  const IkTarget fine{pose_by_products(model, "tool", start)};
  expect(ask({}), "no target");
  expect(ask({fine, fine}), "2 targets for 1 frames");
  expect(ask({fine}, {0, 0}), "q_start has 2 numbers; robot \"puma560\" needs 6");
  expect(ask({fine}, {0, nan, 0, 0, 0, 0}), "\"shoulder\" is not finite (nan)");
  expect(ask({fine}, start, {}, 5), "room for 5");
  IkTarget bad = fine;
  bad.T_world_frame.p.y = nan;
  expect(ask({bad}), "target 1 (frame \"tool\"): the pose has a number that is not finite");
  bad = fine;
  bad.T_world_frame.R.c0 = bad.T_world_frame.R.c0 * 1.1;
  expect(ask({bad}), "not rigid");
  bad = fine;
  bad.T_world_frame.R.c2 = -bad.T_world_frame.R.c2;  // a reflection
  expect(ask({bad}), "not rigid");
  bad = fine;
  bad.position_weight.x = -1;
  expect(ask({bad}), "a weight of -1");
  bad = fine;
  bad.position_weight = bad.orientation_weight = {};
  expect(ask({bad}), "every weight is zero");
  bad = fine;
  bad.priority = -1;
  expect(ask({bad}), "priority -1");
  InverseKinematicsOptions options;
  options.position_tolerance = 0;
  expect(ask({fine}, start, options), "tolerance of 0");
  options = {};
  options.time_limit = nan;
  expect(ask({fine}, start, options), "time_limit");
  options = {};
  options.max_iterations = 0;
  expect(ask({fine}, start, options), "max_iterations is 0");
  options = {};
  options.max_restarts = -1;
  expect(ask({fine}, start, options), "max_restarts is -1");
  options = {};
  const std::vector<double> two(2);
  options.reference = two;
  expect(ask({fine}, start, options), "reference has 2 numbers");

  const Model<double> other = load_robot("panda");
  std::vector<double> q(7);
  expect(message_of([&] {
           (void)inverse_kinematics(other, ws, {&fine, 1}, q, {}, q);
         }),
         "another robot than \"panda\"");
  RobotDescription post;
  post.root = "base";
  post.links.push_back({"base", {}, false, {}, {}});
  const Model<double> fixed(post);
  expect(message_of([&] { InverseKinematicsWorkspace(fixed, {"base"}); }), "no joint moves");

  testing::RandomTree ball;
  ball.kinds = {JointKind::spherical};
  const Model<double> shoulder(testing::random_tree(1, 1, ball));
  InverseKinematicsWorkspace shoulder_ws(shoulder, {"link_1"});
  std::vector<double> off{0, 0, 0, 1.1};
  expect(message_of([&] {
           (void)inverse_kinematics(shoulder, shoulder_ws, {&fine, 1}, off, {}, off);
         }),
         "has norm 1.1");
}

// The example of docs/inverse-kinematics.md, and what the page says that it prints: rounding, which
// differs between instruction sets and compilers, decides when the last steps are small enough.
TEST(NumericIk, the_documented_example_takes_about_as_many_iterations_as_the_page_says) {
  const Model<double> model = load_robot("panda");
  const std::string page = read_text_file(TORSOR_SOURCE_DIR "/docs/inverse-kinematics.md");
  const std::string words = "// reached in ";
  ASSERT_NE(page.find(words), std::string::npos);
  const int said = std::stoi(page.substr(page.find(words) + words.size()));
  const std::string best = instruction_set();
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    InverseKinematicsWorkspace ws(model, {"tool"});
    std::vector<double> q{0, -0.5, 0, -2, 0, 1.5, 0.8};
    const IkTarget target{{rotation_x(pi), {0.4, 0.2, 0.3}}};
    InverseKinematicsOptions options;
    options.objective = IkObjective::nearest;
    const InverseKinematicsResult result =
        inverse_kinematics(model, ws, {&target, 1}, q, options, q);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(result.iterations, said, 2) << set;
    EXPECT_TRUE(describe(model, result).starts_with("reached in ")) << describe(model, result);
  }
  use_instruction_set(best);
}

}  // namespace
}  // namespace torsor
