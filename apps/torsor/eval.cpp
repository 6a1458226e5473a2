// The door for other programs: everything about many states in one call.
#include <memory>

#include "command.hpp"
#include "constrained_dynamics.hpp"
#include "eval_request.hpp"
#include "joint_dynamics.hpp"
#include "print.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/dynamics/energy.hpp"
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
  Evaluation(const Model<double>& model, const Selection& wanted, const std::string& frame)
      : model_(model),
        wanted_(wanted),
        frame_(frame.empty() ? nullptr : &model.frame(frame)),
        n_(static_cast<std::size_t>(model.n_v())),
        constrained_(has_constraints(model) ? std::make_unique<ConstrainedDynamics>(model)
                                            : nullptr),
        torque_(model),
        acceleration_(model),
        rnea_(model),
        crba_(model),
        coriolis_(model),
        parameters_(model),
        momentum_(model),
        velocity_(model),
        kinematics_(model),
        regressor_(model) {
    for (int k = 0; k < model.n_v(); ++k) {
      along_q_.push_back(Parameter::coordinate(model, k));
      along_qd_.push_back(Parameter::velocity(model, k));
      along_tau_.push_back(Parameter::torque(model, k));
    }
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
    const std::vector<double> zero(n_);
    std::vector<double> tau(n_);
    if (wanted_("tau")) {
      torque_(s.q, s.qd, s.qdd, input.F_ext, tau);
      out["tau"] = list_of(tau);
    }
    if (wanted_("gravity")) {
      rigid_inverse_dynamics(model_, rnea_, s.q, zero, zero, {}, tau);
      out["gravity"] = list_of(tau);
    }
    if (wanted_("bias")) {
      rigid_inverse_dynamics(model_, rnea_, s.q, s.qd, zero, {}, tau);
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
    std::vector<double> qdd(n_), lambda;
    if (constrained_) {
      if (wanted_("A"))
        out["A"] = rows_of(constrained_->jacobian(s),
                           static_cast<std::size_t>(constrained_->set().n_rows()));
      if (!wanted_("qdd_fd") && !wanted_("lambda")) return;
      const bool solved = static_cast<bool>(constrained_->solve(s, input.F_ext, qdd, lambda));
      if (wanted_("qdd_fd")) out["qdd_fd"] = solved ? list_of(qdd) : Json(nullptr);
      if (wanted_("lambda")) out["lambda"] = solved ? list_of(lambda) : Json(nullptr);
      return;
    }
    if (!wanted_("qdd_fd")) return;
    const bool regular = acceleration_(s.q, s.qd, s.tau, input.F_ext, qdd);
    out["qdd_fd"] = regular ? list_of(qdd) : Json(nullptr);
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
  /// d tau and d qdd of the robot with everything that it has, along the tangent of q, qd and tau.
  void derivatives(const EvalState& input, Json& out) {
    const State& s = input.state;
    const auto answer = [&](const char* key, const std::vector<double>& x, bool solved) {
      if (wanted_(key)) out[key] = solved ? rows_of(x, n_) : Json(nullptr);  // null: M is singular
    };
    std::vector<double> by_q, by_qd, by_tau, found(n_);
    if (wanted_("dtau_dq") || wanted_("dtau_dqd")) {
      inverse_dynamics_derivatives<double>(model_, parameters_, along_q_, s.q, s.qd, s.qdd,
                                           input.F_ext, found, square(by_q));
      inverse_dynamics_derivatives<double>(model_, parameters_, along_qd_, s.q, s.qd, s.qdd,
                                           input.F_ext, found, square(by_qd));
      answer("dtau_dq", by_q, true);
      answer("dtau_dqd", by_qd, true);
    }
    if (!(wanted_("dqdd_dq") || wanted_("dqdd_dqd") || wanted_("dqdd_dtau"))) return;
    if (constrained_) {
      ConstrainedDynamics::Derivatives d;
      const bool solved = static_cast<bool>(constrained_->derivatives(s, input.F_ext, d));
      answer("dqdd_dq", d.by_q, solved);
      answer("dqdd_dqd", d.by_qd, solved);
      answer("dqdd_dtau", d.by_tau, solved);
      return;
    }
    const auto forward = [&](const char* key, const std::vector<Parameter>& along,
                             std::vector<double>& x) {
      if (!wanted_(key)) return;
      const bool regular = static_cast<bool>(forward_dynamics_derivatives<double>(
          model_, parameters_, along, s.q, s.qd, s.tau, input.F_ext, found, square(x)));
      answer(key, x, regular);
    };
    forward("dqdd_dq", along_q_, by_q);
    forward("dqdd_dqd", along_qd_, by_qd);
    forward("dqdd_dtau", along_tau_, by_tau);
  }
  Json regressor(const State& s) {
    const int columns = parameters_per_body * (model_.n_bodies() - 1);
    std::vector<double> Y(n_ * static_cast<std::size_t>(columns));
    torque_regressor(model_, regressor_, s.q, s.qd, s.qdd,
                     column_major(Y.data(), model_.n_v(), columns));
    return rows_of(Y, n_);
  }

  const Model<double>& model_;
  const Selection& wanted_;
  const Frame* frame_;
  std::size_t n_;
  std::unique_ptr<ConstrainedDynamics> constrained_;  // of robots with loops or couplings
  JointTorque<double> torque_;
  JointAcceleration<double> acceleration_;
  RneaWorkspace<double> rnea_;
  CrbaWorkspace<double> crba_;
  CoriolisWorkspace<double> coriolis_;
  ParameterWorkspace<double> parameters_;
  std::vector<Parameter> along_q_, along_qd_, along_tau_;
  MomentumWorkspace<double> momentum_;
  VelocityWorkspace<double> velocity_;
  KinematicsWorkspace<double> kinematics_;
  RegressorWorkspace<double> regressor_;
};

/// Rows of constraints are asked of robots that have some.
void check_constraints(const Model<double>& model, const Selection& wanted) {
  if (has_constraints(model)) return;
  for (const char* key : {"A", "lambda"})
    if (wanted.explicitly(key))
      throw Error("--only " + std::string(key) + ": \"" + model.name() +
                  "\" has no loops or couplings");
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
  Evaluation evaluation(model, wanted, request.frame);
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
    "        With loops or couplings qdd_fd obeys them, and A and lambda come too; --tree opens.\n"
    "Twists are angular first, matrices lists of rows; no frame: no frame keys.\n",
    add};

}  // namespace torsor::command
