#pragma once
/// Answers of kernels, arrays by number, held to the verbs for single states in double.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "batch/many_states.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/kinematics/forward.hpp"

namespace torsor::testing {

/// Chains of hinges of every length that is compiled ahead, trees of every kind of joint up to 64 bodies.
inline RandomTree chain_of_hinges(int n) {
  RandomTree chain;
  chain.kinds = {JointKind::revolute};
  chain.chain = true;
  chain.base = chain.fixed_links = false;
  chain.rotors = n % 2 == 1;
  return chain;
}
/// A first axis that is normal to the world's x makes the first joint a plain hinge, as in real arms; neither it
/// nor gravity is along z.
inline constexpr Vec3<double> first_turn{0.4, 0, 0}, slanting{2.5, -1.5, -9};
/// Each axis but the first normal to the one before, origins anywhere.
inline Model<double> chain_with_right_angles(int n) {
  RobotDescription description = random_tree(static_cast<unsigned>(30 + n), n, chain_of_hinges(n));
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    auto& joint = description.joints[k];
    const SO3<double> about_z = exp(Vec3<double>{0, 0, 0.7 * static_cast<double>(k)});
    const SO3<double> about_x = exp(Vec3<double>{k % 3 == 1 ? -M_PI_2 : M_PI_2, 0, 0});
    joint.placement.R = k == 0 ? exp(first_turn) : about_z * about_x * about_z;
    joint.axis = {0, 0, 1};
  }
  description.gravity = slanting;
  return Model<double>(std::move(description));
}
inline std::vector<Model<double>> robots_for_a_device(bool all) {
  std::vector<Model<double>> robots;
  for (const int n : all ? std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8} : std::vector<int>{1, 7}) {
    RobotDescription description = random_tree(static_cast<unsigned>(n), n, chain_of_hinges(n));
    description.joints.front().placement.R = exp(first_turn);
    description.gravity = slanting;
    description.joints.front().axis = {0, 0, 1};
    robots.emplace_back(std::move(description));
  }
  robots.emplace_back(random_tree(21, 14, RandomTree{}));
  RandomTree hinges;
  hinges.kinds = {JointKind::revolute, JointKind::prismatic};
  robots.emplace_back(random_tree(22, 9, hinges));
  if (!all) return robots;
  for (const int n : {2, 6, 7}) robots.push_back(chain_with_right_angles(n));
  RandomTree large;
  large.kinds = {JointKind::revolute, JointKind::continuous, JointKind::prismatic};
  robots.emplace_back(random_tree(23, 60, large));
  return robots;
}

template <class Real>
struct KernelAnswers {
  std::vector<Real> tau, qdd, M, M_packed, M_inverse, T;
  std::vector<Real> dtau_dq, dtau_dqd, dtau_dqdd, dqdd_dq, dqdd_dqd, dqdd_dtau;
};

/// Results within 2000 roundings of the largest number, times a hundredth of the condition of M where a
/// system is solved.
template <class Real>
void expect_true(const Model<double>& model, const ManyStates<Real>& states,
                 const KernelAnswers<Real>& answers, double more = 1) {
  const int n = model.n_v(), count = states.count();
  RneaWorkspace<double> rnea(model);
  AbaWorkspace<double> aba(model);
  CrbaWorkspace<double> crba(model);
  KinematicsWorkspace<double> kinematics(model);
  InverseDynamicsDerivativesWorkspace<double> slopes(model);
  ForwardDynamicsDerivativesWorkspace<double> forward_slopes(model);
  states.each([&](const OneState& s) {
    const auto near = [&](const char* what, const std::vector<Real>& got,
                          const std::vector<double>& truth, double condition) {
      if (got.empty()) return;
      ASSERT_EQ(got.size(), truth.size() * static_cast<std::size_t>(count)) << what;
      double scale = 1;
      for (const double x : truth) scale = std::max(scale, std::abs(x));
      const double tolerance = more * 2000 * std::numeric_limits<Real>::epsilon() * scale *
                               std::max(1.0, 0.01 * condition);
      for (std::size_t k = 0; k < truth.size(); ++k)
        ASSERT_NEAR(
            static_cast<double>(
                got[k * static_cast<std::size_t>(count) + static_cast<std::size_t>(s.index)]),
            truth[k], tolerance)
            << what << " of " << model.name() << " (" << model.n_bodies() - 1 << " bodies), state "
            << s.index << ", number " << k;
    };
    using Numbers = std::vector<double>;
    const auto size = static_cast<std::size_t>(n), square = size * size;
    Numbers tau(size), qdd(size), M(square);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.third, {}, tau);
    near("tau", answers.tau, tau, 1);
    mass_matrix(model, crba, s.q, row_major(M.data(), n, n));
    const Eigen::MatrixXd mass = Eigen::Map<Eigen::MatrixXd>(M.data(), n, n);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(mass);
    const double condition = eigen.eigenvalues().maxCoeff() / eigen.eigenvalues().minCoeff();
    ASSERT_TRUE(rigid_forward_dynamics(model, aba, s.q, s.qd, s.third, {}, qdd));
    near("qdd", answers.qdd, qdd, condition);
    near("M", answers.M, M, 1);
    Numbers packed;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) packed.push_back(mass(i, j));
    near("M, packed", answers.M_packed, packed, 1);
    const Eigen::MatrixXd inverse = mass.inverse();
    near("M^-1", answers.M_inverse, Numbers(inverse.data(), inverse.data() + square), condition);
    Numbers T;
    forward_kinematics(model, kinematics, s.q);
    for (int i = 0; i < model.n_bodies(); ++i) {
      const auto& [R, p] = kinematics.T_world_body[i];
      for (const double x : {R.c0.x, R.c1.x, R.c2.x, p.x, R.c0.y, R.c1.y, R.c2.y, p.y, R.c0.z,
                             R.c1.z, R.c2.z, p.z, 0.0, 0.0, 0.0, 1.0})
        T.push_back(x);
    }
    near("T", answers.T, T, 1);
    Numbers by_q(square), by_qd(square), by_last(square);
    const auto view = [&](Numbers& x) { return row_major(x.data(), n, n); };
    rigid_inverse_dynamics_derivatives(model, slopes, s.q, s.qd, s.third, {}, view(by_q),
                                       view(by_qd), view(by_last));
    near("dtau_dq", answers.dtau_dq, by_q, 1);
    near("dtau_dqd", answers.dtau_dqd, by_qd, 1);
    near("dtau_dqdd", answers.dtau_dqdd, by_last, 1);
    ASSERT_TRUE(rigid_forward_dynamics_derivatives(model, forward_slopes, s.q, s.qd, s.third, {},
                                                   qdd, view(by_q), view(by_qd), view(by_last)));
    near("dqdd_dq", answers.dqdd_dq, by_q, condition);
    near("dqdd_dqd", answers.dqdd_dqd, by_qd, condition);
    near("dqdd_dtau", answers.dqdd_dtau, by_last, condition);
  });
}

}  // namespace torsor::testing
