#include "torsor/math/so3.hpp"

#include "support/dense_reference.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::angle_battery;
using testing::Draw;

/// A check over every angle of the battery with three drawn axes.
template <class Real, class Check>
void over_battery(std::uint64_t seed, Check check) {
  Draw<Real> draw(seed);
  for (const auto angle : angle_battery<Real>()) {
    for (int n = 0; n < 3; ++n) {
      SCOPED_TRACE(::testing::Message() << "angle " << angle);
      check(draw.unit() * Real(angle), static_cast<double>(angle), draw);
    }
  }
}
template <class Real>
bool is_half_turn(double angle) {
  return std::numbers::pi - angle < 4 * testing::eps<Real>;
}

template <class Real>
class SO3Laws : public ::testing::Test {};
TYPED_TEST_SUITE(SO3Laws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(SO3Laws, exp_is_a_rotation_and_exp_of_minus_w_its_inverse) {
  using Real = TypeParam;
  over_battery<Real>(1, [](const Vec3<Real>& w, double, Draw<Real>&) {
    const auto R = exp(w), one = Mat3<Real>::identity();
    EXPECT_CLOSE(transpose_times(R, R), one, 40);
    EXPECT_CLOSE(cross(R.c0, R.c1), R.c2, 20);
    EXPECT_CLOSE(exp(-w), transpose(R), 4);
    EXPECT_CLOSE(R * w, w, 30);
  });
}

TYPED_TEST(SO3Laws, log_of_exp_returns_the_rotation_vector) {
  using Real = TypeParam;
  over_battery<Real>(2, [](const Vec3<Real>& w, double angle, Draw<Real>&) {
    if (is_half_turn<Real>(angle)) return;  // both signs are right there: see exp_of_log
    EXPECT_CLOSE(log(exp(w)), w, 40);
  });
}

TYPED_TEST(SO3Laws, exp_of_log_returns_the_rotation) {
  using Real = TypeParam;
  over_battery<Real>(3, [](const Vec3<Real>& w, double, Draw<Real>&) {
    const auto R = exp(w);
    EXPECT_CLOSE(exp(log(R)), R, 20);
    const auto n = value_of(norm(log(R)));
    EXPECT_TRUE(all(n <= decltype(n)(std::numbers::pi * (1 + 4 * testing::eps<Real>))));
  });
}

TYPED_TEST(SO3Laws, exp_turns_about_w_by_its_length) {
  using Real = TypeParam;
  over_battery<Real>(4, [](const Vec3<Real>&, double angle, Draw<Real>& draw) {
    const Vec3<Real> k = draw.unit();
    const Real a = static_cast<testing::ValueOf<Real>>(angle);
    EXPECT_CLOSE(exp(k * a), internal::rotation_about(k, sincos(a)), 40);
  });
}

TYPED_TEST(SO3Laws, quaternion_round_trips) {
  using Real = TypeParam;
  over_battery<Real>(5, [](const Vec3<Real>& w, double angle, Draw<Real>&) {
    const auto R = exp(w);
    const auto q = quaternion(R), p = quaternion_exp(w);
    EXPECT_CLOSE(rotation(q), R, 20);
    EXPECT_CLOSE(rotation(p), R, 20);
    EXPECT_CLOSE(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, Real(1), 10);
    EXPECT_TRUE(all(value_of(q.w) >= value_of(Real(0))));
    if (is_half_turn<Real>(angle)) return;
    EXPECT_CLOSE(q, p, 8);
    EXPECT_CLOSE(log(p), w, 20);
    EXPECT_CLOSE(log(Quaternion<Real>{-p.x, -p.y, -p.z, -p.w}), w, 20);
  });
}

TYPED_TEST(SO3Laws, quaternion_product_is_the_product_of_rotations) {
  Draw<TypeParam> draw(6);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.rotation(), B = draw.rotation();
    const auto a = quaternion(A), b = quaternion(B);
    EXPECT_CLOSE(rotation(a * b), A * B, 80);
    EXPECT_CLOSE(rotation(conjugate(a)), transpose(A), 60);
    const TypeParam s = draw(2, 3);
    EXPECT_CLOSE(normalised(Quaternion<TypeParam>{a.x * s, a.y * s, a.z * s, a.w * s}), a, 12);
  }
}

// Shepperd's choice: each of the four components is the largest somewhere.
TYPED_TEST(SO3Laws, quaternion_of_a_half_turn_about_any_axis_is_the_axis) {
  using Real = TypeParam;
  for (int k = 0; k < 3; ++k) {
    const auto axis = Mat3<Real>::identity()[k];
    const auto q = quaternion(internal::rotation_about(axis, SinCos<Real>{Real(0), Real(-1)}));
    EXPECT_CLOSE(Vec3<Real>({abs(q.x), abs(q.y), abs(q.z)}), axis, 0);
    EXPECT_CLOSE(q.w, Real(0), 0);
  }
}

