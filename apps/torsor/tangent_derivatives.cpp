#include "tangent_derivatives.hpp"

#include "joint_dynamics.hpp"
#include "torsor/math/dual.hpp"

namespace torsor::command {
namespace {

using Tangent = Dual<double, 1>;
using Tangents = std::vector<Tangent>;

Tangents constant(const std::vector<double>& x) { return {x.begin(), x.end()}; }

/// f(q, qd, out) along every direction of q, then of qd.
template <class Function>
TangentDerivatives derivatives(const Model<double>& model, const State& s, Function&& f) {
  const auto n = static_cast<std::size_t>(model.n_v());
  const Tangents q0 = constant(s.q), qd0 = constant(s.qd);
  TangentDerivatives out;
  Tangents result(n);
  for (std::size_t k = 0; k < n; ++k) {
    Tangents step(n), q(q0.size());
    step[k].d[0] = 1;
    integrate(model, q0, step, q);
    f(q, qd0, result);
    for (const Tangent& x : result) out.by_q.push_back(x.d[0]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    Tangents qd = qd0;
    qd[k].d[0] = 1;
    f(q0, qd, result);
    for (const Tangent& x : result) out.by_qd.push_back(x.d[0]);
  }
  return out;
}
std::vector<Wrench<Tangent>> constant(const std::vector<Wrench<double>>& F) {
  std::vector<Wrench<Tangent>> out;
  for (const Wrench<double>& x : F) out.push_back(x.cast<Tangent>());
  return out;
}

}  // namespace

TangentDerivatives torque_derivatives(const Model<double>& model, const State& s,
                                      const std::vector<Wrench<double>>& F_ext) {
  JointTorque<Tangent> torque(model);
  const Tangents qdd = constant(s.qdd);
  const std::vector<Wrench<Tangent>> F = constant(F_ext);
  return derivatives(model, s, [&](const Tangents& q, const Tangents& qd, Tangents& tau) {
    torque(q, qd, qdd, F, tau);
  });
}

TangentDerivatives acceleration_derivatives(const Model<double>& model, const State& s,
                                            const std::vector<Wrench<double>>& F_ext) {
  JointAcceleration<Tangent> acceleration(model);
  const Tangents tau = constant(s.tau);
  const std::vector<Wrench<Tangent>> F = constant(F_ext);
  return derivatives(model, s, [&](const Tangents& q, const Tangents& qd, Tangents& qdd) {
    acceleration(q, qd, tau, F, qdd);
  });
}

}  // namespace torsor::command
