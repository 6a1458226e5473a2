#pragma once
/// The number type of a caller's vector, so that verbs without a workspace can deduce Real.
#include <cstddef>
#include <utility>

#include "torsor/math/view.hpp"

namespace torsor {

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

/// double of std::vector<double>, Eigen::VectorXd, View<const double>, double[7], ...
template <class Vector>
using RealOf = typename ElementOf<std::remove_cvref_t<Vector>>::type;

}  // namespace torsor
