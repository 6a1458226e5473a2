#include "torsor/formats/save_edited.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

/// The first number in which two descriptions of one file differ, in words; empty where none does.
class Difference {
 public:
  std::string between(const RobotDescription& a, const RobotDescription& b) {
    of_lists("links", a.links, b.links, [&](const Link& x, const Link& y) {
      const std::string at = "link " + in_quotes(y.name) + ": ";
      number(at + "mass", x.inertial.mass, y.inertial.mass);
      vector(at + "com", x.inertial.com, y.inertial.com);
      const Sym3<double>&J = x.inertial.about_com, &K = y.inertial.about_com;
      vector(at + "inertia", {J.xx, J.yy, J.zz}, {K.xx, K.yy, K.zz});
      vector(at + "inertia", {J.xy, J.xz, J.yz}, {K.xy, K.xz, K.yz});
    });
    of_lists("joints", a.joints, b.joints, [&](const Joint& x, const Joint& y) { joint(x, y); });
    of_lists("frames", a.frames, b.frames, [&](const FrameOnLink& x, const FrameOnLink& y) {
      pose("frame " + in_quotes(y.name) + ": placement", x.placement, y.placement);
    });
    of_lists("springs", a.springs, b.springs, [&](const SpringDamper& x, const SpringDamper& y) {
      const std::string at = "spring " + in_quotes(y.name) + ": ";
      number(at + "stiffness", x.stiffness, y.stiffness);
      number(at + "rest length", x.rest_length, y.rest_length);
      number(at + "damping", x.damping, y.damping);
      number(at + "preload", x.preload, y.preload);
    });
    of_lists("motors", a.motors, b.motors, [&](const Motor& x, const Motor& y) { motor(x, y); });
    of_lists("configurations", a.configurations, b.configurations,
             [&](const NamedConfiguration& x, const NamedConfiguration& y) { named(x, y); });
    pose("base", a.base, b.base);
    vector("gravity", a.gravity, b.gravity);
    return first_;
  }

 private:
  void number(const std::string& what, double a, double b) {
    if (!first_.empty() || a == b || std::abs(a - b) <= 1e-12 * (1 + std::abs(b))) return;
    first_ = what + " is " + format_number(a) + " instead of " + format_number(b);
  }
  void vector(const std::string& what, const Vec3<double>& a, const Vec3<double>& b) {
    for (int k = 0; k < 3; ++k) number(what, a[k], b[k]);
  }
  void pose(const std::string& what, const SE3<double>& a, const SE3<double>& b) {
    vector(what, a.p, b.p);
    vector(what, a.R.c0, b.R.c0);
    vector(what, a.R.c1, b.R.c1);
    vector(what, a.R.c2, b.R.c2);
  }
  template <class Element, class Compare>
  void of_lists(const char* what, const std::vector<Element>& a, const std::vector<Element>& b,
                Compare compare) {
    if (a.size() != b.size()) {
      if (first_.empty())
        first_ = std::to_string(a.size()) + " " + what + " instead of " + std::to_string(b.size());
      return;
    }
    for (std::size_t k = 0; k < a.size(); ++k) compare(a[k], b[k]);
  }
  /// Entries of degrees of freedom, where none stand for defaults.
  template <class Entry>
  void entries(const std::string& what, const std::vector<Entry>& a, const std::vector<Entry>& b) {
    static_assert(sizeof(Entry) % sizeof(double) == 0);
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      const Entry x = k < a.size() ? a[k] : Entry{}, y = k < b.size() ? b[k] : Entry{};
      constexpr std::size_t n = sizeof(Entry) / sizeof(double);
      const auto u = std::bit_cast<std::array<double, n>>(x);
      const auto v = std::bit_cast<std::array<double, n>>(y);
      for (std::size_t e = 0; e < n; ++e) number(what, u[e], v[e]);
    }
  }
  void named(const NamedConfiguration& x, const NamedConfiguration& y) {
    const std::string at = "configuration " + in_quotes(y.name) + ": ";
    of_lists((at + "joints").c_str(), x.entries, y.entries, [&](const auto& s, const auto& t) {
      if (first_.empty() && s.joint != t.joint)
        first_ = at + in_quotes(s.joint) + " instead of " + in_quotes(t.joint);
      of_lists((at + "coordinates").c_str(), s.q, t.q,
               [&](double u, double v) { number(at + "a coordinate", u, v); });
    });
  }
  void motor(const Motor& x, const Motor& y) {
    const std::string at = "motor " + in_quotes(y.name) + ": ";
    number(at + "rotor inertia", x.rotor_inertia, y.rotor_inertia);
    entries(at + "a number of friction", std::vector{x.friction}, std::vector{y.friction});
    of_lists((at + "ratios").c_str(), x.ratios, y.ratios,
             [&](const Coupling::Term& s, const Coupling::Term& t) {
               number(at + "ratio of joint " + in_quotes(t.joint), s.factor, t.factor);
             });
  }
  void joint(const Joint& x, const Joint& y) {
    const std::string at = "joint " + in_quotes(y.name) + ": ";
    pose(at + "placement", x.placement, y.placement);
    if (has_axis(y.kind)) vector(at + "axis", x.axis, y.axis);
    entries(at + "a limit", x.limits, y.limits);
    entries(at + "a number of friction", x.friction, y.friction);
    entries(at + "a number of the actuator", x.actuator, y.actuator);
    entries(at + "a number of the spring", x.spring, y.spring);
  }

  std::string first_;
};

