#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/tangent_truth.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {
namespace {

using testing::expect_close;
using testing::Slopes;
using testing::Square;
using testing::State;

template <class Real>
struct Derivatives {
  Square<Real> by_q, by_qd, by_qdd;

  template <class Param>
  Derivatives(const Model<Param>& model, const State<Real>& s, bool external = true)
      : by_q(model.n_v()), by_qd(model.n_v()), by_qdd(model.n_v()) {
    InverseDynamicsDerivativesWorkspace<Real> ws(model);
    const std::vector<Wrench<Real>> none;
    rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, s.qdd, external ? s.F_ext : none,
                                       by_q.view(), by_qd.view(), by_qdd.view());
  }
};

/// tau of any scalar, with the wrenches of s.
template <class Param, class Real>
auto torque(const Model<Param>& model, const State<Real>& s) {
  return [&](const auto& q, const auto& qd, const auto& qdd) {
    using Number = typename std::decay_t<decltype(qd)>::value_type;
    RneaWorkspace<Number> ws(model);
    std::vector<Number> tau(qd.size());
    rigid_inverse_dynamics(model, ws, q, qd, qdd, testing::constant_wrenches<Number>(s.F_ext), tau);
    return tau;
  };
}

template <class Real>
class InverseDynamicsDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(InverseDynamicsDerivatives, testing::Scalars, testing::ScalarNames);

TYPED_TEST(InverseDynamicsDerivatives, are_those_of_dual_numbers_on_trees_of_every_joint) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const Derivatives<Real> d(model, s);
    const Slopes<Real> truth = testing::slopes_by_duals(model, s.q, s.qd, s.qdd, torque(model, s));
    const std::string what = "seed " + std::to_string(seed);
    expect_close(d.by_q.data, truth.by_q, 200, what + ", by q");
    expect_close(d.by_qd.data, truth.by_qd, 200, what + ", by qd");
    expect_close(d.by_qdd.data, truth.by_third, 200, what + ", by qdd");
  }
}

TEST(InverseDynamicsDerivativesOf, every_joint_kind_alone_and_in_chains_are_those_of_dual_numbers) {
  unsigned seed = 0;
  for (const JointKind kind : testing::every_moving_kind())
    for (const int joints : {1, 4}) {
      const Model<double> model(
          testing::random_tree(++seed, joints, {.kinds = {kind}, .chain = true}));
      const State<double> s(model, seed);
      const Derivatives<double> d(model, s);
      const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.qdd, torque(model, s));
      const std::string what = "kind " + std::to_string(static_cast<int>(kind));
      expect_close(d.by_q.data, truth.by_q, 100, what + ", by q");
      expect_close(d.by_qd.data, truth.by_qd, 100, what + ", by qd");
      expect_close(d.by_qdd.data, truth.by_third, 100, what + ", by qdd");
    }
}

TEST(InverseDynamicsDerivativesOf, random_trees_are_those_of_central_differences) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const Derivatives<double> d(model, s);
    const auto truth = testing::slopes_by_differences(model, s.q, s.qd, s.qdd, torque(model, s));
    const double difference_error = 1e-8 / std::numeric_limits<double>::epsilon();
    expect_close(d.by_q.data, truth.by_q, difference_error, "by q");
    expect_close(d.by_qd.data, truth.by_qd, difference_error, "by qd");
    expect_close(d.by_qdd.data, truth.by_third, difference_error, "by qdd");
  }
}

/// Zero velocities and accelerations at the neutral configuration, where axes of Euler joints
/// align.
TEST(InverseDynamicsDerivativesOf, a_robot_at_rest_with_aligned_axes_are_those_of_dual_numbers) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const bool moving : {false, true}) {
      const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
      State<double> s(model, seed);
      neutral(model, s.q);
      if (!moving)
        for (auto* x : {&s.qd, &s.qdd})
          for (double& e : *x) e = 0;
      const Derivatives<double> d(model, s);
      const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.qdd, torque(model, s));
      expect_close(d.by_q.data, truth.by_q, 200, "by q");
      expect_close(d.by_qd.data, truth.by_qd, 200, "by qd");
    }
}

TEST(InverseDynamicsDerivativesOf, the_acceleration_are_the_mass_matrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 20, testing::everything()));
    const State<double> s(model, seed);
    const Derivatives<double> d(model, s);
    Square<double> M(model.n_v());
    CrbaWorkspace<double> crba(model);
    mass_matrix(model, crba, s.q, M.view());
    expect_close(d.by_qdd.data, M.data, 50, "seed " + std::to_string(seed));
  }
}

TEST(GravityTorqueDerivatives, are_symmetric_for_a_fixed_base_and_joints_of_one_velocity) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 20, {.kinds = testing::one_dof_kinds()}));
    const State<double> s(model, seed);
    InverseDynamicsDerivativesWorkspace<double> ws(model);
    Square<double> d(model.n_v());
    gravity_torque_derivatives(model, ws, s.q, d.view());
    for (int r = 0; r < d.n; ++r)
      for (int c = 0; c < r; ++c)
        EXPECT_CLOSE(d(r, c), d(c, r), 50 * testing::scale_of(d.data)) << "seed " << seed;
  }
}

