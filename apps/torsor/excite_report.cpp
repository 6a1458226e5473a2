#include <algorithm>
#include <cmath>

#include "excite.hpp"
#include "quantity.hpp"
#include "text_output.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

std::string per_cent(double share) {
  return std::isnan(share) ? "" : number(std::round(1000 * share) / 10) + " %";
}

/// One row for each joint, in per cent of its limits.
std::string joints_text(const Excitation& found) {
  const std::vector<std::string> whats{"position", "velocity", "acceleration", "jerk", "torque"};
  std::vector<std::string> joints;
  for (const LimitUse& use : found.use)
    if (use.what == "position") joints.push_back(use.of);
  std::vector<Table::Column> columns{{"joint"}};
  for (const std::string& what : whats) columns.push_back({what, Table::right});
  Table table(columns);
  for (const std::string& joint : joints) {
    std::vector<std::string> row{joint};
    for (const std::string& what : whats) {
      const auto at = std::find_if(found.use.begin(), found.use.end(), [&](const LimitUse& use) {
        return use.of == joint && use.what == what;
      });
      row.push_back(at == found.use.end() ? "" : per_cent(at->share));
    }
    table.add(std::move(row));
  }
  return heading("largest use of limits", "positions from the middle of their range") +
         table.text();
}

std::string frames_text(const Excitation& found) {
  Table table({{"frame"}, {"axis"}, {"reaches", Table::right}, {"bound", Table::right}});
  for (const LimitUse& use : found.use)
    if (use.what.size() == 1)
      table.add({use.of, use.what, number(use.attained), number(use.limit)});
  return table.empty() ? ""
                       : heading("frames", "m; origins alone, links have no shape") + table.text();
}

std::string motion_text(const ExcitationOptions& options, const Excitation& found) {
  const bool fourier = options.motion == ExcitationMotion::fourier;
  const int n = found.size();
  std::string text = std::to_string(n) + (n == 1 ? " trajectory of " : " trajectories of ") +
                     number(options.period) + " s, ";
  text += fourier ? "Fourier series of " + std::to_string(options.harmonics) + " harmonics"
                  : "quintic splines of " + std::to_string(options.points) + " points";
  return text + ", at rest at both ends";
}

std::vector<double> numbers(const std::vector<double>& all, int first, int count) {
  return {all.begin() + first, all.begin() + first + count};
}

std::string yaml_list(const std::vector<double>& x) {
  std::string text = "[";
  for (std::size_t k = 0; k < x.size(); ++k) text += (k == 0 ? "" : ", ") + format_number(x[k]);
  return text + "]";
}

/// Offset, a and b of one coordinate.
struct Coefficients {
  double offset;
  std::vector<double> a, b;
};
std::vector<Coefficients> coefficients(const FourierSeries<double>& series) {
  std::vector<Coefficients> all;
  const int H = series.harmonics();
  for (int i = 0; i < series.size(); ++i) {
    const int at = i * (2 * H + 1);
    all.push_back({series.parameters()[static_cast<std::size_t>(at)],
                   numbers(series.parameters(), at + 1, H),
                   numbers(series.parameters(), at + 1 + H, H)});
  }
  return all;
}

std::vector<std::string> moved_joints(const Model<double>& model, const Excitation& found) {
  const std::vector<std::string> labels = coordinate_labels(model);
  std::vector<std::string> moved;
  for (const int k : found.coordinates) moved.push_back(labels[static_cast<std::size_t>(k)]);
  return moved;
}

Json trajectory_json(const Excitation& found, std::size_t r) {
  if (found.series.empty()) {
    const PiecewisePolynomial<double>& spline = found.splines[r];
    Json points = Json::array();
    Array<double> q(spline.size());
    for (const double t : spline.knots()) {
      spline.sample(t, q);
      points.push_back(std::vector<double>(q));
    }
    return {{"times", spline.knots()}, {"points", points}};
  }
  Json offset = Json::array(), a = Json::array(), b = Json::array();
  for (const Coefficients& c : coefficients(found.series[r])) {
    offset.push_back(c.offset);
    a.push_back(c.a);
    b.push_back(c.b);
  }
  return {{"frequency", found.series[r].frequency()}, {"offset", offset}, {"a", a}, {"b", b}};
}

}  // namespace

