#include "torsor/experiments/log_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "log/columns.hpp"
#include "log/log_parts.hpp"
#include "log/table_reader.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/identification/signal/delay.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace internal::logs {
namespace {

/// Columns of one file, and where they go to.
struct Source {
  std::string path;
  Array<int> columns{};  // of the file
  Array<int> targets{};  // of the whole; -1 is time
};

/// `marks`: behind _ or a blank there is a unit, too.
const LogUnit* unit_of(const TableReader& reader, int column, bool marks) {
  const auto c = static_cast<std::size_t>(column);
  if (c < reader.units().size()) return unit_called(reader.units()[c]);
  return split_unit(reader.columns()[c], marks).second;
}

/// Of a column that holds `word`; throws Error for one of something else.
void check_kind(const LogUnit& unit, const std::string& word, bool hinge, bool drives,
                const RawLog& log, int column) {
  using enum UnitKind;
  const UnitKind k = unit.kind;
  const bool fits = word == "q"    ? k == (hinge ? angle : length)
                    : word == "qd" ? (hinge ? k == rate || k == angle : k == speed || k == length)
                                   : k == torque || (k == current && drives);
  if (fits) return;
  throw Error(log.name + ": column " + in_quotes(log.columns[static_cast<std::size_t>(column)]) +
              " is in " + unit.name + ", which " +
              (word == "tau" && k == current
                   ? std::string("are currents: say current and motor: {gain: ...} in a map")
                   : "is no unit of " + word +
                         (word == "tau" ? ""
                          : hinge       ? " of a hinge"
                                        : " of a slide")));
}

}  // namespace

LogShape shape_of(const Model<double>& model, const ColumnMap& map) {
  LogShape shape;
  if (model.n_q() != model.n_v())
    throw Error("robot " + in_quotes(model.name()) +
                ": logs of joints whose velocities are no rates of their coordinates are not read");
  Array<std::string> names;
  for (int k = 0; k < model.n_v(); ++k) names.push_back(model.dof_name(k));
  const Array<std::string> labels = coordinate_labels(model);
  const Array<Measure> measures = coordinate_measures(model);
  if (map.joints.empty())
    for (int k = 0; k < model.n_v(); ++k) shape.dofs.push_back(k);
  for (const std::string& joint : map.joints) {
    const auto at = std::find(names.begin(), names.end(), joint);
    if (at == names.end())
      throw Error("joints: no joint " + in_quotes(joint) + " in robot " + in_quotes(model.name()) +
                  did_you_mean(joint, names));
    const int dof = static_cast<int>(at - names.begin());
    if (std::find(shape.dofs.begin(), shape.dofs.end(), dof) != shape.dofs.end())
      throw Error("joints: " + in_quotes(joint) + " is there twice");
    shape.dofs.push_back(dof);
  }
  for (const int dof : shape.dofs) {
    shape.names.push_back(names[dof]);
    shape.labels.push_back(labels[dof]);
    shape.angle.push_back(measures[dof] == Measure::angle);
  }
  const int n = shape.dofs.size();
  const Matrix& N = map.motors.N;
  if (N.rows() > 0 && N.cols() != n)
    throw Error("motor: N has " + std::to_string(N.cols()) + " columns for " + std::to_string(n) +
                " joints");
  shape.n_motors = N.rows() > 0 ? N.rows() : n;
  if (!map.motors.gain.empty() && map.motors.gain.size() != shape.n_motors)
    throw Error("motor: gain has " + std::to_string(map.motors.gain.size()) + " numbers for " +
                std::to_string(shape.n_motors) + " motors");
  for (const auto& [list, word] : {std::pair{&map.offset, "offset"},
                                   {&map.sign, "sign"},
                                   {&map.controller.kp, "controller: kp"}})
    if (!list->empty() && list->size() != n)
      throw Error(std::string(word) + " has " + std::to_string(list->size()) + " numbers for " +
                  std::to_string(n) + " joints");
  shape.motor_positions = N.rows() > 0 && !map.joint_positions;
  if (shape.motor_positions && N.rows() != n)
    throw Error("motor: positions of " + std::to_string(N.rows()) + " motors are not those of " +
                std::to_string(n) + " joints; say positions: joint where q is of the joints");
  return shape;
}

