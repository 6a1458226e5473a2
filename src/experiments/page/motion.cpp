#include "page/motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "torsor/dynamics/constrained/constrained_inverse.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"
#include "torsor/kinematics/velocity.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/sim/internal/surface_force.hpp"

namespace torsor::report {

namespace {

using V3 = Vec3<double>;

bool forces_are_known(const Model<double>& robot, const std::vector<Surface>& surfaces,
                      const Recording& r) {
  return r.qd.rows() == r.size() && r.qdd.rows() == r.size() &&
         (!has_loops(robot) || (r.tau.rows() == r.size() && r.tau.width() == robot.n_v())) &&
         (surfaces.empty() || r.contact.rows() == r.size());
}

/// What loops put on the bodies that they join: A^T lambda is what the motion takes more than the
/// recorded torques give. Where rows repeat each other lambda is the least one.
class LoopForces {
 public:
  explicit LoopForces(const Model<double>& robot)
      : set_(robot),
        rows_(robot),
        full_(robot, Effects::tree()),
        split_(std::max(set_.n_rows(), 1), robot.n_v()),
        A_(set_.n_rows() * robot.n_v()),
        lambda_(set_.n_rows()),
        tau_(robot.n_v()) {}

  /// Adds to F, which has the other wrenches on the bodies. False: something else acts as well, such as dry
  /// friction that holds a joint, or a disturbance.
  bool add(const Model<double>& robot, In<double> q, In<double> qd, In<double> qdd, In<double> tau,
           Array<Wrench<double>>& F) {
    tree_inverse_dynamics(robot, full_, q, qd, qdd, F, tau_, Effects::tree());
    double scale = 1e-6;
    for (int k = 0; k < robot.n_v(); ++k) {
      scale = std::max({scale, std::abs(tau_[k]), std::abs(tau[k])});
      tau_[k] -= tau[k];
    }
    const auto A = column_major(A_.data(), set_.n_rows(), robot.n_v());
    constraint_jacobian(robot, set_, rows_, q, A);
    split_.factorise(A, 1e-8);
    if (!(split_.solve_transposed(tau_, lambda_) <= 1e-3 * scale)) return false;
    add_constraint_wrenches(robot, set_, rows_, q, lambda_, F);
    return true;
  }

 private:
  ConstraintSet set_;
  ConstraintWorkspace<double> rows_;
  DynamicsWorkspace<double> full_;
  OrthogonalDecomposition split_;
  Array<double> A_, lambda_, tau_;
};

void append(const V3& v, std::vector<float>& to) {
  for (int k = 0; k < 3; ++k) to.push_back(static_cast<float>(v[k]));
}

/// The force of a surface on the robot, in the world; its wrench is added to that of the body, in the
/// body's frame and about its origin.
V3 add_contact(const Model<double>& robot, const Surface& s, double force,
               const VelocityWorkspace<double>& motion, Array<Wrench<double>>& F) {
  const Frame& frame = robot.frame(s.frame);
  const SE3<double>& T = motion.T_world_body[frame.body];
  const Twist<double>& V = motion.V[frame.body];
  const V3 arm = frame.placement * s.point;
  V3 normal = s.normal;
  if (s.radius > 0) normal = (T * arm - s.origin) * (s.inside ? -1.0 : 1.0);
  const V3 push =
      internal::surface_force(s, normalised(normal), T.R * (V.v + cross(V.w, arm)), force);
  const V3 f = transpose_times(T.R, push);
  F[frame.body].m += cross(arm, f);
  F[frame.body].f += f;
  return push;
}

}  // namespace

Motion motion_of(const Model<double>& robot, const std::vector<Surface>& surfaces,
                 const Frame& tool, const Recording& recording, int instants) {
  const Recording& r = drawn(recording);
  const View<const double> t(r.t);
  const View<const Surface> touched(surfaces);
  Motion m;
  if (r.q.width() != robot.n_q() || r.q.rows() == 0) return m;
  KinematicsWorkspace<double> kinematics(robot);
  VelocityWorkspace<double> motion(robot);
  JointWrenchWorkspace<double> wrenches(robot);
  Array<Wrench<double>> F(robot.n_bodies());
  Array<double> tau(robot.n_v());
  const bool forces = forces_are_known(robot, surfaces, r);
  std::optional<LoopForces> loops;
  if (forces && has_loops(robot)) loops.emplace(robot);
  SpringDamperWorkspace<double> springs(robot);
  const bool desired = r.q_d.width() == robot.n_q() && r.q_d.rows() == r.size() && tool.body > 0;
  const bool contact =
      r.contact.width() > 0 && r.contact.rows() == r.size() && r.contact.width() == touched.size;
  const bool moving = r.qd.rows() == r.size();  // else friction of surfaces is not known
  const Array<double> still(robot.n_v());
  const int count = std::clamp(instants, 2, std::max(2, r.q.rows()));
  for (int k = 0; k < count; ++k) {
    const int row = static_cast<int>(static_cast<long>(k) * (r.q.rows() - 1) / (count - 1));
    m.t.push_back(static_cast<float>(t[row]));
    if (desired) {
      forward_kinematics(robot, kinematics, r.q_d.row(row), tool.body);
      append(frame_pose(kinematics, tool).p, m.desired);
    }
    forward_kinematics(robot, kinematics, r.q.row(row));
    internal::append_poses(kinematics, m.poses);
    if (contact)
      forward_velocity(robot, motion, r.q.row(row), moving ? r.qd.row(row) : In<double>(still));
    for (Wrench<double>& f : F) f = {};
    for (int s = 0; contact && s < r.contact.width(); ++s) {
      const V3 push = add_contact(robot, touched[s], r.contact(row, s), motion, F);
      append(push, m.contact);
      m.largest_contact = std::max(m.largest_contact, norm(push));
    }
    if (!forces) continue;
    const bool told =
        !loops || loops->add(robot, r.q.row(row), r.qd.row(row), r.qdd.row(row), r.tau.row(row), F);
    add_spring_damper_wrenches<double, double>(robot, springs, r.q.row(row), r.qd.row(row), F);
    joint_wrenches(robot, wrenches, r.q.row(row), r.qd.row(row), r.qdd.row(row), F, tau);
    for (int i = 1; i < robot.n_bodies(); ++i) {
      const double unknown = std::numeric_limits<double>::quiet_NaN();
      const V3 f =
          told ? kinematics.T_world_body[i].R * wrenches.F[i].f : V3{unknown, unknown, unknown};
      append(f, m.forces);
      if (std::isfinite(norm(f))) m.largest_force = std::max(m.largest_force, norm(f));
    }
  }
  return m;
}

}  // namespace torsor::report
