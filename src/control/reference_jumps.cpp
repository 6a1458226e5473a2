#include "reference_jumps.hpp"

#include <cmath>

#include "torsor/math/spatial.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::control_detail {

namespace {

constexpr int halvings = 14;

/// Two vectors as the six numbers that the rows of tasks and joints are.
Array<double> numbers(const Twist<double>& V) { return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}; }

}  // namespace

std::string ReferenceJumps::component(const char* of, int k) const {
  const bool of_joints = of == std::string("q") || of == std::string("rate");
  if (of_joints) return std::string(of) + " of " + model_.dof_name(k);
  return std::string(of) + ", component " + std::to_string(k);
}

/// In units of what the trapezoid leaves open: half a step at each rate, and what they turn by.
void ReferenceJumps::compare(In<double> moved, In<double> rate_a, In<double> rate_b,
                             In<double> slope_a, In<double> slope_b, double h, const char* of,
                             ReferenceJump& worst) const {
  const int n = moved.size;
  const bool has_rate = rate_a.size == n && rate_b.size == n;
  const bool has_slope = slope_a.size == n && slope_b.size == n;
  for (int i = 0; i < n; ++i) {
    const double a = has_rate ? rate_a[i] : 0, b = has_rate ? rate_b[i] : 0;
    const double slope = has_slope ? std::fmax(std::abs(slope_a[i]), std::abs(slope_b[i])) : 0;
    const double open =
        1e-9 + h * (0.5 * std::fmax(std::abs(a), std::abs(b)) + std::abs(b - a)) + h * h * slope;
    const double off = std::abs(moved[i] - h * (a + b) / 2) / open;
    if (off > worst.size) worst.size = off, worst.what = component(of, i);
  }
}

ReferenceJump ReferenceJumps::between(const ReferencePoint& a, const ReferencePoint& b, double t,
                                      double h) {
  ReferenceJump worst{0, t, {}};
  const auto rates = [&](const Array<double>& from, const Array<double>& to,
                         const Array<double>& slope_a, const Array<double>& slope_b,
                         const char* of) {
    if (from.empty() || from.size() != to.size() || slope_a.size() != from.size() ||
        slope_b.size() != from.size())
      return;  // they are not given
    Array<double> moved(from.size());
    for (int i = 0; i < moved.size(); ++i) moved[i] = to[i] - from[i];
    compare(moved, slope_a, slope_b, {}, {}, h, of, worst);
  };
  if (a.q.size() == model_.n_q() && b.q.size() == model_.n_q()) {
    difference(model_, In<double>(a.q), In<double>(b.q), Out<double>(moved_));
    compare(moved_, a.qd, b.qd, a.qdd, b.qdd, h, "q", worst);
    rates(a.qd, b.qd, a.qdd, b.qdd, "rate");
  }
  if (!a.x.empty() && a.x.size() == b.x.size() && (b.xd.empty() || b.xd.size() == b.x.size())) {
    Array<double> moved(a.x.size());
    for (int i = 0; i < moved.size(); ++i) moved[i] = b.x[i] - a.x[i];
    compare(moved, a.xd, b.xd, a.xdd, b.xdd, h, "task", worst);
    rates(a.xd, b.xd, a.xdd, b.xdd, "rate of the task");
  }
  if (a.has_pose && b.has_pose) {
    const Array<double> V_a = numbers(a.pose.V), V_b = numbers(b.pose.V);
    const Array<double> Vdot_a = numbers(a.pose.Vdot), Vdot_b = numbers(b.pose.Vdot);
    compare(numbers(log(inverse(a.pose.T) * b.pose.T)), V_a, V_b, Vdot_a, Vdot_b, h, "pose", worst);
    rates(V_a, V_b, Vdot_a, Vdot_b, "rate of the pose");
  }
  return worst;
}

void ReferenceJumps::look(const ReferencePoint& from, const ReferencePoint& to, double t,
                          double h) {
  constexpr double suspicious = 1e-3;  // a jump grows to 1 and more within the halvings
  ReferenceJump here = between(from, to, t + h, h);
  if (here.size > suspicious) {
    left_ = from, right_ = to;
    for (int k = 0; k < halvings; ++k) {
      h /= 2;
      reference_(t + h, middle_);
      const ReferenceJump first = between(left_, middle_, t + h, h);
      const ReferenceJump second = between(middle_, right_, t + 2 * h, h);
      const ReferenceJump& worse = first.size > second.size ? first : second;
      const bool grows = worse.size > 1.5 * here.size;
      here = worse;
      if (here.size <= 1 && !grows) break;
      if (first.size > second.size)
        right_ = middle_;
      else
        left_ = middle_, t += h;
    }
  }
  if (here.size > worst_.size) worst_ = here;
}

}  // namespace torsor::control_detail
