#include "torsor/formats/check_file.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "torsor/formats/internal/file_error.hpp"
#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using Kind = Finding::Kind;

bool is_error(const Finding& f) { return f.severity == Finding::Severity::error; }

/// Of what check_model judges, the reader's word counts for the line alone.
bool is_judged(Kind kind) {
  return kind != Kind::other && kind != Kind::ignored && kind != Kind::not_used &&
         kind != Kind::unreadable && kind != Kind::not_finite;
}

FileCheck check_source(const internal::RobotSource& source, const CheckOptions& options) {
  FileCheck check{source.name, source.text, source.format, {}, {}};
  Findings of_reader;
  check.robot = source.examine(of_reader);
  check.findings = internal::merged(of_reader, check_model(check.robot, options));
  if (std::any_of(check.findings.begin(), check.findings.end(), is_error)) return check;
  try {  // what the reader refuses and nothing above names
    static_cast<void>(source.read(nullptr));
  } catch (const Error& refused) {
    check.findings.insert(check.findings.begin(), internal::finding_of(refused));
  }
  return check;
}

}  // namespace

Findings internal::merged(const Findings& of_reader, Findings of_check) {
  if (std::any_of(of_reader.begin(), of_reader.end(),
                  [](const Finding& f) { return f.kind == Kind::unreadable; }))
    std::erase_if(of_check, [](const Finding& f) { return f.kind == Kind::not_finite; });
  std::map<std::pair<Kind, std::string>, const Finding*> judged;  // by their subject
  for (const Finding& r : of_reader)
    if (is_judged(r.kind) && r.origin.line > 0) judged[{r.kind, r.element}] = &r;
  for (Finding& c : of_check)
    if (const auto r = judged.find({c.kind, c.element}); r != judged.end())
      c.origin = r->second->origin;
  for (const Finding& r : of_reader)
    if (!is_judged(r.kind)) of_check.push_back(r);
  std::stable_sort(of_check.begin(), of_check.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(b.severity, a.origin.line) < std::tuple(a.severity, b.origin.line);
  });
  return of_check;
}

FileCheck check_file(const std::string& path_or_name, const CheckOptions& options,
                     RobotFormats formats) {
  const internal::RobotSource source =
      internal::find_robot(path_or_name, formats, {options.arguments, options.package_folders});
  if (source.format != nullptr) return check_source(source, options);
  FileCheck check{path_or_name, "", nullptr, load_description(path_or_name), {}};
  check.findings = check_model(check.robot, options);
  return check;
}

FileRepair repair_file(const FileCheck& check, const CheckOptions& options) {
  FileRepair none{{}, check};
  if (check.format == nullptr || check.format->edit == nullptr) return none;
  const Repair wanted = repair_model(check.robot);
  if (wanted.changes.empty()) return none;
  const std::string text = check.format->edit(check.text, check.robot, wanted.robot);
  FileRepair repair{{}, check_source({check.name, text, check.format}, options)};
  const std::vector<std::string> left = repair_model(repair.after.robot).changes;
  const std::set<std::string> undone(left.begin(), left.end());
  for (const std::string& change : wanted.changes)
    if (!undone.contains(change)) repair.changes.push_back(change);
  const auto errors = [](const Findings& f) { return std::count_if(f.begin(), f.end(), is_error); };
  const bool worse = errors(repair.after.findings) > errors(check.findings);
  return repair.changes.empty() || worse ? none : repair;
}

}  // namespace torsor
