#include "torsor/math/inertia.hpp"

#include "support/dense_reference.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::Draw;

template <class Real>
class InertiaLaws : public ::testing::Test {};
TYPED_TEST_SUITE(InertiaLaws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(InertiaLaws, L_01_kinetic_energy_is_the_same_in_every_body_frame) {
  Draw<TypeParam> draw(1);
  for (int n = 0; n < 100; ++n) {
    const auto T_ab = draw.pose();
    const auto I_b = draw.inertia();
    const auto V_b = draw.twist();
    const auto I_a = transported(T_ab, I_b);
    const auto V_a = Ad(T_ab, V_b);
    EXPECT_CLOSE(dot(V_a, I_a * V_a), dot(V_b, I_b * V_b), 400);
    EXPECT_CLOSE(I_a * V_a, Ad_dual_inv(T_ab, I_b * V_b), 150);  // momentum: (24)
  }
}

TYPED_TEST(InertiaLaws, transport_is_an_action_of_the_group) {
  Draw<TypeParam> draw(2);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.pose(), B = draw.pose();
    const auto I = draw.inertia();
    const auto J = draw.inertia();
    EXPECT_CLOSE(transported(A * B, I), transported(A, transported(B, I)), 200);
    EXPECT_CLOSE(transported(inverse(A), transported(A, I)), I, 300);
    EXPECT_CLOSE(transported(A, I + J), transported(A, I) + transported(A, J), 200);
    EXPECT_CLOSE(transported(A, I - J), transported(A, I) - transported(A, J), 80);
  }
}

// Kim 2012 (20): the entries are integrals of [r]^T[r] and [r]; here sums over points.
TYPED_TEST(InertiaLaws, L_01_momentum_of_a_body_is_the_sum_over_its_points) {
  using Real = TypeParam;
  Draw<Real> draw(3);
  for (int n = 0; n < 20; ++n) {
    Inertia<Real> I{};
    const auto V = draw.twist();
    Wrench<Real> momentum{};
    Real energy(0);
    for (int k = 0; k < 7; ++k) {
      const Real m = draw(0.1, 1);
      const auto r = draw.vec();
      I = I + Inertia<Real>::at_com(m, r, Sym3<Real>{});
      const auto p = (V.v + cross(V.w, r)) * m;
      momentum += Wrench<Real>{cross(r, p), p};
      energy = energy + dot(p, V.v + cross(V.w, r));
    }
    EXPECT_CLOSE(I * V, momentum, 40);
    EXPECT_CLOSE(dot(V, I * V), energy, 80);
  }
}

// Kim 2012 (22): centre-of-mass data moved to any body frame.
TYPED_TEST(InertiaLaws, L_01_at_com_is_transport_from_the_centre_of_mass) {
  using Real = TypeParam;
  Draw<Real> draw(4);
  for (int n = 0; n < 100; ++n) {
    const Real m = draw(0.5, 2);
    const auto c = draw.vec();
    const auto J = draw.sym();
    const auto R = draw.rotation();
    const auto central = Inertia<Real>::at_com(m, {}, J);
    EXPECT_CLOSE(transported(SE3<Real>{R, c}, central), Inertia<Real>::at_com(m, c, rotated(R, J)),
                 60);
    const auto P = skew(c);
    const auto block = R * J.matrix() * transpose(R) + transpose(P) * P * m;
    EXPECT_CLOSE(transported(SE3<Real>{R, c}, central).J.matrix(), block, 40);
  }
}

TYPED_TEST(InertiaLaws, mass_moments_and_inertia_say_the_same_and_move_alike) {
  Draw<TypeParam> draw(5);
  for (int n = 0; n < 100; ++n) {
    const auto T = draw.pose();
    const auto I = draw.inertia(), J = draw.inertia();
    EXPECT_CLOSE(inertia(mass_moments(I)), I, 40);
    EXPECT_CLOSE(inertia(transported(T, mass_moments(I))), transported(T, I), 100);
    EXPECT_CLOSE(mass_moments(I) + mass_moments(J), mass_moments(I + J), 40);
  }
}

// f = m a + U h, n = h x a + axial(U Sigma), with U = [alpha] + [w]^2, against Newton-Euler.
TYPED_TEST(InertiaLaws, second_moments_give_the_wrench_of_a_motion) {
  using Real = TypeParam;
  Draw<Real> draw(6);
  for (int n = 0; n < 100; ++n) {
    const auto I = draw.inertia();
    const auto V = draw.twist(), Vdot = draw.twist();
    const auto M = mass_moments(I);
    const auto U = skew(Vdot.w) + skew(V.w) * skew(V.w);
    const auto a = Vdot.v + cross(V.w, V.v);  // classical acceleration of the origin
    const auto US = U * M.S.matrix();
    // sum m r x (U r): the vector of U Sigma - (U Sigma)^T.
    const Vec3<Real> axial{US(2, 1) - US(1, 2), US(0, 2) - US(2, 0), US(1, 0) - US(0, 1)};
    const auto F = I * Vdot - ad_dual(V, I * V);
    EXPECT_CLOSE(F.f, a * M.m + U * M.h, 40);
    EXPECT_CLOSE(F.m, cross(M.h, a) + axial, 60);
  }
}

