// The page about an identification.
#include "torsor/experiments/identification_report.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "page/live.hpp"
#include "page/run_data.hpp"
#include "report/parts.hpp"

namespace torsor {
namespace {

using report::escaped;
using report::figure;
using report::typeset;

std::string table(const std::vector<std::string>& titles,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const std::string& title : titles) out += "<th scope=\"col\">" + escaped(title) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr><th scope=\"row\">" + escaped(row.front()) + "</th>";
    for (std::size_t k = 1; k < row.size(); ++k)
      out += (std::isdigit(static_cast<unsigned char>(row[k].c_str()[0])) != 0 ||
                      row[k].starts_with("−")
                  ? "<td class=\"n\">"
                  : "<td>") +
             escaped(row[k]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string paragraph(const std::string& text) { return "<p>" + escaped(text) + "</p>\n"; }

std::string residuals(const Identification& found) {
  std::vector<std::string> titles = {"log", "used for", "all, %"};
  for (const std::string& joint : found.joints) titles.push_back(joint + ", %");
  titles.push_back("inside of the interval, %");
  std::vector<std::vector<std::string>> rows;
  for (const LogResidual& log : found.logs) {
    std::vector<std::string> row = {log.log, log.validation ? "validation" : "fit",
                                    figure(log.residual.all)};
    for (const double x : log.residual.joints) row.push_back(figure(x));
    row.push_back(figure(log.covered));
    rows.push_back(std::move(row));
  }
  return "<h2>Residuals <small>100 |tau - model| / |tau| of the filtered torques</small></h2>\n" +
         table(titles, rows);
}

report::Curve curve(const std::string& label, int colour, bool dashed, const TorqueSeries& series,
                    int joint, double (*value)(const TorqueSeries&, int, int)) {
  report::Curve out{.label = label, .colour = colour, .dashed = dashed, .points = {}};
  for (int i = 0; i < series.t.size(); ++i)
    out.points.push_back({series.t[i], value(series, i, joint)});
  return out;
}

/// Measured torques and the model's, or what is left between them, of one log.
report::Group torques(const Model<double>& model, const Identification& found,
                      const TorqueSeries& series, bool left) {
  // Torques that have rows: all of a tree, the motors' of a mechanism with loops.
  const Array<bool> all = linear_dofs(model);
  Array<bool> linear;
  for (const std::string& joint : found.joints)
    for (int k = 0; k < model.n_v(); ++k)
      if (model.dof_name(k) == joint) linear.push_back(all[k]);
  report::Group group;
  group.title = left ? "What is left" : "Torques";
  group.remark = left ? "measured less model, and the predicted interval of 95 % dashed"
                      : "measured, and of the model dashed";
  for (int j = 0; j < series.measured.cols(); ++j) {
    report::Panel panel{.title = View<const std::string>(found.joints)[j],
                        .unit = linear[j] ? "N" : "N m",
                        .curves = {}};
    using S = TorqueSeries;
    if (left) {
      panel.curves.push_back(curve("left", 1, false, series, j, [](const S& s, int i, int k) {
        return s.measured(i, k) - s.predicted(i, k);
      }));
      panel.curves.push_back(curve("interval", 8, true, series, j,
                                   [](const S& s, int i, int k) { return s.half_width(i, k); }));
      panel.curves.push_back(curve("interval", 8, true, series, j,
                                   [](const S& s, int i, int k) { return -s.half_width(i, k); }));
    } else {
      panel.curves.push_back(curve("measured", 0, false, series, j,
                                   [](const S& s, int i, int k) { return s.measured(i, k); }));
      panel.curves.push_back(curve("model", 3, true, series, j,
                                   [](const S& s, int i, int k) { return s.predicted(i, k); }));
    }
    group.panels.push_back(std::move(panel));
  }
  return group;
}

/// Where the robot was.
Recording motion(const Model<double>& model, const TorqueSeries& series) {
  Recording out;
  if (series.q.cols() != model.n_q()) return out;
  out.t.assign(series.t.begin(), series.t.end());
  for (int k = 0; k < model.n_q(); ++k) out.q.columns.push_back("q." + std::to_string(k));
  for (int i = 0; i < series.q.rows(); ++i)
    for (int k = 0; k < model.n_q(); ++k) out.q.data.push_back(series.q(i, k));
  return out;
}

/// Both of every log, as pictures in `body` and as data for the viewer.
std::string torque_plots(const Model<double>& model, const Identification& found,
                         std::string& body) {
  std::vector<report::LiveSection> live;
  body += "<div class=\"still\">\n";
  for (const TorqueSeries& series : found.series) {
    if (series.t.size() < 2) continue;
    const std::string title = series.log + (series.validation ? ", validation" : ", fitted");
    live.push_back({title, {}, motion(model, series)});
    for (const bool left : {false, true}) {
      live.back().groups.push_back(torques(model, found, series, left));
      const report::Group& group = live.back().groups.back();
      body += "<h2>" + escaped(group.title) + " <small>" + escaped(group.remark) +
              "</small></h2>\n<h3>" + escaped(title) + "</h3>\n<div class=\"grid\">\n";
      for (const report::Panel& panel : group.panels)
        body += report::panel_svg(panel, series.t.front(), series.t.back(), 400);
      body += "</div>\n";
    }
  }
  body += "</div>\n";
  return live.empty() ? "" : report::live_part(report::group_data(model.name(), live, &model));
}

std::string parameters(const Array<IdentifiedParameter>& list) {
  std::vector<std::vector<std::string>> rows;
  for (const IdentifiedParameter& p : list)
    if (p.determined)
      rows.push_back({p.name, figure(p.value), figure(p.sigma), figure(p.low), figure(p.high),
                      figure(p.classical_sigma), figure(p.before), typeset(p.unit, true),
                      p.formula == p.name ? "" : p.formula});
  return table({"parameter", "value", "sigma", "low", "high", "classical sigma", "before", "unit",
                "stands for"},
               rows);
}

std::string not_determined(const Identification& found) {
  std::string names;
  for (const auto* list : {&found.parameters, &found.nonlinear})
    for (const IdentifiedParameter& p : *list)
      if (!p.determined) names += (names.empty() ? "" : ", ") + p.name;
  if (names.empty()) return "";
  return "<h2>Not determined by these logs</h2>\n" + paragraph(names);
}

std::string repairs(const Identification& found) {
  if (found.repairs.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const LogRepair& r : found.repairs)
    rows.push_back({r.log,
                    r.first_row == r.last_row
                        ? std::to_string(r.first_row)
                        : std::to_string(r.first_row) + " to " + std::to_string(r.last_row),
                    r.what});
  return "<h2>Repaired</h2>\n" + table({"log", "rows", "what"}, rows);
}

}  // namespace

std::string identification_page(const Model<double>& model, const Identification& found,
                                const std::vector<RunFact>& facts) {
  std::string body = "<p class=\"lead\">" + escaped(std::to_string(found.base.size())) +
                     " parameters from " + std::to_string(found.rows) + " rows, " +
                     name_of(found.estimator) + "</p>\n";
  body += residuals(found);
  body += "<h3>How</h3>\n" +
          table({"step", "what was done"}, {{"estimator", found.method}, {"rows", found.filter}});
  if (found.bias.done)
    body += paragraph("Durbin-Wu-Hausman " + figure(found.bias.test.statistic) + ": " +
                      found.bias.test.verdict);
  const std::string live = torque_plots(model, found, body);
  body += std::string("<h2>Parameters <small>") +
          (found.bootstrapped ? "intervals of 95 % by bootstrap over blocks of time"
                              : "classical intervals of 95 %, as if residuals were white") +
          "</small></h2>\n" + parameters(found.parameters);
  if (!found.nonlinear.empty()) body += parameters(found.nonlinear);
  if (!found.links.empty())
    body += "<details><summary>All parameters of every body</summary>\n" + parameters(found.links) +
            "</details>\n";
  body += not_determined(found);
  body += "<h2>Excitation</h2>\n" +
          table({"figure", "value"},
                {{"condition number of the scaled columns", figure(found.condition)},
                 {"rows", std::to_string(found.rows)}});
  body += repairs(found);
  if (!found.notes.empty()) {
    body += "<h2>Notes</h2>\n";
    for (const std::string& note : found.notes) body += paragraph(note);
  }
  return report::framed(model.name() + ": identification", report::style(report::Palette({})), body,
                        facts, live);
}

}  // namespace torsor
