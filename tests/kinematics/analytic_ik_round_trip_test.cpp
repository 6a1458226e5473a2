// What forward kinematics gives, inverse kinematics takes: no arm calls its own poses unreachable.
//
// Poses of random configurations, and of configurations at a distance of 0, 1e-12, ..., 1e-3 (rad, m)
// from singular ones, of every built-in arm and of random arms of every class. Each must be solved,
// and every solution must give the pose to 1e-9 m and 1e-9 rad.
#include <set>

#include "kinematics/analytic_ik_support.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/singularity.hpp"

namespace torsor {
namespace {

using testing::arm;
using testing::ArmRow;
using testing::pi;
using testing::pose_of;

constexpr double tolerance = 1e-9;  // m and rad, of the pose that a solution gives
constexpr double distances[] = {0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};

double angle_between(const SO3<double>& A, const SO3<double>& B) {
  return norm(log(transpose_times(A, B)));
}

/// One arm, its solver, and how many of its own poses it has refused.
class RoundTrip {
 public:
  RoundTrip(const Model<double>& model, const Frame& frame)
      : model_(model), frame_(frame), solver_(model, frame), ws_(model), singularity_(model) {
    for (int b = frame.body; b != 0; b = model.body(b).parent)
      joints_.push_back(model.body(b).q.first);
  }

  const AnalyticIkSolver& solver() const { return solver_; }

  void expect_solved(const std::vector<double>& q) {
    forward_kinematics(model_, ws_, q);
    const SE3<double> T = frame_pose(ws_, frame_);
    solver_.solve(T, result_);
    const bool solved =
        result_.status == AnalyticIkStatus::solved || result_.status == AnalyticIkStatus::continuum;
    EXPECT_TRUE(solved) << what() << ", q = " << ::testing::PrintToString(q) << ", off by "
                        << result_.distance << " m and " << result_.rotation_distance << " rad";
    const Array<std::string> names = solver_.branch_names(result_);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << what();
    std::vector<double> back = q;
    for (const AnalyticIkSolution& s : result_) {
      solver_.write(s, back);
      forward_kinematics(model_, ws_, back);
      const SE3<double> again = frame_pose(ws_, frame_);
      EXPECT_LE(norm(again.p - T.p), tolerance) << what() << ::testing::PrintToString(back);
      EXPECT_LE(angle_between(again.R, T.R), tolerance) << what() << ::testing::PrintToString(back);
    }
  }

  void random_poses(int count, testing::Draw<double>& draw) {
    for (int k = 0; k < count; ++k) expect_solved(drawn(draw));
  }
  /// Turning joints at right angles, slides at 0: where the axes of ordinary arms line up.
  void near_right_angles(int count, testing::Draw<double>& draw) {
    for (const double d : distances)
      for (int k = 0; k < count; ++k) {
        std::vector<double> q = drawn(draw);
        for (const int c : joints_) {
          if (draw(0, 1) < 0.35) continue;
          const double corner = std::round(draw(-2, 2)) * pi / 2;
          q[static_cast<std::size_t>(c)] =
              (testing::is_slide(model_, c) ? 0 : corner) + d * draw(-1, 1);
        }
        expect_solved(q);
      }
  }
  void near_singularities(int count, testing::Draw<double>& draw) {
    NearestSingularityOptions options;
    options.starts = 2;
    for (int k = 0; k < count; ++k) {
      const NearestSingularity singular =
          nearest_singularity(model_, singularity_, drawn(draw), frame_, options);
      if (!singular.converged) continue;
      for (const double d : distances) {
        std::vector<double> q(singular.q.begin(), singular.q.end());
        for (double& x : q) x += d * draw(-1, 1);
        expect_solved(q);
      }
    }
  }

 private:
  std::string what() const {
    return model_.name() + ", frame \"" + frame_.name + "\", " + solver_.method();
  }
  std::vector<double> drawn(testing::Draw<double>& draw) const {
    Array<double> q(model_.n_q());
    neutral(model_, q);
    for (const int c : joints_) q[c] = testing::is_slide(model_, c) ? draw(-1, 1) : draw(-pi, pi);
    return {q.begin(), q.end()};
  }

