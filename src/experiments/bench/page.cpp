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
  int kind = 0;  ///< index of the mode in the legend
};

/// Bars from zero, as long as their numbers, on the scale of the longest.
std::string bars(const std::string& verb, const std::vector<Bar>& all) {
  constexpr double label_width = 104, width = 236, height = 24;
  double longest = 0;
  for (const Bar& bar : all) longest = std::max(longest, bar.ns);
  const double total = height * static_cast<double>(all.size());
  std::string out = "<figure class=\"bars\"><svg viewBox=\"0 0 400 " + text_number(total) +
                    "\" role=\"img\" aria-label=\"" + escaped(verb) +
                    ", nanoseconds per state\">\n";
  double y = 0;
  for (const Bar& bar : all) {
    const double end = longest > 0 ? width * bar.ns / longest : 0;
    const std::string middle = text_number(y + 16), k = std::to_string(bar.kind);
    out += "<g class=\"r" + k + "\"><title>" + escaped(verb + ", " + bar.label) + ": " +
           figure(bar.ns) + " ns</title><text class=\"e\" x=\"" + text_number(label_width - 8) +
           "\" y=\"" + middle + "\">" + escaped(bar.label) + "</text><rect class=\"bar k" +
           std::to_string(bar.kind % report::Palette::size) + "\" x=\"" + text_number(label_width) +
           "\" y=\"" + text_number(y + 3) + "\" width=\"" + text_number(end) +
           "\" height=\"18\" rx=\"2\"/><text class=\"v\" x=\"" +
           text_number(label_width + 6 + end) + "\" y=\"" + middle + "\">" + figure(bar.ns) +
           "</text></g>\n";
    y += height;
  }
  return out + "</svg></figure>\n";
}

using Words = std::vector<std::string>;
void enter(Words& list, const std::string& word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}
int index_of(const Words& list, const std::string& word) {
  return static_cast<int>(std::find(list.begin(), list.end(), word) - list.begin());
}

/// Boxes that hide and show a mode in all pictures and in the table, without script.
std::string legend(const Words& modes) {
  std::string out = "<div class=\"legend\">";
  for (std::size_t k = 0; k < modes.size(); ++k)
    out += "<label><input type=\"checkbox\" checked=\"checked\" id=\"r" + std::to_string(k) +
           "\"/><i class=\"k" + std::to_string(k % report::Palette::size) + "\"></i><span>" +
           escaped(modes[k]) + "</span></label>";
  return out + "</div>\n";
}

std::string table(const Words& verbs, const Words& modes, const std::vector<BenchFigure>& figures) {
  std::string out =
      "<h2>All figures <small>ns per state</small></h2>\n<div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr>"
      "<th scope=\"col\">verb</th>";
  for (std::size_t k = 0; k < modes.size(); ++k)
    out += "<th scope=\"col\" class=\"r" + std::to_string(k) + "\">" + escaped(modes[k]) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const std::string& verb : verbs) {
    out += "<tr><th scope=\"row\">" + escaped(verb) + "</th>";
    for (std::size_t k = 0; k < modes.size(); ++k) {
      std::string cell = "–";
      for (const BenchFigure& f : figures)
        if (f.verb == verb && f.mode == modes[k]) cell = figure(f.ns);
      out += "<td class=\"n r" + std::to_string(k) + "\">" + cell + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// Torsor beside another library, in one run.
std::string peers(const std::vector<BenchPeer>& all) {
  if (all.empty()) return "";
  std::string out =
      "<h2>Beside others <small>in one run, results compared first</small></h2>\n"
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const char* title : {"verb", "library", "ns", "torsor, ns", "ratio", "results differ by"})
    out += std::string("<th scope=\"col\">") + title + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const BenchPeer& p : all)
    out += "<tr><th scope=\"row\">" + escaped(p.verb) + "</th><td>" + escaped(p.library) +
           "</td><td class=\"n\">" + figure(p.ns) + "</td><td class=\"n\">" + figure(p.torsor_ns) +
           "</td><td class=\"n\">" + figure(p.torsor_ns / p.ns) + "</td><td class=\"n\">" +
           figure(p.difference) + "</td></tr>\n";
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string bench_page(const Bench& bench, const std::vector<RunFact>& facts) {
  Words verbs, modes;
  std::vector<BenchFigure> figures = bench.figures;
  for (const BenchPeer& p : bench.peers) figures.push_back({p.verb, p.library, p.ns});
  for (const BenchFigure& f : figures) enter(verbs, f.verb), enter(modes, f.mode);
  std::string body = "<p class=\"lead\">" + escaped(bench.robot) + ", " +
                     std::to_string(bench.n_v) + " degrees of freedom, on " +
                     escaped(bench.processor) + " (" + escaped(bench.instruction_set) + ")</p>\n" +
                     "<p>Nanoseconds per state: the least CPU time of one thread over many short "
                     "repetitions. " +
                     (bench.peers.empty() ? "No other library was measured beside it."
                                          : "Other libraries were measured in one run with "
                                            "Torsor, after their results were compared.") +
                     "</p>\n" + legend(modes);
  body += "<div class=\"grid verbs\">\n";
  for (const std::string& verb : verbs) {
    std::vector<Bar> all;
    for (const BenchFigure& f : figures)
      if (f.verb == verb) all.push_back({f.mode, f.ns, index_of(modes, f.mode)});
    body += "<section>\n<h3>" + escaped(verb) + "</h3>\n" + bars(verb, all) + "</section>\n";
  }
  body += "</div>\n";
  body += table(verbs, modes, figures) + peers(bench.peers);
  std::string style =
      report::style(report::Palette({})) +
      "figure.bars{margin:0;max-width:520px}.bars text{font-size:12px}rect.bar{fill:currentColor}"
      "svg .v{fill:var(--ink)}h3{margin:22px 0 4px}"
      ".verbs{grid-template-columns:repeat(auto-fill,minmax(min(460px,100%),1fr));gap:0 40px}\n";
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const std::string n = std::to_string(k);
    style.append("body:has(#r").append(n).append(":not(:checked)) .r").append(n);
    style += "{display:none}";
  }
  return report::framed(bench.robot + ": speed", style, body, facts);
}

}  // namespace torsor
