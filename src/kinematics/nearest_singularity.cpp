#include <algorithm>
#include <cmath>
#include <random>

#include "torsor/kinematics/singularity.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using Numbers = Array<double>;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (int k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// The singular value that vanishes at a singularity, and its derivative along the tangent of q.
struct LastSigma {
  const Model<double>& model;
  SingularityWorkspace& ws;
  const Frame& frame;
  int last;
  Numbers gradient, unit, Jdot;
  double sigma = 0, largest = 0;

  LastSigma(const Model<double>& m, SingularityWorkspace& w, const Frame& f, int rank)
      : model(m),
        ws(w),
        frame(f),
        last(rank - 1),
        gradient(m.n_v()),
        unit(gradient.size()),
        Jdot(w.J.size()) {}

  void at(const Numbers& q) {
    const int n = model.n_v();
    jacobian(model, ws.kinematics, q, frame, Reference::world_aligned,
             column_major(ws.J.data(), 6, n));
    ws.svd.factorise(column_major<const double>(ws.J.data(), 6, n));
    sigma = ws.svd.sigma(last);
    largest = ws.svd.largest();
    const auto dJ = column_major(Jdot.data(), 6, n);
    for (int k = 0; k < gradient.size(); ++k) {  // u^T dJ/dq_k v
      unit[k] = 1;
      jacobian_dot(model, ws.velocity, q, unit, frame, Reference::world_aligned, dJ);
      unit[k] = 0;
      gradient[k] = 0;
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < 6; ++r)
          gradient[k] += ws.svd.left(r, last) * dJ(r, c) * ws.svd.right(c, last);
    }
  }
};

/// From `start` to a singularity whose distance from `q0` is stationary. Returns the iterations.
int search(const Model<double>& model, LastSigma& last, const Numbers& q0, Numbers& q,
           const NearestSingularityOptions& options, bool& converged) {
  const int n = model.n_v();
  Numbers d(n), step(n);
  double damping = 1, before = 1e300;
  for (int k = 1; k <= options.max_iterations; ++k) {
    last.at(q);
    difference(model, q, q0, d);
    const double gg = dot(last.gradient, last.gradient);
    if (!(gg > 0)) return k;
    const double along = (dot(last.gradient, d) + last.sigma) / gg;
    for (int i = 0; i < n; ++i) step[i] = d[i] - last.gradient[i] * along;
    const double size = std::sqrt(dot(step, step));
    converged = last.sigma <= options.tolerance * last.largest;
    if (converged && size <= 1e-7) return k;
    // Where the singular surface is curved the plain step may overshoot for ever: shorten it then.
    if (size > 0.9 * before) damping = std::max(0.1, 0.7 * damping);
    before = size;
    const double scale = damping * std::min(1.0, 0.5 / std::max(size, 1e-300));
    for (double& x : step) x *= scale;
    integrate(model, q, step, q);
  }
  return options.max_iterations;
}

}  // namespace

NearestSingularity nearest_singularity(const Model<double>& model, SingularityWorkspace& ws,
                                       In<double> q, const Frame& frame,
                                       const NearestSingularityOptions& options,
                                       const std::function<bool(double)>& progress) {
  internal::require_configuration(model, q, "nearest_singularity");
  const int rank = singularities(model, ws, q, frame).generic_rank;
  NearestSingularity best;
  if (rank == 0) return best;
  const Numbers q0(q.begin(), q.end());
  Numbers from(model.n_v()), x(q0.size());
  LastSigma last(model, ws, frame, rank);
  std::mt19937_64 engine(options.seed);
  const auto drawn = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  for (int start = 0; start < options.starts; ++start) {
    if (progress && !progress(double(start) / options.starts)) break;
    for (double& v : from) v = start == 0 ? 0 : options.radius * drawn();
    integrate(model, q0, from, x);
    bool converged = false;
    best.iterations += search(model, last, q0, x, options, converged);
    if (!converged) continue;
    difference(model, q0, x, from);
    const double distance = std::sqrt(dot(from, from));
    if (best.converged && distance >= best.distance) continue;
    best.converged = true;
    best.q = x;
    best.distance = distance;
    best.sigma = last.sigma;
  }
  return best;
}

}  // namespace torsor
