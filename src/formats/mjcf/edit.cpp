// Numbers that changed, put where they stand in the text of an MJCF file.
//
// Elements of the main file alone are edited, by attributes of their own; what a class of defaults or an
// included file says is said again in the element, or left as it is, which save_edited finds out.
#include <cmath>
#include <numbers>

#include "mjcf/edit.hpp"
#include "mjcf/reader.hpp"
#include "torsor/formats/text.hpp"
#include "xml_places.hpp"

namespace torsor::internal::mjcf {
namespace {

std::string numbers(std::initializer_list<double> list) {
  std::string text;
  for (const double x : list) text += (text.empty() ? "" : " ") + format_number(x + 0.0);
  return text;
}
std::string numbers(const Vec3<double>& v) { return numbers({v.x, v.y, v.z}); }

constexpr const char* turns[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};

class Editor {
 public:
  Editor(const XmlElement& root, const XmlTag& tag, const std::string& file)
      : places_(root, tag, file) {
    for (const XmlElement& c : root.children("compiler")) {
      const Attributes a(c, "", nullptr);
      compiler_.degrees = a.text("angle", compiler_.degrees ? "degree" : "radian") != "radian";
      compiler_.euler = a.text("eulerseq", compiler_.euler);
    }
    if (compiler_.euler.size() != 3) compiler_.euler = "xyz";
  }

  std::vector<TextEdit> run(const RobotDescription& read, const RobotDescription& wanted,
                            std::string_view text) {
    for (std::size_t k = 0; k < std::min(read.links.size(), wanted.links.size()); ++k)
      edit_inertial(read.links[k], wanted.links[k]);
    for (std::size_t k = 0; k < std::min(read.joints.size(), wanted.joints.size()); ++k)
      edit_joint(read, read.joints[k], wanted.joints[k]);
    for (std::size_t k = 0; k < std::min(read.frames.size(), wanted.frames.size()); ++k)
      if (const XmlPlace site = find("site", read.frames[k].name, read.frames[k].origin); site.tag)
        edit_pose(site, read.frames[k].placement, wanted.frames[k].placement);
    return xml_.take(text);
  }

 private:
  /// By its name, or by its line alone where it has none.
  XmlPlace find(const char* tag, const std::string& name, const Origin& origin) const {
    const XmlPlace named = places_.find(tag, name, origin);
    return named ? named : places_.find(tag, "", origin);
  }

  void edit_inertial(const Link& read, const Link& wanted) {
    const Inertial &a = read.inertial, &b = wanted.inertial;
    const bool moved = !same(a.mass, b.mass) || !same(a.com, b.com);
    if (!moved && same(a.about_com, b.about_com)) return;
    const XmlPlace body = find("body", read.name, read.origin);
    if (body.tag == nullptr) return;
    const Sym3<double>& J = b.about_com;
    const std::string full = numbers({J.xx, J.yy, J.zz, J.xy, J.xz, J.yz});
    const XmlTag* inertial = body.tag->child("inertial");
    if (inertial == nullptr) {
      xml_.insert(*body.tag, "<inertial pos=\"" + numbers(b.com) + "\" mass=\"" +
                                 format_number(b.mass) + "\" fullinertia=\"" + full + "\"/>");
      return;
    }
    if (!same(a.mass, b.mass)) xml_.set(*inertial, "mass", format_number(b.mass));
    if (!same(a.com, b.com)) xml_.set(*inertial, "pos", numbers(b.com));
    if (same(a.about_com, J)) return;
    const XmlElement element = body.element.children("inertial")[0];
    const SO3<double> R = read_orientation(Attributes(element, "inertial", nullptr), compiler_);
    const Sym3<double> j = rotated(transpose(R), J);
    const double rounding = 1e-14 * std::abs(trace(j));
    const bool diagonal = inertial->find("fullinertia") == nullptr && std::abs(j.xy) <= rounding &&
                          std::abs(j.xz) <= rounding && std::abs(j.yz) <= rounding;
    if (diagonal) return xml_.set(*inertial, "diaginertia", numbers({j.xx, j.yy, j.zz}));
    for (const char* name : turns)
      if (inertial->find(name) != nullptr) xml_.remove(*inertial, name);
    if (inertial->find("diaginertia") != nullptr) xml_.remove(*inertial, "diaginertia");
    xml_.set(*inertial, "fullinertia", full);
  }

  /// The element's own pose is changed by what the change is in the frame around it.
  void edit_pose(const XmlPlace& at, const SE3<double>& read, const SE3<double>& wanted) {
    if (same(read, wanted)) return;
    const SE3<double> own = read_pose(Attributes(at.element, "", nullptr), compiler_);
    const SE3<double> T = wanted * inverse(read) * own;
    if (!same(read.p, wanted.p) || norm(own.p) > 0) xml_.set(*at.tag, "pos", numbers(T.p));
    if (same(SE3<double>{read.R, {}}, {wanted.R, {}})) return;
    for (const char* name : turns)
      if (std::string_view(name) != "quat" && at.tag->find(name) != nullptr)
        xml_.remove(*at.tag, name);
    const Quaternion<double> q = quaternion(T.R);
    xml_.set(*at.tag, "quat", numbers({q.w, q.x, q.y, q.z}));
  }

  void edit_joint(const RobotDescription& robot, const Joint& read, const Joint& wanted) {
    const bool hinge = read.kind == JointKind::revolute || read.kind == JointKind::continuous;
    if (!same(read.placement, wanted.placement)) {
      const Link* child = robot.find_link(read.child);
      if (child != nullptr)
        if (const XmlPlace body = find("body", child->name, child->origin); body.tag != nullptr)
          edit_pose(body, read.placement, wanted.placement);
    }
    if (n_v(read) != 1) return;
    const XmlPlace at = find("joint", read.name, read.origin);
    if (at.tag == nullptr) return;
    if (!same(read.axis, wanted.axis)) xml_.set(*at.tag, "axis", numbers(wanted.axis));
    const Limits a = first_entry(read.limits), b = first_entry(wanted.limits);
    const double unit = hinge && compiler_.degrees ? 180 / std::numbers::pi : 1;
    if (!same(a.lower, b.lower) || !same(a.upper, b.upper)) {
      if (b.lower > -infinity && b.upper < infinity)
        xml_.set(*at.tag, "range", numbers({b.lower * unit, b.upper * unit}));
      else if (at.tag->find("range") != nullptr)
        xml_.remove(*at.tag, "range");
    }
    const auto number = [&](const char* name, double before, double after) {
      if (!same(before, after)) xml_.set(*at.tag, name, format_number(after));
    };
    const Friction f = first_entry(read.friction), g = first_entry(wanted.friction);
    number("damping", f.damping, g.damping);
    number("frictionloss", f.coulomb, g.coulomb);
    number("armature", first_entry(read.actuator).rotor_inertia,
           first_entry(wanted.actuator).rotor_inertia);
    const JointSpring s = first_entry(read.spring), t = first_entry(wanted.spring);
    number("stiffness", s.stiffness, t.stiffness);
    number("springref", s.rest * unit, t.rest * unit);
  }

  XmlPlaces places_;
  Compiler compiler_;
  XmlEditor xml_;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  return edited_in_place<Editor>(text, read, wanted, xml_deep_limit);
}

}  // namespace torsor::internal::mjcf