TEST(GravityTorqueDerivatives, and_those_of_the_bias_are_those_of_dual_numbers) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    InverseDynamicsDerivativesWorkspace<double> ws(model);
    Square<double> gravity(model.n_v()), by_q(model.n_v()), by_qd(model.n_v());
    gravity_torque_derivatives(model, ws, s.q, gravity.view());
    bias_torque_derivatives(model, ws, s.q, s.qd, by_q.view(), by_qd.view());
    const auto of = [&](bool moving) {
      return [&model, moving](const auto& q, const auto& qd, const auto&) {
        using Number = typename std::decay_t<decltype(qd)>::value_type;
        RneaWorkspace<Number> rnea(model);
        std::vector<Number> tau(qd.size());
        if (moving)
          bias_torque(model, rnea, q, qd, tau);
        else
          gravity_torque(model, rnea, q, tau);
        return tau;
      };
    };
    expect_close(gravity.data, testing::slopes_by_duals(model, s.q, s.qd, s.qdd, of(false)).by_q,
                 200, "gravity");
    const auto bias = testing::slopes_by_duals(model, s.q, s.qd, s.qdd, of(true));
    expect_close(by_q.data, bias.by_q, 200, "bias by q");
    expect_close(by_qd.data, bias.by_qd, 200, "bias by qd");
  }
}

/// d/de of the derivatives along a step of q, qd and qdd is a product of second derivatives with
/// it.
TEST(InverseDynamicsDerivativesOf, dual_states_are_hessian_vector_products) {
  using Tangent = Dual<double, 1>;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed), direction(model, seed + 100);
    const int n = model.n_v();
    const auto at = [&](double e) {
      State<double> x = s;
      std::vector<double> step(s.qd.size());
      for (std::size_t k = 0; k < step.size(); ++k) {
        step[k] = e * direction.tau[k];
        x.qd[k] += e * direction.qd[k];
        x.qdd[k] += e * direction.qdd[k];
      }
      integrate(model, s.q, step, x.q);
      return Derivatives<double>(model, x);
    };
    const double h = 1e-5;
    const Derivatives<double> plus = at(h), minus = at(-h);

    std::vector<Tangent> q(s.q.size()), step(s.qd.size()), qd(s.qd.size()), qdd(s.qd.size());
    const std::vector<Tangent> q0(s.q.begin(), s.q.end());
    for (std::size_t k = 0; k < step.size(); ++k) {
      step[k].d[0] = direction.tau[k];
      qd[k].value = s.qd[k], qd[k].d[0] = direction.qd[k];
      qdd[k].value = s.qdd[k], qdd[k].d[0] = direction.qdd[k];
    }
    integrate(model, q0, step, q);
    InverseDynamicsDerivativesWorkspace<Tangent> ws(model);
    Square<Tangent> by_q(n), by_qd(n), by_qdd(n);
    rigid_inverse_dynamics_derivatives(model, ws, q, qd, qdd,
                                       testing::constant_wrenches<Tangent>(s.F_ext), by_q.view(),
                                       by_qd.view(), by_qdd.view());
    const auto compare = [&](const Square<Tangent>& d, const Square<double>& a,
                             const Square<double>& b) {
      const double scale = testing::scale_of(testing::slopes_of(d.data));
      for (std::size_t k = 0; k < d.data.size(); ++k)
        EXPECT_NEAR(d.data[k].d[0], (a.data[k] - b.data[k]) / (2 * h), 1e-7 * scale);
    };
    compare(by_q, plus.by_q, minus.by_q);
    compare(by_qd, plus.by_qd, minus.by_qd);
    compare(by_qdd, plus.by_qdd, minus.by_qdd);
  }
}

TEST(InverseDynamicsDerivativesOf, a_robot_in_matrices_by_rows_are_the_same) {
  const Model<double> model(testing::random_tree(4, 20, testing::everything()));
  const State<double> s(model, 2);
  const Derivatives<double> d(model, s);
  const int n = model.n_v();
  Square<double> by_q(n), by_qd(n);
  InverseDynamicsDerivativesWorkspace<double> ws(model);
  rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, s.qdd, s.F_ext,
                                     {by_q.data.data(), n, n, n, 1},
                                     {by_qd.data.data(), n, n, n, 1});
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      EXPECT_EQ(by_q(c, r), d.by_q.data[static_cast<std::size_t>(c * n + r)]);
      EXPECT_EQ(by_qd(c, r), d.by_qd.data[static_cast<std::size_t>(c * n + r)]);
    }
}

TEST(InverseDynamicsDerivativesOf, a_robot_write_nothing_beyond_their_matrices) {
  for (const int joints : {1, 7, 8, 9, 17}) {
    const Model<double> model(testing::random_tree(5, joints, {.kinds = {JointKind::revolute}}));
    const State<double> s(model, 2);
    const int n = model.n_v(), stride = n + 3;
    std::vector<double> buffer(static_cast<std::size_t>(stride * stride), 7.0);
    const MatrixView<double> inner{buffer.data() + stride + 1, n, n, 1, stride};
    InverseDynamicsDerivativesWorkspace<double> ws(model);
    rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, s.qdd, {}, inner, {});
    for (int c = 0; c < stride; ++c)
      for (int r = 0; r < stride; ++r)
        if (c < 1 || c > n || r < 1 || r > n) {
          EXPECT_EQ(buffer[static_cast<std::size_t>(c * stride + r)], 7.0);
        }
  }
}

TEST(InverseDynamicsDerivativesOf, a_robot_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  const State<double> s(model, 3);
  Square<double> by_q(model.n_v()), by_qd(model.n_v()), by_qdd(model.n_v());
  InverseDynamicsDerivativesWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, s.qdd, s.F_ext, by_q.view(),
                                     by_qd.view(), by_qdd.view());
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
