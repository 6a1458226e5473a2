// The compiled sweeps for each instruction set: they agree with the plainest one to rounding, take
// over each other's workspaces, and are chosen by name.
#include "torsor/math/instruction_set.hpp"

#include <cstdlib>

#include "torsor/math/error.hpp"
#include "torsor/robot.hpp"

namespace torsor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Leaves the level as it was.
class InstructionSet : public ::testing::Test {
 protected:
  ~InstructionSet() override { use_instruction_set(before); }
  const std::string before = instruction_set();
};

Vector numbers(int n, double phase) {
  Vector x(n);
  for (int k = 0; k < n; ++k) x[k] = std::sin(phase + 1.3 * k);
  return x;
}

/// What the verbs of one state answer, each as one matrix.
std::vector<std::pair<std::string, Matrix>> answers(Robot& robot, const Vector& q) {
  const int n = robot.n_v();
  const Vector qd = numbers(n, 0.3), qdd = numbers(n, 1.1), tau = numbers(n, 2.2);
  const Effects rigid{.friction = false, .springs = false, .disturbance = false, .loops = false};
  const FrameHandle last = robot.frames().back();
  std::vector<std::pair<std::string, Matrix>> all;
  all.emplace_back("inverse_dynamics", robot.inverse_dynamics(q, qd, qdd, {}, rigid));
  all.emplace_back("forward_dynamics", robot.forward_dynamics(q, qd, tau, {}, rigid).qdd);
  all.emplace_back("mass_matrix", robot.mass_matrix(q));
  all.emplace_back("mass_matrix_inverse", robot.mass_matrix_inverse(q).matrix);
  all.emplace_back("coriolis_matrix", robot.coriolis_matrix(q, qd));
  all.emplace_back("gravity_torque", robot.gravity_torque(q));
  all.emplace_back("jacobian", robot.jacobian(last, q));
  all.emplace_back("jacobian_dot", robot.jacobian_dot(last, q, qd));
  all.emplace_back("frame_pose", robot.frame_pose(last, q).matrix());
  all.emplace_back("torque_regressor", robot.torque_regressor(q, qd, qdd));
  const auto inverse = robot.inverse_dynamics_derivatives(q, qd, qdd);
  all.emplace_back("dtau_dq", inverse.dtau_dq);
  all.emplace_back("dtau_dqd", inverse.dtau_dqd);
  const auto forward = robot.forward_dynamics_derivatives(q, qd, tau);
  all.emplace_back("dqdd_dq", forward.dqdd_dq);
  all.emplace_back("dqdd_dtau", forward.dqdd_dtau);
  return all;
}

// A fused multiply-add rounds once where two instructions round twice: results differ by a few units
// in the last place of the largest number that entered them. Forward dynamics multiply that by the
// condition of M.
TEST_F(InstructionSet, each_agrees_with_the_plainest_to_rounding) {
  constexpr double ulp = 2.220446049250313e-16;
  for (const char* name : {"planar2r", "puma560", "panda", "stanford", "humanoid38"}) {
    Robot robot(name);
    const Vector q = robot.random_configuration(5);
    use_instruction_set("baseline");
    const auto plain = answers(robot, q);
    const Matrix M = robot.mass_matrix(q);
    const Vector sigma = Eigen::JacobiSVD<Matrix>(M).singularValues();
    const double condition = sigma[0] / sigma[sigma.size() - 1];
    for (const std::string& level : instruction_sets()) {
      SCOPED_TRACE(std::string(name) + ", " + level);
      use_instruction_set(level);
      ASSERT_EQ(instruction_set(), level);
      const auto these = answers(robot, q);  // on the workspaces that the plainest one made
      for (std::size_t k = 0; k < plain.size(); ++k) {
        const double scale = std::max(1.0, plain[k].second.cwiseAbs().maxCoeff());
        const bool solves = plain[k].first.starts_with("forward") ||
                            plain[k].first.starts_with("dqdd") ||
                            plain[k].first == "mass_matrix_inverse";
        const double allowed = (solves ? 64 * condition : 256) * ulp * scale;
        EXPECT_LE((these[k].second - plain[k].second).cwiseAbs().maxCoeff(), allowed)
            << plain[k].first;
      }
    }
  }
}

TEST_F(InstructionSet, the_best_of_the_machine_is_taken_and_others_by_name) {
  const std::vector<std::string> all = instruction_sets();
  ASSERT_FALSE(all.empty());
  if (const char* asked = std::getenv("TORSOR_ARCH"); asked == nullptr) {
    EXPECT_EQ(instruction_set(), all.back());
  }
  if (all.size() > 1) {
    EXPECT_EQ(all.front(), "baseline");
  }
  for (const std::string& level : all) {
    use_instruction_set(level);
    EXPECT_EQ(instruction_set(), level);
  }
  EXPECT_THROW(use_instruction_set("x86-64-v9"), Error);
  EXPECT_EQ(instruction_set(), all.back());
}

}  // namespace
}  // namespace torsor