RawLog read_raw(const std::string& path, const LogShape& shape, const ColumnMap& map,
                HeaderUnits& units, const std::string* text) {
  const int n = shape.dofs.size();
  Array<std::string> motors;
  for (int k = 0; k < shape.n_motors; ++k) motors.push_back(std::to_string(k + 1));
  const bool by_joint = shape.n_motors == n;
  RawLog log;
  log.name = one_line(std::filesystem::path(path).filename().string());

  // Which file has which words, and their columns.
  std::vector<Source> sources;
  std::vector<TableReader> readers;
  const auto source_of = [&](const std::string& word) -> std::size_t {
    const auto said = map.files.find(word == "q_ref" ? "reference" : word);
    const std::string file =
        said == map.files.end()
            ? path
            : (std::filesystem::path(path).parent_path() / said->second).string();
    for (std::size_t k = 0; k < sources.size(); ++k)
      if (sources[k].path == file) return k;
    sources.push_back({file});
    if (text != nullptr && file == path)
      readers.emplace_back(*text, file, map.delimiter);
    else
      readers.emplace_back(file, map.delimiter);
    return sources.size() - 1;
  };
  int targets = 0;
  const auto add = [&](const char* word, const std::vector<std::string>& said,
                       const std::vector<std::string>& joints,
                       const std::vector<std::string>& labels, bool needed) {
    const std::size_t s = source_of(word);
    const auto [found, bare] =
        find_columns(readers[s].columns(), {word, said, joints, labels, needed}, readers[s].name());
    for (const int column : found) {
      const std::string& name = View<const std::string>(readers[s].columns())[column];
      if (std::find(sources[s].columns.begin(), sources[s].columns.end(), column) !=
          sources[s].columns.end())
        throw Error(readers[s].name() + ": column " + in_quotes(name) + " is used twice");
      sources[s].columns.push_back(column);
      sources[s].targets.push_back(targets++);
      log.columns.push_back(name);
      units.of.push_back(unit_of(readers[s], column, bare));
    }
    return found.size();
  };
  log.n_q = add("q", map.q, shape.names, shape.labels, true);
  log.n_qd = add("qd", map.qd, shape.names, shape.labels, false);
  log.n_tau =
      add("tau", map.tau, by_joint ? shape.names : motors, by_joint ? shape.labels : motors, true);
  if (map.find_reference || !map.reference.empty())
    log.n_ref = add("q_ref", map.reference, shape.names, shape.labels, !map.reference.empty());
  bool stamped = false;
  if (map.rate == 0) {
    const std::size_t s = source_of("t");
    const int column = find_time(readers[s].columns(), map.t, readers[s].name());
    if (column < 0)
      throw Error(readers[s].name() +
                  ": no column of time (t, time, stamp); a map of columns says "
                  "which it is, or the rate in Hz");
    sources[s].columns.push_back(column);
    sources[s].targets.push_back(-1);
    units.t = unit_of(readers[s], column, map.t.empty());
    units.of_messages = readers[s].columns()[static_cast<std::size_t>(column)] == "%time";
    stamped = true;
  }

  std::vector<NumberTable> tables;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    tables.push_back(readers[s].read(sources[s].columns, map.first_row, map.last_row));
    if (tables[s].rows_in_file != tables[0].rows_in_file)
      throw Error(readers[s].name() + ": " + std::to_string(tables[s].rows_in_file) +
                  " rows, and " + readers[0].name() + " has " +
                  std::to_string(tables[0].rows_in_file));
    log.repairs.insert(log.repairs.end(), tables[s].repairs.begin(), tables[s].repairs.end());
  }
  for (LogRepair& repair : log.repairs) repair.log = log.name;

  // Rows that every file has.
  Array<int> rows = tables[0].rows;
  for (std::size_t s = 1; s < tables.size(); ++s) {
    Array<int> common;
    std::set_intersection(rows.begin(), rows.end(), tables[s].rows.begin(), tables[s].rows.end(),
                          std::back_inserter(common));
    rows = std::move(common);
  }
  if (rows.empty())
    throw Error(log.name + ": no rows of numbers" +
                (map.first_row > 1 ? " from row " + std::to_string(map.first_row) + " on" : ""));
  log.values = Matrix(rows.size(), targets);
  if (stamped) log.t.resize(rows.size());
  for (std::size_t s = 0; s < tables.size(); ++s) {
    const NumberTable& table = tables[s];
    for (int r = 0, at = 0; r < rows.size(); ++r, ++at) {
      while (table.rows[at] != rows[r]) ++at;
      for (int c = 0; c < table.columns; ++c) {
        const double x = table.values[at * table.columns + c];
        const int target = sources[s].targets[c];
        (target < 0 ? log.t[r] : log.values(r, target)) = x;
      }
    }
  }
  log.rows = std::move(rows);
  log.period = stamped ? 0 : 1 / map.rate;
  return log;
}

