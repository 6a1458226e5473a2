// The page about a sweep.
#include "torsor/experiments/sweep_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/parts.hpp"
#include "torsor/sim/internal/rank_correlation.hpp"
#include "torsor/sim/internal/recorded_units.hpp"

namespace torsor {
namespace {

using report::escaped;
using report::figure;
using report::Group;
using report::Panel;

std::string svg_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

/// Finite values of a figure over the runs that reached their end.
std::vector<double> values_of(const std::vector<SweepRow>& rows, const RunFigure& f) {
  std::vector<double> all;
  for (const SweepRow& row : rows)
    if (row.finished() && std::isfinite(row.summary.*f.value)) all.push_back(row.summary.*f.value);
  return all;
}

/// How often each stretch was met, with the median and the quantiles of 5 and 95 per cent.
std::string histogram(const FigureStatistics& f, const std::string& unit,
                      std::vector<double> values) {
  constexpr double left = 8, width = 324, top = 30, height = 130;
  std::sort(values.begin(), values.end());
  const double low = values.front(), high = values.back();
  const auto bins = static_cast<std::size_t>(
      std::clamp(std::sqrt(static_cast<double>(values.size())), 6.0, 30.0));
  std::vector<double> count(bins);
  for (const double v : values)
    count[std::min(bins - 1, static_cast<std::size_t>((v - low) / (high - low) *
                                                      static_cast<double>(bins)))] += 1;
  const double most = *std::max_element(count.begin(), count.end());
  const auto x = [&](double v) { return left + width * (v - low) / (high - low); };
  std::string name = f.figure.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  const std::string title = name + (unit.empty() ? "" : ", " + unit);
  std::string out = "<svg viewBox=\"0 0 340 200\" role=\"img\"><title>" + escaped(title) +
                    ": median " + figure(f.median) + ", 5 to 95 per cent " + figure(f.q05) +
                    " to " + figure(f.q95) + ", worst " + figure(f.worst) + "</title>" +
                    "<text class=\"h\" x=\"8\" y=\"18\">" + escaped(title) + "</text>";
  const double step = width / static_cast<double>(bins);
  for (std::size_t k = 0; k < bins; ++k)
    out += "<rect class=\"k0\" fill=\"currentColor\" opacity=\"0.75\" x=\"" +
           svg_number(left + step * static_cast<double>(k) + 0.5) + "\" y=\"" +
           svg_number(top + height * (1 - count[k] / most)) + "\" width=\"" + svg_number(step - 1) +
           "\" height=\"" + svg_number(height * count[k] / most) + "\"/>";
  for (const double v : {f.q05, f.median, f.q95}) {
    if (!std::isfinite(v)) continue;  // of a joint that does not settle
    out += "<path class=\"k1\" stroke=\"currentColor\" stroke-dasharray=\"" +
           std::string(v == f.median ? "none" : "3 3") + "\" d=\"M" + svg_number(x(v)) + " " +
           svg_number(top) + "v" + svg_number(height) + "\"/>";
  }
  char tallest[64];
  std::snprintf(tallest, sizeof tallest, "tallest: %.0f of %zu", most, values.size());
  out += std::string("<text class=\"e\" x=\"332\" y=\"18\">") + tallest + "</text>";
  const std::string y = svg_number(top + height + 16), lower = svg_number(top + height + 32);
  out += "<text x=\"8\" y=\"" + y + "\">" + figure(low) +
         "</text><text class=\"e\" x=\"332\" y=\"" + y + "\">" + figure(high) +
         "</text><text class=\"m\" x=\"170\" y=\"" + lower + "\">median " + figure(f.median) +
         ", 95 % below " + figure(f.q95) + "</text>";
  return out + "</svg>\n";
}

std::string distributions(const SweepReport& report) {
  const std::vector<SweepRow>& rows = *report.rows;
  const Recording& run = *report.page.sections.front().runs.front().recording;
  const internal::RecordedUnits units(run, report.page.linear);
  std::string out;
  for (const FigureStatistics& f : statistics(rows)) {
    const std::vector<double> values = values_of(rows, f.figure);
    if (values.size() < 3 || f.q05 == f.worst) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*high - *low <= 1e-12 * std::abs(*high)) continue;
    const bool of_task = std::string_view(f.figure.name).starts_with("task_");
    out += histogram(f, of_task ? units.all(run.task_e) : units.of_figure(f.figure.unit), values);
  }
  if (out.empty()) return "";
  return "<h2>Distributions <small>of the runs that reached their end; lines: 5 per cent, median, "
         "95 per cent</small></h2>\n<div class=\"grid\">\n" +
         out + "</div>\n";
}

constexpr int least_samples = 10;  ///< of which a correlation is told

/// Rank correlations, the largest rows first.
std::string drivers(const SweepReport& report) {
  const std::vector<SweepRow>& rows = *report.rows;
  const std::vector<std::string> names = sweep_value_names(*report.scenario);
  std::vector<FigureStatistics> figures = statistics(rows);
  std::erase_if(figures, [](const FigureStatistics& f) { return f.q05 == f.worst; });
  struct Row {
    std::string name;
    std::vector<double> rho;
    double largest = 0;
  };
  std::vector<Row> table;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == "noise_seed") continue;  // a name of a draw, not a size
    Row row{names[k], {}};
    for (const FigureStatistics& f : figures) {
      std::vector<double> x, y;  // of few samples chance alone gives large coefficients
      for (const SweepRow& r : rows)
        if (r.finished()) x.push_back(r.sample.values[k]), y.push_back(r.summary.*f.figure.value);
      const auto finite =
          std::count_if(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
      row.rho.push_back(finite < least_samples ? NAN : internal::rank_correlation(x, y));
      if (std::abs(row.rho.back()) > row.largest) row.largest = std::abs(row.rho.back());
    }
    table.push_back(std::move(row));
  }
  if (table.empty() || figures.empty()) return "";
  std::stable_sort(table.begin(), table.end(),
                   [](const Row& a, const Row& b) { return a.largest > b.largest; });
  constexpr std::size_t most = 24;
  const std::size_t all = table.size();
  if (all > most) table.resize(most);
  std::string out =
      "<h2>Which uncertainty drives which figure <small>Spearman's rank correlation: "
      "1 rises with it, −1 falls with it, near 0 neither; –: fewer than " +
      std::to_string(least_samples) + " samples have a value";
  if (all > most) out += "; the " + std::to_string(most) + " largest of " + std::to_string(all);
  out +=
      "</small></h2>\n<div class=\"scroll\" tabindex=\"0\"><table "
      "class=\"heat\"><thead><tr><th></th>";
  for (const FigureStatistics& f : figures) {
    std::string name = f.figure.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    out += "<th scope=\"col\">" + escaped(name) + "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const Row& row : table) {
    out += "<tr><th scope=\"row\">" + escaped(row.name) + "</th>";
    for (const double rho : row.rho) {
      char cell[160];
      if (std::isnan(rho))
        std::snprintf(cell, sizeof cell, "<td>–</td>");
      else
        std::snprintf(cell, sizeof cell,
                      "<td style=\"background:color-mix(in srgb,var(--k%d) %.0f%%,transparent)\">"
                      "%s%.2f</td>",
                      rho > 0 ? 1 : 0, 40 * std::abs(rho), rho < -0.005 ? "−" : "", std::abs(rho));
      out += cell;
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string cases_table(const SweepReport& report, const report::Palette& palette) {
  const std::vector<ReportRun>& runs = report.page.sections.front().runs;
  std::string out =
      "<h2>Worst cases <small>shown in full below, beside the scenario as it stands in the file"
      "</small></h2>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"cases\"><tbody>\n";
  for (std::size_t k = 0; k < runs.size() && k < report.cases.size(); ++k)
    out += "<tr class=\"" + palette.run_class(runs[k].name) + "\"><th scope=\"row\">" +
           "<span class=\"dot k" + std::to_string(palette.colour(runs[k].name)) + "\"></span>" +
           escaped(runs[k].name) + "</th><td>" + escaped(report.cases[k]) + "</td></tr>\n";
  return out + "</tbody></table></div>\n";
}

/// Quantiles over the samples at each instant.
Panel band(const std::vector<const Recording*>& samples, const std::string& series, int column,
           const internal::RecordedUnits& units) {
  static const std::pair<const char*, double> levels[] = {
      {"least", 0}, {"5 %", 0.05}, {"median", 0.5}, {"95 %", 0.95}, {"largest", 1}};
  Panel panel;
  panel.title = find_series(*samples.front(), series)->label(column);
  panel.unit = units.of(*find_series(*samples.front(), series), column);
  for (const auto& [label, p] : levels)
    panel.curves.push_back({label, p == 0.5 ? 0 : p == 0 || p == 1 ? 7 : 8, p != 0.5, {}});
  const std::vector<double>& t = samples.front()->t;
  std::vector<double> values;
  for (std::size_t row = 0; row < t.size(); ++row) {
    values.clear();
    for (const Recording* r : samples)
      values.push_back((*find_series(*r, series))(static_cast<int>(row), column));
    std::sort(values.begin(), values.end());
    for (std::size_t k = 0; k < panel.curves.size(); ++k)
      panel.curves[k].points.push_back({t[row], quantile(values, levels[k].second)});
  }
  panel.bands = {{0, 4}, {1, 3}};
  return panel;
}

std::vector<Group> bands(const SweepReport& report) {
  std::vector<const Recording*> samples;
  for (const Recording& r : report.samples)
    if (samples.empty() || drawn(r).t == samples.front()->t) samples.push_back(&drawn(r));
  if (samples.size() < 5) return {};
  std::vector<Group> groups;
  const std::string remark = "of " + std::to_string(samples.size()) +
                             " samples: median, 5 to 95 per cent, least and largest";
  const internal::RecordedUnits units(*samples.front(), report.page.linear);
  const auto add = [&](const char* series, const char* title) {
    const Series* s = find_series(*samples.front(), series);
    if (!s) return;
    Group group{title, remark, {}, false, {}};
    for (int k = 0; k < s->width() && k < 24; ++k)
      group.panels.push_back(band(samples, series, k, units));
    groups.push_back(std::move(group));
  };
  add("e", "Errors over all samples");
  add("task_e", "Errors of the task over all samples");
  add("tau", "Torques over all samples");
  return groups;
}

}  // namespace

std::string sweep_page(const SweepReport& report) {
  const report::Palette palette(report.page);
  report::Extras extras;
  extras.before = distributions(report) + drivers(report) + cases_table(report, palette);
  extras.groups = bands(report);
  extras.solid = 0;  // the scenario as it is in its file; samples are ghosts beside it
  return report::page_text(report.page, extras);
}

}  // namespace torsor
