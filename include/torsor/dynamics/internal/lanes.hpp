#pragma once
/// Rows of numbers by velocity, several velocities in one register.
///
/// Once the poses of a robot are known, nearly all of an O(n d) algorithm says the same about every
/// velocity: its column, what the column does to velocities and accelerations, its momentum. Those
/// texts run on `Lane`, a Pack of neighbouring velocities where Real is a plain number and Real
/// itself where it is not.
///
/// Rows of plain numbers are kept in blocks of as many velocities as a cache line holds, all rows of
/// a block next to each other: a row's place is a constant distance from the first, whatever the
/// number of velocities, and the layout is the same for every width of registers. What pads the last
/// block holds zeros or what was computed of them.
#include <new>
#include <utility>
#include <vector>

#include "torsor/math/pack.hpp"
#include "torsor/model/canonical.hpp"

namespace torsor {

template <class Real>
struct LaneTraits {
  using Lane = Real;
  static constexpr int count = 1;
};
template <Plain Real>
struct LaneTraits<Real> {
  using Lane = Pack<Real, native_lanes<Real>>;
  static constexpr int count = native_lanes<Real>;
};
/// Velocities in a block of rows.
template <class Real>
inline constexpr int lane_width = Plain<Real> ? static_cast<int>(64 / sizeof(Real)) : 1;

template <class Real>
using LaneOf = typename LaneTraits<Real>::Lane;
template <class Real>
inline constexpr int lanes_of = LaneTraits<Real>::count;

template <class Real>
TORSOR_HD TORSOR_INLINE LaneOf<Real> load_lanes(const Real* from) {
  if constexpr (lanes_of<Real> == 1) {
    return *from;
  } else {
    return LaneOf<Real>::load(from);
  }
}
template <class Real>
TORSOR_HD TORSOR_INLINE void store_lanes(Real* to, const LaneOf<Real>& x) {
  if constexpr (lanes_of<Real> == 1) {
    *to = x;
  } else {
    x.store(to);
  }
}

/// The first of the registers that lane k may be in.
template <class Real>
TORSOR_HD constexpr int lane_block(int k) {
  return k - k % lanes_of<Real>;
}

/// line[k], ... = x where the index is in first ... end - 1; the rest stays. k starts a register.
template <class Real>
TORSOR_HD TORSOR_INLINE void store_between(Real* line, int k, int first, int end,
                                           const LaneOf<Real>& x) {
  if constexpr (lanes_of<Real> == 1) {
    line[k] = x;
  } else {
    if (k >= first && k + lanes_of<Real> <= end) return x.store(line + k);
    alignas(64) static constexpr Real index[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                   8, 9, 10, 11, 12, 13, 14, 15};
    const LaneOf<Real> at = LaneOf<Real>::load(index);
    const auto inside = (at >= LaneOf<Real>(first - k)) & (at < LaneOf<Real>(end - k));
    select(inside, x, LaneOf<Real>::load(line + k)).store(line + k);
  }
}

/// n numbers, in few moves.
template <class Real>
TORSOR_HD TORSOR_INLINE void copy_line(const Real* from, int n, Real* to) {
  if constexpr (Plain<Real>) {
    constexpr int W = lanes_of<Real>;
    int k = 0;
    for (; k + W <= n; k += W) std::memcpy(to + k, from + k, W * sizeof(Real));
    if constexpr (W > 8)
      if (n - k >= 8) std::memcpy(to + k, from + k, 8 * sizeof(Real)), k += 8;
    if constexpr (W > 4)
      if (n - k >= 4) std::memcpy(to + k, from + k, 4 * sizeof(Real)), k += 4;
    if constexpr (W > 2)
      if (n - k >= 2) std::memcpy(to + k, from + k, 2 * sizeof(Real)), k += 2;
    if (k < n) to[k] = from[k];
  } else {
    for (int k = 0; k < n; ++k) to[k] = from[k];
  }
}

namespace detail {

/// One step of a transposition: blocks of `step` change places across the diagonal.
template <int step, class Register, std::size_t... l>
TORSOR_INLINE void exchange(Register& a, Register& b, std::index_sequence<l...>) {
  constexpr int W = sizeof...(l);
  const Register x = a, y = b;
  a = __builtin_shufflevector(x, y, (int(l) & step ? W + int(l) - step : int(l))...);
  b = __builtin_shufflevector(x, y, (int(l) & step ? W + int(l) : int(l) + step)...);
}
template <int step, class Real, int W, std::size_t... i>
TORSOR_INLINE void transpose_from(Pack<Real, W> (&x)[W], std::index_sequence<i...> all) {
  ((int(i) & step ? void() : exchange<step>(x[i].lanes, x[i | step].lanes, all)), ...);
  if constexpr (step > 1) transpose_from<step / 2>(x, all);
}
template <class Real, class Line, std::size_t... i>
TORSOR_INLINE void load_square(LaneOf<Real>* x, Line&& line, int r, int rows, int c,
                               std::index_sequence<i...>) {
  ((x[i] = load_lanes(line(r + int(i) < rows ? r + int(i) : r) + c)), ...);
}
template <class Real, std::size_t... i>
TORSOR_INLINE void store_square(const LaneOf<Real>* x, Real* to, int stride, int cols,
                                std::index_sequence<i...>) {
  ((int(i) < cols ? store_lanes(to + int(i) * stride, x[i]) : void()), ...);
}

}  // namespace detail

/// to[c * stride + r] = line(r)[c] for r < rows, c < cols: a square of registers at a time.
template <class Real, class Line>
TORSOR_HD TORSOR_INLINE void copy_transposed(Line&& line, int rows, int cols, Real* to,
                                             int stride) {
  constexpr int W = lanes_of<Real>;
  constexpr auto all = std::make_index_sequence<static_cast<std::size_t>(W)>();
  alignas(64) Real rest[W * W];
  for (int r = 0; r < rows; r += W)
    for (int c = 0; c < cols; c += W) {
      LaneOf<Real> x[W];
      detail::load_square<Real>(x, line, r, rows, c, all);
      if constexpr (W > 1) detail::transpose_from<W / 2>(x, all);
      Real* const at = to + c * stride + r;
      if (r + W <= rows) {
        detail::store_square<Real>(x, at, stride, cols - c, all);
      } else {
        detail::store_square<Real>(x, rest, W, W, all);
        for (int i = 0; i < W && c + i < cols; ++i)
          copy_line(rest + i * W, rows - r, at + i * stride);
      }
    }
}

/// Rows by number, as the kernels use them.
template <class Real>
struct Rows {
  using Lane = LaneOf<Real>;
  static constexpr std::size_t width = lane_width<Real>;

