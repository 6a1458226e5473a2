// Verbs over many states are the verbs for one state, for robots of every joint kind, in both layouts,
// for any number of states, in double and in float.
#include "torsor/batch/batch.hpp"

#include <gtest/gtest.h>

#include "batch/many_states.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/jacobian.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

/// Robots of every joint kind, and chains of hinges with and without rotors, which have kernels of
/// their own.
std::vector<Model<double>> robots() {
  std::vector<Model<double>> all;
  all.emplace_back(random_tree(1, 16, everything()));
  all.emplace_back(random_tree(2, 12, RandomTree{}));
  RandomTree chain;
  chain.kinds = {JointKind::revolute};
  chain.chain = true;
  all.emplace_back(random_tree(3, 7, chain));
  chain.rotors = chain.dissipation = false;
  all.emplace_back(random_tree(4, 6, chain));
  chain.chain = false;
  chain.kinds = {JointKind::revolute, JointKind::prismatic};
  all.emplace_back(random_tree(5, 9, chain));
  return all;
}

template <class Real>
class BatchVerbs : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BatchVerbs, Reals);

/// f(model, states, batch, by_number) for robots, numbers of states and layouts.
template <class Real, class Function>
void for_all(Function f) {
  unsigned seed = 0;
  for (const Model<double>& model : robots()) {
    Batch<Real> batch(model, {.threads = 2});
    for (const int count : {1, 8, 37})
      for (const bool number_first : {false, true})
        f(model, ManyStates<Real>(model, count, ++seed, number_first), batch);
  }
}

TYPED_TEST(BatchVerbs, torques_are_those_of_single_states) {
  using Real = TypeParam;
  for_all<Real>([](const Model<double>& model, const ManyStates<Real>& x, Batch<Real>& batch) {
    DynamicsWorkspace<double> ws(model);
    RneaWorkspace<double> rnea(model);
    Answers<Real> tau(x, model.n_v()), rigid(tau), g(tau), bias(tau);
    ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()));
    batch.rigid_inverse_dynamics(x.q(), x.qd(), x.third(), rigid.view());
    batch.gravity_torque(x.q(), g.view());
    batch.bias_torque(x.q(), x.qd(), bias.view());
    x.each([&](const OneState& at) {
      std::vector<double> truth(at.qd.size());
      ASSERT_TRUE(inverse_dynamics(model, ws, at.q, at.qd, at.third, {}, truth));
      tau.expect_near(at.index, truth);
      rigid_inverse_dynamics(model, rnea, at.q, at.qd, at.third, {}, truth);
      rigid.expect_near(at.index, truth);
      gravity_torque(model, rnea, at.q, truth);
      g.expect_near(at.index, truth);
      bias_torque(model, rnea, at.q, at.qd, truth);
      bias.expect_near(at.index, truth);
    });
  });
}

TYPED_TEST(BatchVerbs, accelerations_are_those_of_single_states_to_the_condition_of_M) {
  using Real = TypeParam;
  for_all<Real>([](const Model<double>& model, const ManyStates<Real>& x, Batch<Real>& batch) {
    DynamicsWorkspace<double> ws(model);
    MinverseWorkspace<double> minverse(model);
    Answers<Real> qdd(x, model.n_v()), rigid(qdd), inverse(x, model.n_v() * model.n_v());
    ASSERT_TRUE(batch.forward_dynamics(x.q(), x.qd(), x.third(), qdd.view()));
    ASSERT_TRUE(batch.rigid_forward_dynamics(x.q(), x.qd(), x.third(), rigid.view()));
    ASSERT_TRUE(batch.mass_matrix_inverse(x.q(), inverse.view()));
    x.each([&](const OneState& at) {
      std::vector<double> truth(at.qd.size()), matrix(truth.size() * truth.size());
      const DynamicsResult<double> found =
          forward_dynamics(model, ws, at.q, at.qd, at.third, {}, truth);
      ASSERT_TRUE(found);
      const double condition = 1 / found.pivot_ratio;
      qdd.expect_near(at.index, truth, condition);
      ASSERT_TRUE(rigid_forward_dynamics(model, ws.aba, at.q, at.qd, at.third, {}, truth));
      rigid.expect_near(at.index, truth, condition);
      ASSERT_TRUE(mass_matrix_inverse(model, minverse, at.q,
                                      column_major(matrix.data(), model.n_v(), model.n_v())));
      inverse.expect_near(at.index, matrix, condition);  // symmetric
    });
  });
}

