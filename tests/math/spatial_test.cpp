#include "torsor/math/spatial.hpp"

#include "support/dense_reference.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::angle_battery;
using testing::Draw;

// A wrench is no twist: the wrong one does not compile.
template <class X>
concept HasAd = requires(SE3<double> T, X x) {
  Ad(T, x);
}
|| requires(SE3<double> T, X x) { Ad_inv(T, x); }
|| requires(Twist<double> V, X x) { ad(V, x); };
template <class X>
concept HasAdDual = requires(SE3<double> T, X x) {
  Ad_dual(T, x);
}
|| requires(SE3<double> T, X x) { Ad_dual_inv(T, x); }
|| requires(Twist<double> V, X x) { ad_dual(V, x); };
static_assert(HasAd<Twist<double>> && !HasAd<Wrench<double>>);
static_assert(HasAdDual<Wrench<double>> && !HasAdDual<Twist<double>>);
template <class A, class B>
concept Pairs = requires(A a, B b) {
  dot(a, b);
};
static_assert(Pairs<Twist<double>, Wrench<double>> && !Pairs<Twist<double>, Twist<double>>);

template <class Real, class Check>
void over_battery(std::uint64_t seed, Check check) {
  Draw<Real> draw(seed);
  for (const auto angle : angle_battery<Real>()) {
    for (int n = 0; n < 3; ++n) {
      SCOPED_TRACE(::testing::Message() << "angle " << angle);
      const Twist<Real> x{draw.unit() * Real(angle), draw.vec()};
      check(x, static_cast<double>(angle), draw);
    }
  }
}
template <class Real>
bool is_half_turn(double angle) {
  return std::numbers::pi - angle < 4 * testing::eps<Real>;
}
template <class D, class Real>
Twist<D> path(const Twist<Real>& at, const Twist<Real>& along) {
  Twist<D> x;
  for (int k = 0; k < 3; ++k) {
    x.w[k].value = at.w[k], x.w[k].d[0] = along.w[k];
    x.v[k].value = at.v[k], x.v[k].d[0] = along.v[k];
  }
  return x;
}
template <class Real, class D>
Vec3<Real> slope(const Vec3<D>& a) {
  return {a.x.d[0], a.y.d[0], a.z.d[0]};
}
template <class Real, class D>
Mat3<Real> slope(const Mat3<D>& a) {
  return {slope<Real>(a.c0), slope<Real>(a.c1), slope<Real>(a.c2)};
}

template <class Real>
class SpatialLaws : public ::testing::Test {};
TYPED_TEST_SUITE(SpatialLaws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(SpatialLaws, log_of_exp_and_exp_of_log_are_identities) {
  using Real = TypeParam;
  over_battery<Real>(1, [](const Twist<Real>& x, double angle, Draw<Real>&) {
    const SE3<Real> T = exp(x);
    EXPECT_CLOSE(exp(log(T)), T, 20);
    EXPECT_CLOSE(exp(-x), inverse(T), 20);
    EXPECT_CLOSE(Ad(T, x), x, 60);          // a screw is at rest in its own motion
    if (is_half_turn<Real>(angle)) return;  // both signs of w are right there
    EXPECT_CLOSE(log(T), x, 20);
  });
}

TYPED_TEST(SpatialLaws, twists_and_wrenches_are_linear_spaces) {
  Draw<TypeParam> draw(11);
  for (int n = 0; n < 50; ++n) {
    const auto V = draw.twist(), W = draw.twist();
    const auto F = draw.wrench(), G = draw.wrench();
    const TypeParam s = V.w.x + 3, two(2);
    EXPECT_CLOSE(dot(s * V, F), s * dot(V, F), 20);
    EXPECT_CLOSE(dot(V, s * F), s * dot(V, F), 20);
    EXPECT_CLOSE(dot(two * V - W, F + G * s),
                 two * dot(V, F) - dot(W, F) + s * (two * dot(V, G) - dot(W, G)), 60);
    auto difference = V;
    difference -= W;
    EXPECT_CLOSE(difference, V - W, 1);
  }
}

TYPED_TEST(SpatialLaws, L_01_Ad_is_a_homomorphism_and_Ad_inv_its_inverse) {
  Draw<TypeParam> draw(2);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.pose(), B = draw.pose();
    const auto V = draw.twist();
    EXPECT_CLOSE(Ad(A * B, V), Ad(A, Ad(B, V)), 80);
    EXPECT_CLOSE(Ad_inv(A, Ad(A, V)), V, 60);
    EXPECT_CLOSE(Ad(A, Ad_inv(A, V)), V, 80);
    EXPECT_CLOSE(Ad_inv(A, V), Ad(inverse(A), V), 60);
    EXPECT_CLOSE(Ad(SE3<TypeParam>{}, V), V, 0);
  }
}

