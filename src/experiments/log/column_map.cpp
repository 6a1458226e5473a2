#include "torsor/experiments/column_map.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "log/units.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

using internal::YamlElement;
using internal::logs::log_units;
using internal::logs::LogUnit;
using internal::logs::unit_called;
using internal::logs::UnitKind;

/// One of the units of these kinds. Currents count among torques, angles and lengths among their rates.
double unit(const YamlElement& e, std::initializer_list<UnitKind> kinds) {
  const std::string name = e.text();
  const LogUnit* const said = unit_called(name);
  const auto fits = [&](UnitKind kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  if (said != nullptr && fits(said->kind)) return said->si;
  std::vector<std::string> names;
  for (const LogUnit& u : log_units())
    if (fits(u.kind)) names.emplace_back(u.name);
  e.fail(in_quotes(name) + " is no unit that is known here; those are " + listed(names, " and "));
}

std::vector<std::string> names(const YamlElement& e) {
  if (!e.is_sequence()) return {e.text()};
  std::vector<std::string> out;
  for (const YamlElement& item : e.items()) out.push_back(item.text());
  if (out.empty()) e.fail("is an empty list of columns");
  return out;
}

void read_units(const YamlElement& e, ColumnMap& map) {
  if (!e.is_map()) {  // units: deg
    map.q_unit = map.qd_unit = unit(e, {UnitKind::angle});
    return;
  }
  e.allow_keys({"t", "q", "qd", "length", "tau", "current"});
  if (e.has("t")) map.t_unit = unit(e.at("t"), {UnitKind::time});
  if (e.has("q")) map.q_unit = map.qd_unit = unit(e.at("q"), {UnitKind::angle});
  if (e.has("qd")) map.qd_unit = unit(e.at("qd"), {UnitKind::rate, UnitKind::angle});
  if (e.has("length")) map.length_unit = unit(e.at("length"), {UnitKind::length});
  if (e.has("tau")) map.tau_unit = unit(e.at("tau"), {UnitKind::torque, UnitKind::current});
  if (e.has("current")) map.tau_unit = unit(e.at("current"), {UnitKind::torque, UnitKind::current});
}

/// Ratios of single motors, or the rows of the whole matrix.
Matrix coupling(const YamlElement& e) {
  const Array<YamlElement> rows = e.items();
  const int n = rows.size();
  if (n == 0) e.fail("has no rows");
  if (!rows[0].is_sequence()) {
    const Array<double> ratios = e.numbers();
    Matrix N(n, n);
    for (int k = 0; k < n; ++k) {
      N(k, k) = ratios[k];
      if (ratios[k] == 0) e.fail("ratio " + std::to_string(k + 1) + " is 0");
    }
    return N;
  }
  const int cols = rows[0].numbers().size();
  Matrix N(n, cols);
  for (int r = 0; r < n; ++r) {
    const Array<double> row = rows[r].numbers(cols);
    for (int c = 0; c < cols; ++c) N(r, c) = row[c];
  }
  return N;
}

void read_motor(const YamlElement& e, ColumnMap& map) {
  e.allow_keys({"N", "gain", "positions"});
  if (e.has("N")) map.motors.N = coupling(e.at("N"));
  if (e.has("gain")) {
    const YamlElement gain = e.at("gain");
    if (gain.is_sequence())
      map.motors.gain = gain.numbers();
    else if (gain.text() == "unknown")
      map.motors.unknown_gain = true;
    else
      gain.fail("must be a list of numbers or `unknown`");
    if (map.motors.N.rows() > 0 && gain.is_sequence() &&
        map.motors.gain.size() != map.motors.N.rows())
      gain.fail("has " + std::to_string(map.motors.gain.size()) + " numbers for " +
                std::to_string(map.motors.N.rows()) + " motors");
  }
  if (e.has("positions")) {
    const std::string of = e.at("positions").text();
    if (of != "joint" && of != "motor") e.at("positions").fail("must be joint or motor");
    map.joint_positions = of == "joint";
  }
}

/// Of the loop at the joints: kp and kd go together.
LoopGains loop_gains(const YamlElement& e) {
  e.allow_keys({"kp", "kd", "ki"});
  LoopGains gains;
  const std::pair<const char*, Array<double>*> lists[] = {
      {"kp", &gains.kp}, {"kd", &gains.kd}, {"ki", &gains.ki}};
  for (const auto& [key, list] : lists) {
    if (!e.has(key)) {
      if (list != &gains.ki) e.fail(std::string("needs kp and kd; ") + key + " is missing");
      continue;
    }
    *list = e.at(key).numbers();
    for (const double k : *list)
      if (k < 0) e.at(key).fail(format_number(k) + " is below 0");
    if (list->size() != gains.kp.size())
      e.at(key).fail("has " + std::to_string(list->size()) + " numbers for " +
                     std::to_string(gains.kp.size()) + " joints");
  }
  return gains;
}

int whole(const YamlElement& e) {
  const double x = e.number();
  if (!(x >= 1) || x > 2e9 || x != std::floor(x))
    e.fail(format_number(x) + " is no number of a row; rows count from 1");
  return static_cast<int>(x);
}

char delimiter(const YamlElement& e) {
  const std::string name = e.text();
  if (name == "tab" || name == "\t") return '\t';
  if (name == "blank" || name == "space" || name == " ") return ' ';
  if (name == "comma") return ',';
  if (name == "semicolon") return ';';
  if (name.size() != 1 ||
      std::string_view(".+-eE\"0123456789").find(name[0]) != std::string_view::npos)
    e.fail(in_quotes(name) + " cannot separate numbers; known are comma, semicolon, tab, blank");
  return name[0];
}

Array<double> signs(const YamlElement& e) {
  const Array<double> s = e.numbers();
  for (const double x : s)
    if (std::abs(x) != 1) e.fail(format_number(x) + " is neither 1 nor -1");
  return s;
}

}  // namespace

