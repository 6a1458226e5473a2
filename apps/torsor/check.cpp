#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

#include "command.hpp"
#include "json_output.hpp"
#include "losses.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/formats/check_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/text.hpp"

namespace torsor::command {
namespace {

struct CheckArguments {
  RobotArgument robot;
  std::string out_file;
  bool strict = false, all = false, fix = false, in_place = false, force = false, json = false;
};

using Severity = Finding::Severity;

long count(const Findings& list, Severity severity) {
  return std::count_if(list.begin(), list.end(),
                       [&](const Finding& f) { return f.severity == severity; });
}

std::string severity_label(Severity severity) {
  const std::string word = name_of(severity);
  const Colour colour = severity == Severity::error     ? Colour::red
                        : severity == Severity::warning ? Colour::yellow
                                                        : Colour::blue;
  return coloured(colour, word) + std::string(9 - word.size(), ' ');
}

/// "not used: 8 <gazebo>, 6 <transmission>, 14 meshes not found", in the order of the file.
std::string not_used_line(const Findings& list) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Finding& f : list) {
    if (f.kind != Finding::Kind::not_used) continue;
    const auto at = std::find_if(counts.begin(), counts.end(),
                                 [&](const auto& c) { return c.first == f.subject; });
    if (at == counts.end())
      counts.emplace_back(f.subject, f.count);
    else
      at->second += f.count;
  }
  std::vector<std::string> words;
  for (const auto& [subject, n] : counts)
    words.push_back(n == 1 && subject.starts_with("meshes") ? "1 mesh" + subject.substr(6)
                                                            : std::to_string(n) + " " + subject);
  return words.empty() ? "" : "not used: " + listed(words);
}

/// Positions of findings that one explanation serves, by the first of them. What cannot be read is a
/// mistake of its own each time.
std::vector<std::vector<std::size_t>> alike_in(const Findings& list) {
  using Key = std::tuple<Severity, Finding::Kind, std::string, std::string, std::string>;
  std::vector<std::vector<std::size_t>> groups;
  std::map<Key, std::size_t> known;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Finding& f = list[k];
    const Key key{f.severity, f.kind, f.why, f.fix, f.why.empty() ? f.message : ""};
    const auto [at, is_new] = known.try_emplace(key, groups.size());
    if (is_new || f.kind == Finding::Kind::unreadable)
      groups.push_back({k});
    else
      groups[at->second].push_back(k);
  }
  return groups;
}

