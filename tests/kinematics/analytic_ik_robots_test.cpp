// Every method on many robots and poses: solutions reproduce the pose, and the configuration that
// made the pose is among them.
#include "kinematics/analytic_ik_support.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::arm;
using testing::ArmRow;
using testing::Draw;
using testing::pose_of;

/// Smallest singular value of the Jacobian, by central differences of forward kinematics.
double smallest_singular_value(const Model<double>& model, const std::string& frame,
                               const AnalyticIkSolver& solver, const std::vector<double>& q) {
  internal::SquareMatrix<double, 6> JtJ{};
  std::array<std::array<double, 6>, 6> columns{};
  const int n = solver.n_joints();
  const double h = 1e-6;
  for (int i = 0; i < n; ++i) {
    auto ahead = q, behind = q;
    ahead[static_cast<std::size_t>(solver.coordinate(i))] += h;
    behind[static_cast<std::size_t>(solver.coordinate(i))] -= h;
    const SE3<double> A = pose_of(model, frame, ahead), B = pose_of(model, frame, behind);
    const Vec3<double> w = log(A.R * transpose(B.R)) * (0.5 / h), v = (A.p - B.p) * (0.5 / h);
    columns[static_cast<std::size_t>(i)] = {w.x, w.y, w.z, v.x, v.y, v.z};
  }
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) JtJ[i][j] += columns[i][k] * columns[j][k];
  const double least = internal::symmetric_eigen(JtJ).values[static_cast<std::size_t>(6 - n)];
  return std::sqrt(std::max(0.0, least));
}

struct Tally {
  int poses = 0, missed = 0, solutions = 0, most = 0;
};

/// Random configurations inside the limits (2 m for slides without) and their poses.
Tally try_poses(const Model<double>& model, const std::string& frame, int poses, unsigned seed) {
  const AnalyticIkSolver solver(model, frame);
  AnalyticIkResult result;
  Tally tally;
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  for (int trial = 0; trial < poses; ++trial) {
    random_configuration(model, seed + static_cast<unsigned>(trial), q);
    const SE3<double> T = pose_of(model, frame, q);
    solver.solve(T, result);
    for (const AnalyticIkSolution& s : result)
      EXPECT_LT(testing::pose_distance(pose_of(model, frame, solver, s), T), 1e-9);
    EXPECT_EQ(result.status, AnalyticIkStatus::solved);
    tally.solutions += result.n_solutions;
    tally.most = std::max(tally.most, result.n_solutions);
    ++tally.poses;
    if (testing::nearest_solution(model, solver, result, q) < 1e-6) continue;
    if (smallest_singular_value(model, frame, solver, q) > 1e-3) {
      ++tally.missed;
      ADD_FAILURE() << model.name() << " (" << solver.method()
                    << ") misses q = " << ::testing::PrintToString(q);
    }
  }
  return tally;
}

struct Builtin {
  const char *name, *frame, *method;
  int solutions;  // of most poses
};
void PrintTo(const Builtin& b, std::ostream* out) { *out << b.name; }
class BuiltinRobots : public ::testing::TestWithParam<Builtin> {};

TEST_P(BuiltinRobots, the_generating_configuration_is_among_the_solutions_of_2000_poses) {
  const Builtin& robot = GetParam();
  const Model<double> model = load_robot(robot.name);
  EXPECT_STREQ(AnalyticIkSolver(model, robot.frame).method(), robot.method);
  const Tally tally = try_poses(model, robot.frame, 2000, 100);
  EXPECT_EQ(tally.missed, 0);
  EXPECT_EQ(tally.most, robot.solutions);
}
INSTANTIATE_TEST_SUITE_P(AnalyticIk, BuiltinRobots,
                         ::testing::Values(Builtin{"puma560", "tool", "spherical wrist", 8},
                                           Builtin{"puma560_akb", "tool", "spherical wrist", 8},
                                           Builtin{"puma600", "tool", "spherical wrist", 8},
                                           Builtin{"stanford", "tool", "spherical wrist", 8},
                                           Builtin{"ur5", "tool", "three parallel axes", 8},
                                           Builtin{"ur10", "tool", "three parallel axes", 8},
                                           Builtin{"basic_elbow", "tool", "spherical wrist", 8},
                                           Builtin{"basic_scara", "tool", "spherical wrist", 4},
                                           Builtin{"basic_spherical", "tool", "spherical wrist", 8},
                                           Builtin{"basic_cylindrical", "tool", "spherical wrist",
                                                   4},
                                           Builtin{"basic_cartesian", "tool", "spherical wrist", 2},
                                           Builtin{"scara", "tool", "planar chain", 2},
                                           Builtin{"planar3r", "tool", "planar chain", 2},
                                           Builtin{"planar2r", "tip", "planar chain", 1}),
                         [](const auto& test) { return std::string(test.param.name); });

