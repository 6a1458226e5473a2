// The chain in DH form, its forward kinematics and Newton steps.
#include <algorithm>
#include <cmath>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/math/pack.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::ik {
namespace {

using namespace internal;

constexpr double parallel_sine = 1e-8;  // rad: axes closer than this are taken as parallel

double clean(double x, double size) { return std::abs(x) < 1e-13 * size ? 0 : x; }

/// R <- R Rz, with sine and cosine known.
void turn_z(SO3<double>& R, double s, double c) {
  const Vector x = R.c0 * c + R.c1 * s;
  R.c1 = R.c1 * c - R.c0 * s;
  R.c0 = x;
}

/// J, e <- J^T J + damping, J^T e; unused columns keep their variable at 0.
void normal_equations(SmallMatrix<6, 6>& J, SmallMatrix<6, 1>& e, int n, double damping) {
  SmallMatrix<6, 6> H;
  SmallMatrix<6, 1> g;
  for (int i = 0; i < 6; ++i) {
    for (int r = 0; r < 6; ++r) g[i][0] += J[r][i] * e[r][0];
    for (int j = 0; j < 6; ++j)
      for (int r = 0; r < 6; ++r) H[i][j] += J[r][i] * J[r][j];
    H[i][i] += i < n ? damping : 1;
  }
  J = H;
  e = g;
}

constexpr double nearly_there = 1e-4;  // m and rad

/// e <- least |J x - e|^2 + lambda |x|^2.
void damped_least_squares(const SmallMatrix<6, 6>& J, SmallMatrix<6, 1>& e, double lambda) {
  SmallMatrix<12, 6> A;
  double b[12] = {}, x[6];
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) A[r][c] = J[r][c];
    A[6 + r][r] = std::sqrt(lambda);
    b[r] = e[r][0];
  }
  SmallQr<12, 6>(A).solve(b, x);
  for (int r = 0; r < 6; ++r) e[r][0] = x[r];
}

template <class OnJoint>
Pose sweep(const Dh& dh, const double* q, OnJoint on_joint) {
  Pose T = dh.base;
  double angle[max_ik_joints], s[max_ik_joints], c[max_ik_joints];
  for (int i = 0; i < max_ik_joints; ++i) angle[i] = dh.o[i] + dh.turns[i] * q[i];
  internal::sincos_many(angle, s, c, max_ik_joints);
  for (int i = 0; i < dh.n; ++i) {
    on_joint(i, T);
    T.p += T.R.c2 * (dh.d[i] + dh.moves[i] * q[i]);
    turn_z(T.R, s[i], c[i]);
    T.p += T.R.c0 * dh.a[i];
    const Vector y = T.R.c1 * dh.ca[i] + T.R.c2 * dh.sa[i];
    T.R.c2 = T.R.c2 * dh.ca[i] - T.R.c1 * dh.sa[i];
    T.R.c1 = y;
  }
  return T * dh.tool;
}

}  // namespace

Chain reversed(const Chain& chain) {
  // Rz(q)^-1 = F Rz(q) F and Tz(q)^-1 = F Tz(q) F with F = Rx(pi).
  const Pose F{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {}};
  Chain back;
  back.n = chain.n;
  for (int i = 0; i < chain.n; ++i) back.slides[i] = chain.slides[chain.n - 1 - i];
  for (int i = 0; i <= chain.n; ++i) {
    Pose L = inverse(chain.link[chain.n - i]);
    if (i > 0) L = F * L;
    if (i < chain.n) L = L * F;
    back.link[i] = L;
  }
  return back;
}

