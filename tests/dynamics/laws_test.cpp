// Two thousand small trees, every kind of joint, every law that ties the verbs together.
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/centroidal.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/generalised_force.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/dynamics/textbook/configuration_space.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/identification/parameter_dynamics.hpp"

namespace torsor {
namespace {

using testing::scale_of;
using testing::Square;
using testing::State;
using Tangent = Dual<double, 1>;
using Tangents = std::vector<Tangent>;
using Vector = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// 0, 1, ... joints; the kinds of five neighbouring trees together are nearly all of them.
Model<double> tree(unsigned seed) {
  return Model<double>(
      testing::random_tree(seed, 1 + static_cast<int>(seed % 6), testing::everything()));
}
constexpr unsigned n_trees = 2000;

Vector times(Square<double>& A, const Vector& x) {
  Vector y(x.size());
  for (int r = 0; r < A.n; ++r)
    for (int c = 0; c < A.n; ++c)
      y[static_cast<std::size_t>(r)] += A(r, c) * x[static_cast<std::size_t>(c)];
  return y;
}
double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
double distance(const Vector& a, const Vector& b) {
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, testing::distance(a[k], b[k]));
  return d;
}
/// Of the bodies alone.
Vector without_rotors(const Model<double>& model, Vector tau, const Vector& qdd) {
  for (int k = 0; k < model.n_v(); ++k)
    tau[static_cast<std::size_t>(k)] -= model.dof(k).armature * qdd[static_cast<std::size_t>(k)];
  for (const CoupledMotor<double>& motor : model.motors())
    motor.add(-motor.constants.armature * motor.along(qdd.data()), tau.data());
  return tau;
}
Tangents moving(const Model<double>& model, const Vector& q, const Vector& qd) {
  Tangents start(q.begin(), q.end()), step(qd.size()), out(q.size());
  for (std::size_t k = 0; k < qd.size(); ++k) step[k].d[0] = qd[k];
  integrate(model, start, step, out);
  return out;
}
Tangents moving(const Vector& x, const Vector& dx) {
  Tangents out(x.begin(), x.end());
  for (std::size_t k = 0; k < dx.size(); ++k) out[k].d[0] = dx[k];
  return out;
}

/// What every tree is asked about, computed once.
struct Computed {
  const Model<double>& model;
  State<double> s;
  Vector tau, gravity, bias;  // rigid bodies and rotors
  Square<double> M, C;
  double scale;  // of the torques

  Computed(const Model<double>& m, unsigned seed)
      : model(m), s(m, seed), tau(s.qd.size()), gravity(tau), bias(tau), M(m.n_v()), C(m.n_v()) {
    RneaWorkspace<double> rnea(model);
    CrbaWorkspace<double> crba(model);
    CoriolisWorkspace<double> coriolis(model);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, s.F_ext, tau);
    gravity_torque(model, rnea, s.q, gravity);
    bias_torque(model, rnea, s.q, s.qd, bias);
    mass_matrix(model, crba, s.q, M.view());
    coriolis_matrix(model, coriolis, s.q, s.qd, C.view());
    scale = eps * (scale_of(tau) + scale_of(bias) + scale_of(gravity) + scale_of(M.data) +
                   scale_of(C.data));
  }
};

template <class Law>
void for_each_tree(Law&& law) {
  for (unsigned seed = 1; seed <= n_trees; ++seed) {
    const Model<double> model = tree(seed);
    Computed c(model, seed);
    law(c);
    if (::testing::Test::HasFailure()) {
      FAIL() << "tree " << seed;
      return;
    }
  }
}

TEST(Laws, every_kind_of_joint_is_among_the_trees) {
  std::vector<int> seen(16);
  for (unsigned seed = 1; seed <= n_trees; ++seed) {
    const Model<double> model = tree(seed);
    for (int i = 1; i < model.n_bodies(); ++i) ++seen[static_cast<std::size_t>(model.body(i).kind)];
  }
  for (const JointKind kind : testing::every_moving_kind())
    EXPECT_GT(seen[static_cast<std::size_t>(kind)], 300) << name_of(kind);
}

