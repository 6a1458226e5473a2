#pragma once
/// Checks of what planners are given: each throws Error with one line that names the planner, the
/// value at fault and its place. Sampling checks nothing.
#include <string>
#include <vector>

#include "torsor/math/view.hpp"
#include "torsor/model/description.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal::check {

using torsor::number;

void finite(const char* planner, const std::string& what, double x);
void positive(const char* planner, const std::string& what, double x);
/// At least 2 times; the first 0, increasing, finite.
void times(const char* planner, In<double> t);
void size(const char* planner, const std::string& what, int got, int needed);
/// As many as needed, all finite; `what` names the vector.
void numbers(const char* planner, const std::string& what, In<double> x, int needed);
/// One per coordinate; velocity, acceleration and jerk greater than zero (infinity: no limit).
void limits(const char* planner, View<const Limits> limits, int needed);

/// The plain numbers of a vector of any scalar.
template <class Param>
std::vector<double> plain(View<const Param> x) {
  std::vector<double> result;
  for (const Param& element : x) result.push_back(static_cast<double>(value_of(element)));
  return result;
}
template <class Param>
void numbers_of(const char* planner, const std::string& what, const std::vector<Param>& x,
                int needed) {
  numbers(planner, what, plain(View<const Param>(x)), needed);
}

}  // namespace torsor::internal::check
