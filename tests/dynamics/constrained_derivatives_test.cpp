#include "torsor/dynamics/derivatives/constrained_derivatives.hpp"

#include <Eigen/Dense>

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "support/random_loops.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Tangent = Dual<double, 1>;
using Tangents = std::vector<Tangent>;

std::size_t at(int k) { return static_cast<std::size_t>(k); }
VectorXd values(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}
MatrixXd matrix(const StoredMatrix<double>& x) {
  return Eigen::Map<const MatrixXd>(x.data.data(), x.rows, x.cols);
}

/// Gauss elimination with pivoting by value, on dual numbers: (qdd, -lambda) of the whole system.
Tangents solve_dense(Tangents K, Tangents right) {
  const int n = static_cast<int>(right.size());
  const auto a = [&](int r, int c) -> Tangent& { return K[at(c * n + r)]; };
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k; r < n; ++r)
      if (std::abs(a(r, k).value) > std::abs(a(best, k).value)) best = r;
    for (int c = 0; c < n; ++c) std::swap(a(k, c), a(best, c));
    std::swap(right[at(k)], right[at(best)]);
    for (int r = k + 1; r < n; ++r) {
      const Tangent factor = a(r, k) / a(k, k);
      for (int c = k; c < n; ++c) a(r, c) = a(r, c) - factor * a(k, c);
      right[at(r)] = right[at(r)] - factor * right[at(k)];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int c = k + 1; c < n; ++c) right[at(k)] = right[at(k)] - a(k, c) * right[at(c)];
    right[at(k)] = right[at(k)] / a(k, k);
  }
  return right;
}

Tangents dual_forward(const Model<double>& model, const ConstraintSet& set, const Tangents& q,
                      const Tangents& qd, const Tangents& tau) {
  const int n = model.n_v(), m = set.n_rows();
  Tangents K(at((n + m) * (n + m))), right(at(n + m)), b(at(n)), zero(at(n)), bias(at(m));
  const auto view = column_major(K.data(), n + m, n + m);
  CrbaWorkspace<Tangent> crba(model);
  mass_matrix<double, Tangent>(model, crba, q, MatrixView<Tangent>{K.data(), n, n, 1, n + m});
  RneaWorkspace<Tangent> rnea(model);
  rigid_inverse_dynamics(model, rnea, q, qd, zero, {}, b);
  ConstraintWorkspace<Tangent> rows(model);
  Tangents A(at(m * n));
  constraint_rows<double, Tangent>(model, set, rows, q, qd, {}, column_major(A.data(), m, n), bias);
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < n; ++c) view(n + r, c) = view(c, n + r) = A[at(c * m + r)];
  for (int k = 0; k < n; ++k) right[at(k)] = tau[at(k)] - b[at(k)];
  for (int r = 0; r < m; ++r) right[at(n + r)] = -bias[at(r)];
  return solve_dense(K, right);
}

TEST(ConstrainedDerivatives, L_10_forward_dynamics_agrees_with_dual_numbers_for_every_loop_kind) {
  for (const LoopJoint::Kind kind : every_loop_kind()) {
    const LoopedRobot robot = random_loops(3, 14, {kind}, {.rotors = false, .motors = true});
    const Model<double>& model = robot.model;
    const ConstraintSet set(model);
    State<double> s(model, 5);
    ConstrainedDerivativeWorkspace ws(model, set);
    ConstrainedDerivatives out(model, set);
    ASSERT_TRUE(constrained_forward_dynamics_derivatives(model, ws, robot.q, s.qd, s.tau, {}, out));
    const int n = model.n_v(), m = set.n_rows();
    const Tangents q0(robot.q.begin(), robot.q.end()), qd0(s.qd.begin(), s.qd.end()),
        tau0(s.tau.begin(), s.tau.end());
    const struct {
      MatrixXd qdd, lambda;
    } found[] = {{matrix(out.dqdd_dq), matrix(out.dlambda_dq)},
                 {matrix(out.dqdd_dqd), matrix(out.dlambda_dqd)},
                 {matrix(out.dqdd_dtau), matrix(out.dlambda_dtau)}};
    for (int k = 0; k < n; k += 3)
      for (int which = 0; which < 3; ++which) {
        Tangents q = q0, qd = qd0, tau = tau0, step(at(n));
        step[at(k)].d[0] = 1;
        if (which == 0) integrate(model, q0, step, q);
        if (which == 1) qd[at(k)].d[0] = 1;
        if (which == 2) tau[at(k)].d[0] = 1;
        const Tangents x = dual_forward(model, set, q, qd, tau);
        const double scale = 1 + found[which].qdd.norm(), scale_l = 1 + found[which].lambda.norm();
        for (int i = 0; i < n; ++i)
          EXPECT_NEAR(found[which].qdd(i, k), x[at(i)].d[0], 1e-9 * scale)
              << name_of(kind) << " " << which;
        for (int r = 0; r < m; ++r)
          EXPECT_NEAR(found[which].lambda(r, k), -x[at(n + r)].d[0], 1e-9 * scale_l)
              << name_of(kind) << " " << which;
      }
  }
}

