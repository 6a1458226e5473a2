#include "torsor/model/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/model/text.hpp"

namespace torsor {
namespace {

constexpr double norm_tolerance = 1e-6;
/// From here on neighbouring numbers are so far apart that sincos (math/trig.hpp) gives NaN.
constexpr double largest_angle = 0x1p+48;
/// Position limits beyond this (rad, m) are a way to say "none": 1e16 is in many files.
constexpr double farthest_limit = 1e4;

/// splitmix64 (Steele, Lea & Flood 2014): the same draws on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  /// Uniform in [low, high).
  double operator()(double low, double high) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (static_cast<double>(z >> 11) * 0x1p-53);
  }

 private:
  std::uint64_t state_;
};

double random_coordinate(const Limits& limits, double reach, Draws& draw) {
  double low = limits.lower < -farthest_limit ? -infinity : limits.lower;
  double high = limits.upper > farthest_limit ? infinity : limits.upper;
  if (!std::isfinite(low)) low = std::isfinite(high) ? high - 2 * reach : -reach;
  if (!std::isfinite(high)) high = low + 2 * reach;
  return std::clamp(draw(low, high), low, high);
}

/// Uniform on the rotations: Shoemake 1992.
Quaternion<double> random_rotation(Draws& draw) {
  const double u = draw(0, 1), a = draw(0, 2 * std::numbers::pi), b = draw(0, 2 * std::numbers::pi);
  const double s = std::sqrt(1 - u), c = std::sqrt(u);
  return normalised(
      Quaternion<double>{s * std::sin(a), s * std::cos(a), c * std::sin(b), c * std::cos(b)});
}

int joint_of(const Model<double>& model, int coordinate) {
  int i = 1;
  while (model.body(i).q.first + model.body(i).q.count <= coordinate) ++i;
  return i;
}

void check_size(const Model<double>& model, int size, int expected, const char* what) {
  if (size == expected) return;
  throw Error("robot \"" + model.name() + "\": " + what + " has " + std::to_string(size) +
              " numbers; " + std::to_string(expected) + " are needed");
}

}  // namespace

template void internal::integrate_part(JointKind, EulerOrder, const double*, const double*,
                                       double*);
template void internal::integrate_part(JointKind, EulerOrder, const float*, const float*, float*);
template void internal::difference_part(JointKind, EulerOrder, const double*, const double*,
                                        double*);
template void internal::difference_part(JointKind, EulerOrder, const float*, const float*, float*);

void random_configuration(const Model<double>& model, std::uint64_t seed, View<double> out) {
  check_size(model, out.size, model.n_q(), "configuration");
  Draws draw(seed);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const JointShape<double>& joint = model.joint(i);
    double* q = out.data + model.body(i).q.first;
    internal::for_each_part(joint, [&](JointKind kind, EulerOrder, int iq, int) {
      const int quaternion = internal::quaternion_of(kind);
      for (int k = 0; k < n_q(kind); ++k) {
        if (internal::coordinate_measure(kind, k) == Measure::quaternion) continue;
        const int dof = model.body(i).v.first + limits_of_coordinate(joint, iq + k);
        const bool length = internal::coordinate_measure(kind, k) == Measure::length;
        const double reach = length ? 1 : std::numbers::pi;
        q[iq + k] = random_coordinate(model.limits(dof), reach, draw);
      }
      if (quaternion >= 0) internal::store(random_rotation(draw), q + iq + quaternion);
    });
  }
}

void check_configuration(const Model<double>& model, View<double> q) {
  check_size(model, q.size, model.n_q(), "configuration");
  // Small numbers are finite; then quaternions alone may be at fault, which have four for three velocities.
  bool small = true;
  for (int k = 0; k < q.size; ++k) small = small && std::abs(q[k]) < largest_angle;
  if (small && model.n_q() == model.n_v()) return;
  for (int k = 0; k < q.size; ++k)
    if (!std::isfinite(q[k]))
      throw Error("robot \"" + model.name() + "\": coordinate \"" + model.coordinate_name(k) +
                  "\" is not finite (" + number(q[k]) + ")");
  for (int i = 1; i < model.n_bodies(); ++i)
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int iq, int) {
      for (int k = 0; k < n_q(kind); ++k) {
        const int at = model.body(i).q.first + iq + k;
        if (internal::coordinate_measure(kind, k) != Measure::angle ||
            std::abs(q[at]) < largest_angle)
          continue;
        throw Error("robot \"" + model.name() + "\": coordinate \"" + model.coordinate_name(at) +
                    "\" is " + number(q[at]) +
                    " rad; the sine of so large an angle has no correct digit");
      }
    });
  internal::for_each_quaternion(model, [&](int at) {
    const double* x = q.data + at;
    const double length = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (!(std::abs(length - 1) <= norm_tolerance))
      throw Error("robot \"" + model.name() + "\": joint \"" +
                  model.joint_name(joint_of(model, at)) + "\": quaternion " + number(x[0]) + " " +
                  number(x[1]) + " " + number(x[2]) + " " + number(x[3]) + " has norm " +
                  number(length) + "; it must be 1");
  });
  normalise(model, q);
}

std::vector<double> named_configuration(const Model<double>& model, const std::string& name) {
  Array<double> q(model.n_q());
  neutral(model, q);
  std::vector<std::string> known;
  for (const NamedConfiguration& named : model.description().configurations) {
    known.push_back(named.name);
    if (named.name != name) continue;
    for (const NamedConfiguration::Entry& entry : named.entries) {
      const Body<double>& body = model.body(model.joint_index(entry.joint));
      std::copy(entry.q.begin(), entry.q.end(), q.begin() + body.q.first);
    }
    check_configuration(model, q);
    return q;
  }
  std::string names;
  for (const std::string& other : known) names += (names.empty() ? "" : ", ") + other;
  throw Error("robot \"" + model.name() + "\" has no configuration \"" + name + "\"" +
              (known.empty() ? ", nor any other" : "; it has " + names));
}

void check_velocity(const Model<double>& model, View<const double> v, const char* what) {
  check_size(model, v.size, model.n_v(), what);
  for (int k = 0; k < v.size; ++k)
    if (!std::isfinite(v[k]))
      throw Error("robot \"" + model.name() + "\": " + what + " of \"" + model.dof_name(k) +
                  "\" is not finite (" + number(v[k]) + ")");
}

}  // namespace torsor
