#include "torsor/control/task/impedance.hpp"

#include <algorithm>

#include "law_makers.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/linear/ldlt.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

TaskMass::TaskMass(const char* law, const Gain& Md) : n_(Md.size()) {
  if (n_ > TaskCoordinates::max_size) throw Error(std::string(law) + ": Md is too large");
  for (int c = 0; c < n_; ++c) {
    SmallLdlt<double> factors;
    for (int r = 0; r < n_; ++r)
      for (int k = 0; k <= r; ++k) factors(r, k) = Md(r, k);
    factors.factorise(n_);
    double column[6]{};
    column[c] = 1;
    factors.solve(n_, column);
    for (int r = 0; r < n_; ++r) {
      if (factors.pivot(r) == 0) throw Error(std::string(law) + ": Md cannot be inverted");
      inverse_[at(r * n_ + c)] = column[r];
    }
  }
}

void TaskMass::add_inverse_product(View<const double> x, View<double> y) const {
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c) y[r] += inverse_[at(r * n_ + c)] * x[c];
}

std::vector<Condition> impedance_conditions(const ImpedanceGains& gains) {
  std::vector<Condition> all;
  const auto add = [&](const char* gain, const Gain& K) {
    const std::string word = gain;
    all.push_back(condition(word + " symmetric", "largest asymmetry of " + word, K.asymmetry(),
                            Relation::at_most, 0));
    all.push_back(condition(word + " positive definite", "smallest eigenvalue of " + word,
                            K.smallest_eigenvalue(), Relation::greater, 0));
  };
  add("Md", gains.Md);
  add("Bd", gains.Bd);
  add("Kd", gains.Kd);
  return all;
}

void check_task_reference(const char* law, const TaskCoordinates& task,
                          const ControlReference& reference) {
  const auto size = [&](const char* what, View<const double> x) {
    if (!x.empty() && x.size != task.size())
      throw Error(std::string("law \"") + law + "\": the reference has " + std::to_string(x.size) +
                  " numbers of " + what + "; " + std::to_string(task.size()) + " are needed");
  };
  if (reference.x.empty() && !reference.pose)
    throw Error(std::string("law \"") + law + "\" follows a task or a pose; there is none");
  size("the task", reference.x);
  size("the task's velocity", reference.xd);
  size("the task's acceleration", reference.xdd);
  size("force", reference.f_on_environment);
}

ImpedanceControl::ImpedanceControl(const Model<double>& model, TaskCoordinateOptions task,
                                   ImpedanceGains gains, ImpedanceMode mode, Effects effects)
    : model_(&model),
      task_(model, std::move(task)),
      gains_(std::move(gains)),
      mass_(name, gains_.Md),
      mode_(mode),
      effects_(effects),
      solver_(model),
      ws_(model),
      qdd_(at(model.n_v())) {
  gains_.Md.check(name, "Md", task_.size());
  gains_.Bd.check(name, "Bd", task_.size());
  gains_.Kd.check(name, "Kd", task_.size());
  null_damping_ = gains_.Bd.largest_eigenvalue() / gains_.Md.largest_eigenvalue();
}

void ImpedanceControl::forces(const ControlState& state, const ControlReference& reference) {
  task_.measured_force(state.F_contact, View<double>(f_e_.data(), task_.size()));
  for (int k = 0; k < task_.size(); ++k) {
    const double wanted = reference.f_on_environment.empty() ? 0.0 : reference.f_on_environment[k];
    g_[at(k)] = mode_ == ImpedanceMode::book             ? wanted
                : mode_ == ImpedanceMode::force_tracking ? f_e_[at(k)] - wanted
                                                         : f_e_[at(k)];
  }
}

void ImpedanceControl::torque(double, const ControlState& state, View<const double>,
                              const ControlReference& reference, View<double> tau) {
  const int m = task_.size();
  task_.evaluate(state.q, state.qd);
  forces(state, reference);
  TaskError error = task_.error(reference);
  TaskVector push{};
  for (int k = 0; k < m; ++k) push[at(k)] = -g_[at(k)];
  gains_.Bd.add_product(View<const double>(error.edot.data(), m), View<double>(push.data(), m));
  gains_.Kd.add_product(View<const double>(error.e.data(), m), View<double>(push.data(), m));
  mass_.add_inverse_product(push, error.xdd);
  solver_.acceleration(task_, error.xdd, state.qd, null_damping_, qdd_);
  tree_inverse_dynamics(*model_, ws_, state.q, state.qd, qdd_, {}, tau, effects_);
  task_.add_torque(f_e_, tau);
}

std::vector<Condition> ImpedanceControl::conditions() {
  std::vector<Condition> all = impedance_conditions(gains_);
  for (Condition& c : task_conditions(*model_, task_)) all.push_back(std::move(c));
  return all;
}

LyapunovValue ImpedanceControl::lyapunov(double, const ControlState& state, View<const double>,
                                         const ControlReference& reference, const Model<double>&) {
  const int m = task_.size();
  task_.evaluate(state.q, state.qd);
  forces(state, reference);
  const TaskError error = task_.error(reference);
  const View<const double> e(error.e.data(), m), edot(error.edot.data(), m);
  double rate = -gains_.Bd.quadratic(edot);
  for (int k = 0; k < m; ++k) rate += edot[k] * g_[at(k)];
  return {0.5 * gains_.Md.quadratic(edot) + 0.5 * gains_.Kd.quadratic(e), rate};
}

void ImpedanceControl::task_error(double, const ControlState& state, View<const double>,
                                  const ControlReference& reference, View<double> e) {
  task_.evaluate(state.q, state.qd);
  const TaskError error = task_.error(reference);
  std::copy_n(error.e.begin(), e.size, e.begin());
}

void ImpedanceControl::check_reference(const ControlReference& reference) const {
  check_task_reference(name, task_, reference);
}

ImpedanceMode impedance_mode(LawParameters& p) {
  const std::vector<std::string> known{"hogan", "force_tracking", "book"};
  const std::string word = p.word("mode", "hogan");
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end())
    throw Error("unknown impedance mode \"" + word + "\"" + did_you_mean(word, known));
  return static_cast<ImpedanceMode>(found - known.begin());
}

std::vector<Prediction> ImpedanceControl::predictions() {
  return {{"what damping takes less the work of contact, and V at the end, over V(0)",
           Quantity::cost, -1, 1}};
}

AnyController make_impedance(const Model<double>& model, LawParameters& p) {
  const TaskCoordinateOptions task = task_coordinate_options(p);
  const int n = TaskCoordinates(model, task).size();
  return AnyController(ImpedanceControl(
      model, task, {p.gain("Md", n), p.gain("Bd", n), p.gain("Kd", n)}, impedance_mode(p)));
}

}  // namespace torsor