/// f(q, qd, in) by central differences along the k-th direction of each argument.
template <class Function>
VectorXd difference_of(const Model<double>& model, Function&& f, int which, int k,
                       std::vector<double> q, std::vector<double> qd, std::vector<double> in) {
  constexpr double h = 1e-5;
  const auto shifted = [&](double sign) {
    std::vector<double> x = q, v = qd, u = in, step(qd.size());
    step[at(k)] = sign * h;
    if (which == 0) integrate(model, q, step, x);
    if (which == 1) v[at(k)] += sign * h;
    if (which == 2) u[at(k)] += sign * h;
    return f(x, v, u);
  };
  return (shifted(1) - shifted(-1)) / (2 * h);
}

/// One that turns with the first two joints, where wanted.
Model<double> with_motors(Model<double> model, bool wanted) {
  if (!wanted) return model;
  RobotDescription robot = model.description();
  const std::string joints[] = {model.joint_name(1), model.joint_name(2)};
  robot.motors.push_back({"both", {{joints[0], 3}, {joints[1], -2}}, 0.01, {}, {}});
  return Model<double>(robot);
}

struct Closed {
  Model<double> model;
  ConstraintSet set{model};
  State<double> s{model, 11};

  /// A robot in a closed pose, off its symmetric one, moving as its loops allow.
  explicit Closed(const std::string& name, bool motors = false)
      : model(with_motors(load_robot(name), motors)) {
    AssemblyWorkspace ws(model, set);
    neutral(model, s.q);
    std::vector<double> step = s.qd;
    for (double& x : step) x *= 0.1;
    integrate(model, std::vector<double>(s.q), step, s.q);
    EXPECT_TRUE(assemble(model, set, ws, s.q)) << name;
    EXPECT_LT(project_velocity(model, set, ws, s.q, s.qd), 1e-10);
    EXPECT_LT(project_acceleration(model, set, ws, s.q, s.qd, s.qdd), 1e-10);
  }
};

TEST(ConstrainedDerivatives, L_10_forward_dynamics_of_mechanisms_agrees_with_differences) {
  for (const auto& [name, motors] : {std::pair{"five_bar", false},
                                     {"slider_crank", false},
                                     {"loop_4r1p", false},
                                     {"delta", false},
                                     {"five_bar", true},
                                     {"loop_4r1p", true}}) {
    Closed c(name, motors);
    const ConstrainedOptions options{{3, 7}};
    ConstrainedDerivativeWorkspace ws(c.model, c.set);
    ConstrainedDerivatives out(c.model, c.set);
    const ConstrainedResult result = constrained_forward_dynamics_derivatives(
        c.model, ws, c.s.q, c.s.qd, c.s.tau, c.s.F_ext, out, options);
    ASSERT_TRUE(result);
    const int n = c.model.n_v(), m = c.set.n_rows();
    ConstrainedWorkspace dynamics(c.model, c.set);
    const auto f = [&](const auto& q, const auto& qd, const auto& tau) {
      VectorXd both(n + m);
      EXPECT_TRUE(constrained_forward_dynamics(c.model, dynamics, q, qd, tau, c.s.F_ext,
                                               Out<double>{both.data(), n},
                                               Out<double>{both.data() + n, m}, options));
      return both;
    };
    const MatrixXd found[3][2] = {{matrix(out.dqdd_dq), matrix(out.dlambda_dq)},
                                  {matrix(out.dqdd_dqd), matrix(out.dlambda_dqd)},
                                  {matrix(out.dqdd_dtau), matrix(out.dlambda_dtau)}};
    for (int which = 0; which < 3; ++which)
      for (int k = 0; k < n; ++k) {
        const VectorXd expected = difference_of(c.model, f, which, k, c.s.q, c.s.qd, c.s.tau);
        EXPECT_LT((found[which][0].col(k) - expected.head(n)).norm(),
                  1e-7 * (1 + found[which][0].norm()))
            << name << " " << which << " " << k;
        EXPECT_LT((found[which][1].col(k) - expected.tail(m)).norm(),
                  1e-7 * (1 + found[which][1].norm()))
            << name << " " << which << " " << k << " rank " << result.rank;
      }
  }
}

