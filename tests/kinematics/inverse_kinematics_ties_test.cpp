// Joints that couplings tie to others, and what is refused of them.
#include "kinematics/inverse_kinematics_support.hpp"
#include "support/random_model.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/kinematics/inverse_kinematics.hpp"

namespace torsor {
namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// Largest violation of the couplings at q.
double coupling_error(const Model<double>& model, const std::vector<double>& q) {
  double most = 0;
  for (const Coupling& coupling : model.description().couplings) {
    double sum = -coupling.offset;
    for (const Coupling::Term& term : coupling.terms)
      sum += term.factor *
             q[static_cast<std::size_t>(model.body(model.joint_index(term.joint)).q.first)];
    most = std::max(most, std::abs(sum));
  }
  return most;
}

// Poses of configurations that obey the couplings are met by ones that do, wherever the tied joints
// are: on the way to the frame, beside it, or one of each.
TEST(NumericIk, joints_that_couplings_tie_to_others_follow_them) {
  testing::RandomTree hinges;
  hinges.kinds = {JointKind::revolute, JointKind::prismatic};
  hinges.chain = false, hinges.fixed_links = false;
  int beside = 0, met = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RobotDescription robot = testing::random_tree(seed, 9, hinges);
    for (Joint& joint : robot.joints)
      for (Limits& limits : joint.limits) limits.lower = -3, limits.upper = 3;
    const auto name = [&](unsigned k) { return "joint_" + std::to_string(1 + k % 9); };
    // joint b = -a/2 + 0.1, c = 2 b, and a chain of two of them.
    robot.couplings.push_back({"first", {{name(seed), 0.5}, {name(seed + 2), 1}}, 0.1, {}});
    robot.couplings.push_back({"second", {{name(seed + 2), -2}, {name(seed + 5), 1}}, 0, {}});
    const Model<double> model(robot);
    for (const char* frame : {"link_9", "link_7"}) {
      const auto at = [&](unsigned k) {
        return static_cast<std::size_t>(model.body(model.joint_index(name(k))).q.first);
      };
      std::vector<double> q(9), start(9, 0.0), answer(9);
      random_configuration(model, seed, q);
      q[at(seed)] *= 0.4;
      q[at(seed + 2)] = 0.1 - 0.5 * q[at(seed)];
      q[at(seed + 5)] = 2 * q[at(seed + 2)];
      start[at(seed + 2)] = 0.1, start[at(seed + 5)] = 0.2;
      ASSERT_LT(coupling_error(model, q), 1e-14);
      KinematicsWorkspace<double> kinematics(model);
      forward_kinematics(model, kinematics, q);
      const IkTarget target{frame_pose(kinematics, model.frame(frame))};
      InverseKinematicsWorkspace ws(model, {frame});
      const InverseKinematicsResult result =
          inverse_kinematics(model, ws, {&target, 1}, start, {}, answer);
      EXPECT_LT(coupling_error(model, answer), 1e-12) << seed;
      met += result.converged;
      forward_kinematics(model, kinematics, answer);
      if (result.converged) {
        const SE3<double> T = frame_pose(kinematics, model.frame(frame));
        EXPECT_LT(norm(T.p - target.T_world_frame.p), 2e-8) << seed;
      }
      for (const int c : ws.coordinates()) {
        bool carries = false;
        for (int b = model.frame(frame).body; b > 0; b = model.body(b).parent)
          carries |= model.body(b).q.first == c;
        beside += !carries;
      }
      for (int k = 0; k < 9; ++k) {
        EXPECT_LE(answer[static_cast<std::size_t>(k)], model.limits(k).upper + 1e-12);
        EXPECT_GE(answer[static_cast<std::size_t>(k)], model.limits(k).lower - 1e-12);
      }
    }
  }
  EXPECT_GT(beside, 10);
  EXPECT_GE(met, 72);  // short chains with tied joints have minima that no start leaves
}

TEST(NumericIk, loops_and_couplings_of_three_joints_are_refused_by_name) {
  testing::RandomTree hinges;
  hinges.kinds = {JointKind::revolute};
  hinges.chain = true, hinges.fixed_links = false;
  RobotDescription robot = testing::random_tree(3, 3, hinges);
  robot.couplings.push_back({"gear", {{"joint_1", 1}, {"joint_2", 1}, {"joint_3", 2}}, 0, {}});
  const Model<double> geared(robot);
  EXPECT_NE(message_of([&] {
              InverseKinematicsWorkspace(geared, {"link_2"});
            }).find("\"joint_1\" is tied to more than one other by coupling \"gear\""),
            std::string::npos);
  robot.couplings.clear();
  LoopJoint loop;
  loop.name = "rod", loop.link_a = "link_1", loop.link_b = "link_3";
  robot.loops.push_back(loop);
  const Model<double> closed(robot);
  EXPECT_NO_THROW(InverseKinematicsWorkspace(closed, {"link_1"}));
  EXPECT_NE(message_of([&] {
              InverseKinematicsWorkspace(closed, {"link_3"});
            }).find("\"joint_2\" is part of the loop that \"rod\" closes"),
            std::string::npos);
}

}  // namespace
}  // namespace torsor