Dh dh_form(const Chain& chain) {
  Dh dh;
  dh.n = chain.n;
  dh.slides = chain.slides;
  for (int i = 0; i < chain.n; ++i) (dh.slides[i] ? dh.moves : dh.turns)[i] = 1;
  dh.base = chain.link[0];
  dh.tool = chain.link[chain.n];
  for (double& ca : dh.ca) ca = 1;
  double size = 1e-3;
  for (int i = 1; i <= chain.n; ++i) size = std::max(size, norm(chain.link[i].p));
  for (int i = 0; i + 1 < chain.n; ++i) {
    const Pose& L = chain.link[i + 1];
    const Vector z = L.R.c2;  // the next axis; this one is (0, 0, 1)
    const double sine = std::sqrt(z.x * z.x + z.y * z.y);
    double turn = 0, lift = 0, a = 0, sa = 0, ca = z.z < 0 ? -1.0 : 1.0;
    if (sine < parallel_sine) {
      a = std::sqrt(L.p.x * L.p.x + L.p.y * L.p.y);
      if (a < 1e-12 * size) a = 0;
      if (a > 0) turn = atan2(L.p.y, L.p.x);
    } else {
      Vector x{-z.y / sine, z.x / sine, 0};  // the common normal
      a = clean(dot(L.p, x), size);
      if (a < 0) x = -x, a = -a;
      const Vector n = cross(x, z);
      lift = clean(dot(L.p, n) / n.z, size);
      turn = atan2(x.y, x.x);
      sa = -n.z;
      ca = clean(z.z, 1);
      if (ca == 0) sa = sa < 0 ? -1 : 1;
    }
    const Pose X{{{1, 0, 0}, {0, ca, sa}, {0, -sa, ca}}, {a, 0, 0}};
    const Pose before{rotation_z(turn), {0, 0, lift}};
    const Pose rest = inverse_times(before * X, L);
    dh.a[i] = a, dh.ca[i] = ca, dh.sa[i] = sa;
    dh.o[i] += turn, dh.d[i] += lift;
    dh.o[i + 1] += atan2(rest.R.c0.y, rest.R.c0.x);
    dh.d[i + 1] += clean(rest.p.z, size);
  }
  for (int i = 0; i < dh.n; ++i) dh.d[i] = clean(dh.d[i], size);
  dh.scale = norm(dh.tool.p);
  for (int i = 0; i < dh.n; ++i) dh.scale += dh.a[i] + std::abs(dh.d[i]);
  dh.scale = std::max(dh.scale, 1e-3);
  return dh;
}

Pose forward(const Dh& dh, const double* q) {
  return sweep(dh, q, [](int, const Pose&) {});
}

Pose forward(const Dh& dh, const double* q, Vector* turning, Vector* moving) {
  Vector origin[max_ik_joints];
  const Pose T = sweep(dh, q, [&](int i, const Pose& before) {
    turning[i] = before.R.c2;
    origin[i] = before.p;
  });
  for (int i = 0; i < dh.n; ++i) {
    if (dh.slides[i]) {
      moving[i] = turning[i];
      turning[i] = {};
    } else {
      moving[i] = cross(turning[i], T.p - origin[i]);
    }
  }
  return T;
}

PoseError pose_error(const Pose& T, const Pose& target) {
  const SO3<double> E = transpose_times(T.R, target.R);
  const Vector v = vee(E) * 2;  // 2 sin(angle) axis
  const double sine2 = norm(v), cosine2 = trace(E) - 1;
  // Below 1e-4 rad the arc is the sine, to a part in 1e9.
  const double angle = sine2 < 2e-4 && cosine2 > 0 ? 0.5 * sine2 : atan2(sine2, cosine2);
  return {norm(T.p - target.p), angle};
}

void pose_errors(const Dh& dh, const Pose& target, const Joints* q, int n, PoseError* errors) {
  using Lanes = Pack<double, 8>;
  SE3<Lanes> T = dh.base.cast<Lanes>();
  for (int i = 0; i < dh.n; ++i) {
    Lanes x(0.0);
    for (int lane = 0; lane < 8; ++lane) x.set(lane, q[lane < n ? lane : 0][i]);
    const auto [s, c] = sincos(x * dh.turns[i] + dh.o[i]);
    T.p = T.p + T.R.c2 * (x * dh.moves[i] + dh.d[i]);
    const Vec3<Lanes> X = T.R.c0 * c + T.R.c1 * s, Y = T.R.c1 * c - T.R.c0 * s;
    T.p = T.p + X * dh.a[i];
    T.R.c0 = X;
    T.R.c1 = Y * dh.ca[i] + T.R.c2 * dh.sa[i];
    T.R.c2 = T.R.c2 * dh.ca[i] - Y * dh.sa[i];
  }
  T = T * dh.tool;
  const Lanes off = norm(T.p - target.p);
  // |R - R_target| = 2 sqrt(2) sin(angle / 2)
  const Mat3<Lanes> D = T.R - target.R;
  const Lanes chord = sqrt(squared_norm(D.c0) + squared_norm(D.c1) + squared_norm(D.c2));
  for (int lane = 0; lane < n; ++lane) errors[lane] = {off[lane], chord[lane] * 0.7071067811865476};
}

