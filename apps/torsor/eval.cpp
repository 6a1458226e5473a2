// The door for other programs: everything about many states in one call.
#include <memory>

#include "command.hpp"
#include "eval_request.hpp"
#include "print.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor::command {
namespace {

const std::vector<std::string> keys = {
    "tau",     "gravity",         "bias",         "M",        "C",         "qdd_fd",    "T_frame",
    "J_body",  "J_world_aligned", "Jdot_qd_body", "kinetic",  "potential", "com",       "mass",
    "dtau_dq", "dtau_dqd",        "dqdd_dq",      "dqdd_dqd", "dqdd_dtau", "regressor", "A",
    "lambda"};

constexpr std::size_t printed_at_once = std::size_t{1} << 22;  // bytes

struct Options {
  DynamicsRobot robot;
  std::string states, only;
};

/// The keys that are wanted.
class Selection {
 public:
  explicit Selection(const std::string& only) : all_(only.empty()) {
    for (std::size_t begin = 0; !all_ && begin <= only.size();) {
      const std::size_t end = std::min(only.find(',', begin), only.size());
      const std::string key = only.substr(begin, end - begin);
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw Error("--only: unknown key " + in_quotes(key) + did_you_mean(key, keys));
      names_.push_back(key);
      begin = end + 1;
    }
  }
  bool explicitly(const std::string& key) const {
    return std::find(names_.begin(), names_.end(), key) != names_.end();
  }
  bool operator()(const std::string& key) const { return all_ || explicitly(key); }

 private:
  bool all_;
  std::vector<std::string> names_;
};

/// Workspaces and the answers for one state after the other.
class Evaluation {
 public:
  Evaluation(const Model<double>& model, const Selection& wanted, const EvalRequest& request)
      : model_(model),
        wanted_(wanted),
        frame_(request.frame.empty() ? nullptr : &model.frame(request.frame)),
        F_ext_(request.F_ext),
        n_(static_cast<std::size_t>(model.n_v())),
        dynamics_(model),
        crba_(model),
        coriolis_(model),
        derivatives_(model),
        by_state_(model, derivatives_.set, 2 * model.n_v()),
        by_state_and_torque_(model, derivatives_.set, 3 * model.n_v()),
        momentum_(model),
        velocity_(model),
        kinematics_(model),
        regressor_(model) {
    for (int k = 0; k < model.n_v(); ++k) along_.push_back(Parameter::coordinate(model, k));
    for (int k = 0; k < model.n_v(); ++k) along_.push_back(Parameter::velocity(model, k));
    for (int k = 0; k < model.n_v(); ++k) along_.push_back(Parameter::torque(model, k));
  }

  /// Throws Error where the state, or the acceleration that is asked for, opens a loop.
  void check(const EvalState& input, std::size_t number) {
    if (!dynamics_.loops) return;
    const State& s = input.state;
    const bool accelerated = wanted_("tau") || wanted_("dtau_dq") || wanted_("dtau_dqd");
    const LoopStatus status = closure(model_, dynamics_.loops->set(), dynamics_.loops->assembly,
                                      s.q, s.qd, accelerated ? In<double>(s.qdd) : In<double>{});
    if (!status) throw Error("states[" + std::to_string(number) + "]: " + message(model_, status));
  }

  Json operator()(const EvalState& input) {
    Json out = Json::object();
    torques(input, out);
    matrices(input.state, out);
    accelerations(input, out);
    if (frame_) frame_keys(input.state, out);
    energies(input.state, out);
    derivatives(input, out);
    if (wanted_("regressor")) out["regressor"] = regressor(input.state);
    return out;
  }

 private:
  /// n_v columns, or whatever fits the rows.
  Json rows_of(const std::vector<double>& by_columns, std::size_t rows) const {
    Json list = Json::array();
    for (std::size_t r = 0; r < rows; ++r) {
      Json row = Json::array();
      for (std::size_t k = r; k < by_columns.size(); k += rows) row.push_back(by_columns[k]);
      list.push_back(std::move(row));
    }
    return list;
  }
  static Json list_of(const std::vector<double>& x) {
    Json list = Json::array();
    for (const double value : x) list.push_back(value);
    return list;
  }
  MatrixView<double> square(std::vector<double>& x) const {
    x.assign(n_ * n_, 0.0);
    return column_major(x.data(), model_.n_v(), model_.n_v());
  }

