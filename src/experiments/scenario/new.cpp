#include <cmath>
#include <cstdio>
#include <map>

#include "scenario/first_gains.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/control/uncertain/inertia_mismatch.hpp"
#include "torsor/experiments/new_scenario.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/euler.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

using internal::scenario::Posture;

/// Three digits that mean the same.
std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return format_number(parse_number(text).value_or(x));
}
std::string list_of(const Array<double>& x, bool exact) {
  std::string out = "[";
  for (int k = 0; k < x.size(); ++k)
    out += (k == 0 ? "" : ", ") + (exact ? format_number(x[k]) : short_number(x[k]));
  return out + "]";
}
std::string exact_list(const Array<double>& x) { return list_of(x, true); }
/// One number for all where they are alike.
std::string gain_list(const Array<double>& x) {
  for (const double value : x)
    if (short_number(value) != short_number(x[0])) return list_of(x, false);
  return short_number(x[0]);
}
std::string vector_text(const Vec3<double>& v) {
  return exact_list({v.x + 0.0, v.y + 0.0, v.z + 0.0});  // no -0
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  for (const char* w : words)
    if (word == w) return true;
  return false;
}

class Draft {
 public:
  Draft(const LawEntry& law, const std::string& robot, const Model<double>& model)
      : law_(law),
        robot_(robot),
        model_(model),
        several_(law.chapter() == "Several arms"),
        presses_(is_one_of(law.name, {"hybrid_position_force", "adaptive_hybrid_position_force"})),
        meets_(is_one_of(law.name, {"impedance", "admittance"})),
        adapts_(has_gain("adaptation")) {
    for (int k = 0; k < model.n_v(); ++k)
      rubs_ = rubs_ || model.dof(k).coulomb != 0 || model.dof(k).stiction != 0 ||
              model.dof(k).load != 0;
    for (const CoupledMotor<double>& motor : model.motors())
      rubs_ = rubs_ || motor.constants.stiction != 0;
    if (several_ && !model.has_frame("object"))
      throw Error(std::string("law \"") + law.name +
                  "\" needs several arms and a link \"object\" " + "that they hold; robot \"" +
                  model.name() + "\" has none");
    place_ = internal::scenario::good_posture(model, several_ ? "object" : "");
    if (has_task() && place_.axes.empty())
      throw Error(std::string("law \"") + law.name + "\" needs a task; the joints of robot \"" +
                  model.name() + "\" move no position of frame \"" + place_.frame + "\" at will");
    if (!several_ && !whole_pose() && !has_gain("angles")) place_.angles = "none";
    refuse_pressing();
    for (const char axis : {'z', 'y', 'x'})
      if (place_.axes.find(axis) != std::string::npos) {
        down_[axis - 'x'] = -1;
        break;
      }
  }

  /// Laws that press need a direction that is left to move.
  void refuse_pressing() const {
    if (!presses_) return;
    const int moves = place_.size(), dofs = model_.n_v();
    const std::string has = "robot \"" + model_.name() + "\" moves " +
                            internal::count_of(moves, "coordinate") + " of frame \"" +
                            place_.frame + "\" with " + internal::count_of(dofs, "degree") +
                            " of freedom";
    if (moves < 2)
      throw Error(std::string("law \"") + law_.name +
                  "\" needs a task of two coordinates, to press along one and move along the "
                  "other; " +
                  has);
    if (adapts_ && moves != dofs)
      throw Error(std::string("law \"") + law_.name +
                  "\" needs a task of as many coordinates as the robot has degrees of freedom; " +
                  has);
  }

  std::string text() {
    head();
    plant();
    controller();
    reference();
    start();
    run();
    return out_;
  }

 private:
  bool has_gain(const std::string& name) const {
    for (const GainEntry& g : law_.gains)
      if (name == g.name) return true;
    return false;
  }
  bool has_task() const { return law_.chapter() == "Tasks and contact" || several_; }
  bool whole_pose() const {
    return std::string(law_.name) == "resolved_acceleration" && place_.size() == 6;
  }
  /// Whose parameters the law does not know: the heaviest, so that estimates that err leave the mass
  /// matrix well conditioned.
  std::string unknown_body() const {
    int heaviest = 1;
    for (int i = 2; i < model_.n_bodies(); ++i)
      if (model_.body(i).inertia.m >= model_.body(heaviest).inertia.m) heaviest = i;
    return model_.body_name(heaviest);
  }

