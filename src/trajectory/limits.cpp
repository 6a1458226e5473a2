#include "torsor/trajectory/limits.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/trajectory/trapezoid.hpp"

namespace torsor {
namespace {

using internal::check::number;

constexpr int max_degree = PiecewisePolynomial<double>::max_degree;

/// A polynomial in u, by powers.
struct Powers {
  double c[max_degree + 1] = {};
  int degree = 0;

  double operator()(double u) const {
    double p = c[degree];
    for (int k = degree - 1; k >= 0; --k) p = p * u + c[k];
    return p;
  }
  Powers derivative() const {
    Powers d;
    d.degree = std::max(degree - 1, 0);
    for (int k = 1; k <= degree; ++k) d.c[k - 1] = k * c[k];
    return d;
  }
};

/// The sign changes of p in (0, h), ascending: one at most between neighbouring ones of p'.
int roots(const Powers& p, double h, double* out) {
  if (p.degree == 0) return 0;
  double between[max_degree + 2] = {};
  const int stationary = roots(p.derivative(), h, between + 1);
  between[stationary + 1] = h;
  int found = 0;
  for (int k = 0; k <= stationary; ++k) {
    double low = between[k], high = between[k + 1];
    const double left = p(low), right = p(high);
    if (!((left < 0 && right > 0) || (left > 0 && right < 0))) continue;
    while (true) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      ((p(middle) < 0) == (left < 0) ? low : high) = middle;
    }
    out[found++] = low;
  }
  return found;
}

struct Range {
  double low = infinity, high = -infinity;

