#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor {
namespace {

using namespace internal::urdf;

bool is_zero(const Vec3<double>& v) { return v.x == 0 && v.y == 0 && v.z == 0; }
bool is_default_axis(const Vec3<double>& v) { return v.x == 0 && v.y == 0 && v.z == 1; }

template <class Item, std::size_t size>
bool is_default(const Item& item, const std::array<Field<Item>, size>& fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const Field<Item>& field) {
    return item.*field.member == Item{}.*field.member;
  });
}

class Writer {
 public:
  explicit Writer(const RobotDescription& robot) : robot_(robot) { place_couplings(); }

  std::string run() {
    xml_.open("robot");
    xml_.attribute("name", robot_.name);
    xml_.attribute("xmlns:torsor", extension_urn);
    if (!robot_.source.empty()) xml_.attribute("torsor:source", robot_.source);
    write_world();
    for (const Link& link : robot_.links) write_link(link);
    for (const Joint& joint : robot_.joints) write_joint(joint);
    for (const FrameOnLink& frame : robot_.frames) write_frame(frame);
    for (const LoopJoint& loop : robot_.loops) write_loop(loop);
    for (std::size_t k = 0; k < robot_.couplings.size(); ++k)
      if (!is_mimic_[k]) write_coupling(k);
    for (const SpringDamper& spring : robot_.springs) write_spring(spring);
    for (const Motor& motor : robot_.motors) write_motor(motor);
    for (const NamedConfiguration& c : robot_.configurations) write_configuration(c);
    xml_.close();
    return xml_.text();
  }

