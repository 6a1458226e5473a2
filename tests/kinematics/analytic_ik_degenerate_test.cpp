// Families, unreachable poses, limits, allocation and bad input.
#include "kinematics/analytic_ik_support.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::arm;
using testing::pose_of;
constexpr double pi = std::numbers::pi;

const AnalyticIkFamily& family_of(const AnalyticIkResult& result, const AnalyticIkSolution& s) {
  return result.families[static_cast<std::size_t>(s.family)];
}

TEST(AnalyticIkFamilies, a_wrist_centre_on_the_first_axis_leaves_joint_1_free) {
  const Model<double> model = load_robot("basic_elbow");
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  // Wrist centre 0.7 m above the shoulder at (0, 0, 0.6); tool 0.1 m along its z.
  const SO3<double> R = exp(Vec3<double>{0.4, 0.9, -0.3});
  const SE3<double> T{R, Vec3<double>{0, 0, 1.3} + R.c2 * 0.1};
  solver.solve(T, result);
  ASSERT_GT(result.n_solutions, 0);
  for (const AnalyticIkSolution& s : result) {
    EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 1e-9);
    ASSERT_GE(s.family, 0);
    EXPECT_EQ(family_of(result, s).free_joints[0], 0);
    EXPECT_EQ(s.q[0], 0);
  }
}

TEST(AnalyticIkFamilies, a_cylindrical_arm_with_its_boom_drawn_in_leaves_joint_1_free) {
  const Model<double> model = load_robot("basic_cylindrical");
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  const SE3<double> T = pose_of(model, "tool", {0.4, 0.3, 0, -0.5, 1.1, 0.3});
  solver.solve(T, result);
  ASSERT_EQ(result.n_solutions, 2);
  for (const AnalyticIkSolution& s : result) {
    EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 1e-9);
    ASSERT_GE(s.family, 0);
    EXPECT_EQ(family_of(result, s).free_joints[0], 0);
  }
}

TEST(AnalyticIkFamilies, a_ur_with_axes_4_and_6_parallel_leaves_joint_6_free) {
  const Model<double> model = load_robot("ur5");
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  const SE3<double> T = pose_of(model, "tool", {0.3, -1.1, 1.4, -0.6, 0, 0.8});
  solver.solve(T, result);
  ASSERT_GT(result.n_families, 0);
  int in_family = 0;
  for (const AnalyticIkSolution& s : result) {
    EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 1e-9);
    if (s.family < 0) continue;
    ++in_family;
    EXPECT_EQ(family_of(result, s).free_joints[0], 5);
    EXPECT_EQ(s.q[5], 0);
  }
  EXPECT_GE(in_family, 2);  // elbow up and down
}