  void line(const std::string& text, const std::string& comment = "") {
    out_ += text;
    if (!comment.empty()) {
      const std::size_t column = 44;
      out_.append(text.size() < column ? column - text.size() : 2, ' ');
      out_ += "# " + comment;
    }
    out_ += "\n";
  }

  void head() {
    line(std::string("# ") + law_.name + ": " + law_.claim);
    line(std::string("# ") + law_.source + "; `torsor laws " + law_.name + "` says more.");
    line(std::string("scenario: ") + law_.name);
    line(std::string("title: ") + law_.name + " on " + in_quotes(model_.name()));
    line("robot: " + (parse_number(robot_) ? in_quotes(robot_) : robot_),
         "built in, or a file beside this one");
    line("# floating: true", "a free joint under the root link");
    line("");
  }

  void plant() {
    line("plant:", "how the true robot differs from what the law believes");
    if (adapts_ && !several_)
      line("  payloads: [{link: " + unknown_body() + ", mass: " + short_number(load()) +
               ", com: " + load_place() + "}]",
           "kg, m: what the law does not know");
    if (is_one_of(law_.name, {"independent_pd"}))
      line("  gravity: [0, 0, 0]", "the theorem has none; with weight the error G / Kp stays");
    if (rubs_)
      line("  friction: false", "true: that of the robot's file; joints then stick at rest");
    else if (!adapts_ || several_)
      line("  friction: true", "that of the robot's file");
    if (presses_) {
      line("  surfaces:");
      line("    - {name: table, frame: " + place_.frame + ", origin: " + vector_text(place_.T.p) +
           ", normal: " + vector_text(-down_) + ", bilateral: true}");
    }
    if (meets_) {
      Vec3<double> origin = place_.T.p, normal{};
      origin[first_axis()] += 0.02;
      normal[first_axis()] = -1;
      line("  surfaces:");
      line("    - {name: wall, frame: " + place_.frame + ", origin: " + vector_text(origin) +
               ", normal: " + vector_text(normal) + ", stiffness: 2000}",
           "N/m");
    }
    line("  # disturbance: {torque: " + exact_list(Array<double>(model_.n_v(), 0.0)) +
             ", from: 1, to: 2}",
         "N m between two times");
    line("");
  }
  /// A twentieth of what moves.
  double load() const {
    double mass = 0;
    for (int i = 1; i < model_.n_bodies(); ++i) mass += model_.body(i).inertia.m;
    return mass > 0 ? 0.05 * mass : 0.1;
  }
  /// At the centre of the link's own mass, or beside its frame's origin: where it is felt.
  std::string load_place() const {
    for (int i = 1; i < model_.n_bodies(); ++i) {
      const Inertia<double>& inertia = model_.body(i).inertia;
      if (model_.body_name(i) != unknown_body() || !(inertia.m > 0)) continue;
      const Vec3<double> com = inertia.h * (1 / inertia.m);
      if (norm(com) > 0.02) return list_of({com.x + 0.0, com.y + 0.0, com.z + 0.0}, false);
    }
    return "[0.1, 0.1, 0.1]";
  }
  int first_axis() const { return place_.axes[0] - 'x'; }

