#include "torsor/formats/loss_report.hpp"

#include <algorithm>

#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

void count(std::vector<LossReport::Entry>& list, const std::string& what, std::size_t n) {
  if (n == 0) return;
  const auto same = std::find_if(list.begin(), list.end(),
                                 [&](const LossReport::Entry& e) { return e.what == what; });
  if (same == list.end())
    list.push_back({what, static_cast<int>(n)});
  else
    same->count += static_cast<int>(n);
}

void add_line(std::vector<std::string>& lines, const char* word,
              const std::vector<LossReport::Entry>& list, const char* end) {
  if (list.empty()) return;
  std::vector<std::string> words;
  for (const LossReport::Entry& e : list) words.push_back(std::to_string(e.count) + " " + e.what);
  lines.push_back(std::string(word) + listed(words) + end);
}

}  // namespace

LossReport loss_report(const Findings& losses) {
  LossReport report;
  for (const Finding& f : losses) {
    if (f.kind != Finding::Kind::ignored && f.kind != Finding::Kind::not_used) continue;
    if (f.subject.starts_with("meshes")) continue;  // kept by their names
    const bool changes = f.kind == Finding::Kind::ignored && f.topic != Finding::Topic::drawing;
    const std::string what = f.subject.empty() ? f.message : f.subject;
    count(changes ? report.changed : report.dropped, what, static_cast<std::size_t>(f.count));
  }
  return report;
}

LossReport loss_report(const RobotDescription& robot, const Findings& findings) {
  LossReport report = loss_report(findings);
  std::size_t shapes = 0;
  for (const Link& link : robot.links) shapes += link.geometry.size();
  count(report.read, "links", robot.links.size());
  count(report.read, "joints", robot.joints.size());
  count(report.read, "frames", robot.frames.size());
  count(report.read, "loops", robot.loops.size());
  count(report.read, "couplings", robot.couplings.size());
  count(report.read, "springs", robot.springs.size());
  count(report.read, "motors", robot.motors.size());
  count(report.read, "configurations", robot.configurations.size());
  count(report.kept, "shapes", shapes);
  return report;
}

std::vector<std::string> LossReport::lines() const {
  std::vector<std::string> all;
  add_line(all, "read     ", read, "");
  add_line(all, "kept     ", kept, ", which no algorithm uses");
  add_line(all, "dropped  ", dropped, ": motion and forces stay");
  add_line(all, "dropped  ", changed, ": motion or forces change by it");
  return all;
}

}  // namespace torsor