TEST(AnalyticIkFamilies, every_singular_wrist_of_a_puma_contains_the_generating_configuration) {
  const Model<double> model = arm(testing::puma_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  testing::Draw<double> draw(5);
  for (int trial = 0; trial < 200; ++trial) {
    const double q5 = trial % 2 ? 0 : pi;
    const std::vector<double> q = {draw(-3, 3), draw(-3, 3), draw(-3, 3),
                                   draw(-3, 3), q5,          draw(-3, 3)};
    solver.solve(pose_of(model, "tool", q), result);
    bool found = false;
    for (const AnalyticIkSolution& s : result) {
      if (s.family < 0) continue;
      double off = std::abs(internal::wrapped_angle(s.q[4] - q5));
      for (std::size_t i = 0; i < 3; ++i)
        off = std::max(off, std::abs(internal::wrapped_angle(s.q[i] - q[i])));
      double value = 0;
      for (std::size_t i = 0; i < 6; ++i) value += family_of(result, s).combination[i] * q[i];
      off = std::max(off, std::abs(internal::wrapped_angle(value - family_of(result, s).value)));
      found |= off < 1e-6;
    }
    EXPECT_TRUE(found) << ::testing::PrintToString(q);
  }
}

// An arm without offsets, stretched upwards, with its tool upright: axes 1, 4 and 6 lie in one line.
TEST(AnalyticIkFamilies, three_axes_in_one_line_are_a_family_of_two_parameters) {
  const Model<double> model =
      arm({{0, 90, 0.6}, {0.5, 0, 0}, {0, 90, 0}, {0, -90, 0.45}, {0, 90, 0}, {0, 0, 0.1}});
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  const SE3<double> T{rotation_z(0.3), {0, 0, 0.6 + 0.5 + 0.45 + 0.1}};
  solver.solve(T, result);
  ASSERT_GT(result.n_solutions, 0);
  int of_two = 0;
  for (const AnalyticIkSolution& s : result) {
    EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 1e-9);
    if (s.family < 0) continue;
    const AnalyticIkFamily& family = family_of(result, s);
    if (family.dimension < 2) continue;
    ++of_two;
    EXPECT_EQ(family.dimension, 2);
    EXPECT_EQ(std::min(family.free_joints[0], family.free_joints[1]), 0);
    EXPECT_EQ(std::max(family.free_joints[0], family.free_joints[1]), 3);
    for (const std::size_t i : {0u, 3u, 5u}) EXPECT_EQ(std::abs(family.combination[i]), 1);
    for (const std::size_t i : {1u, 2u, 4u}) EXPECT_EQ(family.combination[i], 0);
    // Both may be chosen, and the sum tells the third.
    testing::Draw<double> draw(3);
    for (int k = 0; k < 20; ++k) {
      std::vector<double> q(s.q.begin(), s.q.end());
      q[0] = draw(-3, 3), q[3] = draw(-3, 3);
      q[5] = (family.value - family.combination[0] * q[0] - family.combination[3] * q[3]) /
             family.combination[5];
      EXPECT_LT(testing::pose_distance(pose_of(model, "tool", q), T), 1e-9);
    }
  }
  EXPECT_GT(of_two, 0);
}

// Four parallel axes in the plane across them: one joint is too many at every pose.
TEST(AnalyticIkFamilies, an_arm_with_four_parallel_axes_has_a_continuum_of_solutions) {
  testing::Draw<double> draw(14);
  for (int k = 0; k < 12; ++k) {
    std::vector<testing::ArmRow> rows;
    const int first = k % 3;  // of the four
    for (int i = 0; i < 6; ++i) {
      const bool parallel = i >= first && i < first + 3;
      rows.push_back({draw(0.1, 0.4), parallel ? 0 : draw(30, 150), draw(-0.2, 0.2)});
    }
    const Model<double> model = arm(rows);
    const AnalyticIkSolver solver(model, "tool");
    EXPECT_EQ(solver.freedom(), 1);
    EXPECT_FALSE(solver.finds_all());
    AnalyticIkResult result;
    for (int pose = 0; pose < 5; ++pose) {
      const SE3<double> T =
          pose_of(model, "tool",
                  {draw(-3, 3), draw(-3, 3), draw(-3, 3), draw(-3, 3), draw(-3, 3), draw(-3, 3)});
      solver.solve(T, result);
      EXPECT_EQ(result.status, AnalyticIkStatus::continuum);
      for (const AnalyticIkSolution& s : result) {
        EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 2e-9);
        ASSERT_GE(s.family, 0);
        EXPECT_GE(family_of(result, s).dimension, 1);
      }
    }
  }
}

// A stretched elbow has a velocity that leaves the frame at rest, and no motion.
TEST(AnalyticIkFamilies, a_stretched_arm_is_no_family) {
  const Model<double> model = arm(testing::puma_rows());
  const AnalyticIkSolver solver(model, "tool");
  const double stretched = std::atan2(0.43307, -0.02032);  // of joint 3, by its wrist centre
  AnalyticIkResult result;
  for (const double q3 : {stretched, stretched - pi}) {
    solver.solve(pose_of(model, "tool", {0.4, 0.9, q3, 0.5, 1.1, -0.3}), result);
    ASSERT_GT(result.n_solutions, 0);
    for (const AnalyticIkSolution& s : result) EXPECT_EQ(s.family, -1);
  }
}

