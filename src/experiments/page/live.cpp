#include "page/live.hpp"

#include "page/run_data.hpp"
#include "torsor/experiments/internal/viewer_files.hpp"

namespace torsor {

namespace internal {

std::string_view viewer_file(std::string_view name) {
  for (const builtin::File& file : viewer_files())
    if (file.name == name) return file.text;
  return {};
}

}  // namespace internal

namespace report {

bool is_live(const Report& report) {
  return !report.still && !internal::viewer_file("page.js").empty();
}

std::string live_part(const std::string& json) {
  if (internal::viewer_file("page.js").empty()) return "";
  // CDATA between comments: the page stays well-formed XML, and HTML does not mind.
  std::string out = "<script type=\"application/json\" id=\"torsor-data\">";
  out += json;
  out += "</script>\n<style>/*<![CDATA[*/\n";
  out += internal::viewer_file("page.css");
  out += "\n/*]]>*/</style>\n<script>//<![CDATA[\n";
  out += internal::viewer_file("page.js");
  return out + "\n//]]></script>\n";
}

std::string live_part(const Report& report, const Palette& palette, const Extras& extras,
                      std::vector<RunFact>& facts) {
  return is_live(report) ? live_part(run_data(report, palette, extras, facts)) : "";
}

}  // namespace report

}  // namespace torsor
