// Random robots of every joint kind through random chains of formats: the dynamics stay, unless the
// report of a step says what they lose.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <map>

#include "formats/same_motion.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Draw;
using testing::every_moving_kind;
using testing::expect_same_motion;
using testing::random_tree;
using testing::RandomTree;

struct Walk {
  RobotDescription robot;
  int steps = 0, silent = 0, refused = 0;
};

/// MJCF counts velocities of planar and free joints along other axes, and says so: at the same q links
/// have the same poses, and the mass matrix, turned by an orthogonal matrix, the same eigenvalues.
void expect_same_in_other_velocities(const RobotDescription& a, const RobotDescription& b) {
  Robot one{Model<double>(a)}, other{Model<double>(b)};
  ASSERT_EQ(one.n_q(), other.n_q());
  ASSERT_EQ(one.n_v(), other.n_v());
  const testing::State<double> s(one.model(), 1);
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), one.n_q());
  for (const Link& link : a.links) {
    const Eigen::MatrixXd x = one.frame_pose(link.name, q).matrix();
    EXPECT_LE((x - other.frame_pose(link.name, q).matrix()).norm(), 1e-9 * (1 + x.norm()))
        << link.name;
  }
  const auto moments = [&](Robot& robot) {
    return Eigen::VectorXd(
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(robot.mass_matrix(q)).eigenvalues());
  };
  const Eigen::VectorXd x = moments(one), y = moments(other);
  EXPECT_LE((x - y).norm(), 1e-9 * (1 + x.norm()));
}

/// One step. What is refused names the joint, loop or robot part; what is lost is in the report.
void step(Walk& walk, const std::string& to) {
  SCOPED_TRACE("to " + to);
  const RobotFormat& format = robot_format(to);
  const Conversion written = format.write(walk.robot, "");
  if (!written.ok()) {
    ++walk.refused;
    EXPECT_NE(written.message.find('"'), std::string::npos) << written.message;
    return;
  }
  const bool lossy = std::any_of(written.losses.begin(), written.losses.end(),
                                 [](const Finding& f) { return f.kind == Finding::Kind::ignored; });
  Findings findings;
  const RobotDescription back =
      format.read(written.text, "r" + std::string(format.extensions.front()), &findings);
  for (const Finding& f : findings)
    EXPECT_NE(f.kind, Finding::Kind::ignored) << "our own file is not read whole: " << f.line();
  const bool turned = testing::find_subject(written.losses, "velocities of planar and free joints");
  if (!lossy && turned) expect_same_in_other_velocities(walk.robot, back);
  if (!lossy && !turned) {
    ++walk.silent;
    expect_same_motion(walk.robot, back);
  }
  ++walk.steps;
  walk.robot = back;
}

std::string a_format(Draw<double>& draw) {
  constexpr const char* names[] = {"urdf", "mjcf", "sdf", "robot"};
  return names[static_cast<std::size_t>(draw(0, 3.999))];
}

TEST(ConversionChain, of_random_robots_of_every_kind) {
  int silent = 0, steps = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree options;
    options.dissipation = seed % 3 != 0;
    options.rotors = seed % 2 == 0;
    options.limits = seed % 5 == 0;
    Walk walk{random_tree(seed, 6, options)};
    Draw<double> draw(seed);
    for (int k = 0; k < 6; ++k) step(walk, a_format(draw));
    silent += walk.silent, steps += walk.steps;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(silent, 120);
  EXPECT_GT(steps, silent);  // some losses were there to be told
}

/// Each kind alone, so that a refusal of one kind does not hide another.
TEST(ConversionChain, of_each_kind_alone_urdf_mjcf_sdf_yaml_urdf) {
  std::map<std::string, int> carried;
  for (const JointKind kind : every_moving_kind())
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(seed));
      RandomTree options;
      options.kinds = {kind};
      options.dissipation = options.rotors = false;
      Walk walk{random_tree(seed, 4, options)};
      for (const char* to : {"urdf", "mjcf", "sdf", "robot", "urdf"}) {
        const int before = walk.steps;
        step(walk, to);
        carried[to] += walk.steps - before;
      }
    }
  EXPECT_EQ(carried["urdf"], 2 * carried["robot"]);  // both say every kind
  EXPECT_EQ(carried["robot"], 4 * static_cast<int>(every_moving_kind().size()));
  EXPECT_GE(carried["mjcf"], 4 * 9);
  EXPECT_GE(carried["sdf"], 4 * 6);
}

}  // namespace
}  // namespace torsor
