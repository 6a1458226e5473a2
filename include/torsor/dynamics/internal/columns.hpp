#pragma once
/// Numbers by velocity, several neighbouring velocities in one register.
///
/// Once the poses of a robot are known, an O(n d) algorithm does nearly the same for every velocity: its column, what the column does to velocities and accelerations, its momentum. Those
/// texts run on blocks of neighbours: a Pack where Real is a plain number, Real itself where it is
/// not. There are two widths:
///   RowBlock      one register of the machine, for loops over all velocities
///   ColumnBlock   32 bytes, or one register of a machine whose registers are narrower, for the
///                 columns of a subtree: they begin anywhere and are short, and what a wider block
///                 computes past their end costs more than it saves
///
/// Storage  Lines: numbers at a stride, where blocks begin anywhere and may reach past the end, for
///          which there is room; it spares the remainders that would dominate for small robots.
///          Rows: many rows, in groups of as many velocities as a cache line holds, all rows of a
///          group next to each other. A row's place is a constant distance from the first, whatever
///          the number of velocities, and the layout is the same for every width of registers. What
///          pads the last group holds zeros or what was computed of them.
#include <new>

#include "torsor/math/array.hpp"
#include "torsor/math/pack.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/math/view.hpp"

namespace torsor::internal {

template <class Real, int W>
struct BlockOf {
  using type = Pack<Real, W>;
};
template <class Real>
struct BlockOf<Real, 1> {
  using type = Real;
};

/// Numbers in a cache line.
template <class Real>
inline constexpr int line_width = Plain<Real> ? static_cast<int>(64 / sizeof(Real)) : 1;

/// Of the widest ColumnBlock of any machine: strides are made for it, so that they are the same on all.
template <class Real>
inline constexpr int widest_column_lanes = Plain<Real> ? static_cast<int>(32 / sizeof(Real)) : 1;
template <class Real>
inline constexpr int column_lanes = widest_column_lanes<Real>;
template <Plain Real>
inline constexpr int column_lanes<Real> =
    native_lanes<Real> < widest_column_lanes<Real> ? native_lanes<Real> : widest_column_lanes<Real>;
template <class Real>
using ColumnBlock = typename BlockOf<Real, column_lanes<Real>>::type;

template <class Real>
inline constexpr int row_lanes = 1;
template <Plain Real>
inline constexpr int row_lanes<Real> = native_lanes<Real>;
template <class Real>
using RowBlock = typename BlockOf<Real, row_lanes<Real>>::type;

template <class Block, class Real>
TORSOR_INLINE Block load_block(const Real* from) {
  if constexpr (std::is_same_v<Block, Real>) {
    return *from;
  } else {
    return Block::load(from);
  }
}
template <class Block, class Real>
TORSOR_INLINE void store_block(Real* to, const Block& x) {
  if constexpr (std::is_same_v<Block, Real>) {
    *to = x;
  } else {
    x.store(to);
  }
}

/// k rounded down to the start of a RowBlock.
template <class Real>
constexpr int row_start(int k) {
  return k - k % row_lanes<Real>;
}

/// 0, 1, 2, ... in the lanes of a block.
template <class Block, class Real>
TORSOR_INLINE Block lane_numbers() {
  alignas(64) static constexpr Real index[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};
  return Block::load(index);
}

/// line[k], ... = x where the index is in first ... end - 1; the rest stays. k starts a RowBlock.
template <class Real>
TORSOR_INLINE void store_between(Real* line, int k, int first, int end, const RowBlock<Real>& x) {
  if constexpr (row_lanes<Real> == 1) {
    line[k] = x;
  } else {
    using Block = RowBlock<Real>;
    if (k >= first && k + row_lanes<Real> <= end) return x.store(line + k);
    const Block at = lane_numbers<Block, Real>();
    const auto inside = (at >= Block(first - k)) & (at < Block(end - k));
    select(inside, x, Block::load(line + k)).store(line + k);
  }
}

/// Memory from the boundary of a cache line on.
template <class Element>
struct CacheLineAllocator {
  using value_type = Element;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <class Other>
  CacheLineAllocator(const CacheLineAllocator<Other>&) {}
  Element* allocate(std::size_t n) {
    return static_cast<Element*>(::operator new(n * sizeof(Element), alignment));
  }
  void deallocate(Element* p, std::size_t) { ::operator delete(p, alignment); }
  template <class Other>
  bool operator==(const CacheLineAllocator<Other>&) const {
    return true;
  }
};
template <class Element>
using AlignedArray = Array<Element, CacheLineAllocator<Element>>;

/// A stride for n numbers and what a ColumnBlock that begins at the last one touches past them.
template <class Real>
constexpr int stride_with_room(int n) {
  constexpr int lanes = widest_column_lanes<Real>;
  return (n + 2 * lanes - 2) / lanes * lanes;
}
/// A stride of whole cache lines.
template <class Real>
constexpr int stride_of_lines(int n) {
  return (n + line_width<Real> - 1) / line_width<Real> * line_width<Real>;
}

template <class Real>
class Lines {
 public:
  Lines() = default;
  Lines(int lines, int stride) : stride_(stride), data_(lines * stride, Real(0)) {}