PoseError refine(const Dh& dh, const Pose& target, double* q, int steps, bool least_squares) {
  Joints best{};
  std::copy(q, q + dh.n, best.begin());
  PoseError best_error{infinity, infinity};
  for (int step = 0; step <= steps; ++step) {
    Vector w[max_ik_joints], v[max_ik_joints];
    const Pose T = forward(dh, q, w, v);
    const PoseError error = pose_error(T, target);
    const double now = error.position / dh.scale + error.rotation;
    const double before = best_error.position / dh.scale + best_error.rotation;
    if (now < before) {
      best_error = error;
      std::copy(q, q + dh.n, best.begin());
    } else if (step > 2 || !(now < 1e3)) {
      break;
    }
    if (now < 4e-16 || step == steps) break;
    const Vector turn = log(target.R * transpose(T.R)), move = target.p - T.p;
    SmallMatrix<6, 6> J;
    SmallMatrix<6, 1> e;
    for (int r = 0; r < 3; ++r) {
      e[r][0] = turn[r], e[3 + r][0] = move[r];
      for (int i = 0; i < dh.n; ++i) J[r][i] = w[i][r], J[3 + r][i] = v[i][r];
    }
    if (least_squares || dh.n < 6) {
      double b[6], x[6];
      for (int r = 0; r < 6; ++r) b[r] = e[r][0];
      SmallQr<6, 6>(J).solve(b, x);
      for (int r = 0; r < 6; ++r) e[r][0] = x[r];
    } else if (solve_in_place(J, e) == 0) {
      break;
    }
    for (int i = 0; i < dh.n; ++i) q[i] += e[i][0];
  }
  std::copy(best.begin(), best.begin() + dh.n, q);
  return best_error;
}

PoseError approach(const Dh& dh, const Pose& target, const Vector* point, double* q, int steps) {
  double damping = 1e-2;
  const auto error_of = [&](const Pose& T) {
    return point ? PoseError{norm(T * *point - target.p), 0} : pose_error(T, target);
  };
  const auto cost_of = [&](const PoseError& e) {
    return e.position * e.position + dh.scale * dh.scale * 0.1 * e.rotation * e.rotation;
  };
  Vector w[max_ik_joints], v[max_ik_joints];
  Pose T = forward(dh, q, w, v);
  PoseError error = error_of(T);
  for (int step = 0; step < steps; ++step) {
    const double weight = dh.scale * 0.31622776601683794;
    const Vector turn = point ? Vector{} : log(target.R * transpose(T.R)) * weight;
    const Vector move = target.p - (point ? T * *point : T.p);
    SmallMatrix<6, 6> J;
    SmallMatrix<6, 1> e;
    double trace = 0;
    for (int i = 0; i < dh.n; ++i) {
      const Vector u = point ? v[i] + cross(w[i], T * *point - T.p) : v[i];
      const Vector t = point ? Vector{} : w[i] * weight;
      for (int r = 0; r < 3; ++r) J[r][i] = t[r], J[3 + r][i] = u[r];
      trace += dot(t, t) + dot(u, u);
    }
    for (int r = 0; r < 3; ++r) e[r][0] = turn[r], e[3 + r][0] = move[r];
    const double lambda = damping * trace / 6 + 1e-300;
    // Squares would lose what a singular direction has left of the error.
    if (error.position + error.rotation < nearly_there) {
      damped_least_squares(J, e, lambda);
    } else {
      normal_equations(J, e, dh.n, lambda);
      if (solve_in_place(J, e) == 0) break;
    }
    Joints trial{};
    double size = 0;
    for (int i = 0; i < dh.n; ++i) {
      trial[i] = q[i] + e[i][0];
      size = std::max(size, std::abs(e[i][0]));
    }
    const Pose T_trial = forward(dh, trial.data(), w, v);
    const PoseError now = error_of(T_trial);
    if (cost_of(now) < cost_of(error)) {
      std::copy(trial.begin(), trial.begin() + dh.n, q);
      T = T_trial;
      error = now;
      damping = std::max(damping * 0.2, 1e-22);
    } else {
      damping *= 8;
      forward(dh, q, w, v);
      if (damping > 1e8) break;
    }
    if (size < 1e-15 || error.position + error.rotation < 1e-15) break;
  }
  return error;
}

}  // namespace torsor::ik
