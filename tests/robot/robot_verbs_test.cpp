// The verbs of Robot give the numbers of the rooms, in place too; on a Robot that was moved from,
// every verb refuses.
#include "robot/verb_table.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/kinematics/jacobian_derivatives.hpp"

namespace torsor {
namespace {

using namespace testing;
constexpr Reference aligned = Reference::world_aligned;

std::vector<Verb> kinematics() {
  using K = KinematicsWorkspace<double>;
  using V = VelocityWorkspace<double>;
  return {
      {"frame_pose",
       [](Robot& r, const Bench& b) -> Matrix { return r.frame_pose(b.frame_name, b.q).matrix(); },
       [](const Bench& b) {
         K ws(b.model);
         forward_kinematics(b.model, ws, b.s.q);
         const SE3<double> T = frame_pose(ws, b.frame);
         Matrix out = Matrix::Identity(4, 4);
         for (int i = 0; i < 3; ++i) {
           out(i, 3) = T.p[i];
           for (int j = 0; j < 3; ++j) out(i, j) = T.R(i, j);
         }
         return out;
       }},
      {"forward_kinematics",
       [](Robot& r, const Bench& b) -> Matrix { return r.forward_kinematics(b.q)[2].matrix(); },
       [](const Bench& b) -> Matrix {
         return Robot(b.model).frame_pose(b.model.body_name(2), b.q).matrix();
       }},
      {"frame_velocity",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.frame_velocity(b.frame_name, b.q, b.qd, aligned);
       },
       [](const Bench& b) {
         V ws(b.model);
         forward_velocity(b.model, ws, b.s.q, b.s.qd);
         return six(frame_velocity(ws, b.frame, aligned));
       }},
      {"frame_acceleration",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.frame_acceleration(b.frame_name, b.q, b.qd, b.qdd, aligned);
       },
       [](const Bench& b) {
         V ws(b.model);
         forward_acceleration(b.model, ws, b.s.q, b.s.qd, b.s.qdd);
         return six(frame_acceleration(ws, b.frame, aligned));
       }},
      {"jacobian", [](Robot& r, const Bench& b) { return r.jacobian(b.frame_name, b.q, aligned); },
       [](const Bench& b) {
         K ws(b.model);
         Matrix J = b.of_v(6);
         jacobian(b.model, ws, b.s.q, b.frame, aligned, J);
         return J;
       }},
      {"jacobian_dot",
       [](Robot& r, const Bench& b) { return r.jacobian_dot(b.frame_name, b.q, b.qd, aligned); },
       [](const Bench& b) {
         V ws(b.model);
         Matrix J = b.of_v(6);
         jacobian_dot(b.model, ws, b.s.q, b.s.qd, b.frame, aligned, J);
         return J;
       }},
      {"point_jacobian",
       [](Robot& r, const Bench& b) {
         return r.point_jacobian(b.frame_name, b.q, {1, 2, 3});
       },
       [](const Bench& b) {
         K ws(b.model);
         Matrix J = b.of_v(3);
         point_jacobian(b.model, ws, b.s.q, b.frame, {1, 2, 3}, J);
         return J;
       }},
      {"analytic_jacobian",
       [](Robot& r, const Bench& b) { return r.analytic_jacobian(b.frame_name, b.q).J; },
       [](const Bench& b) {
         K ws(b.model);
         Matrix J = b.of_v(6);
         (void)analytic_jacobian(b.model, ws, b.s.q, b.frame, EulerSequence::zyx, J);
         return J;
       }},
      {"inverse_velocity",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.inverse_velocity(b.frame_name, b.q, Robot::Vector6::Ones(), aligned).rates;
       },
       [](const Bench& b) -> Matrix {
         InverseVelocityWorkspace ws(b.model);
         Vector qd(b.model.n_v());
         (void)inverse_velocity(b.model, ws, b.s.q, b.frame, aligned, {{1, 1, 1}, {1, 1, 1}}, {},
                                qd);
         return qd;
       }},
      {"inverse_acceleration",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.inverse_acceleration(b.frame_name, b.q, b.qd, Robot::Vector6::Ones()).rates;
       },
       [](const Bench& b) -> Matrix {
         InverseVelocityWorkspace ws(b.model);
         Vector qdd(b.model.n_v());
         (void)inverse_acceleration(b.model, ws, b.s.q, b.s.qd, b.frame, Reference::body,
                                    {{1, 1, 1}, {1, 1, 1}}, {}, qdd);
         return qdd;
       }},
      {"manipulability",
       [](Robot& r, const Bench& b) -> Matrix {
         return eigen(r.manipulability(b.frame_name, b.q).sigma);
       },
       [](const Bench& b) -> Matrix {
         SingularityWorkspace ws(b.model);
         return eigen(manipulability(b.model, ws, b.s.q, b.frame).sigma);
       }},
      {"statics",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.statics(b.frame_name, b.q, Robot::Vector6::Ones(), aligned);
       },
       [](const Bench& b) -> Matrix {
         K ws(b.model);
         Vector tau(b.model.n_v());
         statics(b.model, ws, b.s.q, b.frame, aligned, {{1, 1, 1}, {1, 1, 1}}, tau);
         return tau;
       }},
      {"wrench_from_torques",
       [](Robot& r, const Bench& b) {
         const Wrench<double> F = r.wrench_from_torques(b.frame_name, b.q, b.tau).F;
         return six({F.m, F.f});
       },
       [](const Bench& b) {
         SingularityWorkspace ws(b.model);
         const Wrench<double> F =
             wrench_from_torques(b.model, ws, b.s.q, b.frame, Reference::body, b.s.tau).F;
         return six({F.m, F.f});
       }},
      {"frame_velocity_derivatives",
       [](Robot& r, const Bench& b) {
         const auto d = r.frame_velocity_derivatives(b.frame_name, b.q, b.qd, aligned);
         Matrix out(12, b.model.n_v());
         out << d.dV_dq, d.dV_dqd;
         return out;
       },
       [](const Bench& b) {
         V ws(b.model);
         Matrix by_q = b.of_v(6), by_qd = b.of_v(6), out = b.of_v(12);
         frame_velocity_derivatives(b.model, ws, b.s.q, b.s.qd, b.frame, aligned, by_q, by_qd);
         out << by_q, by_qd;
         return out;
       }},
      {"frame_acceleration_derivatives",
       [](Robot& r, const Bench& b) {
         const auto d = r.frame_acceleration_derivatives(b.frame_name, b.q, b.qd, b.qdd);
         Matrix out(18, b.model.n_v());
         out << d.dVdot_dq, d.dVdot_dqd, d.dVdot_dqdd;
         return out;
       },
       [](const Bench& b) {
         V ws(b.model);
         Matrix by_q = b.of_v(6), by_qd = b.of_v(6), by_qdd = b.of_v(6), out = b.of_v(18);
         frame_acceleration_derivatives(b.model, ws, b.s.q, b.s.qd, b.s.qdd, b.frame,
                                        Reference::body, by_q, by_qd, by_qdd);
         out << by_q, by_qd, by_qdd;
         return out;
       }},
      {"jacobian_derivatives",
       [](Robot& r, const Bench& b) { return r.jacobian_derivatives(b.frame_name, b.q)[3]; },
       [](const Bench& b) -> Matrix {
         const int n = b.model.n_v();
         JacobianDerivativesWorkspace<double> ws(b.model);
         Matrix all(6, n * n);
         jacobian_derivatives(b.model, ws, b.s.q, b.frame, Reference::body, all);
         return all.middleCols(3 * n, n);
       }},
  };
}

