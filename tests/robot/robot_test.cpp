// The friendly face: every verb gives what the room's own verb gives, and refuses wrong arguments.
#include "torsor/robot.hpp"

#include <functional>

#include "support/dynamics_state.hpp"
#include "support/refusal.hpp"
#include "torsor/identification/energy_regressor.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using testing::refusal;
using testing::State;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector eigen(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}
double difference(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

/// A tree with every kind of joint, and a state of it.
struct Tree {
  Model<double> model{testing::random_tree(5, 14)};
  State<double> s{model, 5};
  Robot robot{model};
  Vector q = eigen(s.q), qd = eigen(s.qd), qdd = eigen(s.qdd), tau = eigen(s.tau);
  Vector zero = Vector::Zero(model.n_v());
  Robot::Wrenches external;

  Tree() {
    for (int i = 1; i < model.n_bodies(); ++i) {
      const Wrench<double>& F = s.F_ext[static_cast<std::size_t>(i)];
      Robot::Vector6 w;
      w << F.m.x, F.m.y, F.m.z, F.f.x, F.f.y, F.f.z;
      external.push_back({model.body_name(i), w});
    }
  }
};

TEST(RobotFace, forward_hybrid_and_inverse_dynamics_are_those_of_the_room) {
  Tree t;
  const int n = t.model.n_v();
  DynamicsWorkspace<double> ws(t.model);
  std::vector<double> tau(t.s.tau), qdd(t.s.qdd);
  ASSERT_TRUE(inverse_dynamics(t.model, ws, t.s.q, t.s.qd, t.s.qdd, t.s.F_ext, tau));
  EXPECT_LT(difference(t.robot.inverse_dynamics(t.q, t.qd, t.qdd, t.external), eigen(tau)), 1e-12);
  const Effects rigid{.friction = false, .springs = false, .disturbance = false};
  ASSERT_TRUE(inverse_dynamics(t.model, ws, t.s.q, t.s.qd, t.s.qdd, {}, tau, rigid));
  EXPECT_LT(difference(t.robot.inverse_dynamics(t.q, t.qd, t.qdd, {}, rigid), eigen(tau)), 1e-12);
  ASSERT_TRUE(forward_dynamics(t.model, ws, t.s.q, t.s.qd, t.s.tau, t.s.F_ext, qdd));
  const auto forward = t.robot.forward_dynamics(t.q, t.qd, t.tau, t.external);
  EXPECT_TRUE(forward);
  EXPECT_LT(difference(forward.qdd, eigen(qdd)), 1e-12);  // quaternions are normalised
  const auto hybrid =
      t.robot.hybrid_dynamics({"joint_2", "joint_7"}, t.q, t.qd, forward.qdd, t.tau, t.external);
  EXPECT_TRUE(hybrid);
  EXPECT_LT(difference(hybrid.tau, t.tau), 1e-10);
  EXPECT_LT(difference(hybrid.qdd, forward.qdd), 1e-9);
  EXPECT_EQ(hybrid.qdd.size(), n);
}

TEST(RobotFace, matrices_fit_together) {
  Tree t;
  const int n = t.model.n_v();
  const Matrix M = t.robot.mass_matrix(t.q), C = t.robot.coriolis_matrix(t.q, t.qd);
  const auto inverse = t.robot.mass_matrix_inverse(t.q);
  EXPECT_TRUE(inverse);
  const double scale = 1e-12 * M.norm() * inverse.matrix.norm();
  EXPECT_LT(difference(M * inverse.matrix, Matrix::Identity(n, n)), scale);
  const auto solved = t.robot.mass_matrix_inverse_times(t.q, C);
  EXPECT_TRUE(solved);
  EXPECT_LT(difference(M * solved.matrix, C), scale * (1 + C.norm()));
  const Vector g = t.robot.gravity_torque(t.q), b = t.robot.bias_torque(t.q, t.qd);
  EXPECT_LT(difference(C * t.qd + g, b), 1e-12 * (1 + b.norm()));
  const Effects rigid{.friction = false, .springs = false, .disturbance = false};
  const Vector tau = t.robot.inverse_dynamics(t.q, t.qd, t.qdd, {}, rigid);
  EXPECT_LT(difference(M * t.qdd + b, tau), 1e-11 * (1 + tau.norm()));
  EXPECT_LT(difference(t.robot.friction_torque(t.q, t.qd),
                       t.robot.inverse_dynamics(t.q, t.qd, t.qdd) - tau),
            1e-12 * (1 + tau.norm()));
  EXPECT_LT(
      difference(t.robot.two_velocity_inverse_dynamics(t.q, t.qd, t.tau, t.zero), C * t.tau + g),
      1e-11 * (1 + tau.norm()));
  const auto state = t.robot.state_space_form(t.q, t.qd);
  EXPECT_EQ(difference(state.M, M), 0);
  EXPECT_LT(difference(state.V + state.G, b), 1e-12 * (1 + b.norm()));
  const auto form = t.robot.configuration_space_form(t.q);
  EXPECT_EQ(form.coriolis_B.cols(), n * (n - 1) / 2);
  Vector products(n * (n - 1) / 2), squares = t.qd.cwiseAbs2();
  velocity_products(View<const double>(t.qd), products);
  EXPECT_LT(difference(form.coriolis_B * products + form.centrifugal_C * squares, state.V),
            1e-11 * (1 + b.norm()));
}

TEST(RobotFace, kinematics_fit_together) {
  Tree t;
  const std::string frame = "link_9";
  for (const Reference r : {Reference::body, Reference::world, Reference::world_aligned}) {
    const Matrix J = t.robot.jacobian(frame, t.q, r),
                 Jdot = t.robot.jacobian_dot(frame, t.q, t.qd, r);
    EXPECT_LT(difference(J * t.qd, t.robot.frame_velocity(frame, t.q, t.qd, r)), 1e-13);
    EXPECT_LT(
        difference(J * t.qdd + Jdot * t.qd, t.robot.frame_acceleration(frame, t.q, t.qd, t.qdd, r)),
        1e-12);
    Robot::Vector6 F;
    F << 1, 2, 3, 4, 5, 6;
    EXPECT_LT(difference(J.transpose() * F, t.robot.statics(frame, t.q, F, r)), 1e-13);
  }
  const Robot::Pose T = t.robot.frame_pose(frame, t.q);
  EXPECT_NEAR(T.linear().determinant(), 1, 1e-14);
  const Eigen::Vector3d point(0.1, 0.2, 0.3);
  const Matrix J = t.robot.jacobian(frame, t.q, Reference::world_aligned);
  Eigen::Matrix3d cross;
  const Eigen::Vector3d x = T.linear() * point;
  cross << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  EXPECT_LT(
      difference(t.robot.point_jacobian(frame, t.q, point), J.bottomRows(3) - cross * J.topRows(3)),
      1e-13);
  const auto analytic = t.robot.analytic_jacobian(frame, t.q);
  EXPECT_FALSE(analytic.singular);
  EXPECT_EQ(difference(analytic.J.bottomRows(3), J.bottomRows(3)), 0);
  // A load at that point is a force by virtual work.
  const Vector Q = t.robot.generalised_force(t.q, {{frame, point, {1, 2, 3}}});
  EXPECT_LT(difference(Q, t.robot.point_jacobian(frame, t.q, point).transpose() *
                              Eigen::Vector3d(1, 2, 3)),
            1e-13);
}

TEST(RobotFace, inverse_kinematics_of_an_arm_come_back) {
  Robot robot("puma560");
  Vector q(6);
  q << 0.3, -0.7, 0.5, 0.9, -1.1, 0.6;
  const Robot::Pose T = robot.frame_pose("tool", q);
  const auto ik = robot.analytic_ik("tool", T);
  EXPECT_EQ(ik.status, AnalyticIkStatus::solved);
  double nearest = 1;
  for (const Robot::IkSolution& s : ik.solutions) {
    EXPECT_LT(difference(robot.frame_pose("tool", s.q).matrix(), T.matrix()), 1e-12);
    nearest = std::min(nearest, difference(s.q, q));
  }
  EXPECT_LT(nearest, 1e-10);
  EXPECT_EQ(robot.analytic_ik("tool", T).solutions.size(), ik.solutions.size());
  const Matrix J = robot.jacobian("tool", q);
  const Vector qd = Vector::LinSpaced(6, -1, 1);
  const auto rates = robot.inverse_velocity("tool", q, J * qd);
  EXPECT_EQ(rates.info.solvability, Solvability::unique);
  EXPECT_LT(difference(rates.rates, qd), 1e-12);
  const auto faster =
      robot.inverse_acceleration("tool", q, qd, robot.frame_acceleration("tool", q, qd, 2 * qd));
  EXPECT_LT(difference(faster.rates, 2 * qd), 1e-11);
  EXPECT_EQ(faster.info.rank, 6);
  EXPECT_NEAR(robot.manipulability("tool", q).measure, std::abs(J.determinant()), 1e-13);
  EXPECT_FALSE(robot.singularities("tool", q).singular());
  EXPECT_TRUE(robot.nearest_singularity("tool", q).converged);
  const StaticWrench F = robot.wrench_from_torques("tool", q, J.transpose().col(4));
  EXPECT_EQ(F.rank, 6);
  EXPECT_NEAR(F.F.f.y, 1, 1e-12);
  const FrameTask task{"tool", Reference::body};
  const auto lambda = robot.operational_dynamics(task, q, qd);
  EXPECT_TRUE(lambda.result);
  EXPECT_LT(difference(J.transpose() * lambda.lambda * J, robot.mass_matrix(q)), 1e-11);
  EXPECT_LT(difference(J.transpose() * (lambda.mu + lambda.p) +
                           J.transpose() * lambda.lambda * robot.jacobian_dot("tool", q, qd) * qd,
                       robot.bias_torque(q, qd)),
            1e-10);
  const auto cartesian = robot.cartesian_form(task, q);
  EXPECT_TRUE(cartesian.result);
  EXPECT_LT(difference(cartesian.M_x, lambda.lambda), 1e-10);
  EXPECT_LT(difference(cartesian.G_x, lambda.p), 1e-10);
  const std::vector<Matrix> c = robot.christoffel(q);
  Matrix C = Matrix::Zero(6, 6);
  for (std::size_t k = 0; k < 6; ++k) C += c[k] * qd[static_cast<Eigen::Index>(k)];
  EXPECT_LT(difference(C, robot.coriolis_matrix(q, qd)), 1e-13);
}

TEST(RobotFace, energy_momentum_and_parameters_fit_together) {
  Tree t;
  const Vector p = t.robot.parameters();
  EXPECT_EQ(static_cast<std::size_t>(p.size()), t.robot.parameter_names().size());
  const auto rows = t.robot.energy_regressor(t.q, t.qd);
  double rotors = 0;
  for (int k = 0; k < t.model.n_v(); ++k) rotors += t.model.dof(k).armature * t.qd[k] * t.qd[k];
  EXPECT_NEAR(rows.kinetic.dot(p), t.robot.kinetic_energy(t.q, t.qd) - rotors / 2, 1e-11);
  EXPECT_NEAR(rows.potential.dot(p), t.robot.potential_energy(t.q), 1e-10);
  EXPECT_EQ(t.robot.spring_energy(t.q), 0);
  const Vector tau = t.robot.torque_of_parameters(t.q, t.qd, t.qdd, p);
  EXPECT_LT(difference(t.robot.torque_regressor(t.q, t.qd, t.qdd) * p, tau), 1e-11);
  EXPECT_LT(difference(t.robot.two_velocity_torque_regressor(t.q, t.qd, t.tau, t.qdd) * p,
                       t.robot.coriolis_matrix(t.q, t.qd) * t.tau +
                           t.robot.inverse_dynamics(t.q, t.zero, t.qdd, {}, Effects::none())),
            1e-10);
  Vector friction = Vector::Zero(t.model.n_v());
  for (const auto kind :
       {JointParameter::viscous, JointParameter::coulomb, JointParameter::stiction}) {
    Vector own(t.model.n_v());
    for (int k = 0; k < own.size(); ++k) own[k] = internal::joint_parameter(t.model.dof(k), kind);
    friction += t.robot.joint_regressor(kind, t.qd, t.qdd) * own;
  }
  EXPECT_LT(difference(friction, t.robot.friction_torque(t.q, t.qd)), 1e-13);
  // Centre of mass and momentum.
  const auto h = t.robot.centroidal_momentum(t.q, t.qd, t.qdd);
  EXPECT_NEAR(h.com.mass, t.robot.mass(), 1e-13);
  EXPECT_LT(difference(t.robot.com_jacobian(t.q) * t.qd,
                       Eigen::Vector3d(h.com.velocity.x, h.com.velocity.y, h.com.velocity.z)),
            1e-13);
  const Eigen::Vector3d a =
      t.robot.com_jacobian(t.q) * t.qdd + t.robot.com_jacobian_dot(t.q, t.qd) * t.qd;
  EXPECT_NEAR(a[1], h.com.acceleration.y, 1e-12);
  const Robot::Vector6 rate =
      t.robot.centroidal_map(t.q) * t.qdd + t.robot.centroidal_map_dot(t.q, t.qd) * t.qd;
  EXPECT_NEAR(rate[0], h.rate.m.x, 1e-10);
  EXPECT_NEAR(t.robot.momentum(t.q, t.qd)[4], h.momentum.f.y, 1e-12);
  EXPECT_NEAR(t.robot.centre_of_mass(t.q)[2], h.com.position.z, 1e-13);
}

TEST(RobotFace, joint_wrenches_hold_the_weight) {
  Robot robot("puma560");
  const Vector q = robot.neutral(), zero = Vector::Zero(6);
  const Matrix F = robot.joint_wrenches(q, zero, zero);
  const Robot::Pose T = robot.frame_pose(robot.model().body_name(1), q);
  const Eigen::Vector3d force = T.linear() * F.col(0).tail(3);
  EXPECT_NEAR(force[2], robot.mass() * 9.81, 1e-12);
  const auto lift = [] {
    BaseMotion<double> base;
    base.Vdot.v.z = 9.81;
    return base;
  }();
  EXPECT_LT(difference(robot.inverse_dynamics(lift, q, zero, zero), 2 * robot.gravity_torque(q)),
            1e-12);
  const auto falls = [] {
    BaseMotion<double> base;
    base.Vdot.v.z = -9.81;
    return base;
  }();
  const auto still = robot.forward_dynamics(falls, q, zero, zero);
  EXPECT_TRUE(still);
  EXPECT_LT(still.qdd.norm(), 1e-10);
}

TEST(RobotFace, configurations_of_a_tree_step_and_come_back) {
  Tree t;
  const Vector q = t.robot.integrate(t.q, t.qd);
  EXPECT_LT(difference(t.robot.integrate(t.q, t.robot.difference(t.q, q)), q), 1e-12);
  EXPECT_EQ(difference(t.robot.random_configuration(3), t.robot.random_configuration(3)), 0);
}

TEST(RobotFace, wrong_arguments_are_refused_with_name_size_and_expectation) {
  Tree t;
  const Vector shorter = Vector::Zero(3);
  const std::string n_q = std::to_string(t.model.n_q()), n_v = std::to_string(t.model.n_v());
  const std::string who = "robot \"random_5\": ";
  EXPECT_EQ(refusal([&] { t.robot.mass_matrix(shorter); }),
            who + "q has 3 numbers, expected " + n_q);
  EXPECT_EQ(refusal([&] { t.robot.inverse_dynamics(t.q, shorter, t.qdd); }),
            who + "qd has 3 numbers, expected " + n_v);
  EXPECT_EQ(refusal([&] { t.robot.inverse_dynamics(t.q, t.qd, shorter); }),
            who + "qdd has 3 numbers, expected " + n_v);
  EXPECT_EQ(refusal([&] { (void)t.robot.forward_dynamics(t.q, t.qd, shorter); }),
            who + "tau has 3 numbers, expected " + n_v);
  EXPECT_EQ(
      refusal([&] { t.robot.torque_of_parameters(t.q, t.qd, t.qdd, shorter); }),
      who + "parameters has 3 numbers, expected " + std::to_string(10 * (t.model.n_bodies() - 1)));
  EXPECT_EQ(refusal([&] { (void)t.robot.mass_matrix_inverse_times(t.q, Matrix::Zero(2, 2)); }),
            who + "A has 2 rows, expected " + n_v);
  Vector nan = t.qd;
  nan[4] = std::nan("");
  EXPECT_NE(refusal([&] { t.robot.inverse_dynamics(t.q, nan, t.qdd); }).find("not finite"),
            std::string::npos);
  EXPECT_NE(refusal([&] { t.robot.gravity_torque(2 * t.q); }).find("quaternion"),
            std::string::npos);
  EXPECT_NE(refusal([&] { t.robot.jacobian("link_99", t.q); }).find("link_99"), std::string::npos);
  EXPECT_NE(refusal([&] {
              (void)t.robot.hybrid_dynamics({"joint_99"}, t.q, t.qd, t.qdd, t.tau);
            }).find("joint_99"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              t.robot.inverse_dynamics(t.q, t.qd, t.qdd, {{"nowhere", {}}});
            }).find("nowhere"),
            std::string::npos);
  EXPECT_NE(refusal([&] { t.robot.generalised_force(t.q, {{"link_99"}}); }).find("link_99"),
            std::string::npos);
  EXPECT_NE(refusal([&] { t.robot.christoffel(t.q); }), "accepted");  // quaternions
}

