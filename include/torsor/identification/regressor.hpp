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

/// The wrenches of one body for a unit of each of its parameters, about the reference point. Components
/// lie side by side as lanes leave them: mx my mz m, xx yy zz -, xy yz xz -.
template <class Real>
struct ParameterWrenches {
  static constexpr std::array<int, parameters_per_body> place{3, 0, 1, 2, 4, 8, 5, 10, 9, 6};

  Real nx[12], ny[12], nz[12], fx[4], fy[4], fz[4];

  TORSOR_INLINE Vec3<Real> n(int parameter) const {
    const int k = place[static_cast<unsigned>(parameter)];
    return {nx[k], ny[k], nz[k]};
  }
  /// Of m, mx, my, mz; an inertia alone needs no force.
  TORSOR_INLINE Vec3<Real> f(int parameter) const {
    const int k = place[static_cast<unsigned>(parameter)];
    return {fx[k], fy[k], fz[k]};
  }
  template <class Block>
  TORSOR_INLINE void set_moment(int k, const Vec3<Block>& n) {
    store_block(nx + k, n.x), store_block(ny + k, n.y), store_block(nz + k, n.z);
  }
  template <class Block>
  TORSOR_INLINE void set_force(int k, const Vec3<Block>& f) {
    store_block(fx + k, f.x), store_block(fy + k, f.y), store_block(fz + k, f.z);
  }
};

/// An axis of a link frame, in the world: r, w x r, <r, alpha>, <r, nu>. L: all three in lanes, or one.
template <class L>
struct LinkAxis {
  Vec3<L> r, x;
  L b, e;
};

/// Wrenches of m_k, J_kk and J_kl, l the axis after k.
template <bool two, class Real, class L>
TORSOR_INLINE void axis_wrenches(const WorldMotion<L>& m, const Vec3<L>& p, const LinkAxis<L>& k,
                                 const LinkAxis<L>& l, int place, ParameterWrenches<Real>& out) {
  const Vec3<L> f = cross(m.alpha, k.r) + cross(m.nu, k.x);
  out.set_force(place, f);
  out.set_moment(place, cross(k.r, m.a) + cross(p, f));
  Vec3<L> square = k.r * k.b + k.x * k.e;
  if constexpr (two)
    square = square + cross(m.nu, m.w) * L(typename ScalarTraits<Real>::Value(0.5));
  out.set_moment(place + 4, square);
  out.set_moment(place + 8, (k.r * l.b + l.r * k.b) + (k.x * l.e + l.x * k.e));
}

template <class Real>
inline constexpr bool has_four_lanes = false;
template <Plain Real>
inline constexpr bool has_four_lanes<Real> = native_lanes<Real> >= 4;

/// Of a frame with axes R (world) at p (from the reference point), which moves by m.
template <bool two, class Real>
TORSOR_INLINE ParameterWrenches<Real> parameter_wrenches(const WorldMotion<Real>& m,
                                                         const SO3<Real>& R, const Vec3<Real>& p) {
  ParameterWrenches<Real> out;
  if constexpr (has_four_lanes<Real>) {
    using L = Pack<Real, 4>;
    using Register = typename L::Register;
    const Real o(0);
    const auto spread = [](const Vec3<Real>& v) { return v.template cast<L>(); };
    const auto next = [](const L& x) {
      return L::of(__builtin_shufflevector(x.lanes, x.lanes, 1, 2, 0, 3));
    };
    const auto axes = [&](const Real& x, const Real& y, const Real& z) {
      return L::of(Register{x, y, z, o});
    };
    const WorldMotion<L> motion{spread(m.w), spread(m.nu), spread(m.alpha), spread(m.a)};
    LinkAxis<L> k, l;
    k.r = {axes(R.c0.x, R.c1.x, R.c2.x), axes(R.c0.y, R.c1.y, R.c2.y),
           axes(R.c0.z, R.c1.z, R.c2.z)};
    k.x = cross(motion.w, k.r), k.b = dot(k.r, motion.alpha), k.e = dot(k.r, motion.nu);
    l.r = {next(k.r.x), next(k.r.y), next(k.r.z)}, l.x = {next(k.x.x), next(k.x.y), next(k.x.z)};
    l.b = next(k.b), l.e = next(k.e);
    axis_wrenches<two>(motion, spread(p), k, l, 0, out);
  } else {
    const auto axis = [&](const Vec3<Real>& r) {
      return LinkAxis<Real>{r, cross(m.w, r), dot(r, m.alpha), dot(r, m.nu)};
    };
    const LinkAxis<Real> x = axis(R.c0), y = axis(R.c1), z = axis(R.c2);
    axis_wrenches<two>(m, p, x, y, 0, out);
    axis_wrenches<two>(m, p, y, z, 1, out);
    axis_wrenches<two>(m, p, z, x, 2, out);
  }
  out.set_force(3, m.a);  // of the mass
  out.set_moment(3, cross(p, m.a));
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
    project_column<false>(model, ws, i, columns.n(parameter), columns.f(parameter), y, stride);
  else
    project_column<true>(model, ws, i, columns.n(parameter), Vec3<Real>{}, y, stride);
}

