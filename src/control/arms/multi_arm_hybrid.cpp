#include "torsor/control/arms/multi_arm_hybrid.hpp"

#include <algorithm>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"

namespace torsor {

std::vector<Condition> internal::cooperation_conditions(ControlLaw& law, CooperatingArms& arms,
                                                        ObjectTask& task, const Gain& KF,
                                                        const Run& run) {
  double smallest = infinity;
  for (const Grasp& g : arms.object().grasps) smallest = std::min(smallest, g.fraction);
  std::vector<Condition> all{condition("no arm carries less than nothing",
                                       "smallest fraction of the object", smallest,
                                       Relation::at_least, 0)};
  const Array<RunInstant> postures = internal::postures_of(law, run);
  internal::append(
      all, internal::task_conditions("J of every arm", arms.n_x(), arms.n_v(), postures,
                                     [&](const RunInstant& at) { return arms.regularity(at.q); }));
  const internal::PressingLaw pressing{[&](const ControlState& state, Out<double> f_c) {
                                         task.look(arms, state);
                                         task.measured_in_frame(arms, state, f_c);
                                       },
                                       task.n_p(), task.n_f(), KF};
  internal::append(all, internal::pressing_conditions(pressing, run, postures));
  return all;
}

MultiArmHybrid::MultiArmHybrid(CooperatingArms arms, ObjectTaskOptions task,
                               MultiArmHybridGains gains)
    : ControlLaw("multi_arm_hybrid", arms.model()),
      arms_(std::move(arms)),
      task_(name(), arms_, std::move(task)),
      gains_(std::move(gains)),
      qdd_(arms_.n_v()) {
  gains_.Kp.check(name(), "Kp", task_.n_p());
  gains_.Kd.check(name(), "Kd", task_.n_p());
  if (gains_.KF.size() > 0) gains_.KF.check(name(), "KF", task_.n_f());
}
MultiArmHybrid::MultiArmHybrid(const Model<double>& model, CooperationOptions arms,
                               ObjectTaskOptions task, MultiArmHybridGains gains)
    : MultiArmHybrid(CooperatingArms(model, std::move(arms)), std::move(task), std::move(gains)) {}

void MultiArmHybrid::reset(Out<double> x_c) {
  for (double& x : x_c) x = 0;
  task_.reset({x_c.data, task_.n_states()});
}

void MultiArmHybrid::torque(const ControlInput& input, Out<double> tau) {
  task_.evaluate(arms_, input.state, x_p(input.x_c), input.reference);
  const int n = task_.n_x(), p = task_.n_p();
  TaskVector a{}, f{}, X{};
  const Out<double> a_p(a.data(), p), Xdd(X.data(), n);
  for (int k = 0; k < p; ++k) a_p[k] = task_.xdd_desired()[k];
  gains_.Kd.add_product(task_.edot(), a_p);
  gains_.Kp.add_product(task_.e(), a_p);
  task_.acceleration(In<double>(a.data(), n), task_.xdot_c(), Xdd);
  arms_.joint_acceleration(input.state, Xdd, qdd_);
  near_singular_ = arms_.near_singular() || !task_.regular();
  arms_.torque(input.state, qdd_, tau);
  for (int k = 0; k < task_.n_f(); ++k) f[p + k] = task_.force_desired()[k];
  if (gains_.KF.size() > 0)
    gains_.KF.add_product({input.x_c.data + task_.n_states(), task_.n_f()},
                          Out<double>(f.data() + p, task_.n_f()));
  task_.add_shared_force(arms_, In<double>(f.data(), n), tau);
  task_.add_internal(arms_, input.reference, tau);
}

void MultiArmHybrid::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  if (n_states() == 0) return;
  task_.evaluate(arms_, input.state, x_p(input.x_c), input.reference);
  task_.state_derivative(arms_, input.state, gains_.KF.size() > 0, xdot_c);
}

std::vector<Condition> MultiArmHybrid::conditions(const Run& run) {
  std::vector<Condition> all{internal::symmetric("Kp", gains_.Kp),
                             internal::positive_definite("Kp", gains_.Kp),
                             internal::positive_definite("Kd", gains_.Kd)};
  internal::append(all, internal::cooperation_conditions(*this, arms_, task_, gains_.KF, run));
  return all;
}

LyapunovValue MultiArmHybrid::lyapunov(const ControlInput& input, const Model<double>&) {
  task_.evaluate(arms_, input.state, x_p(input.x_c), input.reference);
  double value = 0.5 * gains_.Kp.quadratic(task_.e());
  for (const double v : task_.edot()) value += 0.5 * v * v;
  return {value, -gains_.Kd.quadratic(task_.edot())};
}

void MultiArmHybrid::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(arms_, input.state, x_p(input.x_c), input.reference);
  task_.errors(arms_, input.state, e);
}

using namespace internal;

LawEntry internal::multi_arm_hybrid() {
  return {
      "multi_arm_hybrid",
      "arms/multi_arm_hybrid.hpp",
      "motion of the object, f along the unit rows of its contact and internal force, exactly",
      arms_gain_list() + constraint_gain_list() +
          GainList{required_gain("Kp", GainKind::gain, "100", "1/s^2",
                                 "of the position error of the object"),
                   required_gain("Kd", GainKind::gain, "20", "1/s", "of its rate"),
                   optional_gain("KF", GainKind::gain, "", "1/s",
                                 "of the integral of the force error; none: no force is measured")},
      "x of the object, or a pose; f_on_environment",
      "Huo 2005, sec. 3.13, (3-153) corrected; Uchiyama & Dauchez 1988",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        CooperatingArms arms(model, cooperation_options(model, p));
        ObjectTaskOptions task = object_task_options(arms, p);
        const ObjectTask made("multi_arm_hybrid", arms, task);
        MultiArmHybridGains gains{p.gain("Kp", made.n_p()), p.gain("Kd", made.n_p()),
                                  p.gain("KF", made.n_f())};
        return std::make_unique<MultiArmHybrid>(std::move(arms), std::move(task), std::move(gains));
      }};
}

}  // namespace torsor