TEST(RobotVerbs, are_those_of_the_rooms) {
  for (const Bench& b : {tree(), arm()}) expect_agreement(kinematics(), b);
}

TEST(RobotVerbs, on_a_robot_that_was_moved_from_refuse) {
  const Bench b = arm();
  const Robot other(b.model);
  std::vector<Verb> verbs = kinematics();
  const auto add = [&](const char* name, std::function<void(Robot&)> call) {
    verbs.push_back({name, [call](Robot& r, const Bench&) { return call(r), Matrix(); }, {}});
  };
  const Robot::Pose one = Robot::Pose::Identity();
  add("model", [](Robot& r) { (void)r.model(); });
  add("name", [](Robot& r) { (void)r.name(); });
  add("findings", [](Robot& r) { (void)r.findings(); });
  add("frame", [](Robot& r) { (void)r.frame("link_1"); });
  add("joint", [](Robot& r) { (void)r.joint("joint_1"); });
  add("frames", [](Robot& r) { (void)r.frames(); });
  add("joints", [](Robot& r) { (void)r.joints(); });
  add("dof_names", [](Robot& r) { (void)r.dof_names(); });
  add("limits", [](Robot& r) { (void)r.limits(); });
  add("neutral", [](Robot& r) { (void)r.neutral(); });
  add("random_configuration", [](Robot& r) { (void)r.random_configuration(1); });
  add("mass", [](Robot& r) { (void)r.mass(); });
  add("parameters", [](Robot& r) { (void)r.parameters(); });
  add("inverse_kinematics", [&](Robot& r) { (void)r.inverse_kinematics(b.frame_name, one, b.q); });
  add("analytic_ik", [&](Robot& r) { (void)r.analytic_ik(b.frame_name, one); });
  add("assemble", [&](Robot& r) { (void)r.assemble(b.q); });
  add("mobility", [&](Robot& r) { (void)r.mobility(b.q); });
  add("constrained_forward_dynamics",
      [&](Robot& r) { (void)r.constrained_forward_dynamics(b.q, b.qd, b.tau); });
  add("lock_joints", [&](Robot& r) { (void)r.lock_joints({"joint_1"}, b.q); });
  add("append", [&](Robot& r) { (void)other.append(r, "link_1", one); });
  add("configuration_trajectory",
      [&](Robot& r) { (void)r.configuration_trajectory(b.q, b.q, 1.0); });
  add("to_urdf", [](Robot& r) { (void)r.to_urdf(); });
  add("copy", [](Robot& r) { Robot copy(r); });
  expect_refusals_when_moved_from(verbs, b);
}

