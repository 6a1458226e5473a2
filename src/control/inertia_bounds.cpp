#include "torsor/control/inertia_bounds.hpp"

#include <algorithm>

#include "torsor/control/gain.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

namespace {

class Spectrum {
 public:
  explicit Spectrum(const Model<double>& model)
      : model_(model), ws_(model), H_(static_cast<std::size_t>(model.n_v() * model.n_v())) {}

  /// -smallest or largest eigenvalue: what is searched for grows.
  double operator()(const std::vector<double>& q, bool largest) {
    const int n = model_.n_v();
    mass_matrix(model_, ws_, q, column_major(H_.data(), n, n));
    const Gain H = Gain::full(n, H_);
    return largest ? H.largest_eigenvalue() : -H.smallest_eigenvalue();
  }

 private:
  const Model<double>& model_;
  CrbaWorkspace<double> ws_;
  std::vector<double> H_;
};

/// Climbs along single velocities with steps that shrink; keeps within finite limits.
double climb(const Model<double>& model, Spectrum& spectrum, std::vector<double> q, bool largest) {
  double best = spectrum(q, largest);
  std::vector<double> step(static_cast<std::size_t>(model.n_v())), next(q.size());
  for (double h = 0.3; h > 1e-5; h /= 2)
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t k = 0; k < step.size(); ++k)
        for (const double sign : {1.0, -1.0}) {
          const Limits& limits = model.limits(static_cast<int>(k));
          std::fill(step.begin(), step.end(), 0.0);
          step[k] = sign * h;
          integrate(model, q, step, next);
          if (model.n_q() == model.n_v() && (next[k] < limits.lower || next[k] > limits.upper))
            continue;
          const double value = spectrum(next, largest);
          if (!(value > best)) continue;
          best = value, q = next, moved = true;
        }
    }
  return best;
}

}  // namespace

InertiaBounds inertia_bounds(const Model<double>& model, int samples) {
  Spectrum spectrum(model);
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  struct Best {
    double value;
    std::vector<double> q;
  };
  double found[2] = {0, 0};
  for (const bool largest : {false, true}) {
    std::vector<Best> best;
    for (int k = 0; k < samples; ++k) {
      random_configuration(model, static_cast<std::uint64_t>(k + 1), q);
      best.push_back({spectrum(q, largest), q});
    }
    std::sort(best.begin(), best.end(),
              [](const Best& a, const Best& b) { return a.value > b.value; });
    double value = -infinity;
    for (std::size_t k = 0; k < std::min<std::size_t>(4, best.size()); ++k)
      value = std::max(value, climb(model, spectrum, best[k].q, largest));
    found[largest ? 1 : 0] = value;
  }
  return {-found[0], found[1], samples};
}

}  // namespace torsor