 private:
  void write_pose(const SE3<double>& T) {
    Vec3<double> rpy;
    const bool exact = internal::exact_rpy(T.R, rotation_of_rpy, rpy);
    xml_.vec3("xyz", T.p);
    xml_.vec3("rpy", rpy);
    if (!exact) {
      const SO3<double>& R = T.R;
      xml_.numbers("torsor:rotation", {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2),
                                       R(2, 0), R(2, 1), R(2, 2)});
    }
  }
  void write_origin(const SE3<double>& T) {
    Vec3<double> rpy;
    if (is_zero(T.p) && internal::exact_rpy(T.R, rotation_of_rpy, rpy) && is_zero(rpy)) return;
    xml_.open("origin");
    write_pose(T);
    xml_.close();
  }
  void write_axis(const Vec3<double>& axis) {
    xml_.open("axis");
    xml_.vec3("xyz", axis);
    xml_.close();
  }
  void write_end(const char* tag, const std::string& link) {
    xml_.open(tag);
    xml_.attribute("link", link);
    xml_.close();
  }

  void write_world() {
    if (const Vec3<double> g = RobotDescription{}.gravity; !is_zero(robot_.gravity - g)) {
      xml_.open("torsor:gravity");
      xml_.vec3("xyz", robot_.gravity);
      xml_.close();
    }
    Vec3<double> rpy;
    if (is_zero(robot_.base.p) && internal::exact_rpy(robot_.base.R, rotation_of_rpy, rpy) &&
        is_zero(rpy))
      return;
    xml_.open("torsor:base");
    write_origin(robot_.base);
    xml_.close();
  }

  void write_link(const Link& link) {
    xml_.open("link");
    xml_.attribute("name", link.name);
    const Inertial& body = link.inertial;
    if (link.has_inertial || body.mass != 0) {
      const Sym3<double>& J = body.about_com;
      xml_.open("inertial");
      write_origin({SO3<double>::identity(), body.com});
      xml_.open("mass");
      xml_.number("value", body.mass);
      xml_.close();
      xml_.open("inertia");
      xml_.number("ixx", J.xx);
      xml_.number("ixy", J.xy);
      xml_.number("ixz", J.xz);
      xml_.number("iyy", J.yy);
      xml_.number("iyz", J.yz);
      xml_.number("izz", J.zz);
      xml_.close();
      xml_.close();
    }
    for (const Geometry& geometry : link.geometry) {
      if (!geometry.rgba.empty() && geometry.rgba.size() != 4)
        throw Error(link.origin.prefix() + "link " + in_quotes(link.name) + ": a colour has " +
                    std::to_string(geometry.rgba.size()) + " numbers, not 4");
      write_geometry(geometry);
    }
    xml_.close();
  }

  void write_geometry(const Geometry& geometry) {
    xml_.open(geometry.collision ? "collision" : "visual");
    if (!geometry.name.empty()) xml_.attribute("name", geometry.name);
    // Other readers refuse a material whose colour they have not seen.
    if (geometry.rgba.empty() && !geometry.material.empty())
      xml_.attribute("torsor:material", geometry.material);
    write_origin(geometry.placement);
    xml_.open("geometry");
    write_shape(geometry);
    xml_.close();
    if (!geometry.rgba.empty()) {
      xml_.open("material");
      xml_.attribute("name", geometry.material);
      xml_.open("color");
      xml_.numbers("rgba", geometry.rgba);
      xml_.close();
      xml_.close();
    }
    xml_.close();
  }
  void write_shape(const Geometry& geometry) {
    switch (geometry.shape) {
      case Geometry::Shape::box:
        xml_.open("box");
        xml_.vec3("size", geometry.size);
        break;
      case Geometry::Shape::sphere:
        xml_.open("sphere");
        xml_.number("radius", geometry.size.x);
        break;
      case Geometry::Shape::cylinder:
      case Geometry::Shape::capsule:
        xml_.open("cylinder");  // <capsule> would make other readers refuse the link
        xml_.number("radius", geometry.size.x);
        xml_.number("length", geometry.size.y);
        if (geometry.shape == Geometry::Shape::capsule) xml_.attribute("torsor:capsule", "true");
        break;
      case Geometry::Shape::mesh:
        xml_.open("mesh");
        xml_.attribute("filename", geometry.mesh_file);
        if (!is_zero(geometry.size - Vec3<double>{1, 1, 1})) xml_.vec3("scale", geometry.size);
        break;
    }
    xml_.close();
  }

  void write_joint(const Joint& joint) {
    const bool own = !in_urdf(joint.kind);
    if (joint.kind != JointKind::composite && !joint.parts.empty())
      fail(joint, "only a composite joint has parts");
    xml_.open("joint");
    xml_.attribute("name", joint.name);
    xml_.attribute("type", urdf_type(joint.kind));
    write_origin(joint.placement);
    write_end("parent", joint.parent);
    write_end("child", joint.child);
    if (has_axis(joint.kind) || !is_default_axis(joint.axis)) write_axis(joint.axis);
    const bool has_details = joint.pitch != 0 || joint.order != EulerOrder::zyx;
    if (own || has_details) write_kind(joint);
    write_limits(joint);
    write_friction(joint);
    if (const auto mimic = mimic_of_.find(joint.name); mimic != mimic_of_.end())
      write_mimic(joint, mimic->second);
    write_dofs("torsor:actuator", joint, joint.actuator, actuator_fields);
    write_dofs("torsor:spring", joint, joint.spring, spring_fields);
    xml_.close();
  }

  template <class Item>
  void write_kind_attributes(const Item& item) {
    xml_.attribute("kind", name_of(item.kind));
    if (item.pitch != 0) xml_.number("pitch", item.pitch);
    if (item.order != EulerOrder::zyx) xml_.attribute("order", name_of(item.order));
  }
  void write_kind(const Joint& joint) {
    xml_.open("torsor:joint");
    write_kind_attributes(joint);
    for (const JointPart& part : joint.parts) {
      xml_.open("torsor:part");
      write_kind_attributes(part);
      write_origin(part.placement);
      if (!is_default_axis(part.axis)) write_axis(part.axis);
      xml_.close();
    }
    xml_.close();
  }

  /// One element for each degree of freedom that has something to say.
  template <class Item, std::size_t size>
  void write_dofs(const char* tag, const Joint& joint, const std::vector<Item>& items,
                  const std::array<Field<Item>, size>& fields) {
    check_size(joint, tag, items.size());
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (is_default(items[k], fields)) continue;
      xml_.open(tag);
      if (items.size() > 1) xml_.number("dof", static_cast<double>(k));
      for (const auto& field : fields)
        if (items[k].*field.member != Item{}.*field.member)
          xml_.number(field.name, items[k].*field.member);
      xml_.close();
    }
  }
  [[noreturn]] static void fail(const Joint& joint, const std::string& message) {
    throw Error(joint.origin.prefix() + "joint " + in_quotes(joint.name) + ": " + message);
  }
  static void check_size(const Joint& joint, const std::string& what, std::size_t size) {
    const auto n = static_cast<std::size_t>(n_v(joint));
    if (size != 0 && size != n)
      fail(joint, what + " has " + std::to_string(size) + " entries, the joint has " +
                      std::to_string(n) + " degrees of freedom");
  }

  void write_limits(const Joint& joint) {
    if (!is_plain(joint.kind)) {
      write_dofs("torsor:limit", joint, joint.limits, limit_fields);
      return;
    }
    check_size(joint, "limits", joint.limits.size());
    const Limits limits = joint.limits.empty() ? Limits{} : joint.limits[0];
    const bool turns_freely = joint.kind == JointKind::continuous;
    if (turns_freely && is_default(limits, limit_fields)) return;

    std::string unlimited;
    const auto write = [&](const char* name, double value, double none) {
      if (value != none) return xml_.number(name, value);
      if (!unlimited.empty()) unlimited += ' ';
      unlimited += name;
      xml_.number(name, std::copysign(as_good_as_unlimited, none));
    };
    const auto write_own = [&](const char* name, double value, double none) {
      if (value != none) xml_.number(name, value);
    };
    xml_.open("limit");
    if (turns_freely) {
      write_own("torsor:lower", limits.lower, -infinity);
      write_own("torsor:upper", limits.upper, infinity);
    } else {
      write("lower", limits.lower, -infinity);
      write("upper", limits.upper, infinity);
    }
    write("effort", limits.effort, infinity);
    write("velocity", limits.velocity, infinity);
    write_own("torsor:acceleration", limits.acceleration, infinity);
    write_own("torsor:jerk", limits.jerk, infinity);
    if (!unlimited.empty()) xml_.attribute("torsor:unlimited", unlimited);
    xml_.close();
  }

  void write_friction(const Joint& joint) {
    if (!is_plain(joint.kind)) {
      write_dofs("torsor:friction", joint, joint.friction, friction_fields);
      return;
    }
    check_size(joint, "friction", joint.friction.size());
    if (joint.friction.empty() || is_default(joint.friction[0], friction_fields)) return;
    const Friction& f = joint.friction[0];
    xml_.open("dynamics");
    xml_.number("damping", f.damping);
    xml_.number("friction", f.coulomb);
    for (std::size_t k = 2; k < friction_fields.size(); ++k)
      if (const double value = f.*friction_fields[k].member; value != 0)
        xml_.number((std::string(extension_prefix) + friction_fields[k].name).c_str(), value);
    xml_.close();
  }

  /// Which couplings other readers can have as <mimic>: q - multiplier q_other = offset, one a
  /// joint and not round in circles. Rows are numbered if reading would find them in another order.
  void place_couplings() {
    const std::size_t n = robot_.couplings.size();
    is_mimic_.assign(n, false);
    std::unordered_map<std::string, std::size_t> place;
    std::unordered_map<std::string, std::string> follows;
    for (const Joint& joint : robot_.joints)
      if (is_plain(joint.kind)) place.emplace(joint.name, place.size());
    std::vector<std::size_t> reading_order;
    for (std::size_t k = 0; k < n; ++k) {
      const Coupling& c = robot_.couplings[k];
      if (c.terms.size() != 2 || c.terms[0].factor != 1 || mimic_of_.contains(c.terms[0].joint) ||
          !place.contains(c.terms[0].joint))
        continue;
      std::string leader = c.terms[1].joint;
      while (leader != c.terms[0].joint && follows.contains(leader)) leader = follows[leader];
      if (leader == c.terms[0].joint) continue;
      is_mimic_[k] = true;
      mimic_of_[c.terms[0].joint] = k;
      follows[c.terms[0].joint] = c.terms[1].joint;
      reading_order.push_back(k);
    }
    std::stable_sort(reading_order.begin(), reading_order.end(), [&](std::size_t a, std::size_t b) {
      return place[robot_.couplings[a].terms[0].joint] < place[robot_.couplings[b].terms[0].joint];
    });
    for (std::size_t k = 0; k < n; ++k)
      if (!is_mimic_[k]) reading_order.push_back(k);
    number_rows_ = !std::is_sorted(reading_order.begin(), reading_order.end());
  }

  void write_mimic(const Joint& joint, std::size_t k) {
    const Coupling& c = robot_.couplings[k];
    xml_.open("mimic");
    xml_.attribute("joint", c.terms[1].joint);
    xml_.number("multiplier", -c.terms[1].factor);
    xml_.number("offset", c.offset);
    if (c.name != mimic_name(joint.name)) xml_.attribute("torsor:name", c.name);
    if (number_rows_) xml_.number("torsor:row", static_cast<double>(k));
    xml_.close();
  }
  void write_terms(const std::vector<Coupling::Term>& terms, const char* factor) {
    for (const Coupling::Term& term : terms) {
      xml_.open("torsor:term");
      xml_.attribute("joint", term.joint);
      xml_.number(factor, term.factor);
      xml_.close();
    }
  }
  /// One of two ends, on a link.
  void write_end(const char* tag, const std::string& link, const std::function<void()>& place) {
    xml_.open(tag);
    xml_.attribute("link", link);
    place();
    xml_.close();
  }
  void write_coupling(std::size_t k) {
    const Coupling& c = robot_.couplings[k];
    xml_.open("torsor:coupling");
    xml_.attribute("name", c.name);
    if (c.offset != 0) xml_.number("offset", c.offset);
    if (number_rows_) xml_.number("row", static_cast<double>(k));
    write_terms(c.terms, "factor");
    xml_.close();
  }

  void write_frame(const FrameOnLink& frame) {
    xml_.open("torsor:frame");
    xml_.attribute("name", frame.name);
    xml_.attribute("link", frame.link);
    write_origin(frame.placement);
    xml_.close();
  }
  void write_loop(const LoopJoint& loop) {
    xml_.open("torsor:loop");
    xml_.attribute("name", loop.name);
    xml_.attribute("kind", name_of(loop.kind));
    if (loop.distance != 0) xml_.number("distance", loop.distance);
    write_end("torsor:a", loop.link_a, [&] { write_pose(loop.placement_a); });
    write_end("torsor:b", loop.link_b, [&] { write_pose(loop.placement_b); });
    if (!is_default_axis(loop.axis)) write_axis(loop.axis);
    xml_.close();
  }
  void write_spring(const SpringDamper& spring) {
    xml_.open("torsor:spring_damper");
    xml_.attribute("name", spring.name);
    xml_.number("stiffness", spring.stiffness);
    xml_.number("rest_length", spring.rest_length);
    xml_.number("damping", spring.damping);
    if (spring.preload != 0) xml_.number("preload", spring.preload);
    write_end("torsor:a", spring.link_a, [&] { xml_.vec3("xyz", spring.point_a); });
    write_end("torsor:b", spring.link_b, [&] { xml_.vec3("xyz", spring.point_b); });
    xml_.close();
  }

  void write_motor(const Motor& motor) {
    xml_.open("torsor:motor");
    xml_.attribute("name", motor.name);
    xml_.number("rotor_inertia", motor.rotor_inertia);
    write_terms(motor.ratios, "ratio");
    if (!is_default(motor.friction, friction_fields)) {
      xml_.open("torsor:friction");
      for (const auto& field : friction_fields)
        if (const double value = motor.friction.*field.member; value != 0)
          xml_.number(field.name, value);
      xml_.close();
    }
    xml_.close();
  }

  void write_configuration(const NamedConfiguration& configuration) {
    xml_.open("torsor:configuration");
    xml_.attribute("name", configuration.name);
    for (const NamedConfiguration::Entry& entry : configuration.entries) {
      xml_.open("torsor:position");
      xml_.attribute("joint", entry.joint);
      xml_.numbers("q", entry.q);
      xml_.close();
    }
    xml_.close();
  }

  const RobotDescription& robot_;
  XmlWriter xml_;
  std::vector<bool> is_mimic_;
  std::unordered_map<std::string, std::size_t> mimic_of_;  // coupling by joint
  bool number_rows_ = false;
};

}  // namespace

std::string write_urdf(const RobotDescription& robot) {
  (void)check_tree(robot);
  return Writer(robot).run();
}

void save_urdf(const RobotDescription& robot, const std::string& path) {
  write_text_file_atomically(path, write_urdf(robot));
}

}  // namespace torsor