TEST(RobotFace, copies_share_the_model_and_nothing_else) {
  Robot robot("puma560");
  const Vector q = robot.random_configuration(1), other = robot.random_configuration(2);
  const Matrix M = robot.mass_matrix(q);
  Robot copy = robot;
  EXPECT_EQ(&copy.model(), &robot.model());
  EXPECT_NE(difference(copy.mass_matrix(other), M), 0);
  EXPECT_EQ(difference(robot.mass_matrix(q), M), 0);
  copy = Robot("planar2r");
  EXPECT_EQ(copy.n_v(), 2);
  Robot rigid(without_friction(robot.model()));
  EXPECT_EQ(rigid.friction_torque(q, q).norm(), 0);
}

TEST(RobotFace, a_singular_mass_matrix_is_reported_and_nothing_is_infinite) {
  RobotDescription robot = testing::random_tree(
      3, 4, {.kinds = {JointKind::revolute}, .chain = true, .fixed_links = false, .rotors = false});
  for (Link& link : robot.links)
    if (link.name == "link_4") link.inertial = {}, link.has_inertial = false;
  Robot massless{Model<double>(robot)};
  const Vector q = massless.random_configuration(1), v = Vector::Ones(4);
  const auto forward = massless.forward_dynamics(q, v, v);
  EXPECT_FALSE(forward);
  EXPECT_TRUE(forward.qdd.allFinite());
  EXPECT_LT(forward.pivot_ratio, 1e-14);
  const auto inverse = massless.mass_matrix_inverse(q);
  EXPECT_FALSE(inverse);
  EXPECT_TRUE(inverse.matrix.allFinite());
  EXPECT_TRUE(massless.hybrid_dynamics({"joint_4"}, q, v, v, v));
  EXPECT_FALSE(massless.hybrid_dynamics({"joint_1"}, q, v, v, v));
}

}  // namespace
}  // namespace torsor