TYPED_TEST(SO3Laws, dexp_is_the_derivative_of_exp) {
  using Real = TypeParam;
  using D = Dual<Real, 1>;
  over_battery<Real>(7, [](const Vec3<Real>& w, double, Draw<Real>& draw) {
    const Vec3<Real> u = draw.vec();
    Vec3<D> path;
    for (int k = 0; k < 3; ++k) path[k].value = w[k], path[k].d[0] = u[k];
    const Mat3<D> R = exp(path);
    Mat3<Real> dR;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) dR(r, c) = R(r, c).d[0];
    EXPECT_CLOSE(vee(transpose_times(exp(w), dR)), dexp(w, u), 30);
    EXPECT_CLOSE(exp(w) * dexp(w, u), dexp(-w, u), 60);  // the left one, in the fixed frame
  });
}

TYPED_TEST(SO3Laws, dexp_inv_is_the_inverse_of_dexp_and_the_derivative_of_log) {
  using Real = TypeParam;
  using D = Dual<Real, 1>;
  over_battery<Real>(8, [](const Vec3<Real>& w, double angle, Draw<Real>& draw) {
    const Vec3<Real> u = draw.vec();
    EXPECT_CLOSE(dexp_inv(w, dexp(w, u)), u, 20);
    EXPECT_CLOSE(dexp(w, dexp_inv(w, u)), u, 20);
    if (is_half_turn<Real>(angle)) return;
    Vec3<D> step;
    for (int k = 0; k < 3; ++k) step[k].d[0] = u[k];
    const Vec3<D> path = log(exp(w.template cast<D>()) * exp(step));
    EXPECT_CLOSE(Vec3<Real>({path.x.d[0], path.y.d[0], path.z.d[0]}), dexp_inv(w, u), 30);
  });
}

TYPED_TEST(SO3Laws, basic_rotations_are_exponentials_of_the_axes) {
  using Real = TypeParam;
  for (const auto angle : angle_battery<Real>()) {
    const Real a(angle);
    EXPECT_CLOSE(rotation_x(a), exp(Vec3<Real>::unit_x() * a), 8);
    EXPECT_CLOSE(rotation_y(a), exp(Vec3<Real>::unit_y() * a), 8);
    EXPECT_CLOSE(rotation_z(a), exp(Vec3<Real>::unit_z() * a), 8);
  }
}

// The series and the closed forms, against power series summed in extended precision.
template <class Real>
void expect_exp_and_dexp_match_power_series() {
  Draw<Real> draw(9);
  for (const auto angle : angle_battery<Real>()) {
    const Vec3<Real> w = draw.unit() * Real(angle), u = draw.vec();
    SCOPED_TRACE(::testing::Message() << "angle " << angle);
    const auto W = testing::dense(skew(w));
    const double eps = testing::eps<Real>;
    // The terms of exp reach 2, at a half turn: four roundings of that size.
    EXPECT_LE(distance(testing::dense(exp(w)), testing::exponential_series(W)), 8 * eps);
    const auto E = testing::exponential_series(W * -1.0L, 1);
    const Vec3<Real> y = dexp(w, u);
    for (int r = 0; r < 3; ++r) {
      const auto truth = E(r, 0) * u.x + E(r, 1) * u.y + E(r, 2) * u.z;
      EXPECT_LE(std::abs(static_cast<double>(truth - y[r])), 4 * eps);
    }
  }
}
TEST(SO3, exp_and_dexp_match_power_series_in_extended_precision) {
  expect_exp_and_dexp_match_power_series<double>();
  expect_exp_and_dexp_match_power_series<float>();
}

TEST(SO3, first_and_second_derivatives_through_exp_and_log_are_right_at_the_identity) {
  using D = Dual<double, 3>;
  using DD = Dual<D, 3>;
  Vec3<DD> w;
  for (int k = 0; k < 3; ++k) {
    w[k].value.d[k] = 1;
    w[k].d[k].value = 1;
  }
  // exp(w) = 1 + [w] + [w]^2/2: the derivatives at 0, entry by entry.
  const Mat3<DD> R = exp(w);
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const Mat3<double> one = Mat3<double>::identity();
      const Mat3<double> A = skew(one[a]), B = skew(one[b]), second = (A * B + B * A) * 0.5;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          EXPECT_EQ(R(r, c).value.value, one(r, c));
          EXPECT_EQ(R(r, c).d[a].value, A(r, c));
          EXPECT_EQ(R(r, c).d[a].d[b], second(r, c));
        }
      }
    }
  }
  // log(exp(w)) = w: identity, then zero.
  const Vec3<DD> y = log(R);
  for (int k = 0; k < 3; ++k) {
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(y[k].d[a].value, a == k ? 1.0 : 0.0);
      for (int b = 0; b < 3; ++b) EXPECT_NEAR(y[k].d[a].d[b], 0, 4e-16);
    }
  }
}

}  // namespace
}  // namespace torsor