  /// What the law is given beyond its entry's examples and defaults.
  std::map<std::string, std::string> own_values() const {
    std::map<std::string, std::string> v;
    const std::string name = law_.name;
    if (has_task()) {
      v[several_ ? "object" : "frame"] = place_.frame;
      if (!whole_pose()) v["axes"] = place_.axes;
      if (has_gain("angles") && place_.angles != "none") v["angles"] = place_.angles;
      if (has_gain("origin_rpy") && place_.angles == "rotation") v["origin_rpy"] = rpy();
      if (has_gain("kd_null")) v["kd_null"] = "20";
    }
    if (presses_) {
      v["constraint"] = "plane";
      v["origin"] = vector_text(place_.T.p);
      v["normal"] = vector_text(down_);
    }
    if (has_gain("Md")) v["Md"] = "2", v["Bd"] = "40", v["Kd"] = "200";
    if ((adapts_ && !several_) || has_gain("half_width_share"))
      v["parameters"] = "[" + unknown_body() + "]";
    if (presses_ && adapts_) v["KF"] = "20";
    if (has_gain("half_width_share")) v["half_width_share"] = short_number(unknown_share());
    if (has_gain("p_bar_share")) v["p_bar_share"] = "1.05";
    if (has_gain("layer")) v["layer"] = "0.05";
    if (name == "sliding_passivity" || name == "sliding_regressor_bound") {
      v["Kd"] = scaled(20);
      v["eta"] = scaled(1);
    }
    if (name == "point_lqr") {
      v["point"] = exact_list(target());
      v["Q"] = "100";
      Array<double> R = place_.inertia;
      for (double& x : R) x = 0.01 / (x * x);
      v["R"] = gain_list(R);
    }
    if (is_fixed_point()) {
      v["Kp"] = gain_list(internal::scenario::stiff_Kp(place_));
      v["Kd"] = gain_list(internal::scenario::stiff_Kd(place_));
      if (name == "independent_pid") v["Ki"] = short_number(internal::scenario::small_Ki(place_));
    }
    if (has_gain("limit_stiffness"))
      v["limit_stiffness"] = gain_list(internal::scenario::barriers(place_));
    return v;
  }
  /// How much of the unknown body the law is not sure of: robust computed torque exists only where
  /// ||H^-1 Hhat - I|| stays below 1.
  double unknown_share() const {
    constexpr double usual = 0.05, enough = 0.9, wanted = 0.5;
    if (std::string(law_.name) != "robust_computed_torque") return usual;
    ParameterSet set(model_, {unknown_body()});
    Array<double> half_width;
    for (const double p : set.values()) half_width.push_back(usual * std::abs(p));
    const double alpha = inertia_mismatch(set, half_width).alpha;
    return alpha < enough ? usual : std::fmax(1e-3, usual * wanted / alpha);
  }
  std::string scaled(double factor) const {
    Array<double> x = place_.inertia;
    for (double& value : x) value *= factor;
    return gain_list(x);
  }
  /// By the unit: 1/s^2 and 1/s are poles and the same for all joints; torques grow with what they
  /// move.
  std::string value_of(const GainEntry& g) const {
    const std::string unit = g.unit;
    if (unit == "N m / rad") return scaled(100);
    if (unit == "N m s / rad") return scaled(20);
    if (unit == "N m / (rad s)") return scaled(100);
    return g.value;
  }
  std::string rpy() const {
    const EulerAngles<double> a = euler_angles(EulerSequence::zyx, place_.T.R).first;
    return exact_list({a.psi, a.theta, a.phi});
  }

  void controller() {
    line("controller:");
    line(std::string("  law: ") + law_.name);
    if (law_.gains.empty()) {  // and nothing to believe
      line("");
      return;
    }
    line("  gains:");
    write_gains(law_, own_values());
    for (const char* gain : {"inside", "watched"})
      if (has_gain(gain)) {
        line(std::string("    # of pd_gravity, the law ") + gain);
        write_gains(find_law("pd_gravity"), {});
      }
    if (rubs_)
      line("  believes: {friction: false}", "what the law thinks of the robot");
    else
      line("  # believes: {parameter_factor: 0.9}", "what the law thinks of the robot");
    line("");
  }
  void write_gains(const LawEntry& law, const std::map<std::string, std::string>& own) {
    for (const GainEntry& g : law.gains) {
      const std::string note = (*g.unit == '\0' ? "" : std::string(g.unit) + ": ") + g.meaning;
      const std::string name = g.name;
      const bool replaced = (name == "half_width" && own.contains("half_width_share")) ||
                            (name == "p_bar" && own.contains("p_bar_share"));
      if (const auto value = own.find(name); value != own.end())
        line("    " + name + ": " + value->second, note);
      else if (g.required && !replaced)
        line("    " + name + ": " + value_of(g), note);
      else
        line("    # " + name + ": " + (g.required ? "" : g.value), note);
    }
  }

