#include "torsor/kinematics/jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "command.hpp"
#include "frame_option.hpp"
#include "number_list.hpp"
#include "pose_text.hpp"
#include "states.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/position_singularity.hpp"
#include "torsor/math/dual.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

struct JacobianArguments {
  std::string frame, reference, euler, point;
  bool dot = false, textbook = false;
};

EulerSequence parse_sequence(const std::string& name) {
  static const std::vector<std::string> known{"xyx", "xzx", "yxy", "yzy", "zxz", "zyz",
                                              "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
  for (std::size_t k = 0; k < known.size(); ++k)
    if (name == known[k]) return static_cast<EulerSequence>(k);
  throw Error("--euler: unknown sequence " + in_quotes(name) +
              "; write three axes such as zyx, zyz or xyz, no axis twice in a row");
}

class JacobianReport {
 public:
  JacobianReport(const Model<double>& model, const JacobianArguments& o, const Given& given)
      : model_(model),
        o_(o),
        degrees_(given.degrees),
        frame_(frame_of_option(model, o.frame)),
        ws_(model) {
    analytic_ = o.reference == "analytic" || (o.reference.empty() && !o.euler.empty());
    if (!analytic_) {
      if (!o.euler.empty())
        throw Error("--euler goes with --reference analytic, not with " + in_quotes(o.reference));
      reference_ =
          parse_reference(o.reference.empty() ? "world-aligned" : o.reference, {"analytic"});
    } else if (!o.euler.empty()) {
      sequence_ = parse_sequence(o.euler);
    }
    if (!o.point.empty()) {
      if (!analytic_ && reference_ == Reference::world)
        throw Error("--point makes no difference with --reference world");
      const std::vector<double> p = parse_numbers("--point", o.point, 3, "x, y, z in the frame");
      frame_.placement.p = frame_.placement * Vec3<double>{p[0], p[1], p[2]};
    }
    if (o.dot && !given.qd) throw Error("--dot needs velocities: --qd, or columns qd.<joint>");
    if (frame_.body == 0)
      throw Error("no joint moves frame " + in_quotes(frame_.name) + ": it is fixed to the world");
  }

  std::vector<Quantity> quantities(const State& s) {
    std::vector<Quantity> out = matrices(s);
    const Manipulability m = of_this_J();
    out.push_back(sigma(m));
    out.push_back(scalar("manipulability", m.measure));
    out.push_back(scalar("inverse_condition", m.inverse_condition));
    return out;
  }

  Json json(const State& s) {
    Json out{{"frame", frame_.name},
             {"reference", analytic_ ? "analytic" : name_of(reference_)},
             {"rows", row_names()},
             {"order", o_.textbook ? "linear first" : "angular first"}};
    for (const Quantity& x : quantities(s)) out[x.name] = json_of(x);
    const Manipulability m = of_this_J();
    const SingularityReport report = singularities(model_, ws_, s.q, frame_);
    out["rank"] = m.rank;
    out["generic_rank"] = report.generic_rank;
    out["singular"] = report.singular();
    if (report.six_joints) out["determinant"] = m.determinant;
    if (carried() < 6) {
      const PositionSingularity position = position_singularity(model_, ws_, s.q, frame_);
      out["position"] = {{"rows", rows_of(position)},
                         {"rank", position.rank},
                         {"generic_rank", position.generic_rank},
                         {"singular", position.singular()}};
      if (position.square) out["position"]["determinant"] = position.determinant;
    }
    if (report.decoupled) {
      out["determinant_arm"] = report.arm;
      out["determinant_wrist"] = report.wrist;
    }
    return out;
  }

  std::string text(const State& s) {
    std::string out = "\n" + wrapped(title(), 0) + "\n" + text_of(tidied(matrices(s), s));
    const Manipulability m = of_this_J();
    const SingularityReport report = singularities(model_, ws_, s.q, frame_);
    out += heading("how well the frame moves",
                   "of this J: rows of rad and m together, unit of length 1 m") +
           "  singular values ";
    for (const double x : sigma(m).values) out += " " + tidy_number(x, m.sigma[0]);
    out += "\n  manipulability   " + tidy_number(m.measure, std::pow(m.sigma[0], carried())) +
           "  (product of the singular values)\n  condition        " +
           (report.singular() ? "infinite" : number(1 / m.inverse_condition)) + "\n";
    if (report.six_joints) out += "  determinant      " + number(m.determinant) + "\n";
    // Of angle rates the determinant has another factor; where it vanishes they do not exist.
    out += heading("where it is singular",
                   analytic_ ? "of the geometric Jacobian, " + order() : order());
    const std::string lines =
        describe(model_, report, {.degrees = degrees_, .angular_first = !o_.textbook});
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = lines.find('\n', begin);
      out += "  " + wrapped(lines.substr(begin, end - begin), 4) + "\n";
      begin = end + 1;
    }
    if (carried() < 6) out += position_text(position_singularity(model_, ws_, s.q, frame_));
    return out;
  }

 private:
  static std::vector<std::string> rows_of(const PositionSingularity& position) {
    std::vector<std::string> rows;
    for (const int axis : position.axes) rows.push_back(std::string("v") + "xyz"[axis]);
    return rows;
  }
  /// Fewer than six joints: what they do for the position alone.
  static std::string position_text(const PositionSingularity& position) {
    if (position.axes.empty()) return "";
    std::string line = "rows " + listed(rows_of(position)) +
                       " alone: " + (position.singular() ? "singular" : "regular") + ", rank " +
                       std::to_string(position.rank) + " of " +
                       std::to_string(position.generic_rank);
    if (position.square) line += ", determinant " + number(position.determinant);
    return "  " + wrapped(line, 4) + "\n";
  }
  Manipulability of_this_J() {
    return manipulability(model_, ws_, column_major<const double>(J_.data(), 6, model_.n_v()),
                          frame_);
  }
  std::string order() const { return o_.textbook ? "linear rows first" : "angular rows first"; }
  static const char* name_of(Reference reference) {
    switch (reference) {
      case Reference::body:
        return "body";
      case Reference::world:
        return "world";
      default:
        return "world-aligned";
    }
  }
  const std::vector<std::string>& row_names() const {
    static const std::vector<std::string> rates{"phi", "theta", "psi", "x", "y", "z"},
        linear_first{"vx", "vy", "vz", "wx", "wy", "wz"},
        rates_last{"x", "y", "z", "phi", "theta", "psi"};
    if (analytic_) return o_.textbook ? rates_last : rates;
    return o_.textbook ? linear_first : twist_rows();
  }
  std::string title() const {
    std::string out = "Jacobian of frame " + in_quotes(frame_.name);
    if (!o_.point.empty()) out += " at the point " + o_.point;
    const std::string sequence = o_.euler.empty() ? "zyx" : o_.euler;
    if (analytic_)
      out += ": rates of the " + sequence + " Euler angles phi, theta, psi of the frame, and ";
    else
      out += std::string(": angular and linear velocity ") + explained(reference_);
    if (analytic_) out += "velocity of its origin in the world's axes";
    return out + (o_.textbook ? "; linear rows first" : "");
  }
  int carried() const {
    int n = 0;
    for (int i = frame_.body; i > 0; i = model_.body(i).parent) n += model_.body(i).v.count;
    return n;
  }
  Quantity sigma(const Manipulability& m) const {
    Quantity out{"sigma", {}, {}, {}};
    for (int k = 0; k < std::min(carried(), 6); ++k) {
      out.rows.push_back(std::to_string(k + 1));
      out.values.push_back(m.sigma[k]);
    }
    return out;
  }

  /// For people: angles in degrees where they asked, rounding beside the size of J qd as zero.
  std::vector<Quantity> tidied(std::vector<Quantity> shown, const State& s) const {
    double size = 0, speed = 0;
    for (const double x : shown.front().values) size = std::max(size, std::abs(x));
    for (const double v : s.qd) speed = std::max(speed, std::abs(v));
    for (Quantity& x : shown)
      for (double& value : x.values) {
        if (x.name == "angles" && degrees_) value *= 180 / std::numbers::pi;
        if (x.name == "Jdot" && std::abs(value) < 1e-14 * size * speed) value = 0;
        if (x.name == "Jdot_qd" && std::abs(value) < 1e-14 * size * speed * speed) value = 0;
      }
    return shown;
  }
  Quantity six_rows(const char* name, std::vector<double>& J) const {
    if (o_.textbook) textbook_order(column_major(J.data(), 6, model_.n_v()));
    Quantity out = matrix(name, row_names(), dof_names(model_), J);
    out.column_labels = velocity_labels(model_);
    return out;
  }
  std::vector<Quantity> matrices(const State& s) {
    const int n = model_.n_v();
    Array<double> J(6 * n), Jdot(6 * n);
    std::vector<Quantity> out;
    if (analytic_) {
      analytic(s, J, Jdot, out);
    } else {
      torsor::jacobian(model_, ws_.kinematics, s.q, frame_, reference_,
                       column_major(J.data(), 6, n));
      if (o_.dot)
        jacobian_dot(model_, ws_.velocity, s.q, s.qd, frame_, reference_,
                     column_major(Jdot.data(), 6, n));
    }
    out.insert(out.begin(), six_rows("J", J));
    J_ = J;
    if (!o_.dot) return out;
    Quantity times{"Jdot_qd", row_names(), {}, std::vector<double>(6)};
    out.insert(out.begin() + 1, six_rows("Jdot", Jdot));
    for (std::size_t k = 0; k < s.qd.size(); ++k)
      for (std::size_t r = 0; r < 6; ++r) times.values[r] += Jdot.data()[6 * k + r] * s.qd[k];
    out.insert(out.begin() + 2, times);
    return out;
  }
  /// Of the angles, with its derivative along qd by dual numbers; adds the angles.
  void analytic(const State& s, std::vector<double>& J, std::vector<double>& Jdot,
                std::vector<Quantity>& out) {
    using Along = Dual<double, 1>;
    std::vector<double> rates(s.q.size());
    configuration_rates(model_, s.q, s.qd, rates);
    std::vector<Along> q(s.q.begin(), s.q.end()), entries(J.size());
    for (std::size_t k = 0; k < q.size(); ++k) q[k].d[0] = rates[k];
    KinematicsWorkspace<Along> ws(model_);
    const auto at = analytic_jacobian<double, Along>(model_, ws, q, frame_, sequence_,
                                                     column_major(entries.data(), 6, model_.n_v()));
    if (at.singular)
      throw Failure("the " + (o_.euler.empty() ? "zyx" : o_.euler) + " Euler angles of frame " +
                    in_quotes(frame_.name) +
                    " are singular here: their rates do not exist; another --euler sequence has "
                    "them");
    for (std::size_t k = 0; k < J.size(); ++k) {
      J[k] = entries[k].value;
      Jdot[k] = entries[k].d[0];
    }
    out.push_back({"angles",
                   {"phi", "theta", "psi"},
                   {},
                   {at.angles.phi.value, at.angles.theta.value, at.angles.psi.value}});
  }

  const Model<double>& model_;
  JacobianArguments o_;
  bool degrees_, analytic_ = false;
  Frame frame_;
  Reference reference_ = Reference::world_aligned;
  EulerSequence sequence_ = EulerSequence::zyx;
  SingularityWorkspace ws_;
  Array<double> J_;  ///< as shown last, by columns
};

