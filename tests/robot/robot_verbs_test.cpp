// Every verb of Robot beside the room's own verb: the same numbers; on a Robot that was moved from,
// every verb refuses.
#include <functional>

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/generalised_force.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/identification/energy_regressor.hpp"
#include "torsor/kinematics/jacobian_derivatives.hpp"
#include "torsor/robot.hpp"

namespace torsor {
namespace {

using testing::AllocationCounter;
using testing::State;
using Vector = Robot::Vector;
using Matrix = Robot::Matrix;

template <class Values>
Vector eigen(const Values& x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}
Matrix six(const Twist<double>& V) {
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
Bench tree() { return {Model<double>(testing::random_tree(5, 14)), "link_9"}; }
Bench arm() {
  return {Model<double>(testing::random_tree(
              7, 6, {.kinds = {JointKind::revolute, JointKind::prismatic}, .chain = true})),
          "link_6"};
}

Vector neutral_of(const Bench& b) {
  Vector q(b.model.n_q());
  neutral(b.model, q);
  return q;
}

struct Verb {
  const char* name;
  std::function<Matrix(Robot&, const Bench&)> face;
  std::function<Matrix(const Bench&)> room;
};

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

std::vector<Verb> dynamics() {
  using Full = DynamicsWorkspace<double>;
  const auto column = [](Vector x) -> Matrix { return x; };
  return {
      {"inverse_dynamics",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.inverse_dynamics(b.q, b.qd, b.qdd, b.external);
       },
       [column](const Bench& b) {
         Full ws(b.model);
         Vector tau(b.model.n_v());
         (void)inverse_dynamics(b.model, ws, b.s.q, b.s.qd, b.s.qdd, b.s.F_ext, tau);
         return column(tau);
       }},
      {"forward_dynamics",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.forward_dynamics(b.q, b.qd, b.tau, b.external).qdd;
       },
       [column](const Bench& b) {
         Full ws(b.model);
         Vector qdd(b.model.n_v());
         (void)forward_dynamics(b.model, ws, b.s.q, b.s.qd, b.s.tau, b.s.F_ext, qdd);
         return column(qdd);
       }},
      {"hybrid_dynamics",
       [](Robot& r, const Bench& b) {
         const auto found =
             r.hybrid_dynamics({b.model.joint_name(2)}, b.q, b.qd, b.qdd, b.tau, b.external);
         return Matrix(found.qdd * found.tau.transpose());
       },
       [](const Bench& b) {
         Full ws(b.model);
         Array<char> prescribed(b.model.n_bodies());
         prescribed[2] = 1;
         Vector qdd = b.qdd, tau = b.tau;
         (void)hybrid_dynamics(b.model, ws, prescribed, b.s.q, b.s.qd, qdd, tau, b.s.F_ext);
         return Matrix(qdd * tau.transpose());
       }},
      {"inverse_dynamics on a moving base",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.inverse_dynamics(BaseMotion<double>{{}, {{1, 2, 3}, {}}, {}}, b.q, b.qd, b.qdd);
       },
       [column](const Bench& b) {
         MovingBaseWorkspace<double> ws(b.model);
         Vector tau(b.model.n_v());
         rigid_inverse_dynamics(b.model, ws, {{}, {{1, 2, 3}, {}}, {}}, b.s.q, b.s.qd, b.s.qdd, {},
                                tau);
         return column(tau);
       }},
      {"forward_dynamics on a moving base",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.forward_dynamics(BaseMotion<double>{{}, {{1, 2, 3}, {}}, {}}, b.q, b.qd, b.tau)
             .qdd;
       },
       [column](const Bench& b) {
         MovingBaseWorkspace<double> ws(b.model);
         Vector qdd(b.model.n_v());
         (void)rigid_forward_dynamics(b.model, ws, {{}, {{1, 2, 3}, {}}, {}}, b.s.q, b.s.qd,
                                      b.s.tau, {}, qdd);
         return column(qdd);
       }},
      {"mass_matrix", [](Robot& r, const Bench& b) { return r.mass_matrix(b.q); },
       [](const Bench& b) {
         CrbaWorkspace<double> ws(b.model);
         Matrix M = b.of_v(b.model.n_v());
         mass_matrix(b.model, ws, b.s.q, M);
         return M;
       }},
      {"mass_matrix_inverse",
       [](Robot& r, const Bench& b) { return r.mass_matrix_inverse(b.q).matrix; },
       [](const Bench& b) {
         MinverseWorkspace<double> ws(b.model);
         Matrix M = b.of_v(b.model.n_v());
         (void)mass_matrix_inverse(b.model, ws, b.s.q, M);
         return M;
       }},
      {"mass_matrix_inverse_times",
       [](Robot& r, const Bench& b) { return r.mass_matrix_inverse_times(b.q, b.tau).matrix; },
       [](const Bench& b) {
         MinverseTimesWorkspace<double> ws(b.model);
         Matrix x = b.tau;
         const Matrix tau = b.tau;
         (void)mass_matrix_inverse_times(b.model, ws, b.s.q, tau, x);
         return x;
       }},
      {"coriolis_matrix", [](Robot& r, const Bench& b) { return r.coriolis_matrix(b.q, b.qd); },
       [](const Bench& b) {
         CoriolisWorkspace<double> ws(b.model);
         Matrix C = b.of_v(b.model.n_v());
         coriolis_matrix(b.model, ws, b.s.q, b.s.qd, C);
         return C;
       }},
      {"gravity_torque", [](Robot& r, const Bench& b) -> Matrix { return r.gravity_torque(b.q); },
       [column](const Bench& b) {
         RneaWorkspace<double> ws(b.model);
         Vector tau(b.model.n_v());
         gravity_torque(b.model, ws, b.s.q, tau);
         return column(tau);
       }},
      {"bias_torque", [](Robot& r, const Bench& b) -> Matrix { return r.bias_torque(b.q, b.qd); },
       [column](const Bench& b) {
         RneaWorkspace<double> ws(b.model);
         Vector tau(b.model.n_v());
         bias_torque(b.model, ws, b.s.q, b.s.qd, tau);
         return column(tau);
       }},
      {"two_velocity_inverse_dynamics",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.two_velocity_inverse_dynamics(b.q, b.qd, b.tau, b.qdd);
       },
       [column](const Bench& b) {
         TwoVelocityWorkspace<double> ws(b.model);
         Vector tau(b.model.n_v());
         two_velocity_inverse_dynamics(b.model, ws, b.s.q, b.s.qd, b.s.tau, b.s.qdd, tau);
         return column(tau);
       }},
      {"friction_torque",
       [](Robot& r, const Bench& b) -> Matrix { return r.friction_torque(b.q, b.qd); },
       [column](const Bench& b) {
         Vector tau(b.model.n_v());
         friction_torque(b.model, b.s.q, b.s.qd, tau);
         return column(tau);
       }},
      {"joint_wrenches",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.joint_wrenches(b.q, b.qd, b.qdd, b.external).col(1);
       },
       [](const Bench& b) {
         JointWrenchWorkspace<double> ws(b.model);
         Vector tau(b.model.n_v());
         joint_wrenches(b.model, ws, b.s.q, b.s.qd, b.s.qdd, b.s.F_ext, tau);
         const Wrench<double>& F = ws.F[2];
         return six({F.m, F.f});
       }},
      {"generalised_force",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.generalised_force(b.q, {{b.frame_name, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}}});
       },
       [column](const Bench& b) {
         GeneralisedForceWorkspace<double> ws(b.model);
         Vector Q(b.model.n_v());
         const AppliedLoad<double> load{
             b.frame.body, b.frame.placement * Vec3<double>{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
         generalised_force(b.model, ws, b.s.q, {&load, 1}, Q);
         return column(Q);
       }},
  };
}