  TORSOR_INLINE Real* operator()(int line) {
    return data_.data() + static_cast<std::ptrdiff_t>(line) * stride_;
  }
  TORSOR_INLINE const Real* operator()(int line) const {
    return data_.data() + static_cast<std::ptrdiff_t>(line) * stride_;
  }
  TORSOR_INLINE int stride() const { return stride_; }
  TORSOR_INLINE void clear() {
    for (Real& x : data_) x = Real(0);
  }

 private:
  int stride_ = 0;
  AlignedArray<Real> data_;
};

/// n twists or wrenches: lines of their angular x, y, z and linear x, y, z.
template <class Real>
class Columns {
 public:
  using Block = ColumnBlock<Real>;

  Columns() = default;
  explicit Columns(int n) : lines_(6, stride_with_room<Real>(n)) {}

  /// Columns there is room for.
  TORSOR_INLINE int size() const { return lines_.stride(); }
  TORSOR_INLINE const Real* line(int component) const { return lines_(component); }
  TORSOR_INLINE void set(int k, const Vec3<Real>& angular, const Vec3<Real>& linear) {
    Real* const x = lines_(0) + k;
    const int s = lines_.stride();
    x[0] = angular.x, x[s] = angular.y, x[2 * s] = angular.z;
    x[3 * s] = linear.x, x[4 * s] = linear.y, x[5 * s] = linear.z;
  }
  TORSOR_INLINE Vec3<Real> angular(int k) const {
    const Real* const x = lines_(0) + k;
    const int s = lines_.stride();
    return {x[0], x[s], x[2 * s]};
  }
  TORSOR_INLINE Vec3<Real> linear(int k) const {
    const Real* const x = lines_(0) + k;
    const int s = lines_.stride();
    return {x[3 * s], x[4 * s], x[5 * s]};
  }
  TORSOR_INLINE Twist<Real> twist(int k) const { return {angular(k), linear(k)}; }
  TORSOR_INLINE Wrench<Real> wrench(int k) const { return {angular(k), linear(k)}; }
  /// The block of columns that begins at k.
  TORSOR_INLINE Wrench<Block> wrenches(int k) const {
    return {{at(0, k), at(1, k), at(2, k)}, {at(3, k), at(4, k), at(5, k)}};
  }
  TORSOR_INLINE void set(int k, const Wrench<Block>& F) requires(!std::is_same_v<Block, Real>) {
    Real* const to = lines_(0) + k;
    const int s = lines_.stride();
    store_block(to, F.m.x), store_block(to + s, F.m.y), store_block(to + 2 * s, F.m.z);
    store_block(to + 3 * s, F.f.x), store_block(to + 4 * s, F.f.y), store_block(to + 5 * s, F.f.z);
  }
  /// <column, (a, b)> of the block of columns that begins at k.
  TORSOR_INLINE Block dots(int k, const Vec3<Real>& a, const Vec3<Real>& b) const {
    return (at(0, k) * a.x + at(1, k) * a.y) + (at(2, k) * a.z + at(3, k) * b.x) +
           (at(4, k) * b.y + at(5, k) * b.z);
  }
  /// <angular part, a>.
  TORSOR_INLINE Block dots(int k, const Vec3<Real>& a) const {
    return at(0, k) * a.x + at(1, k) * a.y + at(2, k) * a.z;
  }
  /// Columns of `from` + (a, b) x, in the block that begins at k.
  TORSOR_INLINE void set_sum(int k, const Columns& from, const Vec3<Real>& a, const Vec3<Real>& b,
                             const Block& x) {
    const Block y0 = from.at(0, k) + x * a.x, y1 = from.at(1, k) + x * a.y,
                y2 = from.at(2, k) + x * a.z, y3 = from.at(3, k) + x * b.x,
                y4 = from.at(4, k) + x * b.y, y5 = from.at(5, k) + x * b.z;
    Real* const to = lines_(0) + k;
    const int s = lines_.stride();
    store_block(to, y0), store_block(to + s, y1), store_block(to + 2 * s, y2);
    store_block(to + 3 * s, y3), store_block(to + 4 * s, y4), store_block(to + 5 * s, y5);
  }
  TORSOR_INLINE void clear() { lines_.clear(); }

