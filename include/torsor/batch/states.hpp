#pragma once
/// Numbers of many states in the caller's memory: `count` states of `width` numbers each.
///
///   by_state(data, N, n)    number k of state s at data[s n + k]: NumPy's (N, n), Eigen's n x N
///   by_number(data, N, n)   number k of state s at data[k N + s]: NumPy's (n, N), Eigen's N x n
///
/// Any other pair of strides does too, as of slices and fields. Matrices of a state are flattened by
/// rows: M_rc is number r n + c, which makes NumPy's (N, n, n) a view by_state of width n n.
#include <cstdint>
#include <type_traits>

#include "torsor/math/language.hpp"

namespace torsor {

template <class Element>
struct StatesView {
  Element* data = nullptr;
  std::int64_t count = 0;
  int width = 0;
  std::int64_t state_stride = 0;   ///< elements from one state to the next
  std::int64_t number_stride = 1;  ///< and from one number of a state to the next

  StatesView() = default;
  StatesView(Element* first, std::int64_t states, int numbers, std::int64_t from_state_to_state,
             std::int64_t from_number_to_number)
      : data(first),
        count(states),
        width(numbers),
        state_stride(from_state_to_state),
        number_stride(from_number_to_number) {}
  /// A view of what may be changed is a view of what is only read.
  template <class Other>
  requires(!std::is_same_v<Other, Element> && std::is_convertible_v<Other (*)[], Element (*)[]>)
      StatesView(const StatesView<Other>& other)
      : StatesView(other.data, other.count, other.width, other.state_stride, other.number_stride) {}

  /// Nothing: inputs count as zero, outputs are not written.
  bool empty() const { return data == nullptr; }
  Element& operator()(std::int64_t state, int number) const {
    return data[state * state_stride + number * number_stride];
  }
  /// States first ... first + n - 1.
  StatesView part(std::int64_t first, std::int64_t n) const {
    return {data ? data + first * state_stride : nullptr, n, width, state_stride, number_stride};
  }
};

template <class Element>
StatesView<Element> by_state(Element* data, std::int64_t count, int width) {
  return {data, count, width, width, 1};
}
template <class Element>
StatesView<Element> by_number(Element* data, std::int64_t count, int width) {
  return {data, count, width, 1, count};
}

}  // namespace torsor