TYPED_TEST(SpatialLaws, L_01_Ad_dual_is_the_transpose_of_Ad_and_power_is_the_same_in_all_frames) {
  Draw<TypeParam> draw(3);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.pose(), B = draw.pose();
    const auto V = draw.twist();
    const auto F = draw.wrench();
    EXPECT_CLOSE(dot(V, Ad_dual(A, F)), dot(Ad(A, V), F), 20);
    EXPECT_CLOSE(dot(V, Ad_dual_inv(A, F)), dot(Ad_inv(A, V), F), 40);
    EXPECT_CLOSE(dot(Ad(A, V), Ad_dual_inv(A, F)), dot(V, F), 60);
    EXPECT_CLOSE(Ad_dual(A * B, F), Ad_dual(B, Ad_dual(A, F)), 60);
    EXPECT_CLOSE(Ad_dual_inv(A, Ad_dual(A, F)), F, 60);
    EXPECT_CLOSE(Ad_dual_inv(A, F), Ad_dual(inverse(A), F), 40);
  }
}

TYPED_TEST(SpatialLaws, L_01_ad_is_a_Lie_bracket_that_Ad_respects) {
  Draw<TypeParam> draw(4);
  for (int n = 0; n < 100; ++n) {
    const auto T = draw.pose();
    const auto X = draw.twist(), Y = draw.twist(), Z = draw.twist();
    const auto F = draw.wrench();
    EXPECT_CLOSE(ad(X, Y), -ad(Y, X), 8);
    EXPECT_CLOSE(ad(X, ad(Y, Z)) + ad(Y, ad(Z, X)) + ad(Z, ad(X, Y)), Twist<TypeParam>{}, 30);
    EXPECT_CLOSE(Ad(T, ad(X, Y)), ad(Ad(T, X), Ad(T, Y)), 40);
    EXPECT_CLOSE(dot(Y, ad_dual(X, F)), dot(ad(X, Y), F), 20);
    EXPECT_CLOSE(Ad_dual(T, ad_dual(Ad(T, X), F)), ad_dual(X, Ad_dual(T, F)), 40);
  }
}

TYPED_TEST(SpatialLaws, ad_is_the_derivative_of_Ad_and_ad_dual_of_Ad_dual) {
  using Real = TypeParam;
  using D = Dual<Real, 1>;
  Draw<Real> draw(5);
  for (int n = 0; n < 50; ++n) {
    const auto X = draw.twist(), Y = draw.twist();
    const auto F = draw.wrench();
    const SE3<D> T = exp(path<D>(Twist<Real>{}, X));
    const auto y = Ad(T, Y);
    const auto f = Ad_dual(T, F);
    EXPECT_CLOSE(Twist<Real>({slope<Real>(y.w), slope<Real>(y.v)}), ad(X, Y), 20);
    EXPECT_CLOSE(Wrench<Real>({slope<Real>(f.m), slope<Real>(f.f)}), ad_dual(X, F), 8);
  }
}

TYPED_TEST(SpatialLaws, dexp_is_the_body_twist_of_exp) {
  using Real = TypeParam;
  using D = Dual<Real, 1>;
  over_battery<Real>(6, [](const Twist<Real>& x, double, Draw<Real>& draw) {
    const Twist<Real> y = draw.twist();
    const SE3<D> T = exp(path<D>(x, y));
    const SE3<Real> at = exp(x);
    const Twist<Real> body{vee(transpose_times(at.R, slope<Real>(T.R))),
                           transpose_times(at.R, slope<Real>(T.p))};
    EXPECT_CLOSE(dexp(x, y), body, 60);
    EXPECT_CLOSE(Ad(at, dexp(x, y)), dexp(-x, y), 60);  // the left one, in the fixed frame
    EXPECT_CLOSE(dexp(x, x), x, 60);
  });
}

TYPED_TEST(SpatialLaws, dexp_inv_is_the_inverse_of_dexp_and_the_derivative_of_log) {
  using Real = TypeParam;
  using D = Dual<Real, 1>;
  over_battery<Real>(7, [](const Twist<Real>& x, double angle, Draw<Real>& draw) {
    const Twist<Real> y = draw.twist();
    EXPECT_CLOSE(dexp_inv(x, dexp(x, y)), y, 80);
    EXPECT_CLOSE(dexp(x, dexp_inv(x, y)), y, 100);
    if (is_half_turn<Real>(angle)) return;
    const Twist<D> z = log(exp(x.template cast<D>()) * exp(path<D>(Twist<Real>{}, y)));
    EXPECT_CLOSE(Twist<Real>({slope<Real>(z.w), slope<Real>(z.v)}), dexp_inv(x, y), 80);
  });
}

