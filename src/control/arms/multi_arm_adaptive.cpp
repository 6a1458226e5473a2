#include "torsor/control/arms/multi_arm_adaptive.hpp"

#include <algorithm>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "torsor/control/arms/multi_arm_hybrid.hpp"
#include "torsor/control/run.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

MultiArmAdaptive::MultiArmAdaptive(CooperatingArms arms, ObjectTaskOptions task,
                                   MultiArmAdaptiveGains gains, AdaptationOptions adaptation)
    : ControlLaw("multi_arm_adaptive", arms.model()),
      arms_(std::move(arms)),
      task_(name(), arms_, std::move(task)),
      gains_(std::move(gains)),
      adaptation_(name(), arms_.forest(), std::move(adaptation)),
      momentum_(arms_.forest()),
      qd_r_(arms_.n_v()),
      qdd_r_(qd_r_.size()),
      s_q_(qd_r_.size()),
      y_(adaptation_.size()) {
  gains_.Lambda.check(name(), "Lambda", task_.n_p());
  gains_.Ks.check(name(), "Ks", task_.n_p());
  if (gains_.KF.size() > 0) gains_.KF.check(name(), "KF", task_.n_f());
  if (arms_.redundant())
    throw Error(std::string(name()) + ": an arm has more joints than the task has coordinates");
}
MultiArmAdaptive::MultiArmAdaptive(const Model<double>& model, CooperationOptions arms,
                                   ObjectTaskOptions task, MultiArmAdaptiveGains gains,
                                   AdaptationOptions adaptation)
    : MultiArmAdaptive(CooperatingArms(model, std::move(arms)), std::move(task), std::move(gains),
                       std::move(adaptation)) {}

void MultiArmAdaptive::reset(Out<double> x_c) {
  for (double& x : x_c) x = 0;
  const int k = adaptation_.size();
  adaptation_.reset({x_c.data, k});
  task_.reset({x_c.data + k, task_.n_states()});
}

void MultiArmAdaptive::refer(const ControlInput& input) {
  task_.evaluate(arms_, input.state, x_p(input.x_c), input.reference);
  const int n = task_.n_x(), p = task_.n_p();
  TaskVector v{}, a{}, X{};
  const Out<double> v_p(v.data(), p), a_p(a.data(), p), moved(X.data(), n);
  for (int k = 0; k < p; ++k) {
    v_p[k] = task_.edot()[k] + task_.xdot_p()[k];
    a_p[k] = task_.xdd_desired()[k];
  }
  gains_.Lambda.add_product(task_.e(), v_p);
  gains_.Lambda.add_product(task_.edot(), a_p);
  for (int k = 0; k < n; ++k) s_[k] = v[k] - task_.xdot_c()[k];
  const In<double> xd_r(v.data(), n), xdd_r(a.data(), n);
  task_.velocity(xd_r, moved);
  arms_.joint_velocity(moved, qd_r_);
  task_.acceleration(xdd_r, xd_r, moved);
  arms_.joint_acceleration(input.state, qd_r_, moved, qdd_r_);
  for (int k = 0; k < s_q_.size(); ++k) s_q_[k] = 0;
  for (const Grasp& g : arms_.object().grasps)
    for (const int dof : g.dofs) s_q_[dof] = qd_r_[dof] - input.state.qd[dof];
}

void MultiArmAdaptive::torque(const ControlInput& input, Out<double> tau) {
  refer(input);
  const int n = task_.n_x(), p = task_.n_p(), m = task_.n_f(), k = adaptation_.size();
  adaptation_.set().torque(input.state.q, input.state.qd, qd_r_, qdd_r_, {input.x_c.data, k}, tau);
  arms_.keep_arms(tau);
  TaskVector f{};
  gains_.Ks.add_product(In<double>(s_.data(), p), Out<double>(f.data(), p));
  for (int i = 0; i < m; ++i) f[p + i] = task_.force_desired()[i];
  if (gains_.KF.size() > 0)
    gains_.KF.add_product({input.x_c.data + k + task_.n_states(), m}, Out<double>(f.data() + p, m));
  task_.add_shared_force(arms_, In<double>(f.data(), n), tau);
  task_.add_internal(arms_, input.reference, tau);
}

