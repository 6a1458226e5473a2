// Dynamics with closed forms of Kim 2012 and Craig 2005, and errata of their formulas.
#include <Eigen/Dense>

#include "support/dynamics_state.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/textbook/textbook_forward.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/dh_conversion.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;
using Vector = std::vector<double>;

/// Point masses m1, m2 at the ends of links of lengths l1, l2 in the x-y plane.
struct PointMassArm {
  double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 0.6;
  Vec3<double> g{1.5, -8, 2};

  Model<double> model() const {
    ModelBuilder b("point_masses");
    b.revolute("joint_1", "base", "link_1");
    b.revolute("joint_2", "link_1", "link_2", {.p = {l1, 0, 0}});
    b.inertia("link_1", m1, {l1, 0, 0}).inertia("link_2", m2, {l2, 0, 0}).gravity(g);
    return b.build();
  }
  /// Craig's tau_1 and tau_2 with gravity of any direction, and a force F at the tip (on the arm).
  Vector torque(const Vector& q, const Vector& v, const Vector& a, const Vec3<double>& F) const {
    const double s1 = std::sin(q[0]), c1 = std::cos(q[0]), s2 = std::sin(q[1]), c2 = std::cos(q[1]),
                 s12 = std::sin(q[0] + q[1]), c12 = std::cos(q[0] + q[1]);
    const Vec3<double> w1 = g * m1, w2 = g * m2 + F;  // loads at both ends
    const auto moment = [](double x, double y, const Vec3<double>& f) { return x * f.y - y * f.x; };
    const double tip = moment(l2 * c12, l2 * s12, w2);
    return {m2 * l2 * l2 * (a[0] + a[1]) + m2 * l1 * l2 * c2 * (2 * a[0] + a[1]) +
                (m1 + m2) * l1 * l1 * a[0] - m2 * l1 * l2 * s2 * v[1] * v[1] -
                2 * m2 * l1 * l2 * s2 * v[0] * v[1] - moment(l1 * c1, l1 * s1, w1 + w2) - tip,
            m2 * l1 * l2 * c2 * a[0] + m2 * l1 * l2 * s2 * v[0] * v[0] +
                m2 * l2 * l2 * (a[0] + a[1]) - tip};
  }
};

TEST(KimCraig, C_03_two_revolute_joints_with_gravity_along_any_axis_and_a_force_on_the_tip) {
  const PointMassArm arm;
  const Model<double> model = arm.model();
  RneaWorkspace<double> ws(model);
  testing::Draw<double> draw(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Vector q{draw(-3, 3), draw(-3, 3)}, v{draw(), draw()}, a{draw(), draw()};
    const Vec3<double> F = draw.vec(5);
    // At the tip of link 2, in its axes.
    const double c = std::cos(q[0] + q[1]), s = std::sin(q[0] + q[1]);
    const Vec3<double> f{c * F.x + s * F.y, c * F.y - s * F.x, F.z};
    std::vector<Wrench<double>> F_ext(3);
    F_ext[2] = {cross(Vec3<double>{arm.l2, 0, 0}, f), f};
    Vector tau(2);
    rigid_inverse_dynamics(model, ws, q, v, a, F_ext, tau);
    const Vector expected = arm.torque(q, v, a, F);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-14 * 40);
  }
}

TEST(KimCraig, C_03_a_revolute_and_a_prismatic_joint_are_polar_coordinates) {
  const double m = 1.7, g = 9.81;
  ModelBuilder b("polar");  // turns about -y: the plane is x-z
  b.revolute("turn", "base", "arm", {}, {0, -1, 0});
  b.prismatic("slide", "arm", "mass", {}, {1, 0, 0});
  b.inertia("mass", m, {});
  const Model<double> model = b.build();
  RneaWorkspace<double> ws(model);
  const Vector q{0.7, 1.2}, v{-0.4, 0.9}, a{1.1, -0.6};
  Vector tau(2);
  rigid_inverse_dynamics(model, ws, q, v, a, {}, tau);
  const double r = q[1], c = std::cos(q[0]), s = std::sin(q[0]);
  EXPECT_NEAR(tau[0], m * r * r * a[0] + 2 * m * r * v[1] * v[0] + m * g * r * c, 1e-13);
  EXPECT_NEAR(tau[1], m * a[1] - m * r * v[0] * v[0] + m * g * s, 1e-13);
}

