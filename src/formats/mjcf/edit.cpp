// Numbers that changed, put where they stand in the text of an MJCF file.
//
// Elements of the main file alone are edited, by attributes of their own; what a class of defaults or an
// included file says is said again in the element, or left as it is, which save_edited finds out.
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <tuple>

#include "mjcf/edit.hpp"
#include "mjcf/reader.hpp"
#include "torsor/formats/internal/xml_text.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a + 0.0) == std::bit_cast<std::uint64_t>(b + 0.0);
}
bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}
bool same(const Sym3<double>& a, const Sym3<double>& b) {
  return same(Vec3<double>{a.xx, a.xy, a.yy}, {b.xx, b.xy, b.yy}) &&
         same(Vec3<double>{a.xz, a.yz, a.zz}, {b.xz, b.yz, b.zz});
}
bool same(const SE3<double>& a, const SE3<double>& b) {
  return same(a.p, b.p) && same(a.R.c0, b.R.c0) && same(a.R.c1, b.R.c1) && same(a.R.c2, b.R.c2);
}
std::string numbers(std::initializer_list<double> list) {
  std::string text;
  for (const double x : list) text += (text.empty() ? "" : " ") + format_number(x + 0.0);
  return text;
}
std::string numbers(const Vec3<double>& v) { return numbers({v.x, v.y, v.z}); }

constexpr const char* turns[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};

struct Place {
  XmlElement element;
  const XmlTag* tag = nullptr;
};

class Editor {
 public:
  Editor(const XmlElement& root, const XmlTag& tag, const std::string& file) : file_(file) {
    collect({root, &tag});
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
      if (const Place site = find("site", read.frames[k].name, read.frames[k].origin); site.tag)
        edit_pose(site, read.frames[k].placement, wanted.frames[k].placement);
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
  /// By its name, or by its line alone where it has none.
  Place find(const char* tag, const std::string& name, const Origin& origin) const {
    if (origin.file != file_) return {};
    for (const std::string& key : {name, std::string()})
      if (const auto at = places_.find({tag, key, origin.line}); at != places_.end())
        return at->second;
    return {};
  }

  void edit_inertial(const Link& read, const Link& wanted) {
    const Inertial &a = read.inertial, &b = wanted.inertial;
    const bool moved = !same(a.mass, b.mass) || !same(a.com, b.com);
    if (!moved && same(a.about_com, b.about_com)) return;
    const Place body = find("body", read.name, read.origin);
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
  void edit_pose(const Place& at, const SE3<double>& read, const SE3<double>& wanted) {
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

  template <class Entry>
  static Entry first(const std::vector<Entry>& entries) {
    return entries.empty() ? Entry{} : entries[0];
  }

  void edit_joint(const RobotDescription& robot, const Joint& read, const Joint& wanted) {
    const bool hinge = read.kind == JointKind::revolute || read.kind == JointKind::continuous;
    if (!same(read.placement, wanted.placement)) {
      const Link* child = robot.find_link(read.child);
      if (child != nullptr)
        if (const Place body = find("body", child->name, child->origin); body.tag != nullptr)
          edit_pose(body, read.placement, wanted.placement);
    }
    if (n_v(read) != 1) return;
    const Place at = find("joint", read.name, read.origin);
    if (at.tag == nullptr) return;
    if (!same(read.axis, wanted.axis)) xml_.set(*at.tag, "axis", numbers(wanted.axis));
    const Limits a = first(read.limits), b = first(wanted.limits);
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
    const Friction f = first(read.friction), g = first(wanted.friction);
    number("damping", f.damping, g.damping);
    number("frictionloss", f.coulomb, g.coulomb);
    number("armature", first(read.actuator).rotor_inertia, first(wanted.actuator).rotor_inertia);
    const JointSpring s = first(read.spring), t = first(wanted.spring);
    number("stiffness", s.stiffness, t.stiffness);
    number("springref", s.rest * unit, t.rest * unit);
  }

  const std::string& file_;
  Compiler compiler_;
  std::map<Key, Place> places_;
  XmlEditor xml_;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  const std::string file = read.origin.file;
  const XmlDocument document(text, file, nullptr, xml_deep_limit);
  const std::unique_ptr<XmlTag> root = scan_xml(text);
  if (root == nullptr) return text;
  try {
    return edited(text, Editor(document.root(), *root, file).run(read, wanted, text));
  } catch (const Error&) {  // of a part that cannot be read: its finding stands
    return text;
  }
}

}  // namespace torsor::internal::mjcf