// Kim 2012 (31): F = I V' - ad_V^* I V keeps its form when the body frame changes.
TYPED_TEST(InertiaLaws, L_02_rigid_body_equation_is_invariant_under_change_of_body_frame) {
  Draw<TypeParam> draw(7);
  for (int n = 0; n < 100; ++n) {
    const auto T_ab = draw.pose();
    const auto I_b = draw.inertia(), I_a = transported(T_ab, I_b);
    const auto V_b = draw.twist(), Vdot_b = draw.twist();
    const auto V_a = Ad(T_ab, V_b), Vdot_a = Ad(T_ab, Vdot_b);
    const auto F_b = I_b * Vdot_b - ad_dual(V_b, I_b * V_b);
    const auto F_a = I_a * Vdot_a - ad_dual(V_a, I_a * V_a);
    EXPECT_CLOSE(F_b, Ad_dual(T_ab, F_a), 200);
    // and the power of F is the rate of the kinetic energy
    EXPECT_CLOSE(dot(V_a, F_a), dot(Vdot_a, I_a * V_a), 150);
  }
}

// Kim 2012 (30), (31) with Newton and Euler about the centre of mass.
TYPED_TEST(InertiaLaws, L_02_rigid_body_equation_is_Newton_and_Euler_at_the_centre_of_mass) {
  using Real = TypeParam;
  Draw<Real> draw(8);
  for (int n = 0; n < 50; ++n) {
    const Real m = draw(0.5, 2);
    const auto J = draw.inertia().J;
    const auto I = Inertia<Real>::at_com(m, {}, J);
    const auto V = draw.twist(), Vdot = draw.twist();
    const auto F = I * Vdot - ad_dual(V, I * V);
    EXPECT_CLOSE(F.f, (Vdot.v + cross(V.w, V.v)) * m, 20);
    EXPECT_CLOSE(F.m, J * Vdot.w + cross(V.w, J * V.w), 8);
  }
}

TYPED_TEST(InertiaLaws, articulated_inertia_contains_the_rigid_one) {
  using Real = TypeParam;
  Draw<Real> draw(9);
  for (int n = 0; n < 100; ++n) {
    const auto T = draw.pose();
    const auto I = draw.inertia();
    const auto A = draw.articulated();
    const auto V = draw.twist();
    const auto rigid = ArticulatedInertia<Real>::of(I);
    EXPECT_CLOSE(rigid * V, I * V, 60);
    EXPECT_CLOSE((A + I) * V, A * V + I * V, 40);
    EXPECT_CLOSE(A + I, A + rigid, 8);
    EXPECT_CLOSE(transported(T, rigid), ArticulatedInertia<Real>::of(transported(T, I)), 200);
  }
}

TYPED_TEST(InertiaLaws, articulated_transport_is_the_congruence_with_Ad) {
  Draw<TypeParam> draw(10);
  for (int n = 0; n < 100; ++n) {
    const auto T = draw.pose(), U = draw.pose();
    const auto A = draw.articulated();
    const auto V = draw.twist();
    EXPECT_CLOSE(transported(T, A) * V, Ad_dual_inv(T, A * Ad_inv(T, V)), 80);
    EXPECT_CLOSE(transported(T * U, A), transported(T, transported(U, A)), 300);
  }
}

TYPED_TEST(InertiaLaws, deflation_removes_a_direction_and_keeps_symmetry) {
  using Real = TypeParam;
  Draw<Real> draw(11);
  for (int n = 0; n < 100; ++n) {
    const auto A = ArticulatedInertia<Real>::of(draw.inertia()) +
                   ArticulatedInertia<Real>::of(transported(draw.pose(), draw.inertia()));
    const Twist<Real> S{draw.unit(), draw.vec()};
    const auto U = A * S;
    const Real k = Real(1) / dot(S, U);
    const auto rest = internal::deflated(A, U, U * k);
    EXPECT_CLOSE(rest * S, Wrench<Real>{}, 80);
    const auto V = draw.twist(), W = draw.twist();
    EXPECT_CLOSE(rest * V, A * V - U * (dot(V, U) * k), 100);
    EXPECT_CLOSE(dot(V, rest * W), dot(W, rest * V), 80);
  }
}

// Kim 2012 (21) with 6x6 matrices in extended precision: I_b = Ad_T^T I_a Ad_T.
TEST(Inertia, L_01_transport_is_the_6x6_congruence) {
  Draw<double> draw(12);
  for (int n = 0; n < 50; ++n) {
    const auto T_ab = draw.pose();
    const auto I_b = draw.articulated();
    const auto Ad_ba = testing::dense_Ad(inverse(T_ab));
    const auto truth = transpose(Ad_ba) * testing::dense(I_b) * Ad_ba;
    EXPECT_LE(distance(testing::dense(transported(T_ab, I_b)), truth), 2e-14);
  }
}

// Craig 2005, ch. 6 prints I_xy = I_xy(C) - m x_c y_c beside I_xy = int xy: with that definition the sign is
// plus. Its matrix form, whose entries are -I_xy, is right; ours are those entries.
TEST(Inertia, C_02_erratum_parallel_axes_of_a_product_of_inertia) {
  const double m[3] = {0.5, 1.25, 2.0};
  const Vec3<double> r[3] = {{0.3, -0.2, 0.7}, {1.1, 0.4, -0.6}, {-0.5, 0.9, 0.2}};
  double mass = 0, about_A = 0, about_C = 0;
  Vec3<double> h{};
  for (int k = 0; k < 3; ++k) mass += m[k], h += r[k] * m[k];
  const Vec3<double> c = h * (1 / mass);
  for (int k = 0; k < 3; ++k) {
    about_A += m[k] * r[k].x * r[k].y;
    about_C += m[k] * (r[k].x - c.x) * (r[k].y - c.y);
  }
  EXPECT_NEAR(about_A, about_C + mass * c.x * c.y, 1e-15);
  EXPECT_GT(std::abs(about_A - (about_C - mass * c.x * c.y)), 0.1);
  const auto I = Inertia<double>::at_com(mass, c, {0, -about_C, 0, 0, 0, 0});
  EXPECT_NEAR(I.J.xy, -about_A, 1e-15);
}

}  // namespace
}  // namespace torsor