Action add_jacobian(Arguments& app) {
  const auto o = std::make_shared<JacobianArguments>();
  app.add_option("--frame", o->frame, "the link, frame or joint whose motion is asked for")
      .type_name("NAME");
  app.add_option("--reference", o->reference,
                 "body, world, world-aligned (the default), or analytic: Euler angle rates")
      .type_name("NAME");
  app.add_option("--euler", o->euler, "sequence of the analytic one, zyx by default")
      .type_name("NAME");
  app.add_option("--point", o->point, "of this point x,y,z in the frame, not of its origin (m)")
      .type_name("LIST");
  app.add_flag("--dot", o->dot, "its derivative Jdot along --qd, and Jdot qd, too");
  app.add_flag("--textbook", o->textbook, "linear rows first");
  return add_state_verb(
      app, {.qd = true,
            .geometry_only = true,
            .reporter = [o](const Model<double>& model, const Given& given) -> Reporter {
              const auto r = std::make_shared<JacobianReport>(model, *o, given);
              return {[r](const State& s) { return r->quantities(s); },
                      [r](const State& s) { return r->json(s); },
                      [r](const State& s) { return r->text(s); }};
            }});
}

}  // namespace

extern const Verb jacobian;
const Verb jacobian{
    "jacobian", "Jacobian of a frame, its derivative, manipulability and singularities",
    "  torsor jacobian puma560 --frame tool --q 0,45,-90,0,30,0 --deg\n"
    "  torsor jacobian planar2r --frame tip --q 0.3,0.5 --qd 1,0 --dot --reference body\n"
    "  torsor jacobian ur5 --frame tool --q 0,-1,1,0,1,0 --euler zyz     # analytic Jacobian\n"
    "  torsor jacobian panda --frame tool --csv states.csv -o J.csv  # columns J.<row>.<joint>\n"
    "\n"
    "Rows are angular first (wx, wy, wz, vx, vy, vz); --textbook puts the linear ones first,\n"
    "which changes the sign of the determinant of six joints. Singular values, rank, condition,\n"
    "manipulability and determinant are those of the J that is printed. They mix rows of rad and\n"
    "m, so all but rank and determinant's zeros depend on the unit of length. Manipulability is\n"
    "sqrt(det J J^T), and sqrt(det J^T J) for fewer than six joints. In JSON, determinant_arm "
    "times\n"
    "determinant_wrist is the determinant of the geometric J with linear rows first.\n",
    add_jacobian};

}  // namespace torsor::command
