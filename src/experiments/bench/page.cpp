// The page about speed: one bar for each mode of a verb.
#include <algorithm>
#include <cstdio>

#include "report/parts.hpp"
#include "torsor/experiments/bench.hpp"

namespace torsor {
namespace {

using report::escaped;
using report::figure;

std::string text_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

struct Bar {
  std::string label;
  double ns = 0;
  int colour = 0;
};

/// Bars from zero, as long as their numbers, on the scale of the longest.
std::string bars(const std::string& verb, const std::vector<Bar>& all) {
  constexpr double label_width = 150, width = 420, height = 22;
  double longest = 0;
  for (const Bar& bar : all) longest = std::max(longest, bar.ns);
  const double total = height * static_cast<double>(all.size());
  std::string out = "<figure><svg viewBox=\"0 0 640 " + text_number(total) + "\" role=\"img\" " +
                    "aria-label=\"" + escaped(verb) + ", nanoseconds per state\">\n";
  double y = 0;
  for (const Bar& bar : all) {
    const std::string middle = text_number(y + 15);
    out += "<text text-anchor=\"end\" x=\"" + text_number(label_width - 8) + "\" y=\"" + middle +
           "\">" + escaped(bar.label) + "</text>";
    out += "<rect class=\"bar c" + std::to_string(bar.colour) + "\" x=\"" +
           text_number(label_width) + "\" y=\"" + text_number(y + 3) + "\" width=\"" +
           text_number(longest > 0 ? width * bar.ns / longest : 0) + "\" height=\"16\"/>";
    out += "<text x=\"" +
           text_number(label_width + 6 + (longest > 0 ? width * bar.ns / longest : 0)) + "\" y=\"" +
           middle + "\">" + figure(bar.ns) + "</text>\n";
    y += height;
  }
  return out + "</svg></figure>\n";
}

}  // namespace

std::string bench_page(const Bench& bench, const std::vector<RunFact>& facts) {
  std::string body = "<p class=\"lead\">" + escaped(bench.robot) + ", " +
                     std::to_string(bench.n_v) + " degrees of freedom, on " +
                     escaped(bench.processor) + " (" + escaped(bench.instruction_set) + ")</p>\n" +
                     "<p>Nanoseconds per state: the least CPU time of one thread over many short "
                     "repetitions. " +
                     (bench.peers.empty() ? "No other library was measured beside it."
                                          : "Other libraries were measured in one run with "
                                            "Torsor, after their results were compared.") +
                     "</p>\n";
  std::vector<std::string> verbs;
  for (const BenchFigure& f : bench.figures)
    if (std::find(verbs.begin(), verbs.end(), f.verb) == verbs.end()) verbs.push_back(f.verb);
  for (const std::string& verb : verbs) {
    std::vector<Bar> all;
    for (const BenchFigure& f : bench.figures)
      if (f.verb == verb) all.push_back({f.mode, f.ns, 0});
    for (const BenchPeer& p : bench.peers)
      if (p.verb == verb) all.push_back({p.library, p.ns, 1});
    body += "<h2>" + escaped(verb) + "</h2>\n" + bars(verb, all);
  }
  const std::string style =
      report::style(report::Palette({})) + "rect.bar.c0{fill:#2a6fb0}rect.bar.c1{fill:#b0762a}\n";
  return report::framed(bench.robot + ": speed", style, body, facts);
}

}  // namespace torsor
