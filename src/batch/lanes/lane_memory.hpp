#pragma once
/// Between the caller's arrays and lanes: W states in, one per lane, and out again.
///
/// Arrays by number are loaded as they are. Arrays by state are turned in registers, W x W numbers at
/// a time; a last square overlaps the one before, and of states shorter than a register it reaches
/// into the next state, which is written after it. What is left, strides of other kinds and the last
/// states, goes number by number.
#include "torsor/batch/states.hpp"
#include "torsor/dynamics/internal/matrix_output.hpp"

namespace torsor::internal {

/// Lanes of the instruction set that this is compiled for. Where several are compiled, the plainest
/// goes state by state, with what the other rooms have compiled: few machines use it.
#ifdef TORSOR_PLAINEST_LEVEL
inline constexpr bool has_lanes = false;
#else
inline constexpr bool has_lanes = true;
#endif
template <class Real>
using Lanes = typename BlockOf<Real, (has_lanes ? native_lanes<Real> : 1)>::type;
template <class Real>
inline constexpr int lane_count = ScalarTraits<Lanes<Real>>::lanes;

template <class Real>
using LaneArray = AlignedArray<Lanes<Real>>;

/// Numbers of one register of states, a register each: in the caller's array, or in lanes of our own.
template <class Real>
struct LaneIn {
  const Real* at = nullptr;
  std::int64_t stride = 0;  ///< from one number to the next

  TORSOR_INLINE Lanes<Real> operator[](int k) const {
    return load_block<Lanes<Real>>(at + k * stride);
  }
};
/// Lanes one after the other.
template <class Real>
LaneIn<Real> lane_in(const Lanes<Real>* x) {
  return {reinterpret_cast<const Real*>(x), lane_count<Real>};
}
template <class Real>
struct LaneOut {
  Real* at = nullptr;
  std::int64_t stride = 0;

  TORSOR_INLINE Lanes<Real> operator[](int k) const {
    return load_block<Lanes<Real>>(at + k * stride);
  }
  TORSOR_INLINE void set(int k, const Lanes<Real>& x) const { store_block(at + k * stride, x); }
};

/// f(0), f(1), ... f(n - 1), each in its own place of the code: arrays stay in registers.
template <int n, class Function>
TORSOR_INLINE void unrolled(Function&& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) TORSOR_INLINE_LAMBDA {
    (f(static_cast<int>(k)), ...);
  }
  (std::make_index_sequence<std::size_t(n)>());
}

/// f(k) for squares of W numbers from k on, which cover 0 ... width - 1.
template <int W, class Function>
TORSOR_INLINE void for_each_square(int width, Function&& f) {
  int k = 0;
  for (; k + W <= width; k += W) f(k);
  if (k < width) f(width > W ? width - W : 0);
}

/// W states from `at` on.
template <class Real>
TORSOR_INLINE void load_squares(const Real* at, std::int64_t stride, int width, Lanes<Real>* to) {
  constexpr int W = lane_count<Real>;
  if constexpr (W > 1)
    for_each_square<W>(width, [&](int k) {
      Lanes<Real> x[W];
      unrolled<W>([&](int l) { x[l] = Lanes<Real>::load(at + l * stride + k); });
      transpose_square(x);
      unrolled<W>([&](int c) {
        if (k + c < width) to[k + c] = x[c];
      });
    });
}
template <class Real>
TORSOR_INLINE void store_squares(const Lanes<Real>* from, Real* at, std::int64_t stride,
                                 int width) {
  constexpr int W = lane_count<Real>;
  const std::int64_t end = (W - 1) * stride + width;  // of what is ours
  if constexpr (W > 1)
    for_each_square<W>(width, [&](int k) {
      Lanes<Real> x[W];
      unrolled<W>([&](int c) { x[c] = from[k + c < width ? k + c : width - 1]; });
      transpose_square(x);
      unrolled<W>([&](int l) {
        Real* const row = at + l * stride + k;
        if (l * stride + k + W <= end) {
          x[l].store(row);
        } else {
          Real rest[W];
          x[l].store(rest);
          for (int c = 0; c < W && c < width - k; ++c) row[c] = rest[c];
        }
      });
    });
}

template <class Real>
TORSOR_INLINE void put(Lanes<Real>& x, int lane, Real value) {
  if constexpr (lane_count<Real> == 1)
    x = value;
  else
    x.set(lane, value);
}
template <class Real>
TORSOR_INLINE Real get(const Lanes<Real>& x, int lane) {
  if constexpr (lane_count<Real> == 1)
    return x;
  else
    return x[lane];
}

/// States s ... s + W - 1, of which `valid` count; the lanes of the others repeat the last one.
template <class Real>
TORSOR_INLINE void load_lanes(const StatesView<const Real>& from, std::int64_t s, int valid,
                              Lanes<Real>* to) {
  constexpr int W = lane_count<Real>;
  const Real* const at = from.data + s * from.state_stride;
  if (from.state_stride == 1 && valid == W) {
    for (int k = 0; k < from.width; ++k)
      to[k] = load_block<Lanes<Real>>(at + k * from.number_stride);
    return;
  }
  // Whether a register from the last of these states on ends inside of the array.
  const bool inside =
      (s + W - 1) * from.state_stride + W <= (from.count - 1) * from.state_stride + from.width;
  if (W > 1 && from.number_stride == 1 && from.state_stride >= from.width && valid == W &&
      (from.width >= W || inside))
    return load_squares<Real>(at, from.state_stride, from.width, to);
  for (int k = 0; k < from.width; ++k)
    for (int l = 0; l < W; ++l)
      put<Real>(to[k], l,
                at[(l < valid ? l : valid - 1) * from.state_stride + k * from.number_stride]);
}

template <class Real>
TORSOR_INLINE void store_lanes(const Lanes<Real>* from, std::int64_t s, int valid,
                               const StatesView<Real>& to) {
  constexpr int W = lane_count<Real>;
  Real* const at = to.data + s * to.state_stride;
  if (to.state_stride == 1 && valid == W) {
    for (int k = 0; k < to.width; ++k) store_block(at + k * to.number_stride, from[k]);
    return;
  }
  if (W > 1 && to.number_stride == 1 && valid == W &&
      (to.state_stride == to.width || (to.width >= W && to.state_stride > to.width)))
    return store_squares<Real>(from, at, to.state_stride, to.width);
  for (int k = 0; k < to.width; ++k)
    for (int l = 0; l < valid; ++l)
      at[l * to.state_stride + k * to.number_stride] = get<Real>(from[k], l);
}

}  // namespace torsor::internal