TEST(ConstrainedDerivatives, L_10_hybrid_dynamics_agrees_with_differences) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const LoopedRobot robot = random_loops(
        seed, 30, {LoopJoint::Kind::spherical, LoopJoint::Kind::distance}, {.motors = seed != 2});
    const Model<double>& model = robot.model;
    const ConstraintSet set(model);
    State<double> s(model, seed);
    std::vector<char> prescribed(at(model.n_bodies()), 0);
    for (std::size_t i = 2; i < prescribed.size(); i += 7) prescribed[i] = 1;
    const auto is_held = [&](int k) {
      for (int i = 1; i < model.n_bodies(); ++i)
        if (prescribed[at(i)] && k >= model.body(i).v.first &&
            k < model.body(i).v.first + model.body(i).v.count)
          return true;
      return false;
    };
    const int n = model.n_v(), m = set.n_rows();
    std::vector<double> in(at(n));
    for (int k = 0; k < n; ++k) in[at(k)] = is_held(k) ? s.qdd[at(k)] : s.tau[at(k)];
    ConstrainedWorkspace dynamics(model, set);
    const auto f = [&](const auto& q, const auto& qd, const auto& u) {
      VectorXd qdd = values(u), tau = qdd, both(n + m);
      EXPECT_TRUE(constrained_hybrid_dynamics(model, dynamics, prescribed, q, qd, qdd, tau, s.F_ext,
                                              Out<double>{both.data() + n, m}));
      for (int k = 0; k < n; ++k) both[k] = is_held(k) ? tau[k] : qdd[k];
      return both;
    };
    ConstrainedDerivativeWorkspace ws(model, set);
    ConstrainedHybridDerivatives out(model, set);
    ASSERT_TRUE(constrained_hybrid_dynamics_derivatives(model, ws, prescribed, robot.q, s.qd, in,
                                                        in, s.F_ext, out));
    const MatrixXd found[3][2] = {{matrix(out.dout_dq), matrix(out.dlambda_dq)},
                                  {matrix(out.dout_dqd), matrix(out.dlambda_dqd)},
                                  {matrix(out.dout_din), matrix(out.dlambda_din)}};
    for (int which = 0; which < 3; ++which)
      for (int k = 0; k < n; ++k) {
        const VectorXd expected = difference_of(model, f, which, k, robot.q, s.qd, in);
        EXPECT_LT((found[which][0].col(k) - expected.head(n)).norm(),
                  1e-7 * (1 + found[which][0].norm()));
        EXPECT_LT((found[which][1].col(k) - expected.tail(m)).norm(),
                  1e-7 * (1 + found[which][1].norm()));
      }
  }
}

