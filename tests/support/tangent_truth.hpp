#pragma once
/// Derivatives of any function of a state along the tangent of q, along qd and along a third vector
/// (qdd or tau), two plain ways: dual numbers through `integrate`, and central differences.
#include "support/dynamics_state.hpp"

namespace torsor::testing {

/// rows x n_v by columns.
template <class Real>
struct Slopes {
  std::vector<Real> by_q, by_qd, by_third;
};

/// The scalar without the outermost derivative, and that derivative.
template <class Real>
std::vector<Real> slopes_of(const std::vector<Dual<Real, 1>>& x) {
  std::vector<Real> d;
  for (const auto& e : x) d.push_back(e.d[0]);
  return d;
}

/// f(q, qd, third) -> std::vector of results, in Dual<Real, 1>.
template <class Real, class Param, class Function>
Slopes<Real> slopes_by_duals(const Model<Param>& model, const std::vector<Real>& q,
                             const std::vector<Real>& qd, const std::vector<Real>& third,
                             Function f) {
  using Tangent = Dual<Real, 1>;
  using Tangents = std::vector<Tangent>;
  const Tangents q0(q.begin(), q.end()), qd0(qd.begin(), qd.end()),
      third0(third.begin(), third.end());
  Slopes<Real> out;
  const auto append = [](std::vector<Real>& to, const Tangents& x) {
    for (const Real& e : slopes_of(x)) to.push_back(e);
  };
  for (std::size_t k = 0; k < qd.size(); ++k) {
    Tangents step(qd.size()), x(q.size());
    step[k].d[0] = Real(1);
    integrate(model, q0, step, x);
    append(out.by_q, f(x, qd0, third0));
    Tangents v = qd0;
    v[k].d[0] = Real(1);
    append(out.by_qd, f(q0, v, third0));
    Tangents y = third0;
    y[k].d[0] = Real(1);
    append(out.by_third, f(q0, qd0, y));
  }
  return out;
}

/// The same by central differences with the step h; the error is of order h^2 and epsilon / h.
template <class Function>
Slopes<double> slopes_by_differences(const Model<double>& model, const std::vector<double>& q,
                                     const std::vector<double>& qd,
                                     const std::vector<double>& third, Function f,
                                     double h = 1e-5) {
  Slopes<double> out;
  const auto append = [&](std::vector<double>& to, const std::vector<double>& plus,
                          const std::vector<double>& minus) {
    for (std::size_t r = 0; r < plus.size(); ++r) to.push_back((plus[r] - minus[r]) / (2 * h));
  };
  const auto moved = [](std::vector<double> x, std::size_t k, double by) {
    x[k] += by;
    return x;
  };
  for (std::size_t k = 0; k < qd.size(); ++k) {
    const std::vector<double> zero(qd.size());
    std::vector<double> plus(q), minus(q);
    integrate(model, q, moved(zero, k, h), plus);
    integrate(model, q, moved(zero, k, -h), minus);
    append(out.by_q, f(plus, qd, third), f(minus, qd, third));
    append(out.by_qd, f(q, moved(qd, k, h), third), f(q, moved(qd, k, -h), third));
    append(out.by_third, f(q, qd, moved(third, k, h)), f(q, qd, moved(third, k, -h)));
  }
  return out;
}

/// External wrenches as constants of a richer scalar.
template <class Real, class From>
std::vector<Wrench<Real>> constant_wrenches(const std::vector<Wrench<From>>& F) {
  std::vector<Wrench<Real>> out;
  for (const auto& x : F) out.push_back(x.template cast<Real>());
  return out;
}

/// Every entry to `multiple` roundings of the largest.
template <class Real>
void expect_close(const std::vector<Real>& found, const std::vector<Real>& truth, double multiple,
                  const std::string& what) {
  ASSERT_EQ(found.size(), truth.size());
  const double scale = scale_of(truth);
  for (std::size_t k = 0; k < truth.size(); ++k)
    EXPECT_CLOSE(found[k], truth[k], multiple * scale) << what << ", entry " << k;
}

}  // namespace torsor::testing
