#pragma once
/// M^-1 times many columns, several in one register; with some velocities prescribed, their
/// torques.
///
/// For a row x of each velocity, with S, K and D of articulated_columns.hpp:
///   tip -> base   released    r = -(x + S^T F),  e = r / D,  F_p += F + K r
///                 prescribed  e = x + S^T F,                 F_p += F
///   base -> tip   released    y = e - K^T B,                 B = B_p + S y
///                 prescribed  y = e + K^T B,                 B = B_p
///
/// With all released y = -M^-1 x.
///
/// Frames   World axes.
/// Cost     24 multiply-adds per velocity and column, which for long chains is far less than a
///          product with M^-1; no allocation.
/// Source   Featherstone 1983; hybrid: Featherstone 1987, sec. 9.2, and Kim 2012, table 4; as
///          minverse_times.hpp.
#include "torsor/dynamics/internal/articulated_columns.hpp"

namespace torsor::internal {

/// F or B of three matrices, several columns of each.
template <class Real>
using CarriedBlocks = std::array<Twist<RowBlock<Real>>, 3>;

template <class Real>
TORSOR_INLINE CarriedBlocks<Real> load_carried(const Rows<Real>& rows, int k) {
  CarriedBlocks<Real> x;
  for (std::size_t m = 0; m < 3; ++m) {
    const int r = 6 * static_cast<int>(m), at = k * line_width<Real>;
    x[m] = {rows.vectors(r, at), rows.vectors(r + 3, at)};
  }
  return x;
}
template <class Real>
TORSOR_INLINE void store_carried(const Rows<Real>& rows, int k, const CarriedBlocks<Real>& x) {
  for (std::size_t m = 0; m < 3; ++m) {
    const int r = 6 * static_cast<int>(m), at = k * line_width<Real>;
    rows.store(r, at, x[m].w), rows.store(r + 3, at, x[m].v);
  }
}

/// The sweeps for the columns c ... of three matrices, whose rows start at row(m, k).
template <class Real, class Row>
class ColumnSolver {
 public:
  TORSOR_INLINE ColumnSolver(const MotionWorkspace<Real>& motion, ArticulatedWorkspace<Real>& ws,
                             Row row)
      : motion_(motion), ws_(ws), kept_(ws.carried.view()), row_(row) {}

  /// Velocity k of the first `count` matrices, from tip to base.
  template <std::size_t count>
  TORSOR_INLINE void inward(int k, CarriedBlocks<Real>& F) {
    const auto& [S, K, inverse] = ws_.columns[k];
    const bool released = ws_.released[k];
    if (motion_.branches[k]) {
      const CarriedBlocks<Real> given = load_carried(kept_, k);
      for (std::size_t m = 0; m < 3; ++m) F[m] += given[m];
    }
    for (std::size_t m = 0; m < count; ++m) {
      Real* const x = row_(static_cast<int>(m), k);
      const Block sum = load_block<Block>(x) + along(S.w, S.v, F[m]);
      if (released) {
        const Block r = -sum;
        store_block(x, r * inverse);
        add_times(K.m, K.f, r, F[m]);
      } else {
        store_block(x, sum);
      }
    }
    const int p = motion_.parent[k];
    if (p == k - 1) return;
    if (p >= 0) {
      CarriedBlocks<Real> sum = load_carried(kept_, p);
      for (std::size_t m = 0; m < 3; ++m) sum[m] += F[m];
      store_carried(kept_, p, sum);
    }
    F = {};
  }

  /// And from base to tip.
  template <std::size_t count>
  TORSOR_INLINE void outward(int k, CarriedBlocks<Real>& B) {
    const auto& [S, K, inverse] = ws_.columns[k];
    const bool released = ws_.released[k];
    const int p = motion_.parent[k];
    if (p < 0) {
      B = {};
    } else if (p != k - 1) {
      B = load_carried(kept_, p);
    }
    for (std::size_t m = 0; m < count; ++m) {
      Real* const x = row_(static_cast<int>(m), k);
      const Block by = along(K.m, K.f, B[m]);
      if (released) {
        const Block y = load_block<Block>(x) - by;
        store_block(x, y);
        add_times(S.w, S.v, y, B[m]);
      } else {
        store_block(x, load_block<Block>(x) + by);
      }
    }
    if (motion_.branches[k]) store_carried(kept_, k, B);
  }

 private:
  using Block = RowBlock<Real>;
  template <class Angular, class Linear>
  TORSOR_INLINE static Block along(const Angular& w, const Linear& v, const Twist<Block>& x) {
    return (x.w.x * w.x + x.w.y * w.y + x.w.z * w.z) + (x.v.x * v.x + x.v.y * v.y + x.v.z * v.z);
  }
  template <class Angular, class Linear>
  TORSOR_INLINE static void add_times(const Angular& w, const Linear& v, const Block& y,
                                      Twist<Block>& x) {
    x.w = x.w + Vec3<Block>{y * w.x, y * w.y, y * w.z};
    x.v = x.v + Vec3<Block>{y * v.x, y * v.y, y * v.z};
  }
  const MotionWorkspace<Real>& motion_;
  ArticulatedWorkspace<Real>& ws_;
  Rows<Real> kept_;
  Row row_;
};

/// y of the rows x of three matrices, in place: columns c ..., whose rows start at row(m, k). Rows
/// of velocities that neither carry one of these columns nor are carried by it hold zeros.
/// `third_is_symmetric`: the third has zeros except at k = c ..., and its rows after those are left
/// out.
template <class Real, class Row>
TORSOR_INLINE void solve_columns(const MotionWorkspace<Real>& motion,
                                 ArticulatedWorkspace<Real>& ws, int c, bool third_is_symmetric,
                                 Row&& row) {
  const int n = ws.columns.size();
  const int c_end = c + row_lanes<Real> < n ? c + row_lanes<Real> : n;
  int last = 0;  // those that the columns carry end here
  for (int k = c; k < c_end; ++k) last = motion.end[k] > last ? motion.end[k] : last;
  const int three = third_is_symmetric ? c_end : n;  // rows before this of the third count
  ColumnSolver<Real, Row&> solver(motion, ws, row);
  for (int k = 0; k < n; ++k)
    if (motion.branches[k]) store_carried(ws.carried.view(), k, CarriedBlocks<Real>{});
  CarriedBlocks<Real> x{};
  int k = last - 1;
  for (; k >= three; --k) solver.template inward<2>(k, x);
  const int own = motion.first_run[c + 1];
  for (int r = own; r >= motion.first_run[c]; --r) {  // the columns, then what carries them
    const VelocityRun run = r == own ? VelocityRun{c, k + 1} : motion.runs[r];
    for (k = run.end - 1; k >= run.first; --k) solver.template inward<3>(k, x);
  }
  x = {};
  for (k = 0; k < three; ++k) solver.template outward<3>(k, x);
  for (; k < n; ++k) solver.template outward<2>(k, x);
}

}  // namespace torsor::internal
