// Numbers and names that changed, put where they stand in the text of a URDF file.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "torsor/formats/internal/xml_text.hpp"
#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}
bool same(const Sym3<double>& a, const Sym3<double>& b) {
  return same(Vec3<double>{a.xx, a.xy, a.yy}, {b.xx, b.xy, b.yy}) &&
         same(Vec3<double>{a.xz, a.yz, a.zz}, {b.xz, b.yz, b.zz});
}
std::string numbers(const Vec3<double>& v) {
  return format_number(v.x + 0.0) + " " + format_number(v.y + 0.0) + " " + format_number(v.z + 0.0);
}

/// An element for reading and the place where it stands; both false where there is none.
struct Place {
  XmlElement element;
  const XmlTag* tag = nullptr;

  explicit operator bool() const { return tag != nullptr; }
  /// The first child of that name, which is the one that counts.
  Place child(const char* name) const {
    if (tag == nullptr) return {};
    const std::vector<XmlElement> found = element.children(name);
    return found.empty() ? Place{} : Place{found[0], tag->child(name)};
  }
  std::vector<Place> children() const {
    const std::vector<XmlElement> elements = element.children();
    std::vector<Place> all;
    for (std::size_t k = 0; k < elements.size() && k < tag->children.size(); ++k)
      all.push_back({elements[k], tag->children[k].get()});
    return all;
  }
  std::vector<Place> children(std::string_view name) const {
    std::vector<Place> all = children();
    std::erase_if(all, [&](const Place& p) { return p.tag->name != name; });
    return all;
  }
};

using Renames = std::map<std::string, std::string>;

class Editor {
 public:
  Editor(const std::string& text, const Place& root, const RobotDescription& read,
         const RobotDescription& wanted)
      : text_(text), root_(root), read_(read), wanted_(wanted) {}

  std::vector<TextEdit> run() {
    for (const Place& at : root_.children()) {
      places_.emplace(
          Key{at.tag->name, at.element.attribute("name").value_or(""), at.element.origin().line},
          at);
      if (is_foreign(at)) collect_words(at);
    }
    for (std::size_t k = 0; k < std::min(read_.links.size(), wanted_.links.size()); ++k)
      if (const Place link = find("link", read_.links[k]))
        edit_inertial(link, read_.links[k], wanted_.links[k]);
    for (std::size_t k = 0; k < std::min(read_.joints.size(), wanted_.joints.size()); ++k)
      if (const Place joint = find("joint", read_.joints[k]))
        edit_joint(joint, read_.joints[k], wanted_.joints[k]);
    edit_others();
    if (read_.name != wanted_.name) xml_.set(*root_.tag, "name", wanted_.name);
    rename("link", read_.links, wanted_.links);
    rename("joint", read_.joints, wanted_.joints);
    rename("torsor:frame", read_.frames, wanted_.frames);
    rename("torsor:loop", read_.loops, wanted_.loops);
    rename("torsor:coupling", read_.couplings, wanted_.couplings);
    rename("torsor:spring_damper", read_.springs, wanted_.springs);
    rename("torsor:motor", read_.motors, wanted_.motors);
    rename("torsor:configuration", read_.configurations, wanted_.configurations);
    if (extends_ && root_.tag->find("xmlns:torsor") == nullptr)
      xml_.set(*root_.tag, "xmlns:torsor", extension_urn);
    return xml_.take(text_);
  }

 private:
  using Key = std::tuple<std::string, std::string, int>;  // tag, name, line

  template <class Element>
  Place find(const char* tag, const Element& element) const {
    const auto at = places_.find(Key{tag, element.name, element.origin.line});
    return at == places_.end() ? Place{} : at->second;
  }
  void set(const Place& at, const std::string& name, const std::string& value) {
    extends_ = extends_ || (name.starts_with(extension_prefix) && at.tag->find(name) == nullptr);
    xml_.set(*at.tag, name, value);
  }

