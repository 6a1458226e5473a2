// Three joints that carry a point to a place: any mix of turning and sliding joints.
//
//   p = Rz(th1) Tz(d1) X1 g,   g = Rz(th2) Tz(d2) k,   k(q3) = X2 Rz(th3) Tz(d3) c
//
// k is affine in (cos, sin) of th3 or in d3. Joint 1 turning keeps |.|^2 and z:
//   E1  2 a1 (k1 c2 - k2 s2) = r - a1^2 - d2^2 - |k|^2 - 2 d2 k3      r = px^2 + py^2 + (pz - d1)^2
//   E2  sa1 (k1 s2 + k2 c2)  = zeta - ca1 (k3 + d2)                   zeta = pz - d1
// and sliding keeps x and y. Eliminating q2 leaves one equation in q3: (1-22) or a quadratic where
// a1 or an angle vanishes, else a quartic in the half tangent or in the length.
// Source: Pieper 1968; Huo 2005, sec. 1.3, table of the five basic structures.
#include <cmath>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/internal/real_roots.hpp"
#include "torsor/linear/trig_roots.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::ik {
namespace {

using Side = AnalyticIkBranch::Side;

/// What is out of reach by less than this part of the arm may be so by rounding, which is large where
/// two singularities are near; each solution is verified.
constexpr double within = 1e-9;
TrigRoots trig(double k1, double k2, double k3, double size) {
  return solve_trig(k1, k2, k3, size, 1e-14, within * size);
}

/// e0 + e1 cos + e2 sin of joint 3, or e0 + e1 u + e2 u^2 of its length.
struct Expression {
  double e0 = 0, e1 = 0, e2 = 0;
};
Expression operator+(const Expression& a, const Expression& b) {
  return {a.e0 + b.e0, a.e1 + b.e1, a.e2 + b.e2};
}
Expression operator*(const Expression& a, double s) { return {a.e0 * s, a.e1 * s, a.e2 * s}; }
Expression operator-(const Expression& a, const Expression& b) { return a + b * -1.0; }
Expression constant(double x) { return {x, 0, 0}; }

struct Root3 {
  double c = 1, s = 0, q = 0;  // cosine and sine (turning), value
};
struct Roots3 {
  int n = 0;
  FixedArray<Root3, 8> root{};
};

class ArmEquations {
 public:
  ArmEquations(const Dh& arm, const Vector& p_world, FixedArray<ArmPosture, 8>& postures)
      : arm_(arm), postures_(postures) {
    p_ = transpose_times(arm.base.R, p_world - arm.base.p);
    slide3_ = arm.slides[2];
    // c: the point behind joint 3; k = (a2, 0, 0) + Rx(alpha2) (...)
    const Vector c = arm.tool.p;
    const auto x2 = [&](const Vector& f) {
      return Vector{f.x, arm.ca[1] * f.y - arm.sa[1] * f.z, arm.sa[1] * f.y + arm.ca[1] * f.z};
    };
    if (slide3_) {
      const auto [s, co] = sincos(arm.o[2]);
      k0_ = x2({c.x * co - c.y * s, c.x * s + c.y * co, c.z + arm.d[2]});
      k1_ = x2({0, 0, 1});
    } else {
      k0_ = x2({0, 0, c.z + arm.d[2]});
      k1_ = x2({c.x, c.y, 0});
      k2_ = x2({-c.y, c.x, 0});
    }
    k0_.x += arm.a[1];
    if (arm.slides[1]) {
      const SO3<double> turn = rotation_z(arm.o[1]);
      k0_ = turn * k0_, k1_ = turn * k1_, k2_ = turn * k2_;
    }
    tiny_ = 1e-10 * arm.scale;
    least_ = 4e-15 * (arm.scale * arm.scale + dot(p_, p_));
    reach_ = within * (arm.scale * arm.scale + dot(p_, p_));
  }

  int solve() {
    if (arm_.slides[0])
      arm_.slides[1] ? slide_slide() : slide_turn();
    else
      arm_.slides[1] ? turn_slide() : turn_turn();
    return n_;
  }