  const Model<double>& model_;
  Frame frame_;
  AnalyticIkSolver solver_;
  KinematicsWorkspace<double> ws_;
  SingularityWorkspace singularity_;
  AnalyticIkResult result_;
  std::vector<int> joints_;
};

TEST(AnalyticIkRoundTrip, no_built_in_arm_refuses_its_own_poses) {
  testing::Draw<double> draw(31);
  int frames = 0;
  for (const BuiltinRobot& robot : builtin_robots()) {
    if (robot.name == "chain:N") continue;
    const Model<double> model = load_robot(robot.name);
    std::vector<int> seen(static_cast<std::size_t>(model.n_bodies()), 0);
    for (const Frame& frame : model.frames()) {
      if (frame.body == 0) continue;
      std::unique_ptr<RoundTrip> trip;
      try {
        trip = std::make_unique<RoundTrip>(model, frame);
      } catch (const Error&) {
        continue;  // more than six joints, or others than revolute and prismatic ones
      }
      ++frames;
      const bool slow = std::string(trip->solver().method()).find("search") != std::string::npos;
      if (++seen[static_cast<std::size_t>(frame.body)] > (slow ? 1 : 2)) continue;
      trip->random_poses(slow ? 2 : 10, draw);
      trip->near_right_angles(slow ? 1 : 6, draw);
      if (!slow) trip->near_singularities(1, draw);
    }
  }
  EXPECT_GT(frames, 60);
}

/// A class of arms: `rows` draws one.
void expect_class_solved(int arms, unsigned seed,
                         const std::function<std::vector<ArmRow>(testing::Draw<double>&)>& rows) {
  testing::Draw<double> draw(seed);
  for (int k = 0; k < arms; ++k) {
    const SE3<double> tool{exp(Vec3<double>{draw(-2, 2), draw(-2, 2), draw(-2, 2)}),
                           {draw(-0.2, 0.2), draw(-0.2, 0.2), draw(-0.2, 0.2)}};
    const Model<double> model = arm(rows(draw), k % 3 == 0 ? SE3<double>{} : tool);
    RoundTrip trip(model, model.frame("tool"));
    trip.random_poses(10, draw);
    trip.near_right_angles(3, draw);
    trip.near_singularities(2, draw);
  }
}
double length(testing::Draw<double>& draw) { return draw(0.1, 0.6); }
double angle(testing::Draw<double>& draw) { return draw(0, 1) < 0.5 ? 90 : draw(20, 160); }

TEST(AnalyticIkRoundTrip, planar_chains) {
  for (const int turning : {1, 2, 3})
    expect_class_solved(8, 40 + static_cast<unsigned>(turning), [&](testing::Draw<double>& draw) {
      std::vector<ArmRow> rows;
      for (int i = 0; i < turning; ++i) rows.push_back({length(draw), 0, draw(-0.2, 0.2)});
      return rows;
    });
  // A frame on the last axis: its origin tells nothing of the last joint.
  expect_class_solved(8, 44, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{{length(draw), 0, 0}, {0, 0, 0}};
  });
  // SCARA, and a lift before the arm.
  expect_class_solved(8, 45, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{
        {length(draw), 0, 0.3}, {length(draw), 180, 0}, {0, 0, 0, 0, true}, {0, 0, 0.1}};
  });
  expect_class_solved(8, 46, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{{0, 0, 0, 0, true}, {length(draw), 0, 0}, {length(draw), 0, 0}};
  });
}

TEST(AnalyticIkRoundTrip, spherical_wrists_behind_every_arm) {
  for (unsigned kinds = 0; kinds < 8; ++kinds)
    expect_class_solved(6, 50 + kinds, [&](testing::Draw<double>& draw) {
      std::vector<ArmRow> rows;
      const double zero = draw(0, 1);
      for (unsigned i = 0; i < 3; ++i)
        rows.push_back({i == 0 && zero < 0.5 ? 0 : length(draw), angle(draw),
                        draw(0, 1) < 0.4 ? 0 : draw(-0.3, 0.3), 0, ((kinds >> i) & 1u) != 0});
      rows.push_back({0, draw(0, 1) < 0.7 ? -90 : angle(draw), length(draw)});
      rows.push_back({0, draw(0, 1) < 0.7 ? 90 : angle(draw), 0});
      rows.push_back({0, 0, draw(0, 0.2)});
      return rows;
    });
}