 private:
  TORSOR_INLINE Block at(int component, int k) const {
    return load_block<Block>(lines_(0) + k + component * lines_.stride());
  }
  Lines<Real> lines_;
};

/// Rows by number, as the sweeps use them. Blocks begin at multiples of their width.
template <class Real>
struct Rows {
  using Block = RowBlock<Real>;
  static constexpr std::size_t width = line_width<Real>;

  Real* data;
  std::size_t group;  // numbers in a group: width times the number of rows

  /// Row r of velocity k.
  TORSOR_INLINE Real* operator()(int r, int k) const {
    return data + (static_cast<std::size_t>(k) / width * group +
                   static_cast<std::size_t>(r) * width + static_cast<std::size_t>(k) % width);
  }

  TORSOR_INLINE Block block(int r, int k) const { return load_block<Block>((*this)(r, k)); }
  TORSOR_INLINE void store(int r, int k, const Block& x) const { store_block((*this)(r, k), x); }
  /// Three rows from r: the x, y and z of vectors.
  TORSOR_INLINE Vec3<Block> vectors(int r, int k) const {
    return {block(r, k), block(r + 1, k), block(r + 2, k)};
  }
  TORSOR_INLINE void store(int r, int k, const Vec3<Block>& u) const {
    store(r, k, u.x), store(r + 1, k, u.y), store(r + 2, k, u.z);
  }
  /// The vector of one velocity.
  TORSOR_INLINE Vec3<Real> vector(int r, int k) const {
    const Real* const x = (*this)(r, k);
    return {x[0], x[width], x[2 * width]};
  }
  TORSOR_INLINE void set(int r, int k, const Vec3<Real>& u) const {
    Real* const x = (*this)(r, k);
    x[0] = u.x, x[width] = u.y, x[2 * width] = u.z;
  }
  /// The same in every lane.
  TORSOR_INLINE Vec3<Block> spread(int r, int k) const {
    const Vec3<Real> u = vector(r, k);
    return {Block(u.x), Block(u.y), Block(u.z)};
  }
};

/// Owns rows.
template <class Real>
class RowStorage {
 public:
  RowStorage() = default;
  RowStorage(int rows, int n)
      : group_(rows * line_width<Real>), data_(rows * stride_of_lines<Real>(n), Real(0)) {}
  TORSOR_INLINE Rows<Real> view() { return {data_.data(), static_cast<std::size_t>(group_)}; }

 private:
  int group_ = 0;
  AlignedArray<Real> data_;
};

}  // namespace torsor::internal
