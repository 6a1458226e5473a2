#include "robot_file/edit_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "robot_file/fields.hpp"
#include "rpy.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

using Kind = YamlNode::Kind;

double in_file(double angle, bool degrees) {
  return degrees ? angle * 180 / std::numbers::pi : angle;
}
/// a - b; NaN is what was no number in the file, and the same as itself.
Vec3<double> apart(const Vec3<double>& a, const Vec3<double>& b) {
  Vec3<double> d;
  for (int k = 0; k < 3; ++k) d[k] = std::isnan(a[k]) && std::isnan(b[k]) ? 0 : a[k] - b[k];
  return d;
}
bool same(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  const double known = std::isnan(tolerance) ? 1e-15 : tolerance;  // of lengths that are NaN
  return norm(apart(a, b)) <= known;
}
bool same(const Sym3<double>& a, const Sym3<double>& b, double tolerance) {
  return same(Vec3<double>{a.xx, a.yy, a.zz}, {b.xx, b.yy, b.zz}, tolerance) &&
         same(Vec3<double>{a.xy, a.xz, a.yz}, {b.xy, b.xz, b.yz}, tolerance);
}
bool same(const SO3<double>& A, const SO3<double>& B) {
  double most = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) most = std::max(most, std::abs(A(r, c) - B(r, c)));
  return most <= 1e-15;
}

std::string list(const Vec3<double>& v) {
  return "[" + format_number(v.x + 0.0) + ", " + format_number(v.y + 0.0) + ", " +
         format_number(v.z + 0.0) + "]";
}
/// The value of a key, or a new key.
void set(YamlText& out, const YamlNode& map, const std::string& key, double value) {
  if (const YamlNode* const here = map.find(key))
    out.set(*here, value);
  else if (!std::isnan(value))
    out.insert(map, key + ": " + format_number(value));
}
void set(YamlText& out, const YamlNode& map, const std::string& key, const Vec3<double>& value) {
  const YamlNode* const here = map.find(key);
  if (here == nullptr)
    return out.insert(map, key + ": " + list(value), key == "com" ? map.find("mass") : nullptr);
  for (int k = 0; k < 3 && here->items.size() == 3; ++k)
    out.set(here->items[static_cast<std::size_t>(k)], value[k]);
}

/// The inertia matrix in the form that stands there; three numbers become a map where there are products.
void set_inertia(YamlText& out, const YamlNode& element, const Sym3<double>& J) {
  const double m[3][3] = {{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}};
  const bool has_products = J.xy != 0 || J.xz != 0 || J.yz != 0;
  YamlFields map = YamlFields("inertia").leave_unread();
  map.number("xx", J.xx).number("yy", J.yy).number("zz", J.zz);
  map.number("xy", J.xy).number("xz", J.xz).number("yz", J.yz);
  const YamlNode* const inertia = element.find("inertia");
  if (inertia == nullptr) {
    if (!map.empty()) out.insert(element, "inertia: " + map.flow(), element.find("mass"));
    return;
  }
  const std::vector<YamlNode>& items = inertia->items;
  if (inertia->kind == Kind::map) {
    for (int r = 0; r < 3; ++r)
      for (int c = r; c < 3; ++c) {
        const std::string key = std::string(1, "xyz"[r]) + "xyz"[c];
        if (inertia->find(key) != nullptr || m[r][c] != 0) set(out, *inertia, key, m[r][c]);
      }
  } else if (items.size() == 6) {
    constexpr int order[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (std::size_t k = 0; k < 6; ++k) out.set(items[k], m[order[k][0]][order[k][1]]);
  } else if (items.size() == 3 && items[0].kind == Kind::scalar && has_products) {
    out.replace(*inertia, map.flow());
  } else if (items.size() == 3) {
    for (std::size_t r = 0; r < 3; ++r) {
      if (items[r].kind == Kind::scalar) out.set(items[r], m[r][r]);
      for (std::size_t c = 0; c < items[r].items.size() && c < 3; ++c)
        out.set(items[r].items[c], m[r][c]);
    }
  }
}

std::string key_of(const std::string& field) { return field.substr(0, field.find(':')); }

/// Fields of one degree of freedom that differ. One that is left out has its default.
void set_fields(YamlText& out, const YamlNode& map, const YamlFields& read,
                const YamlFields& wanted) {
  const auto has_key = [](const YamlFields& in, const std::string& key) {
    return std::any_of(in.fields().begin(), in.fields().end(),
                       [&](const std::string& f) { return key_of(f) == key; });
  };
  for (const std::string& field : wanted.fields()) {
    if (std::find(read.fields().begin(), read.fields().end(), field) != read.fields().end())
      continue;
    const std::string key = key_of(field);
    if (const YamlNode* const here = map.find(key))
      out.replace(*here, field.substr(key.size() + 2));
    else
      out.insert(map, field);
  }
  for (const std::string& field : read.fields())
    if (const std::string key = key_of(field); !has_key(wanted, key))
      if (const YamlNode* const here = map.find(key)) out.set(*here, key == "gear_ratio" ? 1 : 0);
}

/// One map for all degrees of freedom, a list with one each, or nothing yet.
template <class Entry>
void edit_entries(YamlText& out, const YamlNode& element, const char* key,
                  const std::vector<Entry>& read, const std::vector<Entry>& wanted) {
  const YamlFields none = YamlFields(key).leave_unread();
  const auto fields = [&](const std::vector<Entry>& from, std::size_t k) {
    return dof_fields(none, k < from.size() ? from[k] : Entry{});
  };
  const auto same_fields = [&](const YamlFields& a, const YamlFields& b) {
    return a.fields() == b.fields();
  };
  const std::size_t n = std::max(read.size(), wanted.size());
  bool changed = false, alike = true;
  for (std::size_t k = 0; k < n; ++k) {
    changed = changed || !same_fields(fields(read, k), fields(wanted, k));
    alike = alike && same_fields(fields(wanted, k), fields(wanted, 0));
  }
  if (!changed) return;
  const auto all = [&] {
    if (n == 1) return fields(wanted, 0).flow();
    std::string text;
    for (std::size_t k = 0; k < n; ++k) text += (k == 0 ? "" : ", ") + fields(wanted, k).flow();
    return "[" + text + "]";
  };
  const YamlNode* const here = element.find(key);
  if (here == nullptr) return out.insert(element, std::string(key) + ": " + all());
  if (here->kind == Kind::sequence) {
    for (std::size_t k = 0; k < std::min(n, here->items.size()); ++k)
      set_fields(out, here->items[k], fields(read, k), fields(wanted, k));
  } else if (here->kind == Kind::map && (n == 1 || alike)) {
    set_fields(out, *here, fields(read, 0), fields(wanted, 0));
  } else {
    out.replace(*here, all());
  }
}

}  // namespace