TEST(ConstrainedDerivatives, L_10_inverse_dynamics_agrees_with_differences_for_both_choices) {
  Closed c("five_bar", true);
  const int n = c.model.n_v(), m = c.set.n_rows();
  const std::vector<double> weights{1, 3, 0.5, 2, 1};
  for (const int motors : {2, 3, 5})
    for (const auto choice :
         {ActuationOptions::Choice::least_force, ActuationOptions::Choice::least_torque}) {
      std::vector<char> actuated{1, char(motors > 2), 1, char(motors > 3), char(motors > 3)};
      const ActuationOptions options{choice, weights};
      ConstrainedInverseWorkspace inverse(c.model, c.set);
      const auto f = [&](const auto& q, const auto& qd, const auto& qdd) {
        VectorXd both(n + m);
        for (int k = 0; k < n; ++k) both[k] = c.s.tau[at(k)];
        EXPECT_TRUE(constrained_inverse_dynamics(c.model, c.set, inverse, actuated, q, qd, qdd, {},
                                                 Out<double>{both.data(), n},
                                                 Out<double>{both.data() + n, m}, options));
        return both;
      };
      ConstrainedDerivativeWorkspace ws(c.model, c.set);
      ConstrainedInverseDerivatives out(c.model, c.set);
      ASSERT_TRUE(constrained_inverse_dynamics_derivatives(
          c.model, c.set, ws, actuated, c.s.q, c.s.qd, c.s.qdd, {}, c.s.tau, out, options));
      const MatrixXd found[3][2] = {{matrix(out.dtau_dq), matrix(out.dlambda_dq)},
                                    {matrix(out.dtau_dqd), matrix(out.dlambda_dqd)},
                                    {matrix(out.dtau_dqdd), matrix(out.dlambda_dqdd)}};
      for (int which = 0; which < 3; ++which)
        for (int k = 0; k < n; ++k) {
          const VectorXd expected = difference_of(c.model, f, which, k, c.s.q, c.s.qd, c.s.qdd);
          EXPECT_LT((found[which][0].col(k) - expected.head(n)).norm(),
                    1e-7 * (1 + found[which][0].norm()))
              << motors << " " << which << " " << k << " " << int(choice);
          EXPECT_LT((found[which][1].col(k) - expected.tail(m)).norm(),
                    1e-7 * (1 + found[which][1].norm()))
              << motors << " " << which << " " << k << " " << int(choice);
        }
    }
}

TEST(ConstrainedDerivatives, user_rows_and_couplings_agree_with_differences) {
  const Model<double> model(random_tree(8, 6, {.kinds = one_dof_kinds()}));
  RobotDescription d = model.description();
  d.couplings.push_back({"gear", {{"joint_1", 1}, {"joint_3", -2}}, 0.1, {}});
  const Model<double> coupled(d);
  ConstraintSet set(coupled);
  set.add_user("product", 1,
               [](View<const double> q, View<const double> qd, double* phi, MatrixView<double> A,
                  double* bias) {
                 if (phi) phi[0] = q[0] * q[1] - 1;
                 for (int k = 0; A.data && k < A.cols; ++k)
                   A(0, k) = k == 0 ? q[1] : k == 1 ? q[0] : 0;
                 if (bias) bias[0] = 2 * qd[0] * qd[1];
               });
  const ConstrainedOptions options{{2, 5}};
  State<double> s(coupled, 4);
  const int n = coupled.n_v(), m = set.n_rows();
  ConstrainedWorkspace dynamics(coupled, set);
  const auto f = [&](const auto& q, const auto& qd, const auto& tau) {
    VectorXd both(n + m);
    EXPECT_TRUE(constrained_forward_dynamics(coupled, dynamics, q, qd, tau, {},
                                             Out<double>{both.data(), n},
                                             Out<double>{both.data() + n, m}, options));
    return both;
  };
  ConstrainedDerivativeWorkspace ws(coupled, set);
  ConstrainedDerivatives out(coupled, set);
  ASSERT_TRUE(
      constrained_forward_dynamics_derivatives(coupled, ws, s.q, s.qd, s.tau, {}, out, options));
  for (int k = 0; k < n; ++k) {
    EXPECT_LT(
        (matrix(out.dqdd_dq).col(k) - difference_of(coupled, f, 0, k, s.q, s.qd, s.tau).head(n))
            .norm(),
        1e-6 * (1 + matrix(out.dqdd_dq).norm()));
    EXPECT_LT(
        (matrix(out.dqdd_dqd).col(k) - difference_of(coupled, f, 1, k, s.q, s.qd, s.tau).head(n))
            .norm(),
        1e-6 * (1 + matrix(out.dqdd_dqd).norm()));
  }
}

TEST(ConstrainedDerivatives, calls_do_not_allocate) {
  Closed c("five_bar", true);
  ConstrainedDerivativeWorkspace ws(c.model, c.set);
  ConstrainedDerivatives out(c.model, c.set);
  AllocationCounter counter;
  (void)constrained_forward_dynamics_derivatives(c.model, ws, c.s.q, c.s.qd, c.s.tau, {}, out);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor::testing
