#include "eval_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::command {
namespace {

const std::vector<std::string> keys = {
    "tau",     "gravity",         "bias",         "M",        "C",         "qdd_fd",    "T_frame",
    "J_body",  "J_world_aligned", "Jdot_qd_body", "kinetic",  "potential", "com",       "mass",
    "dtau_dq", "dtau_dqd",        "dqdd_dq",      "dqdd_dqd", "dqdd_dtau", "regressor", "A",
    "lambda",  "lost_rank"};

/// The columns that are wanted and that this robot and frame have, in the order of the answer.
std::vector<EvalColumn> columns_of(const Model<double>& model, const EvalKeys& wanted,
                                   bool framed) {
  const int n = model.n_v(), parameters = parameters_per_body * (model.n_bodies() - 1);
  const bool loops = has_loops(model);
  const int rows = loops ? ConstraintSet(model).n_rows() : 0;
  std::vector<EvalColumn> all;
  const auto add = [&](const char* key, std::vector<int> shape, bool there = true) {
    if (there && wanted(key)) all.push_back({key, std::move(shape)});
  };
  for (const char* key : {"tau", "gravity", "bias"}) add(key, {n});
  for (const char* key : {"M", "C"}) add(key, {n, n});
  add("A", {rows, n}, loops);
  add("qdd_fd", {n});
  add("lambda", {rows}, loops);
  add("lost_rank", {}, loops);
  add("T_frame", {4, 4}, framed);
  for (const char* key : {"J_body", "J_world_aligned"}) add(key, {6, n}, framed);
  add("Jdot_qd_body", {6}, framed);
  for (const char* key : {"kinetic", "potential"}) add(key, {});
  add("com", {3});
  add("mass", {});
  for (const char* key : {"dtau_dq", "dtau_dqd", "dqdd_dq", "dqdd_dqd", "dqdd_dtau"})
    add(key, {n, n});
  add("regressor", {n, parameters});
  return all;
}

/// No answer to a state.
void leave_out(EvalColumn& column, int state) {
  column.defined[state] = 0;
  for (double& x : column.of(state)) x = std::numeric_limits<double>::quiet_NaN();
}

bool all_defined(const ConstrainedParameterDerivatives& d) {
  return std::all_of(d.defined.begin(), d.defined.end(), [](char x) { return x != 0; });
}

void set(View<double> out, std::initializer_list<double> numbers) {
  std::copy(numbers.begin(), numbers.end(), out.data);
}

}  // namespace

EvalKeys::EvalKeys(const std::string& only) : all_(only.empty()) {
  if (all_) return;
  names_ = split(only);
  for (const std::string& key : names_)
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("--only: unknown key " + in_quotes(key) + did_you_mean(key, keys));
}
bool EvalKeys::explicitly(const std::string& key) const {
  return std::find(names_.begin(), names_.end(), key) != names_.end();
}

int EvalColumn::size() const {
  int numbers = 1;
  for (const int length : shape) numbers *= length;
  return numbers;
}

BlockEvaluation::BlockEvaluation(const Model<double>& model, const EvalKeys& wanted,
                                 const Frame* frame)
    : model_(model),
      frame_(frame),
      columns_(columns_of(model, wanted, frame != nullptr)),
      zero_(model.n_v()),
      found_(zero_),
      batch_(model, {.threads = 1}),
      dynamics_(model),
      derivatives_(model),
      tree_derivatives_(model),
      not_wanted_(model.n_v() * model.n_v()),
      by_state_(model, derivatives_.set, 2 * model.n_v()),
      by_state_and_torque_(model, derivatives_.set, 3 * model.n_v()),
      momentum_(model),
      velocity_(model) {
  for (const char* key : {"A", "lambda", "lost_rank"})
    if (wanted.explicitly(key) && !has_loops(model))
      throw Error("--only " + std::string(key) + ": " + in_quotes(model.name()) +
                  " has no loops or couplings");
  for (int k = 0; k < model.n_v(); ++k) along_.push_back(Parameter::coordinate(model, k));
  for (int k = 0; k < model.n_v(); ++k) along_.push_back(Parameter::velocity(model, k));
  for (int k = 0; k < model.n_v(); ++k) along_.push_back(Parameter::torque(model, k));
}

