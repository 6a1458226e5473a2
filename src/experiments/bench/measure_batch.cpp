#include "measure_batch.hpp"

#include <time.h>

#include <algorithm>

#include "torsor/batch/batch.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::internal {
namespace {

constexpr int states = 256;

/// CPU time of this thread, ns.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Arrays by number, as the lanes want them.
template <class Real>
struct BatchPool {
  Array<Real> q, qd, x, out;
  int n_q, n_v;

  explicit BatchPool(const Model<double>& model)
      : q(states * model.n_q()),
        qd(states * model.n_v()),
        x(qd.size()),
        out(3 * states * model.n_v() * std::max(1, model.n_v())),
        n_q(model.n_q()),
        n_v(model.n_v()) {
    Array<double> row(n_q);
    for (int s = 0; s < states; ++s) {
      random_configuration(model, static_cast<unsigned>(s), row);
      for (int k = 0; k < n_q; ++k) q[k * states + s] = static_cast<Real>(row[k]);
    }
    for (int k = 0; k < qd.size(); ++k) {
      qd[k] = static_cast<Real>((k * 37) % 101) / Real(50) - Real(1);
      x[k] = static_cast<Real>((k * 53) % 103) / Real(51) - Real(1);
    }
  }
  StatesView<const Real> view(const Array<Real>& of, int width) const {
    return by_number(of.data(), states, width);
  }
  StatesView<Real> result(int width, int offset = 0) {
    return by_number(out.data() + offset * states, states, width);
  }
};

template <class Real>
bool measure(const Model<double>& model, const BenchOptions& options, const char* mode,
             std::vector<BenchFigure>& figures) {
  BatchPool<Real> pool(model);
  Batch<Real> batch(model, {.threads = 1});
  const auto q = pool.view(pool.q, pool.n_q), qd = pool.view(pool.qd, pool.n_v),
             x = pool.view(pool.x, pool.n_v);
  const int n = pool.n_v, size = n * n;
  const auto figure = [&](const char* verb, auto work) {
    if (!goes_on(options, verb, mode, figures)) return false;
    work();
    double least = 1e300;
    for (const double end = now() + 1e9 * options.seconds; now() < end;) {
      const double start = now();
      work();
      least = std::min(least, now() - start);
    }
    figures.push_back({verb, mode, least / states});
    return true;
  };
  return figure("rigid_inverse_dynamics",
                [&] { batch.rigid_inverse_dynamics(q, qd, x, pool.result(n)); }) &&
         figure("rigid_forward_dynamics",
                [&] { (void)batch.rigid_forward_dynamics(q, qd, x, pool.result(n)); }) &&
         figure("mass_matrix", [&] { batch.mass_matrix(q, pool.result(size)); }) &&
         figure("mass_matrix_inverse",
                [&] { (void)batch.mass_matrix_inverse(q, pool.result(size)); }) &&
         figure("coriolis_matrix", [&] { batch.coriolis_matrix(q, qd, pool.result(size)); }) &&
         figure("rigid_inverse_dynamics_derivatives",
                [&] {
                  batch.rigid_inverse_dynamics_derivatives(q, qd, x, pool.result(size),
                                                           pool.result(size, size));
                }) &&
         figure("rigid_forward_dynamics_derivatives", [&] {
           (void)batch.rigid_forward_dynamics_derivatives(
               q, qd, x, pool.result(size), pool.result(size, size), pool.result(size, 2 * size));
         });
}

}  // namespace

bool measure_batch(const Model<double>& model, const BenchOptions& options,
                   std::vector<BenchFigure>& figures) {
  return measure<double>(model, options, "batch", figures) &&
         measure<float>(model, options, "batch_float", figures);
}

}  // namespace torsor::internal
