// Numbers that changed, put where they stand in the text of an SDF file: masses, inertias, limits, friction
// and springs. Elements of the main file alone are edited; axes and poses are written in frames of many kinds
// and stay, which save_edited finds out.
#include "sdf/edit.hpp"
#include "sdf/reader.hpp"
#include "torsor/formats/text.hpp"
#include "xml_places.hpp"

namespace torsor::internal::sdf {
namespace {

class Editor {
 public:
  Editor(const XmlElement& root, const XmlTag& tag, const std::string& file)
      : places_(root, tag, file) {}

  std::vector<TextEdit> run(const RobotDescription& read, const RobotDescription& wanted,
                            std::string_view text) {
    for (std::size_t k = 0; k < std::min(read.links.size(), wanted.links.size()); ++k)
      edit_inertial(read.links[k], wanted.links[k]);
    for (std::size_t k = 0; k < std::min(read.joints.size(), wanted.joints.size()); ++k)
      edit_joint(read.joints[k], wanted.joints[k]);
    return xml_.take(text);
  }

 private:
  XmlPlace find(const char* tag, const std::string& name, const Origin& origin) const {
    // Without the names of the models around it; before SDF 1.8, names may have such parts themselves.
    for (std::size_t scope = 0;; scope += 2) {
      if (const XmlPlace place = places_.find(tag, name.substr(scope), origin); place) return place;
      scope = name.find("::", scope);
      if (scope == std::string::npos) return {};
    }
  }
  static XmlPlace child(const XmlPlace& at, const char* name) {
    const XmlTag* tag = at.tag == nullptr ? nullptr : at.tag->child(name);
    return tag == nullptr ? XmlPlace{} : XmlPlace{first(at.element, name), tag};
  }
  /// The text of the child, which is made where there is none.
  void set(const XmlPlace& parent, const char* name, const std::string& value) {
    if (parent.tag == nullptr) return;
    const XmlTag* tag = parent.tag->child(name);
    if (tag != nullptr && tag->close > 0)
      xml_.edits.push_back({tag->open_end, tag->close, value});
    else if (tag == nullptr)
      xml_.insert(*parent.tag, "<" + std::string(name) + ">" + value + "</" + name + ">");
  }
  void number(const XmlPlace& parent, const char* name, double before, double after) {
    if (!same(before, after)) set(parent, name, format_number(after));
  }

  void edit_inertial(const Link& read, const Link& wanted) {
    const XmlPlace inertial = child(find("link", read.name, read.origin), "inertial");
    if (inertial.tag == nullptr) return;
    const Inertial &a = read.inertial, &b = wanted.inertial;
    number(inertial, "mass", a.mass, b.mass);
    const SE3<double> T = read_pose(first(inertial.element, "pose"));
    const bool moved = !same(a.com, b.com);
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
    if (same(a.about_com, b.about_com)) return;
    const XmlPlace inertia = child(inertial, "inertia");
    number(inertia, "ixx", j.xx, k.xx), number(inertia, "iyy", j.yy, k.yy);
    number(inertia, "izz", j.zz, k.zz), number(inertia, "ixy", j.xy, k.xy);
    number(inertia, "ixz", j.xz, k.xz), number(inertia, "iyz", j.yz, k.yz);
  }

  void edit_joint(const Joint& read, const Joint& wanted) {
    if (n_v(read) != 1) return;
    const XmlPlace axis = child(find("joint", read.name, read.origin), "axis");
    if (axis.tag == nullptr) return;
    const Limits a = first_entry(read.limits), b = first_entry(wanted.limits);
    const XmlPlace limit = child(axis, "limit");
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
    const Friction f = first_entry(read.friction), g = first_entry(wanted.friction);
    const JointSpring s = first_entry(read.spring), t = first_entry(wanted.spring);
    const XmlPlace dynamics = child(axis, "dynamics");
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

  XmlPlaces places_;
  XmlEditor xml_;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  return edited_in_place<Editor>(text, read, wanted, xml_depth_limit);
}

}  // namespace torsor::internal::sdf
