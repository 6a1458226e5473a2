#include "joint/set_point_proof.hpp"

#include <cmath>
#include <numbers>

#include "draws.hpp"
#include "run_start.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {

namespace {

/// d(G - G_compensated)/dq + springs + Kp at q.
class Stiffness {
 public:
  Stiffness(const Model<double>& plant, const Model<double>* compensated, const Gain& Kp)
      : plant_(plant),
        compensated_(compensated),
        Kp_(Kp),
        ws_(plant),
        slope_(plant.n_v() * plant.n_v()),
        believed_(slope_.size()) {}

  double smallest_eigenvalue(In<double> q) {
    const int n = plant_.n_v();
    gravity_torque_derivatives(plant_, ws_, q, column_major(slope_.data(), n, n));
    if (compensated_) {
      gravity_torque_derivatives(*compensated_, ws_, q, column_major(believed_.data(), n, n));
      for (int k = 0; k < slope_.size(); ++k) slope_[k] -= believed_[k];
    }
    for (int r = 0; r < n; ++r) {
      slope_[r * n + r] += plant_.dof(r).stiffness;
      for (int c = 0; c < n; ++c) slope_[r * n + c] += Kp_(r, c);
    }
    return Gain::full(n, slope_).smallest_eigenvalue();
  }

 private:
  const Model<double>& plant_;
  const Model<double>* compensated_;
  const Gain& Kp_;
  InverseDynamicsDerivativesWorkspace<double> ws_;
  Array<double> slope_, believed_;
};

}  // namespace

bool has_friction(const Model<double>& plant) {
  const auto rubs = [](const DofConstants<double>& c) {
    return c.viscous != 0 || c.coulomb != 0 || c.stiction != 0 || c.offset != 0 ||
           c.viscous_asymmetry != 0 || c.coulomb_asymmetry != 0 || c.load != 0;
  };
  for (int k = 0; k < plant.n_v(); ++k)
    if (rubs(plant.dof(k))) return true;
  const auto& motors = plant.motors();
  return std::any_of(motors.begin(), motors.end(),
                     [&](const auto& m) { return rubs(m.constants); });
}

bool weighs_as_believed(const Run& run) {
  if (run.model == run.plant) return true;
  const int n = run.plant->n_v();
  RneaWorkspace<double> own(*run.plant), believed(*run.model);
  Array<double> q(run.plant->n_q()), G(n), G_hat(n);
  for (int k = 0; k < 16; ++k) {
    random_configuration(*run.plant, static_cast<std::uint64_t>(k + 1), q);
    gravity_torque(*run.plant, own, q, G);
    gravity_torque(*run.model, believed, q, G_hat);
    for (int i = 0; i < n; ++i)
      if (!(std::abs(G[i] - G_hat[i]) <= 1e-9 * std::fmax(1, std::abs(G[i])))) return false;
  }
  return true;
}

std::vector<Condition> half_turns_of_joints(const Model<double>& plant, double mu, double V_start) {
  for (int i = 1; i < plant.n_bodies(); ++i)
    if (plant.body(i).kind == JointKind::spherical)
      return {condition("spherical joints start below half a turn", "V(0)", V_start, Relation::less,
                        mu * std::numbers::pi * std::numbers::pi / 2,
                        "beyond it the error jumps to the other side")};
  return {};
}

Condition integral_condition(const Run& run, const Gain& Kp, const Gain& Kd, const Gain& Ki,
                             const Model<double>* compensated) {
  constexpr int samples = 64;
  const Model<double>& plant = *run.plant;
  const int n = plant.n_v();
  const Array<double> q_d = set_point(run);
  Stiffness stiffness(plant, compensated, Kp);
  CrbaWorkspace<double> crba(plant);
  Array<double> H(n * n), e(n), step(n), q = q_d;
  const auto largest_inertia = [&] {
    mass_matrix(plant, crba, q, column_major(H.data(), n, n));
    return Gain::full(n, H).largest_eigenvalue();
  };
  double k_m = stiffness.smallest_eigenvalue(q), h_M = largest_inertia();

  // as far as |e(0)|, and as the speed of the start can carry it
  difference(plant, run.q0, q_d, e);
  double far = Gain::full(n, H).quadratic(run.v0) / std::fmax(k_m, 1e-9);
  for (const double x : e) far += x * x;
  far = std::fmin(std::sqrt(far), std::numbers::pi * std::sqrt(n));  // angles repeat
  Draws draw;
  for (int k = 0; k < samples && far > 0 && std::isfinite(far); ++k) {
    draw.direction(far, step);
    integrate(plant, q_d, step, q);
    const double k_here = stiffness.smallest_eigenvalue(q), h_here = largest_inertia();
    if (std::isnan(k_here) || k_here < k_m) k_m = k_here;  // NaN stays, and satisfies nothing
    if (std::isnan(h_here) || h_here > h_M) h_M = h_here;
  }
  std::string note = std::string("a local theorem; Kp + ") +
                     (compensated ? "d(G - Ghat)/dq" : "dG/dq of the plant") + " at least " +
                     number(k_m) + ", H at most " + number(h_M) + " at q_d";
  if (far > 0)
    note += " and at " + std::to_string(samples) + " sampled configurations " + number(far) +
            " from it";
  return condition("integral gain small enough near q_d (Routh)",
                   compensated ? "l_m(Kp + d(G - Ghat)/dq) l_m(Kd) / l_M(H) - l_M(Ki)"
                               : "l_m(Kp + dG/dq) l_m(Kd) / l_M(H) - l_M(Ki)",
                   k_m * Kd.smallest_eigenvalue() / h_M - Ki.largest_eigenvalue(),
                   Relation::greater, 0, std::move(note));
}

}  // namespace torsor::internal
