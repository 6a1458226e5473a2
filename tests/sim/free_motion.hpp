#pragma once
/// Rates and energy of a robot without motors and friction, for the tests of integrators.
#include <vector>

#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/sim/state_space.hpp"

namespace torsor::testing {

/// dy = (v, M^-1 (-bias)), y = (q, v).
template <class Real, class Param = double>
class FreeMotion {
 public:
  explicit FreeMotion(const Model<Param>& model)
      : space_(model), aba_(model), tau_(static_cast<std::size_t>(model.n_v())) {}

  template <class Time>
  void operator()(Time, View<const Real> y, View<Real> dy) {
    ++evaluations;
    const View<const Real> v = space_.v(y);
    for (int k = 0; k < v.size; ++k) space_.q_rate(dy)[k] = v[k];
    const auto result = rigid_forward_dynamics(*space_.model, aba_, space_.q(y), v,
                                               View<const Real>(tau_), {}, space_.v_rate(dy));
    regular = regular && static_cast<bool>(result);
  }
  long evaluations = 0;
  bool regular = true;

 private:
  RobotSpace<Param> space_;
  AbaWorkspace<Real> aba_;
  std::vector<Real> tau_;
};

struct Energy {
  double kinetic = 0, total = 0;
};
inline Energy energy_of(const Model<double>& model, MomentumWorkspace<double>& ws,
                        View<const double> y) {
  const RobotSpace<double> space(model);
  const View<const double> v = space.v(y);
  const double kinetic = kinetic_energy(model, ws, space.q(y), v);
  return {kinetic, kinetic + potential_energy(model, ws.kinematics)};
}

/// y of a configuration and a velocity.
inline std::vector<double> state_of(const std::vector<double>& q, const std::vector<double>& v) {
  std::vector<double> y = q;
  y.insert(y.end(), v.begin(), v.end());
  return y;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

}  // namespace torsor::testing
