#pragma once
/// Views of the caller's numbers: vectors, arrays, Eigen vectors and matrices convert to them.
///
/// `In<Real>` and `Out<Real>` do not take part in deduction: Real comes from the workspace alone.
#include <cassert>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "torsor/math/scalar.hpp"

namespace torsor {

/// A joint's slice of qd, qdd, tau.
struct Dofs {
  int first = 0, count = 0;
};

template <class Element>
struct View {
  Element* data = nullptr;
  int size = 0;

  View() = default;
  TORSOR_HD constexpr View(Element* first, int count) : data(first), size(count) {}
  /// A view of what may be changed is a view of what is only read.
  template <class Other>
  requires(!std::is_same_v<Other, Element> &&
           std::is_convertible_v<Other (*)[], Element (*)[]>) TORSOR_HD
      constexpr View(const View<Other>& other)
      : data(other.data), size(other.size) {}
  /// Anything with data() and size() over the same element: std::vector, std::array, Eigen vectors.
  template <class Container>
  requires(!std::is_same_v<std::remove_cvref_t<Container>, View> &&
           requires(Container & c) {
             { c.data() } -> std::convertible_to<Element*>;
             c.size();
           }) constexpr View(Container&& c)
      : data(c.data()), size(static_cast<int>(c.size())) {}
  template <class Other, auto N>
  requires std::is_convertible_v<Other (*)[], Element (*)[]>
  constexpr View(Other (&a)[N]) : data(a), size(static_cast<int>(N)) {}

  TORSOR_HD constexpr bool empty() const { return size == 0; }
  TORSOR_HD constexpr Element& operator[](int k) const {
    assert(0 <= k && k < size);
    return data[k];
  }
  TORSOR_HD constexpr View operator[](Dofs d) const {
    assert(0 <= d.first && 0 <= d.count && d.first + d.count <= size);
    return {data + d.first, d.count};
  }
  TORSOR_HD constexpr Element* begin() const { return data; }
  TORSOR_HD constexpr Element* end() const { return data + size; }
};
template <class Real>
using In = View<const std::type_identity_t<Real>>;
template <class Real>
using Out = View<std::type_identity_t<Real>>;

namespace internal {

/// The number type of a caller's vector, so that verbs without a workspace can deduce Real.
template <class Vector>
struct ElementOf {
  using type = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Vector&>().data())>>;
};
template <class Element>
struct ElementOf<View<Element>> {
  using type = std::remove_cv_t<Element>;
};
template <class Element, std::size_t N>
struct ElementOf<Element[N]> {
  using type = std::remove_cv_t<Element>;
};

}  // namespace internal

/// double of std::vector<double>, Eigen::VectorXd, View<const double>, double[7], ...
template <class Vector>
using RealOf = typename internal::ElementOf<std::remove_cvref_t<Vector>>::type;

/// Rows and columns of the caller's matrix with any strides (in elements).
template <class Element>
struct MatrixView {
  Element* data = nullptr;
  int rows = 0, cols = 0, row_stride = 1, col_stride = 0;

  MatrixView() = default;
  TORSOR_HD constexpr MatrixView(Element* first, int r, int c, int row_step, int col_step)
      : data(first), rows(r), cols(c), row_stride(row_step), col_stride(col_step) {}
  /// A view of what may be changed is a view of what is only read.
  template <class Other>
  requires(!std::is_same_v<Other, Element> &&
           std::is_convertible_v<Other (*)[], Element (*)[]>) TORSOR_HD
      constexpr MatrixView(const MatrixView<Other>& m)
      : data(m.data),
        rows(m.rows),
        cols(m.cols),
        row_stride(m.row_stride),
        col_stride(m.col_stride) {}
  /// An Eigen matrix, block or map (column or row major).
  template <class Matrix>
  requires(!std::is_same_v<std::remove_cvref_t<Matrix>, MatrixView> &&
           requires(Matrix & m) {
             { m.data() } -> std::convertible_to<Element*>;
             m.rowStride();
             m.colStride();
           }) constexpr MatrixView(Matrix&& m)
      : data(m.data()),
        rows(static_cast<int>(m.rows())),
        cols(static_cast<int>(m.cols())),
        row_stride(static_cast<int>(m.rowStride())),
        col_stride(static_cast<int>(m.colStride())) {}

  TORSOR_HD constexpr Element& operator()(int r, int c) const {
    assert(0 <= r && r < rows && 0 <= c && c < cols);
    return data[r * row_stride + c * col_stride];
  }
};
/// Dense column-major storage.
template <class Element>
TORSOR_HD constexpr MatrixView<Element> column_major(Element* data, int rows, int cols) {
  return {data, rows, cols, 1, rows};
}
/// Dense row-major storage.
template <class Element>
TORSOR_HD constexpr MatrixView<Element> row_major(Element* data, int rows, int cols) {
  return {data, rows, cols, cols, 1};
}
template <class Real>
using OutMatrix = MatrixView<std::type_identity_t<Real>>;
template <class Real>
using InMatrix = MatrixView<const std::type_identity_t<Real>>;

}  // namespace torsor