// Kim 2012 (6), (7): Ad_T x = T x T^-1 with 4x4 matrices; (27): ad from the printed 6x6 matrix.
TEST(Spatial, L_01_Ad_and_ad_are_the_printed_matrices) {
  Draw<double> draw(8);
  for (int n = 0; n < 50; ++n) {
    const auto T = draw.pose();
    const auto X = draw.twist(), Y = draw.twist();
    const auto F = draw.wrench();
    const auto x = testing::dense(X), y = testing::dense(Y);
    const auto conjugated = testing::dense(T) * x * testing::dense(inverse(T));
    EXPECT_LE(distance(testing::dense(Ad(T, X)), conjugated), 4e-15);
    EXPECT_LE(distance(testing::dense(ad(X, Y)), x * y + (y * x) * -1.0L), 4e-16 * 4);
    EXPECT_CLOSE(Ad(T, X), testing::dense_Ad(T) * X, 4);
    EXPECT_CLOSE(Ad_dual(T, F), transpose(testing::dense_Ad(T)) * F, 8);
    EXPECT_CLOSE(ad(X, Y), testing::dense_ad(X) * Y, 4);
    EXPECT_CLOSE(ad_dual(X, F), transpose(testing::dense_ad(X)) * F, 4);
  }
}

// Kim 2012, lemma 1 (26): d/dt X = X' + ad_V X, through the inertial frame.
TEST(Spatial, L_02_time_derivative_of_a_twist_in_a_moving_frame) {
  using D = Dual<double, 1>;
  Draw<double> draw(9);
  for (int n = 0; n < 50; ++n) {
    const auto T = draw.pose();
    const auto V = draw.twist(), X = draw.twist(), Xdot = draw.twist();
    const SE3<D> moving = T.cast<D>() * exp(path<D>(Twist<double>{}, V));  // T^-1 T' = V
    const auto inertial = Ad(moving, path<D>(X, Xdot));
    const Twist<double> rate{slope<double>(inertial.w), slope<double>(inertial.v)};
    EXPECT_CLOSE(Ad_inv(T, rate), Xdot + ad(V, X), 30);
  }
}

// Kim 2012, lemma 2 (28): d/dt Y = Y' - ad_V^* Y; its proof has to end in -ad_V^T, not in +ad_V^T.
TEST(Spatial, L_02_time_derivative_of_a_wrench_in_a_moving_frame) {
  using D = Dual<double, 1>;
  Draw<double> draw(10);
  for (int n = 0; n < 50; ++n) {
    const auto T = draw.pose();
    const auto V = draw.twist();
    const auto Y = draw.wrench(), Ydot = draw.wrench();
    const SE3<D> moving = T.cast<D>() * exp(path<D>(Twist<double>{}, V));
    const Twist<D> p = path<D>(Twist<double>{Y.m, Y.f}, Twist<double>{Ydot.m, Ydot.f});
    const auto inertial = Ad_dual_inv(moving, Wrench<D>{p.w, p.v});
    const Wrench<double> rate{slope<double>(inertial.m), slope<double>(inertial.f)};
    EXPECT_CLOSE(Ad_dual(T, rate), Ydot - ad_dual(V, Y), 12);
    EXPECT_GT(testing::distance(Ad_dual(T, rate), Ydot + ad_dual(V, Y)), 1e-3);
  }
}

TEST(Spatial, exp_and_dexp_match_power_series_in_extended_precision) {
  Draw<double> draw(11);
  for (const auto angle : angle_battery<double>()) {
    SCOPED_TRACE(::testing::Message() << "angle " << angle);
    const Twist<double> x{draw.unit() * angle, draw.vec()}, y = draw.twist();
    EXPECT_LE(distance(testing::dense(exp(x)), testing::exponential_series(testing::dense(x))),
              3e-15);
    const auto E = testing::exponential_series(testing::dense_ad(x) * -1.0L, 1);
    EXPECT_CLOSE(dexp(x, y), E * y, 8);
    EXPECT_CLOSE(dexp_inv(x, E * y), y, 8);
  }
}

TEST(Spatial, derivatives_through_exp_and_log_are_right_at_the_identity) {
  using D = Dual<double, 1>;
  Draw<double> draw(12);
  for (int n = 0; n < 20; ++n) {
    const auto y = draw.twist();
    const Twist<D> z = log(exp(path<D>(Twist<double>{}, y)));
    EXPECT_CLOSE(Twist<double>({slope<double>(z.w), slope<double>(z.v)}), y, 2);
  }
}

TEST(Spatial, exp_of_a_long_translation_keeps_its_relative_accuracy) {
  Draw<double> draw(13);
  for (const double angle : {1e-9, 0.5, 1.5, 3.0}) {
    const Twist<double> x{draw.unit() * angle, draw.vec(1e6)};
    EXPECT_LE(distance(testing::dense(exp(x)), testing::exponential_series(testing::dense(x))),
              4e6 * 2.3e-16);
    EXPECT_CLOSE(log(exp(x)), x, 4e6);
  }
}

}  // namespace
}  // namespace torsor
