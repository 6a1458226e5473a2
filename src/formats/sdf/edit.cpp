// Numbers that changed, put where they stand in the text of an SDF file: masses, inertias, limits, friction
// and springs. Elements of the main file alone are edited; axes and poses are written in frames of many kinds
// and stay, which save_edited finds out.
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>

#include "sdf/edit.hpp"
#include "sdf/reader.hpp"
#include "torsor/formats/internal/xml_text.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::sdf {
namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a + 0.0) == std::bit_cast<std::uint64_t>(b + 0.0);
}

struct Place {
  XmlElement element;
  const XmlTag* tag = nullptr;
};

class Editor {
 public:
  Editor(const XmlElement& root, const XmlTag& tag, const std::string& file) : file_(file) {
    collect({root, &tag});
  }

  std::vector<TextEdit> run(const RobotDescription& read, const RobotDescription& wanted,
                            std::string_view text) {
    for (std::size_t k = 0; k < std::min(read.links.size(), wanted.links.size()); ++k)
      edit_inertial(read.links[k], wanted.links[k]);
    for (std::size_t k = 0; k < std::min(read.joints.size(), wanted.joints.size()); ++k)
      edit_joint(read.joints[k], wanted.joints[k]);
    return xml_.take(text);
  }

 private:
  using Key = std::tuple<std::string, std::string, int>;  // tag, name, line

  void collect(const Place& at) {
    places_.emplace(
        Key{at.tag->name, at.element.attribute("name").value_or(""), at.element.origin().line}, at);
    const std::vector<XmlElement> elements = at.element.children();
    for (std::size_t k = 0; k < elements.size() && k < at.tag->children.size(); ++k)
      collect({elements[k], at.tag->children[k].get()});
  }
  Place find(const char* tag, const std::string& name, const Origin& origin) const {
    if (origin.file != file_) return {};
    const std::size_t scope = name.rfind("::");
    const std::string own = scope == std::string::npos ? name : name.substr(scope + 2);
    const auto at = places_.find({tag, own, origin.line});
    return at == places_.end() ? Place{} : at->second;
  }
  static Place child(const Place& at, const char* name) {
    const XmlTag* tag = at.tag == nullptr ? nullptr : at.tag->child(name);
    return tag == nullptr ? Place{} : Place{first(at.element, name), tag};
  }
  /// The text of the child, which is made where there is none.
  void set(const Place& parent, const char* name, const std::string& value) {
    if (parent.tag == nullptr) return;
    const XmlTag* tag = parent.tag->child(name);
    if (tag != nullptr && tag->close > 0)
      xml_.edits.push_back({tag->open_end, tag->close, value});
    else if (tag == nullptr)
      xml_.insert(*parent.tag, "<" + std::string(name) + ">" + value + "</" + name + ">");
  }
  void number(const Place& parent, const char* name, double before, double after) {
    if (!same(before, after)) set(parent, name, format_number(after));
  }

  void edit_inertial(const Link& read, const Link& wanted) {
    const Place inertial = child(find("link", read.name, read.origin), "inertial");
    if (inertial.tag == nullptr) return;
    const Inertial &a = read.inertial, &b = wanted.inertial;
    number(inertial, "mass", a.mass, b.mass);
    const SE3<double> T = read_pose(first(inertial.element, "pose"));
    const bool moved =
        !same(a.com.x, b.com.x) || !same(a.com.y, b.com.y) || !same(a.com.z, b.com.z);
    const std::vector<std::string> words =
        split(text_in(inertial.element, "pose", "0 0 0 0 0 0"), ' ');
    if (moved) {  // the rotation stays as it is written
      std::string pose =
          format_number(b.com.x) + " " + format_number(b.com.y) + " " + format_number(b.com.z);
      std::size_t count = 0;
      for (const std::string& word : words)
        if (!word.empty() && ++count > 3) pose += " " + word;
      set(inertial, "pose", pose);
    }
    const Sym3<double> j = rotated(transpose(T.R), a.about_com),
                       k = rotated(transpose(T.R), b.about_com);
    if (same(a.about_com.xx, b.about_com.xx) && same(a.about_com.yy, b.about_com.yy) &&
        same(a.about_com.zz, b.about_com.zz) && same(a.about_com.xy, b.about_com.xy) &&
        same(a.about_com.xz, b.about_com.xz) && same(a.about_com.yz, b.about_com.yz))
      return;
    const Place inertia = child(inertial, "inertia");
    number(inertia, "ixx", j.xx, k.xx), number(inertia, "iyy", j.yy, k.yy);
    number(inertia, "izz", j.zz, k.zz), number(inertia, "ixy", j.xy, k.xy);
    number(inertia, "ixz", j.xz, k.xz), number(inertia, "iyz", j.yz, k.yz);
  }

  template <class Entry>
  static Entry entry(const std::vector<Entry>& entries) {
    return entries.empty() ? Entry{} : entries[0];
  }

  void edit_joint(const Joint& read, const Joint& wanted) {
    if (n_v(read) != 1) return;
    const Place axis = child(find("joint", read.name, read.origin), "axis");
    if (axis.tag == nullptr) return;
    const Limits a = entry(read.limits), b = entry(wanted.limits);
    const Place limit = child(axis, "limit");
    const std::pair<const char*, double Limits::*> limits[] = {{"lower", &Limits::lower},
                                                               {"upper", &Limits::upper},
                                                               {"effort", &Limits::effort},
                                                               {"velocity", &Limits::velocity}};
    for (const auto& [name, member] : limits) {
      const double value = b.*member;
      if (same(a.*member, value) || limit.tag == nullptr) continue;
      set(limit, name,
          value == infinity    ? "1e16"
          : value == -infinity ? "-1e16"
                               : format_number(value));
    }
    const Friction f = entry(read.friction), g = entry(wanted.friction);
    const JointSpring s = entry(read.spring), t = entry(wanted.spring);
    const Place dynamics = child(axis, "dynamics");
    if (dynamics.tag == nullptr) {
      const bool any = !same(f.damping, g.damping) || !same(f.coulomb, g.coulomb) ||
                       !same(s.stiffness, t.stiffness);
      if (any)
        xml_.insert(*axis.tag, "<dynamics>\n  <damping>" + format_number(g.damping) +
                                   "</damping>\n  <friction>" + format_number(g.coulomb) +
                                   "</friction>\n  <spring_reference>" + format_number(t.rest) +
                                   "</spring_reference>\n  <spring_stiffness>" +
                                   format_number(t.stiffness) + "</spring_stiffness>\n</dynamics>");
      return;
    }
    number(dynamics, "damping", f.damping, g.damping);
    number(dynamics, "friction", f.coulomb, g.coulomb);
    number(dynamics, "spring_stiffness", s.stiffness, t.stiffness);
    number(dynamics, "spring_reference", s.rest, t.rest);
  }

  const std::string& file_;
  std::map<Key, Place> places_;
  XmlEditor xml_;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  const std::string file = read.origin.file;
  const XmlDocument document(text, file);
  const std::unique_ptr<XmlTag> root = scan_xml(text);
  if (root == nullptr) return text;
  try {
    return edited(text, Editor(document.root(), *root, file).run(read, wanted, text));
  } catch (const Error&) {  // of a part that cannot be read: its finding stands
    return text;
  }
}

}  // namespace torsor::internal::sdf
