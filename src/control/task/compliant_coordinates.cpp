/// What a compliant frame does with velocities, forces and coordinates, and how scenarios name one.
#include <algorithm>
#include <cmath>

#include "torsor/control/make_controller.hpp"
#include "torsor/control/task/compliant_frame.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

constexpr double two_pi = 2 * 3.14159265358979323846;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

void CompliantFrame::to_frame(View<const double> Xdot, View<double> xdot_c) const {
  for (int r = 0; r < n_; ++r) {
    xdot_c[r] = 0;
    for (int k = 0; k < n_; ++k) xdot_c[r] += E_[r][k] * scale_[at(k)] * Xdot[k];
  }
}
void CompliantFrame::from_frame(View<const double> xdot_c, View<double> Xdot) const {
  for (int k = 0; k < n_; ++k) {
    Xdot[k] = 0;
    for (int r = 0; r < n_; ++r) Xdot[k] += E_[r][k] * xdot_c[r] / scale_[at(k)];
  }
}
void CompliantFrame::acceleration(View<const double> xdd_c, View<const double> xdot_c,
                                  View<double> Xdd) const {
  for (int k = 0; k < n_; ++k) {
    Xdd[k] = 0;
    for (int r = 0; r < n_; ++r)
      Xdd[k] += (E_[r][k] * xdd_c[r] + Edot_[r][k] * xdot_c[r]) / scale_[at(k)];
  }
}
void CompliantFrame::acceleration_to_frame(View<const double> Xdd, View<const double> Xdot,
                                           View<double> xdd_c) const {
  for (int r = 0; r < n_; ++r) {
    xdd_c[r] = 0;
    for (int k = 0; k < n_; ++k)
      xdd_c[r] += (E_[r][k] * Xdd[k] + Edot_[r][k] * Xdot[k]) * scale_[at(k)];
  }
}
void CompliantFrame::force_to_frame(View<const double> f_x, View<double> f_c) const {
  for (int r = 0; r < n_; ++r) {
    f_c[r] = 0;
    for (int k = 0; k < n_; ++k) f_c[r] += E_[r][k] * f_x[k] / scale_[at(k)];
  }
}
void CompliantFrame::force_from_frame(View<const double> f_c, View<double> f_x) const {
  for (int k = 0; k < n_; ++k) {
    f_x[k] = 0;
    for (int r = 0; r < n_; ++r) f_x[k] += E_[r][k] * scale_[at(k)] * f_c[r];
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

void CompliantFrame::coordinates(View<double> x_p) const {
  for (int r = 0; r < n_ - m_; ++r) {
    x_p[r] = 0;
    for (int k = 0; k < n_; ++k) {
      const double from = is_blockwise() && k < positions_ ? origin_[k] : 0;
      x_p[r] += E_[r][k] * scale_[at(k)] * (X_[at(k)] - from);
    }
  }
  if (constraint_.kind != ConstraintKind::circle) return;
  Vec3<double> d{};
  for (int k = 0; k < positions_; ++k) d[k] = X_[at(k)] - origin_[k];
  x_p[0] = (constraint_.inward ? -1 : 1) * constraint_.radius * std::atan2(dot(v_, d), dot(u_, d));
}

void CompliantFrame::coordinate_error(View<const double> x_p_d, View<double> e_p) const {
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
                     r{X_[at(positions_)], X_[at(positions_ + 1)], X_[at(positions_ + 2)]};
  const Vec3<double> turn = log(exp(r_d) * transpose(exp(r)));
  for (int k = 0; k < 3; ++k) e_p[first + k] = turn[k] * length;
}

Constraint constraint_of(LawParameters& p) {
  const std::vector<std::string> known{"plane", "line", "circle", "sphere", "face"};
  const std::string word = p.word("constraint");
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end())
    throw Error("unknown constraint \"" + word + "\"" + did_you_mean(word, known));
  const auto vector = [&](const char* name, const Vec3<double>& fallback) {
    const std::vector<double> x = p.numbers(name, 3, {fallback.x, fallback.y, fallback.z});
    return Vec3<double>{x[0], x[1], x[2]};
  };
  Constraint c;
  c.kind = static_cast<ConstraintKind>(found - known.begin());
  c.origin = vector("origin", c.origin);
  c.normal = vector("normal", c.normal);
  c.tangent = vector("tangent", c.tangent);
  c.radius = p.number("radius", 0);
  const std::string inward = p.word("inward", "no");
  if (inward != "yes" && inward != "no") throw Error("inward is yes or no");
  c.inward = inward == "yes";
  c.angle_length = p.number("angle_length", 1);
  return c;
}

}  // namespace torsor