  /// Beside the start, inside the limits: as far as the law's theorem likes.
  Array<double> target() const {
    double far = 0.3;
    if (is_one_of(law_.name, {"point_lqr"})) far = 0.02;  // a local law
    if (is_one_of(law_.name, {"pd_fixed_gravity", "feedforward"}))
      for (int i = 1; i < model_.n_bodies(); ++i)  // V(0) must keep slides where dG/dq was searched
        if (model_.body(i).kind == JointKind::prismatic) far = 0.002;
    return internal::scenario::moved(model_, place_.q, far);
  }
  bool is_fixed_point() const {
    return is_one_of(law_.name, {"pd_fixed_gravity", "feedforward", "independent_pid"});
  }

  void reference() {
    const std::string follows = law_.reference;
    if (follows.starts_with("none")) {
      line(std::string("# reference: ") + (follows == "none" ? "the law follows none" : follows));
      line("");
      return;
    }
    line("reference:", "what it follows: " + follows);
    if (several_ || has_task()) {
      task_reference();
    } else if (follows.find("constant") != std::string::npos || follows.starts_with("that of") ||
               is_fixed_point()) {
      line("  hold: " + exact_list(target()), "rad, m");
    } else {
      line("  quintic:", "from rest to rest");
      line("    from: " + exact_list(place_.q), "rad, m");
      line("    to: " + exact_list(target()));
      line("    duration: 2", "s");
    }
    line("");
  }
  void task_reference() {
    if (whole_pose()) {
      SE3<double> to = place_.T;
      to.p.z += 0.05;
      line("  pose:", "along the screw between two poses");
      line("    from: " + pose(place_.T));
      line("    to: " + pose(to));
      line("    duration: 2", "s");
      return;
    }
    Array<double> from = place_.x();
    if (presses_) from = Array<double>(place_.size() - 1, 0.0);  // along the table
    Array<double> to = from;
    if (!to.empty()) to[0] += 0.05;
    line("  task:", presses_ ? "along the table" : "m, rad");
    if (from.empty())
      line("    hold: []");
    else if (meets_)
      line("    hold: " + exact_list(to), "behind the wall");
    else {
      line("    quintic: {from: " + exact_list(from) + ", to: " + exact_list(to) +
           ", duration: 2}");
    }
    if (presses_) line("  force: {hold: [5]}", "N, into the table");
  }
  std::string pose(const SE3<double>& T) const {
    return "{xyz: " + vector_text(T.p) + ", rpy: " + rpy() + "}";
  }

  void start() {
    line("start:");
    line("  q: " + exact_list(place_.q), "rad, m");
    line("  # qd: " + exact_list(Array<double>(model_.n_v(), 0.0)), "rad/s, m/s");
    line("");
  }
  void run() {
    line("run:");
    line("  duration: 3", "s");
    line("  record_every: 0.01", "s");
    if (std::string(law_.name) == "adaptive_computed_torque")
      line("  measure_acceleration: true", "the law needs qdd");
    line("  # period: 0.001", "s: sampled control; without it control is continuous");
    line("  # delay: 0.0005", "s, from measuring to acting");
    line("# sensors: {position_noise: 1.0e-5}", "rad, m; needs a period");
    line("# actuators: {model_limits: true}", "torques end at those of the robot's file");
    line("# output: [" + std::string(law_.name) + ".csv]", "the recording");
  }

  const LawEntry& law_;
  std::string robot_;
  const Model<double>& model_;
  bool several_, presses_, meets_, adapts_;
  bool rubs_ = false;  // the robot's joints have dry friction
  Posture place_;
  Vec3<double> down_{};  // into the table
  std::string out_;
};

}  // namespace

std::string new_scenario(const std::string& law, const std::string& robot,
                         const Model<double>& model) {
  return Draft(find_law(law), robot, model).text();
}

}  // namespace torsor