 private:
  Expression component(int i) const { return {k0_[i], k1_[i], slide3_ ? 0 : k2_[i]}; }
  Expression squared_length() const {
    if (slide3_) return {dot(k0_, k0_), 2 * dot(k0_, k1_), dot(k1_, k1_)};
    return {dot(k0_, k0_) + dot(k1_, k1_), 2 * dot(k0_, k1_), 2 * dot(k0_, k2_)};
  }
  Vector k_at(const Root3& r) const {
    return slide3_ ? k0_ + k1_ * r.q : k0_ + k1_ * r.c + k2_ * r.s;
  }
  void add(Roots3& roots, double s, double c) const {
    roots.root[roots.n++] = {c, s, atan2(s, c) - arm_.o[2]};
  }
  void add_length(Roots3& roots, double u) const {
    const auto [s, c] = sincos(arm_.o[2]);
    roots.root[roots.n++] = {c, s, u};
  }

  /// Roots of one expression; `size` is that of its terms.
  Roots3 roots_of(const Expression& e, double size) const {
    Roots3 roots;
    if (!slide3_) {
      const TrigRoots t = trig(e.e2, e.e1, -e.e0, size);
      for (int i = 0; i < t.n; ++i) add(roots, t.sin[i], t.cos[i]);
      return roots;
    }
    if (std::abs(e.e2) <= 1e-12) {
      if (std::abs(e.e1) > 1e-12) add_length(roots, -e.e0 / e.e1);
      return roots;
    }
    const double half = -e.e1 / (2 * e.e2), disc = half * half - e.e0 / e.e2;
    if (disc < -reach_) return roots;
    if (disc <= least_) {
      add_length(roots, half);
      return roots;
    }
    add_length(roots, half + std::sqrt(disc));
    add_length(roots, half - std::sqrt(disc));
    return roots;
  }