TEST(Laws, mass_matrix_is_symmetric_positive_and_its_inverse_is_its_inverse) {
  for_each_tree([](Computed& c) {
    const int n = c.model.n_v();
    Square<double> X(n), Y(n), one(n);
    MinverseWorkspace<double> minverse(c.model);
    MinverseTimesWorkspace<double> times_ws(c.model);
    ASSERT_TRUE(mass_matrix_inverse(c.model, minverse, c.s.q, X.view()));
    for (int k = 0; k < n; ++k) one(k, k) = 1;
    ASSERT_TRUE(mass_matrix_inverse_times(
        c.model, times_ws, c.s.q, MatrixView<const double>(one.data.data(), n, n, 1, n), Y.view()));
    const double inverse_scale = scale_of(X.data), scale = eps * inverse_scale * scale_of(c.M.data);
    for (int r = 0; r < n; ++r) {
      EXPECT_GT(c.M(r, r), 0);
      for (int k = 0; k < n; ++k) {
        EXPECT_EQ(c.M(r, k), c.M(k, r));
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += c.M(r, j) * X(j, k);
        EXPECT_NEAR(sum, r == k, 50 * n * scale);
        EXPECT_NEAR(X(r, k), Y(r, k), 200 * scale * inverse_scale);
      }
    }
    // Positive: x^T M x > 0 for the directions at hand.
    for (const Vector* x : {&c.s.qd, &c.s.qdd, &c.s.tau}) EXPECT_GT(dot(*x, times(c.M, *x)), 0);
  });
}

