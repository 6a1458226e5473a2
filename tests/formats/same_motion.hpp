#pragma once
/// Whether two descriptions move and weigh alike: mass matrix, bias, torques with friction and springs, and
/// poses of the links and frames that both have, at random states.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/dynamics_state.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/robot.hpp"

namespace torsor::testing {

inline RobotDescription read_as(const char* format, const std::string& text,
                                Findings* findings = nullptr, const char* file = "r.xml") {
  return robot_format(format).read(text, file, findings);
}

/// Without loops and couplings, so that every state is allowed.
inline RobotDescription opened(RobotDescription robot) {
  robot.loops.clear();
  robot.couplings.clear();
  return robot;
}

inline void expect_same_motion(const RobotDescription& a, const RobotDescription& b,
                               double tolerance = 1e-9) {
  Robot one{Model<double>(opened(a))}, other{Model<double>(opened(b))};
  ASSERT_EQ(one.model().n_q(), other.model().n_q());
  ASSERT_EQ(one.model().n_v(), other.model().n_v());
  std::vector<std::string> common;
  for (const Frame& frame : one.model().frames())
    for (const Frame& f : other.model().frames())
      if (f.name == frame.name) common.push_back(f.name);
  EXPECT_GT(common.size(), 1u);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const State<double> s(one.model(), seed);
    const auto eigen = [](const std::vector<double>& x) {
      return Eigen::VectorXd(
          Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    const Eigen::VectorXd q = eigen(s.q), qd = eigen(s.qd), qdd = eigen(s.qdd);
    const auto close = [&](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, const char* what) {
      ASSERT_EQ(x.size(), y.size()) << what;
      if (x.size() == 0) return;
      EXPECT_LE((x - y).cwiseAbs().maxCoeff(), tolerance * (1 + x.cwiseAbs().maxCoeff())) << what;
    };
    close(one.mass_matrix(q), other.mass_matrix(q), "mass matrix");
    close(one.bias_torque(q, qd), other.bias_torque(q, qd), "bias");
    close(one.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(q, qd, qdd), "torques");
    for (const std::string& frame : common)
      close(one.frame_pose(frame, q).matrix(), other.frame_pose(frame, q).matrix(), frame.c_str());
  }
}

/// The constraint rows, at the neutral configuration: as many independent ones, that allow the same motions.
inline void expect_same_constraints(const RobotDescription& a, const RobotDescription& b) {
  Robot one{Model<double>(a)}, other{Model<double>(b)};
  ASSERT_EQ(one.model().n_v(), other.model().n_v());
  std::vector<double> q0(static_cast<std::size_t>(one.model().n_q()));
  neutral(one.model(), q0);
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(q0.data(), one.model().n_q());
  const Eigen::VectorXd qd = Eigen::VectorXd::Zero(one.model().n_v());
  const Eigen::MatrixXd A = one.constraint_rows(q, qd).A, B = other.constraint_rows(q, qd).A;
  const auto rank = [](const Eigen::MatrixXd& m) {
    return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(m).setThreshold(1e-8).rank();
  };
  Eigen::MatrixXd both(A.rows() + B.rows(), A.cols());
  both << A, B;
  EXPECT_GT(A.rows(), 0);
  EXPECT_EQ(rank(A), rank(B));
  EXPECT_EQ(rank(both), rank(A));
}

inline const Finding* find_subject(const Findings& findings, const std::string& subject) {
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [&](const Finding& f) { return f.subject == subject; });
  return at == findings.end() ? nullptr : &*at;
}

}  // namespace torsor::testing