  void torques(const EvalState& input, Json& out) {
    const State& s = input.state;
    std::vector<double> tau(n_);
    if (wanted_("tau")) {
      const bool driven = static_cast<bool>(
          inverse_dynamics(model_, dynamics_, s.q, s.qd, s.qdd, wrenches(input), tau));
      out["tau"] = driven ? list_of(tau) : Json(nullptr);
    }
    if (wanted_("gravity")) {
      gravity_torque(model_, dynamics_.rnea, s.q, tau);
      out["gravity"] = list_of(tau);
    }
    if (wanted_("bias")) {
      bias_torque(model_, dynamics_.rnea, s.q, s.qd, tau);
      out["bias"] = list_of(tau);
    }
  }
  void matrices(const State& s, Json& out) {
    std::vector<double> X;
    if (wanted_("M")) {
      mass_matrix(model_, crba_, s.q, square(X));
      out["M"] = rows_of(X, n_);
    }
    if (wanted_("C")) {
      coriolis_matrix(model_, coriolis_, s.q, s.qd, square(X));
      out["C"] = rows_of(X, n_);
    }
  }
  /// null where M is singular or the constraints contradict each other.
  void accelerations(const EvalState& input, Json& out) {
    const State& s = input.state;
    std::vector<double> qdd(n_);
    if (dynamics_.loops && wanted_("A")) {
      const int rows = dynamics_.loops->set().n_rows();
      std::vector<double> A(static_cast<std::size_t>(rows) * n_);
      constraint_jacobian(model_, dynamics_.loops->set(), dynamics_.loops->assembly.rows, s.q,
                          column_major(A.data(), rows, model_.n_v()));
      out["A"] = rows_of(A, static_cast<std::size_t>(rows));
    }
    const bool lambda = dynamics_.loops && wanted_("lambda");
    if (!wanted_("qdd_fd") && !lambda) return;
    const bool solved = static_cast<bool>(
        forward_dynamics(model_, dynamics_, s.q, s.qd, s.tau, wrenches(input), qdd));
    if (wanted_("qdd_fd")) out["qdd_fd"] = solved ? list_of(qdd) : Json(nullptr);
    if (lambda) out["lambda"] = solved ? list_of(dynamics_.loops->lambda) : Json(nullptr);
  }
  void frame_keys(const State& s, Json& out) {
    std::vector<double> J(6 * n_);
    const auto view = column_major(J.data(), 6, model_.n_v());
    forward_kinematics(model_, kinematics_, s.q);
    if (wanted_("T_frame")) out["T_frame"] = json_pose(frame_pose(kinematics_, *frame_));
    if (wanted_("J_body")) {
      jacobian(model_, kinematics_, s.q, *frame_, Reference::body, view);
      out["J_body"] = rows_of(J, 6);
    }
    if (wanted_("J_world_aligned")) {
      jacobian(model_, kinematics_, s.q, *frame_, Reference::world_aligned, view);
      out["J_world_aligned"] = rows_of(J, 6);
    }
    if (wanted_("Jdot_qd_body")) {
      const Twist<double> x = jacobian_dot_times_velocity(model_, velocity_, s.q, s.qd, *frame_);
      out["Jdot_qd_body"] = list_of({x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z});
    }
  }
  void energies(const State& s, Json& out) {
    const double kinetic = kinetic_energy(model_, momentum_, s.q, s.qd);
    const CentreOfMass<double> com = centre_of_mass(model_, momentum_.kinematics);
    if (wanted_("kinetic")) out["kinetic"] = kinetic;
    if (wanted_("potential")) out["potential"] = potential_energy(model_, momentum_.kinematics);
    if (wanted_("com")) out["com"] = json_vector(com.position);
    if (wanted_("mass")) out["mass"] = com.mass;
  }
  /// Of the verbs, along the tangent of q, along qd and tau; null where there is none.
  void derivatives(const EvalState& input, Json& out) {
    const State& s = input.state;
    std::vector<double> found(n_);
    /// n_v columns from number `block` n_v on.
    const auto answer = [&](const char* key, const StoredMatrix<double>& all, std::size_t block,
                            bool solved) {
      if (!wanted_(key)) return;
      const auto from = all.data.begin() + static_cast<std::ptrdiff_t>(block * n_ * n_);
      out[key] =
          solved ? rows_of({from, from + static_cast<std::ptrdiff_t>(n_ * n_)}, n_) : Json(nullptr);
    };
    const auto all_defined = [](const ConstrainedParameterDerivatives& d) {
      return std::all_of(d.defined.begin(), d.defined.end(), [](char x) { return x != 0; });
    };
    if (wanted_("dtau_dq") || wanted_("dtau_dqd")) {
      const bool driven =
          inverse_dynamics_derivatives(model_, derivatives_, {along_.data(), 2 * model_.n_v()}, s.q,
                                       s.qd, s.qdd, wrenches(input), found, by_state_) &&
          all_defined(by_state_);
      answer("dtau_dq", by_state_.dtau, 0, driven);
      answer("dtau_dqd", by_state_.dtau, 1, driven);
    }
    if (!(wanted_("dqdd_dq") || wanted_("dqdd_dqd") || wanted_("dqdd_dtau"))) return;
    const bool solved =
        forward_dynamics_derivatives(model_, derivatives_, along_, s.q, s.qd, s.tau,
                                     wrenches(input), found, by_state_and_torque_) &&
        all_defined(by_state_and_torque_);
    answer("dqdd_dq", by_state_and_torque_.dqdd, 0, solved);
    answer("dqdd_dqd", by_state_and_torque_.dqdd, 1, solved);
    answer("dqdd_dtau", by_state_and_torque_.dqdd, 2, solved);
  }
  Json regressor(const State& s) {
    const int columns = parameters_per_body * (model_.n_bodies() - 1);
    std::vector<double> Y(n_ * static_cast<std::size_t>(columns));
    torque_regressor(model_, regressor_, s.q, s.qd, s.qdd,
                     column_major(Y.data(), model_.n_v(), columns));
    return rows_of(Y, n_);
  }

