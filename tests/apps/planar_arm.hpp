#pragma once
/// A two-link arm in a vertical plane as URDF, and its closed-form dynamics: the truth for the verbs.
///
///   M11 = I1 + I2 + m1 a1^2 + m2 (l1^2 + a2^2 + 2 l1 a2 c2),  M12 = I2 + m2 (a2^2 + l1 a2 c2),
///   M22 = I2 + m2 a2^2,   h = -m2 l1 a2 s2,   C = [h qd2, h (qd1 + qd2); -h qd1, 0]
///   g1 = (m1 a1 + m2 l1) g c1 + m2 a2 g c12,   g2 = m2 a2 g c12
///
/// Source   Craig 2005, section 6.7; Spong, Hutchinson & Vidyasagar 2006, section 7.4.
#include <array>
#include <cmath>
#include <string>

namespace torsor::testing {

struct PlanarArm {
  static constexpr double m1 = 1.0, m2 = 0.8, a1 = 0.5, a2 = 0.4, l1 = 1.0, l2 = 0.8, I1 = 0.08,
                          I2 = 0.05, g = 9.81;
  static constexpr double damping[2] = {0.5, 0.3}, coulomb[2] = {0.2, 0.1};

  using Vector = std::array<double, 2>;
  using Matrix = std::array<Vector, 2>;

  static Matrix M(const Vector& q) {
    const double c2 = std::cos(q[1]), M12 = I2 + m2 * (a2 * a2 + l1 * a2 * c2);
    return {{{I1 + I2 + m1 * a1 * a1 + m2 * (l1 * l1 + a2 * a2 + 2 * l1 * a2 * c2), M12},
             {M12, I2 + m2 * a2 * a2}}};
  }
  static Matrix C(const Vector& q, const Vector& v) {
    const double h = -m2 * l1 * a2 * std::sin(q[1]);
    return {{{h * v[1], h * (v[0] + v[1])}, {-h * v[0], 0}}};
  }
  static Vector gravity(const Vector& q) {
    const double g2 = m2 * a2 * g * std::cos(q[0] + q[1]);
    return {(m1 * a1 + m2 * l1) * g * std::cos(q[0]) + g2, g2};
  }
  static Vector bias(const Vector& q, const Vector& v) {
    const Matrix c = C(q, v);
    const Vector w = gravity(q);
    return {c[0][0] * v[0] + c[0][1] * v[1] + w[0], c[1][0] * v[0] + c[1][1] * v[1] + w[1]};
  }
  /// Rigid bodies alone.
  static Vector torque(const Vector& q, const Vector& v, const Vector& a) {
    const Matrix m = M(q);
    const Vector b = bias(q, v);
    return {m[0][0] * a[0] + m[0][1] * a[1] + b[0], m[1][0] * a[0] + m[1][1] * a[1] + b[1]};
  }
  static double friction(int k, double v) {
    return damping[k] * v + (v > 0 ? coulomb[k] : v < 0 ? -coulomb[k] : 0);
  }
  static double kinetic(const Vector& q, const Vector& v) {
    const Matrix m = M(q);
    return 0.5 * (m[0][0] * v[0] * v[0] + 2 * m[0][1] * v[0] * v[1] + m[1][1] * v[1] * v[1]);
  }
  static double potential(const Vector& q) {
    return (m1 * a1 + m2 * l1) * g * std::sin(q[0]) + m2 * a2 * g * std::sin(q[0] + q[1]);
  }

  /// Links l1, l2, tip (at the end of l2); joints j1, j2. `second` is put into joint j2.
  static std::string urdf(const std::string& second = "") {
    const auto link = [](const char* name, double com, double mass, double I) {
      const std::string i = std::to_string(I);
      return std::string("<link name=\"") + name + "\"><inertial><origin xyz=\"" +
             std::to_string(com) + " 0 0\"/><mass value=\"" + std::to_string(mass) +
             "\"/><inertia ixx=\"0.03\" ixy=\"0\" ixz=\"0\" iyy=\"" + i + "\" iyz=\"0\" izz=\"" +
             i + "\"/></inertial></link>\n";
    };
    const std::string limit = "<limit lower=\"-3\" upper=\"3\" effort=\"100\" velocity=\"10\"/>";
    return "<robot name=\"planar\"><link name=\"base\"/>\n" + link("l1", a1, m1, I1) +
           link("l2", a2, m2, I2) +
           "<link name=\"tip\"/>\n"
           "<joint name=\"j1\" type=\"revolute\"><parent link=\"base\"/><child link=\"l1\"/>"
           "<origin xyz=\"0 0 0\" rpy=\"1.5707963267948966 0 0\"/><axis xyz=\"0 0 1\"/>" +
           limit +
           "<dynamics damping=\"0.5\" friction=\"0.2\"/></joint>\n"
           "<joint name=\"j2\" type=\"revolute\"><parent link=\"l1\"/><child link=\"l2\"/>"
           "<origin xyz=\"1 0 0\" rpy=\"0 0 0\"/><axis xyz=\"0 0 1\"/>" +
           limit + "<dynamics damping=\"0.3\" friction=\"0.1\"/>" + second +
           "</joint>\n"
           "<joint name=\"end\" type=\"fixed\"><parent link=\"l2\"/><child link=\"tip\"/>"
           "<origin xyz=\"0.8 0 0\"/></joint>\n</robot>\n";
  }
};

}  // namespace torsor::testing