ColumnMap read_column_map(const std::string& text, const std::string& file_name) {
  check_is_text(text, file_name);
  const internal::YamlNode root = internal::parse_yaml(text, file_name);
  const YamlElement e(root, file_name, "");
  e.allow_keys({"t", "rate", "q", "qd", "tau", "current", "reference", "controller", "joints",
                "files", "units", "motor", "offset", "sign", "delimiter", "rows", "delay"});
  ColumnMap map;
  if (e.has("t")) map.t = e.at("t").text();
  if (e.has("rate")) {
    map.rate = e.at("rate").number();
    if (!(map.rate > 0)) e.at("rate").fail(format_number(map.rate) + " Hz is no rate");
    if (e.has("t")) e.at("rate").fail("there is a column of time, too; leave one out");
  }
  if (e.has("q")) map.q = names(e.at("q"));
  if (e.has("qd")) map.qd = names(e.at("qd"));
  if (e.has("tau") && e.has("current")) e.at("current").fail("there is tau, too; leave one out");
  if (e.has("tau")) map.tau = names(e.at("tau"));
  if (e.has("current")) map.tau = names(e.at("current"));
  map.current = e.has("current");
  map.motors.gain_unit = map.current ? "N m/A" : "1";
  if (e.has("reference")) map.reference = names(e.at("reference"));
  if (e.has("joints")) map.joints = names(e.at("joints"));
  if (e.has("files")) {
    e.at("files").allow_keys({"t", "q", "qd", "tau", "current", "reference"});
    for (const YamlElement& file : e.at("files").entries()) {
      const std::string word = file.name().substr(file.name().rfind(' ') + 1);
      map.files[word == "current" ? "tau" : word] = file.text();
    }
  }
  if (e.has("units")) read_units(e.at("units"), map);
  if (e.has("motor")) read_motor(e.at("motor"), map);
  if (e.has("controller")) map.controller = loop_gains(e.at("controller"));
  if (map.current && map.motors.gain.empty() && !map.motors.unknown_gain)
    e.at("current").fail("needs motor: {gain: [N m per A at the motor, ...]} or {gain: unknown}");
  if (e.has("offset")) map.offset = e.at("offset").numbers();
  if (e.has("sign")) map.sign = signs(e.at("sign"));
  if (e.has("delimiter")) map.delimiter = delimiter(e.at("delimiter"));
  if (e.has("rows")) {
    const YamlElement rows = e.at("rows");
    rows.allow_keys({"from", "to"});
    if (rows.has("from")) map.first_row = whole(rows.at("from"));
    if (rows.has("to")) map.last_row = whole(rows.at("to"));
    if (map.last_row > 0 && map.last_row < map.first_row)
      rows.fail("row " + std::to_string(map.last_row) + " is before row " +
                std::to_string(map.first_row));
  }
  if (e.has("delay")) map.delay = e.at("delay").number();
  return map;
}

ColumnMap load_column_map(const std::string& path) {
  return read_column_map(read_text_file(path), path);
}

}  // namespace torsor
