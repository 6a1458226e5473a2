#include "torsor/trajectory/trapezoid.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/trajectory/limits.hpp"

namespace torsor {
namespace {

using internal::check::number;

/// A time with constant jerk.
struct Phase {
  double duration = 0, acceleration = 0, jerk = 0;  // acceleration where it begins
};

/// A peak velocity with the ramps to and from it.
struct Plan {
  double v0 = 0, v1 = 0, peak = 0, cruise = 0;
};

/// How one law changes its velocity: by constant acceleration, or by an S.
class Ramp {
 public:
  Ramp(double acceleration, double jerk) : A_(acceleration), J_(jerk) {}

  double time(double from, double to) const {
    const double d = std::abs(to - from);
    if (std::isinf(J_)) return d / A_;
    return d >= A_ * A_ / J_ ? A_ / J_ + d / A_ : 2 * std::sqrt(d / J_);
  }
  double distance(double from, double to) const { return (from + to) / 2 * time(from, to); }

  void append(double from, double to, std::vector<Phase>& phases) const {
    const double sign = to < from ? -1 : 1, d = std::abs(to - from), T = time(from, to);
    if (std::isinf(J_)) {
      phases.push_back({T, sign * A_, 0});
      return;
    }
    const double a = std::min(A_, std::sqrt(d * J_)), rise = a / J_;
    phases.push_back({rise, 0, sign * J_});
    phases.push_back({std::max(T - 2 * rise, 0.0), sign * a, 0});
    phases.push_back({rise, sign * a, -sign * J_});
  }

