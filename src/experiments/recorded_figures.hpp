#pragma once
/// Figures of a run in the file of a recording: one order for writing and reading, and what must fit
/// the rest of the recording.
#include <string>

#include "torsor/formats/text.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor::internal {

template <class Archive>
void visit_metrics(Archive& archive, Array<Metrics>& all) {
  long count = all.size();
  archive(count);
  if (count < 0 || count > 100'000) archive.fail("holds figures of too many joints");
  all.resize(static_cast<int>(count));
  for (Metrics& m : all)
    for (const MetricFigure& f : metric_figures()) archive(m.*f.value);
}

template <class Archive>
void visit_figures(Archive& archive, RunFigures& f) {
  for (double* x : {&f.duration, &f.band, &f.reach, &f.filtered_square, &f.saturated,
                    &f.start_error, &f.early_error, &f.late_error, &f.reference_excursion,
                    &f.lyapunov_increase, &f.lyapunov_balance, &f.lyapunov_tolerance,
                    &f.energy_balance, &f.energy_tolerance, &f.explained})
    archive(*x);
  visit_metrics(archive, f.joints);
  visit_metrics(archive, f.task);
  for (Array<double>* x : {&f.task_early, &f.task_late, &f.task_scale, &f.observed}) archive(*x);
  for (LimitFigure* l : {&f.position, &f.velocity, &f.torque}) {
    for (int* x : {&l->limited, &l->beyond, &l->dof}) archive(*x);
    for (double* x : {&l->value, &l->bound, &l->first}) archive(*x);
  }
}

/// Throws Error where figures or curve are not of the recording that they stand in.
inline void check_figures(const Recording& r, const std::string& file) {
  const RunFigures& f = r.figures;
  const auto fail = [&](const std::string& why) { throw Error(one_line(file) + ": " + why); };
  if (f.given()) {
    const int task = r.task_e.width();
    if (f.joints.size() != r.tau.width() || f.task.size() != task || f.task_early.size() != task ||
        f.task_late.size() != task || f.task_scale.size() != task ||
        !std::cmp_equal(f.observed.size(), r.predictions.size()))
      fail("its figures are of another robot, task or law");
    for (const LimitFigure* l : {&f.position, &f.velocity, &f.torque})
      if (l->beyond < 0 || l->limited < l->beyond || l->dof < -1 || l->dof >= r.tau.width() ||
          (l->beyond > 0 && l->dof < 0))
        fail("its figures of limits name no joint of the robot");
  }
  for (const Recording& curve : r.curve) {
    const auto rows = r.series(), points = curve.series();
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k]->columns != points[k]->columns ||
          points[k]->data.size() != points[k]->columns.size() * curve.t.size())
        fail("its curve has other columns than its rows");
  }
}

}  // namespace torsor::internal