/// The ten neighbouring columns of body i, each contiguous: y ... limit is what may be written,
/// of columns that are written later. Blocks of rows from the last one down, so that what a block has past the end of its column is written again.
template <class Real, class Model>
TORSOR_INLINE void project_blocks(const Model& model, const RegressorWorkspace<Real>& ws, int i,
                                  const ParameterWrenches<Real>& of, Real* y, const Real* limit) {
  using Block = ColumnBlock<Real>;
  constexpr int lanes = column_lanes<Real>;
  const Columns<Real>& S = ws.world.S;
  const int n_v = model.n_v();
  const auto end_of = [&](int j) { return model.canonical(j).v + model.canonical(j).n_v; };
  int j = i;  // the run of velocities that the block ends in or comes before
  for (int k = (n_v - 1) / lanes * lanes; k >= 0; k -= lanes) {
    while (j != 0 && ws.run_first[j] >= k + lanes) j = ws.run_above[j];
    const bool beyond = limit - (y + k) < (parameters_per_body - 1) * n_v + lanes;
    const auto put = [&](int c, const Block& x) {
      Real* const to = y + c * n_v + k;
      if constexpr (lanes == 1) {
        *to = x;
      } else if (!beyond || limit - to >= lanes) {
        store_block(to, x);
      } else {
        for (int l = 0; l < lanes && to + l < limit; ++l) to[l] = x[l];
      }
    };
    if (j == 0 || end_of(j) <= k) {
      for (int c = 0; c < parameters_per_body; ++c) put(c, Block(0));
      continue;
    }
    const Wrench<Block> columns = S.wrenches(k);
    const auto project = [&](const auto& kept) {
      const auto& [m, l] = columns;
      for (int c = 0; c < 4; ++c) {
        const Vec3<Real> n = of.n(c), f = of.f(c);
        put(c, kept((m.x * n.x + m.y * n.y + m.z * n.z) + (l.x * f.x + l.y * f.y + l.z * f.z)));
      }
      for (int c = 4; c < parameters_per_body; ++c) {
        const Vec3<Real> n = of.n(c);
        put(c, kept(m.x * n.x + m.y * n.y + m.z * n.z));
      }
    };
    if (ws.run_first[j] <= k && k + lanes <= end_of(j)) {
      project([](const Block& x) { return x; });
    } else if constexpr (lanes > 1) {
      const Block at = lane_numbers<Block, Real>();
      auto inside = at < Block(0);
      for (int r = j; r != 0 && end_of(r) > k; r = ws.run_above[r])
        inside = inside | ((at >= Block(ws.run_first[r] - k)) & (at < Block(end_of(r) - k)));
      project([&](const Block& x) { return select(inside, x, Block(0)); });
    }
  }
}

/// The ten neighbouring columns of a link of body i; y: the first of them, limit: the end of the matrix.
template <class Param, class Real>
void project_ten(const Model<Param>& model, const RegressorWorkspace<Real>& ws, int i,
                 const ParameterWrenches<Real>& columns, Real* y, const Real* limit, int row_stride,
                 int col_stride) {
  if (row_stride == 1 && col_stride == model.n_v())
    return project_blocks(model, ws, i, columns, y, limit);
  for (int c = 0; c < parameters_per_body; ++c)
    project_parameter(model, ws, i, columns, c, y + c * col_stride, row_stride);
}
/// All columns after world_motion.
template <bool two, class Param, class Real>
void all_columns(const Model<Param>& model, const RegressorWorkspace<Real>& ws,
                 const MatrixView<Real>& Y) {
  assert_matrix(Y, model.n_v(), parameters_per_body * (model.n_bodies() - 1));
  for (int i = 1; i < model.n_bodies(); ++i)
    project_ten(model, ws, i, parameter_wrenches<two>(model, ws, i),
                Y.data + (i - 1) * parameters_per_body * Y.col_stride, Y.data + Y.rows * Y.cols,
                Y.row_stride, Y.col_stride);
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