TYPED_TEST(BatchVerbs, matrices_are_those_of_single_states) {
  using Real = TypeParam;
  for_all<Real>([](const Model<double>& model, const ManyStates<Real>& x, Batch<Real>& batch) {
    const int n = model.n_v(), parameters = parameters_per_body * (model.n_bodies() - 1);
    CrbaWorkspace<double> crba(model);
    CoriolisWorkspace<double> coriolis(model);
    RegressorWorkspace<double> regressor(model);
    Answers<Real> M(x, n * n), C(M), Y(x, n * parameters);
    batch.mass_matrix(x.q(), M.view());
    batch.coriolis_matrix(x.q(), x.qd(), C.view());
    batch.torque_regressor(x.q(), x.qd(), x.third(), Y.view());
    x.each([&](const OneState& at) {
      std::vector<double> truth(static_cast<std::size_t>(n * n)),
          wide(static_cast<std::size_t>(n * parameters));
      mass_matrix(model, crba, at.q, row_major(truth.data(), n, n));
      M.expect_near(at.index, truth);
      coriolis_matrix(model, coriolis, at.q, at.qd, row_major(truth.data(), n, n));
      C.expect_near(at.index, truth);
      torque_regressor(model, regressor, at.q, at.qd, at.third,
                       row_major(wide.data(), n, parameters));
      Y.expect_near(at.index, wide);
    });
  });
}

TYPED_TEST(BatchVerbs, poses_jacobians_and_energies_are_those_of_single_states) {
  using Real = TypeParam;
  for_all<Real>([](const Model<double>& model, const ManyStates<Real>& x, Batch<Real>& batch) {
    const int n = model.n_v();
    const Frame& frame = model.frames().back();
    MomentumWorkspace<double> momentum(model);
    Answers<Real> T(x, 16), all(x, 16 * model.n_bodies()), J(x, 6 * n), K(x, 1), U(x, 1);
    batch.frame_pose(x.q(), frame, T.view());
    batch.body_poses(x.q(), all.view());
    batch.jacobian(x.q(), frame, Reference::world_aligned, J.view());
    batch.energies(x.q(), x.qd(), K.view(), U.view());
    const auto rows = [](const SE3<double>& pose, std::vector<double>& to) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) to.push_back(pose.R(r, c));
        to.push_back(pose.p[r]);
      }
      to.insert(to.end(), {0, 0, 0, 1});
    };
    x.each([&](const OneState& at) {
      const double kinetic = kinetic_energy<double, double>(model, momentum, at.q, at.qd);
      K.expect_near(at.index, {kinetic});
      U.expect_near(at.index, {potential_energy(model, momentum.kinematics)});
      std::vector<double> one, every, columns(static_cast<std::size_t>(6 * n));
      rows(frame_pose(momentum.kinematics, frame), one);
      T.expect_near(at.index, one);
      for (const SE3<double>& pose : momentum.kinematics.T_world_body) rows(pose, every);
      all.expect_near(at.index, every);
      jacobian(model, momentum.kinematics, at.q, frame, Reference::world_aligned,
               row_major(columns.data(), 6, n));
      J.expect_near(at.index, columns);
    });
  });
}

