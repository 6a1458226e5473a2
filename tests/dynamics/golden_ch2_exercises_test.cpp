/// Huo 2005: exercises of sections 2.1 and 2.2 that state a law.
#include "support/dynamics_state.hpp"
#include "torsor/kinematics/forward.hpp"

namespace torsor {
namespace {

using testing::Draw;
using testing::State;
using Tangent = Dual<double, 1>;

/// Position in the world of a point of the last body.
template <class Real>
Vec3<Real> place(const Model<double>& model, const std::vector<Real>& q, const Vec3<double>& r) {
  KinematicsWorkspace<Real> ws(model);
  forward_kinematics(model, ws, q);
  return ws.T_world_body.back() * r.cast<Real>();
}

TEST(GoldenCh2Exercises, X_2_2_a_velocity_depends_on_a_rate_as_the_place_on_its_coordinate) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model<double> model(testing::random_tree(
        seed, 4, {.kinds = {JointKind::revolute, JointKind::prismatic}, .chain = true}));
    const State<double> s(model, seed);
    const Vec3<double> r{0.3, -0.2, 0.5};
    const auto velocity = [&](const std::vector<double>& rate) {
      std::vector<Tangent> q(s.q.begin(), s.q.end());
      for (std::size_t k = 0; k < q.size(); ++k) q[k].d[0] = rate[k];
      const Vec3<Tangent> x = place(model, q, r);
      return Vec3<double>{x.x.d[0], x.y.d[0], x.z.d[0]};
    };
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<double> faster = s.qd, unit(4);
      faster[k] += 1;  // the velocity is linear in the rates
      unit[k] = 1;
      EXPECT_CLOSE(velocity(faster) - velocity(s.qd), velocity(unit), 50);
    }
  }
}

TEST(GoldenCh2Exercises, X_2_3_a_matrix_is_skew_where_its_quadratic_form_vanishes_everywhere) {
  Draw<double> draw(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3<double> A = draw.mat(), S = A - transpose(A);
    const Vec3<double> x = draw.vec();
    EXPECT_NEAR(dot(x, S * x), 0, 1e-15);
    // Back from the form: x^T A x at e_i and e_i + e_j gives the symmetric part, which is zero.
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Vec3<double> e_i{}, e_j{};
        e_i[i] = 1, e_j[j] = 1;
        const auto form = [&](const Vec3<double>& u) { return dot(u, A * u); };
        EXPECT_NEAR(form(e_i + e_j) - form(e_i) - form(e_j), A(i, j) + A(j, i), 1e-15);
      }
  }
}

TEST(GoldenCh2Exercises, X_2_8_an_inertia_is_positive_unless_all_mass_lies_on_a_line) {
  Draw<double> draw(8);
  for (int trial = 0; trial < 20; ++trial) {
    const Inertia<double> body = draw.inertia();
    const Vec3<double> w = draw.unit();
    EXPECT_GT(dot(w, body.J * w), 0);
    const Vec3<double> line = draw.unit();
    Inertia<double> rod;
    for (const double at : {-1.0, 0.5, 2.0})
      rod = rod + Inertia<double>::at_com(0.7, line * at, {});
    EXPECT_NEAR(dot(line, rod.J * line), 0, 1e-14);
    EXPECT_GT(dot(w, rod.J * w), 0);
  }
}