/// Of a URDF file that the extension says: other readers see masses, placements, damping and Coulomb
/// friction.
Findings unseen_in_urdf(const RobotDescription& robot) {
  Findings found;
  const auto say = [&](const Origin& origin, const std::string& element, const std::string& words) {
    Finding f;
    f.origin = origin;
    f.element = element;
    f.message = "other URDF readers do not see " + words;
    f.topic = Finding::Topic::dynamics;
    found.push_back(std::move(f));
  };
  for (const Joint& joint : robot.joints) {
    std::vector<std::string> words;
    const auto any = [](const auto& entries, auto is) {
      return std::any_of(entries.begin(), entries.end(), is);
    };
    if (any(joint.friction, [](const Friction& f) { return f.viscous != 0; }))
      words.emplace_back("viscous friction");
    if (any(joint.friction,
            [](const Friction& f) { return f.stiction != 0 || f.stribeck != 0 || f.width != 0; }))
      words.emplace_back("stiction");
    if (any(joint.friction, [](const Friction& f) {
          return f.offset != 0 || f.viscous_asymmetry != 0 || f.coulomb_asymmetry != 0;
        }))
      words.emplace_back("offset and asymmetry of friction");
    if (any(joint.friction, [](const Friction& f) { return f.load != 0; }))
      words.emplace_back("friction of the load");
    if (any(joint.actuator, [](const Actuator& a) { return a.rotor_inertia != 0; }))
      words.emplace_back("rotor inertia");
    if (any(joint.actuator, [](const Actuator& a) { return a.motor_viscous != 0; }))
      words.emplace_back("friction of the motor");
    if (any(joint.actuator, [](const Actuator& a) { return a.disturbance != 0; }))
      words.emplace_back("torque offset");
    if (any(joint.spring, [](const JointSpring& s) { return s.stiffness != 0; }))
      words.emplace_back("spring");
    if (!words.empty()) say(joint.origin, "joint " + in_quotes(joint.name), listed(words, " and "));
  }
  for (const SpringDamper& spring : robot.springs)
    say(spring.origin, "spring " + in_quotes(spring.name), "springs between links");
  for (const Motor& motor : robot.motors)
    say(motor.origin, "motor " + in_quotes(motor.name), "motors of several joints");
  return found;
}

}  // namespace

EditedRobot edited_robot(const std::string& path_or_name, const RobotDescription& robot,
                         RobotFormats formats, const LoadOptions& options) {
  const internal::RobotSource source = internal::find_robot(path_or_name, formats, options);
  if (source.format == nullptr || source.format->edit == nullptr)
    throw Error(one_line(path_or_name) +
                ": there is no file of it to edit; torsor convert writes one");
  const RobotDescription read = source.format->read(source.text, source.name, nullptr);
  EditedRobot out{source.format->edit(source.text, read, robot), {}};
  const RobotDescription back = source.format->read(out.text, source.name, nullptr);
  if (const std::string difference = Difference().between(back, robot); !difference.empty())
    throw Error(one_line(source.name) + ": the file has no place for a change: " + difference +
                "; write the robot anew with torsor convert");
  if (std::string_view(source.format->name) == "urdf") out.findings = unseen_in_urdf(robot);
  return out;
}

Findings save_edited(const std::string& path_in, const RobotDescription& robot,
                     const std::string& path_out, const LoadOptions& options) {
  const EditedRobot edited = edited_robot(path_in, robot, robot_formats(), options);
  const RobotFormat* const to = robot_format_of(path_out, edited.text);
  const internal::RobotSource source = internal::find_robot(path_in, robot_formats(), options);
  if (to == nullptr || std::string_view(to->name) != source.format->name)
    throw Error(one_line(path_out) + ": an edited file stays " + source.format->title +
                "; torsor convert writes other formats");
  write_text_file_atomically(path_out, edited.text);
  return edited.findings;
}

}  // namespace torsor