TYPED_TEST(BatchVerbs, derivatives_are_those_of_single_states) {
  using Real = TypeParam;
  for_all<Real>([](const Model<double>& model, const ManyStates<Real>& x, Batch<Real>& batch) {
    const int n = model.n_v();
    InverseDynamicsDerivativesWorkspace<double> inverse(model);
    ForwardDynamicsDerivativesWorkspace<double> forward(model);
    Answers<Real> a(x, n * n), b(a), c(a), d(a), e(a), f(a), only(a);
    batch.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), a.view(), b.view(),
                                             c.view());
    ASSERT_TRUE(batch.rigid_forward_dynamics_derivatives(x.q(), x.qd(), x.third(), d.view(),
                                                         e.view(), f.view()));
    batch.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), {}, only.view());
    x.each([&](const OneState& at) {
      std::vector<double> m[3], qdd(at.qd.size());
      for (auto& matrix : m) matrix.resize(qdd.size() * qdd.size());
      const auto view = [&](int k) { return row_major(m[k].data(), n, n); };
      rigid_inverse_dynamics_derivatives(model, inverse, at.q, at.qd, at.third, {}, view(0),
                                         view(1), view(2));
      a.expect_near(at.index, m[0]);
      b.expect_near(at.index, m[1]);
      c.expect_near(at.index, m[2]);
      only.expect_near(at.index, m[1]);
      const auto found = rigid_forward_dynamics_derivatives(model, forward, at.q, at.qd, at.third,
                                                            {}, qdd, view(0), view(1), view(2));
      ASSERT_TRUE(found);
      d.expect_near(at.index, m[0], 1 / found.pivot_ratio);
      e.expect_near(at.index, m[1], 1 / found.pivot_ratio);
      f.expect_near(at.index, m[2], 1 / found.pivot_ratio);
    });
  });
}

TYPED_TEST(BatchVerbs, derivatives_with_friction_are_those_of_single_states) {
  using Real = TypeParam;
  unsigned seed = 0;
  for (const Model<double>& model : robots()) {
    const int n = model.n_v();
    const ManyStates<Real> x(model, 9, ++seed, false);
    Batch<Real> batch(model, {.threads = 1});
    Answers<Real> by_q(x, n * n), by_qd(by_q), f_q(by_q), f_qd(by_q), f_tau(by_q);
    ASSERT_TRUE(
        batch.inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), by_q.view(), by_qd.view()));
    ASSERT_TRUE(batch.forward_dynamics_derivatives(x.q(), x.qd(), x.third(), f_q.view(),
                                                   f_qd.view(), f_tau.view()));
    DynamicsDerivativesWorkspace ws(model);
    std::vector<Parameter> along;
    for (int k = 0; k < n; ++k) along.push_back(Parameter::coordinate(model, k));
    for (int k = 0; k < n; ++k) along.push_back(Parameter::velocity(model, k));
    for (int k = 0; k < n; ++k) along.push_back(Parameter::torque(model, k));
    ConstrainedParameterDerivatives slopes(model, ws.set, 3 * n);
    const auto rows = [&](const StoredMatrix<double>& all, int block) {
      std::vector<double> m;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) m.push_back(all.data[(block * n + c) * n + r]);
      return m;
    };
    x.each([&](const OneState& at) {
      std::vector<double> out(at.qd.size());
      ASSERT_TRUE(inverse_dynamics_derivatives(model, ws, {along.data(), 2 * n}, at.q, at.qd,
                                               at.third, {}, out, slopes));
      by_q.expect_near(at.index, rows(slopes.dtau, 0));
      by_qd.expect_near(at.index, rows(slopes.dtau, 1));
      const auto found =
          forward_dynamics_derivatives(model, ws, along, at.q, at.qd, at.third, {}, out, slopes);
      ASSERT_TRUE(found);
      // Single pivots of the sweep are not at hand here: that of M, from the accelerations.
      DynamicsWorkspace<double> full(model);
      const double condition =
          1 / forward_dynamics(model, full, at.q, at.qd, at.third, {}, out).pivot_ratio;
      f_q.expect_near(at.index, rows(slopes.dqdd, 0), condition);
      f_qd.expect_near(at.index, rows(slopes.dqdd, 1), condition);
      f_tau.expect_near(at.index, rows(slopes.dqdd, 2), condition);
    });
  }
}

}  // namespace