/// Rows with every parameter drawn.
std::vector<ArmRow> random_rows(Draw<double>& draw, int n) {
  std::vector<ArmRow> rows;
  for (int i = 0; i < n; ++i)
    rows.push_back({draw(-0.6, 0.6), draw(-170, 170), draw(-0.6, 0.6), draw(-170, 170)});
  return rows;
}
SE3<double> random_tool(Draw<double>& draw) { return {draw.rotation(), draw.vec(0.3)}; }

TEST(AnalyticIk, general_six_axis_arms_are_solved_by_elimination) {
  Draw<double> draw(21);
  Tally all;
  for (unsigned k = 0; k < 20; ++k) {
    const Model<double> model = arm(random_rows(draw, 6), random_tool(draw));
    EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "elimination");
    const Tally tally = try_poses(model, "tool", 100, 1000 * k);
    all.missed += tally.missed, all.poses += tally.poses;
    all.most = std::max(all.most, tally.most);
  }
  EXPECT_EQ(all.poses, 2000);
  EXPECT_EQ(all.missed, 0);
  EXPECT_GT(all.most, 8);  // more than any arm with a spherical wrist
}

TEST(AnalyticIk, general_six_axis_arms_with_one_slide_are_solved_by_elimination) {
  Draw<double> draw(22);
  for (int slide = 0; slide < 6; ++slide) {
    auto rows = random_rows(draw, 6);
    rows[static_cast<std::size_t>(slide)].prismatic = true;
    const Model<double> model = arm(rows, random_tool(draw));
    EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "elimination") << slide;
    EXPECT_EQ(try_poses(model, "tool", 100, 50).missed, 0) << slide;
  }
}

TEST(AnalyticIk, industrial_arms_with_an_offset_wrist_are_solved_by_elimination) {
  // Right angles and parallel axes make many of the equations dependent.
  Draw<double> draw(28);
  for (int k = 0; k < 6; ++k) {
    auto rows = random_rows(draw, 6);
    const double twists[6] = {90, 0, 90, -90, 90, 0};
    for (std::size_t i = 0; i < 6; ++i) rows[i].alpha = twists[i];
    if (k == 0) rows[0].a = rows[3].a = rows[4].a = 0;  // all but d5 of a spherical wrist
    if (k == 1) rows[3].a = rows[4].a = 0;
    if (k == 2) rows[4].a = 0;
    if (k == 3) rows[2].alpha = 0;  // three parallel axes, 5 and 6 apart
    if (k == 4) rows[4].a = rows[4].d = 0;
    const Model<double> model = arm(rows, random_tool(draw));
    EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "elimination") << k;
    EXPECT_EQ(try_poses(model, "tool", 300, 110).missed, 0) << k;
  }
}

TEST(AnalyticIk, two_slides_in_a_general_arm_are_left_to_a_search_that_says_so) {
  Draw<double> draw(29);
  auto rows = random_rows(draw, 6);
  rows[1].prismatic = rows[3].prismatic = true;
  const Model<double> model = arm(rows, random_tool(draw));
  EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "numeric search");
  EXPECT_EQ(try_poses(model, "tool", 20, 120).missed, 0);
}

TEST(AnalyticIk, three_slides_anywhere_leave_an_orientation_for_the_turning_joints) {
  Draw<double> draw(23);
  for (unsigned kinds = 0; kinds < 64; ++kinds) {
    auto rows = random_rows(draw, 6);
    int slides = 0;
    for (unsigned i = 0; i < 6; ++i)
      if (kinds >> i & 1) rows[i].prismatic = true, ++slides;
    if (slides != 3) continue;
    EXPECT_EQ(try_poses(arm(rows, random_tool(draw)), "tool", 20, 60).missed, 0) << kinds;
  }
}

/// A published arm and pose with all sixteen solutions real (Wampler & Morgan 1991; Manocha & Canny
/// 1994): a = .3 1 0 1.5 0 0, d3 = .2, twists 90 and 1 degree in turn.
TEST(AnalyticIk, the_six_axis_arm_of_wampler_and_morgan_has_sixteen_solutions) {
  const Model<double> model =
      arm({{0.3, 90, 0}, {1, 1, 0}, {0, 90, 0.2}, {1.5, 1, 0}, {0, 90, 0}, {0, 1, 0}});
  const AnalyticIkSolver solver(model, "tool");
  SE3<double> T = testing::pose({-0.760117, -0.641689, 0.102262, -1.140175, 0.133333, 0, 0.991071,
                                 0, -0.635959, 0.766965, 0.085558, 0});
  T.R = nearest_rotation(T.R).R;  // printed to six digits
  AnalyticIkResult result;
  solver.solve(T, result);
  EXPECT_EQ(result.n_solutions, 16);
  for (const AnalyticIkSolution& s : result)
    EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 1e-9);
}