std::string excitation_text(const Model<double>& model, const ExcitationOptions& options,
                            const Excitation& found, const std::vector<std::string>& notes) {
  std::string text = bold(model.name()) + ": condition number " + number(found.condition) + " of " +
                     std::to_string(found.unknowns.size()) + " unknowns, log det " +
                     number(found.log_det) + "\n";
  text += "  a random motion within the limits has " + number(found.start_condition) + " and " +
          number(found.start_log_det) + "\n";
  text += "  " + wrapped(motion_text(options, found), 2) + "\n";
  text += "  seed " + std::to_string(found.seed) + ", " + std::to_string(found.evaluations) +
          " evaluations" + (found.stopped ? ", stopped before the end" : "") + "\n";
  if (found.condition > 1000)
    text += "  " +
            wrapped(
                "above 1000 noise hides some unknowns: wider limits, more --trajectories, or "
                "fewer unknowns (--without)",
                4) +
            "\n";
  for (const std::string& note : notes) text += "  " + wrapped(note, 4) + "\n";
  if (!found.dependent.empty())
    text += "  " +
            wrapped("not told from others by any motion, left out: " + listed(found.dependent), 4) +
            "\n";
  text += joints_text(found) + frames_text(found);
  return text + "  " +
         wrapped("joints: the extremes of the motion itself; torques and frames: " +
                     std::to_string(found.verified) + " samples of each trajectory",
                 2) +
         "\n";
}

Json excitation_json(const Model<double>& model, const ExcitationOptions& options,
                     const Excitation& found, const std::vector<std::string>& notes) {
  Json limits = Json::array(), trajectories = Json::array();
  for (const LimitUse& use : found.use)
    limits.push_back({{"of", use.of},
                      {"what", use.what},
                      {"attained", use.attained},
                      {"limit", use.limit},
                      {"share", use.share}});
  for (std::size_t r = 0; r < static_cast<std::size_t>(found.size()); ++r)
    trajectories.push_back(trajectory_json(found, r));
  const bool condition = options.criterion == ExcitationCriterion::condition;
  return {{"robot", model.name()},
          {"joints", moved_joints(model, found)},
          {"criterion", condition ? "condition" : "d"},
          {"condition", found.condition},
          {"log_det", found.log_det},
          {"start_condition", found.start_condition},
          {"start_log_det", found.start_log_det},
          {"unknowns", found.unknowns},
          {"dependent", found.dependent},
          {"period", options.period},
          {"seed", found.seed},
          {"evaluations", found.evaluations},
          {"stopped", found.stopped},
          {"samples", found.samples},
          {"verified", found.verified},
          {"notes", notes},
          {"limits", limits},
          {"trajectories", trajectories}};
}

std::string excitation_csv(const Model<double>& model, const Excitation& found, int trajectory,
                           double rate) {
  const Array<double> times = excitation_times(found, rate);
  const SampledMotion motion = sampled_motion(model, found, trajectory, times);
  CsvTable table;
  table.columns.emplace_back("t");
  for (int k = 0; k < times.size(); ++k) {
    const auto row_of = [&](const Matrix& x) {
      const double* const first = x.data() + k * x.cols();
      return std::vector<double>(first, first + x.cols());
    };
    const std::vector<Quantity> all{
        coordinates("q", model, row_of(motion.q)),
        velocities("qd", model, row_of(motion.qd), Rate::velocity),
        velocities("qdd", model, row_of(motion.qdd), Rate::acceleration)};
    std::vector<double> row{times[k]};
    for (const Quantity& x : all) {
      if (table.rows.empty())
        for (std::string& name : column_names(x)) table.columns.push_back(std::move(name));
      row.insert(row.end(), x.values.begin(), x.values.end());
    }
    table.rows.push_back(std::move(row));
  }
  return csv_text(table);
}

Array<double> excitation_times(const Excitation& found, double rate) {
  Array<double> times;
  const double end = found.duration();
  for (int k = 0; k < rate * end * (1 - 1e-12); ++k) times.push_back(k / rate);
  times.push_back(end);
  return times;
}

std::string excitation_reference(const Model<double>& model, const Excitation& found,
                                 int trajectory) {
  const FourierSeries<double>& series = found.series[static_cast<std::size_t>(trajectory)];
  Array<double> q(model.n_q());
  series.sample(0.0, q);
  std::vector<double> offset;
  std::string a, b;
  for (const Coefficients& c : coefficients(series)) {
    offset.push_back(c.offset);
    a += "      - " + yaml_list(c.a) + "\n";
    b += "      - " + yaml_list(c.b) + "\n";
  }
  return "# Excitation of " + one_line(model.name()) + ": condition number " +
         number(found.condition) + ", seed " + std::to_string(found.seed) +
         ". Joints: " + listed(coordinate_labels(model)) +
         "\n# q = offset + sum_l a_l/(w l) sin(w l t) - b_l/(w l) cos(w l t), w the frequency in "
         "rad/s;"
         "\n# with robot:, controller: and run: this is a scenario.\n"
         "start: {q: " +
         yaml_list(q) +
         "}\nreference:\n  fourier:\n    frequency: " + format_number(series.frequency()) +
         "\n    offset: " + yaml_list(offset) + "\n    a:\n" + a + "    b:\n" + b;
}

}  // namespace torsor::command