void edit_inertial(YamlText& out, const YamlNode& element, const Inertial& read,
                   const Inertial& wanted) {
  const double length = 1e-15 * (1 + norm(read.com) + norm(wanted.com));
  const double turn = 1e-15 * (std::abs(trace(read.about_com)) + std::abs(trace(wanted.about_com)));
  const bool mass = read.mass != wanted.mass && !std::isnan(wanted.mass);
  const bool com = !same(read.com, wanted.com, length);
  const YamlNode* const about = element.find("inertia_about");
  const bool at_origin = about != nullptr && about->text == "origin";
  const bool inertia =
      !same(read.about_com, wanted.about_com, turn) || (at_origin && (mass || com));
  if (!mass && !com && !inertia) return;
  if (element.find("mass") == nullptr) {
    YamlFields fields("body");
    add_inertial(fields, wanted);
    for (const std::string& field : fields.fields()) out.insert(element, field);
    return;
  }
  if (mass) set(out, element, "mass", wanted.mass);
  if (com) set(out, element, "com", wanted.com);
  if (!inertia || std::isnan(trace(wanted.about_com))) return;
  Sym3<double> J = wanted.about_com;
  if (at_origin) J = J + Inertia<double>::parallel_axes(wanted.mass, wanted.com);
  const double rounding = 1e-15 * std::abs(trace(J));
  for (double* x : {&J.xx, &J.xy, &J.yy, &J.xz, &J.yz, &J.zz})
    if (std::abs(*x) < rounding) *x = 0;
  set_inertia(out, element, J);
}

void edit_dofs(YamlText& out, const YamlNode& element, const Joint& read, const Joint& wanted,
               bool degrees) {
  edit_entries(out, element, "friction", read.friction, wanted.friction);
  edit_entries(out, element, "actuator", read.actuator, wanted.actuator);
  const auto as_in_file = [&](const Joint& joint) {
    std::vector<JointSpring> springs = joint.spring;
    for (std::size_t k = 0; degrees && k < springs.size(); ++k)
      if (joint.parts.empty() &&
          velocity_measure(joint.kind, static_cast<int>(k)) == Measure::angle)
        springs[k].rest = in_file(springs[k].rest, true);
    return springs;
  };
  edit_entries(out, element, "spring", as_in_file(read), as_in_file(wanted));
}