/// Verbs that write in place: the numbers of the verb that returns them, and no allocation.
TEST(RobotVerbs, in_place_give_the_same_numbers_and_allocate_nothing) {
  for (const Bench& b : {tree(), arm(), four_bar()}) {
    Robot robot(b.model);
    const FrameHandle frame = robot.frame(b.frame_name);
    const int n = robot.n_v();
    const Robot::Wrenches external{{frame, Robot::Vector6::Ones()}}, none;
    Vector x(n);
    Matrix J(6, n), M(n, n), Y(n, 10 * (b.model.n_bodies() - 1));
    Robot::Vector6 six_numbers;
    Robot::Pose T;
    const struct {
      const char* name;
      std::function<void()> in_place;
      std::function<double()> off;
    } cases[] = {
        {"jacobian", [&] { robot.jacobian(frame, b.q, J, aligned); },
         [&] { return (J - robot.jacobian(frame, b.q, aligned)).norm(); }},
        {"jacobian_dot", [&] { robot.jacobian_dot(frame, b.q, b.qd, J); },
         [&] { return (J - robot.jacobian_dot(frame, b.q, b.qd)).norm(); }},
        {"inverse_dynamics", [&] { robot.inverse_dynamics(b.q, b.qd, b.qdd, x, external); },
         [&] { return (x - robot.inverse_dynamics(b.q, b.qd, b.qdd, external)).norm(); }},
        {"forward_dynamics", [&] { (void)robot.forward_dynamics(b.q, b.qd, b.tau, x, external); },
         [&] { return (x - robot.forward_dynamics(b.q, b.qd, b.tau, external).qdd).norm(); }},
        {"mass_matrix", [&] { robot.mass_matrix(b.q, M); },
         [&] { return (M - robot.mass_matrix(b.q)).norm(); }},
        {"mass_matrix_inverse", [&] { (void)robot.mass_matrix_inverse(b.q, M); },
         [&] { return (M - robot.mass_matrix_inverse(b.q).matrix).norm(); }},
        {"coriolis_matrix", [&] { robot.coriolis_matrix(b.q, b.qd, M); },
         [&] { return (M - robot.coriolis_matrix(b.q, b.qd)).norm(); }},
        {"gravity_torque", [&] { robot.gravity_torque(b.q, x); },
         [&] { return (x - robot.gravity_torque(b.q)).norm(); }},
        {"bias_torque", [&] { robot.bias_torque(b.q, b.qd, x); },
         [&] { return (x - robot.bias_torque(b.q, b.qd)).norm(); }},
        {"torque_regressor", [&] { robot.torque_regressor(b.q, b.qd, b.qdd, Y); },
         [&] { return (Y - robot.torque_regressor(b.q, b.qd, b.qdd)).norm(); }},
        {"frame_pose", [&] { T = robot.frame_pose(frame, b.q); }, [] { return 0.0; }},
        {"frame_velocity", [&] { six_numbers = robot.frame_velocity(frame, b.q, b.qd); },
         [] { return 0.0; }},
        {"kinetic_energy", [&] { six_numbers[0] = robot.kinetic_energy(b.q, b.qd); },
         [] { return 0.0; }},
    };
    for (const auto& c : cases) {
      c.in_place();
      const AllocationCounter counter;
      c.in_place();
      EXPECT_EQ(counter.count(), 0u) << c.name;
      EXPECT_EQ(c.off(), 0) << c.name;
    }
  }
}

}  // namespace
}  // namespace torsor