BlockEvaluation::OneState BlockEvaluation::state(const StateBlock& states, int k) const {
  const auto of = [&](View<const double> all) -> In<double> {
    return all.empty() ? In<double>(zero_) : In<double>(all.data + k * model_.n_v(), model_.n_v());
  };
  return {{states.q.data + k * model_.n_q(), model_.n_q()},
          of(states.qd),
          of(states.qdd),
          of(states.tau),
          states.F_ext.empty() ? In<Wrench<double>>{} : states.F_ext[k]};
}

bool BlockEvaluation::in_lanes(const StateBlock& states) const {
  return !dynamics_.loops && states.F_ext.empty();
}
StatesView<const double> BlockEvaluation::configurations(const StateBlock& states) const {
  return by_state(states.q.data, states.count, model_.n_q());
}
StatesView<const double> BlockEvaluation::view(const StateBlock& states,
                                               View<const double> numbers) {
  if (numbers.empty() || states.count == 0) return {};
  return by_state(numbers.data, states.count, numbers.size / states.count);
}
StatesView<double> BlockEvaluation::view(const StateBlock& states, EvalColumn* column) {
  if (column == nullptr) return {};
  return by_state(column->values.data(), states.count, column->size());
}
void BlockEvaluation::leave_out_nan(const StateBlock& states,
                                    std::initializer_list<EvalColumn*> columns) {
  for (EvalColumn* const column : columns)
    for (int k = 0; column != nullptr && k < states.count; ++k)
      if (std::isnan(column->of(k)[0])) leave_out(*column, k);
}

EvalColumn* BlockEvaluation::find(const char* key) {
  for (EvalColumn& column : columns_)
    if (column.key == key) return &column;
  return nullptr;
}

bool BlockEvaluation::uses(const std::string& input) const {
  static const std::vector<std::string> of_qdd = {"tau", "dtau_dq", "dtau_dqd", "regressor"},
                                        of_tau = {"qdd_fd", "lambda", "dqdd_dq", "dqdd_dqd",
                                                  "dqdd_dtau"},
                                        of_qd = {"bias", "C", "Jdot_qd_body", "kinetic"};
  const auto has_one = [&](const std::vector<std::string>& list) {
    return std::any_of(columns_.begin(), columns_.end(), [&](const EvalColumn& column) {
      return std::find(list.begin(), list.end(), column.key) != list.end();
    });
  };
  if (input == "qdd") return has_one(of_qdd);
  if (input == "tau") return has_one(of_tau);
  if (input == "qd") return dynamics_.loops || has_one(of_qd) || has_one(of_qdd) || has_one(of_tau);
  return true;
}

std::string BlockEvaluation::too_large(int k) const {
  for (const EvalColumn& column : columns_)
    if (column.defined[k] != 0)
      for (const double x : column.of(k))
        if (!std::isfinite(x))
          return column.key + " is too large for a number here; look at the size of the state";
  return {};
}

std::string BlockEvaluation::open_loop(const StateBlock& states, int k) {
  if (!dynamics_.loops) return "";
  const OneState s = state(states, k);
  const bool accelerated = find("tau") || find("dtau_dq") || find("dtau_dqd");
  const LoopStatus status = closure(model_, dynamics_.loops->set(), dynamics_.loops->assembly, s.q,
                                    s.qd, accelerated ? s.qdd : In<double>{});
  return status ? "" : message(model_, status);
}

void BlockEvaluation::operator()(const StateBlock& states) {
  for (EvalColumn& column : columns_) {
    column.values.resize(states.count * column.size());
    column.defined.assign(states.count, 1);
  }
  torques(states);
  matrices(states);
  accelerations(states);
  if (frame_ != nullptr) frame_keys(states);
  energies(states);
  torque_derivatives(states);
  acceleration_derivatives(states);
}

void BlockEvaluation::torques(const StateBlock& states) {
  const auto q = configurations(states), qd = view(states, states.qd);
  EvalColumn* const tau = find("tau");
  if (tau != nullptr && in_lanes(states))
    (void)batch_.inverse_dynamics(q, qd, view(states, states.qdd), view(states, tau));
  for (int k = 0; tau != nullptr && !in_lanes(states) && k < states.count; ++k) {
    const OneState s = state(states, k);
    if (!inverse_dynamics(model_, dynamics_, s.q, s.qd, s.qdd, s.F_ext, tau->of(k)))
      leave_out(*tau, k);
  }
  if (EvalColumn* const gravity = find("gravity")) batch_.gravity_torque(q, view(states, gravity));
  if (EvalColumn* const bias = find("bias")) batch_.bias_torque(q, qd, view(states, bias));
}

