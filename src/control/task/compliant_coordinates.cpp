/// What a compliant frame does with velocities, forces and coordinates, and how scenarios name one.
#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/control/task/compliant_frame.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

constexpr double two_pi = 2 * 3.14159265358979323846;

}  // namespace

void CompliantFrame::to_frame(In<double> Xdot, Out<double> xdot_c) const {
  for (int r = 0; r < n_; ++r) {
    xdot_c[r] = 0;
    for (int k = 0; k < n_; ++k) xdot_c[r] += E_[r][k] * scale_[k] * Xdot[k];
  }
}
void CompliantFrame::from_frame(In<double> xdot_c, Out<double> Xdot) const {
  for (int k = 0; k < n_; ++k) {
    Xdot[k] = 0;
    for (int r = 0; r < n_; ++r) Xdot[k] += E_[r][k] * xdot_c[r] / scale_[k];
  }
}
void CompliantFrame::acceleration(In<double> xdd_c, In<double> xdot_c, Out<double> Xdd) const {
  for (int k = 0; k < n_; ++k) {
    Xdd[k] = 0;
    for (int r = 0; r < n_; ++r)
      Xdd[k] += (E_[r][k] * xdd_c[r] + Edot_[r][k] * xdot_c[r]) / scale_[k];
  }
}
void CompliantFrame::acceleration_to_frame(In<double> Xdd, In<double> Xdot,
                                           Out<double> xdd_c) const {
  for (int r = 0; r < n_; ++r) {
    xdd_c[r] = 0;
    for (int k = 0; k < n_; ++k)
      xdd_c[r] += (E_[r][k] * Xdd[k] + Edot_[r][k] * Xdot[k]) * scale_[k];
  }
}
void CompliantFrame::force_to_frame(In<double> f_x, Out<double> f_c) const {
  for (int r = 0; r < n_; ++r) {
    f_c[r] = 0;
    for (int k = 0; k < n_; ++k) f_c[r] += E_[r][k] * f_x[k] / scale_[k];
  }
}
void CompliantFrame::force_from_frame(In<double> f_c, Out<double> f_x) const {
  for (int k = 0; k < n_; ++k) {
    f_x[k] = 0;
    for (int r = 0; r < n_; ++r) f_x[k] += E_[r][k] * scale_[k] * f_c[r];
  }
}

bool CompliantFrame::has_coordinates() const {
  switch (constraint_.kind) {
    case ConstraintKind::sphere:
      return false;
    case ConstraintKind::face:
      return angles_ != TaskAngles::euler;
    case ConstraintKind::rows:
      return !constraint_.function;
    default:
      return true;
  }
}

void CompliantFrame::coordinates(Out<double> x_p) const {
  for (int r = 0; r < n_ - m_; ++r) {
    x_p[r] = 0;
    for (int k = 0; k < n_; ++k) {
      const double from = is_blockwise() && k < positions_ ? origin_[k] : 0;
      x_p[r] += E_[r][k] * scale_[k] * (X_[k] - from);
    }
  }
  if (constraint_.kind != ConstraintKind::circle) return;
  Vec3<double> d{};
  for (int k = 0; k < positions_; ++k) d[k] = X_[k] - origin_[k];
  x_p[0] = (constraint_.inward ? -1 : 1) * constraint_.radius * std::atan2(dot(v_, d), dot(u_, d));
}

void CompliantFrame::coordinate_error(In<double> x_p_d, Out<double> e_p) const {
  coordinates(e_p);
  const int p = n_ - m_;
  for (int r = 0; r < p; ++r) e_p[r] = x_p_d[r] - e_p[r];
  if (constraint_.kind == ConstraintKind::circle)
    e_p[0] = std::remainder(e_p[0], two_pi * constraint_.radius);
  const int free = n_ - positions_ - (m_ - m_positions_), first = p - free;
  if (!is_blockwise() || free == 0) return;
  const double length = constraint_.angle_length;
  for (int r = first; r < p; ++r) e_p[r] = std::remainder(e_p[r], two_pi * length);
  if (angles_ != TaskAngles::rotation || free != 3) return;
  const auto vector = [](const auto& x, int k) { return Vec3<double>{x[k], x[k + 1], x[k + 2]}; };
  const Vec3<double> r_d = vector(x_p_d, first) * (1 / length),
                     r{X_[positions_], X_[positions_ + 1], X_[positions_ + 2]};
  const Vec3<double> turn = log(exp(r_d) * transpose(exp(r)));
  for (int k = 0; k < 3; ++k) e_p[first + k] = turn[k] * length;
}

Constraint internal::constraint_of(LawParameters& p) {
  p.require("constraint");
  const auto vector = [&](const char* name) {
    const Array<double> x = p.numbers(name, 3);
    return Vec3<double>{x[0], x[1], x[2]};
  };
  Constraint c;
  c.kind = static_cast<ConstraintKind>(
      p.choice("constraint", {"plane", "line", "circle", "sphere", "face"}));
  c.origin = vector("origin");
  c.normal = vector("normal");
  c.tangent = vector("tangent");
  c.radius = p.number("radius");
  c.inward = p.choice("inward", {"no", "yes"}) == 1;
  c.angle_length = p.number("angle_length");
  return c;
}
internal::GainList internal::constraint_gain_list() {
  return {
      optional_gain("constraint", GainKind::word, "", "",
                    "what keeps the point: plane, line, circle, sphere or face"),
      optional_gain("origin", GainKind::vector, "0", "m",
                    "of a plane or line, centre of a circle or sphere"),
      optional_gain("normal", GainKind::vector, "0 0 1", "",
                    "of a plane, direction of a line, axis of a circle, pole of a sphere"),
      optional_gain("tangent", GainKind::vector, "0", "",
                    "in which the motion begins; where arcs begin; 0: some tangent"),
      optional_gain("radius", GainKind::number, "0", "m", "of a circle or sphere"),
      optional_gain("inward", GainKind::word, "no", "", "normals point to the centre: yes or no"),
      optional_gain("angle_length", GainKind::number, "1", "m / rad",
                    "metres that an angle counts")};
}

}  // namespace torsor