void MultiArmAdaptive::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  refer(input);
  const int k = adaptation_.size();
  adaptation_.set().transpose_times(input.state.q, input.state.qd, qd_r_, qdd_r_, s_q_, y_);
  adaptation_.rate({input.x_c.data, k}, y_, {xdot_c.data, k});
  task_.state_derivative(arms_, input.state, gains_.KF.size() > 0,
                         {xdot_c.data + k, xdot_c.size - k});
}

std::vector<Condition> MultiArmAdaptive::conditions(const Run& run) {
  std::vector<Condition> all{internal::symmetric("Lambda", gains_.Lambda),
                             internal::positive_definite("Lambda", gains_.Lambda),
                             internal::positive_definite("Ks", gains_.Ks)};
  Run shared = run;  // as the arms with their shares of the object see it
  shared.model = &arms_.forest();
  plant_partition_.clear();  // masses tell it apart for lyapunov, friction not
  shared.plant = &partition_of(*run.plant);
  internal::append(all, adaptation_.conditions(shared));
  internal::append(all, internal::cooperation_conditions(*this, arms_, task_, gains_.KF, run));
  return all;
}

const Model<double>& MultiArmAdaptive::partition_of(const Model<double>& plant) {
  bool known = !plant_partition_.empty() &&
               plant_inertial_.size() == parameters_per_body * (plant.n_bodies() - 1);
  for (int i = 1; known && i < plant.n_bodies(); ++i) {
    const auto own = parameters_of(plant.body(i).inertia);
    known =
        std::equal(own.begin(), own.end(), plant_inertial_.begin() + (i - 1) * parameters_per_body);
  }
  if (known) return plant_partition_.front();
  Array<double> fractions;
  for (const Grasp& g : arms_.object().grasps) fractions.push_back(g.fraction);
  const HeldObject object(plant, arms_.object().link, fractions);
  plant_inertial_ = parameters(plant);
  plant_partition_.clear();
  plant_partition_.push_back(object.partitioned(plant));
  return plant_partition_.front();
}

LyapunovValue MultiArmAdaptive::lyapunov(const ControlInput& input, const Model<double>& plant) {
  refer(input);
  const Model<double>& shared = partition_of(plant);
  const double V = kinetic_form(shared, momentum_, input.state.q, s_q_) +
                   adaptation_.energy({input.x_c.data, adaptation_.size()}, shared);
  return {V, -gains_.Ks.quadratic(In<double>(s_.data(), task_.n_p())), adaptation_.is_bounded()};
}

void MultiArmAdaptive::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(arms_, input.state, x_p(input.x_c), input.reference);
  task_.errors(arms_, input.state, e);
}

std::vector<Prediction> MultiArmAdaptive::predictions(const Run&) {
  return {{"int s_p^T Ks s_p, and V at the end, over V(0)", PredictedQuantity::cost, -1, 1}};
}

using namespace internal;

LawEntry internal::multi_arm_adaptive() {
  return {"multi_arm_adaptive",
          "arms/multi_arm_adaptive.hpp",
          "e_p -> 0 with unknown masses; the force error need not vanish",
          arms_gain_list() + constraint_gain_list() + adaptive_force_gain_list(),
          "x of the object, or a pose; f_on_environment",
          "Huo 2005, exercises 3-22 and 3-25",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            CooperatingArms arms(model, cooperation_options(model, p));
            ObjectTaskOptions task = object_task_options(arms, p);
            const ObjectTask made("multi_arm_adaptive", arms, task);
            MultiArmAdaptiveGains gains{p.gain("Lambda", made.n_p()), p.gain("Ks", made.n_p()),
                                        p.gain("KF", made.n_f())};
            AdaptationOptions adaptation = adaptation_options(arms.forest(), p);
            return std::make_unique<MultiArmAdaptive>(std::move(arms), std::move(task),
                                                      std::move(gains), std::move(adaptation));
          }};
}

}  // namespace torsor
