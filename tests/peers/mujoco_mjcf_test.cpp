// MJCF files read here and by MuJoCo 2.2 (Debian's libmujoco-dev): the same robots.
#include "formats/mjcf_files.hpp"
#include "peers/mujoco_peer.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {
namespace {

using testing::difference;
using testing::Matrix;
using testing::MjcfFile;
using testing::MujocoPeer;
using testing::Vector;

RobotDescription read(const std::string& text) {
  return robot_format("mjcf").read(text, "r.xml", nullptr);
}

/// Loops and couplings taken away: what is left moves freely.
RobotDescription opened(RobotDescription robot) {
  robot.loops.clear();
  robot.couplings.clear();
  return robot;
}

Matrix matrix_of(const SE3<double>& T) {
  Matrix m(3, 4);
  for (int r = 0; r < 3; ++r) m.row(r) << T.R(r, 0), T.R(r, 1), T.R(r, 2), T.p[r];
  return m;
}

/// `accuracy` of the peer's numbers.
void compare(const RobotDescription& description, const std::string& text, double accuracy = 1e-9) {
  Robot robot{Model<double>(opened(description))};
  MujocoPeer peer(robot.model(), text);
  peer.open_constraints();
  ASSERT_EQ(peer.model().nv, robot.model().n_v());
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const testing::PeerState s(robot, seed);
    peer.set(s.q, s.qd);
    EXPECT_LT(difference(peer.inverse(s.qdd), s.tau), accuracy * s.scale);
    (void)peer.forward(s.torque_given);
    EXPECT_LT(difference(peer.mass(), s.M), accuracy * s.scale);
    EXPECT_LT(difference(peer.bias(), s.bias), accuracy * s.scale);
    for (const FrameOnLink& frame : description.frames) {
      const Matrix ours = robot.frame_pose(frame.name, s.q).matrix().topRows<3>();
      EXPECT_LT(difference(matrix_of(peer.site(frame.name)), ours), 1e-9) << frame.name;
    }
  }
}

class Mjcf : public ::testing::TestWithParam<MjcfFile> {};
TEST_P(Mjcf, has_the_mass_matrix_bias_torques_and_sites_of_mujoco) {
  const RobotDescription robot = read(GetParam().text);
  EXPECT_FALSE(robot.frames.empty());
  compare(robot, GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(, Mjcf, ::testing::ValuesIn(testing::mjcf_files()),
                         [](const auto& file) { return file.param.name; });

/// In single precision, epsilon 1.2e-7, over some ten operations.
TEST(MjcfMeshes, have_the_inertia_of_mujoco) {
  compare(read(testing::mjcf_meshes().text), testing::mjcf_meshes().text, 2e-6);
}

class MjcfLoops : public ::testing::TestWithParam<MjcfFile> {};
TEST_P(MjcfLoops, have_the_tree_of_mujoco) { compare(read(GetParam().text), GetParam().text); }
/// MuJoCo writes rows in world axes and scales them; the motions that they allow are the same.
TEST_P(MjcfLoops, allow_the_motions_that_mujoco_allows) {
  const Model<double> model(read(GetParam().text));
  const ConstraintSet set(model);
  ASSERT_GT(set.n_rows(), 0);
  AssemblyWorkspace ws(model, set);
  MujocoPeer peer(model, GetParam().text);
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  for (const bool moved : {false, true}) {
    neutral(model, q);
    for (int i = 1; i < model.n_bodies(); ++i)  // the pose in which the file is drawn
      if (model.joint_name(i) == "j1" || model.joint_name(i) == "j2" || model.joint_name(i) == "j3")
        q[static_cast<std::size_t>(model.body(i).q.first)] =
            peer.model().qpos0[model.body(i).q.first] + (moved ? 0.1 * i : 0);
    if (moved) {
      ASSERT_TRUE(assemble(model, set, ws, q));
    }
    const Vector at = Eigen::Map<const Vector>(q.data(), model.n_q());
    peer.set(at, Vector::Zero(model.n_v()));
    const auto [J, errors] = peer.constraints();
    ASSERT_GT(J.rows(), 0);
    EXPECT_LT(errors.cwiseAbs().maxCoeff(), 1e-8);
    Robot robot{Model<double>(model.description())};
    const Matrix A = robot.constraint_rows(at, Vector::Zero(model.n_v())).A;
    const auto rank = [](const Matrix& m) {
      return Eigen::ColPivHouseholderQR<Matrix>(m).setThreshold(1e-7).rank();
    };
    Matrix both(A.rows() + J.rows(), A.cols());
    both << A, J;
    EXPECT_EQ(rank(A), rank(J));
    EXPECT_EQ(rank(both), rank(A));
  }
}
INSTANTIATE_TEST_SUITE_P(, MjcfLoops, ::testing::ValuesIn(testing::mjcf_loops()),
                         [](const auto& file) { return file.param.name; });

class MjcfWritten : public ::testing::TestWithParam<testing::PeerRobot> {};
TEST_P(MjcfWritten, is_read_by_mujoco_as_the_same_robot) {
  const Conversion written = robot_format("mjcf").write(GetParam().description, "");
  ASSERT_TRUE(written.ok()) << written.message;
  compare(GetParam().description, written.text);
}
INSTANTIATE_TEST_SUITE_P(, MjcfWritten,
                         ::testing::Values(testing::puma(), testing::panda(),
                                           testing::floating_tree()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace torsor
