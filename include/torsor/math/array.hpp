#pragma once
/// A std::vector that is counted and indexed by int, as joints, bodies and velocities are.
///
/// Indices of a robot are ints everywhere (parent[i] < i, loops that run downwards, -1 for none);
/// with `Array` they need no cast. Subscripts are checked in debug builds.
#include "torsor/math/language.hpp"  // first: what an older one lacks is said there

#include <cassert>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace torsor {

template <class Element, class Allocator = std::allocator<Element>>
class Array : public std::vector<Element, Allocator> {
  using Base = std::vector<Element, Allocator>;
  static std::size_t count(int n) {
    assert(n >= 0);
    return static_cast<std::size_t>(n);
  }

 public:
  Array() = default;
  Array(std::initializer_list<Element> elements) : Base(elements) {}
  explicit Array(int n) : Base(count(n)) {}
  Array(int n, const Element& value) : Base(count(n), value) {}
  template <std::input_iterator Iterator>
  Array(Iterator first, Iterator last) : Base(first, last) {}
  Array(Base elements) : Base(std::move(elements)) {}

  int size() const { return static_cast<int>(Base::size()); }
  void resize(int n) { Base::resize(count(n)); }
  void resize(int n, const Element& value) { Base::resize(count(n), value); }
  void reserve(int n) { Base::reserve(count(n)); }
  using Base::assign;
  void assign(int n, const Element& value) { Base::assign(count(n), value); }

  decltype(auto) operator[](std::integral auto i) {
    assert(std::cmp_less_equal(0, i) && std::cmp_less(i, size()));
    return Base::operator[](static_cast<std::size_t>(i));
  }
  decltype(auto) operator[](std::integral auto i) const {
    assert(std::cmp_less_equal(0, i) && std::cmp_less(i, size()));
    return Base::operator[](static_cast<std::size_t>(i));
  }
};

}  // namespace torsor
