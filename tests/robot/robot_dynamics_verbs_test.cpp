// The dynamics verbs of Robot give the numbers of the rooms.
#include "robot/verb_table.hpp"
#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/generalised_force.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/identification/energy_regressor.hpp"

namespace torsor {
namespace {

using namespace testing;
constexpr Reference aligned = Reference::world_aligned;

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

TEST(RobotDynamics, is_that_of_the_rooms) {
  for (const Bench& b : {tree(), arm()}) {
    expect_agreement(dynamics(), b);
    expect_agreement(forms(), b);
  }
}

TEST(RobotDynamics, of_robots_whose_velocities_are_rates_is_that_of_the_rooms) {
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

TEST(RobotDynamics, on_a_base_that_cannot_move_like_this_is_refused) {
  Robot robot("puma560");
  const Vector zero = Vector::Zero(6);
  BaseMotion<double> base;
  base.V.w.y = std::nan("");
  EXPECT_THROW((void)robot.inverse_dynamics(base, zero, zero, zero), Error);
  EXPECT_THROW((void)robot.forward_dynamics(base, zero, zero, zero), Error);
  base = {};
  base.T_world_base.R(2, 2) = -1;
  EXPECT_THROW((void)robot.inverse_dynamics(base, zero, zero, zero), Error);
}

TEST(RobotDynamics, of_a_robot_that_was_moved_from_is_refused) {
  expect_refusals_when_moved_from(dynamics(), arm());
  expect_refusals_when_moved_from(forms(), arm());
}

}  // namespace
}  // namespace torsor
