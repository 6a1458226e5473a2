#pragma once
/// Verbs of Robot beside the room's own: a table of both, and what holds for each of its lines.
#include <functional>

#include "support/dynamics_state.hpp"
#include "support/refusal.hpp"
#include "torsor/robot.hpp"

namespace torsor::testing {

using Vector = Robot::Vector;
using Matrix = Robot::Matrix;

template <class Values>
Vector eigen(const Values& x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}
inline Matrix six(const Twist<double>& V) {
  return Eigen::Matrix<double, 6, 1>(V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z);
}

/// A robot, one of its frames, and a state.
struct Bench {
  Model<double> model;
  State<double> s;
  std::string frame_name;
  const Frame& frame = model.frame(frame_name);
  Vector q = eigen(s.q), qd = eigen(s.qd), qdd = eigen(s.qdd), tau = eigen(s.tau);
  Robot::Wrenches external;

  Bench(Model<double> robot, const std::string& frame_of)
      : model(std::move(robot)), s(model, 5), frame_name(frame_of) {
    normalize(model, s.q);
    for (int i = 1; i < model.n_bodies(); ++i) {
      const Wrench<double>& F = s.F_ext[static_cast<std::size_t>(i)];
      external.push_back({model.body_name(i), six({F.m, F.f})});
    }
  }
  Matrix of_v(int rows) const { return Matrix::Zero(rows, model.n_v()); }
};
inline Bench tree() { return {Model<double>(testing::random_tree(5, 14)), "link_9"}; }
inline Bench arm() {
  return {Model<double>(testing::random_tree(
              7, 6, {.kinds = {JointKind::revolute, JointKind::prismatic}, .chain = true})),
          "link_6"};
}

/// A robot with a loop, closed.
inline Bench four_bar() {
  Robot robot("four_bar");
  Bench b(robot.model(), robot.body_names().back());
  const auto closed = robot.assemble(b.q);
  EXPECT_TRUE(closed) << closed.message;
  b.q = closed.q;
  b.qd = robot.project_velocity(b.q, b.qd).rates;
  b.qdd = robot.project_acceleration(b.q, b.qd, b.qdd).rates;
  return b;
}
inline Vector neutral_of(const Bench& b) {
  Vector q(b.model.n_q());
  neutral(b.model, q);
  return q;
}

struct Verb {
  const char* name;
  std::function<Matrix(Robot&, const Bench&)> face;
  std::function<Matrix(const Bench&)> room;
};

inline void expect_agreement(const std::vector<Verb>& verbs, const Bench& b) {
  Robot robot(b.model);
  for (const Verb& verb : verbs) {
    const Matrix expected = verb.room(b);
    for (int call = 0; call < 2; ++call) {  // a second call finds the workspace used
      const Matrix found = verb.face(robot, b);
      ASSERT_EQ(found.rows(), expected.rows()) << verb.name;
      ASSERT_EQ(found.cols(), expected.cols()) << verb.name;
      EXPECT_LT((found - expected).norm(), 1e-13 * (1 + expected.norm())) << verb.name;
    }
  }
}

/// Every verb refuses a Robot that was moved from.
inline void expect_refusals_when_moved_from(const std::vector<Verb>& verbs, const Bench& b) {
  Robot robot(b.model);
  const Robot other = std::move(robot);
  for (const Verb& verb : verbs)
    EXPECT_EQ(refusal([&] { return verb.face(robot, b); }), "this Robot was moved from")
        << verb.name;
  robot = other;  // and lives again
  EXPECT_EQ(robot.n_v(), b.model.n_v());
}

}  // namespace torsor::testing