void to_si(RawLog& log, const LogShape& shape, const ColumnMap& map, const HeaderUnits& units) {
  const bool motor = shape.motor_positions;
  const bool drives = map.current || map.motors.unknown_gain || !map.motors.gain.empty();
  for (int k = 0; k < log.n_q; ++k) log.angle.push_back(motor || shape.angle[k]);
  std::vector<std::string> taken, ignored;
  for (int c = 0; c < log.values.cols(); ++c) {
    const int first_ref = log.n_q + log.n_qd + log.n_tau;
    const bool q = c < log.n_q || c >= first_ref, qd = !q && c < log.n_q + log.n_qd;
    const int joint = c < log.n_q ? c : c >= first_ref ? c - first_ref : c - log.n_q;
    const std::string word = q ? "q" : qd ? "qd" : "tau";
    double said = map.tau_unit;
    if (q || qd) said = !log.angle[joint] ? map.length_unit : q ? map.q_unit : map.qd_unit;
    const LogUnit* header = units.of[static_cast<std::size_t>(c)];
    if (header != nullptr && said == 0)
      check_kind(*header, word, (q || qd) && log.angle[joint], drives, log, c);
    bool own = true;  // of this column
    if (header == nullptr && qd) {
      header = units.of[static_cast<std::size_t>(joint)];
      own = false;
    }
    if (header != nullptr && (own || said == 0) && header->si != (said == 0 ? 1 : said)) {
      std::vector<std::string>& list = said == 0 ? taken : ignored;
      const std::string text = word + " in " + header->name + (own ? "" : "/s");
      if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
    }
    const double unit = said != 0 ? said : header != nullptr ? header->si : 1;
    if (unit == 1) continue;
    for (int r = 0; r < log.values.rows(); ++r) log.values(r, c) *= unit;
  }
  const auto tell = [&](const std::vector<std::string>& list, const std::string& what) {
    if (!list.empty())
      log.repairs.push_back({log.name, log.rows[0], log.rows.back(), listed(list) + what});
  };
  tell(taken, ", as the header says");
  tell(ignored, ", says the header; the map says otherwise and counts");
  if (log.t.empty()) return;
  Array<double> steps;
  for (int r = 1; r < log.t.size(); ++r)
    if (log.t[r] > log.t[r - 1]) steps.push_back(log.t[r] - log.t[r - 1]);
  std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
  const double step = steps.empty() ? 0 : steps[steps.size() / 2];
  double t_unit = map.t_unit != 0 ? map.t_unit : units.t != nullptr ? units.t->si : 0;
  if (t_unit == 0 && step >= 0.5 && units.of_messages) t_unit = 1e-9;  // rostopic counts so
  if (units.t != nullptr && units.t->kind != UnitKind::time && map.t_unit == 0)
    throw Error(log.name + ": the column of time is in " + units.t->name);
  if (t_unit == 0 && step >= 0.5)
    throw Error(
        log.name + ": stamps are " + format_number(step) +
        " apart: are they seconds? The map of columns says so, units: {t: s | ms | us | ns}");
  // Stamps of a calendar have too many digits for small differences: they are counted from the first.
  double first = 0;
  for (const double t : log.t)
    if (std::isfinite(t)) {
      first = step > 0 && std::abs(t) > 1e6 * step ? t : 0;
      break;
    }
  const double unit = t_unit == 0 ? 1 : t_unit;
  for (double& t : log.t) t = (t - first) * unit;
}

