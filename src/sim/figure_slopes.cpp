/// Which signals of a step have to be looked at inside it.
#include <cmath>

#include "torsor/sim/internal/figure_keeper.hpp"

namespace torsor::sim_detail {

namespace {

/// Signals at both ends of a step and at stages inside it, with the weights of their slopes.
template <int count>
struct StepRows {
  const double *a, *b, *x[count > 0 ? count : 1];
  double a0, b0, a1, b1, w0[count > 0 ? count : 1], w1[count > 0 ? count : 1];
};

/// Not 0: some signal of first ... last - 1 may turn inside the step and go beyond its ends by more
/// than room(from, to, j). A parabola that turns with slopes s0 and s1 at its ends goes beyond both
/// by a quarter of the smaller one at most.
template <int count, class Room>
long turning(const StepRows<count>& rows, int first, int last, Room room) {
  const StepRows<count> r = rows;
  long any = 0;
  for (int j = first; j < last; ++j) {
    const double a = r.a[j], b = r.b[j], far = room(a, b, j);
    double s0 = r.a0 * a + r.b0 * b, s1 = r.a1 * a + r.b1 * b;
    for (int i = 0; i < count; ++i) {
      const double x = r.x[i][j];
      s0 += r.w0[i] * x;
      s1 += r.w1[i] * x;
      if (count == 1) continue;  // the parabola has it
      any |= x > (a > b ? a : b) + far ? 1L : 0L;
      any |= x < (a > b ? b : a) - far ? 1L : 0L;
    }
    const double from = std::abs(s0), to = std::abs(s1), less = from < to ? from : to;
    any |= (s0 * s1 < 0 ? less : 0) > 4 * far ? 1L : 0L;
  }
  return any;
}

}  // namespace

/// Whether some signal may turn inside the step, by its slopes at both ends or by a value between,
/// or crosses what figures are counted from: a quick look that most steps end with.
template <int count>
bool FigureKeeper::may_matter(int signals) const {
  const int last = slope0_.size() - 1;
  const double *const a = start_.data(), *const b = end_.data();
  long any = t0_ < late_start_ && late_start_ <= t1_ ? 1 : 0;
  if constexpr (count > 0) {
    StepRows<count> rows{a, b, {}, slope0_[0], slope0_[last], slope1_[0], slope1_[last], {}, {}};
    for (int i = 0; i < count; ++i) {
      rows.x[i] = run_.evaluated(nodes_.back[i]).data;
      rows.w0[i] = slope0_[i + 1], rows.w1[i] = slope1_[i + 1];
    }
    const auto to_floor = [floor = floor_](double, double, int) { return floor; };
    const auto to_zero = [](double from, double to, int) {
      from = std::abs(from), to = std::abs(to);
      return from < to ? from : to;
    };
    const auto to_limits = [floor = floor_, least = least_.data(), most = most_.data()](
                               double from, double to, int j) {
      const double above = most[j] - (from > to ? from : to);
      const double below = (from > to ? to : from) - least[j];
      const double nearer = above < below ? above : below;
      return nearer > floor ? nearer : floor;
    };
    any |= turning(rows, x_.e, x_.tau, to_floor);
    if (varies_)  // torques that are held, or switch, have no extrema inside a step
      any |= turning(rows, x_.tau, x_.power, [](double, double, int) { return 0.0; });
    any |= turning(rows, x_.power, x_.q, to_zero);
    any |= turning(rows, x_.q, x_.task, to_limits);
    any |= turning(rows, x_.task, signals, to_floor);
  }
  const auto crossing = [a, b, band = figures_.band](int first, int end) {
    long crosses = 0;
    for (int j = first; j < end; ++j)
      crosses |= (std::abs(a[j]) - band) * (std::abs(b[j]) - band) <= 0 ? 1L : 0L;
    return crosses;
  };
  any |= crossing(x_.e, x_.e + x_.n_e) | crossing(x_.task, x_.task + x_.n_task);
  for (int j = x_.power; j < x_.q; ++j) any |= a[j] * b[j] < 0 ? 1L : 0L;
  for (int j = x_.s; j < x_.s + x_.n_s; ++j) any |= a[j] * b[j] <= 0 ? 1L : 0L;
  return any != 0;
}

/// The values between which a signal stays inside the step: of its ends, of the stages and of the
/// vertex of a parabola with their slopes.
FigureKeeper::Reach FigureKeeper::reach(int j) const {
  const int last = slope0_.size() - 1;
  const double a = start_[j], b = end_[j];
  double top = a > b ? a : b, bottom = a > b ? b : a;
  double s0 = slope0_[0] * a + slope0_[last] * b, s1 = slope1_[0] * a + slope1_[last] * b;
  for (int i = 0; i < nodes_.count; ++i) {
    const double x = run_.evaluated(nodes_.back[i])[j];
    s0 += slope0_[i + 1] * x, s1 += slope1_[i + 1] * x;
    top = larger(x, top), bottom = smaller(x, bottom);
  }
  if (nodes_.count > 0 && s0 * s1 < 0) {
    const double vertex = a + s0 * s0 / (2 * (s0 - s1));
    top = larger(vertex, top), bottom = smaller(vertex, bottom);
  }
  return {top, bottom};
}

/// Marks the signals that have to be looked at inside the step.
void FigureKeeper::see_slopes() {
  const int held =
      run_.sampled() ? x_.value : x_.count;  // V of sampled control is known at samples
  if (limited_ && !run_.sampled() && (at_limit(start_.data()) >= 0) != (at_limit(end_.data()) >= 0))
    needs_nodes_ = true;
  const bool quiet = nodes_.count == 0   ? !may_matter<0>(held)
                     : nodes_.count == 1 ? !may_matter<1>(held)
                     : nodes_.count == 2 ? !may_matter<2>(held)
                                         : !may_matter<3>(held);
  for (int j = 0; !quiet && j < held; ++j) {
    const auto [top, bottom] = reach(j);
    if (!matters(j, top, bottom)) continue;
    inside_[j] = 1;
    needs_nodes_ = true;
    if (x_.n_value > 0 && j == x_.value) with_value_ = true;
  }
}

/// The largest of all torques, or of all powers, so far.
double FigureKeeper::size_of(int first) const {
  double most = 0;
  for (int j = first; j < first + x_.n_tau; ++j)
    most = larger(larger(std::abs(end_[j]), larger(high_[j], -low_[j])), most);
  return most;
}

/// Whether values that a signal may take inside the step, beyond those at its ends, change a figure.
bool FigureKeeper::matters(int j, double top, double bottom) const {
  const double a = start_[j], b = end_[j], most = a > b ? a : b, least = a > b ? b : a;
  const double own = larger(larger(most, -least), larger(high_[j], -low_[j]));
  // A torque that is small beside the others is rounding, and so are errors far within the band:
  // stages are less accurate than the ends of steps.
  const bool motor = j >= x_.tau && j < x_.q;
  const double floor = motor ? 1e-9 * size_of(j < x_.power ? x_.tau : x_.power) : floor_;
  const double eps = 1e-9 * own + floor;
  const bool up = top > most + eps, down = bottom < least - eps;
  if (j < x_.tau || (j >= x_.task && j < x_.task + x_.n_task)) {  // an error
    const double band = figures_.band;
    if ((std::abs(a) > band) != (std::abs(b) > band)) return true;
    if ((up && 2 * top - most > band) || (down && 2 * bottom - least < -band)) return true;
  } else if (j < x_.power) {  // a torque
    return (up || down) && varies_;
  } else if (j < x_.q) {  // a power
    return top > eps && bottom < -eps;
  } else if (j >= x_.s && j < x_.s + x_.n_s) {
    return std::isnan(zero_[j - x_.s]) && a * b <= 0;
  }
  // Estimates are off: by less than the excursion itself.
  const double high = 2 * top - most, low = 2 * bottom - least;
  if (j >= x_.q && j < x_.task)  // a position or a velocity
    return (up && high > most_[j]) || (down && low < least_[j]);
  if (t0_ < late_start_ && late_start_ <= t1_) return true;
  if (!up && !down) return false;
  if (x_.n_value > 0 && j == x_.value)
    return (up && high - value_low_ > figures_.lyapunov_increase + eps) ||
           (down && b - low > figures_.lyapunov_increase + eps);
  const bool late = t1_ > late_start_;
  return (up && (high > std::fmax(high_[j], most) || (late && high > late_high_[j]))) ||
         (down && (low < std::fmin(low_[j], least) || (late && low < late_low_[j])));
}

}  // namespace torsor::sim_detail