std::vector<Verb> forms() {
  return {
      {"state_space_form",
       [](Robot& r, const Bench& b) -> Matrix { return r.state_space_form(b.q, b.qd).V; },
       [](const Bench& b) -> Matrix {
         ConfigurationSpaceWorkspace<double> ws(b.model);
         Matrix M = b.of_v(b.model.n_v());
         Vector v(b.model.n_v()), g = v;
         state_space_form(b.model, ws, b.s.q, b.s.qd, M, v, g);
         return v;
       }},
      {"kinetic_energy",
       [](Robot& r, const Bench& b) -> Matrix {
         return Vector::Constant(1, r.kinetic_energy(b.q, b.qd));
       },
       [](const Bench& b) -> Matrix {
         MomentumWorkspace<double> ws(b.model);
         return Vector::Constant(1, kinetic_energy(b.model, ws, b.s.q, b.s.qd));
       }},
      {"potential_energy",
       [](Robot& r, const Bench& b) -> Matrix {
         return Vector::Constant(1, r.potential_energy(b.q));
       },
       [](const Bench& b) -> Matrix {
         KinematicsWorkspace<double> ws(b.model);
         forward_kinematics(b.model, ws, b.s.q);
         return Vector::Constant(1, potential_energy(b.model, ws));
       }},
      {"spring_energy",
       [](Robot& r, const Bench& b) -> Matrix { return Vector::Constant(1, r.spring_energy(b.q)); },
       [](const Bench& b) -> Matrix {
         return Vector::Constant(1, joint_spring_energy(b.model, b.s.q));
       }},
      {"centre_of_mass", [](Robot& r, const Bench& b) -> Matrix { return r.centre_of_mass(b.q); },
       [](const Bench& b) -> Matrix {
         KinematicsWorkspace<double> ws(b.model);
         forward_kinematics(b.model, ws, b.s.q);
         const Vec3<double> c = centre_of_mass(b.model, ws).position;
         return Eigen::Vector3d(c.x, c.y, c.z);
       }},
      {"momentum", [](Robot& r, const Bench& b) -> Matrix { return r.momentum(b.q, b.qd); },
       [](const Bench& b) {
         MomentumWorkspace<double> ws(b.model);
         const Wrench<double> h = momentum(b.model, ws, b.s.q, b.s.qd);
         return six({h.m, h.f});
       }},
      {"centroidal_momentum",
       [](Robot& r, const Bench& b) {
         const Wrench<double> rate = r.centroidal_momentum(b.q, b.qd, b.qdd).rate;
         return six({rate.m, rate.f});
       },
       [](const Bench& b) {
         CentroidalWorkspace<double> ws(b.model);
         const Wrench<double> rate = centroidal_momentum(b.model, ws, b.s.q, b.s.qd, b.s.qdd).rate;
         return six({rate.m, rate.f});
       }},
      {"com_jacobian", [](Robot& r, const Bench& b) { return r.com_jacobian(b.q); },
       [](const Bench& b) {
         CentroidalWorkspace<double> ws(b.model);
         Matrix J = b.of_v(3);
         com_jacobian(b.model, ws, b.s.q, J);
         return J;
       }},
      {"com_jacobian_dot", [](Robot& r, const Bench& b) { return r.com_jacobian_dot(b.q, b.qd); },
       [](const Bench& b) {
         CentroidalWorkspace<double> ws(b.model);
         Matrix J = b.of_v(3);
         com_jacobian_dot(b.model, ws, b.s.q, b.s.qd, J);
         return J;
       }},
      {"centroidal_map", [](Robot& r, const Bench& b) { return r.centroidal_map(b.q); },
       [](const Bench& b) {
         CentroidalWorkspace<double> ws(b.model);
         Matrix A = b.of_v(6);
         centroidal_map(b.model, ws, b.s.q, A);
         return A;
       }},
      {"centroidal_map_dot",
       [](Robot& r, const Bench& b) { return r.centroidal_map_dot(b.q, b.qd); },
       [](const Bench& b) {
         CentroidalWorkspace<double> ws(b.model);
         Matrix A = b.of_v(6);
         centroidal_map_dot(b.model, ws, b.s.q, b.s.qd, A);
         return A;
       }},
      {"torque_regressor",
       [](Robot& r, const Bench& b) { return r.torque_regressor(b.q, b.qd, b.qdd); },
       [](const Bench& b) {
         RegressorWorkspace<double> ws(b.model);
         Matrix Y = Matrix::Zero(b.model.n_v(), 10 * (b.model.n_bodies() - 1));
         torque_regressor(b.model, ws, b.s.q, b.s.qd, b.s.qdd, Y);
         return Y;
       }},
      {"two_velocity_torque_regressor",
       [](Robot& r, const Bench& b) {
         return r.two_velocity_torque_regressor(b.q, b.qd, b.tau, b.qdd);
       },
       [](const Bench& b) {
         RegressorWorkspace<double> ws(b.model);
         Matrix Y = Matrix::Zero(b.model.n_v(), 10 * (b.model.n_bodies() - 1));
         two_velocity_torque_regressor(b.model, ws, b.s.q, b.s.qd, b.s.tau, b.s.qdd, Y);
         return Y;
       }},
      {"joint_regressor",
       [](Robot& r, const Bench& b) {
         return r.joint_regressor(JointParameter::viscous, b.qd, b.qdd);
       },
       [](const Bench& b) {
         Matrix Y = b.of_v(b.model.n_v());
         joint_regressor(b.model, JointParameter::viscous, b.s.qd, b.s.qdd, Y);
         return Y;
       }},
      {"energy_regressor",
       [](Robot& r, const Bench& b) -> Matrix { return r.energy_regressor(b.q, b.qd).kinetic; },
       [](const Bench& b) -> Matrix {
         MomentumWorkspace<double> ws(b.model);
         Vector k(10 * (b.model.n_bodies() - 1)), p = k;
         energy_regressor(b.model, ws, b.s.q, b.s.qd, k, p);
         return k;
       }},
      {"torque_of_parameters",
       [](Robot& r, const Bench& b) -> Matrix {
         return r.torque_of_parameters(b.q, b.qd, b.qdd, eigen(parameters(b.model)) * 2);
       },
       [](const Bench& b) -> Matrix {
         RegressorWorkspace<double> ws(b.model);
         Vector tau(b.model.n_v());
         rigid_inverse_dynamics(b.model, ws, b.s.q, b.s.qd, b.s.qdd,
                                Vector(eigen(parameters(b.model)) * 2), tau);
         return tau;
       }},
      {"integrate", [](Robot& r, const Bench& b) -> Matrix { return r.integrate(b.q, b.qd); },
       [](const Bench& b) -> Matrix {
         Vector q(b.model.n_q());
         integrate(b.model, b.s.q, b.s.qd, q);
         return q;
       }},
      {"difference",
       [](Robot& r, const Bench& b) -> Matrix { return r.difference(b.q, neutral_of(b)); },
       [](const Bench& b) -> Matrix {
         Vector v(b.model.n_v());
         difference(b.model, b.s.q, neutral_of(b), v);
         return v;
       }},
  };
}