  void include(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

void include_extremes(const Powers& p, double h, Range& range) {
  double at[max_degree + 1];
  const int n = roots(p.derivative(), h, at);
  range.include(p(0));
  range.include(p(h));
  for (int k = 0; k < n; ++k) range.include(p(at[k]));
}

/// 1e-9 of the largest value: far above the rounding of a planner, far below any real jump.
bool jumps(double left, double right, const Range& range) {
  return std::abs(left - right) > 1e-9 * range.magnitude();
}

Limits attained_by(const PiecewisePolynomial<double>& trajectory, int coordinate) {
  Range range[4];
  const int segments = trajectory.segments();
  std::vector<double> velocity, acceleration;  // at both ends of every segment
  for (int s = 0; s < segments; ++s) {
    const auto k = static_cast<std::size_t>(s);
    const double h = trajectory.knots()[k + 1] - trajectory.knots()[k];
    Powers p;
    p.degree = trajectory.degree();
    std::copy_n(trajectory.coefficients(s, coordinate), p.degree + 1, p.c);
    for (int order = 0; order < 4; ++order, p = p.derivative()) {
      include_extremes(p, h, range[order]);
      if (order == 1) velocity.insert(velocity.end(), {p(0), p(h)});
      if (order == 2) acceleration.insert(acceleration.end(), {p(0), p(h)});
    }
  }
  Limits result{range[0].low,         range[0].high,        range[1].magnitude(),
                range[2].magnitude(), range[3].magnitude(), infinity};
  const std::size_t ends = velocity.size();
  for (std::size_t k = 1; k < ends; k += 2) {
    if (k + 1 == ends && trajectory.outside() == Outside::hold) break;
    const std::size_t next = (k + 1) % ends;
    if (jumps(velocity[k], velocity[next], range[1])) result.acceleration = result.jerk = infinity;
    if (jumps(acceleration[k], acceleration[next], range[2])) result.jerk = infinity;
  }
  return result;
}

}  // namespace

std::vector<Limits> attained(const PiecewisePolynomial<double>& trajectory) {
  std::vector<Limits> result;
  for (int i = 0; i < trajectory.size(); ++i) result.push_back(attained_by(trajectory, i));
  return result;
}

double internal::stretch_factor(View<const Limits> attained, View<const Limits> limits) {
  internal::check::limits("minimum_duration", limits, attained.size);
  double factor = 0;
  bool moves = false, limited = false;
  for (int i = 0; i < attained.size; ++i) {
    const Limits &has = attained[i], &may = limits[i];
    const std::string at = "minimum_duration: coordinate " + std::to_string(i);
    const double rounding = 1e-12 * (1 + std::max(std::abs(has.lower), std::abs(has.upper)));
    if (has.lower < may.lower - rounding || has.upper > may.upper + rounding)
      throw Error(at + " reaches from " + number(has.lower) + " to " + number(has.upper) +
                  ", outside its limits " + number(may.lower) + " to " + number(may.upper));
    const auto hold = [&](const char* cause, const char* what, double peak, double limit,
                          auto root) {
      if (std::isinf(limit) || peak == 0) return;
      if (std::isinf(peak))
        throw Error(at + ": the " + cause + " jumps; the " + what + " limit " + number(limit) +
                    " cannot be kept at any speed");
      limited = true;
      factor = std::max(factor, root(peak / limit));
    };
    moves = moves || has.velocity > 0;
    hold("position", "velocity", has.velocity, may.velocity, [](double x) { return x; });
    hold("velocity", "acceleration", has.acceleration, may.acceleration,
         [](double x) { return std::sqrt(x); });
    hold("acceleration", "jerk", has.jerk, may.jerk, [](double x) { return std::cbrt(x); });
  }
  if (moves && !limited) throw Error("minimum_duration: nothing that moves has a finite limit");
  return factor;
}

PiecewisePolynomial<double> stretched(const PiecewisePolynomial<double>& trajectory,
                                      double duration) {
  internal::check::positive("stretched", "duration", duration);
  internal::check::positive("stretched", "the trajectory's own duration", trajectory.duration());
  const auto scaled = internal::scaled_in_time(trajectory, duration / trajectory.duration());
  std::vector<double> knots = scaled.knots();
  knots.back() = duration;  // not its product with a rounded quotient
  const auto count =
      static_cast<std::ptrdiff_t>(scaled.segments() * scaled.size()) * (scaled.degree() + 1);
  const double* c = scaled.coefficients(0, 0);
  return {scaled.size(), scaled.degree(), std::move(knots), std::vector<double>(c, c + count),
          scaled.outside()};
}

double minimum_duration(const PiecewisePolynomial<double>& trajectory, View<const Limits> limits) {
  return trajectory.duration() * internal::stretch_factor(attained(trajectory), limits);
}

PiecewisePolynomial<double> retimed(const PiecewisePolynomial<double>& trajectory,
                                    View<const Limits> limits) {
  const double duration = minimum_duration(trajectory, limits);
  return duration > 0 ? stretched(trajectory, duration) : trajectory;
}

PiecewisePolynomial<double> unit_law(Profile profile, double duration) {
  internal::check::positive("unit_law", "duration", duration);
  const Boundary<> start{.q = {0}}, end{.q = {1}};
  switch (profile) {
    case Profile::cubic:
      return cubic(start, end, duration);
    case Profile::quintic:
      return quintic(start, end, duration);
    case Profile::septic:
      return septic(start, end, duration);
    case Profile::trapezoid: {
      Limits thirds;  // 1 = V 2/3, V = A/3
      thirds.velocity = 1.5, thirds.acceleration = 4.5;
      return stretched(trapezoid(0, 1, thirds), duration);
    }
    case Profile::double_s: {
      Limits thirds;  // ramps of three ninths: 1 = V 2/3, V = A 2/9, A = J/9
      thirds.velocity = 1.5, thirds.acceleration = 6.75, thirds.jerk = 60.75;
      return stretched(double_s(0, 1, thirds), duration);
    }
  }
  return {};
}

PiecewisePolynomial<double> straight_line(const PiecewisePolynomial<double>& law,
                                          View<const double> q0, View<const double> q1) {
  internal::check::size("straight_line", "the law", law.size(), 1);
  internal::check::numbers("straight_line", "q0", q0, q0.size);
  internal::check::numbers("straight_line", "q1", q1, q0.size);
  std::vector<double> c;
  for (int segment = 0; segment < law.segments(); ++segment)
    for (int i = 0; i < q0.size; ++i)
      for (int k = 0; k <= law.degree(); ++k)
        c.push_back(law.coefficients(segment, 0)[k] * (q1[i] - q0[i]) + (k == 0 ? q0[i] : 0));
  return {q0.size, law.degree(), law.knots(), std::move(c), law.outside()};
}

PiecewisePolynomial<double> point_to_point(Profile profile, View<const double> q0,
                                           View<const double> q1, View<const Limits> limits) {
  if (profile == Profile::trapezoid) return trapezoid(q0, q1, limits);
  if (profile == Profile::double_s) return double_s(q0, q1, limits);
  return retimed(straight_line(unit_law(profile), q0, q1), limits);
}

double minimum_duration(Profile profile, View<const double> q0, View<const double> q1,
                        View<const Limits> limits) {
  const auto trajectory = point_to_point(profile, q0, q1, limits);
  const bool moves = !std::equal(q0.begin(), q0.end(), q1.begin());
  return moves ? trajectory.duration() : 0;
}

}  // namespace torsor