void to_joints(MotionLog& log, const LogShape& shape, const ColumnMap& map) {
  const int n = shape.dofs.size(), motors = shape.n_motors;
  const Matrix& N = map.motors.N;
  const auto sign = [&](int j) { return map.sign.empty() ? 1 : map.sign[j]; };
  if (shape.motor_positions) {
    Lu lu(n);
    if (!lu.factorise(N, 1e-12)) throw Error("motor: N has no inverse");
    for (Matrix* m : {&log.q, &log.qd, &log.q_ref})
      for (int k = 0; k < m->rows(); ++k) lu.solve({&(*m)(k, 0), n});
  }
  for (int j = 0; j < n; ++j) {
    const double offset = map.offset.empty() ? 0 : map.offset[j];
    if (offset == 0 && sign(j) == 1) continue;
    for (int k = 0; k < log.size(); ++k) log.q(k, j) = sign(j) * log.q(k, j) + offset;
    for (int k = 0; k < log.q_ref.rows(); ++k) log.q_ref(k, j) = sign(j) * log.q_ref(k, j) + offset;
    for (int k = 0; k < log.qd.rows(); ++k) log.qd(k, j) *= sign(j);
  }
  const bool drives = N.rows() > 0 || !map.motors.gain.empty() || map.motors.unknown_gain;
  if (!drives) {
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < log.size() && sign(j) != 1; ++k) log.tau(k, j) *= sign(j);
    return;
  }
  log.drive = std::move(log.tau);
  log.tau = Matrix(log.size(), n);
  log.measured.assign(n, 1);
  for (int j = 0; j < n && N.rows() > 0; ++j) {  // a joint that no motor turns
    log.measured[j] = 0;
    for (int m = 0; m < motors; ++m) log.measured[j] |= N(m, j) != 0;
  }
  for (int k = 0; k < log.size(); ++k)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int m = 0; m < motors; ++m) {
        const double ratio = N.rows() > 0 ? N(m, j) : m == j ? 1 : 0;
        sum += ratio * (map.motors.gain.empty() ? 1 : map.motors.gain[m]) * log.drive(k, m);
      }
      log.tau(k, j) = sign(j) * sum;
    }
}

}  // namespace internal::logs

namespace {

MotionLog load_from(const std::string& path, const std::string* text, const Model<double>& model,
                    const ColumnMap& said, const RepairOptions& options) {
  using namespace internal::logs;
  const ColumnMap map = with_joints(path, text, model, said);
  const LogShape shape = shape_of(model, map);
  HeaderUnits units;
  RawLog raw = read_raw(path, shape, map, units, text);
  to_si(raw, shape, map, units);
  MotionLog log = repaired(std::move(raw), options);
  to_joints(log, shape, map);
  tell_units(log, shape, model);
  all_joints(log, shape, model);
  if (map.delay != 0) {
    log = without_delay(log, map.delay);
    log.repairs.push_back({log.name, log.rows[0], log.rows.back(),
                           "torques moved by the delay of " + format_number(map.delay) + " s"});
  }
  return log;
}

}  // namespace

MotionLog load_log(const std::string& path, const Model<double>& model, const ColumnMap& map,
                   const RepairOptions& options) {
  return load_from(path, nullptr, model, map, options);
}

MotionLog internal::read_log_text(const std::string& text, const std::string& name,
                                  const Model<double>& model, const ColumnMap& map,
                                  const RepairOptions& options) {
  return load_from(name, &text, model, map, options);
}

LoadedLogs load_logs(const std::vector<std::string>& paths, const Model<double>& model,
                     const ColumnMap& map, const RepairOptions& options) {
  LoadedLogs loaded;
  for (const std::string& path : paths) loaded.logs.push_back(load_log(path, model, map, options));
  const ColumnMap chosen =
      paths.empty() ? map : internal::logs::with_joints(paths[0], nullptr, model, map);
  const internal::logs::LogShape shape = internal::logs::shape_of(model, chosen);
  loaded.motors = internal::logs::motors_of(shape, model, chosen);
  const auto of_robot = [&](const Array<double>& columns) {
    Array<double> all(columns.empty() ? 0 : model.n_v(), 0.0);
    for (int j = 0; j < columns.size(); ++j) all[shape.dofs[j]] = columns[j];
    return all;
  };
  const LoopGains& said = map.controller;
  loaded.controller = {of_robot(said.kp), of_robot(said.kd), of_robot(said.ki)};
  return loaded;
}

}  // namespace torsor
