#pragma once
/// Twists and wrenches of many velocities by component, and arithmetic on blocks of neighbours.
///
/// A block is one register of neighbouring velocities (for Dual and Pack, one velocity): the loops
/// of the O(n d) algorithms run over whole blocks and may compute a few velocities past the end, for
/// which all arrays have room (`padded`). That spares the remainders, which would dominate for small
/// robots.
#include <new>
#include <vector>

#include "torsor/math/pack.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

template <class Real>
struct BlockOf {
  using type = Real;
  static constexpr int lanes = 1;
};
template <Plain Real>
struct BlockOf<Real> {
  static constexpr int lanes = static_cast<int>(32 / sizeof(Real));
  using type = Pack<Real, lanes>;
};
template <class Real>
using Block = typename BlockOf<Real>::type;
template <class Real>
inline constexpr int block_lanes = BlockOf<Real>::lanes;

template <class Real>
TORSOR_INLINE Block<Real> load_block(const Real* from) {
  if constexpr (Plain<Real>) {
    return Block<Real>::load(from);
  } else {
    return *from;
  }
}
template <class Real>
TORSOR_INLINE void store_block(const Block<Real>& x, Real* to) {
  if constexpr (Plain<Real>) {
    x.store(to);
  } else {
    *to = x;
  }
}
/// Memory in which no block crosses a cache line.
template <class Element>
struct AlignedAllocator {
  using value_type = Element;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}
  Element* allocate(std::size_t n) {
    return static_cast<Element*>(::operator new(n * sizeof(Element), alignment));
  }
  void deallocate(Element* p, std::size_t) { ::operator delete(p, alignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};
template <class Element>
using AlignedVector = std::vector<Element, AlignedAllocator<Element>>;

/// Room for n numbers and what the last block may touch past them.
template <class Real>
constexpr int padded(int n) {
  return (n + 2 * block_lanes<Real> - 2) / block_lanes<Real> * block_lanes<Real>;
}

/// n twists or wrenches by component: angular x, y, z, linear x, y, z.
template <class Real>
class Columns {
 public:
  Columns() = default;
  explicit Columns(int n)
      : stride_(padded<Real>(n)), data_(static_cast<std::size_t>(6 * stride_), Real(0)) {}

  TORSOR_INLINE Real* row(int component) { return data_.data() + component * stride_; }
  TORSOR_INLINE const Real* row(int component) const { return data_.data() + component * stride_; }
  TORSOR_INLINE void set(int k, const Vec3<Real>& angular, const Vec3<Real>& linear) {
    Real* const x = data_.data() + k;
    x[0] = angular.x, x[stride_] = angular.y, x[2 * stride_] = angular.z;
    x[3 * stride_] = linear.x, x[4 * stride_] = linear.y, x[5 * stride_] = linear.z;
  }
  TORSOR_INLINE Vec3<Real> angular(int k) const {
    const Real* const x = data_.data() + k;
    return {x[0], x[stride_], x[2 * stride_]};
  }
  TORSOR_INLINE Vec3<Real> linear(int k) const {
    const Real* const x = data_.data() + k;
    return {x[3 * stride_], x[4 * stride_], x[5 * stride_]};
  }
  TORSOR_INLINE Twist<Real> twist(int k) const { return {angular(k), linear(k)}; }
  TORSOR_INLINE Wrench<Real> wrench(int k) const { return {angular(k), linear(k)}; }
  /// <column, (a, b)> of the block of columns that begins at k.
  TORSOR_INLINE Block<Real> dots(int k, const Vec3<Real>& a, const Vec3<Real>& b) const {
    const Real* const x = data_.data() + k;
    return (load_block(x) * a.x + load_block(x + stride_) * a.y) +
           (load_block(x + 2 * stride_) * a.z + load_block(x + 3 * stride_) * b.x) +
           (load_block(x + 4 * stride_) * b.y + load_block(x + 5 * stride_) * b.z);
  }
  /// <angular part, a>.
  TORSOR_INLINE Block<Real> dots(int k, const Vec3<Real>& a) const {
    const Real* const x = data_.data() + k;
    return load_block(x) * a.x + load_block(x + stride_) * a.y + load_block(x + 2 * stride_) * a.z;
  }
  /// Columns of `from` + (a, b) x, in the block that begins at k.
  TORSOR_INLINE void set_sum(int k, const Columns& from, const Vec3<Real>& a, const Vec3<Real>& b,
                             const Block<Real>& x) {
    const Real* const y = from.data_.data() + k;
    Real* const to = data_.data() + k;
    const int s = stride_;
    const Block<Real> y0 = load_block(y) + x * a.x, y1 = load_block(y + s) + x * a.y,
                      y2 = load_block(y + 2 * s) + x * a.z, y3 = load_block(y + 3 * s) + x * b.x,
                      y4 = load_block(y + 4 * s) + x * b.y, y5 = load_block(y + 5 * s) + x * b.z;
    store_block<Real>(y0, to), store_block<Real>(y1, to + s), store_block<Real>(y2, to + 2 * s);
    store_block<Real>(y3, to + 3 * s), store_block<Real>(y4, to + 4 * s);
    store_block<Real>(y5, to + 5 * s);
  }
  TORSOR_INLINE void clear() {
    for (Real& x : data_) x = Real(0);
  }

 private:
  int stride_ = 0;
  AlignedVector<Real> data_;
};

}  // namespace torsor
