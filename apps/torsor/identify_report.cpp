#include "identify_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "text_output.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/identification/write_back.hpp"

namespace torsor::command {
namespace {

Json residual_json(const Residual& r) {
  Json j;
  j["all"] = r.all;
  j["joints"] = std::vector<double>(r.joints.begin(), r.joints.end());
  return j;
}

Json parameters_json(const Array<IdentifiedParameter>& list) {
  Json out = Json::array();
  for (const IdentifiedParameter& p : list)
    out.push_back({{"name", p.name},
                   {"formula", p.formula},
                   {"unit", p.unit},
                   {"value", p.value},
                   {"sigma", p.sigma},
                   {"low", p.low},
                   {"high", p.high},
                   {"classical_sigma", p.classical_sigma},
                   {"before", p.before},
                   {"determined", Json(p.determined)}});
  return out;
}

std::string per_cent(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g %%", x);
  return text;
}

/// "fitted     0.56 %: waist 0.66 %, ...", folded between joints.
std::string residual_line(const char* what, const Residual& r,
                          const std::vector<std::string>& joints) {
  constexpr std::size_t line = 79, indent = 13;
  std::string out = std::string("  ") + what + per_cent(r.all) + ":";
  std::size_t at = out.size();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::string item = " " + joints[k] + " " + per_cent(r.joints[static_cast<int>(k)]) +
                             (k + 1 < joints.size() ? "," : "");
    if (at + width_of(item) > line) {
      out += "\n" + std::string(indent - 1, ' ');
      at = indent - 1;
    }
    out += item;
    at += width_of(item);
  }
  return out + "\n";
}

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

/// As many terms as there is room for, and how many more there are.
std::string shortened(const std::string& formula, std::size_t room) {
  if (formula.size() <= room) return formula;
  std::vector<std::size_t> ends;  // of terms
  for (std::size_t at = 0; at + 2 < formula.size(); ++at)
    if (formula[at] == ' ' && (formula[at + 1] == '+' || formula[at + 1] == '-') &&
        formula[at + 2] == ' ')
      ends.push_back(at);
  for (std::size_t kept = ends.size(); kept-- > 0;) {
    const std::string text =
        formula.substr(0, ends[kept]) + " + " + std::to_string(ends.size() - kept) + " more";
    if (text.size() <= room) return text;
  }
  return std::to_string(ends.size() + 1) + " terms";
}

std::string parameter_table(const Array<IdentifiedParameter>& parameters,
                            const Array<IdentifiedParameter>& nonlinear) {
  Table table({{"parameter"},
               {"value", Table::right},
               {"low", Table::right},
               {"high", Table::right},
               {"before", Table::right},
               {"unit"}});
  for (const auto* list : {&parameters, &nonlinear})
    for (const IdentifiedParameter& p : *list)
      if (p.determined)
        table.add(
            {p.name, digits(p.value), digits(p.low), digits(p.high), digits(p.before), p.unit});
  return table.text();
}

/// What parameters stand for that are a sum of several, a line each.
std::string combinations(const Array<IdentifiedParameter>& parameters) {
  constexpr std::size_t line = 100, indent = 2;
  std::size_t widest = 0;
  for (const IdentifiedParameter& p : parameters)
    if (p.determined && p.formula != p.name) widest = std::max(widest, width_of(p.name));
  if (widest == 0) return "";
  Table table({{"parameter"}, {"stands for"}});
  for (const IdentifiedParameter& p : parameters)
    if (p.determined && p.formula != p.name)
      table.add({p.name, shortened(p.formula, std::max(line, widest + 40) - widest - 2 - indent)});
  return heading("combinations", "that these motions can tell; whole in --json and --report") +
         table.text();
}

std::string rows_text(const LogRepair& r) {
  const std::string first = std::to_string(r.first_row);
  return r.first_row == r.last_row ? first : first + " to " + std::to_string(r.last_row);
}

/// What was found again and again is told once.
std::string repaired_text(const std::vector<LogRepair>& repairs) {
  constexpr std::size_t most = 6;
  std::string out;
  std::vector<char> told(repairs.size(), 0);
  for (std::size_t k = 0; k < repairs.size(); ++k) {
    const LogRepair& r = repairs[k];
    if (told[k] != 0) continue;
    std::string rows = rows_text(r);
    std::size_t count = 1;
    for (std::size_t other = k + 1; other < repairs.size(); ++other) {
      const LogRepair& same = repairs[other];
      if (same.log != r.log || same.what != r.what || same.first_row <= 0) continue;
      told[other] = 1;
      if (++count <= most) rows += ", " + rows_text(same);
    }
    if (count > most) rows += " and " + std::to_string(count - most) + " more";
    const bool one = count == 1 && r.first_row == r.last_row;
    out += "  " +
           wrapped(r.log + ": " + (r.first_row > 0 ? (one ? "row " : "rows ") + rows + ": " : "") +
                       r.what,
                   4) +
           "\n";
  }
  return out;
}

std::string bias_line(const HausmanTest& test) {
  return "Durbin-Wu-Hausman " + digits(test.statistic) + ": " + test.verdict;
}

}  // namespace