 private:
  double A_, J_;
};

/// The motion over h from v0 to v1 whose peak is at least both; |v0|, |v1| <= V.
Plan plan(const Ramp& ramp, double h, double v0, double v1, double V) {
  const auto ramps = [&](double v) { return ramp.distance(v0, v) + ramp.distance(v, v1); };
  double low = std::max(v0, v1), high = V;
  if (ramps(low) >= h) return {v0, v1, low, 0};
  if (std::isinf(V))
    for (high = std::max(1.0, 2 * std::abs(low)); ramps(high) < h;) high *= 2;
  if (ramps(high) <= h) return {v0, v1, high, high > 0 ? (h - ramps(high)) / high : 0};
  while (true) {  // ramps(low) <= h < ramps(high)
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (ramps(middle) <= h ? low : high) = middle;
  }
  return {v0, v1, low, 0};
}

PiecewisePolynomial<double> integrated(double q, double v, double sign,
                                       const std::vector<Phase>& phases, int degree) {
  std::vector<double> knots{0}, c;
  const auto piece = [&](double a, double j) {
    const double all[] = {q, v, a / 2, j / 6};
    c.insert(c.end(), all, all + degree + 1);
  };
  for (const Phase& phase : phases) {
    const double t = phase.duration, a = sign * phase.acceleration, j = sign * phase.jerk;
    if (knots.back() + t <= knots.back()) continue;
    piece(a, j);
    q += t * (v + t * (a / 2 + t * j / 6));
    v += t * (a + t * j / 2);
    knots.push_back(knots.back() + t);
  }
  if (knots.size() == 1) {  // no motion at all
    piece(0, 0);
    knots.push_back(0);
  }
  return {1, degree, std::move(knots), std::move(c)};
}

void check_end(const char* planner, const std::string& what, double q, const Limits& limits) {
  if (q < limits.lower || q > limits.upper)
    throw Error(std::string(planner) + ": " + what + " is " + number(q) +
                ", outside the position limits " + number(limits.lower) + " to " +
                number(limits.upper));
}

void check_law(const char* planner, int coordinate, const Limits& limits, bool jerk) {
  const std::string at = "limits[" + std::to_string(coordinate) + "].";
  if (!jerk) internal::check::finite(planner, at + "acceleration", limits.acceleration);
  if (jerk) internal::check::finite(planner, at + "jerk", limits.jerk);
}

PiecewisePolynomial<double> scalar(const char* planner, bool jerk, double q0, double q1,
                                   const Limits& limits, double v0, double v1) {
  internal::check::limits(planner, {&limits, 1}, 1);
  check_law(planner, 0, limits, jerk);
  internal::check::finite(planner, "q0", q0);
  internal::check::finite(planner, "q1", q1);
  check_end(planner, "q0", q0, limits);
  check_end(planner, "q1", q1, limits);
  for (const double v : {v0, v1})
    if (!(std::abs(v) <= limits.velocity))
      throw Error(std::string(planner) + ": the end velocity " + number(v) +
                  " is beyond the velocity limit " + number(limits.velocity));

  const Ramp ramp(limits.acceleration, jerk ? limits.jerk : infinity);
  const double h = q1 - q0, sign = h >= ramp.distance(v0, v1) ? 1 : -1;
  const Plan p = plan(ramp, sign * h, sign * v0, sign * v1, limits.velocity);
  std::vector<Phase> phases;
  ramp.append(p.v0, p.peak, phases);
  phases.push_back({p.cruise, 0, 0});
  ramp.append(p.peak, p.v1, phases);
  auto result = integrated(q0, v0, sign, phases, jerk ? 3 : 2);
  if (v0 != 0 || v1 != 0) {
    const Limits reached = attained(result)[0];
    const double rounding = 1e-12 * (1 + std::abs(q0) + std::abs(q1));
    if (reached.lower < limits.lower - rounding || reached.upper > limits.upper + rounding)
      throw Error(std::string(planner) + ": with these end velocities the motion reaches from " +
                  number(reached.lower) + " to " + number(reached.upper) +
                  ", outside the position limits " + number(limits.lower) + " to " +
                  number(limits.upper));
  }
  return result;
}

PiecewisePolynomial<double> several(const char* planner, bool jerk, View<const double> q0,
                                    View<const double> q1, View<const Limits> limits, Sync sync) {
  const int n = q0.size;
  internal::check::numbers(planner, "q0", q0, n);
  internal::check::numbers(planner, "q1", q1, n);
  internal::check::limits(planner, limits, n);
  Limits law;
  std::vector<PiecewisePolynomial<double>> parts;
  double duration = 0;
  for (int i = 0; i < n; ++i) {
    check_law(planner, i, limits[i], jerk);
    check_end(planner, "q0[" + std::to_string(i) + "]", q0[i], limits[i]);
    check_end(planner, "q1[" + std::to_string(i) + "]", q1[i], limits[i]);
    const double d = std::abs(q1[i] - q0[i]);
    law.velocity = std::min(law.velocity, limits[i].velocity / d);
    law.acceleration = std::min(law.acceleration, limits[i].acceleration / d);
    law.jerk = std::min(law.jerk, limits[i].jerk / d);
    parts.push_back(scalar(planner, jerk, q0[i], q1[i], limits[i], 0, 0));
    duration = std::max(duration, parts.back().duration());
  }
  if (duration == 0) return straight_line(integrated(0, 0, 1, {}, 0), q0, q1);
  if (sync == Sync::straight_line)
    return straight_line(scalar(planner, jerk, 0, 1, law, 0, 0), q0, q1);
  for (auto& part : parts)
    part = part.duration() > 0
               ? stretched(part, duration)
               : PiecewisePolynomial<double>(1, 0, {0, duration}, {part.coefficients(0, 0)[0]});
  return joined(parts);
}

/// c(u + shift) in powers of u, in place.
void shift(double* c, int degree, double by) {
  for (int i = 0; i < degree; ++i)
    for (int k = degree - 1; k >= i; --k) c[k] += by * c[k + 1];
}

}  // namespace

PiecewisePolynomial<double> trapezoid(double q0, double q1, const Limits& limits, double v0,
                                      double v1) {
  return scalar("trapezoid", false, q0, q1, limits, v0, v1);
}
PiecewisePolynomial<double> trapezoid(View<const double> q0, View<const double> q1,
                                      View<const Limits> limits, Sync sync) {
  return several("trapezoid", false, q0, q1, limits, sync);
}
PiecewisePolynomial<double> double_s(double q0, double q1, const Limits& limits, double v0,
                                     double v1) {
  return scalar("double_s", true, q0, q1, limits, v0, v1);
}
PiecewisePolynomial<double> double_s(View<const double> q0, View<const double> q1,
                                     View<const Limits> limits, Sync sync) {
  return several("double_s", true, q0, q1, limits, sync);
}

PiecewisePolynomial<double> joined(const std::vector<PiecewisePolynomial<double>>& parts) {
  if (parts.empty()) throw Error("joined: no trajectories");
  const double end = parts.front().duration();
  std::vector<double> knots{0, end};
  int degree = 0;
  for (const auto& part : parts) {
    if (std::abs(part.duration() - end) > 1e-12 * end || part.size() != 1)
      throw Error("joined: a trajectory of " + std::to_string(part.size()) + " coordinates and " +
                  number(part.duration()) + " s beside one of " + number(end) +
                  " s; one coordinate and equal durations are needed");
    degree = std::max(degree, part.degree());
    for (const double knot : part.knots())
      if (knot < end) knots.push_back(knot);
  }
  std::sort(knots.begin(), knots.end());
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());

  std::vector<double> c;
  for (std::size_t s = 0; s + 1 < knots.size(); ++s)
    for (const auto& part : parts) {
      const View<const double> own(part.knots());
      const auto after = std::upper_bound(own.begin(), own.end() - 1, knots[s]);
      const auto segment = static_cast<int>(std::max<std::ptrdiff_t>(after - own.begin() - 1, 0));
      double piece[PiecewisePolynomial<double>::max_degree + 1] = {};
      const double* from = part.coefficients(segment, 0);
      std::copy(from, from + part.degree() + 1, piece);
      shift(piece, part.degree(), knots[s] - own[segment]);
      c.insert(c.end(), piece, piece + degree + 1);
    }
  return {static_cast<int>(parts.size()), degree, std::move(knots), std::move(c)};
}

}  // namespace torsor
