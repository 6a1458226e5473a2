// MuJoCo 2.2 (Debian's libmujoco-dev): the same robots written as its XML.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <memory>

#include "house/process.hpp"
#include "peers/peer_robots.hpp"
#include "support/nothing.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor {
namespace {

using testing::Matrix;
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

/// MuJoCo's model with its coordinates: quaternions w first; a free joint has its pose in the world
/// and moves by the velocity of its origin in world axes, then its angular velocity in its own.
class Peer {
 public:
  explicit Peer(const Model<double>& model) : ours_(model) {
    const testing::ScratchFolder folder;
    const std::string file = (folder / "robot.xml").string();
    testing::write_text(file, Writer(model).text());
    char error[1000] = "";
    m_.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof error));
    if (!m_) throw Error("MuJoCo: " + std::string(error));
    d_.reset(mj_makeData(m_.get()));
  }

  /// v_mujoco = P v, and P' v.
  void set(const Vector& q, const Vector& v) {
    const int n = ours_.n_v();
    P_ = Matrix::Identity(n, n);
    Pdot_v_ = Vector::Zero(n);
    for (int k = 0; k < ours_.n_q(); ++k) d_->qpos[k] = q[k];
    for (int i = 1; i < ours_.n_bodies(); ++i) {
      const auto [at, first] = std::pair(ours_.body(i).q.first, ours_.body(i).v.first);
      const int turn = ours_.body(i).kind == JointKind::free ? at + 3 : at;
      if (ours_.body(i).kind == JointKind::free || ours_.body(i).kind == JointKind::spherical) {
        d_->qpos[turn] = q[turn + 3];
        for (int k = 0; k < 3; ++k) d_->qpos[turn + 1 + k] = q[turn + k];
      }
      if (ours_.body(i).kind != JointKind::free) continue;
      const SE3<double> T = joint_pose(ours_, i, q);  // from the world, which carries it
      const Quaternion<double> r = quaternion(T.R);
      const double pose[] = {T.p.x, T.p.y, T.p.z, r.w, r.x, r.y, r.z};
      std::copy(std::begin(pose), std::end(pose), d_->qpos + at);
      Eigen::Matrix3d R;
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) R(row, column) = T.R(row, column);
      P_.block<6, 6>(first, first).setZero();
      P_.block<3, 3>(first, first + 3) = R;
      P_.block<3, 3>(first + 3, first).setIdentity();
      Pdot_v_.segment<3>(first) = R * v.segment<3>(first).cross(v.segment<3>(first + 3)).eval();
    }
    const Vector theirs = P_ * v;
    for (int k = 0; k < n; ++k) d_->qvel[k] = theirs[k];
  }
  Vector inverse(const Vector& qdd) {
    const Vector theirs = P_ * qdd + Pdot_v_;
    for (int k = 0; k < theirs.size(); ++k) d_->qacc[k] = theirs[k];
    mj_inverse(m_.get(), d_.get());
    return P_.transpose() * Eigen::Map<const Vector>(d_->qfrc_inverse, theirs.size());
  }
  Vector forward(const Vector& tau) {
    const Vector theirs = P_ * tau;  // P is orthogonal
    for (int k = 0; k < theirs.size(); ++k) d_->qfrc_applied[k] = theirs[k];
    mj_forward(m_.get(), d_.get());
    return P_.transpose() * (Eigen::Map<const Vector>(d_->qacc, theirs.size()) - Pdot_v_);
  }
  /// After forward.
  Matrix mass() {
    const int n = ours_.n_v();
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(n, n);
    mj_fullM(m_.get(), M.data(), d_->qM);
    return P_.transpose() * M * P_;
  }
  Vector bias() {
    const Vector b = Eigen::Map<const Vector>(d_->qfrc_bias, ours_.n_v());
    return P_.transpose() * b + mass() * (P_.transpose() * Pdot_v_);
  }
  /// One step of its fourth order Runge-Kutta method; returns q of joints with one coordinate.
  Vector step(double h) {
    m_->opt.timestep = h;
    m_->opt.integrator = mjINT_RK4;
    m_->opt.iterations = 200;
    m_->opt.tolerance = 1e-14;
    mj_step(m_.get(), d_.get());
    return Eigen::Map<const Vector>(d_->qpos, ours_.n_q());
  }

 private:
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  const Model<double>& ours_;
  std::unique_ptr<mjModel, Delete> m_;
  std::unique_ptr<mjData, Delete> d_;
  Matrix P_;
  Vector Pdot_v_;
};

class MuJoCo : public ::testing::TestWithParam<PeerRobot> {};

TEST_P(MuJoCo, gives_the_same_torques_accelerations_mass_matrix_and_bias) {
  RecordProperty("mujoco", mj_versionString());
  Robot robot{Model<double>(GetParam().description)};
  Peer peer(robot.model());
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
  Peer peer(model);
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