TEST(KimCraig, C_06_a_reference_makes_the_least_potential_energy_of_a_pendulum_zero) {
  DhTable table;
  table.rows.resize(1);
  table.rows[0].a = 0.8;  // a point mass of 2 kg at the end; gravity along -y
  table.rows[0].inertial = {2, {}, {}};
  table.rows[0].has_inertial = true;
  table.gravity = {0, -9.81, 0};
  LagrangeWorkspace<double> ws(table);
  const Vector u_ref{2 * 9.81 * 0.8};
  for (const double q : {-1.57079632679489662, 0.3, 1.2}) {
    std::vector<LinkEnergy<double>> energy(1);
    lagrange_energies<double>(table, ws, Vector{q}, Vector{0}, energy, u_ref);
    EXPECT_NEAR(energy[0].potential, 2 * 9.81 * 0.8 * (1 + std::sin(q)), 1e-14 * 40);
  }
}

TEST(KimCraig, L_03_erratum_the_columns_of_S_are_T_inverse_times_dT) {
  using Tangent = Dual<double, 1>;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14));
    const State<double> s(model, seed);
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto S = joint_subspace(model, i, s.q);
      for (int k = 0; k < model.body(i).v.count; ++k) {
        std::vector<Tangent> q0(s.q.begin(), s.q.end()), step(s.qd.size()), q(q0.size());
        step[static_cast<std::size_t>(model.body(i).v.first + k)].d[0] = 1;
        integrate(model, q0, step, q);
        const SE3<Tangent> T = joint_pose(model, i, q);
        const SE3<double> at = joint_pose(model, i, s.q);
        Mat3<double> dR;
        Vec3<double> dp;
        for (int r = 0; r < 3; ++r) {
          dp[r] = T.p[r].d[0];
          for (int c = 0; c < 3; ++c) dR(r, c) = T.R(r, c).d[0];
        }
        const Mat3<double> W = transpose(at.R) * dR;  // [w], not that of T dT^-1
        const auto& column = S[static_cast<std::size_t>(k)];
        EXPECT_CLOSE(column.w, (Vec3<double>{W(2, 1), W(0, 2), W(1, 0)}), 50);
        EXPECT_CLOSE(column.v, transpose_times(at.R, dp), 50);
      }
    }
  }
}

TEST(KimCraig, L_04_wrenches_of_the_joints_at_the_accelerations_found_bear_the_torques) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 10));
    const State<double> s(model, seed);
    Vector qdd(s.qd.size()), tau(s.qd.size());
    AbaWorkspace<double> aba(model);
    ASSERT_TRUE(rigid_forward_dynamics(model, aba, s.q, s.qd, s.tau, s.F_ext, qdd));
    JointWrenchWorkspace<double> wrenches(model);
    joint_wrenches(model, wrenches, s.q, s.qd, qdd, s.F_ext, tau);
    for (int k = 0; k < model.n_v(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_CLOSE(tau[at] + model.dof(k).armature * qdd[at], s.tau[at],
                   2000 * testing::scale_of(qdd))
          << "seed " << seed;
    }
  }
}

/// (34): [tau_u; tau_v] = [M_uu M_uv; M_vu M_vv] [qdd_u; qdd_v] + b with M_vu = M_uv^T.
TEST(KimCraig, L_05_erratum_hybrid_dynamics_is_the_partitioned_equation_of_motion) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 8));
    const State<double> s(model, seed);
    const int n = model.n_v();
    std::vector<char> prescribed(static_cast<std::size_t>(model.n_bodies()));
    std::vector<int> u, v;
    for (int i = 1; i < model.n_bodies(); ++i) {
      prescribed[static_cast<std::size_t>(i)] = (seed + static_cast<unsigned>(i)) % 3 == 0;
      for (int k = 0; k < model.body(i).v.count; ++k)
        (prescribed[static_cast<std::size_t>(i)] ? u : v).push_back(model.body(i).v.first + k);
    }
    Vector qdd(s.qdd), tau(s.tau), bias(s.tau);
    AbaWorkspace<double> aba(model);
    ASSERT_TRUE(rigid_hybrid_dynamics(model, aba, prescribed, s.q, s.qd, qdd, tau, {}));
    Square<double> H(n);
    CrbaWorkspace<double> crba(model);
    RneaWorkspace<double> rnea(model);
    mass_matrix(model, crba, s.q, H.view());
    bias_torque(model, rnea, s.q, s.qd, bias);
    const Eigen::Map<const Eigen::MatrixXd> M(H.data.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> b(bias.data(), n), a(s.qdd.data(), n),
        f(s.tau.data(), n);
    const Eigen::VectorXd a_v = M(v, v).ldlt().solve(f(v) - M(u, v).transpose() * a(u) - b(v));
    const Eigen::VectorXd f_u = M(u, u) * a(u) + M(u, v) * a_v + b(u);
    const double scale = 1e-12 * (1 + M.cwiseAbs().maxCoeff()) *
                         (1 + (a_v.size() > 0 ? a_v.cwiseAbs().maxCoeff() : 0.0));
    for (std::size_t k = 0; k < v.size(); ++k)
      EXPECT_NEAR(qdd[static_cast<std::size_t>(v[k])], a_v[static_cast<Eigen::Index>(k)],
                  scale * (1 + M(v, v).inverse().cwiseAbs().maxCoeff()));
    for (std::size_t k = 0; k < u.size(); ++k)
      EXPECT_NEAR(tau[static_cast<std::size_t>(u[k])], f_u[static_cast<Eigen::Index>(k)], scale);
  }
}

