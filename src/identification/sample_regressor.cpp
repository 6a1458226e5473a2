#include "torsor/identification/sample_regressor.hpp"

#include <cassert>
#include <cmath>

#include "torsor/identification/column_regressor.hpp"

namespace torsor {
namespace internal {

constexpr int sample_lanes = native_lanes<double>;
using SamplePack = Pack<double, sample_lanes>;

struct SampleLanes {
  ColumnWorkspace<SamplePack> regressor;
  Array<SamplePack> q, qd, qdd, load, W;
  Array<Array<int>> acting;  // per velocity: columns

  SampleLanes(const Model<double>& model, const ParameterColumns& columns)
      : regressor(model),
        q(model.n_q()),
        qd(model.n_v()),
        qdd(model.n_v()),
        load(columns.has_load() ? model.n_v() : 0),
        W(model.n_v() * columns.size()),
        acting(model.n_v()) {
    for (int v = 0; v < model.n_v(); ++v)
      for (int c = 0; c < columns.size(); ++c)
        if (columns.acts(v, c)) acting[v].push_back(c);
  }

  /// Samples first ... in the lanes; past the last one it is repeated.
  static void gather(InMatrix<double> from, int first, Array<SamplePack>& to) {
    for (int lane = 0; lane < sample_lanes; ++lane) {
      const int s = std::min(first + lane, from.rows - 1);
      for (int c = 0; c < to.size(); ++c) to[c].set(lane, from(s, c));
    }
  }
  void evaluate(const Model<double>& model, const ParameterColumns& columns,
                const MotionSamples& samples, int first) {
    gather(samples.q, first, q);
    gather(samples.qd, first, qd);
    gather(samples.qdd, first, qdd);
    if (!load.empty()) gather(samples.tau_load, first, load);
    torque_regressor(model, regressor, columns, q, qd, qdd,
                     column_major(W.data(), model.n_v(), columns.size()), load);
  }
};

namespace {

/// The lanes that hold samples.
void store_samples(const SamplePack& x, int count, double* to, int stride) {
  if (count == sample_lanes && stride == 1)
    x.store(to);
  else
    for (int lane = 0; lane < count; ++lane) to[lane * stride] = x[lane];
}

}  // namespace

void acting_rows(const Model<double>& model, SampleWorkspace& ws, const ParameterColumns& columns,
                 const MotionSamples& samples, double* const* to, int stride) {
  SampleLanes& lanes = *ws.lanes;
  const int n_v = model.n_v();
  for (int s = 0; s < samples.size(); s += sample_lanes) {
    lanes.evaluate(model, columns, samples, s);
    const int count = std::min(sample_lanes, samples.size() - s);
    for (int v = 0; v < n_v; ++v) {
      double* at = to[v] + s;
      for (const int c : lanes.acting[v]) {
        store_samples(lanes.W[c * n_v + v], count, at, 1);
        at += stride;
      }
    }
  }
}

void check_samples(const Model<double>& model, const ParameterColumns& columns,
                   const MotionSamples& samples, bool with_tau) {
  const auto check = [&](const char* name, const InMatrix<double>& m, int cols) {
    if (m.rows != samples.size() || m.cols != cols)
      throw Error(std::string("samples: ") + name + " is " + std::to_string(m.rows) + " x " +
                  std::to_string(m.cols) + ", not " + std::to_string(samples.size()) + " x " +
                  std::to_string(cols));
    for (int s = 0; s < m.rows; ++s) {
      double zero = 0;
      for (int c = 0; c < cols; ++c) zero += m(s, c) * 0;
      if (zero != 0)
        throw Error(std::string("samples: ") + name + " of sample " + std::to_string(s) +
                    " is not finite");
    }
  };
  check("q", samples.q, model.n_q());
  check("qd", samples.qd, model.n_v());
  check("qdd", samples.qdd, model.n_v());
  if (with_tau) check("tau", samples.tau, model.n_v());
  if (columns.has_load()) check("tau_load", samples.tau_load, model.n_v());
}

}  // namespace internal

SampleWorkspace::SampleWorkspace(const Model<double>& model, const ParameterColumns& columns)
    : lanes(std::make_unique<internal::SampleLanes>(model, columns)) {}
SampleWorkspace::~SampleWorkspace() = default;
SampleWorkspace::SampleWorkspace(SampleWorkspace&&) noexcept = default;
SampleWorkspace& SampleWorkspace::operator=(SampleWorkspace&&) noexcept = default;

MotionSamples MotionSamples::part(int first, int count) const {
  const auto rows = [&](InMatrix<double> m) {
    if (m.rows == 0) return m;
    m.data += first * m.row_stride;
    m.rows = count;
    return m;
  };
  return {rows(q), rows(qd), rows(qdd), rows(tau), rows(tau_load)};
}

void sample_regressor(const Model<double>& model, SampleWorkspace& ws,
                      const ParameterColumns& columns, const MotionSamples& samples,
                      OutMatrix<double> W) {
  const int n_v = model.n_v(), m = samples.size();
  assert(W.rows == n_v * m && W.cols == columns.size());
  for (int s = 0; s < m; s += internal::sample_lanes) {
    ws.lanes->evaluate(model, columns, samples, s);
    const int count = std::min(internal::sample_lanes, m - s);
    for (int c = 0; c < columns.size(); ++c)
      for (int v = 0; v < n_v; ++v)
        internal::store_samples(ws.lanes->W[c * n_v + v], count,
                                W.data + (v * m + s) * W.row_stride + c * W.col_stride,
                                W.row_stride);
  }
}

}  // namespace torsor
