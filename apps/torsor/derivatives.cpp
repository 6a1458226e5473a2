#include <algorithm>
#include <memory>
#include <optional>

#include "command.hpp"
#include "states.hpp"
#include "text_output.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/internal/state_derivatives.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/parameter_name.hpp"

namespace torsor::command {
namespace {

enum class Problem : unsigned char { id, fd, hd };

struct DerivativeOptions {
  std::string of = "id", prescribe;
  std::optional<std::string> with_respect_to;
};

Problem problem_of(const std::string& name) {
  if (name == "id") return Problem::id;
  if (name == "fd") return Problem::fd;
  if (name == "hd") return Problem::hd;
  throw Error("--of " + in_quotes(name) +
              ": is none of id (inverse), fd (forward), hd (hybrid dynamics)");
}
const char* usual_parameters(Problem problem) {
  return problem == Problem::id ? "q,qd,qdd" : problem == Problem::fd ? "q,qd,tau" : "q,qd,qdd,tau";
}

std::vector<char> prescribed_joints(const DerivativeOptions& o, Problem problem,
                                    const Model<double>& model) {
  if (problem != Problem::hd && !o.prescribe.empty())
    throw Error("--prescribe: belongs to --of hd");
  if (problem == Problem::hd && o.prescribe.empty())
    throw Error("--of hd: needs --prescribe JOINTS (also: all, none)");
  return parse_prescribed(problem == Problem::hd ? o.prescribe : "none", model);
}

/// The group of n_v columns to which a parameter of the state belongs (q, qd, what drives), else -1.
int group_of(const Parameter& p, Problem problem) {
  const Change::Of drive = problem == Problem::id ? Change::Of::acceleration : Change::Of::torque;
  constexpr FixedArray<double, 13> unit{1};
  if (problem == Problem::hd || p.changes.size() != 1 || !std::ranges::equal(p.changes[0].by, unit))
    return -1;
  const Change::Of what = p.changes[0].what;
  return what == Change::Of::coordinate ? 0
         : what == Change::Of::velocity ? 1
         : what == drive                ? 2
                                        : -1;
}

/// The problem with respect to the state alone, by the kernels that need no pass for each parameter.
class StateColumns {
 public:
  explicit StateColumns(const Model<double>& model)
      : model_(model), ws_(model), by_(3 * n() * n()) {}

  bool covers() const { return ws_.covers; }
  DynamicsResult<double> operator()(Problem problem, const std::vector<Parameter>& parameters,
                                    const State& s, std::vector<double>& qdd,
                                    std::vector<double>& tau, ConstrainedParameterDerivatives& d) {
    DynamicsResult<double> result{};
    if (problem == Problem::id)
      internal::state_inverse_dynamics_derivatives(model_, ws_, s.q, s.qd, s.qdd, s.F_ext, tau,
                                                   group(0), group(1), group(2));
    else
      result = internal::state_forward_dynamics_derivatives(model_, ws_, s.q, s.qd, s.tau, s.F_ext,
                                                            qdd, group(0), group(1), group(2));
    double* to = (problem == Problem::id ? d.dtau : d.dqdd).data.data();
    for (std::size_t k = 0; k < parameters.size(); ++k, to += n()) {
      const MatrixView<double> from = group(group_of(parameters[k], problem));
      for (int r = 0; r < n(); ++r) to[r] = from(r, parameters[k].changes[0].index);
      d.defined[k] = 1;
    }
    return result;
  }

 private:
  int n() const { return model_.n_v(); }
  MatrixView<double> group(int k) { return row_major(by_.data() + k * n() * n(), n(), n()); }

  const Model<double>& model_;
  internal::StateDerivativesWorkspace ws_;
  Array<double> by_;
};

/// Everything that is made once for a robot.
struct Derivatives {
  const Model<double>& model;
  Problem problem;
  std::vector<Parameter> parameters;
  std::vector<char> prescribed;
  DynamicsDerivativesWorkspace ws;
  ConstrainedParameterDerivatives d;
  StateColumns columns_of_state;
  bool of_state_alone;

  Derivatives(const Model<double>& robot, const DerivativeOptions& o)
      : model(robot),
        problem(problem_of(o.of)),
        parameters(parse_parameters(robot, o.with_respect_to.value_or(usual_parameters(problem)))),
        prescribed(prescribed_joints(o, problem, robot)),
        ws(robot),
        d(robot, ws.set, static_cast<int>(parameters.size())),
        columns_of_state(robot),
        of_state_alone(columns_of_state.covers() &&
                       std::all_of(parameters.begin(), parameters.end(),
                                   [&](const Parameter& p) { return group_of(p, problem) >= 0; })) {
  }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const Parameter& p : parameters) list.push_back(p.name);
    return list;
  }
  Quantity columns(const char* name, const std::vector<double>& by_columns) const {
    Quantity all = matrix_of_velocities(name, model, names(), by_columns);
    all.remark = std::string(name == std::string("dtau") ? "N m or N" : "rad/s^2 or m/s^2") +
                 ", per unit of the parameter in SI and rad";
    return all;
  }