TEST(AnalyticIkRoundTrip, three_parallel_axes) {
  expect_class_solved(12, 60, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{{0, 90, 0.1},           {length(draw), 0, 0},
                               {length(draw), 0, 0},   {0, 90, draw(-0.2, 0.2)},
                               {0, -90, draw(0, 0.2)}, {0, 0, draw(0, 0.2)}};
  });
}

TEST(AnalyticIkRoundTrip, three_slides_and_a_wrist) {
  expect_class_solved(8, 61, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{{0, -90, 0, 0, true}, {0, -90, 0, -90, true},
                               {0, 0, 0, 0, true},   {0, -90, 0},
                               {0, 90, 0},           {0, 0, draw(0, 0.2)}};
  });
}

TEST(AnalyticIkRoundTrip, general_arms_by_elimination) {
  expect_class_solved(5, 62, [&](testing::Draw<double>& draw) {
    std::vector<ArmRow> rows;
    for (int i = 0; i < 6; ++i) rows.push_back({length(draw), angle(draw), draw(-0.3, 0.3)});
    return rows;
  });
}

// The three axes that meet, or the three that are parallel, come first.
TEST(AnalyticIkRoundTrip, arms_that_are_solved_from_the_tool) {
  expect_class_solved(8, 63, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{{0, 90, draw(0, 0.2)},          {0, -90, 0},
                               {length(draw), angle(draw), 0}, {length(draw), 0, 0.1},
                               {length(draw), 90, 0},          {0.1, 0, draw(0, 0.2)}};
  });
  expect_class_solved(8, 64, [&](testing::Draw<double>& draw) {
    return std::vector<ArmRow>{{0, 90, 0.1},          {length(draw), 90, draw(0, 0.2)},
                               {length(draw), 0, 0},  {length(draw), 0, 0},
                               {length(draw), 90, 0}, {0, 0, draw(0, 0.2)}};
  });
}

TEST(AnalyticIkRoundTrip, general_arms_with_slides) {
  for (const unsigned slides : {1u, 2u})
    expect_class_solved(3, 64 + slides, [&](testing::Draw<double>& draw) {
      std::vector<ArmRow> rows;
      for (unsigned i = 0; i < 6; ++i)
        rows.push_back({length(draw), draw(20, 160), draw(-0.3, 0.3), 0, i > 0 && i <= slides});
      return rows;
    });
}

/// Elimination fills the list with poses met in part where an arm of five joints is singular twice;
/// what the search finds then has to find a place in it.
TEST(AnalyticIkRoundTrip, an_arm_of_five_joints_that_is_singular_twice) {
  const Model<double> model =
      arm({{0, -90, 0.0864}, {0.2, 0, 0}, {0, -90, 0}, {0.3482, 90, 0}, {0.3, 90, 0}});
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  for (const std::vector<double>& q : {std::vector<double>{0, 0.8811, -0.4843, 0, 1e-9},
                                       {0, 0.8811, -0.4843, 0, 0},
                                       {1, 0.3, 0.4, 0, 0}}) {
    const SE3<double> T = testing::pose_of(model, "tool", q);
    solver.solve(T, result);
    EXPECT_EQ(result.status, AnalyticIkStatus::solved);
    ASSERT_FALSE(result.empty());
    for (const AnalyticIkSolution& s : result)
      EXPECT_LT(testing::pose_distance(testing::pose_of(model, "tool", solver, s), T), 1e-9);
  }
}

TEST(AnalyticIkRoundTrip, arms_of_three_to_five_joints) {
  expect_class_solved(4, 69, [&](testing::Draw<double>& draw) {
    std::vector<ArmRow> rows;
    for (int i = 0; i < 5; ++i) rows.push_back({length(draw), angle(draw), draw(-0.3, 0.3)});
    return rows;
  });
  for (const int n : {3, 4, 5})
    expect_class_solved(6, 70 + static_cast<unsigned>(n), [&](testing::Draw<double>& draw) {
      std::vector<ArmRow> rows;
      for (int i = 0; i < n; ++i)
        rows.push_back(
            {i < 3 ? length(draw) : 0, i + 1 < n ? angle(draw) : 0, i < 3 ? 0 : draw(0, 0.3)});
      return rows;
    });
}

}  // namespace
}  // namespace torsor
