#include "torsor/control/arms/multi_arm_adaptive.hpp"

#include <algorithm>

#include "law_makers.hpp"
#include "torsor/control/arms/multi_arm_hybrid.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

MultiArmAdaptive::MultiArmAdaptive(CooperatingArms arms, ObjectTaskOptions task,
                                   MultiArmAdaptiveGains gains, AdaptationOptions adaptation)
    : arms_(std::move(arms)),
      task_(name, arms_, std::move(task)),
      gains_(std::move(gains)),
      adaptation_(name, arms_.forest(), std::move(adaptation)),
      momentum_(arms_.forest()),
      qd_r_(at(arms_.n_v())),
      qdd_r_(qd_r_.size()),
      s_q_(qd_r_.size()),
      y_(at(adaptation_.size())) {
  gains_.Lambda.check(name, "Lambda", task_.n_p());
  gains_.Ks.check(name, "Ks", task_.n_p());
  if (gains_.KF.size() > 0) gains_.KF.check(name, "KF", task_.n_f());
  if (arms_.redundant())
    throw Error(std::string(name) + ": an arm has more joints than the task has coordinates");
}
MultiArmAdaptive::MultiArmAdaptive(const Model<double>& model, CooperationOptions arms,
                                   ObjectTaskOptions task, MultiArmAdaptiveGains gains,
                                   AdaptationOptions adaptation)
    : MultiArmAdaptive(CooperatingArms(model, std::move(arms)), std::move(task), std::move(gains),
                       std::move(adaptation)) {}

void MultiArmAdaptive::reset(View<double> x_c) {
  for (double& x : x_c) x = 0;
  const int k = adaptation_.size();
  adaptation_.reset({x_c.data, k});
  task_.reset({x_c.data + k, task_.n_states()});
}

void MultiArmAdaptive::refer(const ControlState& state, View<const double> x_c,
                             const ControlReference& reference) {
  task_.evaluate(arms_, state, x_p(x_c), reference);
  const int n = task_.n_x(), p = task_.n_p();
  TaskVector v{}, a{}, X{};
  const View<double> v_p(v.data(), p), a_p(a.data(), p), moved(X.data(), n);
  for (int k = 0; k < p; ++k) {
    v_p[k] = task_.edot()[k] + task_.xdot_p()[k];
    a_p[k] = task_.xdd_desired()[k];
  }
  gains_.Lambda.add_product(task_.e(), v_p);
  gains_.Lambda.add_product(task_.edot(), a_p);
  for (int k = 0; k < n; ++k) s_[at(k)] = v[at(k)] - task_.xdot_c()[k];
  const View<const double> xd_r(v.data(), n), xdd_r(a.data(), n);
  task_.velocity(xd_r, moved);
  arms_.joint_velocity(moved, qd_r_);
  task_.acceleration(xdd_r, xd_r, moved);
  arms_.joint_acceleration(state, qd_r_, moved, qdd_r_);
  for (std::size_t k = 0; k < s_q_.size(); ++k) s_q_[k] = 0;
  for (const Grasp& g : arms_.object().grasps)
    for (const int dof : g.dofs) s_q_[at(dof)] = qd_r_[at(dof)] - state.qd[dof];
}

void MultiArmAdaptive::torque(double, const ControlState& state, View<const double> x_c,
                              const ControlReference& reference, View<double> tau) {
  refer(state, x_c, reference);
  const int n = task_.n_x(), p = task_.n_p(), m = task_.n_f(), k = adaptation_.size();
  adaptation_.set().torque(state.q, state.qd, qd_r_, qdd_r_, {x_c.data, k}, tau);
  arms_.keep_arms(tau);
  TaskVector f{};
  gains_.Ks.add_product(View<const double>(s_.data(), p), View<double>(f.data(), p));
  for (int i = 0; i < m; ++i) f[at(p + i)] = task_.force_desired()[i];
  if (gains_.KF.size() > 0)
    gains_.KF.add_product({x_c.data + k + task_.n_states(), m}, View<double>(f.data() + p, m));
  task_.add_shared_force(arms_, View<const double>(f.data(), n), tau);
  task_.add_internal(arms_, reference, tau);
}