  Real* data;
  std::size_t block;  // numbers in a block: width times the number of rows

  /// Row r of velocity k.
  TORSOR_HD TORSOR_INLINE Real* operator()(int r, int k) const {
    return data + (static_cast<std::size_t>(k) / width * block +
                   static_cast<std::size_t>(r) * width + static_cast<std::size_t>(k) % width);
  }

  TORSOR_HD TORSOR_INLINE Lane lanes(int r, int k) const { return load_lanes((*this)(r, k)); }
  TORSOR_HD TORSOR_INLINE void store(int r, int k, const Lane& x) const {
    store_lanes((*this)(r, k), x);
  }
  /// Three rows from r: the x, y and z of vectors.
  TORSOR_HD TORSOR_INLINE Vec3<Lane> vectors(int r, int k) const {
    return {lanes(r, k), lanes(r + 1, k), lanes(r + 2, k)};
  }
  TORSOR_HD TORSOR_INLINE void store(int r, int k, const Vec3<Lane>& u) const {
    store(r, k, u.x), store(r + 1, k, u.y), store(r + 2, k, u.z);
  }
  /// The vector of one velocity.
  TORSOR_HD TORSOR_INLINE Vec3<Real> vector(int r, int k) const {
    const Real* const x = (*this)(r, k);
    return {x[0], x[width], x[2 * width]};
  }
  TORSOR_HD TORSOR_INLINE void set(int r, int k, const Vec3<Real>& u) const {
    Real* const x = (*this)(r, k);
    x[0] = u.x, x[width] = u.y, x[2 * width] = u.z;
  }
  /// The same in every lane.
  TORSOR_HD TORSOR_INLINE Vec3<Lane> spread(int r, int k) const {
    const Vec3<Real> u = vector(r, k);
    return {Lane(u.x), Lane(u.y), Lane(u.z)};
  }
};

/// On the boundary of a cache line.
template <class Real>
struct LaneAllocator {
  using value_type = Real;
  static constexpr std::align_val_t line{64};

  LaneAllocator() = default;
  template <class Other>
  LaneAllocator(const LaneAllocator<Other>&) {}
  Real* allocate(std::size_t n) {
    return static_cast<Real*>(::operator new(n * sizeof(Real), line));
  }
  void deallocate(Real* p, std::size_t) { ::operator delete(p, line); }
  template <class Other>
  bool operator==(const LaneAllocator<Other>&) const {
    return true;
  }
};

/// Owns rows.
template <class Real>
class LaneRows {
 public:
  LaneRows() = default;
  LaneRows(int rows, int n)
      : block_(rows * lane_width<Real>),
        data_(static_cast<std::size_t>((n + lane_width<Real> - 1) / lane_width<Real> * block_),
              Real(0)) {}
  TORSOR_INLINE Rows<Real> view() { return {data_.data(), static_cast<std::size_t>(block_)}; }

 private:
  int block_ = 0;
  std::vector<Real, LaneAllocator<Real>> data_;
};

/// Owns lines: line h of matrix m holds the n numbers of its column h, or of its row h.
template <class Real>
class Lines {
 public:
  Lines() = default;
  Lines(int matrices, int n)
      : stride_((n + lane_width<Real> - 1) / lane_width<Real> * lane_width<Real>),
        matrices_(matrices),
        data_(static_cast<std::size_t>(stride_ * matrices * n), Real(0)) {}
  TORSOR_INLINE Real* operator()(int m, int h) {
    return data_.data() + static_cast<std::ptrdiff_t>(h * matrices_ + m) * stride_;
  }
  /// From line h to line h + 1 of one matrix.
  TORSOR_INLINE int step() const { return matrices_ * stride_; }

 private:
  int stride_ = 0, matrices_ = 0;
  std::vector<Real, LaneAllocator<Real>> data_;
};

}  // namespace torsor
