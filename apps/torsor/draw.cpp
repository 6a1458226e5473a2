#include <memory>
#include <numbers>

#include "command.hpp"
#include "number_list.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "robot_argument.hpp"
#include "torsor/dynamics/constrained/loop_dynamics.hpp"
#include "torsor/experiments/drawing.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor::command {
namespace {

struct DrawArguments {
  RobotArgument robot;
  std::string q, view, output;
  std::vector<std::string> frames;
  int width = 480, height = 480;
  bool degrees = false, perspective = false, no_shadow = false, force = false;
};

/// A word, or the two angles in degrees.
void look_from(const std::string& view, DrawOptions& out) {
  struct View {
    const char* name;
    double azimuth, elevation;
  };
  constexpr double deg = std::numbers::pi / 180;
  std::vector<std::string> names;
  for (const View& v : {View{"front", 0, 0}, View{"side", 90, 0}, View{"top", 0, 90}}) {
    names.emplace_back(v.name);
    if (view != v.name) continue;
    out.azimuth = v.azimuth * deg;
    out.elevation = v.elevation * deg;
    return;
  }
  if (view.find_first_of("0123456789") == std::string::npos)
    throw Error("--view: unknown " + in_quotes(view) + did_you_mean(view, names) +
                " (front, side, top, or azimuth and elevation in degrees: 35,20)");
  const std::vector<double> angles = parse_numbers("--view", view);
  if (angles.size() != 2)
    throw Error("--view: has " + std::to_string(angles.size()) +
                " numbers, not azimuth and elevation (in degrees: 35,20)");
  if (std::abs(angles[1]) > 90)
    throw Error("--view: elevation " + format_number(angles[1]) + " deg is not -90 to 90");
  out.azimuth = angles[0] * deg;
  out.elevation = angles[1] * deg;
}

/// Loops that the configuration leaves open are closed from there, and that is said.
void close_loops(const Model<double>& model, std::vector<double>& q) {
  if (!has_loops(model)) return;
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  std::vector<double> closed = q;
  const Assembly assembly = assemble(model, set, ws, closed);
  if (!assembly) throw Failure(model.name() + ": cannot be drawn: " + message(set, assembly));
  if (assembly.iterations > 0)
    remark("torsor: the loops were open at this configuration and were closed from there");
  q = closed;
}

int draw_one(const DrawArguments& o, std::string& out) {
  if (!o.output.empty()) refuse_to_overwrite(o.output, o.force);
  DrawOptions options;
  if (!o.view.empty()) look_from(o.view, options);
  options.distance = o.perspective ? 2.5 : 0;
  options.width = o.width;
  options.height = o.height;
  options.frames = o.frames;
  options.shadow = !o.no_shadow;
  const Model<double> model = load_model(o.robot);
  std::vector<double> q = parse_configuration(o.q, o.degrees, model, "--q");
  close_loops(model, q);
  give(o.output, draw_robot(model, q, options), out);
  return good;
}

Action add_draw(Arguments& app) {
  const auto o = std::make_shared<DrawArguments>();
  o->robot.motion_only = true;
  add_robot(app, o->robot, true);
  app.add_option("--q", o->q, "configuration, numbers separated by commas; neutral without it")
      .type_name("NUMBERS");
  app.add_flag("--deg", o->degrees, "angles of --q are in degrees");
  app.add_option("--view", o->view,
                 "front, side, top, or azimuth and elevation of the eye in degrees: 35,20")
      .type_name("VIEW");
  app.add_flag("--perspective", o->perspective, "near parts larger; parallel rays without it");
  app.add_option("--frame", o->frames, "draw this frame's axes: x red, y green, z blue")
      .repeatable()
      .type_name("NAME");
  app.add_option("--width", o->width, "pixels").range(16, 10000).show_default();
  app.add_option("--height", o->height, "pixels").range(16, 10000).show_default();
  app.add_flag("--no-shadow", o->no_shadow, "no shadow on the ground");
  app.add_option("-o,--output", o->output, "the SVG file; standard output without it");
  app.add_flag("--force", o->force, "overwrite the file");
  return [o](std::string& out) { return draw_one(*o, out); };
}

}  // namespace

extern const Verb draw;
const Verb draw{
    "draw", "a picture (SVG) of a robot at a configuration",
    "  torsor draw puma560 --q 20,-45,60,0,30,0 --deg --frame tool -o arm.svg\n"
    "  torsor draw panda --view 120,10 --perspective -o panda.svg\n"
    "  torsor draw stewart > stewart.svg          # loops are closed where they are open\n"
    "\n"
    "Shapes are the visual ones of the robot's file (box, cylinder, sphere, capsule). Bodies\n"
    "without any are drawn from their joints: a cylinder about the axis of a hinge, a box along\n"
    "a slide, bars between them, balls where loops close. Meshes are not drawn.\n",
    add_draw};

}  // namespace torsor::command