TEST(AnalyticIkPosition, two_and_three_joints_are_solved_for_a_point) {
  testing::Draw<double> draw(15);
  AnalyticIkResult result;
  for (int k = 0; k < 60; ++k) {
    std::vector<testing::ArmRow> rows{{draw(0, 0.3), k % 2 ? 0 : draw(40, 140), 0},
                                      {draw(0.2, 0.5), k % 2 ? 0 : draw(-60, 60), draw(-0.1, 0.1)}};
    if (k % 2 == 0) rows.push_back({draw(0.2, 0.5), 0, 0, 0, k % 4 == 0});
    if (k % 2 == 1) rows[0].a = draw(0.2, 0.5);
    const Model<double> model = arm(rows);
    const AnalyticIkSolver solver(model, "tool");
    ASSERT_TRUE(solver.solves_position()) << solver.method();
    std::vector<double> q;
    for (std::size_t i = 0; i < rows.size(); ++i) q.push_back(draw(-1, 1));
    const Vec3<double> p = pose_of(model, "tool", q).p;
    solver.solve_position(p, result);
    EXPECT_EQ(result.status, AnalyticIkStatus::solved);
    EXPECT_LT(testing::nearest_solution(model, solver, result, q), 1e-6);
    for (const AnalyticIkSolution& s : result)
      EXPECT_LT(norm(pose_of(model, "tool", solver, s).p - p), 1e-9);
  }
  const Model<double> six = load_robot("puma560");
  const AnalyticIkSolver solver(six, "tool");
  EXPECT_FALSE(solver.solves_position());
  EXPECT_THROW(solver.solve_position({0.4, 0.2, 0.1}, result), Error);
}

TEST(AnalyticIkUnreachable, a_planar_arm_says_how_far_the_target_is) {
  const Model<double> model = load_robot("planar2r");
  AnalyticIkResult result = analytic_ik(model, "tip", {SO3<double>::identity(), {3, 0, 0}});
  EXPECT_EQ(result.status, AnalyticIkStatus::unreachable);
  EXPECT_NEAR(result.distance, 1, 1e-12);
  // Links of 0.5 and 0.4 m cannot bring the third joint nearer than 0.1 m to the first.
  const Model<double> three = load_robot("planar3r");
  result = analytic_ik(three, "tool", {SO3<double>::identity(), {0.3 + 0.04, 0.03, 0}});
  EXPECT_EQ(result.status, AnalyticIkStatus::unreachable);
  EXPECT_NEAR(result.distance, 0.05, 1e-12);
  // Orientation is not asked of two joints: both elbows answer, and say what is left.
  result = analytic_ik(model, "tip", {SO3<double>::identity(), {1.2, 0.7, 0}});
  EXPECT_EQ(result.status, AnalyticIkStatus::reduced);
  ASSERT_EQ(result.n_solutions, 2);
  EXPECT_EQ(result.distance, 0);
  const double c2 = (1.2 * 1.2 + 0.7 * 0.7 - 2) / 2;
  for (const AnalyticIkSolution& s : result) {
    EXPECT_NEAR(std::cos(s.q[1]), c2, 1e-14);
    EXPECT_LT(s.position_error, 1e-14);
    EXPECT_NEAR(s.rotation_error, std::abs(internal::wrapped_angle(s.q[0] + s.q[1])), 1e-12);
  }
}

TEST(AnalyticIkUnreachable, a_general_arm_reports_the_nearest_pose_that_was_found) {
  testing::Draw<double> draw(9);
  std::vector<testing::ArmRow> rows;
  for (int i = 0; i < 6; ++i) rows.push_back({draw(0.1, 0.4), draw(-150, 150), draw(-0.3, 0.3)});
  const Model<double> model = arm(rows);
  const AnalyticIkResult result = analytic_ik(model, "tool", {SO3<double>::identity(), {9, 0, 0}});
  EXPECT_EQ(result.status, AnalyticIkStatus::unreachable);
  EXPECT_FALSE(result.distance_of_wrist_centre);
  EXPECT_GT(result.distance, 9 - 6 * 0.5);  // links are not longer than 0.5 m
  EXPECT_LT(result.distance, 9 + 6 * 0.5);
}

