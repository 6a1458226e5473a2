#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/formats/convert.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct Options {
  RobotArgument robot;
  std::vector<std::string> packages;
  std::string out_file;
  bool strict = false, fix = false, in_place = false, force = false, json = false;
};

using Severity = Finding::Severity;

long count(const Findings& list, Severity severity) {
  return std::count_if(list.begin(), list.end(),
                       [&](const Finding& f) { return f.severity == severity; });
}
std::string plural(long n, const char* word) {
  return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

std::vector<std::string> package_folders(const Options& options) {
  std::vector<std::string> folders = options.packages;
  for (const char* variable : {"ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"}) {
    const char* value = std::getenv(variable);
    for (const std::string& folder : split(value == nullptr ? "" : value, ':'))
      if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

std::string severity_label(Severity severity) {
  const std::string word = name_of(severity);
  const Colour colour = severity == Severity::error     ? Colour::red
                        : severity == Severity::warning ? Colour::yellow
                                                        : Colour::blue;
  return coloured(colour, word) + std::string(9 - word.size(), ' ');
}

/// Findings of one kind share their explanation; of many notes the first ones stand for all.
std::string findings_text(const std::string& robot, const Findings& list) {
  constexpr std::size_t shown_notes = 3;
  std::vector<bool> done(list.size(), false);
  std::string out;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Finding& f = list[k];
    std::size_t alike = 0;
    for (std::size_t j = k; j < list.size(); ++j) {
      const Finding& g = list[j];
      const bool same_kind = g.severity == f.severity && g.why == f.why && g.fix == f.fix &&
                             (!f.why.empty() || g.message == f.message);
      if (done[j] || !same_kind) continue;
      done[j] = true;
      if (++alike > shown_notes && f.severity == Severity::note) continue;
      out += (alike == 1 ? severity_label(f.severity) : std::string(9, ' ')) +
             wrapped(g.line(), 9) + "\n";
    }
    if (alike == 0) continue;
    if (alike > shown_notes && f.severity == Severity::note)
      out += "         and " + std::to_string(alike - shown_notes) + " more of this kind\n";
    if (!f.why.empty()) out += "    why  " + wrapped(f.why, 9) + "\n";
    if (!f.fix.empty()) out += "    fix  " + wrapped(f.fix, 9) + "\n";
  }
  const std::string sum = plural(count(list, Severity::error), "error") + ", " +
                          plural(count(list, Severity::warning), "warning") + ", " +
                          plural(count(list, Severity::note), "note");
  return out + (out.empty() ? "" : "\n") + robot + ": " + (list.empty() ? "nothing found" : sum) +
         "\n";
}

Json findings_json(const Findings& list) {
  Json all = Json::array();
  for (const Finding& f : list)
    all.push_back({{"severity", name_of(f.severity)},
                   {"file", f.origin.file},
                   {"line", f.origin.line > 0 ? Json(f.origin.line) : Json(nullptr)},
                   {"element", f.element},
                   {"message", f.message},
                   {"why", f.why},
                   {"fix", f.fix}});
  return all;
}

/// Where the repaired copy goes: my_arm.urdf becomes my_arm.fixed.urdf.
std::string repaired_name(const Options& options) {
  if (options.in_place) return options.robot.name;
  if (!options.out_file.empty()) return options.out_file;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(options.robot.name, ignored))
    throw Error("check --fix: " + in_quotes(options.robot.name) +
                " is built in; say where the repaired copy goes with -o FILE");
  std::filesystem::path path = options.robot.name;
  const std::string extension = path.extension().string();
  return path.replace_extension(".fixed" + extension).string();
}

struct Repaired {
  std::string file;  ///< empty: nothing was written
  std::vector<std::string> changes;
  RobotDescription robot;
};

Repaired write_repaired(const Options& options, const RobotDescription& robot,
                        const Findings& found) {
  const std::string file = repaired_name(options);
  const RobotFormat* const format = robot_format_of_path(file);
  if (format == nullptr) throw Error(one_line(file) + ": end the name in " + robot_extensions());
  if (!options.in_place) {
    if (is_same_file(options.robot.name, file))
      throw Error(one_line(file) + ": is the input; --in-place repairs it there");
    refuse_to_overwrite(file, options.force);
  }
  Repair repair = repair_model(robot);
  for (const Finding& f : found)  // the reader normalises; writing makes it last
    if (f.kind == Finding::Kind::axis_length)
      repair.changes.push_back(f.element + ": axis was given unit length");
  if (repair.changes.empty()) return {"", {}, std::move(repair.robot)};
  const Conversion conversion = torsor::convert(repair.robot, *format);
  write_file(file, conversion.text);
  return {file, std::move(repair.changes), load_description(file)};
}

int check_robot(const Options& options, std::string& out) {
  if (!options.fix && (options.in_place || !options.out_file.empty() || options.force))
    throw Error("check: -o, --in-place and --force belong to --fix");
  if (options.in_place && !options.out_file.empty())
    throw Error("check: -o and --in-place exclude each other");
  const CheckOptions how{true, package_folders(options)};
  Findings found;
  const RobotDescription robot = load_description(options.robot.name, &found, how);
  Findings left = found;
  Json json = {{"robot", robot.name},
               {"file", robot.origin.file},
               {"errors", count(found, Severity::error)},
               {"warnings", count(found, Severity::warning)},
               {"notes", count(found, Severity::note)},
               {"findings", findings_json(found)}};
  std::string text = findings_text(options.robot.name, found);
  if (options.fix) {
    const Repaired repaired = write_repaired(options, robot, found);
    if (repaired.file.empty()) {
      text += "\nnothing that --fix can repair; no file written\n";
    } else {
      left = check_model(repaired.robot, how);
      text += "\nrepaired (comments are not kept):\n";
      for (const std::string& change : repaired.changes) text += "  " + wrapped(change, 4) + "\n";
      text += "wrote " + repaired.file + ": " + plural(count(left, Severity::error), "error") +
              ", " + plural(count(left, Severity::warning), "warning") + " left\n";
    }
    json["repair"] = {{"file", repaired.file.empty() ? Json(nullptr) : Json(repaired.file)},
                      {"changes", repaired.changes},
                      {"left", findings_json(left)}};
  }
  out += options.json ? json_text(json) : text;
  if (const std::string why = unusable(left); !why.empty()) {
    remark("torsor: " + why);
    return bad_input;
  }
  const long bad =
      count(left, Severity::error) + (options.strict ? count(left, Severity::warning) : 0);
  return bad > 0 ? findings : good;
}

Action add(Arguments& app) {
  const auto options = std::make_shared<Options>();
  add_robot(app, options->robot, false);
  app.add_flag("--strict", options->strict, "warnings count as errors: exit code 1");
  app.add_flag("--fix", options->fix, "write a repaired copy and list what was changed");
  app.add_option("-o", options->out_file, "its name (default: my_arm.urdf gives my_arm.fixed.urdf)")
      .type_name("FILE");
  app.add_flag("--in-place", options->in_place, "repair the file itself");
  app.add_flag("--force", options->force, "replace the repaired copy if it exists");
  app.add_option("--package-path", options->packages,
                 "folder with the packages of package:// meshes")
      .type_name("FOLDER")
      .repeatable();
  add_json(app, options->json);
  return [options](std::string& out) { return check_robot(*options, out); };
}

}  // namespace

extern const Verb check;
const Verb check{"check", "what is wrong with a robot, why it matters, what to do",
                 "  torsor check my_arm.urdf                   # findings, most severe first\n"
                 "  torsor check my_arm.urdf --fix             # writes my_arm.fixed.urdf\n"
                 "  torsor check my_arm.urdf --strict --json   # for a build server\n",
                 add};

}  // namespace torsor::command
