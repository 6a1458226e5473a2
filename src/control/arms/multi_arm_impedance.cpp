#include "torsor/control/arms/multi_arm_impedance.hpp"

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/control/arms/multi_arm_hybrid.hpp"

namespace torsor {

namespace {

ObjectTaskOptions freed(ObjectTaskOptions task) {
  task.constraint.reset();
  return task;
}
/// The internal wrenches behind f_d.
ControlReference internal_of(const ControlReference& reference, int n) {
  const In<double> f = reference.f_on_environment;
  return {.f_on_environment = f.size > n ? In<double>(f.data + n, f.size - n) : In<double>()};
}

}  // namespace

MultiArmImpedance::MultiArmImpedance(CooperatingArms arms, ObjectTaskOptions task,
                                     ImpedanceGains gains, ImpedanceMode mode)
    : ControlLaw("multi_arm_impedance", arms.model()),
      arms_(std::move(arms)),
      task_(name(), arms_, freed(std::move(task))),
      gains_(std::move(gains)),
      mass_(name(), gains_.Md),
      mode_(mode),
      qdd_(arms_.n_v()) {
  gains_.Md.check(name(), "Md", task_.n_x());
  gains_.Bd.check(name(), "Bd", task_.n_x());
  gains_.Kd.check(name(), "Kd", task_.n_x());
}
MultiArmImpedance::MultiArmImpedance(const Model<double>& model, CooperationOptions arms,
                                     ObjectTaskOptions task, ImpedanceGains gains,
                                     ImpedanceMode mode)
    : MultiArmImpedance(CooperatingArms(model, std::move(arms)), std::move(task), std::move(gains),
                        mode) {}

void MultiArmImpedance::evaluate(const ControlState& state, const ControlReference& reference) {
  const int n = task_.n_x();
  task_.evaluate(arms_, state, {}, reference);
  arms_.measured_force(state.F_contact, Out<double>(f_e_.data(), n));
  for (int k = 0; k < n; ++k) {
    const double wanted = k < reference.f_on_environment.size ? reference.f_on_environment[k] : 0.0;
    g_[k] = mode_ == ImpedanceMode::book             ? wanted
            : mode_ == ImpedanceMode::force_tracking ? f_e_[k] - wanted
                                                     : f_e_[k];
  }
}

void MultiArmImpedance::torque(const ControlInput& input, Out<double> tau) {
  evaluate(input.state, input.reference);
  const int n = task_.n_x();
  TaskVector push{}, X{};
  const Out<double> Xdd(X.data(), n), p(push.data(), n);
  for (int k = 0; k < n; ++k) Xdd[k] = task_.xdd_desired()[k], p[k] = -g_[k];
  gains_.Bd.add_product(task_.edot(), p);
  gains_.Kd.add_product(task_.e(), p);
  mass_.add_inverse_product(p, Xdd);
  arms_.joint_acceleration(input.state, Xdd, qdd_);
  arms_.torque(input.state, qdd_, tau);
  task_.add_shared_force(arms_, In<double>(f_e_.data(), n), tau);
  task_.add_internal(arms_, internal_of(input.reference, n), tau);
}

std::vector<Condition> MultiArmImpedance::conditions(const Run& run) {
  std::vector<Condition> all = internal::impedance_conditions(gains_);
  internal::append(all, internal::cooperation_conditions(*this, arms_, task_, {}, run));
  internal::append(all, internal::impedance_surface_conditions(mode_, run));
  return all;
}

LyapunovValue MultiArmImpedance::lyapunov(const ControlInput& input, const Model<double>&) {
  evaluate(input.state, input.reference);
  double rate = -gains_.Bd.quadratic(task_.edot());
  for (int k = 0; k < task_.n_x(); ++k) rate += task_.edot()[k] * g_[k];
  return {0.5 * gains_.Md.quadratic(task_.edot()) + 0.5 * gains_.Kd.quadratic(task_.e()), rate};
}

void MultiArmImpedance::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(arms_, input.state, {}, input.reference);
  for (int k = 0; k < e.size; ++k) e[k] = task_.e()[k];
}

void MultiArmImpedance::check_reference(const ControlReference& reference) const {
  ControlReference rest = reference;
  const int n = task_.n_x(), given = reference.f_on_environment.size;
  if (given == n + static_cast<int>(task_.options().internal.size()))
    rest.f_on_environment = {reference.f_on_environment.data, n};
  internal::check_task_reference(name(), arms_.coordinates(0), rest);
}

std::vector<Prediction> MultiArmImpedance::predictions(const Run&) {
  return {{"what damping takes less the work of contact, and V at the end, over V(0)",
           PredictedQuantity::cost, -1, 1}};
}

using namespace internal;

LawEntry internal::multi_arm_impedance() {
  return {"multi_arm_impedance",
          "arms/multi_arm_impedance.hpp",
          "the object answers as a mass with spring and damper",
          arms_gain_list() + impedance_gain_list() + impedance_mode_gain(),
          "x of the object, or a pose; f_on_environment",
          "Huo 2005, exercise 3-24 and sec. 3.12, corrected",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            if (p.has("constraint")) throw Error("an impedance has no constraint");
            CooperatingArms arms(model, cooperation_options(model, p));
            ObjectTaskOptions task = object_task_options(arms, p);

            const int n = arms.n_x();
            ImpedanceGains gains{p.gain("Md", n), p.gain("Bd", n), p.gain("Kd", n)};
            return std::make_unique<MultiArmImpedance>(std::move(arms), std::move(task),
                                                       std::move(gains), impedance_mode(p));
          }};
}

}  // namespace torsor