void edit_pose(YamlText& out, const YamlNode& element, const char* key, const SE3<double>& read,
               const SE3<double>& wanted, bool degrees) {
  const bool moved = !same(read.p, wanted.p, 1e-15 * (1 + norm(read.p) + norm(wanted.p)));
  const bool turned = !same(read.R, wanted.R);
  if (!moved && !turned) return;
  const YamlNode* const here = element.find(key);
  Vec3<double> rpy = rpy_of(wanted.R);
  for (int k = 0; k < 3; ++k) rpy[k] = in_file(rpy[k], degrees);
  if (here == nullptr || here->kind != Kind::map) {
    std::string pose = "{xyz: " + list(wanted.p);
    if (!same(wanted.R, SO3<double>::identity())) pose += ", rpy: " + list(rpy);
    return out.insert(element, std::string(key) + ": " + pose + "}");
  }
  if (const YamlNode* const rows = here->find("matrix")) {
    for (int r = 0; r < 3 && rows->items.size() == 4; ++r)
      for (int c = 0; c < 4; ++c)
        out.set(rows->items[static_cast<std::size_t>(r)].items[static_cast<std::size_t>(c)],
                c < 3 ? wanted.R(r, c) : wanted.p[r]);
    return;
  }
  if (moved) set(out, *here, "xyz", wanted.p);
  if (!turned) return;
  const YamlNode* const quaternion_node = here->find("quaternion");
  if (quaternion_node == nullptr) return set(out, *here, "rpy", rpy);
  const Quaternion<double> q = quaternion(wanted.R);
  const double entries[4] = {q.x, q.y, q.z, q.w};
  for (std::size_t k = 0; k < 4 && quaternion_node->items.size() == 4; ++k)
    out.set(quaternion_node->items[k], entries[k]);
}

void edit_others(YamlText& out, const YamlNode& root, const RobotDescription& read,
                 const RobotDescription& wanted, bool degrees) {
  edit_pose(out, root, "base", read.base, wanted.base, degrees);
  if (!same(read.gravity, wanted.gravity, 0)) set(out, root, "gravity", wanted.gravity);
  const YamlNode *const frames = root.find("frames"), *const springs = root.find("springs");
  for (std::size_t k = 0; frames != nullptr && k < read.frames.size(); ++k)
    for (const YamlNode& item : frames->items)
      if (const YamlNode* const name = item.find("name");
          name != nullptr && name->text == read.frames[k].name && k < wanted.frames.size())
        edit_pose(out, item, "placement", read.frames[k].placement, wanted.frames[k].placement,
                  degrees);
  for (std::size_t k = 0; springs != nullptr && k < read.springs.size(); ++k) {
    if (k >= springs->items.size() || k >= wanted.springs.size()) break;
    const SpringDamper &a = read.springs[k], &b = wanted.springs[k];
    const std::pair<const char*, double SpringDamper::*> fields[] = {
        {"stiffness", &SpringDamper::stiffness},
        {"rest_length", &SpringDamper::rest_length},
        {"damping", &SpringDamper::damping},
        {"preload", &SpringDamper::preload}};
    for (const auto& [name, member] : fields)
      if (a.*member != b.*member) set(out, springs->items[k], name, b.*member);
  }
  const YamlNode* const motors = root.find("motors");
  for (std::size_t k = 0; motors != nullptr && k < read.motors.size(); ++k) {
    if (k >= motors->items.size() || k >= wanted.motors.size()) break;
    const Motor &a = read.motors[k], &b = wanted.motors[k];
    if (a.rotor_inertia != b.rotor_inertia)
      set(out, motors->items[k], "rotor_inertia", b.rotor_inertia);
    edit_entries(out, motors->items[k], "friction", std::vector{a.friction}, {b.friction});
  }
}

std::string new_motors(const std::string& text, const YamlNode& root,
                       const RobotDescription& wanted) {
  if (root.find("motors") != nullptr || wanted.motors.empty() || root.flow) return {};
  const std::size_t first = root.key_begins[0];
  const std::size_t line = first == 0 ? 0 : text.rfind('\n', first - 1) + 1;
  const auto indent = static_cast<int>(first - line);
  std::string lines =
      std::string(text.ends_with('\n') ? "" : "\n") + std::string(first - line, ' ') + "motors:\n";
  for (const Motor& motor : wanted.motors) lines += motor_fields(motor).block(indent + 2, "- ");
  if (text.find("\r\n") == std::string::npos) return lines;
  std::string windows;
  for (const char c : lines) windows += c == '\n' ? "\r\n" : std::string(1, c);
  return windows;
}

}  // namespace torsor::internal::robot_file