TEST(GoldenCh2Exercises, X_2_9_X_2_16_inertias_turn_add_and_shift) {
  Draw<double> draw(9);
  for (int trial = 0; trial < 20; ++trial) {
    Sym3<double> about_origin{}, turned{}, about_centre{};
    double mass = 0;
    Vec3<double> moment{};
    const SO3<double> R = draw.rotation();
    std::vector<std::pair<double, Vec3<double>>> particles;
    for (int k = 0; k < 6; ++k) particles.emplace_back(draw(0.1, 1), draw.vec());
    for (const auto& [m, r] : particles) {  // (2-95): parts add
      about_origin = about_origin + Inertia<double>::parallel_axes(m, r);
      turned = turned + Inertia<double>::parallel_axes(m, R * r);
      mass += m;
      moment += r * m;
    }
    const Vec3<double> centre = moment * (1 / mass);
    for (const auto& [m, r] : particles)
      about_centre = about_centre + Inertia<double>::parallel_axes(m, r - centre);
    EXPECT_CLOSE(rotated(R, about_origin), turned, 50);  // (2-51)
    const Sym3<double> shifted = about_centre + Inertia<double>::parallel_axes(mass, centre);
    EXPECT_CLOSE(shifted, about_origin, 50);  // (2-96)
  }
}

TEST(GoldenCh2Exercises, X_2_10_absolute_derivative_is_relative_plus_w_cross) {
  Draw<double> draw(10);
  for (int trial = 0; trial < 20; ++trial) {
    const SO3<double> R = draw.rotation();
    const Vec3<double> w = draw.vec(), a = draw.vec(), rate = draw.vec();  // a, rate in the body
    Vec3<Tangent> turn, moving;
    for (int k = 0; k < 3; ++k) {
      turn[k] = Tangent(0), turn[k].d[0] = w[k];
      moving[k] = Tangent(a[k]), moving[k].d[0] = rate[k];
    }
    const Vec3<Tangent> seen = R.cast<Tangent>() * (exp(turn) * moving);
    EXPECT_CLOSE((Vec3<double>{seen.x.d[0], seen.y.d[0], seen.z.d[0]}), R * (rate + cross(w, a)),
                 50);
  }
}

/// A free body under a wrench: Newton and Euler, and momentum about points that move.
TEST(GoldenCh2Exercises, D_09_momentum_about_a_moving_point_obeys_its_law) {
  Draw<double> draw(11);
  for (int trial = 0; trial < 20; ++trial) {
    const Inertia<double> I = draw.inertia();
    const Vec3<double> c = I.h * (1 / I.m), w = draw.vec(), v_c = draw.vec(), v_p = draw.vec();
    const Sym3<double> I_c = I.J - Inertia<double>::parallel_axes(I.m, c);
    const Vec3<double> force = draw.vec(), moment_c = draw.vec(), p = draw.vec();
    // (2-57) for the angular acceleration of a body at place c, axes of the world.
    const Mat3<double> inverse = [&] {
      const Mat3<double> m = I_c.matrix();
      const Vec3<double> x = cross(m.c1, m.c2), y = cross(m.c2, m.c0), z = cross(m.c0, m.c1);
      return transpose(Mat3<double>{x, y, z}) * (1 / dot(m.c0, x));
    }();
    const Vec3<double> e = inverse * (moment_c - cross(w, I_c * w));
    // L_P = L_C + (c - p) x m v_C as a function of time, by dual numbers.
    const auto dual = [](const Vec3<double>& x, const Vec3<double>& rate) {
      Vec3<Tangent> u;
      for (int k = 0; k < 3; ++k) u[k] = Tangent(x[k]), u[k].d[0] = rate[k];
      return u;
    };
    const SO3<Tangent> R = exp(dual({}, w));
    const Vec3<Tangent> L_c = R * (I_c.cast<Tangent>() * transpose_times(R, dual(w, e)));
    const Vec3<Tangent> arm = dual(c, v_c) - dual(p, v_p);
    const Vec3<Tangent> L_p = L_c + cross(arm, dual(v_c * I.m, force));
    const Vec3<double> rate{L_p.x.d[0], L_p.y.d[0], L_p.z.d[0]};
    const Vec3<double> moment_p = moment_c + cross(c - p, force);
    EXPECT_CLOSE(rate, moment_p - cross(v_p, v_c * I.m), 500);  // (2-45)
  }
}

}  // namespace
}  // namespace torsor