TEST(AnalyticIkLimits, an_angle_a_turn_away_is_taken_where_only_that_is_inside) {
  const Model<double> model = load_robot("puma560");  // shoulder from -45 to 225 degrees
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  const std::vector<double> q = {0.3, 3.7, -0.4, 0.5, 0.7, 0.1};
  solver.solve(pose_of(model, "tool", q), result);
  bool found = false;
  for (const AnalyticIkSolution& s : result) {
    double off = 0;
    for (std::size_t i = 0; i < 6; ++i) off = std::max(off, std::abs(s.q[i] - q[i]));
    if (off > 1e-9) continue;
    found = true;
    EXPECT_TRUE(s.inside_limits());
  }
  EXPECT_TRUE(found);
  for (const AnalyticIkSolution& s : result)
    for (int i = 0; i < 6; ++i) {
      const double x = s.q[static_cast<std::size_t>(i)];
      const bool outside = x < model.limits(i).lower - 1e-9 || x > model.limits(i).upper + 1e-9;
      EXPECT_EQ((s.outside_limits >> i & 1u) != 0, outside);
    }
}

TEST(AnalyticIkCost, solving_allocates_nothing) {
  for (const char* name : {"puma560", "ur5", "stanford", "scara", "planar3r"}) {
    const Model<double> model = load_robot(name);
    const AnalyticIkSolver solver(model, "tool");
    std::vector<double> q(static_cast<std::size_t>(model.n_q()));
    random_configuration(model, 4, q);
    const SE3<double> T = pose_of(model, "tool", q);
    AnalyticIkResult result;
    const testing::AllocationCounter counter;
    solver.solve(T, result);
    SE3<double> far = T;
    far.p.x += 10;
    solver.solve(far, result);
    EXPECT_EQ(counter.count(), 0u) << name;
  }
  testing::Draw<double> draw(10);
  std::vector<testing::ArmRow> rows;
  for (int i = 0; i < 6; ++i) rows.push_back({draw(0.1, 0.4), draw(-150, 150), draw(-0.3, 0.3)});
  const Model<double> model = arm(rows);
  const AnalyticIkSolver solver(model, "tool");
  const SE3<double> T = pose_of(model, "tool", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  AnalyticIkResult result;
  const testing::AllocationCounter counter;
  solver.solve(T, result);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(result.n_solutions, 0);
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(AnalyticIkBadInput, each_mistake_has_its_own_line) {
  const Model<double> model = load_robot("puma560");
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  SE3<double> T{};
  T.R.c0.x = 1.01;
  EXPECT_EQ(message_of([&] { solver.solve(T, result); }),
            "analytic_ik: the pose is not rigid: its 3 x 3 part is no rotation");
  T = {};
  T.R.c2.z = -1;  // a reflection
  EXPECT_EQ(message_of([&] { solver.solve(T, result); }),
            "analytic_ik: the pose is not rigid: its 3 x 3 part is no rotation");
  T = {};
  T.p.y = std::nan("");
  EXPECT_EQ(message_of([&] { solver.solve(T, result); }),
            "analytic_ik: the pose has a number that is not finite");
  const std::string unknown = message_of([&] { AnalyticIkSolver(model, "toool"); });
  EXPECT_NE(unknown.find("toool"), std::string::npos);
  EXPECT_NE(unknown.find("\"tool\""), std::string::npos) << unknown;
  EXPECT_EQ(message_of([&] { AnalyticIkSolver(model, "base"); }),
            "analytic_ik: no joint moves frame \"base\"");
  EXPECT_EQ(message_of([&] { AnalyticIkSolver(load_robot("chain:7"), "tip"); }),
            "analytic_ik: frame \"tip\" is moved by 7 joints, more than six: lock the others");
  ModelBuilder b;
  b.spherical("ball", "base", "arm");
  EXPECT_EQ(message_of([&] { AnalyticIkSolver(b.build(), "arm"); }),
            "analytic_ik: joint \"ball\" is neither revolute nor prismatic");
}

TEST(AnalyticIkBadInput, a_rotation_off_in_the_seventh_digit_is_repaired) {
  const Model<double> model = load_robot("puma560");
  const AnalyticIkSolver solver(model, "tool");
  SE3<double> T = pose_of(model, "tool", {0.3, 0.7, -0.4, 0.5, 0.7, 0.1});
  T.R.c0.x += 3e-7;
  AnalyticIkResult result;
  solver.solve(T, result);
  EXPECT_EQ(result.n_solutions, 8);
}

}  // namespace
}  // namespace torsor
