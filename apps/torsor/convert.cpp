#include "torsor/formats/convert.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "agreement.hpp"
#include "command.hpp"
#include "json_output.hpp"
#include "losses.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "surgery.hpp"
#include "text_output.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/xacro.hpp"

namespace torsor::command {
namespace {

struct ConvertArguments {
  RobotArgument robot;
  SurgeryOptions surgery;
  std::string to_file, format, tool, tolerance = "1e-12";
  bool force = false, json = false;
};

/// By the name of the file. What was one of the formats that share .xml stays it there.
const RobotFormat* format_by_name(const std::string& robot, const std::string& file) {
  std::error_code ignored;
  if (file.ends_with(".xml") && !is_builtin_robot(robot) &&
      std::filesystem::is_regular_file(robot, ignored) && robot_format_of_path(robot) != nullptr) {
    const RobotFormat* const own = robot_format_of(robot, read_text_file(robot));
    if (robot_format_of_path(file, {own, 1}) != nullptr) return own;
  }
  return robot_format_of_path(file);
}

const RobotFormat& target_format(const ConvertArguments& options) {
  const std::string& file = options.to_file;
  const RobotFormat* const by_name = format_by_name(options.robot.name, file);
  if (options.format.empty()) {
    if (by_name != nullptr) return *by_name;
    throw Error(file == "-"
                    ? "convert: say which format goes to standard output with --to"
                    : one_line(file) + ": end the name in " + robot_extensions() + ", or say --to");
  }
  const RobotFormat& format = robot_format(options.format);
  if (by_name != nullptr && robot_format_of_path(file, {&format, 1}) == nullptr)
    throw Error(one_line(file) + ": --to " + options.format + " writes " + format.title +
                ", which contradicts the name of the file");
  return format;
}

double positive_number(const std::string& text, const char* option) {
  std::string why;
  const std::optional<double> value = parse_number(text, &why);
  if (!value) throw Error(std::string(option) + ": " + why);
  if (!(*value > 0)) throw Error(std::string(option) + ": " + text + " is not positive");
  return *value;
}

/// What the file holds that no format of Torsor keeps; meshes are kept by their names.
void note_ignored(const Findings& findings, std::vector<std::string>& notes) {
  int ignored = 0;
  std::string first;
  for (const Finding& f : findings)
    if ((f.kind == Finding::Kind::ignored || f.kind == Finding::Kind::not_used) && ignored++ == 0)
      first = f.line();
  if (ignored > 0)
    notes.push_back("left out: " + first +
                    (ignored > 1 ? ", and " + std::to_string(ignored - 1) + " more" : ""));
}

std::string report(const ConvertArguments& options, const RobotFormat& format,
                   const std::vector<std::string>& notes, const LossReport& in,
                   const LossReport& out_of, double tolerance) {
  if (options.json)
    return json_text({{"from", options.robot.name},
                      {"to", options.to_file},
                      {"format", format.name},
                      {"tolerance", tolerance},
                      {"losses", {{"import", losses_json(in)}, {"export", losses_json(out_of)}}},
                      {"notes", notes}});
  std::string out = "wrote " + options.to_file + " (" + format.name +
                    "); read back, mass, inertias and poses agree to " + number(tolerance) + "\n";
  for (const std::string& note : notes) out += "note  " + wrapped(note, 6) + "\n";
  if (in.any()) out += "from " + options.robot.name + ":\n" + losses_text(in);
  if (out_of.any()) out += "to " + options.to_file + ":\n" + losses_text(out_of);
  return out;
}

constexpr const char* expansion = "it is the expansion of the xacro file";

/// A xacro file that stays what it expands to is written with every element it has; anything else is
/// written from the robot.
Conversion converted(const ConvertArguments& options, const Model<double>& robot,
                     const RobotFormat& format) {
  if (options.robot.name.ends_with(".xacro") && options.surgery.empty()) {
    Conversion whole;
    whole.text = expand_xacro(options.robot.name, options.robot.files);
    whole.link_frames = unmoved_links(robot.description());
    whole.advice = expansion;
    if (format.recognises(whole.text) && std::string_view(format.name) == "urdf") return whole;
  }
  return torsor::convert(robot.description(), format, options.tool);
}

int convert_file(const ConvertArguments& options, std::string& out) {
  const RobotFormat& format = target_format(options);
  const double tolerance = positive_number(options.tolerance, "--tolerance");
  const bool to_output = options.to_file == "-";
  if (!to_output && is_same_file(options.robot.name, options.to_file))
    throw Error(one_line(options.to_file) + ": input and output are one file");
  Findings found;
  const Model<double> before =
      operated(Model<double>(load(options.robot, &found)), options.surgery, options.robot);
  if (!to_output) refuse_to_overwrite(options.to_file, options.force);

  Conversion conversion = converted(options, before, format);
  const bool expanded = conversion.advice == expansion;
  if (!conversion.ok())
    throw Failure(std::string("no ") + format.name +
                  (std::string_view(format.name).ends_with("dh") ? " table: " : ": ") +
                  conversion.message);
  if (options.robot.strict) {
    refuse_losses(found, options.robot.name);
    refuse_losses(conversion.losses, options.to_file);
  }
  const Model<double> after(format.read(conversion.text, options.to_file, nullptr));
  const std::string wrong =
      disagreement(before, after, conversion.link_frames, tolerance, conversion.exact);
  if (!wrong.empty())
    throw Failure("not written: " + wrong + ", more than the tolerance " + number(tolerance) +
                  (conversion.advice.empty() ? "" : " (" + conversion.advice + ")"));
  if (!expanded) note_ignored(found, conversion.notes);
  const LossReport written = loss_report(conversion.losses);
  if (to_output) {
    out += conversion.text;
    for (const std::string& note : conversion.notes)
      std::fprintf(stderr, "torsor: note: %s\n", note.c_str());
    for (const std::string& line : written.any() ? written.lines() : std::vector<std::string>{})
      std::fprintf(stderr, "torsor: note: %s\n", line.c_str());
    return good;
  }
  write_file(options.to_file, conversion.text);
  out += report(options, format, conversion.notes, loss_report(before.description(), found),
                written, tolerance);
  return good;
}

Action add_convert(Arguments& app) {
  const auto options = std::make_shared<ConvertArguments>();
  add_robot(app, options->robot, false);
  app.add_option("OUT", options->to_file, "file to write; - for standard output")
      .required()
      .type_name("");
  std::vector<std::string> formats;
  for (const RobotFormat& format : robot_formats())
    formats.push_back(std::string(format.name) + " (" + format.title + ")");
  app.add_option("--to", options->format,
                 listed(formats) + "; default: by OUT's name, .xml as the robot's file or URDF")
      .type_name("FORMAT");
  app.add_option("--tool", options->tool, "link or frame that becomes the tool of a DH table")
      .type_name("NAME");
  app.add_option("--tolerance", options->tolerance,
                 "of the comparison after writing (default 1e-12)")
      .type_name("NUMBER");
  add_surgery(app, options->surgery);
  app.add_flag("--force", options->force, "replace OUT if it exists");
  app.add_flag("--strict", options->robot.strict,
               "refuse what torsor check warns about, and all that would be lost");
  add_json(app, options->json);
  return [options](std::string& out) { return convert_file(*options, out); };
}

}  // namespace

extern const Verb convert;
const Verb convert{
    "convert", "write a robot in another format, and verify what was written",
    "  torsor convert my_arm.urdf my_arm.yaml          # URDF to robot file\n"
    "  torsor convert puma560 arm.urdf --lock elbow=0.5 --merge-fixed\n"
    "  torsor convert puma560 puma560.urdf             # DH table to URDF\n"
    "  torsor convert ur5 ur5_dh.yaml --to mdh         # any chain to modified DH\n"
    "  torsor convert panda panda.xml --to mjcf        # for MuJoCo; --to sdf for Gazebo\n",
    add_convert};

}  // namespace torsor::command
