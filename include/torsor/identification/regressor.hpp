#pragma once
/// Torque regressor: tau = Y(q, qd, qdd) p, linear in the ten inertial parameters of each body.
///
///   A point r of body i (from its origin, world axes) accelerates by a + alpha x r + nu x (w x r)
///   (internal/world_motion.hpp); nu is w for the torque itself, and the angular velocity of v for the
///   two-velocity form M a + C(qd) v + g.
///   wrench (n, f) about the origin, r_k the axes of the link frame:
///     m    (0, a)
///     m_k  (r_k x a, alpha x r_k + nu x (w x r_k))
///     J_kl ([r_k r_l^T + r_l r_k^T] alpha + w x [...] nu + 1/2 tr (nu x w), 0)    (half for k = l)
///   Y_jc = <S_j, wrench c of body i>    for the velocities j on the way to body i, otherwise 0
///
/// Columns  Ten for each body, in the order and link frames of model/inertial_parameters.hpp. Columns of the
///          joints (viscous, Coulomb, stiction, rotor) are blocks of their own: joint_regressor in
///          parameter_dynamics.hpp.
/// Frames   World axes, about the reference points of world_sweep.hpp.
/// Gravity  a_0 = -g.
/// C        The one of docs/conventions.md: sum over particles m J_r^T Jdot_r.
/// Cost     O(n) for the motion, 42 multiply-adds for each pair of a body and a velocity that moves
///          it; no allocation, no branch on the state.
/// Source   Atkeson, An & Hollerbach 1986; Slotine & Li 1987 (two velocities); Huo 2005, sec. 2.5.
#include <array>

#include "torsor/identification/internal/world_motion.hpp"
#include "torsor/math/pack.hpp"
#include "torsor/model/inertial_parameters.hpp"

// The outputs of the loop that follows overlap neither each other nor its inputs. (clang finds out
// by itself, at run time.)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TORSOR_NO_ALIAS_LOOP _Pragma("GCC ivdep")
#else
#define TORSOR_NO_ALIAS_LOOP
#endif

namespace torsor {

template <class Real>
struct RegressorWorkspace {
  internal::WorldSweep<Real> world;
  Array<internal::WorldMotion<Real>> motion;
  Array<Wrench<Real>> F;  // of inverse dynamics on given parameters
  // Velocities on the way to body i: run_first[i] ... v + n_v - 1 of i, then those of run_above[i].
  Array<int> run_first, run_above;

