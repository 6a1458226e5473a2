// The objectives: values, slopes and curvatures in z = u / unit.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics/parts.hpp"
#include "torsor/linear/internal/ldlt.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::numeric_ik {
namespace {

/// sqrt(det J J^T) of the first target's rows that have weight, or of J^T J where columns are fewer.
double manipulability_at(const Model<double>& model, Plan& plan, const double* x) {
  const Task& task = plan.tasks[0];
  forward(model, plan, x);
  (void)errors(plan, task.level, task.level);
  jacobian(model, plan, x, task.level, task.level);
  const Array<int>& steps = plan.frames[0].steps;
  internal::SmallLdlt<double> G;
  int rows[6], m = 0;
  for (int k = 0; k < 6; ++k)
    if ((k < 3 ? task.w_rotation[k] : task.w_position[k - 3]) > 0) rows[m++] = k;
  const auto entry = [&](int row, int step) {
    return plan.J[row + step * plan.n_rows] * (row < 3 ? 1 : plan.length);
  };
  const int columns = steps.size(), n = std::min(m, columns);
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      double sum = 0;
      if (m <= columns)
        for (const int s : steps) sum += entry(rows[i], s) * entry(rows[j], s);
      else
        for (int r = 0; r < m; ++r) sum += entry(rows[r], steps[i]) * entry(rows[r], steps[j]);
      G(j, i) = sum;
    }
  G.factorise(n);
  double determinant = 1;
  for (int c = 0; c < n; ++c) {
    if (!(G.pivot(c) > 0)) return 0;
    determinant *= G.pivot(c);
  }
  return std::sqrt(determinant);
}

bool has_range(const Plan& plan, int c) {
  return std::isfinite(plan.lower[c]) && std::isfinite(plan.upper[c]) &&
         plan.upper[c] > plan.lower[c];
}

/// q (-) reference along step k, for coordinates whose rate it is.
double away(const Plan& plan, const double* x, int k) {
  const int c = plan.coordinate_of_step[k];
  return x[c] - plan.reference[c];
}
Vec3<double> turn_away(const Plan& plan, const double* x, int quaternion) {
  const auto from = [&](const double* q) { return Quaternion<double>{q[0], q[1], q[2], q[3]}; };
  return log(conjugate(from(plan.reference.data() + quaternion)) * from(x + quaternion));
}

}  // namespace

double objective_value(const Model<double>& model, Plan& plan, IkObjective objective,
                       const double* x) {
  double sum = 0;
  switch (objective) {
    case IkObjective::none:
      return 0;
    case IkObjective::manipulability:
      return -manipulability_at(model, plan, x);
    case IkObjective::nearest:
      for (int k = 0; k < plan.n_u; ++k)
        if (plan.coordinate_of_step[k] >= 0) {
          const double d = away(plan, x, k) / plan.unit_of_step[k];
          sum += d * d;
        }
      for (const int quaternion : plan.quaternions)
        sum += squared_norm(turn_away(plan, x, quaternion));
      return sum;
    case IkObjective::away_from_limits:
      for (int c = 0; c < plan.n_x; ++c) {
        if (!has_range(plan, c)) continue;
        const double d =
            (2 * x[c] - plan.upper[c] - plan.lower[c]) / (plan.upper[c] - plan.lower[c]);
        sum += d * d;
      }
      return sum;
  }
  return sum;
}

void objective_slope(const Model<double>& model, Plan& plan, IkObjective objective) {
  const int n = plan.n_u;
  double* const x = plan.x.data();
  const auto set = [&](int k, double slope, double curvature) {
    plan.g[k] = slope * plan.unit_of_step[k];
    plan.A[k * n + k] = curvature;
  };
  if (objective == IkObjective::nearest) {
    for (int k = 0; k < n; ++k)
      if (plan.coordinate_of_step[k] >= 0) {
        const double unit = plan.unit_of_step[k];
        set(k, -2 * away(plan, x, k) / (unit * unit), 2);
      }
    for (int i = 0; i < plan.quaternions.size(); ++i) {
      const Vec3<double> turn = turn_away(plan, x, plan.quaternions[i]);
      for (int k = 0; k < 3; ++k) set(plan.quaternion_steps[i] + k, -2 * turn[k], 2);
    }
  } else if (objective == IkObjective::away_from_limits) {
    for (int k = 0; k < n; ++k) {
      const int c = plan.coordinate_of_step[k];
      if (c < 0 || !has_range(plan, c)) continue;
      const double half = (plan.upper[c] - plan.lower[c]) / 2;
      const double middle = (plan.upper[c] + plan.lower[c]) / 2, unit = plan.unit[c];
      set(k, -2 * (x[c] - middle) / (half * half), 2 * unit * unit / (half * half));
    }
  } else {
    // Central differences; the step in x_try may be cut by a limit, which makes it one-sided.
    const double h = 1e-5;
    for (int k = 0; k < n; ++k) {
      std::fill(plan.step.begin(), plan.step.end(), 0.0);
      const double size = h * plan.unit_of_step[k];
      const int c = plan.coordinate_of_step[k];
      const auto room = [&](double bound) {
        return c < 0 || plan.wraps[c] || std::abs(bound - x[c]) > size;
      };
      double value[2]{}, apart = 0;
      for (const int side : {0, 1}) {
        const bool go = c < 0 || room(side ? plan.upper[c] : plan.lower[c]);
        plan.step[k] = go ? (side ? size : -size) : 0;
        apart += go ? size : 0;
        advance(model, plan, x, plan.step.data(), plan.x_try.data());
        value[side] = manipulability_at(model, plan, plan.x_try.data());
      }
      if (apart > 0) set(k, (value[1] - value[0]) / apart, 0);
    }
  }
}

}  // namespace torsor::numeric_ik