  const std::vector<Wrench<double>>& wrenches(const EvalState& input) const {
    return input.F_ext.empty() ? F_ext_ : input.F_ext;
  }

  const Model<double>& model_;
  const Selection& wanted_;
  const Frame* frame_;
  const std::vector<Wrench<double>>& F_ext_;  // of states without their own
  std::size_t n_;
  DynamicsWorkspace<double> dynamics_;
  CrbaWorkspace<double> crba_;
  CoriolisWorkspace<double> coriolis_;
  DynamicsDerivativesWorkspace derivatives_;
  ConstrainedParameterDerivatives by_state_, by_state_and_torque_;
  std::vector<Parameter> along_;  // q, qd, tau
  MomentumWorkspace<double> momentum_;
  VelocityWorkspace<double> velocity_;
  KinematicsWorkspace<double> kinematics_;
  RegressorWorkspace<double> regressor_;
};

/// Rows of constraints are asked of robots that have some.
void check_constraints(const Model<double>& model, const Selection& wanted) {
  if (has_loops(model)) return;
  for (const char* key : {"A", "lambda"})
    if (wanted.explicitly(key))
      throw Error("--only " + std::string(key) + ": " + in_quotes(model.name()) +
                  " has no loops or couplings");
}

/// A text of its own, moved to where the items of a list in an object stand.
std::string as_item(const std::string& text) {
  std::string item;
  for (const char c : text) {
    item += c;
    if (c == '\n') item += "    ";
  }
  item.resize(item.find_last_not_of(" \n") + 1);
  return item;
}

int answer(const Options& options, std::string& out) {
  const Selection wanted(options.only);
  const Model<double> model = load_model(options.robot);
  const EvalRequest request = read_eval_request(options.states, model);
  check_constraints(model, wanted);
  Json joints = Json::array();
  for (int i = 1; i < model.n_bodies(); ++i) joints.push_back(model.joint_name(i));
  Evaluation evaluation(model, wanted, request);
  for (std::size_t k = 0; k < request.states.size(); ++k) evaluation.check(request.states[k], k);
  out += json_text({{"robot", model.name()},
                    {"joints", joints},
                    {"n_q", model.n_q()},
                    {"n_v", model.n_v()},
                    {"parameters", parameter_names(model)},
                    {"results", Json::array()}});
  if (request.states.empty()) return good;
  // Nothing can fail from here, and all results at once could fill the memory: they are printed in
  // pieces.
  out.resize(out.rfind(']'));
  const char* before = "\n    ";
  for (const EvalState& state : request.states) {
    out += before + as_item(json_text(evaluation(state)));
    before = ",\n    ";
    if (out.size() > printed_at_once && !print(out)) return good;
  }
  out += "\n  ]\n}\n";
  return good;
}

Action add(Arguments& app) {
  const auto options = std::make_shared<Options>();
  add_dynamics_robot(app, options->robot);
  app.add_option("STATES", options->states, "a JSON file; - reads standard input")
      .required()
      .type_name("");
  app.add_option("--only", options->only, "these keys alone, such as tau,M").type_name("KEYS");
  return [options](std::string& out) { return answer(*options, out); };
}

}  // namespace

extern const Verb eval;
const Verb eval{
    "eval", "everything about many states, JSON in and JSON out",
    "  echo '{\"frame\": \"tip\", \"states\": [{\"q\": [0.5, -1], \"qd\": [1, 0]}]}' |\n"
    "    torsor eval planar2r - --only tau,T_frame\n"
    "\n"
    "Input   {\"frame\": name, \"states\": [{\"q\", \"qd\", \"qdd\", \"tau\", \"f_ext\": {link: "
    "[m, f]}}]}; only q is needed.\n"
    "Output  per state tau (of qdd), gravity, bias, M, C, qdd_fd (of tau), T_frame, J_body,\n"
    "        J_world_aligned, Jdot_qd_body, kinetic, potential, com, mass, regressor, and the\n"
    "        derivatives dtau_dq, dtau_dqd, dqdd_dq, dqdd_dqd, dqdd_dtau along the tangent of q.\n"
    "        With loops or couplings tau, qdd_fd and their derivatives obey them, the rest is of\n"
    "        the tree's coordinates, A and lambda come too; q, qd and qdd have to close them.\n"
    "        --tree opens them.\n"
    "Twists are angular first, matrices lists of rows; no frame: no frame keys.\n",
    add};

}  // namespace torsor::command