Json identification_json(const Identification& found) {
  Json j;
  Json names = Json::array(), formulas = Json::array();
  for (int k = 0; k < found.base.size(); ++k) {
    names.push_back(found.base.names[static_cast<std::size_t>(found.base.kept[k])]);
    formulas.push_back(found.base.formula(k, 17));
  }
  j["base"] = {{"n", found.base.size()}, {"names", names}, {"formulas", formulas}};
  j["parameters"] = parameters_json(found.parameters);
  if (!found.nonlinear.empty()) j["nonlinear"] = parameters_json(found.nonlinear);
  if (!found.links.empty()) j["links"] = parameters_json(found.links);
  j["residual"] = {{"train", residual_json(found.train)}};
  if (found.validated) {
    j["residual"]["validate"] = residual_json(found.validation);
    j["covered"] = found.covered;
  }
  j["logs"] = Json::array();
  for (const LogResidual& log : found.logs)
    j["logs"].push_back({{"log", log.log},
                         {"validation", Json(log.validation)},
                         {"residual", residual_json(log.residual)},
                         {"covered", log.covered}});
  j["mass"] = found.mass > 0 ? Json(found.mass) : Json(nullptr);
  j["condition"] = found.condition;
  j["rows"] = found.rows;
  j["estimator"] = name_of(found.estimator);
  j["method"] = found.method;
  j["consistent"] = Json(found.consistent);
  if (found.gamma > 0) {
    const ConsistentEstimate& c = found.certificate;
    Json eigenvalues = Json::object();
    for (int b = 0; b < c.smallest_eigenvalue.size(); ++b)
      eigenvalues[c.bodies[static_cast<std::size_t>(b)]] = c.smallest_eigenvalue[b];
    j["gamma"] = found.gamma;
    j["certificate"] = {{"converged", Json(c.converged)},
                        {"newton_steps", c.newton_steps},
                        {"gradient", c.gradient},
                        {"gap", c.gap},
                        {"smallest_eigenvalues", eigenvalues}};
  }
  if (found.bias.done)
    j["bias"] = {{"statistic", found.bias.test.statistic},
                 {"degrees", found.bias.test.degrees},
                 {"p_value", found.bias.test.p_value},
                 {"agree", Json(found.bias.test.agree)},
                 {"verdict", found.bias.test.verdict}};
  j["joints"] = found.joints;
  j["intervals"] = found.bootstrapped ? "bootstrap" : "classical";
  j["filter"] = found.filter;
  j["not_essential"] = found.not_essential;
  j["noise"] = std::vector<double>(found.noise.begin(), found.noise.end());
  j["repaired"] = Json::array();
  for (const LogRepair& r : found.repairs)
    j["repaired"].push_back(
        {{"log", r.log}, {"rows", Json::array({r.first_row, r.last_row})}, {"what", r.what}});
  j["notes"] = found.notes;
  return j;
}

std::string identification_text(const Model<double>& model, const Identification& found) {
  std::string out = bold(model.name()) + ": " + std::to_string(found.base.size()) +
                    " parameters from " + std::to_string(found.rows) + " rows, " +
                    name_of(found.estimator) + "\n";
  out += "  " + wrapped(found.method, 2) + "\n  " + wrapped(found.filter, 2) + "\n";
  out += heading("residual", "100 |tau - model| / |tau| of the filtered torques");
  out += residual_line("fitted     ", found.train, found.joints);
  if (found.validated) {
    out += residual_line("validated  ", found.validation, found.joints);
    out += "  predicted intervals contain " + per_cent(found.covered) +
           " of the validation's samples (95 % are meant)\n";
  }
  out += "  condition number of the scaled columns " + digits(found.condition) + "\n";
  if (found.mass > 0) out += "  mass of the moving bodies " + digits(found.mass) + " kg\n";

  if (found.bias.done) out += "  " + wrapped(bias_line(found.bias.test), 4) + "\n";
  out += heading("parameters", found.bootstrapped
                                   ? "intervals of 95 % by bootstrap over blocks of time"
                                   : "classical intervals of 95 %, as if residuals were white");
  out += parameter_table(found.parameters, found.nonlinear) + combinations(found.parameters);
  std::string unknown;
  for (const auto* list : {&found.parameters, &found.nonlinear})
    for (const IdentifiedParameter& p : *list)
      if (!p.determined) unknown += (unknown.empty() ? "" : ", ") + p.name;
  if (!unknown.empty()) {
    out += heading("not determined by these logs");
    out += "  " + wrapped(unknown, 2) + "\n";
  }
  if (!found.not_essential.empty()) {
    std::string names;
    for (const std::string& name : found.not_essential) names += (names.empty() ? "" : ", ") + name;
    out += heading("not essential", "the fit is as good without them");
    out += "  " + wrapped(names, 2) + "\n";
  }
  if (!found.repairs.empty()) out += heading("repaired") + repaired_text(found.repairs);
  if (!found.notes.empty()) {
    out += heading("notes");
    for (const std::string& note : found.notes) out += "  " + wrapped(note, 4) + "\n";
  }
  return out;
}

std::vector<std::string> save_identified(const Model<double>& model, const IdentifyOptions& options,
                                         const Identification& found, const RobotArgument& from,
                                         const std::string& to) {
  const WriteBack back = write_back(model, options, found);
  if (!back.ok()) throw Failure(back.message);
  std::vector<std::string> said(back.notes.begin(), back.notes.end());
  for (const Finding& unseen : save_edited(from.name, back.robot, to, from.files))
    said.push_back(unseen.line());
  return said;
}

}  // namespace torsor::command