void BlockEvaluation::matrices(const StateBlock& states) {
  const auto q = configurations(states), qd = view(states, states.qd);
  if (EvalColumn* const M = find("M")) batch_.mass_matrix(q, view(states, M));
  if (EvalColumn* const C = find("C")) batch_.coriolis_matrix(q, qd, view(states, C));
  if (EvalColumn* const A = find("A"))
    for (int k = 0; k < states.count; ++k)
      constraint_jacobian(model_, dynamics_.loops->set(), dynamics_.loops->assembly.rows,
                          state(states, k).q, A->matrix(k));
  if (EvalColumn* const Y = find("regressor"))
    batch_.torque_regressor(q, qd, view(states, states.qdd), view(states, Y));
}

/// None where M is singular or the constraints contradict each other.
void BlockEvaluation::accelerations(const StateBlock& states) {
  EvalColumn *const qdd = find("qdd_fd"), *const lambda = find("lambda"),
                    *const lost = find("lost_rank");
  lost_rank_.assign(states.count, 0);
  if (dynamics_.loops && (qdd != nullptr || lambda != nullptr || lost != nullptr))
    for (int k = 0; k < states.count; ++k) {
      const int rank = torsor::lost_rank(model_, dynamics_.loops->set(), state(states, k).q);
      lost_rank_[k] = rank;
      if (lost != nullptr) lost->of(k)[0] = rank;
    }
  if (qdd == nullptr && lambda == nullptr) return;
  if (in_lanes(states)) {
    if (!batch_.forward_dynamics(configurations(states), view(states, states.qd),
                                 view(states, states.tau), view(states, qdd)))
      leave_out_nan(states, {qdd});
    return;
  }
  for (int k = 0; k < states.count; ++k) {
    const OneState s = state(states, k);
    const bool solved =
        static_cast<bool>(forward_dynamics(model_, dynamics_, s.q, s.qd, s.tau, s.F_ext, found_));
    for (EvalColumn* const column : {qdd, lambda})
      if (column != nullptr && !solved) leave_out(*column, k);
    if (!solved) continue;
    if (qdd != nullptr) std::copy(found_.begin(), found_.end(), qdd->of(k).data);
    if (lambda != nullptr)
      std::copy(dynamics_.loops->lambda.begin(), dynamics_.loops->lambda.end(), lambda->of(k).data);
  }
}

void BlockEvaluation::frame_keys(const StateBlock& states) {
  EvalColumn *const pose = find("T_frame"), *const body = find("J_body"),
                    *const aligned = find("J_world_aligned"), *const drift = find("Jdot_qd_body");
  const auto q = configurations(states);
  if (pose != nullptr) batch_.frame_pose(q, *frame_, view(states, pose));
  if (body != nullptr) batch_.jacobian(q, *frame_, Reference::body, view(states, body));
  if (aligned != nullptr)
    batch_.jacobian(q, *frame_, Reference::world_aligned, view(states, aligned));
  for (int k = 0; drift != nullptr && k < states.count; ++k) {
    const OneState s = state(states, k);
    const auto [w, v] = jacobian_dot_times_velocity(model_, velocity_, s.q, s.qd, *frame_);
    set(drift->of(k), {w.x, w.y, w.z, v.x, v.y, v.z});
  }
}

void BlockEvaluation::energies(const StateBlock& states) {
  EvalColumn *const kinetic = find("kinetic"), *const potential = find("potential"),
                    *const com = find("com"), *const mass = find("mass");
  if (!kinetic && !potential && !com && !mass) return;
  for (int k = 0; k < states.count; ++k) {
    const OneState s = state(states, k);
    const double energy_of_motion = kinetic_energy(model_, momentum_, s.q, s.qd);
    const CentreOfMass<double> centre = centre_of_mass(model_, momentum_.kinematics);
    if (kinetic) kinetic->of(k)[0] = energy_of_motion;
    if (potential) potential->of(k)[0] = potential_energy(model_, momentum_.kinematics);
    if (com) set(com->of(k), {centre.position.x, centre.position.y, centre.position.z});
    if (mass) mass->of(k)[0] = centre.mass;
  }
}

