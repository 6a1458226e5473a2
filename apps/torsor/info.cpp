#include "info.hpp"

#include <memory>

#include "command.hpp"
#include "losses.hpp"
#include "robot_argument.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {
namespace {

struct InfoArguments {
  RobotArgument robot;
  std::string q;
  bool json = false, degrees = false, frames = false, dh = false, mdh = false;
};

int show(const InfoArguments& options, std::string& out) {
  Findings found;
  Model<double> model(load(options.robot, is_builtin_robot(options.robot.name) ? nullptr : &found));
  if (options.robot.floating) model = with_base(model, JointKind::free);
  RobotReport report{model,
                     parse_configuration(options.q, options.degrees, model),
                     KinematicsWorkspace<double>(model),
                     {}};
  forward_kinematics(model, report.kinematics, report.q);
  report.moving = centre_of_mass(model, report.kinematics);
  report.neutral = options.q.empty();
  report.degrees = options.degrees;
  report.frames = options.frames || !options.q.empty();
  if (options.dh || options.mdh) {
    const DhReport dh = dh_report(
        report, options.mdh ? DhTable::Convention::modified : DhTable::Convention::standard);
    out += options.json ? json_text({{"robot", model.name()}, {"q", report.q}, {"dh", dh_json(dh)}})
                        : dh_text(report, dh);
    return good;
  }
  report.loops = loop_report(model, report.q);
  report.losses = loss_report(model.description(), found);
  if (!options.json) {
    out += info_text(report) + losses_text(report.losses);
    return good;
  }
  LongOutput to("");
  info_json(report, to);
  to.finish(out);
  return good;
}

Action add_info(Arguments& app) {
  const auto options = std::make_shared<InfoArguments>();
  add_robot(app, options->robot);
  app.add_option("--q", options->q, "configuration of centre of mass and frames, such as 0,0.5,-1")
      .type_name("LIST");
  app.add_flag("--deg", options->degrees, "angles of --q and of the tables in degrees");
  app.add_flag("--frames", options->frames, "poses of all frames");
  const Argument dh =
      app.add_flag("--dh", options->dh, "DH table of a chain and its matrices A_i at --q, instead");
  app.add_flag("--mdh", options->mdh, "the same by modified DH").excludes(dh);
  add_json(app, options->json);
  return [options](std::string& out) { return show(*options, out); };
}

}  // namespace

std::optional<LoopReport> loop_report(const Model<double>& model, const std::vector<double>& q) {
  const ConstraintSet set(model);
  if (set.n_rows() == 0) return {};
  AssemblyWorkspace ws(model, set);
  LoopReport report;
  std::vector<double> closed = q;
  report.open = constraint_errors(model, set, ws, q).position;
  report.assembly = assemble(model, set, ws, closed);
  const std::vector<char> actuated = actuated_velocities(model);
  MobilityOptions options;
  options.actuated = actuated;
  report.mobility = mobility(model, set, closed, options);
  return report;
}

extern const Verb info;
const Verb info{"info", "tree, joints, limits, masses and centre of mass of a robot",
                "  torsor info puma560\n"
                "  torsor info planar2r --q 30,60 --deg       # centre of mass and frames there\n"
                "  torsor info puma560 --dh --deg             # DH table, and A_i as 4 x 4\n"
                "  torsor info my_arm.urdf --json > my_arm.json\n",
                add_info};

}  // namespace torsor::command
