// MuJoCo 2.2 (Debian's libmujoco-dev): the same robots written as its XML.
#include <mujoco/mujoco.h>

#include <cstdio>

#include "peers/mujoco_peer.hpp"
#include "peers/peer_robots.hpp"
#include "support/nothing.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor {
namespace {

using testing::MujocoPeer;
using testing::PeerRobot;
using testing::PeerState;
using testing::Vector;

std::string numbers(std::initializer_list<double> x) {
  std::string text;
  for (const double v : x) {
    char word[32];
    std::snprintf(word, sizeof word, "%.17g ", v);
    text += word;
  }
  return text;
}
std::string pose(const SE3<double>& T) {
  const Quaternion<double> r = quaternion(T.R);
  return "pos=\"" + numbers({T.p.x, T.p.y, T.p.z}) + "\" quat=\"" + numbers({r.w, r.x, r.y, r.z}) +
         "\"";
}

/// A body with its inertia in principal axes, its joint, and all that it carries.
class Writer {
 public:
  explicit Writer(const Model<double>& model) : model_(model), robot_(model.description()) {}

  std::string text() {
    const Vec3<double>& g = robot_.gravity;
    std::string bodies;  // the root is fixed to the world: what it carries is the world's
    for (const Joint* child : testing::children_of(robot_, testing::root_of(robot_)))
      bodies += body(child->child, robot_.base * child->placement, *child);
    return "<mujoco><compiler angle=\"radian\"/><option gravity=\"" + numbers({g.x, g.y, g.z}) +
           "\"/><worldbody>" + bodies + "</worldbody>" + welds() + "</mujoco>";
  }

 private:
  /// Loops that were cut, closed at the neutral configuration. As stiff as MuJoCo takes them.
  std::string welds() {
    std::string out;
    for (const LoopJoint& loop : robot_.loops)
      out += "<weld body1=\"" + loop.link_a + "\" body2=\"" + loop.link_b +
             "\" solref=\"0.0004 1\" solimp=\"0.9999 0.9999 0.001\"/>";
    return out.empty() ? out : "<equality>" + out + "</equality>";
  }
  std::string body(const std::string& link, const SE3<double>& T, const Joint& joint) {
    std::string out = "<body name=\"" + link + "\" " + pose(T) + ">" + joint_text(joint);
    const Inertial& I = robot_.find_link(link)->inertial;
    const PrincipalAxes<double> p = principal_axes(I.about_com);
    out += "<inertial " + pose({p.axes, I.com}) + " mass=\"" + numbers({I.mass}) +
           "\" diaginertia=\"" + numbers({p.moments.x, p.moments.y, p.moments.z}) + "\"/>";
    for (const Joint* child : testing::children_of(robot_, link))
      out += body(child->child, child->placement, *child);
    return out + "</body>";
  }
  std::string joint_text(const Joint& joint) {
    const std::string axis =
        "axis=\"" + numbers({joint.axis.x, joint.axis.y, joint.axis.z}) + "\" ";
    switch (joint.kind) {
      case JointKind::fixed:
        return "";
      case JointKind::free:
        return "<freejoint/>";
      case JointKind::spherical:
        return "<joint type=\"ball\"/>";
      default: {
        const int i = model_.joint_index(joint.name);
        return std::string("<joint type=\"") +
               (joint.kind == JointKind::prismatic ? "slide" : "hinge") + "\" " + axis +
               "armature=\"" + numbers({model_.dof(model_.body(i).v.first).armature}) + "\"/>";
      }
    }
  }

  const Model<double>& model_;
  const RobotDescription& robot_;
};

class MuJoCo : public ::testing::TestWithParam<PeerRobot> {};

TEST_P(MuJoCo, gives_the_same_torques_accelerations_mass_matrix_and_bias) {
  RecordProperty("mujoco", mj_versionString());
  Robot robot{Model<double>(GetParam().description)};
  MujocoPeer peer(robot.model(), Writer(robot.model()).text());
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const PeerState s(robot, seed);
    peer.set(s.q, s.qd);
    EXPECT_LT(testing::difference(peer.inverse(s.qdd), s.tau), s.tolerance());
    EXPECT_LT(testing::difference(peer.forward(s.torque_given), s.qdd_of_torque),
              s.acceleration_tolerance());
    EXPECT_LT(testing::difference(peer.mass(), s.M), s.tolerance());
    EXPECT_LT(testing::difference(peer.bias(), s.bias), s.tolerance());
  }
}

/// MuJoCo's welds are soft: even the stiffest give way a little under the loop's force, and time steps
/// of 0.2 ms must follow them. Over two seconds, in which angles change by more than a radian, this
/// is worth less than 1e-6 rad.
TEST(MuJoCoLoops, a_four_bar_falls_along_the_same_trajectory) {
  const Model<double> model(testing::comparable(load_robot("four_bar").description()));
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  Vector start = Vector::Zero(model.n_q());
  start[0] = 1;  // about where the crank stands up
  ASSERT_TRUE(assemble(model, set, ws, start));
  MujocoPeer peer(model, Writer(model).text());
  peer.set(start, Vector::Zero(model.n_v()));
  (void)peer.forward(Vector::Zero(model.n_v()));
  testing::Nothing law;
  SimulateOptions o;
  o.duration = 2, o.record_every = 0.05;
  o.q0.assign(start.begin(), start.end());
  const Recording r = simulate(Plant(model), law, testing::nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  double largest = 0;
  for (int k = 1; k < r.size(); ++k) {
    Vector q;
    for (int i = 0; i < 250; ++i) q = peer.step(2e-4);
    for (int j = 0; j < model.n_q(); ++j) {
      EXPECT_NEAR(q[j], r.q(k, j), 1e-6) << "joint " << j << " at " << r.t[std::size_t(k)];
      largest = std::max(largest, std::abs(q[j] - start[j]));
    }
  }
  EXPECT_GT(largest, 1);
}

INSTANTIATE_TEST_SUITE_P(, MuJoCo,
                         ::testing::Values(testing::puma(), testing::panda(),
                                           testing::floating_tree()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace torsor