  /// A new child of the element.
  void insert(const Place& at, const std::string& element) {
    extends_ = extends_ || element.find(extension_prefix) != std::string::npos;
    xml_.insert(*at.tag, element);
  }
  static std::string attribute(const std::string& name, const std::string& value) {
    return " " + name + "=\"" + value + "\"";
  }

  /// In the axes of the file's <inertial>, which may be turned against those of the link.
  void edit_inertial(const Place& link, const Link& read, const Link& wanted) {
    const Inertial &a = read.inertial, &b = wanted.inertial;
    const Place inertial = link.child("inertial");
    if (!inertial) {
      if (wanted.has_inertial && !read.has_inertial) insert(link, inertial_element(b));
      return;
    }
    if (!same(a.mass, b.mass))
      if (const Place mass = inertial.child("mass")) set(mass, "value", format_number(b.mass));
    if (!same(a.com, b.com)) edit_position(inertial, b.com);
    if (!same(a.about_com, b.about_com)) edit_inertia(inertial, b.about_com);
  }
  static std::string inertial_element(const Inertial& body) {
    const Sym3<double>& J = body.about_com;
    std::string inertia;
    const std::pair<const char*, double> entries[] = {{"ixx", J.xx}, {"ixy", J.xy}, {"ixz", J.xz},
                                                      {"iyy", J.yy}, {"iyz", J.yz}, {"izz", J.zz}};
    for (const auto& [name, value] : entries) inertia += attribute(name, format_number(value));
    return "<inertial>\n  <origin" + attribute("xyz", numbers(body.com)) + "/>\n  <mass" +
           attribute("value", format_number(body.mass)) + "/>\n  <inertia" + inertia +
           "/>\n</inertial>";
  }
  void edit_position(const Place& element, const Vec3<double>& p) {
    if (const Place origin = element.child("origin"))
      set(origin, "xyz", numbers(p));
    else
      insert(element, "<origin" + attribute("xyz", numbers(p)) + "/>");
  }
  void edit_inertia(const Place& inertial, const Sym3<double>& J) {
    const Place inertia = inertial.child("inertia");
    if (!inertia) return;
    Notes silent(nullptr);
    const Place origin = inertial.child("origin");
    const SO3<double> R = origin ? read_pose(origin.element, silent).R : SO3<double>::identity();
    const Sym3<double> j = rotated(transpose(R), J);
    const double rounding = 1e-15 * std::abs(trace(j));
    const std::pair<const char*, double> entries[] = {{"ixx", j.xx}, {"ixy", j.xy}, {"ixz", j.xz},
                                                      {"iyy", j.yy}, {"iyz", j.yz}, {"izz", j.zz}};
    for (const auto& [name, value] : entries) {
      const double clean = std::abs(value) < rounding ? 0 : value;
      if (!same(inertia.element.number(name, 0) + 0.0, clean))
        set(inertia, name, format_number(clean));
    }
  }