TEST(Laws, torques_are_those_of_mass_coriolis_gravity_and_wrenches) {
  for_each_tree([](Computed& c) {
    const Vector inertial = times(c.M, c.s.qdd), quadratic = times(c.C, c.s.qd);
    std::vector<AppliedLoad<double>> loads;
    KinematicsWorkspace<double> kinematics(c.model);
    forward_kinematics(c.model, kinematics, c.s.q);
    for (int i = 1; i < c.model.n_bodies(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const SO3<double>& R = kinematics.T_world_body[k].R;
      loads.push_back({i, {}, R * c.s.F_ext[k].f, R * c.s.F_ext[k].m});
    }
    Vector Q(c.tau.size()), two(c.tau.size()), through(c.tau.size());
    GeneralisedForceWorkspace<double> ws(c.model);
    generalised_force(c.model, ws, c.s.q, loads, Q);
    const Vector& tau = c.tau;
    for (std::size_t k = 0; k < tau.size(); ++k) {
      EXPECT_NEAR(quadratic[k] + c.gravity[k], c.bias[k], 200 * c.scale);
      EXPECT_NEAR(inertial[k] + c.bias[k] - Q[k], tau[k], 200 * c.scale);
    }
    TwoVelocityWorkspace<double> two_ws(c.model);
    two_velocity_inverse_dynamics(c.model, two_ws, c.s.q, c.s.qd, c.s.tau, c.s.qdd, two);
    const Vector other = times(c.C, c.s.tau);
    for (std::size_t k = 0; k < two.size(); ++k)
      EXPECT_NEAR(two[k], inertial[k] + other[k] + c.gravity[k], 200 * c.scale);
    JointWrenchWorkspace<double> wrenches(c.model);
    joint_wrenches(c.model, wrenches, c.s.q, c.s.qd, c.s.qdd, c.s.F_ext, through);
    EXPECT_LT(distance(through, without_rotors(c.model, c.tau, c.s.qdd)), 200 * c.scale);
  });
}

TEST(Laws, forward_and_hybrid_dynamics_undo_inverse_dynamics_and_meet_at_the_ends) {
  for_each_tree([](Computed& c) {
    const Vector& tau = c.tau;
    Vector qdd(tau.size());
    AbaWorkspace<double> aba(c.model);
    ASSERT_TRUE(rigid_forward_dynamics(c.model, aba, c.s.q, c.s.qd, c.s.tau, c.s.F_ext, qdd));
    Vector back(tau.size());
    RneaWorkspace<double> rnea(c.model);
    rigid_inverse_dynamics(c.model, rnea, c.s.q, c.s.qd, qdd, c.s.F_ext, back);
    const double scale = c.scale * (1 + scale_of(qdd));
    EXPECT_LT(distance(back, c.s.tau), 500 * scale);
    // No joint, every joint, and every other joint prescribed.
    for (int subset = 0; subset < 3; ++subset) {
      std::vector<char> prescribed(static_cast<std::size_t>(c.model.n_bodies()));
      Vector given_qdd(qdd.size(), 7), given_tau(qdd.size(), 7);  // what is not read is wrong
      for (int i = 1; i < c.model.n_bodies(); ++i) {
        const bool yes = subset == 1 || (subset == 2 && i % 2 == 0);
        prescribed[static_cast<std::size_t>(i)] = yes;
        for (int j = 0; j < c.model.body(i).v.count; ++j) {
          const auto k = static_cast<std::size_t>(c.model.body(i).v.first + j);
          (yes ? given_qdd : given_tau)[k] = (yes ? qdd : c.s.tau)[k];
        }
      }
      ASSERT_TRUE(rigid_hybrid_dynamics(c.model, aba, prescribed, c.s.q, c.s.qd, given_qdd,
                                        given_tau, c.s.F_ext));
      // An error of tau becomes one of qdd through M^-1, whose size the accelerations show.
      EXPECT_LT(distance(given_qdd, qdd), 500 * scale * (1 + scale_of(qdd)));
      EXPECT_LT(distance(given_tau, c.s.tau), 500 * scale * (1 + scale_of(qdd)));
    }
  });
}

TEST(Laws, Mdot_less_2C_is_skew_and_power_is_the_rate_of_energy) {
  for_each_tree([](Computed& c) {
    const int n = c.model.n_v();
    const Tangents q = moving(c.model, c.s.q, c.s.qd), qd = moving(c.s.qd, c.s.qdd);
    Square<Tangent> M(n);
    CrbaWorkspace<Tangent> crba(c.model);
    mass_matrix(c.model, crba, q, M.view());
    for (int r = 0; r < n; ++r)
      for (int k = 0; k < n; ++k) EXPECT_NEAR(M(r, k).d[0], c.C(r, k) + c.C(k, r), 200 * c.scale);
    MomentumWorkspace<Tangent> ws(c.model);
    const Tangent kinetic = kinetic_energy(c.model, ws, q, qd);
    const double rate = kinetic.d[0] + potential_energy(c.model, ws.kinematics).d[0];
    RneaWorkspace<double> rnea(c.model);
    Vector tau(c.tau.size());
    rigid_inverse_dynamics(c.model, rnea, c.s.q, c.s.qd, c.s.qdd, {}, tau);
    EXPECT_NEAR(rate, dot(tau, c.s.qd), 200 * c.scale * n);
    // Huo 2005, (2-33): d/dt (1/2 qd^T M qd) = qd^T (tau - G).
    Tangent twice(0);
    for (int r = 0; r < n; ++r)
      for (int k = 0; k < n; ++k)
        twice = twice + qd[static_cast<std::size_t>(r)] * M(r, k) * qd[static_cast<std::size_t>(k)];
    EXPECT_NEAR(twice.d[0] / 2, dot(tau, c.s.qd) - dot(c.gravity, c.s.qd), 200 * c.scale * n);
  });
}

TEST(Laws, moving_the_base_frame_leaves_everything_but_gravity_unchanged) {
  for_each_tree([](Computed& c) {
    testing::Draw<double> draw(c.s.q.size() + 17);
    RobotDescription moved = c.model.description();
    const SE3<double> T = draw.pose();
    moved.base = T * moved.base;
    moved.gravity = T.R * moved.gravity;
    const Model<double> model(moved);
    Vector tau(c.tau.size());
    RneaWorkspace<double> rnea(model);
    rigid_inverse_dynamics(model, rnea, c.s.q, c.s.qd, c.s.qdd, c.s.F_ext, tau);
    EXPECT_LT(distance(tau, c.tau), 200 * c.scale);
    Square<double> M(model.n_v()), C(model.n_v());
    CrbaWorkspace<double> crba(model);
    CoriolisWorkspace<double> coriolis(model);
    mass_matrix(model, crba, c.s.q, M.view());
    coriolis_matrix(model, coriolis, c.s.q, c.s.qd, C.view());
    EXPECT_LT(distance(M.data, c.M.data), 100 * c.scale);
    EXPECT_LT(distance(C.data, c.C.data), 200 * c.scale);
  });
}

TEST(Laws, regressors_times_parameters_are_torques) {
  for_each_tree([](Computed& c) {
    const Vector p = parameters(c.model);
    const int n = c.model.n_v(), m = static_cast<int>(p.size());
    RegressorWorkspace<double> ws(c.model);
    RneaWorkspace<double> rnea(c.model);
    TwoVelocityWorkspace<double> two(c.model);
    Vector Y(static_cast<std::size_t>(n * m)), tau(c.tau.size()), of_p(tau), by_Y(tau);
    const auto product = [&] {
      std::fill(by_Y.begin(), by_Y.end(), 0.0);
      for (int k = 0; k < m; ++k)
        for (int r = 0; r < n; ++r)
          by_Y[static_cast<std::size_t>(r)] +=
              Y[static_cast<std::size_t>(k * n + r)] * p[static_cast<std::size_t>(k)];
    };
    const double scale = 300 * (c.scale + eps * scale_of(Y));
    torque_regressor(c.model, ws, c.s.q, c.s.qd, c.s.qdd, column_major(Y.data(), n, m));
    rnea.rotors = false;
    rigid_inverse_dynamics(c.model, rnea, c.s.q, c.s.qd, c.s.qdd, {}, tau);
    rigid_inverse_dynamics(c.model, ws, c.s.q, c.s.qd, c.s.qdd, p, of_p);
    product();
    EXPECT_LT(distance(by_Y, tau), scale);
    EXPECT_LT(distance(of_p, tau), scale);
    two_velocity_torque_regressor(c.model, ws, c.s.q, c.s.qd, c.s.tau, c.s.qdd,
                                  column_major(Y.data(), n, m));
    two_velocity_inverse_dynamics(c.model, two, c.s.q, c.s.qd, c.s.tau, c.s.qdd, tau);
    tau = without_rotors(c.model, tau, c.s.qdd);
    two_velocity_inverse_dynamics(c.model, ws, c.s.q, c.s.qd, c.s.tau, c.s.qdd, p, of_p);
    product();
    EXPECT_LT(distance(by_Y, tau), scale);
    EXPECT_LT(distance(of_p, tau), scale);
  });
}

TEST(Laws, momentum_is_its_map_and_products_of_velocities_are_the_bias) {
  for_each_tree([](Computed& c) {
    const int n = c.model.n_v();
    Vector A(static_cast<std::size_t>(6 * n)), products(c.tau.size()), zero(c.tau.size());
    CentroidalWorkspace<double> ws(c.model);
    centroidal_map(c.model, ws, c.s.q, column_major(A.data(), 6, n));
    const auto h = centroidal_momentum(c.model, ws, c.s.q, c.s.qd, {});
    for (int r = 0; r < 3; ++r) {
      double angular = 0, linear = 0;
      for (int k = 0; k < n; ++k) {
        angular += A[static_cast<std::size_t>(6 * k + r)] * c.s.qd[static_cast<std::size_t>(k)];
        linear += A[static_cast<std::size_t>(6 * k + r + 3)] * c.s.qd[static_cast<std::size_t>(k)];
      }
      EXPECT_NEAR(angular, h.momentum.m[r], 100 * (c.scale + eps * scale_of(A)));
      EXPECT_NEAR(linear, h.momentum.f[r], 100 * (c.scale + eps * scale_of(A)));
    }
    ConfigurationSpaceWorkspace<double> forms(c.model);
    ConfigurationSpaceForm<double> form(c.model);
    configuration_space_form(c.model, forms, c.s.q, form);
    configuration_space_torque(form, c.s.qd, zero, products);
    EXPECT_LT(distance(products, c.bias),
              100 * n * (c.scale + eps * scale_of(form.coriolis_B.data)));
  });
}

}  // namespace
}  // namespace torsor