void MultiArmAdaptive::state_derivative(double, const ControlState& state, View<const double> x_c,
                                        const ControlReference& reference, View<double> xdot_c) {
  refer(state, x_c, reference);
  const int k = adaptation_.size(), states = task_.n_states();
  adaptation_.set().transpose_times(state.q, state.qd, qd_r_, qdd_r_, s_q_, y_);
  adaptation_.rate({x_c.data, k}, y_, {xdot_c.data, k});
  for (int i = 0; i < states; ++i) xdot_c[k + i] = task_.xdot_p()[i];
  if (gains_.KF.size() == 0) return;
  TaskVector f{};
  task_.measured_force(arms_, state, f);
  for (int i = 0; i < task_.n_f(); ++i)
    xdot_c[k + states + i] = task_.force_desired()[i] - f[at(i)];
}

std::vector<Condition> MultiArmAdaptive::conditions() {
  std::vector<Condition> all{condition("Lambda symmetric", "largest asymmetry of Lambda",
                                       gains_.Lambda.asymmetry(), Relation::at_most, 0),
                             condition("Lambda positive definite", "smallest eigenvalue of Lambda",
                                       gains_.Lambda.smallest_eigenvalue(), Relation::greater, 0),
                             condition("Ks positive definite", "smallest eigenvalue of Ks",
                                       gains_.Ks.smallest_eigenvalue(), Relation::greater, 0)};
  if (gains_.KF.size() > 0)
    all.push_back(condition("KF not negative", "smallest eigenvalue of KF",
                            gains_.KF.smallest_eigenvalue(), Relation::at_least, 0));
  for (Condition& c : adaptation_.conditions()) all.push_back(std::move(c));
  for (Condition& c : cooperation_conditions(arms_)) all.push_back(std::move(c));
  return all;
}

const Model<double>& MultiArmAdaptive::partition_of(const Model<double>& plant) {
  bool known = !plant_partition_.empty() &&
               plant_inertial_.size() == at(parameters_per_body * (plant.n_bodies() - 1));
  for (int i = 1; known && i < plant.n_bodies(); ++i) {
    const auto own = parameters_of(plant.body(i).inertia);
    known =
        std::equal(own.begin(), own.end(), plant_inertial_.begin() + (i - 1) * parameters_per_body);
  }
  if (known) return plant_partition_.front();
  std::vector<double> fractions;
  for (const Grasp& g : arms_.object().grasps) fractions.push_back(g.fraction);
  const HeldObject object(plant, arms_.object().link, fractions);
  plant_inertial_ = parameters(plant);
  plant_partition_.clear();
  plant_partition_.push_back(object.partitioned(plant));
  return plant_partition_.front();
}

LyapunovValue MultiArmAdaptive::lyapunov(double, const ControlState& state, View<const double> x_c,
                                         const ControlReference& reference,
                                         const Model<double>& plant) {
  refer(state, x_c, reference);
  const Model<double>& shared = partition_of(plant);
  const double V = kinetic_form(shared, momentum_, state.q, s_q_) +
                   adaptation_.energy({x_c.data, adaptation_.size()}, shared);
  return {V, -gains_.Ks.quadratic(View<const double>(s_.data(), task_.n_p())),
          adaptation_.is_bounded()};
}

void MultiArmAdaptive::task_error(double, const ControlState& state, View<const double> x_c,
                                  const ControlReference& reference, View<double> e) {
  task_.evaluate(arms_, state, x_p(x_c), reference);
  TaskVector f{};
  task_.measured_force(arms_, state, f);
  const int p = task_.n_p();
  for (int k = 0; k < p; ++k) e[k] = task_.e()[k];
  for (int k = 0; k < task_.n_f(); ++k) e[p + k] = task_.force_desired()[k] - f[at(k)];
}

std::vector<Prediction> MultiArmAdaptive::predictions() {
  return {{"int s_p^T Ks s_p, and V at the end, over V(0)", Quantity::cost, -1, 1}};
}

AnyController make_multi_arm_adaptive(const Model<double>& model, LawParameters& p) {
  CooperatingArms arms(model, cooperation_options(model, p));
  ObjectTaskOptions task = object_task_options(arms, p);
  const ObjectTask made(MultiArmAdaptive::name, arms, task);
  MultiArmAdaptiveGains gains{p.gain("Lambda", made.n_p()), p.gain("Ks", made.n_p()),
                              p.gain("KF", made.n_f(), Gain())};
  AdaptationOptions adaptation = adaptation_options(arms.forest(), p);
  return AnyController(
      MultiArmAdaptive(std::move(arms), std::move(task), std::move(gains), std::move(adaptation)));
}

}  // namespace torsor