/// H is positive only where every joint moves some inertia.
TEST(KimCraig, D_08_mass_on_the_last_axis_alone_makes_H_singular_and_is_reported) {
  ModelBuilder b("on_the_axis");
  b.revolute("joint_1", "base", "link_1");
  b.revolute("joint_2", "link_1", "link_2", {.p = {0.5, 0, 0}}, {0, 1, 0});
  b.inertia("link_1", 1, {0.2, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  b.inertia("link_2", 2, {0, 0.3, 0});  // a particle on the axis of joint 2
  const Model<double> model = b.build();
  const Vector q{0.3, 0.4}, zero(2);
  Square<double> H(2);
  CrbaWorkspace<double> crba(model);
  mass_matrix(model, crba, q, H.view());
  EXPECT_NEAR(H(1, 1), 0, 1e-15);
  Vector qdd(2);
  AbaWorkspace<double> aba(model);
  EXPECT_FALSE(rigid_forward_dynamics(model, aba, q, zero, zero, {}, qdd));
  MinverseWorkspace<double> minverse(model);
  EXPECT_FALSE(mass_matrix_inverse(model, minverse, q, H.view()));
  for (const double x : qdd) EXPECT_TRUE(std::isfinite(x));
}

TEST(KimCraig, D_01_forms_of_an_inertia_say_the_same) {
  testing::Draw<double> draw(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Inertial link = testing::random_tree_detail::cloud(draw, 0.4);
    const Inertia<double> I = Inertia<double>::at_com(link.mass, link.com, link.about_com);
    const auto p = parameters_of(I);
    EXPECT_CLOSE(inertia_of(p.data()), I, 0);
    EXPECT_CLOSE(inertia(mass_moments(I)), I, 10);
    // The 4x4 pseudo-inertia: 1/2 tr(I_O) 1 - I_O, m r_C and m; it moves as T J T^T.
    const auto J = pseudo_inertia(link);
    const double half = trace(I.J) / 2;
    EXPECT_NEAR(J[0], half - I.J.xx, 1e-15);
    EXPECT_NEAR(J[1], -I.J.xy, 1e-15);
    EXPECT_NEAR(J[3], I.h.x, 1e-15);
    EXPECT_NEAR(J[15], I.m, 0);
    const SE3<double> T = draw.pose();
    const Inertia<double> moved = transported(T, I);
    const Vec3<double> com = moved.h * (1 / moved.m);
    const auto J_moved =
        pseudo_inertia({moved.m, com, moved.J - Inertia<double>::parallel_axes(moved.m, com)});
    const auto A = homogeneous_matrix(T);
    const auto by_matrices = internal::product_transposed<double>(
        J_moved, homogeneous_matrix(SE3<double>{}));  // J_moved itself
    const auto left = product(A, internal::product_transposed<double>(J, A));
    for (std::size_t e = 0; e < 16; ++e) EXPECT_NEAR(left[e], by_matrices[e], 1e-14);
    // Two bodies that become one add up.
    const Inertia<double> two = I + moved;
    EXPECT_NEAR(two.m, 2 * I.m, 1e-15);
    EXPECT_CLOSE(transported(inverse(T), moved), I, 100);
  }
}

}  // namespace
}  // namespace torsor
