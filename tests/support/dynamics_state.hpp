#pragma once
/// A drawn state of any scalar: packs differ by lane, duals carry derivatives.
#include "support/model_for.hpp"
#include "support/random_model.hpp"

namespace torsor::testing {

template <class Real>
struct State {
  std::vector<Real> q, qd, qdd, tau;
  std::vector<Wrench<Real>> F_ext;

  template <class Param>
  State(const Model<Param>& model, std::uint64_t seed)
      : q(static_cast<std::size_t>(model.n_q())),
        qd(static_cast<std::size_t>(model.n_v())),
        qdd(qd.size()),
        tau(qd.size()),
        F_ext(static_cast<std::size_t>(model.n_bodies())) {
    std::vector<double> start(q.size());
    random_configuration(Model<double>(model.description()), seed, start);
    const std::vector<Real> q0(start.begin(), start.end());
    Draw<Real> draw(seed);
    std::vector<Real> step(qd.size());
    for (auto* v : {&step, &qd, &qdd, &tau})
      for (Real& x : *v) x = draw();
    integrate(model, q0, step, q);
    for (auto& F : F_ext) F = draw.wrench();
  }
};

/// The largest of the numbers (and their derivatives), at least 1: the scale of a comparison.
template <class Real>
double scale_of(const std::vector<Real>& x) {
  double scale = 1;
  for (const Real& e : x) scale = std::max(scale, distance(e, Real(0)));
  return scale;
}

/// A square matrix by columns, with a view.
template <class Real>
struct Square {
  int n;
  std::vector<Real> data;

  explicit Square(int size) : n(size), data(static_cast<std::size_t>(size * size)) {}
  MatrixView<Real> view() { return column_major(data.data(), n, n); }
  Real& operator()(int r, int c) { return data[static_cast<std::size_t>(c * n + r)]; }
};

}  // namespace torsor::testing
