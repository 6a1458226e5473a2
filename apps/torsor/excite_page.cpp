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
  Array<double> tau(model.n_v());
  DynamicsWorkspace<double> ws(model);
  const Array<double> times = excitation_times(found, rate);
  const SampledMotion motion = sampled_motion(model, found, trajectory, times);
  for (int k = 0; k < times.size(); ++k) {
    const auto row = [&](const Matrix& x) {
      return View<const double>(x.data() + k * x.cols(), x.cols());
    };
    const View<const double> q = row(motion.q), qd = row(motion.qd), qdd = row(motion.qdd);
    if (!inverse_dynamics(model, ws, q, qd, qdd, {}, tau))
      for (double& x : tau) x = std::nan("");  // a gap
    r.t.push_back(times[k]);
    r.q.data.insert(r.q.data.end(), q.begin(), q.end());
    r.qd.data.insert(r.qd.data.end(), qd.begin(), qd.end());
    r.qdd.data.insert(r.qdd.data.end(), qdd.begin(), qdd.end());
    r.tau.data.insert(r.tau.data.end(), tau.begin(), tau.end());
  }
  return r;
}

std::vector<RunFact> facts(const ExciteArguments& given, const ExcitationOptions& o,
                           const Excitation& found) {
  std::vector<RunFact> all = robot_facts(given.robot);
  all.push_back({"criterion", given.criterion});
  all.push_back(
      {"motion", o.motion == ExcitationMotion::fourier
                     ? "Fourier series of " + std::to_string(o.harmonics) + " harmonics"
                     : "quintic splines through " + std::to_string(o.points) + " points"});
  all.push_back(
      {"trajectories", std::to_string(o.trajectories) + " of " + number(o.period) + " s"});
  all.push_back({"share of the limits", given.share + " %"});
  for (const auto& [name, value] : {std::pair{"--lower", &given.lower},
                                    {"--upper", &given.upper},
                                    {"--max-velocity", &given.velocity},
                                    {"--max-acceleration", &given.acceleration},
                                    {"--max-jerk", &given.jerk},
                                    {"--max-torque", &given.torque},
                                    {"--start", &given.start},
                                    {"--floor", &given.floor},
                                    {"--noise", &given.noise},
                                    {"--without", &given.without}})
    if (!value->empty()) all.push_back({name, *value + (given.degrees ? " (--deg)" : "")});
  for (const std::string& box : given.boxes) all.push_back({"--box", box});
  all.push_back({"random motions to begin with", std::to_string(o.starts)});
  all.push_back({"seed", std::to_string(found.seed)});
  if (found.stopped) {  // another machine would have come further, or less far
    all.push_back({"search", "ended before its last stage, after " +
                                 std::to_string(found.evaluations) + " steps"});
    for (RunFact& fact : machine_facts()) all.push_back(std::move(fact));
  }
  for (RunFact& fact : call_facts()) all.push_back(std::move(fact));
  return all;
}

}  // namespace

std::string excitation_page(const Model<double>& model, const ExciteArguments& given,
                            const ExcitationOptions& options, const Excitation& found,
                            double rate) {
  std::vector<Recording> runs;
  for (int k = 0; k < found.size(); ++k) runs.push_back(recorded(model, found, k, rate));
  Report page;
  page.title = model.name() + ": motions for identification";
  page.text = "Condition number " + number(found.condition) + " of the " +
              std::to_string(found.unknowns.size()) +
              " unknowns' columns. Torques are those of the robot file.";
  page.facts = facts(given, options, found);
  if (given.meshes)
    page.picture.mesh = internal::mesh_files(given.robot.name, given.robot.files.package_folders);
  page.linear = linear_dofs(model);
  page.sections.emplace_back();
  page.sections[0].robot = &model;
  for (const Recording& r : runs) page.sections[0].runs.push_back({r.controller, &r});
  return report_page(page);
}

}  // namespace torsor::command
