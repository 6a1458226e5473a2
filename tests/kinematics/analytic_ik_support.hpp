#pragma once
/// Tables of arms, poses by rows, and comparison of solution sets, for the tests of analytic_ik.
#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "support/typed_scalars.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {

inline constexpr double pi = std::numbers::pi;

/// a (m), alpha (degrees), d (m), theta at q = 0 (degrees).
struct ArmRow {
  double a, alpha, d, theta = 0;
  bool prismatic = false;
};
inline DhTable arm_table(const std::vector<ArmRow>& rows, const SE3<double>& tool = {}) {
  DhTable table;
  for (const ArmRow& r : rows) {
    DhRow row;
    row.a = r.a, row.alpha = r.alpha * pi / 180, row.d = r.d, row.theta = r.theta * pi / 180;
    row.prismatic = r.prismatic;
    table.rows.push_back(row);
  }
  table.tool = tool;
  return table;
}
inline Model<double> arm(const std::vector<ArmRow>& rows, const SE3<double>& tool = {}) {
  return Model<double>(from_dh(arm_table(rows, tool)));
}

/// Stanford arm of Huo 2005, table 1-1 with d1 = 0.4, d2 = 0.15, d6 = 0.25.
inline std::vector<ArmRow> stanford_rows() {
  return {{0, -90, 0.4}, {0, 90, 0.15}, {0, 0, 0, 0, true}, {0, -90, 0}, {0, 90, 0}, {0, 0, 0.25}};
}
/// PUMA of exercise 1-19 with the dimensions usually quoted.
inline std::vector<ArmRow> puma_rows() {
  return {{0, -90, 0},       {0.4318, 0, 0}, {-0.02032, 90, 0.14909},
          {0, -90, 0.43307}, {0, 90, 0},     {0, 0, 0}};
}

/// Three rows of four numbers.
inline SE3<double> pose(const double (&m)[12]) {
  return {SO3<double>::rows({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}),
          {m[3], m[7], m[11]}};
}
inline SE3<double> pose_of(const Model<double>& model, const std::string& frame,
                           const std::vector<double>& q) {
  KinematicsWorkspace<double> ws(model);
  forward_kinematics(model, ws, q);
  return frame_pose(ws, model.frame(frame));
}
inline double pose_distance(const SE3<double>& A, const SE3<double>& B) {
  return std::max(distance(A.R, B.R), distance(A.p, B.p));
}

inline bool is_slide(const Model<double>& model, int coordinate) {
  for (int b = 1; b < model.n_bodies(); ++b)
    if (model.body(b).q.first == coordinate) return model.body(b).kind == JointKind::prismatic;
  return false;
}
/// The largest difference of two configurations, whole turns aside.
inline double joint_distance(const Model<double>& model, const AnalyticIkSolver& solver,
                             const AnalyticIkSolution& s, const std::vector<double>& q) {
  double most = 0;
  for (int i = 0; i < solver.n_joints(); ++i) {
    const int k = solver.coordinate(i);
    const double d = s.q[static_cast<std::size_t>(i)] - q[static_cast<std::size_t>(k)];
    most = std::max(most, std::abs(is_slide(model, k) ? d : internal::wrapped_angle(d)));
  }
  return most;
}
inline double nearest_solution(const Model<double>& model, const AnalyticIkSolver& solver,
                               const AnalyticIkResult& result, const std::vector<double>& q) {
  double least = infinity;
  for (const AnalyticIkSolution& s : result)
    least = std::min(least, joint_distance(model, solver, s, q));
  return least;
}
/// Every expected configuration is there, and nothing else.
inline void expect_solutions(const Model<double>& model, const AnalyticIkSolver& solver,
                             const AnalyticIkResult& result,
                             const std::vector<std::vector<double>>& expected, double tolerance) {
  EXPECT_EQ(result.n_solutions, static_cast<int>(expected.size()));
  for (const auto& q : expected)
    EXPECT_LT(nearest_solution(model, solver, result, q), tolerance)
        << "missing: " << ::testing::PrintToString(q);
}
/// The pose that a solution gives by forward kinematics of the model.
inline SE3<double> pose_of(const Model<double>& model, const std::string& frame,
                           const AnalyticIkSolver& solver, const AnalyticIkSolution& s) {
  std::vector<double> q(static_cast<std::size_t>(model.n_q()), 0.0);
  solver.write(s, q);
  return pose_of(model, frame, q);
}

}  // namespace torsor::testing