/// Findings of one kind share their explanation; of many, the first ones stand for all. What is
/// merely not used is one line.
std::string findings_text(const std::string& robot, const Findings& all, bool in_full) {
  constexpr std::size_t shown = 3;
  Findings list = all;
  if (!in_full)
    std::erase_if(list, [](const Finding& f) { return f.kind == Finding::Kind::not_used; });
  std::string out;
  for (const std::vector<std::size_t>& alike : alike_in(list)) {
    const Finding& f = list[alike[0]];
    const std::size_t count = in_full ? alike.size() : std::min(alike.size(), shown);
    for (std::size_t k = 0; k < count; ++k)
      out += (k == 0 ? severity_label(f.severity) : std::string(9, ' ')) +
             wrapped(list[alike[k]].line(), 9) + "\n";
    if (alike.size() > count)
      out +=
          "         and " + std::to_string(alike.size() - count) + " more of this kind (--all)\n";
    if (f.kind == Finding::Kind::unreadable) continue;  // the message says it all
    if (!f.why.empty()) out += "    why  " + wrapped(f.why, 9) + "\n";
    if (!f.fix.empty()) out += "    fix  " + wrapped(f.fix, 9) + "\n";
  }
  const std::string unused = in_full ? "" : not_used_line(all);
  if (!unused.empty()) out += severity_label(Severity::note) + wrapped(unused, 9) + "\n";
  const std::string sum =
      internal::count_of(count(list, Severity::error), "error") + ", " +
      internal::count_of(count(list, Severity::warning), "warning") + ", " +
      internal::count_of(count(list, Severity::note) + (unused.empty() ? 0 : 1), "note");
  return out + (out.empty() ? "" : "\n") + robot + ": " + (all.empty() ? "nothing found" : sum) +
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
std::string repaired_name(const CheckArguments& options) {
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

/// The name of the repaired file, if it may be written.
std::string checked_repaired_name(const CheckArguments& options, const FileCheck& check) {
  const std::string file = repaired_name(options);
  if (check.format == nullptr)
    throw Error("check --fix: " + in_quotes(options.robot.name) +
                " is made by code, not by a file");
  if (options.robot.name.ends_with(".xacro"))
    throw Error("check --fix: " + one_line(options.robot.name) +
                " is a program; torsor convert writes its expansion, which can be repaired");
  if (robot_format_of_path(file, {check.format, 1}) == nullptr)
    throw Error(one_line(file) + ": a repair keeps the format; end the name in " +
                robot_extensions(" or ", {check.format, 1}));
  if (options.in_place) return file;
  if (is_same_file(options.robot.name, file))
    throw Error(one_line(file) + ": is the input; --in-place repairs it there");
  refuse_to_overwrite(file, options.force);
  return file;
}

/// A copy of the file as it was: my_arm.urdf.bak, or .bak1, .bak2, ... where that exists.
std::string back_up(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (int k = 0; k < 1000; ++k) {
    const std::string backup = file + ".bak" + (k == 0 ? "" : std::to_string(k));
    if (fs::exists(backup, error)) continue;
    if (fs::copy_file(file, backup, error)) return backup;
    throw Failure(one_line(backup) + ": cannot write: " + error.message());
  }
  throw Failure(one_line(file) + ": has a thousand backups already; remove some");
}

struct Written {
  std::string file, backup;  ///< empty: there is none
};
Written write_repaired(const CheckArguments& options, const FileRepair& repair,
                       const std::string& file) {
  if (repair.changes.empty()) return {};
  const std::string backup = options.in_place ? back_up(file) : "";
  write_file(file, repair.after.text);
  return {file, backup};
}

std::string repair_text(const FileRepair& repair, const Written& written) {
  if (written.file.empty()) return "\nnothing that --fix can repair; no file written\n";
  std::string out = "\nrepaired; all else is as it was, byte for byte:\n";
  for (const std::string& change : repair.changes) out += "  " + wrapped(change, 4) + "\n";
  const Findings& left = repair.after.findings;
  out += "wrote " + written.file + ": " +
         internal::count_of(count(left, Severity::error), "error") + ", " +
         internal::count_of(count(left, Severity::warning), "warning") + " left\n";
  if (!written.backup.empty()) out += "the file as it was: " + written.backup + "\n";
  return out;
}

int check_robot(const CheckArguments& options, std::string& out) {
  if (!options.fix && (options.in_place || !options.out_file.empty() || options.force))
    throw Error("check: -o, --in-place and --force belong to --fix");
  if (options.in_place && !options.out_file.empty())
    throw Error("check: -o and --in-place exclude each other");
  const CheckOptions how{true, options.robot.files.package_folders, options.robot.files.arguments};
  const FileCheck check = check_file(options.robot.name, how);
  const Findings& found = check.findings;
  const LossReport losses = loss_report(check.robot, found);
  Json json = {{"robot", check.robot.name},
               {"file", check.robot.origin.file},
               {"errors", count(found, Severity::error)},
               {"warnings", count(found, Severity::warning)},
               {"notes", count(found, Severity::note)},
               {"losses", losses_json(losses)},
               {"findings", findings_json(found)}};
  std::string text = findings_text(options.robot.name, found, options.all) + losses_text(losses);
  Findings left = found;
  if (options.fix) {
    const std::string file = checked_repaired_name(options, check);
    const FileRepair repair = repair_file(check, how);
    const Written written = write_repaired(options, repair, file);
    left = repair.after.findings;
    text += repair_text(repair, written);
    const auto name_or_null = [](const std::string& name) {
      return name.empty() ? Json(nullptr) : Json(name);
    };
    json["repair"] = {{"file", name_or_null(written.file)},
                      {"backup", name_or_null(written.backup)},
                      {"changes", repair.changes},
                      {"left", findings_json(left)}};
  }
  out += options.json ? json_text(json) : text;
  const long bad =
      count(left, Severity::error) + (options.strict ? count(left, Severity::warning) : 0);
  return bad > 0 ? findings : good;
}

Action add_check(Arguments& app) {
  const auto options = std::make_shared<CheckArguments>();
  add_robot(app, options->robot, false);
  app.add_flag("--strict", options->strict, "warnings count as errors: exit code 1");
  app.add_flag("--all", options->all, "every finding, also those of a kind shown before");
  app.add_flag("--fix", options->fix,
               "write a repaired copy and list what was changed; all else stays byte for byte");
  app.add_option("-o", options->out_file, "its name (default: my_arm.urdf gives my_arm.fixed.urdf)")
      .type_name("FILE");
  app.add_flag("--in-place", options->in_place,
               "repair the file itself; my_arm.urdf.bak keeps it as it was");
  app.add_flag("--force", options->force, "replace the repaired copy if it exists");
  add_json(app, options->json);
  return [options](std::string& out) { return check_robot(*options, out); };
}

}  // namespace

extern const Verb check;
const Verb check{"check", "what is wrong with a robot, why it matters, what to do",
                 "  torsor check my_arm.urdf                   # findings, most severe first\n"
                 "  torsor check my_arm.urdf --fix             # writes my_arm.fixed.urdf\n"
                 "  torsor check my_arm.urdf --strict --json   # for a build server\n"
                 "\n"
                 "Exit code: 1 where there are errors, 2 for what is neither XML nor YAML.\n",
                 add_check};

}  // namespace torsor::command
