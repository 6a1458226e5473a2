#pragma once
/// Minimisation with limited-memory quasi-Newton steps, from a point where f is finite.
///
///   x += t d,   d = -H g                      H from the last `memory` pairs of steps and gradients
///   f(x + t d) <= f + 1e-4 t <g, d>,   <g(x + t d), d> >= 0.9 <g, d>     by bisection of t
///
/// Where f is infinite (beyond a barrier) t is halved.
/// Source   Nocedal & Wright 2006, sec. 7.2; Lewis & Overton 2013 (bisection).
#include <functional>

#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor::internal {

/// f and its gradient at x.
using Objective = std::function<double(In<double> x, Out<double> gradient)>;

/// Changes x and returns f there. `go_on()` is asked after every step.
double minimise(const Objective& f, Array<double>& x, int iterations,
                const std::function<bool()>& go_on);

}  // namespace torsor::internal
