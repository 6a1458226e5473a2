// The page of torsor excite: the robot on the motions that were found.
#include <cmath>

#include "excite.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/experiments/report.hpp"

namespace torsor::command {
namespace {

/// One trajectory as if it had been recorded, with the torques of the robot's own masses.
Recording recorded(const Model<double>& model, const Excitation& found, int trajectory,
                   double rate) {
  Recording r;
  r.robot = model.name();
  r.controller = "motion " + std::to_string(trajectory + 1);
  for (int k = 0; k < model.n_q(); ++k) r.q.columns.push_back("q." + model.coordinate_name(k));
  for (Series* s : {&r.qd, &r.qdd, &r.tau})
    for (int k = 0; k < model.n_v(); ++k) s->columns.push_back(s->name + "." + model.dof_name(k));
  Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v()), tau(model.n_v());
  DynamicsWorkspace<double> ws(model);
  const double end = found.duration();
  const auto add = [&](double t) {
    found.sample(trajectory, t, q, qd, qdd);
    if (!inverse_dynamics(model, ws, q, qd, qdd, {}, tau))
      for (double& x : tau) x = std::nan("");  // a gap
    r.t.push_back(t);
    r.q.data.insert(r.q.data.end(), q.begin(), q.end());
    r.qd.data.insert(r.qd.data.end(), qd.begin(), qd.end());
    r.qdd.data.insert(r.qdd.data.end(), qdd.begin(), qdd.end());
    r.tau.data.insert(r.tau.data.end(), tau.begin(), tau.end());
  };
  for (int k = 0; k < rate * end * (1 - 1e-12); ++k) add(k / rate);
  add(end);
  return r;
}

}  // namespace

std::string excitation_page(const Model<double>& model, const Excitation& found, double rate) {
  std::vector<Recording> runs;
  for (int k = 0; k < found.size(); ++k) runs.push_back(recorded(model, found, k, rate));
  Report page;
  page.title = model.name() + ": motions for identification";
  page.text = "Condition number " + number(found.condition) + " of the " +
              std::to_string(found.unknowns.size()) +
              " unknowns' columns. Torques are those of the robot file.";
  page.facts = call_facts();
  page.linear = linear_dofs(model);
  page.sections.emplace_back();
  page.sections[0].robot = &model;
  for (const Recording& r : runs) page.sections[0].runs.push_back({r.controller, &r});
  return report_page(page);
}

}  // namespace torsor::command