void expect_agreement(const std::vector<Verb>& verbs, const Bench& b) {
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

TEST(RobotVerbs, are_those_of_the_rooms) {
  for (const Bench& b : {tree(), arm()}) {
    expect_agreement(kinematics(), b);
    expect_agreement(dynamics(), b);
    expect_agreement(forms(), b);
  }
}

TEST(RobotVerbs, of_robots_whose_velocities_are_rates_are_those_of_the_rooms) {
  expect_agreement(
      {{"christoffel", [](Robot& r, const Bench& b) { return r.christoffel(b.q)[2]; },
        [](const Bench& b) {
          const int n = b.model.n_v();
          ChristoffelWorkspace<double> ws(b.model);
          Array<double> c(n * n * n);
          const SymbolView<double> view{c.data(), n};
          christoffel(b.model, ws, b.s.q, view);
          Matrix out(n, n);
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) out(i, j) = view(i, j, 2);
          return out;
        }},
       {"configuration_space_form",
        [](Robot& r, const Bench& b) { return r.configuration_space_form(b.q).coriolis_B; },
        [](const Bench& b) -> Matrix {
          ConfigurationSpaceWorkspace<double> ws(b.model);
          ConfigurationSpaceForm<double> form(b.model);
          configuration_space_form(b.model, ws, b.s.q, form);
          return Eigen::Map<const Matrix>(form.coriolis_B.data.data(), form.coriolis_B.rows,
                                          form.coriolis_B.cols);
        }},
       {"operational_dynamics",
        [](Robot& r, const Bench& b) {
          return r.operational_dynamics({b.frame_name, aligned, {3, 4, 5}, 0.1}, b.q, b.qd).lambda;
        },
        [](const Bench& b) -> Matrix {
          OperationalTask task(b.frame, aligned, {3, 4, 5});
          task.damping = 0.1;
          OperationalWorkspace<double> ws(b.model);
          OperationalDynamics form(b.model, task);
          (void)operational_dynamics(b.model, ws, b.s.q, b.s.qd, task, form);
          return Eigen::Map<const Matrix>(form.lambda.data.data(), 3, 3);
        }},
       {"cartesian_form",
        [](Robot& r, const Bench& b) { return r.cartesian_form({b.frame_name}, b.q).M_x; },
        [](const Bench& b) -> Matrix {
          const OperationalTask task(b.frame);
          OperationalWorkspace<double> ws(b.model);
          CartesianForm form(b.model, task);
          (void)cartesian_form(b.model, ws, b.s.q, task, form);
          return Eigen::Map<const Matrix>(form.at_rest.lambda.data.data(), 6, 6);
        }}},
      arm());
}

TEST(RobotVerbs, on_a_robot_that_was_moved_from_refuse) {
  const Bench b = arm();
  Robot robot(b.model);
  const Robot other = std::move(robot);
  std::vector<Verb> verbs = kinematics();
  for (const auto& more : {dynamics(), forms()})
    verbs.insert(verbs.end(), more.begin(), more.end());
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
  for (const Verb& verb : verbs) {
    std::string message = "accepted";
    try {
      (void)verb.face(robot, b);
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "this Robot was moved from") << verb.name;
  }
  robot = other;  // and lives again
  EXPECT_EQ(robot.n_v(), b.model.n_v());
}

/// Verbs that write in place: the numbers of the verb that returns them, and no allocation.
TEST(RobotVerbs, in_place_give_the_same_numbers_and_allocate_nothing) {
  for (const Bench& b : {tree(), arm()}) {
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
