#pragma once
/// Laws that every trajectory of joints obeys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "torsor/math/dual.hpp"
#include "torsor/model/error.hpp"

namespace torsor::testing {

/// q, qd, qdd, jerk at one time.
struct Sampled {
  std::vector<double> q, qd, qdd, jerk;
};
template <class Trajectory>
Sampled sampled(const Trajectory& trajectory, double t) {
  const auto n = static_cast<std::size_t>(trajectory.size());
  Sampled s{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
            std::vector<double>(n)};
  trajectory.sample(t, s.q, s.qd, s.qdd, s.jerk);
  return s;
}

/// Each derivative is that of the one before, by a dual time; `tol` relative to its size there.
template <class Trajectory>
void expect_derivatives_consistent(const Trajectory& trajectory, double tol = 1e-12) {
  using D = Dual<double, 1>;
  const auto n = static_cast<std::size_t>(trajectory.size());
  std::vector<D> x[4];
  for (auto& part : x) part.resize(n);
  for (int k = 0; k < 97; ++k) {
    const double t = trajectory.duration() * (k + 0.31) / 97;
    trajectory.sample(D::variable(t, 0), x[0], x[1], x[2], x[3]);
    for (std::size_t i = 0; i < n; ++i)
      for (int order = 0; order < 3; ++order)
        EXPECT_NEAR(x[order][i].d[0], x[order + 1][i].value,
                    tol * (1 + std::abs(x[order + 1][i].value)))
            << "order " << order << " of coordinate " << i << " at " << t;
  }
}

/// The line of the Error that f throws, or "no error".
template <class Function>
std::string refusal(Function f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace torsor::testing
