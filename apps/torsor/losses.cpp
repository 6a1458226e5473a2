#include "losses.hpp"

#include <algorithm>

#include "text_output.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {

std::string losses_text(const LossReport& report) {
  if (!report.any()) return {};
  std::string out;
  for (const std::string& line : report.lines()) out += wrapped(line, 9) + "\n";
  return out;
}

Json losses_json(const LossReport& report) {
  const auto list = [](const std::vector<LossReport::Entry>& entries) {
    Json all = Json::array();
    for (const LossReport::Entry& e : entries)
      all.push_back({{"what", e.what}, {"count", e.count}});
    return all;
  };
  return {{"read", list(report.read)},
          {"kept", list(report.kept)},
          {"dropped", list(report.dropped)},
          {"changes_dynamics", list(report.changed)}};
}

void refuse_losses(const Findings& findings, const std::string& file) {
  const auto lost = std::find_if(findings.begin(), findings.end(), [](const Finding& f) {
    return (f.kind == Finding::Kind::ignored || f.kind == Finding::Kind::not_used) &&
           !f.subject.starts_with("meshes");
  });
  if (lost == findings.end()) return;
  throw Error((lost->origin.file.empty() ? one_line(file) + ": " : "") + lost->line() +
              " (--strict)");
}

}  // namespace torsor::command
