#include "torsor/control/task/adaptive_hybrid_position_force.hpp"

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"

namespace torsor {

AdaptiveHybridPositionForce::AdaptiveHybridPositionForce(const Model<double>& model,
                                                         HybridTaskOptions options,
                                                         AdaptiveHybridGains gains,
                                                         AdaptationOptions adaptation)
    : ControlLaw("adaptive_hybrid_position_force", model),
      task_(model, std::move(options)),
      gains_(std::move(gains)),
      adaptation_(name(), model, std::move(adaptation)),
      solver_(model),
      momentum_(model),
      qd_r_(model.n_v()),
      qdd_r_(qd_r_.size()),
      r_(qd_r_.size()),
      y_(adaptation_.size()) {
  gains_.Lambda.check(name(), "Lambda", task_.n_position());
  gains_.Ks.check(name(), "Ks", task_.n());
  if (gains_.KF.size() > 0) gains_.KF.check(name(), "KF", task_.n_force());
  if (model.n_v() != task_.n())
    throw Error(std::string(name()) + ": the robot has " + std::to_string(model.n_v()) +
                " degrees of freedom, the task " + std::to_string(task_.n()) +
                " coordinates; they must be as many");
}

void AdaptiveHybridPositionForce::reset(Out<double> x_c) {
  for (double& x : x_c) x = 0;
  adaptation_.reset(Out<double>(x_c.data, adaptation_.size()));
  task_.reset(Out<double>(x_c.data + first_position(), task_.n_states()));
}

void AdaptiveHybridPositionForce::refer(const ControlInput& input) {
  task_.evaluate(input.state, x_p(input.x_c), input.reference);
  const int n = task_.n(), p = task_.n_position();
  const In<double> e(task_.e.data(), p), edot(task_.edot.data(), p);
  TaskVector xd_r{}, xdd_r{}, Xd{}, Xdd{};
  for (int k = 0; k < p; ++k) {
    xd_r[k] = edot[k] + task_.xdot_c[k];
    xdd_r[k] = task_.xdd_d[k];
  }
  gains_.Lambda.add_product(e, xd_r);
  gains_.Lambda.add_product(edot, xdd_r);
  for (int k = 0; k < n; ++k) s_[k] = xd_r[k] - task_.xdot_c[k];

  task_.frame.from_frame(xd_r, Xd);
  task_.frame.acceleration(xdd_r, xd_r, Xdd);
  solver_.factorise(task_.coordinates);
  solver_.solve(Xd, qd_r_);
  const InMatrix<double> Jdot = task_.coordinates.jacobian_dot(input.state.q, input.state.qd);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) Xdd[r] -= Jdot(r, c) * qd_r_[c];
  solver_.solve(Xdd, qdd_r_);
  for (int k = 0; k < n; ++k) r_[k] = qd_r_[k] - input.state.qd[k];
}

void AdaptiveHybridPositionForce::torque(const ControlInput& input, Out<double> tau) {
  refer(input);
  adaptation_.set().torque(input.state.q, input.state.qd, qd_r_, qdd_r_, estimates(input.x_c), tau);
  const int p = task_.n_position(), m = task_.n_force();
  TaskVector f_c{}, f_x{};
  for (int k = 0; k < m; ++k) f_c[p + k] = HybridTask::desired_force(input.reference, k);
  gains_.Ks.add_product(s_, f_c);
  if (gains_.KF.size() > 0)
    gains_.KF.add_product({input.x_c.data + first_integral(), m}, Out<double>(f_c.data() + p, m));
  task_.frame.force_from_frame(f_c, f_x);
  task_.coordinates.add_torque(f_x, tau);
}

void AdaptiveHybridPositionForce::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  refer(input);
  adaptation_.set().transpose_times(input.state.q, input.state.qd, qd_r_, qdd_r_, r_, y_);
  adaptation_.rate(estimates(input.x_c), y_, Out<double>(xdot_c.data, adaptation_.size()));
  if (gains_.KF.size() > 0) {
    TaskVector f{};
    task_.measured_force(input.state, f);
    for (int k = 0; k < gains_.KF.size(); ++k)
      xdot_c[first_integral() + k] = HybridTask::desired_force(input.reference, k) - f[k];
  }
  task_.state_derivative(Out<double>(xdot_c.data + first_position(), task_.n_states()));
}

std::vector<Condition> AdaptiveHybridPositionForce::conditions(const Run& run) {
  Array<double> moving;
  const int p = task_.n_position();
  for (int r = 0; r < p; ++r)
    for (int c = 0; c < p; ++c) moving.push_back(gains_.Ks(r, c));
  const Array<RunInstant> postures = internal::postures_of(*this, run);
  std::vector<Condition> all{
      internal::symmetric("Lambda", gains_.Lambda),
      internal::positive_definite("Lambda", gains_.Lambda),
      condition("Ks not negative", "smallest eigenvalue of Ks", gains_.Ks.smallest_eigenvalue(),
                Relation::at_least, 0),
      condition("Ks positive definite where the point moves", "smallest eigenvalue there",
                Gain::full(p, std::move(moving)).smallest_eigenvalue(), Relation::greater, 0)};
  if (const int inexact = task_.n_inexact() + (task_.first_rotation() >= 0 ? 3 : 0); inexact > 0)
    all.push_back(hypothesis("e_p has its rate", "components to first order only", inexact,
                             Relation::equal, 0,
                             "rotations, and the local error on what is curved"));
  internal::append(all, adaptation_.conditions(run));
  internal::append(all, internal::task_conditions(task_.coordinates, postures));
  internal::append(
      all, internal::pressing_conditions(internal::pressing_law(task_, gains_.KF), run, postures));
  return all;
}

LyapunovValue AdaptiveHybridPositionForce::lyapunov(const ControlInput& input,
                                                    const Model<double>& plant) {
  refer(input);
  return {kinetic_form(plant, momentum_, input.state.q, r_) +
              adaptation_.energy(estimates(input.x_c), plant),
          -gains_.Ks.quadratic(s_), adaptation_.is_bounded()};
}

void AdaptiveHybridPositionForce::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(input.state, x_p(input.x_c), input.reference);
  task_.errors(input, e);
}

std::vector<Prediction> AdaptiveHybridPositionForce::predictions(const Run&) {
  return {{"int s^T Ks s, and V at the end, over V(0)", PredictedQuantity::cost, -1, 1}};
}

using namespace internal;

internal::GainList internal::adaptive_force_gain_list() {
  return GainList{required_gain("Lambda", GainKind::gain, "5", "1/s", "of the position error in s"),
                  required_gain("Ks", GainKind::gain, "20", "N s / m", "of s"),
                  optional_gain("KF", GainKind::gain, "", "1/s",
                                "of the integral of the force error; none: no force is measured")} +
         adaptation_gain_list();
}

LawEntry internal::adaptive_hybrid_position_force() {
  return {"adaptive_hybrid_position_force",
          "task/adaptive_hybrid_position_force.hpp",
          "e_p -> 0 with unknown masses; the force error need not vanish",
          hybrid_gain_list() + adaptive_force_gain_list(),
          "x of the motion and f_on_environment",
          "Huo 2005, exercise 3-22",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            HybridTaskOptions options = hybrid_task_options(p, model);
            const HybridTask task(model, options);
            AdaptiveHybridGains gains{p.gain("Lambda", task.n_position()), p.gain("Ks", task.n()),
                                      p.gain("KF", task.n_force())};
            return std::make_unique<AdaptiveHybridPositionForce>(
                model, std::move(options), std::move(gains), adaptation_options(model, p));
          }};
}

}  // namespace torsor
