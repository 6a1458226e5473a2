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
  return format_number(v.x) + " " + format_number(v.y) + " " + format_number(v.z);
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
  Editor(const Place& root, const RobotDescription& read, const RobotDescription& wanted)
      : root_(root), read_(read), wanted_(wanted) {}

  std::vector<TextEdit> run() {
    for (const Place& at : root_.children()) {
      places_.emplace(
          Key{at.tag->name, at.element.attribute("name").value_or(""), at.element.origin().line},
          at);
      if (is_foreign(at)) collect_words(at);
    }
    for (std::size_t k = 0; k < std::min(read_.links.size(), wanted_.links.size()); ++k)
      if (const Place link = find("link", read_.links[k]))
        edit_inertia(link, read_.links[k], wanted_.links[k]);
    for (std::size_t k = 0; k < std::min(read_.joints.size(), wanted_.joints.size()); ++k)
      if (const Place joint = find("joint", read_.joints[k]))
        edit_joint(joint, read_.joints[k], wanted_.joints[k]);
    if (read_.name != wanted_.name) xml_.set(*root_.tag, "name", wanted_.name);
    rename("link", read_.links, wanted_.links);
    rename("joint", read_.joints, wanted_.joints);
    rename("torsor:frame", read_.frames, wanted_.frames);
    rename("torsor:loop", read_.loops, wanted_.loops);
    rename("torsor:coupling", read_.couplings, wanted_.couplings);
    rename("torsor:spring_damper", read_.springs, wanted_.springs);
    rename("torsor:motor", read_.motors, wanted_.motors);
    if (extends_ && root_.tag->find("xmlns:torsor") == nullptr)
      xml_.set(*root_.tag, "xmlns:torsor", extension_urn);
    return std::move(xml_.edits);
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

  /// In the axes of the file's <inertial>, which may be turned against those of the link.
  void edit_inertia(const Place& link, const Link& read, const Link& wanted) {
    const Sym3<double>& J = wanted.inertial.about_com;
    if (same(read.inertial.about_com, J)) return;
    const Place inertia = link.child("inertial").child("inertia");
    if (!inertia) return;
    Notes silent(nullptr);
    const Place origin = link.child("inertial").child("origin");
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

  void edit_joint(const Place& joint, const Joint& read, const Joint& wanted) {
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
    for (std::size_t k = 0; k < std::min(read.friction.size(), wanted.friction.size()); ++k) {
      if (same(read.friction[k].stiction, wanted.friction[k].stiction)) continue;
      const std::string value = format_number(wanted.friction[k].stiction);
      if (const Place own = of_dof(joint, "torsor:friction", k))
        set(own, "stiction", value);
      else if (const Place dynamics = joint.child("dynamics"))
        set(dynamics, "torsor:stiction", value);
    }
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
  return edited(text, Editor(root, read, wanted).run());
}

}  // namespace torsor::internal::urdf