  /// Throws where there is no solution, or no derivative.
  std::vector<Quantity> operator()(const State& s) {
    std::vector<double> qdd = s.qdd, tau = s.tau;
    State led = s;
    led.prescribed = prescribed;
    require(
        model, led,
        of_state_alone ? columns_of_state(problem, parameters, s, qdd, tau, d)
        : problem == Problem::id
            ? inverse_dynamics_derivatives(model, ws, parameters, s.q, s.qd, s.qdd, s.F_ext, tau, d)
            : hybrid_dynamics_derivatives(model, ws, parameters, prescribed, s.q, s.qd, qdd, tau,
                                          s.F_ext, d));
    std::string undefined;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (!d.defined[k]) undefined += (undefined.empty() ? "" : ", ") + parameters[k].name;
    if (!undefined.empty())
      throw Failure("\"" + model.name() + "\": the rank of its loops changes with " + undefined +
                    ": no derivative here");
    if (ws.loops && problem != Problem::id)
      (void)note_lost_rank(model, ws.set, s.q,
                           "derivatives are those of one of infinitely many accelerations");
    std::vector<Quantity> all;
    if (problem != Problem::id) all.push_back(velocities("qdd", model, qdd, Rate::acceleration));
    if (problem != Problem::fd) all.push_back(velocities("tau", model, tau, Rate::torque));
    if (ws.loops) all.push_back(multipliers(model, ws.lambda));
    if (problem != Problem::id) all.push_back(columns("dqdd", d.dqdd.data));
    if (problem != Problem::fd) all.push_back(columns("dtau", d.dtau.data));
    if (ws.loops)
      all.push_back(matrix("dlambda", multipliers(model, ws.lambda).rows, names(), d.dlambda.data));
    return all;
  }

  Json json(const State& s) {
    Json out = {{"of", problem == Problem::id   ? "id"
                       : problem == Problem::fd ? "fd"
                                                : "hd"},
                {"parameters", names()}};
    for (const Quantity& x : (*this)(s)) out[x.name] = json_of(x);
    return out;
  }
  /// Where a number is a choice, it says so.
  std::string text(const State& s, bool degrees) {
    std::string out = text_of((*this)(s), degrees), at_rest;
    for (int k = 0; k < model.n_v(); ++k) {
      const DofConstants<double>& dof = model.dof(k);
      if (is_dry(dof) && View<const double>(s.qd)[k] == 0)
        at_rest += (at_rest.empty() ? "" : ", ") + model.dof_name(k);
    }
    for (int j = 0; j < model.motors().size(); ++j)
      if (static_friction_limit(model.motors()[j].constants) > 0 &&
          model.motors()[j].along(s.qd.data()) == 0)
        at_rest += (at_rest.empty() ? "motor " : ", motor ") +
                   View<const Motor>(model.description().motors)[j].name;
    if (!at_rest.empty())
      out += "\n" +
             wrapped("Coulomb friction of " + at_rest +
                         " jumps at rest; its slope with respect to qd is taken as 0 there.",
                     0) +
             "\n";
    return out;
  }
};

Action add_derivatives(Arguments& app) {
  const auto o = std::make_shared<DerivativeOptions>();
  app.add_option("--of", o->of, "id (inverse, the default), fd (forward) or hd (hybrid dynamics)")
      .type_name("PROBLEM");
  app.add_option("-w,--with-respect-to", o->with_respect_to,
                 "parameters, such as q,qd,forearm.mass,dh.3.a; otherwise q, qd and what is given")
      .type_name("NAMES");
  app.add_option("--prescribe", o->prescribe,
                 "of hd: joints that follow --qdd; the others obey --tau. Also: all, none")
      .type_name("JOINTS");
  StateVerb verb;
  verb.qd = verb.qdd = verb.tau = verb.wrenches = true;
  verb.reporter = [o](const Model<double>& model, const Given& given) -> Reporter {
    const auto d = std::make_shared<Derivatives>(model, *o);
    return {[d](const State& s) { return (*d)(s); }, [d](const State& s) { return d->json(s); },
            [d, degrees = given.degrees](const State& s) { return d->text(s, degrees); }};
  };
  return add_state_verb(app, verb);
}

}  // namespace

extern const Verb derivatives;
const Verb derivatives{
    "derivatives", "derivatives of the dynamics with respect to any parameter",
    "  torsor derivatives planar2r --q 0.5,-1 --qd 1,0\n"
    "  torsor derivatives puma560 --of fd -w q,qd,tau --json\n"
    "  torsor derivatives puma560 --of id -w dh.3.a,dh.3.alpha,gravity.z,friction.waist\n"
    "  torsor derivatives panda --of hd --prescribe joint_1 -w q.joint_4,placement.joint_5\n"
    "  torsor derivatives five_bar --of fd -w q,tau --close\n"
    "\n"
    "Parameters (without the last word: all of them)\n"
    "  q.JOINT  qd.JOINT  qdd.JOINT  tau.JOINT  (q along the tangent)\n"
    "  LINK.m mx my mz xx xy yy xz yz zz            about the link's frame\n"
    "  LINK.mass com_x com_y com_z principal_1 principal_2 principal_3 density\n"
    "  placement.JOINT.rx ry rz x y z    axis.JOINT.x y z    pitch.JOINT\n"
    "  dh.ROW.a alpha d theta            mdh.ROW.a alpha d theta\n"
    "  gravity.x y z   wrench.FRAME.mx my mz fx fy fz\n"
    "  tool.FRAME.rx ... z   point.FRAME.x y z\n"
    "  JOINT.viscous damping coulomb stiction stribeck width offset\n"
    "        viscous_asymmetry coulomb_asymmetry load\n"
    "  rotor.JOINT  gear.JOINT  motor_viscous.JOINT  disturbance.JOINT\n"
    "  spring.JOINT.stiffness rest\n"
    "  spring_damper.NAME.stiffness rest_length damping a_x ... b_z preload\n"
    "  motor.NAME.rotor viscous ... coulomb_asymmetry  (turns several joints)\n"
    "docs/derivatives.md says what each holds fixed. Per rad and m, with --deg too.\n",
    add_derivatives};

}  // namespace torsor::command