  using Quadratic = FixedArray<double, 3>;
  Quadratic in_t(const Expression& e) const {
    if (slide3_) return {e.e0, e.e1, e.e2};
    return {e.e0 + e.e1, 2 * e.e2, e.e0 - e.e1};
  }
  Quadratic one() const { return slide3_ ? Quadratic{1, 0, 0} : Quadratic{1, 0, 1}; }
  static void add_product(FixedArray<double, 5>& sum, const Quadratic& a, const Quadratic& b,
                          double factor) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) sum[i + j] += factor * a[i] * b[j];
  }
  Roots3 roots_of(const FixedArray<double, 5>& quartic) const {
    Roots3 roots;
    if (slide3_) {
      const double l = arm_.scale;
      if (std::abs(quartic[4]) * l * l < 1e-12 && std::abs(quartic[3]) * l < 1e-12)
        return roots_of(Expression{quartic[0], quartic[1], quartic[2]}, 0);
    }
    const internal::ProjectiveRoots<4> t = internal::real_roots<4>(quartic);
    for (int i = 0; i < t.n && roots.n < 8; ++i) {
      const auto [y, x] = t.root[i];
      if (slide3_) {
        if (std::abs(x) > 1e-9) add_length(roots, y / x);
      } else {
        const double k = 1 / (x * x + y * y);
        add(roots, 2 * x * y * k, (x * x - y * y) * k);
      }
    }
    return roots;
  }

  void turn_turn() {
    const double a = arm_.a[0], sa = arm_.sa[0], ca = arm_.ca[0], d2 = arm_.d[1];
    const double zeta = p_.z - arm_.d[0], r = p_.x * p_.x + p_.y * p_.y + zeta * zeta;
    const double l2 = r + arm_.scale * arm_.scale;
    const Expression k3 = component(2), kk = squared_length();
    const Expression E1 = constant(r - a * a - d2 * d2) - kk - k3 * (2 * d2);
    const Expression E2 = constant(zeta - ca * d2) - k3 * ca;
    const bool no_a = a <= tiny_, no_s = sa == 0;
    Roots3 roots;
    if (no_a) {
      roots = roots_of(E1, l2);
    } else if (no_s) {
      roots = roots_of(E2, std::sqrt(l2));
    } else {
      FixedArray<double, 5> f{};
      const Quadratic e1 = in_t(E1), e2 = in_t(E2), z = in_t(k3);
      add_product(f, e1, e1, sa * sa);
      add_product(f, e2, e2, 4 * a * a);
      add_product(f, in_t(kk), one(), -4 * a * a * sa * sa);
      add_product(f, z, z, 4 * a * a * sa * sa);
      roots = roots_of(f);
    }
    for (int i = 0; i < roots.n; ++i) {
      const Root3& q3 = roots.root[i];
      const Vector k = k_at(q3);
      const double e1 = r - a * a - d2 * d2 - dot(k, k) - 2 * d2 * k.z;
      const double e2 = zeta - ca * (d2 + k.z);
      AnalyticIkBranch branch;
      if (no_a || no_s) {
        const TrigRoots t =
            no_a ? trig(k.x, k.y, e2 / sa, std::sqrt(l2)) : trig(-k.y, k.x, e1 / (2 * a), l2 / a);
        if (no_a && roots.n == 2) branch.elbow = i == 0 ? Side::first : Side::second;
        for (int j = 0; j < t.n; ++j) {
          const Side side = t.n < 2 ? Side::none : j == 0 ? Side::first : Side::second;
          (no_a ? branch.shoulder : branch.elbow) = side;
          finish_turn(k, q3, t.sin[j], t.cos[j], branch, -1);
        }
        if (t.identity) turn_free(k, q3, branch);
      } else {
        const double A = e1 / (2 * a), B = e2 / sa;
        branch.number = i + 1;
        if (k.x * k.x + k.y * k.y < tiny_ * tiny_) {
          turn_free(k, q3, branch);
          continue;
        }
        const double s = B * k.x - A * k.y, c = A * k.x + B * k.y, n = 1 / std::sqrt(s * s + c * c);
        finish_turn(k, q3, s * n, c * n, branch, -1);
      }
    }
  }

  void turn_slide() {
    const double a = arm_.a[0], sa = arm_.sa[0], ca = arm_.ca[0];
    const double zeta = p_.z - arm_.d[0], r = p_.x * p_.x + p_.y * p_.y + zeta * zeta;
    const Expression kx = component(0), ky = component(1), kz = component(2), kk = squared_length();
    if (std::abs(ca) > 1e-9) {
      const Quadratic Z = in_t((constant(zeta) - ky * sa) * (1 / ca)), z = in_t(kz);
      FixedArray<double, 5> f{};
      add_product(f, in_t(constant(a * a - r) + kx * (2 * a) + kk), one(), 1);
      add_product(f, z, z, -1);
      add_product(f, Z, Z, 1);
      const Roots3 roots = roots_of(f);
      for (int i = 0; i < roots.n; ++i) {
        const Root3& q3 = roots.root[i];
        const Vector k = k_at(q3);
        AnalyticIkBranch branch;
        if (roots.n == 2) branch.elbow = i == 0 ? Side::first : Side::second;
        if (roots.n > 2) branch.number = i + 1;
        finish_slide(k, q3, (zeta - sa * k.y) / ca - k.z, branch);
      }
      return;
    }
    const Roots3 roots = roots_of(ky * sa - constant(zeta), arm_.scale);
    for (int i = 0; i < roots.n; ++i) {
      const Root3& q3 = roots.root[i];
      const Vector k = k_at(q3);
      const double w2 = r - (a + k.x) * (a + k.x) - k.y * k.y;
      if (w2 < -reach_) continue;
      const double w = w2 > least_ ? std::sqrt(w2) : 0;
      for (int j = 0; j < (w > 0 ? 2 : 1); ++j) {
        AnalyticIkBranch branch;
        if (roots.n == 2) branch.elbow = i == 0 ? Side::first : Side::second;
        if (w > 0) branch.shoulder = j == 0 ? Side::first : Side::second;
        finish_slide(k, q3, (j == 0 ? w : -w) - k.z, branch);
      }
    }
  }

  void slide_turn() {
    const double sa = arm_.sa[0], ca = arm_.ca[0], d2 = arm_.d[1];
    const auto [s1, c1] = sincos(arm_.o[0]);
    const double A = p_.x * c1 + p_.y * s1 - arm_.a[0], B = p_.y * c1 - p_.x * s1;
    const Expression k3 = component(2), kk = squared_length();
    if (std::abs(ca) <= 1e-9) {
      const Roots3 roots = roots_of(constant(B + sa * d2) + k3 * sa, arm_.scale);
      for (int i = 0; i < roots.n; ++i) {
        const Root3& q3 = roots.root[i];
        const Vector k = k_at(q3);
        const TrigRoots t = trig(-k.y, k.x, A, arm_.scale);
        for (int j = 0; j < t.n; ++j) {
          AnalyticIkBranch branch;
          if (roots.n == 2) branch.elbow = i == 0 ? Side::first : Side::second;
          if (t.n == 2) branch.shoulder = j == 0 ? Side::first : Side::second;
          finish_turn(k, q3, t.sin[j], t.cos[j], branch, -1);
        }
        if (t.identity) turn_free(k, q3, {});
      }
      return;
    }
    FixedArray<double, 5> f{};
    const Quadratic y = in_t(constant(B + sa * d2) + k3 * sa), z = in_t(k3), w = one();
    add_product(f, w, w, ca * ca * A * A);
    add_product(f, y, y, 1);
    add_product(f, in_t(kk), w, -ca * ca);
    add_product(f, z, z, ca * ca);
    const Roots3 roots = roots_of(f);
    for (int i = 0; i < roots.n; ++i) {
      const Root3& q3 = roots.root[i];
      const Vector k = k_at(q3);
      const double gy = (B + sa * (k.z + d2)) / ca;
      AnalyticIkBranch branch;
      branch.number = i + 1;
      const double s = gy * k.x - A * k.y, c = A * k.x + gy * k.y;
      const double n2 = s * s + c * c;
      if (n2 < tiny_ * tiny_ * tiny_ * tiny_)
        turn_free(k, q3, branch);
      else
        finish_turn(k, q3, s / std::sqrt(n2), c / std::sqrt(n2), branch, -1);
    }
  }

  void slide_slide() {
    const double sa = arm_.sa[0], ca = arm_.ca[0];
    const auto [s1, c1] = sincos(arm_.o[0]);
    const double A = p_.x * c1 + p_.y * s1 - arm_.a[0], B = p_.y * c1 - p_.x * s1;
    if (sa == 0) return;
    const Roots3 roots = roots_of(component(0) - constant(A), arm_.scale);
    for (int i = 0; i < roots.n; ++i) {
      const Root3& q3 = roots.root[i];
      const Vector k = k_at(q3);
      AnalyticIkBranch branch;
      if (roots.n == 2) branch.elbow = i == 0 ? Side::first : Side::second;
      finish_slide(k, q3, (ca * k.y - B) / sa - k.z, branch);
    }
  }

  /// Joint 2 does not move the point: it stays at 0.
  void turn_free(const Vector& k, const Root3& q3, const AnalyticIkBranch& branch) {
    const auto [s, c] = sincos(arm_.o[1]);
    finish_turn(k, q3, s, c, branch, 1);
  }
  void finish_turn(const Vector& k, const Root3& q3, double s2, double c2,
                   const AnalyticIkBranch& branch, int free_joint) {
    finish({k.x * c2 - k.y * s2, k.x * s2 + k.y * c2, k.z + arm_.d[1]}, q3,
           {c2, s2, atan2(s2, c2) - arm_.o[1]}, branch, free_joint);
  }
  void finish_slide(const Vector& k, const Root3& q3, double d2, const AnalyticIkBranch& branch) {
    const auto [s, c] = sincos(arm_.o[1]);
    finish({k.x, k.y, k.z + d2}, q3, {c, s, d2 - arm_.d[1]}, branch, -1);
  }
  struct Flat {
    double x = 1, y = 0;
  };
  /// The direction in which joint 2 or joint 3 moves the point across axis 1, whichever does it more.
  Flat way_of_h(const Vector& g, const Root3& q3, const Root3& q2) const {
    const Vector by_2 = arm_.slides[1] ? Vector{0, 0, 1} : Vector{-g.y, g.x, 0};
    Vector by_3 = slide3_ ? k1_ : k2_ * q3.c - k1_ * q3.s;
    if (!arm_.slides[1])
      by_3 = {by_3.x * q2.c - by_3.y * q2.s, by_3.x * q2.s + by_3.y * q2.c, by_3.z};
    const auto across = [&](const Vector& v) {
      return Flat{v.x, arm_.ca[0] * v.y - arm_.sa[0] * v.z};
    };
    const Flat a = across(by_2), b = across(by_3);
    const double size_a = a.x * a.x + a.y * a.y, size_b = b.x * b.x + b.y * b.y;
    if (size_a + size_b < tiny_ * tiny_) return {};
    return size_a > size_b ? a : b;
  }
  void finish(const Vector& g, const Root3& q3, const Root3& q2, const AnalyticIkBranch& branch,
              int free_joint) {
    const double sa = arm_.sa[0], ca = arm_.ca[0];
    const Vector h{arm_.a[0] + g.x, ca * g.y - sa * g.z, sa * g.y + ca * g.z};
    Root3 q1;
    const bool on_axis = h.x * h.x + h.y * h.y < tiny_ * tiny_;
    if (on_axis && !arm_.slides[0] && p_.x * p_.x + p_.y * p_.y > tiny_ * tiny_) {
      // The point is off axis 1 by what rounding has taken from h: joint 1 turns the way that h moves
      // towards it.
      const Flat way = way_of_h(g, q3, q2);
      const double s = way.x * p_.y - way.y * p_.x, c = way.x * p_.x + way.y * p_.y;
      const double n = 1 / std::sqrt(s * s + c * c);
      q1 = {c * n, s * n, atan2(s, c) - arm_.o[0]};
    } else if (arm_.slides[0] || on_axis) {
      const auto [s, c] = sincos(arm_.o[0]);
      q1 = {c, s, arm_.slides[0] ? p_.z - h.z - arm_.d[0] : 0};
      if (!arm_.slides[0]) free_joint = 0;
    } else {
      const double s = h.x * p_.y - h.y * p_.x, c = h.x * p_.x + h.y * p_.y;
      const double n = 1 / std::sqrt(s * s + c * c);
      q1 = {c * n, s * n, atan2(s, c) - arm_.o[0]};
    }
    if (n_ >= 8) return;
    ArmPosture& posture = postures_[n_++];
    posture.q = {q1.q, q2.q, q3.q};
    posture.cos = {q1.c, q2.c, q3.c};
    posture.sin = {q1.s, q2.s, q3.s};
    posture.branch = branch;
    posture.free_joint = free_joint;
  }

  const Dh& arm_;
  FixedArray<ArmPosture, 8>& postures_;
  Vector p_{}, k0_{}, k1_{}, k2_{};
  bool slide3_ = false;
  double tiny_ = 0;   // m
  double least_ = 0;  // m^2, what squares of lengths are rounded by
  double reach_ = 0;  // m^2, what they may be out of reach by
  int n_ = 0;
};

}  // namespace

int solve_arm(const Dh& arm, const Vector& p, FixedArray<ArmPosture, 8>& postures) {
  return ArmEquations(arm, p, postures).solve();
}

bool arm_is_solvable(const Dh& arm) {
  // The point must move in three directions somewhere: try a few postures.
  double best = 0;
  for (int trial = 0; trial < 8; ++trial) {
    double q[max_ik_joints] = {};
    for (int i = 0; i < 3; ++i) q[i] = 0.3 + 0.77 * trial + 1.9 * i * (1 + trial);
    Vector w[max_ik_joints], v[max_ik_joints];
    forward(arm, q, w, v);
    const double volume = std::abs(dot(v[0], cross(v[1], v[2])));
    best = volume > best ? volume : best;
  }
  return best > 1e-9;
}

}  // namespace torsor::ik
