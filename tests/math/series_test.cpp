#include "torsor/math/internal/series.hpp"

#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using Extended = long double;

/// The closed forms in extended precision, by half angles: 1 - cos t = 2 sin^2(t/2).
struct Truth {
  Extended a, b, c, cot, a1, a2, a3, a4, b2, b4;

  explicit Truth(Extended t) {
    const Extended s = std::sin(t), h = std::sin(t / 2), k = std::cos(t / 2),
                   one_minus_cos = 2 * h * h;
    const Extended t2 = t * t, t3 = t2 * t, t4 = t2 * t2, cosine = 1 - one_minus_cos;
    a = s / t;
    b = one_minus_cos / t2;
    c = (t - s) / t3;
    cot = (1 - t / 2 * k / h) / t2;
    a1 = (4 * one_minus_cos - t * s) / (2 * t2);
    a2 = (4 * t - 5 * s + t * cosine) / (2 * t3);
    a3 = (2 * one_minus_cos - t * s) / (2 * t4);
    a4 = (2 * t - 3 * s + t * cosine) / (2 * t4 * t);
    b2 = 2 / t2 - (t + 3 * s) / (4 * t * one_minus_cos);
    b4 = 1 / t4 - (t + s) / (4 * t3 * one_minus_cos);
  }
};

template <class Real>
void expect_true_at(double t, double multiple) {
  SCOPED_TRACE(::testing::Message() << "angle " << t);
  const Real x = static_cast<Real>(t * t);
  const Truth truth(std::sqrt(Extended(x)));
  const internal::ExpCoefficients<Real> e(x);
  const internal::DexpCoefficients<Real> d(x);
  const internal::DexpInvCoefficients<Real> i(x);
  const auto check = [&](Real got, Extended want) {
    EXPECT_LE(std::abs(static_cast<double>(got - want)), multiple * testing::eps<Real>);
  };
  check(e.a, truth.a), check(e.b, truth.b), check(e.c, truth.c);
  check(internal::dexp_inv_coefficient(x), truth.cot);
  check(d.a1, truth.a1), check(d.a2, truth.a2), check(d.a3, truth.a3), check(d.a4, truth.a4);
  check(i.b2, truth.b2), check(i.b4, truth.b4);
}

TEST(Series, coefficients_match_their_closed_forms_on_both_sides_of_the_switch) {
  for (double t = 0.25; t <= 3.2; t += 0.01)
    expect_true_at<double>(t, 4), expect_true_at<float>(t, 4);
  for (const double t : {0.999999, 1.0, 1.000001})
    expect_true_at<double>(t, 4), expect_true_at<float>(t, 4);
}

TEST(Series, coefficients_at_zero_are_the_first_terms) {
  const internal::ExpCoefficients<double> e(0);
  const internal::DexpCoefficients<double> d(0);
  const internal::DexpInvCoefficients<double> i(0);
  EXPECT_EQ(e.a, 1);
  EXPECT_EQ(e.b, 0.5);
  EXPECT_EQ(e.c, 1.0 / 6);
  EXPECT_EQ(internal::dexp_inv_coefficient(0.0), 1.0 / 12);
  EXPECT_EQ(d.a1, 0.5);
  EXPECT_EQ(d.a2, 1.0 / 6);
  EXPECT_EQ(d.a3, 1.0 / 24);
  EXPECT_EQ(d.a4, 1.0 / 120);
  EXPECT_EQ(i.b2, 1.0 / 12);
  EXPECT_EQ(i.b4, -1.0 / 720);
}

// |B_2m| / (2m)! = 2 zeta(2m) / (2 pi)^2m; with s = 2m the tail beyond N is
// N^(1-s)/(s-1) - N^-s/2 + s N^(-s-1)/12.
TEST(Series, bernoulli_numbers_are_values_of_the_zeta_function) {
  for (int m = 1; m <= internal::series::terms; ++m) {
    const Extended s = 2 * m, N = 2000;
    Extended zeta =
        std::pow(N, 1 - s) / (s - 1) - std::pow(N, -s) / 2 + s * std::pow(N, -s - 1) / 12;
    for (int n = 2000; n > 0; --n) zeta += std::pow(Extended(n), -s);
    const Extended pi =
        std::acos(Extended(-1));  // that of libc++ 14's <numbers> has a double's digits
    const Extended want = 2 * zeta / std::pow(2 * pi, s);
    const double got = internal::series::bernoulli[static_cast<std::size_t>(m)];
    EXPECT_NEAR(got / static_cast<double>(want), 1, 4e-16) << m;
  }
}

// Series derivative at zero: the second coefficient, from a dual number.
TEST(Series, derivatives_at_zero_are_the_second_terms) {
  using D = Dual<double, 1>;
  const internal::ExpCoefficients<D> e(D::variable(0, 0));
  EXPECT_EQ(e.a.d[0], -1.0 / 6);
  EXPECT_EQ(e.b.d[0], -1.0 / 24);
  EXPECT_EQ(e.c.d[0], -1.0 / 120);
  EXPECT_EQ(internal::dexp_inv_coefficient(D::variable(0, 0)).d[0], 1.0 / 720);
}

TEST(Series, derivatives_agree_across_the_switch) {
  using D = Dual<double, 1>;
  const double below = std::nextafter(1.0, 0.0);
  const auto d = [](const auto& x) { return x.d[0]; };
  const internal::DexpCoefficients<D> a(D::variable(below, 0)), b(D::variable(1, 0));
  EXPECT_NEAR(d(a.a1), d(b.a1), 2e-15);
  EXPECT_NEAR(d(a.a2), d(b.a2), 2e-15);
  EXPECT_NEAR(d(a.a3), d(b.a3), 2e-15);
  EXPECT_NEAR(d(a.a4), d(b.a4), 2e-15);
  const internal::DexpInvCoefficients<D> p(D::variable(below, 0)), q(D::variable(1, 0));
  EXPECT_NEAR(d(p.b2), d(q.b2), 6e-15);
  EXPECT_NEAR(d(p.b4), d(q.b4), 6e-15);
}

}  // namespace
}  // namespace torsor