  template <class Param>
  explicit RegressorWorkspace(const Model<Param>& model)
      : world(model),
        motion(model.n_bodies()),
        F(model.n_bodies()),
        run_first(model.n_bodies()),
        run_above(model.n_bodies()) {
    for (int i = 1; i < model.n_bodies(); ++i) {
      const internal::CanonicalBody<Param>&b = model.canonical(i),
            &above = model.canonical(b.parent);
      const bool joined = b.parent != 0 && above.v + above.n_v == b.v;
      run_first[i] = joined ? run_first[b.parent] : b.v;
      run_above[i] = joined ? run_above[b.parent] : b.parent;
    }
  }
};

namespace internal {

/// Poses, columns and motions of all bodies. `two`: v differs from qd.
template <bool two, class Param, class Real>
void world_motion(const Model<Param>& model, RegressorWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                  In<Real> v, In<Real> a) {
  world_motion<two, Param, Real>(model, ws.world, ws.motion, q, qd, v, a);
}

/// The wrenches of one body for a unit of each of its parameters, about the reference point.
template <class Real>
struct ParameterWrenches {
  std::array<Vec3<Real>, parameters_per_body> n;
  std::array<Vec3<Real>, 4> f;  ///< of m, mx, my, mz; an inertia alone needs no force
};

/// Of a frame with axes R (world) at p (from the reference point), which moves by m.
template <bool two, class Real>
ParameterWrenches<Real> parameter_wrenches(const WorldMotion<Real>& m, const SO3<Real>& R,
                                           const Vec3<Real>& p) {
  const auto& [w, nu, alpha, a] = m;
  const Vec3<Real> x = cross(w, R.c0), y = cross(w, R.c1), z = cross(w, R.c2);
  const Vec3<Real> b = transpose_times(R, alpha), e = transpose_times(R, nu);
  ParameterWrenches<Real> out;
  auto& [n, f] = out;
  f[0] = a;
  f[1] = cross(alpha, R.c0) + cross(nu, x);
  f[2] = cross(alpha, R.c1) + cross(nu, y);
  f[3] = cross(alpha, R.c2) + cross(nu, z);
  n[0] = cross(p, f[0]);
  n[1] = cross(R.c0, a) + cross(p, f[1]);
  n[2] = cross(R.c1, a) + cross(p, f[2]);
  n[3] = cross(R.c2, a) + cross(p, f[3]);
  n[4] = R.c0 * b.x + x * e.x;
  n[5] = (R.c0 * b.y + R.c1 * b.x) + (x * e.y + y * e.x);
  n[6] = R.c1 * b.y + y * e.y;
  n[7] = (R.c0 * b.z + R.c2 * b.x) + (x * e.z + z * e.x);
  n[8] = (R.c1 * b.z + R.c2 * b.y) + (y * e.z + z * e.y);
  n[9] = R.c2 * b.z + z * e.z;
  if constexpr (two) {
    const Vec3<Real> half = cross(nu, w) * typename ScalarTraits<Real>::Value(0.5);
    n[4] = n[4] + half, n[6] = n[6] + half, n[9] = n[9] + half;
  }
  return out;
}
/// Of body i, in its link frame.
template <bool two, class Param, class Real>
ParameterWrenches<Real> parameter_wrenches(const Model<Param>& model,
                                           const RegressorWorkspace<Real>& ws, int i) {
  return parameter_wrenches<two>(ws.motion[i], world_link_axes(model, ws.world, i), ws.world.p[i]);
}

/// y[k] = <S_k, (n, f)> for the velocities that move body i, 0 for the others. `forceless`: f = 0.
template <bool forceless, class Real, class Model>
void project_column(const Model& model, const RegressorWorkspace<Real>& ws, int i,
                    const Vec3<Real>& n, const Vec3<Real>& f, Real* y, int stride) {
  const Columns<Real>& S = ws.world.S;
  const Real *x0 = S.line(0), *x1 = S.line(1), *x2 = S.line(2), *x3 = S.line(3), *x4 = S.line(4),
             *x5 = S.line(5);
  int done = model.n_v();  // rows from here on
  for (int j = i; j != 0; j = ws.run_above[j]) {
    const int first = ws.run_first[j];
    const int end = model.canonical(j).v + model.canonical(j).n_v;
    for (int k = end; k < done; ++k) y[k * stride] = Real(0);
    for (int k = first; k < end; ++k) {
      const Real moment = x0[k] * n.x + x1[k] * n.y + x2[k] * n.z;
      if constexpr (forceless)
        y[k * stride] = moment;
      else
        y[k * stride] = moment + (x3[k] * f.x + x4[k] * f.y + x5[k] * f.z);
    }
    done = first;
  }
  for (int k = 0; k < done; ++k) y[k * stride] = Real(0);
}

/// Column `parameter` (0 ... 9) of body i.
template <class Param, class Real>
void project_parameter(const Model<Param>& model, const RegressorWorkspace<Real>& ws, int i,
                       const ParameterWrenches<Real>& columns, int parameter, Real* y, int stride) {
  if (parameter < 4)
    project_column<false>(model, ws, i, columns.n.data()[parameter], columns.f.data()[parameter], y,
                          stride);
  else
    project_column<true>(model, ws, i, columns.n.data()[parameter], Vec3<Real>{}, y, stride);
}

/// Rows first ... end - 1 of all columns of a body, which are contiguous.
template <class Real>
TORSOR_INLINE void project_run(const Columns<Real>& S, const ParameterWrenches<Real>& of, int first,
                               int end, Real* y, int col_stride) {
  const Real *x0 = S.line(0), *x1 = S.line(1), *x2 = S.line(2), *x3 = S.line(3), *x4 = S.line(4),
             *x5 = S.line(5);
  const auto y_at = [&](int c) { return y + c * col_stride; };
  const auto& [n, f] = of;
  Real *const y0 = y_at(0), *const y1 = y_at(1), *const y2 = y_at(2), *const y3 = y_at(3);
  const auto dot6 = [&](int k, const Vec3<Real>& a, const Vec3<Real>& b) {
    return (x0[k] * a.x + x1[k] * a.y + x2[k] * a.z) + (x3[k] * b.x + x4[k] * b.y + x5[k] * b.z);
  };
  TORSOR_NO_ALIAS_LOOP
  for (int k = first; k < end; ++k) {
    y0[k] = dot6(k, n[0], f[0]);
    y1[k] = dot6(k, n[1], f[1]);
    y2[k] = dot6(k, n[2], f[2]);
    y3[k] = dot6(k, n[3], f[3]);
  }
  Real *const y4 = y_at(4), *const y5 = y_at(5), *const y6 = y_at(6), *const y7 = y_at(7),
              *const y8 = y_at(8), *const y9 = y_at(9);
  const auto dot3 = [&](int k, const Vec3<Real>& a) {
    return x0[k] * a.x + x1[k] * a.y + x2[k] * a.z;
  };
  TORSOR_NO_ALIAS_LOOP
  for (int k = first; k < end; ++k) {
    y4[k] = dot3(k, n[4]);
    y5[k] = dot3(k, n[5]);
    y6[k] = dot3(k, n[6]);
    y7[k] = dot3(k, n[7]);
    y8[k] = dot3(k, n[8]);
    y9[k] = dot3(k, n[9]);
  }
}

template <class Real>
inline constexpr bool has_four_lanes = false;
template <Plain Real>
inline constexpr bool has_four_lanes<Real> = native_lanes<Real> >= 4;

/// The same with the columns in the lanes of registers, where the machine has them wide enough: the
/// runs are short, and this needs no set-up for each.
template <class Real>
TORSOR_INLINE void project_lanes(const Columns<Real>& S, const ParameterWrenches<Real>& of,
                                 int first, int end, Real* y, int col_stride) {
  using Lanes = Pack<Real, 4>;
  using Register = typename Lanes::Register;
  const auto& [n, f] = of;
  const auto lanes = [](const Real& a, const Real& b, const Real& c, const Real& d) {
    return Lanes::of(Register{a, b, c, d});
  };
  const Real o(0);
  const Lanes mx = lanes(n[0].x, n[1].x, n[2].x, n[3].x),
              my = lanes(n[0].y, n[1].y, n[2].y, n[3].y),
              mz = lanes(n[0].z, n[1].z, n[2].z, n[3].z),
              fx = lanes(f[0].x, f[1].x, f[2].x, f[3].x),
              fy = lanes(f[0].y, f[1].y, f[2].y, f[3].y),
              fz = lanes(f[0].z, f[1].z, f[2].z, f[3].z),
              ax = lanes(n[4].x, n[5].x, n[6].x, n[7].x),
              ay = lanes(n[4].y, n[5].y, n[6].y, n[7].y),
              az = lanes(n[4].z, n[5].z, n[6].z, n[7].z), bx = lanes(n[8].x, n[9].x, o, o),
              by = lanes(n[8].y, n[9].y, o, o), bz = lanes(n[8].z, n[9].z, o, o);
  const Real *x0 = S.line(0), *x1 = S.line(1), *x2 = S.line(2), *x3 = S.line(3), *x4 = S.line(4),
             *x5 = S.line(5);
  for (int k = first; k < end; ++k) {
    const Lanes wx(x0[k]), wy(x1[k]), wz(x2[k]);
    const Lanes m = (mx * wx + my * wy + mz * wz) + (fx * x3[k] + fy * x4[k] + fz * x5[k]);
    const Lanes a = ax * wx + ay * wy + az * wz, b = bx * wx + by * wy + bz * wz;
    Real* const to = y + k;
    for (int c = 0; c < 4; ++c) to[c * col_stride] = m[c];
    for (int c = 0; c < 4; ++c) to[(c + 4) * col_stride] = a[c];
    for (int c = 0; c < 2; ++c) to[(c + 8) * col_stride] = b[c];
  }
}

/// The ten neighbouring columns of a link of body i; y: the first of them.
template <class Param, class Real>
void project_ten(const Model<Param>& model, const RegressorWorkspace<Real>& ws, int i,
                 const ParameterWrenches<Real>& columns, Real* y, int row_stride, int col_stride) {
  if (row_stride != 1 || col_stride != model.n_v()) {
    for (int c = 0; c < parameters_per_body; ++c)
      project_parameter(model, ws, i, columns, c, y + c * col_stride, row_stride);
    return;
  }
  const int n_v = model.n_v();
  for (int k = 0; k < parameters_per_body * n_v; ++k) y[k] = Real(0);
  for (int j = i; j != 0; j = ws.run_above[j]) {
    const int first = ws.run_first[j];
    const int end = model.canonical(j).v + model.canonical(j).n_v;
    if constexpr (has_four_lanes<Real>)
      project_lanes(ws.world.S, columns, first, end, y, n_v);
    else
      project_run(ws.world.S, columns, first, end, y, n_v);
  }
}
/// All columns after world_motion.
template <bool two, class Param, class Real>
void all_columns(const Model<Param>& model, const RegressorWorkspace<Real>& ws,
                 const MatrixView<Real>& Y) {
  assert_matrix(Y, model.n_v(), parameters_per_body * (model.n_bodies() - 1));
  for (int i = 1; i < model.n_bodies(); ++i)
    project_ten(model, ws, i, parameter_wrenches<two>(model, ws, i),
                Y.data + (i - 1) * parameters_per_body * Y.col_stride, Y.row_stride, Y.col_stride);
}
/// The listed columns (0 ... 10 bodies - 1) after world_motion; a body is evaluated once where its
/// columns follow each other.
template <bool two, class Param, class Real>
void listed_columns(const Model<Param>& model, const RegressorWorkspace<Real>& ws, In<int> list,
                    const MatrixView<Real>& Y) {
  assert_matrix(Y, model.n_v(), list.size);
  ParameterWrenches<Real> columns{};
  for (int k = 0, last = 0; k < list.size; ++k) {
    const int i = list[k] / parameters_per_body + 1;
    if (i != last) columns = parameter_wrenches<two>(model, ws, i);
    last = i;
    project_parameter(model, ws, i, columns, list[k] % parameters_per_body,
                      Y.data + k * Y.col_stride, Y.row_stride);
  }
}

}  // namespace internal

/// Y, n_v x 10 (n_bodies - 1): M qdd + C qd + g = Y p.
template <class Param, class Real>
TORSOR_FLATTEN void torque_regressor(const Model<Param>& model, RegressorWorkspace<Real>& ws,
                                     In<Real> q, In<Real> qd, In<Real> qdd, OutMatrix<Real> Y) {
  internal::world_motion<false>(model, ws, q, qd, qd, qdd);
  internal::all_columns<false>(model, ws, Y);
}
/// Only the columns of the list, in its order: n_v x list.size.
template <class Param, class Real>
void torque_regressor(const Model<Param>& model, RegressorWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd, In<Real> qdd, In<int> list, OutMatrix<Real> Y) {
  internal::world_motion<false>(model, ws, q, qd, qd, qdd);
  internal::listed_columns<false>(model, ws, list, Y);
}
/// Y(q, qd, v, a): M a + C(q, qd) v + g = Y p.
template <class Param, class Real>
void two_velocity_torque_regressor(const Model<Param>& model, RegressorWorkspace<Real>& ws,
                                   In<Real> q, In<Real> qd, In<Real> v, In<Real> a,
                                   OutMatrix<Real> Y) {
  internal::world_motion<true>(model, ws, q, qd, v, a);
  internal::all_columns<true>(model, ws, Y);
}
template <class Param, class Real>
void two_velocity_torque_regressor(const Model<Param>& model, RegressorWorkspace<Real>& ws,
                                   In<Real> q, In<Real> qd, In<Real> v, In<Real> a, In<int> list,
                                   OutMatrix<Real> Y) {
  internal::world_motion<true>(model, ws, q, qd, v, a);
  internal::listed_columns<true>(model, ws, list, Y);
}

/// Compiled once, in src/identification/regressor.cpp; other scalars where they are used.
#define TORSOR_REGRESSOR(Extern, Param, Real)                                                     \
  Extern template void torque_regressor(const Model<Param>&, RegressorWorkspace<Real>&, In<Real>, \
                                        In<Real>, In<Real>, OutMatrix<Real>);                     \
  Extern template void torque_regressor(const Model<Param>&, RegressorWorkspace<Real>&, In<Real>, \
                                        In<Real>, In<Real>, In<int>, OutMatrix<Real>);            \
  Extern template void two_velocity_torque_regressor(                                             \
      const Model<Param>&, RegressorWorkspace<Real>&, In<Real>, In<Real>, In<Real>, In<Real>,     \
      OutMatrix<Real>);                                                                           \
  Extern template void two_velocity_torque_regressor(                                             \
      const Model<Param>&, RegressorWorkspace<Real>&, In<Real>, In<Real>, In<Real>, In<Real>,     \
      In<int>, OutMatrix<Real>);
TORSOR_REGRESSOR(extern, double, double)
TORSOR_REGRESSOR(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_REGRESSOR
#endif

}  // namespace torsor

#undef TORSOR_NO_ALIAS_LOOP