TEST(AnalyticIk, K_1_3_6_any_three_joints_before_a_spherical_wrist) {
  Draw<double> draw(24);
  for (unsigned kinds = 0; kinds < 8; ++kinds)
    for (int geometry = 0; geometry < 4; ++geometry) {
      auto rows = random_rows(draw, 6);
      for (unsigned i = 0; i < 3; ++i) rows[i].prismatic = (kinds >> i & 1) != 0;
      if (geometry == 1) rows[0].a = 0;
      if (geometry == 2) rows[0].alpha = 0;
      if (geometry == 3) rows[0].alpha = 90;
      if (geometry == 2 && (kinds & 3) == 3) continue;  // two slides in one direction
      rows[3].a = rows[4].a = rows[4].d = 0;
      const Model<double> model = arm(rows, random_tool(draw));
      EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "spherical wrist") << kinds;
      EXPECT_EQ(try_poses(model, "tool", 60, 70).missed, 0) << kinds << " " << geometry;
    }
}

TEST(AnalyticIk, first_three_axes_that_meet_are_a_wrist_seen_from_the_tool) {
  Draw<double> draw(25);
  for (int k = 0; k < 4; ++k) {
    auto rows = random_rows(draw, 6);
    rows[0].a = rows[1].a = rows[1].d = 0;
    if (k == 3) rows[4].prismatic = true;
    const Model<double> model = arm(rows, random_tool(draw));
    EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "spherical shoulder");
    EXPECT_EQ(try_poses(model, "tool", 200, 80).missed, 0);
  }
}

TEST(AnalyticIk, three_parallel_axes_may_have_any_sense_and_stand_at_either_end) {
  Draw<double> draw(26);
  for (int k = 0; k < 4; ++k) {
    auto rows = random_rows(draw, 6);
    rows[1].alpha = k & 1 ? 180 : 0, rows[2].alpha = k & 2 ? 180 : 0;
    rows[4].a = 0;
    const Model<double> model = arm(rows, random_tool(draw));
    EXPECT_STREQ(AnalyticIkSolver(model, "tool").method(), "three parallel axes");
    EXPECT_EQ(try_poses(model, "tool", 200, 90).missed, 0);

    auto mirrored = random_rows(draw, 6);  // axes 3, 4, 5 parallel, 1 and 2 meet
    mirrored[2].alpha = k & 1 ? 180 : 0, mirrored[3].alpha = k & 2 ? 180 : 0;
    mirrored[0].a = 0;
    const Model<double> other = arm(mirrored, random_tool(draw));
    EXPECT_STREQ(AnalyticIkSolver(other, "tool").method(), "three parallel axes, from the tool");
    EXPECT_EQ(try_poses(other, "tool", 200, 95).missed, 0);
  }
}

TEST(AnalyticIk, planar_chains_of_every_mix_of_joints) {
  for (unsigned kinds = 0; kinds < 7; ++kinds) {  // not three slides
    ModelBuilder b("planar");
    for (int i = 0; i < 3; ++i) {
      const std::string n = std::to_string(i + 1),
                        parent = i == 0 ? "base" : "l" + std::to_string(i);
      const SE3<double> place{rotation_z(0.4 + i), {0.5, 0.1 * i, 0.2}};
      if (kinds >> i & 1)
        b.prismatic("j" + n, parent, "l" + n, place, {1, 0, 0});
      else
        b.revolute("j" + n, parent, "l" + n, place, {0, 0, i == 1 ? -1.0 : 1.0});
    }
    b.prismatic("lift", "l3", "l4", {SO3<double>::identity(), {0.2, 0.1, 0}}, {0, 0, -1});
    b.base({exp(Vec3<double>{0.3, -0.4, 0.5}), {0.1, 0.2, 0.3}});
    const Model<double> model = b.build();
    const std::string method = AnalyticIkSolver(model, "l4").method();
    EXPECT_EQ(method.substr(0, 12), "planar chain") << kinds;
    EXPECT_EQ(try_poses(model, "l4", 100, 30).missed, 0) << kinds;
  }
}

TEST(AnalyticIk, four_and_five_joints_meet_the_poses_they_can_and_say_how_far_off_others_are) {
  Draw<double> draw(27);
  for (int k = 0; k < 4; ++k) {
    const int n = std::min(3 + k, 5);
    auto rows = random_rows(draw, n);
    if (k == 3) rows[3].a = 0;  // the last two axes meet
    const Model<double> model = arm(rows, random_tool(draw));
    EXPECT_EQ(try_poses(model, "tool", 100, 40).missed, 0) << n;

    const AnalyticIkSolver solver(model, "tool");
    std::vector<double> q(static_cast<std::size_t>(n), 0.4);
    SE3<double> T = pose_of(model, "tool", q);
    T.R = T.R * exp(Vec3<double>{0.02, -0.03, 0.01});  // a turn that these joints cannot make
    AnalyticIkResult result;
    solver.solve(T, result);
    if (n == 3) {
      EXPECT_EQ(result.status, AnalyticIkStatus::reduced);
      double least = 1;
      for (const AnalyticIkSolution& s : result) {
        EXPECT_LT(s.position_error, 1e-9);
        least = std::min(least, s.rotation_error);
      }
      EXPECT_NEAR(least, norm(Vec3<double>{0.02, -0.03, 0.01}), 1e-9);
    } else {
      EXPECT_NE(result.status, AnalyticIkStatus::solved);
    }
  }
}

}  // namespace
}  // namespace torsor
