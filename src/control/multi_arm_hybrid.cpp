#include "torsor/control/multi_arm_hybrid.hpp"

#include <algorithm>

#include "law_makers.hpp"

namespace torsor {

std::vector<Condition> cooperation_conditions(CooperatingArms& arms) {
  double smallest = infinity;
  for (const Grasp& g : arms.object().grasps) smallest = std::min(smallest, g.fraction);
  return {condition("no arm carries less than nothing", "smallest fraction of the object", smallest,
                    Relation::at_least, 0),
          condition("J of every arm not singular",
                    "worst arm's best ratio of smallest to largest singular value",
                    arms.best_regularity(), Relation::greater, 1e-6,
                    "64 configurations; the path must stay away from singular ones")};
}

MultiArmHybrid::MultiArmHybrid(CooperatingArms arms, ObjectTaskOptions task,
                               MultiArmHybridGains gains)
    : arms_(std::move(arms)),
      task_(name, arms_, std::move(task)),
      gains_(std::move(gains)),
      qdd_(static_cast<std::size_t>(arms_.n_v())) {
  gains_.Kp.check(name, "Kp", task_.n_p());
  gains_.Kd.check(name, "Kd", task_.n_p());
}
MultiArmHybrid::MultiArmHybrid(const Model<double>& model, CooperationOptions arms,
                               ObjectTaskOptions task, MultiArmHybridGains gains)
    : MultiArmHybrid(CooperatingArms(model, std::move(arms)), std::move(task), std::move(gains)) {}

void MultiArmHybrid::torque(double, const ControlState& state, View<const double> x_c,
                            const ControlReference& reference, View<double> tau) {
  task_.evaluate(arms_, state, x_c, reference);
  const int n = task_.n_x(), p = task_.n_p();
  TaskVector a{}, f{}, X{};
  const View<double> a_p(a.data(), p), Xdd(X.data(), n);
  for (int k = 0; k < p; ++k) a_p[k] = task_.xdd_desired()[k];
  gains_.Kd.add_product(task_.edot(), a_p);
  gains_.Kp.add_product(task_.e(), a_p);
  task_.acceleration(View<const double>(a.data(), n), task_.xdot_c(), Xdd);
  arms_.joint_acceleration(state, Xdd, qdd_);
  near_singular_ = arms_.near_singular() || !task_.regular();
  arms_.torque(state, qdd_, tau);
  for (int k = 0; k < task_.n_f(); ++k)
    f[static_cast<std::size_t>(p + k)] = task_.force_desired()[k];
  task_.add_shared_force(arms_, View<const double>(f.data(), n), tau);
  task_.add_internal(arms_, reference, tau);
}

void MultiArmHybrid::state_derivative(double, const ControlState& state, View<const double> x_c,
                                      const ControlReference& reference, View<double> xdot_c) {
  if (n_states() == 0) return;
  task_.evaluate(arms_, state, x_c, reference);
  for (int k = 0; k < xdot_c.size; ++k) xdot_c[k] = task_.xdot_p()[k];
}

std::vector<Condition> MultiArmHybrid::conditions() {
  std::vector<Condition> all{condition("Kp symmetric", "largest asymmetry of Kp",
                                       gains_.Kp.asymmetry(), Relation::at_most, 0),
                             condition("Kp positive definite", "smallest eigenvalue of Kp",
                                       gains_.Kp.smallest_eigenvalue(), Relation::greater, 0),
                             condition("Kd positive definite", "smallest eigenvalue of Kd",
                                       gains_.Kd.smallest_eigenvalue(), Relation::greater, 0)};
  for (Condition& c : cooperation_conditions(arms_)) all.push_back(std::move(c));
  return all;
}

LyapunovValue MultiArmHybrid::lyapunov(double, const ControlState& state, View<const double> x_c,
                                       const ControlReference& reference, const Model<double>&) {
  task_.evaluate(arms_, state, x_c, reference);
  double value = 0.5 * gains_.Kp.quadratic(task_.e());
  for (const double v : task_.edot()) value += 0.5 * v * v;
  return {value, -gains_.Kd.quadratic(task_.edot())};
}

void MultiArmHybrid::task_error(double, const ControlState& state, View<const double> x_c,
                                const ControlReference& reference, View<double> e) {
  task_.evaluate(arms_, state, x_c, reference);
  TaskVector x{}, c{};
  const View<double> f_x(x.data(), task_.n_x()), f_c(c.data(), task_.n_x());
  arms_.measured_force(state.F_contact, f_x);
  task_.force_to_frame(f_x, f_c);
  const int p = task_.n_p();
  for (int k = 0; k < p; ++k) e[k] = task_.e()[k];
  for (int k = 0; k < task_.n_f(); ++k) e[p + k] = task_.force_desired()[k] - f_c[p + k];
}

AnyController make_multi_arm_hybrid(const Model<double>& model, LawParameters& p) {
  CooperatingArms arms(model, cooperation_options(model, p));
  ObjectTaskOptions task = object_task_options(arms, p);
  const int n_p = ObjectTask(MultiArmHybrid::name, arms, task).n_p();
  MultiArmHybridGains gains{p.gain("Kp", n_p), p.gain("Kd", n_p)};
  return AnyController(MultiArmHybrid(std::move(arms), std::move(task), std::move(gains)));
}

}  // namespace torsor