  /// xyz and rpy of the <origin>; torsor:rotation where it stands already.
  void edit_pose(const Place& element, const SE3<double>& read, const SE3<double>& wanted) {
    const bool turned = !same_pose({read.R, {}}, {wanted.R, {}});
    if (same(read.p, wanted.p) && !turned) return;
    const std::string rpy = numbers(rpy_of(wanted.R));
    const Place origin = element.child("origin");
    if (!origin) {
      insert(element,
             "<origin" + attribute("xyz", numbers(wanted.p)) + attribute("rpy", rpy) + "/>");
      return;
    }
    if (!same(read.p, wanted.p)) set(origin, "xyz", numbers(wanted.p));
    if (!turned) return;
    set(origin, "rpy", rpy);
    if (origin.element.attribute("quat_xyzw")) xml_.remove(*origin.tag, "quat_xyzw");
    if (!origin.element.attribute("torsor:rotation")) return;
    std::string rows;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) rows += (rows.empty() ? "" : " ") + format_number(wanted.R(r, c));
    set(origin, "torsor:rotation", rows);
  }

  void edit_joint(const Place& joint, const Joint& read, const Joint& wanted) {
    edit_pose(joint, read.placement, wanted.placement);
    if (!same(read.axis, wanted.axis))
      if (const Place axis = joint.child("axis")) set(axis, "xyz", numbers(wanted.axis));
    const std::vector<Place> parts =
        read.parts.empty() ? std::vector<Place>{} : joint.child("torsor:joint").children();
    for (std::size_t k = 0; k < std::min(parts.size(), wanted.parts.size()); ++k)
      if (const Place axis = parts[k].child("axis");
          axis && !same(read.parts[k].axis, wanted.parts[k].axis))
        set(axis, "xyz", numbers(wanted.parts[k].axis));
    for (std::size_t k = 0; k < std::min(read.limits.size(), wanted.limits.size()); ++k)
      edit_limits(joint, read, k, wanted.limits[k]);
    edit_friction(joint, read, wanted);
    edit_dofs(joint, "torsor:actuator", actuator_fields, read.actuator, wanted.actuator);
    edit_dofs(joint, "torsor:spring", spring_fields, read.spring, wanted.spring);
  }

  /// <dynamics> of a joint that URDF knows, with words of the extension beside its own two.
  void edit_friction(const Place& joint, const Joint& read, const Joint& wanted) {
    if (!is_plain(read.kind) || joint.child("torsor:friction"))
      return edit_dofs(joint, "torsor:friction", friction_fields, read.friction, wanted.friction);
    if (wanted.friction.size() != 1) return;
    const Friction old = read.friction.empty() ? Friction{} : read.friction[0];
    const Place dynamics = joint.child("dynamics");
    std::string added;
    for (const auto& field : friction_fields) {
      const double value = wanted.friction[0].*field.member;
      if (same(old.*field.member, value)) continue;
      const std::string word = field.name;
      const std::string name = word == "damping"   ? word
                               : word == "coulomb" ? "friction"
                                                   : extension_prefix + word;
      if (dynamics)
        set(dynamics, name, format_number(value));
      else
        added += attribute(name, format_number(value));
    }
    if (!added.empty()) insert(joint, "<dynamics" + added + "/>");
  }
  /// Elements of the extension, one for each degree of freedom that has something to say.
  template <class Item, std::size_t size>
  void edit_dofs(const Place& joint, const char* tag, const std::array<Field<Item>, size>& fields,
                 const std::vector<Item>& read, const std::vector<Item>& wanted) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Item old = k < read.size() ? read[k] : Item{};
      const Place own = of_dof(joint, tag, k);
      std::string added;
      for (const auto& field : fields) {
        const double value = wanted[k].*field.member;
        if (same(old.*field.member, value)) continue;
        if (own)
          set(own, field.name, format_number(value));
        else
          added += attribute(field.name, format_number(value));
      }
      if (added.empty()) continue;
      const std::string dof = wanted.size() > 1 ? attribute("dof", std::to_string(k)) : "";
      insert(joint, "<" + std::string(tag) + dof + added + "/>");
    }
  }
  void edit_others() {
    for (std::size_t k = 0; k < std::min(read_.frames.size(), wanted_.frames.size()); ++k)
      if (const Place frame = find("torsor:frame", read_.frames[k]))
        edit_pose(frame, read_.frames[k].placement, wanted_.frames[k].placement);
    if (const Place base = root_.child("torsor:base"))
      edit_pose(base, read_.base, wanted_.base);
    else if (Vec3<double> rpy = rpy_of(wanted_.base.R); !same_pose(read_.base, wanted_.base))
      insert(root_, "<torsor:base>\n  <origin" + attribute("xyz", numbers(wanted_.base.p)) +
                        attribute("rpy", numbers(rpy)) + "/>\n</torsor:base>");
    const std::pair<const char*, double SpringDamper::*> fields[] = {
        {"stiffness", &SpringDamper::stiffness},
        {"rest_length", &SpringDamper::rest_length},
        {"damping", &SpringDamper::damping},
        {"preload", &SpringDamper::preload}};
    for (std::size_t k = 0; k < std::min(read_.springs.size(), wanted_.springs.size()); ++k)
      if (const Place spring = find("torsor:spring_damper", read_.springs[k]))
        for (const auto& [name, member] : fields)
          if (!same(read_.springs[k].*member, wanted_.springs[k].*member))
            set(spring, name, format_number(wanted_.springs[k].*member));
    for (std::size_t k = 0; k < wanted_.motors.size(); ++k)
      if (k >= read_.motors.size())
        insert(root_, motor_element(wanted_.motors[k]));
      else if (const Place motor = find("torsor:motor", read_.motors[k]))
        edit_motor(motor, read_.motors[k], wanted_.motors[k]);
  }
  void edit_motor(const Place& motor, const Motor& read, const Motor& wanted) {
    if (!same(read.rotor_inertia, wanted.rotor_inertia))
      set(motor, "rotor_inertia", format_number(wanted.rotor_inertia));
    edit_dofs(motor, "torsor:friction", friction_fields, std::vector{read.friction},
              std::vector{wanted.friction});
  }
  static std::string motor_element(const Motor& motor) {
    std::string text = "<torsor:motor" + attribute("name", xml_escaped(motor.name, '"')) +
                       attribute("rotor_inertia", format_number(motor.rotor_inertia)) + ">\n";
    for (const Coupling::Term& term : motor.ratios)
      text += "  <torsor:term" + attribute("joint", xml_escaped(term.joint, '"')) +
              attribute("ratio", format_number(term.factor)) + "/>\n";
    std::string friction;
    for (const auto& field : friction_fields)
      if (const double value = motor.friction.*field.member; value != 0)
        friction += attribute(field.name, format_number(value));
    if (!friction.empty()) text += "  <torsor:friction" + friction + "/>\n";
    return text + "</torsor:motor>";
  }
  static bool same_pose(const SE3<double>& a, const SE3<double>& b) {
    return same(a.p, b.p) && same(a.R.c0, b.R.c0) && same(a.R.c1, b.R.c1) && same(a.R.c2, b.R.c2);
  }

  static Place of_dof(const Place& joint, const char* tag, std::size_t dof) {
    for (const Place& p : joint.children(tag))
      if (p.element.number("dof", 0) == static_cast<double>(dof)) return p;
    return {};
  }

  void edit_limits(const Place& joint, const Joint& read, std::size_t dof, const Limits& wanted) {
    const Limits& old = read.limits[dof];
    if (const Place own = of_dof(joint, "torsor:limit", dof)) {
      if (exchanged(own, old, wanted, "lower", "upper")) return;
      for (const auto& field : limit_fields)
        if (!same(old.*field.member, wanted.*field.member))
          number_or_none(own, field.name, wanted.*field.member);
      return;
    }
    const Place limit = joint.child("limit");
    if (!limit) return;
    const bool turns_freely = read.kind == JointKind::continuous;
    const std::string own = turns_freely ? extension_prefix : "";
    if (exchanged(limit, old, wanted, own + "lower", own + "upper")) return;
    std::vector<std::string> unlimited;
    for (const auto& field : limit_fields) {
      const double value = wanted.*field.member;
      if (same(old.*field.member, value)) continue;
      const std::string name = field.name;
      const bool position = name == "lower" || name == "upper";
      if (name == "acceleration" || name == "jerk" || (position && turns_freely)) {
        number_or_none(limit, extension_prefix + name, value);
        if (!position) xml_.remove(*limit.tag, name);  // of URDF 1.2
        if (name == "acceleration") xml_.remove(*limit.tag, "deceleration");
      } else if (std::isfinite(value)) {
        set(limit, name, format_number(value));
      } else {  // other readers need a number
        set(limit, name, format_number(std::copysign(as_good_as_unlimited, value)));
        unlimited.push_back(name);
      }
    }
    if (unlimited.empty()) return;
    std::string words = limit.element.attribute("torsor:unlimited").value_or("");
    for (const std::string& word : unlimited) (words += words.empty() ? "" : " ") += word;
    set(limit, "torsor:unlimited", words);
  }
  bool exchanged(const Place& at, const Limits& old, const Limits& wanted, const std::string& lower,
                 const std::string& upper) {
    if (same(old.lower, wanted.lower) || !same(old.lower, wanted.upper) ||
        !same(old.upper, wanted.lower) || at.tag->find(lower) == nullptr ||
        at.tag->find(upper) == nullptr)
      return false;
    xml_.exchange(*at.tag, lower, upper);
    return true;
  }
  void number_or_none(const Place& at, const std::string& name, double value) {
    if (std::isfinite(value))
      set(at, name, format_number(value));
    else
      xml_.remove(*at.tag, name);
  }

  /// A child of <robot> that Torsor does not read.
  static bool is_foreign(const Place& at) {
    static const std::set<std::string> read = {"link", "joint", "material"};
    return !read.contains(at.tag->name) && !at.tag->name.starts_with(extension_prefix);
  }
  void collect_words(const Place& at) {
    foreign_words_.insert(at.element.text());
    for (const std::string& a : at.element.attribute_names())
      foreign_words_.insert(*at.element.attribute(a.c_str()));
    for (const Place& child : at.children()) collect_words(child);
  }

  /// A name that other programs' elements use as well stays: they would lose what they refer to.
  template <class Element>
  void rename(const std::string& kind, const std::vector<Element>& read,
              const std::vector<Element>& wanted) {
    Renames names;
    for (std::size_t k = 0; k < std::min(read.size(), wanted.size()); ++k)
      if (read[k].name != wanted[k].name && !foreign_words_.contains(read[k].name))
        names.emplace(read[k].name, wanted[k].name);
    if (names.empty()) return;
    for (const Place& at : root_.children())
      if (!is_foreign(at)) rename_in(at, kind, names, true);
  }
  void rename_in(const Place& at, const std::string& kind, const Renames& names, bool top) {
    for (const XmlTag::Attribute& a : at.tag->attributes) {
      const bool own = top && at.tag->name == kind && a.name == "name";
      if (!own && !refers(kind, at.tag->name, a.name)) continue;
      const auto now = names.find(at.element.attribute(a.name.c_str()).value_or(""));
      if (now != names.end())
        xml_.edits.push_back({a.value_begin, a.value_end, xml_escaped(now->second, a.quote)});
    }
    for (const Place& child : at.children()) rename_in(child, kind, names, false);
  }
  /// Attributes that name a link or a joint, in the parts that Torsor reads.
  static bool refers(const std::string& kind, const std::string& tag,
                     const std::string& attribute) {
    static const std::set<std::string> of_links = {"parent", "child", "torsor:frame", "torsor:a",
                                                   "torsor:b"};
    if (kind == "link") return attribute == "link" && of_links.contains(tag);
    return kind == "joint" && attribute == "joint" && (tag == "mimic" || tag == "torsor:term");
  }

  const std::string& text_;
  const Place& root_;
  const RobotDescription &read_, &wanted_;
  std::map<Key, Place> places_;
  std::set<std::string> foreign_words_;
  XmlEditor xml_;
  bool extends_ = false;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  Findings unread;  // numbers that cannot be read stay
  const XmlDocument document(text, read.origin.file, &unread);
  const std::unique_ptr<XmlTag> tags = scan_xml(text);
  if (tags == nullptr) return text;
  const Place root{document.root(), tags.get()};
  return edited(text, Editor(text, root, read, wanted).run());
}

}  // namespace torsor::internal::urdf
