#pragma once
/// Whether two robot descriptions say the same, to the last bit of every number; where they were
/// read from does not matter, nor do entries that only repeat the defaults.
#include <bit>
#include <cstdint>
#include <string>

#include "torsor/model/description.hpp"

namespace torsor::testing {

/// Collects what differs, one line each.
class Difference {
 public:
  std::string text;

  void at(const std::string& where, double a, double b) {
    if (a == 0 && b == 0) return;  // the sign of a zero is not kept in rotations
    if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b))
      text += where + ": " + std::to_string(a) + " and " + std::to_string(b) + "\n";
  }
  void at(const std::string& where, const std::string& a, const std::string& b) {
    if (a != b) text += where + ": \"" + a + "\" and \"" + b + "\"\n";
  }
  void at(const std::string& where, const Vec3<double>& a, const Vec3<double>& b) {
    for (int k = 0; k < 3; ++k) at(where + "[" + std::to_string(k) + "]", a[k], b[k]);
  }
  void at(const std::string& where, const SE3<double>& a, const SE3<double>& b) {
    at(where + ".p", a.p, b.p);
    for (int k = 0; k < 3; ++k) at(where + ".R column " + std::to_string(k), a.R[k], b.R[k]);
  }
  void at(const std::string& where, const Inertial& a, const Inertial& b) {
    at(where + ".mass", a.mass, b.mass);
    at(where + ".com", a.com, b.com);
    const Mat3<double> A = a.about_com.matrix(), B = b.about_com.matrix();
    for (int k = 0; k < 3; ++k) at(where + ".about_com", A[k], B[k]);
  }
  void at(const std::string& where, const Geometry& a, const Geometry& b) {
    using Shape = Geometry::Shape;
    kind(where + ".shape", a.shape, b.shape);
    kind(where + ".collision", a.collision, b.collision);
    at(where + ".name", a.name, b.name);
    at(where + ".mesh_file", a.mesh_file, b.mesh_file);
    at(where + ".material", a.material, b.material);
    at(where + ".placement", a.placement, b.placement);
    const int used = a.shape == Shape::box || a.shape == Shape::mesh ? 3
                     : a.shape == Shape::sphere                      ? 1
                                                                     : 2;
    for (int k = 0; k < used; ++k) at(where + ".size", a.size[k], b.size[k]);
    list(where + ".rgba", a.rgba, b.rgba);
  }
  void at(const std::string& where, const Link& a, const Link& b) {
    at(where + ".name", a.name, b.name);
    kind(where + ".has_inertial", a.has_inertial, b.has_inertial);
    at(where + ".inertial", a.inertial, b.inertial);
    list(where + ".geometry", a.geometry, b.geometry);
  }
  void at(const std::string& where, const Limits& a, const Limits& b) {
    at(where + ".lower", a.lower, b.lower), at(where + ".upper", a.upper, b.upper);
    at(where + ".velocity", a.velocity, b.velocity), at(where + ".effort", a.effort, b.effort);
    at(where + ".acceleration", a.acceleration, b.acceleration),
        at(where + ".jerk", a.jerk, b.jerk);
  }
  void at(const std::string& where, const Friction& a, const Friction& b) {
    at(where + ".viscous", a.viscous, b.viscous), at(where + ".damping", a.damping, b.damping);
    at(where + ".coulomb", a.coulomb, b.coulomb), at(where + ".stiction", a.stiction, b.stiction);
    at(where + ".stribeck", a.stribeck, b.stribeck), at(where + ".width", a.width, b.width);
    at(where + ".offset", a.offset, b.offset);
    at(where + ".viscous_asymmetry", a.viscous_asymmetry, b.viscous_asymmetry);
    at(where + ".coulomb_asymmetry", a.coulomb_asymmetry, b.coulomb_asymmetry);
    at(where + ".load", a.load, b.load);
  }
  void at(const std::string& where, const Actuator& a, const Actuator& b) {
    at(where + ".rotor_inertia", a.rotor_inertia, b.rotor_inertia);
    at(where + ".gear_ratio", a.gear_ratio, b.gear_ratio);
    at(where + ".motor_viscous", a.motor_viscous, b.motor_viscous);
    at(where + ".torque_constant", a.torque_constant, b.torque_constant);
    at(where + ".disturbance", a.disturbance, b.disturbance);
  }
  void at(const std::string& where, const JointSpring& a, const JointSpring& b) {
    at(where + ".stiffness", a.stiffness, b.stiffness), at(where + ".rest", a.rest, b.rest);
  }
  void at(const std::string& where, const JointPart& a, const JointPart& b) {
    kind(where + ".kind", a.kind, b.kind), kind(where + ".order", a.order, b.order);
    at(where + ".placement", a.placement, b.placement);
    at(where + ".axis", a.axis, b.axis), at(where + ".pitch", a.pitch, b.pitch);
  }
  void at(const std::string& where, const Joint& a, const Joint& b) {
    at(where + ".name", a.name, b.name);
    kind(where + ".kind", a.kind, b.kind), kind(where + ".order", a.order, b.order);
    at(where + ".parent", a.parent, b.parent), at(where + ".child", a.child, b.child);
    at(where + ".placement", a.placement, b.placement);
    at(where + ".axis", a.axis, b.axis), at(where + ".pitch", a.pitch, b.pitch);
    list(where + ".parts", a.parts, b.parts);
    const auto n = static_cast<std::size_t>(n_v(a));
    defaulted_list(where + ".limits", a.limits, b.limits, n);
    defaulted_list(where + ".friction", a.friction, b.friction, n);
    defaulted_list(where + ".actuator", a.actuator, b.actuator, n);
    defaulted_list(where + ".spring", a.spring, b.spring, n);
  }
  void at(const std::string& where, const FrameOnLink& a, const FrameOnLink& b) {
    at(where + ".name", a.name, b.name), at(where + ".link", a.link, b.link);
    at(where + ".placement", a.placement, b.placement);
  }
  void at(const std::string& where, const LoopJoint& a, const LoopJoint& b) {
    at(where + ".name", a.name, b.name), kind(where + ".kind", a.kind, b.kind);
    at(where + ".link_a", a.link_a, b.link_a), at(where + ".link_b", a.link_b, b.link_b);
    at(where + ".placement_a", a.placement_a, b.placement_a);
    at(where + ".placement_b", a.placement_b, b.placement_b);
    at(where + ".axis", a.axis, b.axis), at(where + ".distance", a.distance, b.distance);
  }
  void at(const std::string& where, const Coupling::Term& a, const Coupling::Term& b) {
    at(where + ".joint", a.joint, b.joint), at(where + ".factor", a.factor, b.factor);
  }
  void at(const std::string& where, const Coupling& a, const Coupling& b) {
    at(where + ".name", a.name, b.name), at(where + ".offset", a.offset, b.offset);
    list(where + ".terms", a.terms, b.terms);
  }
  void at(const std::string& where, const SpringDamper& a, const SpringDamper& b) {
    at(where + ".name", a.name, b.name);
    at(where + ".link_a", a.link_a, b.link_a), at(where + ".link_b", a.link_b, b.link_b);
    at(where + ".point_a", a.point_a, b.point_a), at(where + ".point_b", a.point_b, b.point_b);
    at(where + ".stiffness", a.stiffness, b.stiffness),
        at(where + ".damping", a.damping, b.damping);
    at(where + ".rest_length", a.rest_length, b.rest_length);
    at(where + ".preload", a.preload, b.preload);
  }
  void at(const std::string& where, const Motor& a, const Motor& b) {
    at(where + ".name", a.name, b.name);
    at(where + ".rotor_inertia", a.rotor_inertia, b.rotor_inertia);
    at(where + ".friction", a.friction, b.friction);
    list(where + ".ratios", a.ratios, b.ratios);
  }
  void at(const RobotDescription& a, const RobotDescription& b) {
    at("name", a.name, b.name), at("source", a.source, b.source), at("root", a.root, b.root);
    list("links", a.links, b.links), list("joints", a.joints, b.joints);
    list("frames", a.frames, b.frames), list("loops", a.loops, b.loops);
    list("couplings", a.couplings, b.couplings), list("springs", a.springs, b.springs);
    list("motors", a.motors, b.motors);
    at("gravity", a.gravity, b.gravity), at("base", a.base, b.base);
  }

 private:
  template <class Kind>
  void kind(const std::string& where, Kind a, Kind b) {
    if (a != b) text += where + " differs\n";
  }
  template <class Element>
  void list(const std::string& where, const std::vector<Element>& a,
            const std::vector<Element>& b) {
    if (a.size() != b.size())
      text += where + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + "\n";
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
      at(where + "[" + std::to_string(k) + "]", a[k], b[k]);
  }
  template <class Element>
  void defaulted_list(const std::string& where, std::vector<Element> a, std::vector<Element> b,
                      std::size_t n) {
    if (a.empty()) a.resize(n);
    if (b.empty()) b.resize(n);
    list(where, a, b);
  }
};

/// Empty if a and b say the same.
inline std::string difference(const RobotDescription& a, const RobotDescription& b) {
  Difference difference;
  difference.at(a, b);
  return difference.text;
}

}  // namespace torsor::testing
