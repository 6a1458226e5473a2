#include "torsor/experiments/report.hpp"

#include "page/live.hpp"
#include "report/parts.hpp"
#include "report/theory.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {

namespace report {

Palette::Palette(const Report& report) {
  for (const ReportSection& section : report.sections)
    for (const ReportRun& run : section.runs)
      if (index_.emplace(run.name, static_cast<int>(names_.size())).second)
        names_.push_back(run.name);
}

namespace {

void check(const Report& report) {
  bool any = false;
  for (const ReportSection& section : report.sections)
    for (const ReportRun& run : section.runs) {
      any = true;
      const Recording& r = *run.recording;
      if (r.size() == 0) throw Error("report: run \"" + run.name + "\" has no rows");
      if (r.tau.columns != section.runs.front().recording->tau.columns)
        throw Error("report: run \"" + run.name + "\" has other joints than run \"" +
                    section.runs.front().name + "\"");
    }
  if (!any) throw Error("report: there are no runs");
}

std::string legend(const Palette& palette) {
  std::string out = "<div class=\"legend\">";
  for (const std::string& name : palette.names())
    out += "<label><input type=\"checkbox\" checked=\"checked\" id=\"" + palette.run_class(name) +
           "\"/><i class=\"k" + std::to_string(palette.colour(name)) +
           (palette.dashed(name) ? " d" : "") + "\"></i><span>" + escaped(name) + "</span></label>";
  return out + "</div>\n";
}

std::string paragraph(const std::string& text, const char* kind) {
  if (text.empty()) return "";
  return std::string("<p class=\"") + kind + "\">" + escaped(text) + "</p>\n";
}

/// What stands above everything: runs that did not reach their end, when and why.
std::string stopped_runs(const Report& report) {
  std::string out;
  for (const ReportSection& section : report.sections)
    for (const ReportRun& run : section.runs)
      if (run.recording->stop != StopReason::finished)
        out += "<li><b>" + escaped(run.name) + "</b> " + escaped(run.recording->message) + "</li>";
  if (out.empty()) return "";
  return "<ul class=\"stopped\">" + out + "</ul>\n";
}

std::string section_text(const Report& report, const ReportSection& section, const Palette& palette,
                         const Extras& extras) {
  if (section.runs.empty()) return "";
  std::string out = "<section>\n";
  if (!section.title.empty()) out += "<h2>" + escaped(section.title) + "</h2>\n";
  out += paragraph(section.text, "lead");
  out += summary_table(report, section, palette);
  out += section_plots(report, section, palette, extras, is_live(report) ? 3.5e5 : 1.1e6);
  out += proof_tables(section, palette);
  return out + joint_table(report, section, palette) + "</section>\n";
}

}  // namespace

std::string facts_table(const std::vector<RunFact>& facts) {
  if (facts.empty()) return "";
  std::string out =
      "<h2>What was run</h2>\n<div class=\"scroll\" tabindex=\"0\"><table "
      "class=\"facts\"><tbody>\n";
  for (const RunFact& fact : facts)
    out += "<tr><th scope=\"row\">" + escaped(fact.name) + "</th><td>" + escaped(fact.value) +
           "</td></tr>\n";
  return out + "</tbody></table></div>\n";
}

namespace {

/// The page loads nothing and sends nothing, whatever a name in it may say.
const std::string policy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\"/>\n";

}  // namespace

std::string framed(const std::string& title, const std::string& style, const std::string& body,
                   const std::vector<RunFact>& facts, const std::string& live) {
  const std::string name = escaped(title);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
         policy + "<title>" + name + "</title>\n<style>\n" + style +
         "\n</style>\n</head>\n<body>\n<main>\n<h1>" + name + "</h1>\n" + body +
         facts_table(facts) +
         "<footer>Made by Torsor. Units are SI and radians.</footer>\n</main>\n" + live +
         "</body>\n</html>\n";
}

}  // namespace report

namespace report {

std::string page_text(const Report& page, const Extras& extras) {
  check(page);
  const Palette palette(page);
  std::string body = paragraph(page.text, "lead") + stopped_runs(page);
  if (palette.names().size() > 1) body += legend(palette);
  body += extras.before;
  for (const ReportSection& section : page.sections)
    body += section_text(page, section, palette, extras);
  body += theory_part(page);
  std::vector<RunFact> facts = page.facts;
  const std::string live = live_part(page, palette, extras, facts);
  return framed(page.title.empty() ? "Simulation" : page.title, style(palette), body, facts, live);
}

}  // namespace report

std::string report_page(const Report& page) { return report::page_text(page, {}); }

std::string report_figure(const Report& page, std::size_t section) {
  report::check(page);
  if (section >= page.sections.size() || page.sections[section].runs.empty())
    throw Error("report: there is no section " + std::to_string(section));
  return report::section_figure(page, page.sections[section], report::Palette(page));
}

void save_report(const Report& report, const std::string& path) {
  write_text_file_atomically(path, report_page(report));
}

std::vector<bool> linear_dofs(const Model<double>& model) {
  std::vector<bool> linear;
  for (const Measure of : velocity_measures(model)) linear.push_back(of == Measure::length);
  return linear;
}

}  // namespace torsor
