#pragma once
/// Rows of numbers by velocity, several velocities in one register.
///
/// Once the poses of a robot are known, nearly all of an O(n d) algorithm says the same about every velocity:
/// its column, what the column does to velocities and accelerations, its momentum. Those texts run on `Lane`,
/// a Pack of neighbouring velocities where Real is a plain number and Real itself where it is not.
///
/// A row is padded to whole registers. The padding holds zeros or what was computed of them; a register that
/// starts at any velocity may be read past the end of its row.
#include <new>
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

/// Rows by number, as the kernels use them: no registers are lost to reloading where they are.
template <class Real>
struct Rows {
  using Lane = LaneOf<Real>;

  Real* data;
  int stride;

  TORSOR_HD TORSOR_INLINE Real* operator()(int r, int k = 0) const { return data + r * stride + k; }

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
    return {x[0], x[stride], x[2 * stride]};
  }
  TORSOR_HD TORSOR_INLINE void set(int r, int k, const Vec3<Real>& u) const {
    Real* const x = (*this)(r, k);
    x[0] = u.x, x[stride] = u.y, x[2 * stride] = u.z;
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
      : stride_(lane_stride(n)), data_(static_cast<std::size_t>(rows * stride_ + 16), Real(0)) {}
  TORSOR_INLINE Rows<Real> view() { return {data_.data(), stride_}; }

 private:
  int stride_ = 0;
  std::vector<Real, LaneAllocator<Real>> data_;
};

}  // namespace torsor
