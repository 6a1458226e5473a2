#include "torsor/dynamics/derivatives/joint_torque_derivatives.hpp"

#include "support/tangent_truth.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;

/// A tree with friction, rotors and, where joints take them, springs.
Model<double> robot(unsigned seed) {
  RobotDescription d = testing::random_tree(seed, 14, testing::everything());
  testing::Draw<double> draw(seed + 50);
  for (Joint& joint : d.joints)
    if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic ||
        joint.kind == JointKind::universal)
      for (int k = 0; k < n_v(joint); ++k) joint.spring.push_back({draw(1, 5), draw(-1, 1)});
  return Model<double>(d);
}

TEST(JointTorqueDerivatives, make_those_of_the_motor_torque) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model = robot(seed);
    const State<double> s(model, seed);
    const auto tau = [&](const auto& q, const auto& qd, const auto& qdd) {
      using Number = typename std::decay_t<decltype(qd)>::value_type;
      RneaWorkspace<Number> ws(model);
      std::vector<Number> out(qd.size());
      rigid_inverse_dynamics(model, ws, q, qd, qdd, {}, out);
      add_joint_torques(model, q, qd, out);
      return out;
    };
    const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.qdd, tau);
    const auto differences = testing::slopes_by_differences(model, s.q, s.qd, s.qdd, tau);
    Square<double> by_q(model.n_v()), by_qd(model.n_v()), by_qdd(model.n_v());
    InverseDynamicsDerivativesWorkspace<double> ws(model);
    rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, s.qdd, {}, by_q.view(), by_qd.view(),
                                       by_qdd.view());
    RneaWorkspace<double> rnea(model);
    std::vector<double> t(s.qd.size());
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, t);
    add_joint_torque_derivatives<double>(model, s.qd, by_q.view(), by_qd.view(), t, by_qdd.view());
    for (std::size_t k = 0; k < truth.by_q.size(); ++k) {
      EXPECT_CLOSE(by_q.data[k], truth.by_q[k], 200 * testing::scale_of(truth.by_q));
      EXPECT_CLOSE(by_qd.data[k], truth.by_qd[k], 200 * testing::scale_of(truth.by_qd));
      EXPECT_CLOSE(by_qdd.data[k], truth.by_third[k], 200 * testing::scale_of(truth.by_third));
      EXPECT_NEAR(by_q.data[k], differences.by_q[k], 1e-8 * testing::scale_of(truth.by_q));
    }
  }
}

/// Friction bends sharply near rest, so differences of two steps are extrapolated.
TEST(JointTorqueDerivatives, slopes_of_friction_are_those_of_extrapolated_differences) {
  const Model<double> model = robot(1);
  for (int k = 0; k < model.n_v(); ++k)
    for (const double v : {-1.3, -0.2, 0.05, 0.4, 2.0}) {
      const auto difference = [&](double h) {
        return (friction_torque(model.dof(k), v + h) - friction_torque(model.dof(k), v - h)) /
               (2 * h);
      };
      const double slope = (4 * difference(5e-5) - difference(1e-4)) / 3;
      EXPECT_NEAR(internal::friction_slope(model.dof(k), v), slope, 1e-8 * (1 + std::abs(slope)))
          << k << " at " << v;
    }
}

TEST(JointTorqueDerivatives, make_those_of_the_acceleration_of_a_motor_torque) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model = robot(seed);
    const State<double> s(model, seed);
    const auto left = [&](const auto& q, const auto& qd, const auto& tau) {
      using Number = typename std::decay_t<decltype(qd)>::value_type;
      const std::vector<Number> zero(qd.size());
      std::vector<Number> taken(zero), out;
      add_joint_torques(model, q, qd, taken);
      for (std::size_t k = 0; k < tau.size(); ++k) {
        const DofConstants<double>& dof = model.dof(static_cast<int>(k));
        const Number u = tau[k] - taken[k], share = tanh(qd[k] / dof.width) * dof.load;
        out.push_back(u / (Number(1) + (u > Number(0) ? share : Number(-share))));
      }
      return out;
    };
    const auto qdd = [&](const auto& q, const auto& qd, const auto& tau) {
      using Number = typename std::decay_t<decltype(qd)>::value_type;
      AbaWorkspace<Number> ws(model);
      std::vector<Number> out(qd.size());
      EXPECT_TRUE(rigid_forward_dynamics(model, ws, q, qd, left(q, qd, tau), {}, out));
      return out;
    };
    const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.tau, qdd);
    Square<double> by_q(model.n_v()), by_qd(model.n_v()), by_tau(model.n_v());
    ForwardDynamicsDerivativesWorkspace<double> ws(model);
    const auto result =
        rigid_forward_dynamics_derivatives(model, ws, s.q, s.qd, left(s.q, s.qd, s.tau), {}, {},
                                           by_q.view(), by_qd.view(), by_tau.view());
    EXPECT_TRUE(result);
    subtract_joint_torque_derivatives<double>(model, s.qd, by_tau.view(), by_q.view(), by_qd.view(),
                                              left(s.q, s.qd, s.tau));
    const double multiple = 20 / result.pivot_ratio;
    for (std::size_t k = 0; k < truth.by_q.size(); ++k) {
      EXPECT_CLOSE(by_q.data[k], truth.by_q[k], multiple * testing::scale_of(truth.by_q));
      EXPECT_CLOSE(by_qd.data[k], truth.by_qd[k], multiple * testing::scale_of(truth.by_qd));
      EXPECT_CLOSE(by_tau.data[k], truth.by_third[k], multiple * testing::scale_of(truth.by_third));
    }
  }
}

}  // namespace
}  // namespace torsor