namespace {

/// n_v columns of the derivatives from number `block` n_v on; none where they are not all defined.
void store(EvalColumn* column, int state, const StoredMatrix<double>& all, int block, bool solved) {
  if (column == nullptr) return;
  if (!solved) return leave_out(*column, state);
  const MatrixView<double> out = column->matrix(state);
  const double* const from = all.data.data() + block * out.rows * out.cols;
  for (int r = 0; r < out.rows; ++r)
    for (int c = 0; c < out.cols; ++c) out(r, c) = from[c * out.rows + r];
}

}  // namespace

/// Of the verbs, along the tangent of q, along qd and tau.
void BlockEvaluation::torque_derivatives(const StateBlock& states) {
  EvalColumn *const by_q = find("dtau_dq"), *const by_qd = find("dtau_dqd");
  if (by_q == nullptr && by_qd == nullptr) return;
  if (in_lanes(states)) {
    if (!batch_.inverse_dynamics_derivatives(configurations(states), view(states, states.qd),
                                             view(states, states.qdd), view(states, by_q),
                                             view(states, by_qd)))
      leave_out_nan(states, {by_q, by_qd});
    return;
  }
  const auto place = [&](EvalColumn* column, int k) {
    return column ? column->matrix(k) : row_major(not_wanted_.data(), model_.n_v(), model_.n_v());
  };
  for (int k = 0; k < states.count; ++k) {
    const OneState s = state(states, k);
    if (tree_derivatives_.covers) {
      internal::state_inverse_dynamics_derivatives(model_, tree_derivatives_, s.q, s.qd, s.qdd,
                                                   s.F_ext, found_, place(by_q, k), place(by_qd, k),
                                                   place(nullptr, k));
      continue;
    }
    const bool driven =
        inverse_dynamics_derivatives(model_, derivatives_, {along_.data(), 2 * model_.n_v()}, s.q,
                                     s.qd, s.qdd, s.F_ext, found_, by_state_) &&
        all_defined(by_state_);
    store(by_q, k, by_state_.dtau, 0, driven);
    store(by_qd, k, by_state_.dtau, 1, driven);
  }
}

void BlockEvaluation::acceleration_derivatives(const StateBlock& states) {
  EvalColumn *const by_q = find("dqdd_dq"), *const by_qd = find("dqdd_dqd"),
                    *const by_tau = find("dqdd_dtau");
  if (!by_q && !by_qd && !by_tau) return;
  if (in_lanes(states)) {
    if (!batch_.forward_dynamics_derivatives(configurations(states), view(states, states.qd),
                                             view(states, states.tau), view(states, by_q),
                                             view(states, by_qd), view(states, by_tau)))
      leave_out_nan(states, {by_q, by_qd, by_tau});
    return;
  }
  const auto place = [&](EvalColumn* column, int k) {
    return column ? column->matrix(k) : row_major(not_wanted_.data(), model_.n_v(), model_.n_v());
  };
  for (int k = 0; k < states.count; ++k) {
    const OneState s = state(states, k);
    if (tree_derivatives_.covers) {
      if (!internal::state_forward_dynamics_derivatives(model_, tree_derivatives_, s.q, s.qd, s.tau,
                                                        s.F_ext, found_, place(by_q, k),
                                                        place(by_qd, k), place(by_tau, k)))
        for (EvalColumn* const column : {by_q, by_qd, by_tau})
          if (column) leave_out(*column, k);
      continue;
    }
    const bool solved = forward_dynamics_derivatives(model_, derivatives_, along_, s.q, s.qd, s.tau,
                                                     s.F_ext, found_, by_state_and_torque_) &&
                        all_defined(by_state_and_torque_);
    store(by_q, k, by_state_and_torque_.dqdd, 0, solved);
    store(by_qd, k, by_state_and_torque_.dqdd, 1, solved);
    store(by_tau, k, by_state_and_torque_.dqdd, 2, solved);
  }
}

}  // namespace torsor::command
