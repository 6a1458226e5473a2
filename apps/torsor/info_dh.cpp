// The Denavit-Hartenberg table of a chain, and its link transforms at a configuration.
#include <cmath>
#include <numbers>

#include "info.hpp"
#include "text_output.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/error.hpp"

namespace torsor::command {
namespace {

/// In the unit that is wanted.
std::string angle_text(double x, bool degrees) {
  return number(degrees ? x * 180 / std::numbers::pi : x);
}
/// "q1", "q1 + 0.5"; a constant without the joint's variable.
std::string with_variable(const std::string& constant, bool variable, int row) {
  if (!variable) return constant;
  const std::string q = "q" + std::to_string(row);
  if (constant == "0") return q;
  return constant[0] == '-' ? q + " - " + constant.substr(1) : q + " + " + constant;
}
/// Zero where only rounding is left, beside 1 (rotation) or the robot's size.
double tidy(double x, double size) { return std::abs(x) < 1e-14 * size ? 0.0 : x; }

std::string matrix_text(const SE3<double>& T, double size) {
  Table table({{"", Table::right}, {"", Table::right}, {"", Table::right}, {"", Table::right}});
  for (int r = 0; r < 3; ++r)
    table.add({number(tidy(T.R(r, 0), 1)), number(tidy(T.R(r, 1), 1)), number(tidy(T.R(r, 2), 1)),
               number(tidy(T.p[r], size))});
  table.add({"0", "0", "0", "1"});
  const std::string text = table.text();
  return text.substr(text.find('\n') + 1);  // without the blank titles
}

bool is_identity(const SE3<double>& T) { return norm(T.p) < 1e-14 && norm(log(T.R)) < 1e-14; }

}  // namespace

DhReport dh_report(const RobotReport& r, DhTable::Convention convention) {
  const DhConversion found = to_dh(r.model.description(), convention);
  if (!found.ok()) throw Error("\"" + r.model.name() + "\" has no DH table: " + found.message);
  DhReport report{found.table, {}, {}};
  for (std::size_t k = 0; k < report.table.rows.size(); ++k) {
    DhRow& row = report.table.rows[k];
    report.size = std::max({report.size, std::abs(row.a), std::abs(row.d)});
    report.A.push_back(link_transform(convention, row, r.q[k]));
    report.T = report.T * report.A.back();
  }
  for (DhRow& row : report.table.rows) {
    row.a = tidy(row.a, report.size), row.d = tidy(row.d, report.size);
    row.alpha = tidy(row.alpha, 1), row.theta = tidy(row.theta, 1);
  }
  return report;
}

std::string dh_text(const RobotReport& r, const DhReport& dh) {
  const bool standard = dh.table.convention == DhTable::Convention::standard;
  const std::string unit = r.degrees ? "deg, m" : "rad, m";
  Table table({{"i", Table::right},
               {"joint"},
               {"theta", Table::right},
               {"d", Table::right},
               {"a", Table::right},
               {"alpha", Table::right}});
  for (std::size_t k = 0; k < dh.table.rows.size(); ++k) {
    const DhRow& row = dh.table.rows[k];
    const int i = static_cast<int>(k) + 1;
    table.add({std::to_string(i), row.name,
               with_variable(angle_text(row.theta, r.degrees), !row.prismatic, i),
               with_variable(number(row.d), row.prismatic, i), number(row.a),
               angle_text(row.alpha, r.degrees)});
  }
  std::string out =
      bold(r.model.name()) + ": " + (standard ? "standard" : "modified") + " DH table, A_i = " +
      (standard ? "Tz(d) Rz(theta) Tx(a) Rx(alpha)" : "Tx(a) Rx(alpha) Tz(d) Rz(theta)") + "\n" +
      heading("table", unit) + table.text();
  const std::string n = std::to_string(dh.A.size());
  if (!is_identity(dh.table.base))
    out += heading("base", "frame 0 in the world; m") + matrix_text(dh.table.base, dh.size);
  for (std::size_t k = 0; k < dh.A.size(); ++k)
    out += heading("A_" + std::to_string(k + 1),
                   k == 0 ? (r.neutral ? "at q = 0; m" : "at the given q; m") : "") +
           matrix_text(dh.A[k], dh.size);
  if (dh.A.size() > 1) out += heading("A_1 ... A_" + n) + matrix_text(dh.T, dh.size);
  if (!is_identity(dh.table.tool))
    out += heading("tool", "in frame " + n) + matrix_text(dh.table.tool, dh.size);
  return out;
}

Json dh_json(const DhReport& dh) {
  Json rows = Json::array(), A = Json::array();
  for (const DhRow& row : dh.table.rows)
    rows.push_back({{"joint", row.name},
                    {"prismatic", row.prismatic},
                    {"theta", row.theta},
                    {"d", row.d},
                    {"a", row.a},
                    {"alpha", row.alpha}});
  for (const SE3<double>& T : dh.A) A.push_back(json_pose(T));
  return {{"convention", name_of(dh.table.convention)},
          {"rows", rows},
          {"base", json_pose(dh.table.base)},
          {"A", A},
          {"T", json_pose(dh.T)},
          {"tool", json_pose(dh.table.tool)}};
}

}  // namespace torsor::command
