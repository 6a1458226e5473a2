#include "torsor/sim/internal/recorded_units.hpp"

#include <algorithm>
#include <array>

#include "torsor/model/internal/loop_rows.hpp"
#include "torsor/model/internal/parameter_units.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::internal {

namespace {

/// The rest of a name that begins so; empty: it does not.
std::string_view after(std::string_view name, std::string_view begin) {
  return name.starts_with(begin) ? name.substr(begin.size()) : std::string_view();
}
bool is_numbered(std::string_view name, std::string_view word) {
  const std::string_view digits = after(name, word);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Of a component of a law's task; "" where its name does not tell.
std::string of_task(std::string_view name) {
  if (const std::string_view angle = after(name, "arc_"); !angle.empty()) {
    const std::string unit = of_task(angle);
    return unit == "rad" ? "m" : unit == "N m" ? "N" : "";
  }
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  using Names = std::array<std::string_view, 3>;
  const auto numbered = [&](const char* word) { return is_numbered(name, word); };
  if (is_one_of(Names{"x", "y", "z"}) || numbered("along_") || numbered("motion_")) return "m";
  if (is_one_of(Names{"rx", "ry", "rz"}) || is_one_of(Names{"phi", "theta", "psi"}) ||
      numbered("turn_"))
    return "rad";
  if (is_one_of(Names{"f_x", "f_y", "f_z"}) || numbered("normal_") || numbered("force_"))
    return "N";
  if (is_one_of(Names{"n_x", "n_y", "n_z"}) || numbered("moment_")) return "N m";
  return "";
}

std::string with(const std::string& unit, const char* more) {
  return unit.empty() ? "" : unit + more;
}

/// The first term of "-link.mx", "0.5*link.zz", "link.zz - other.zz", without its shares: all terms
/// have one unit.
std::string_view first_term(std::string_view name) {
  name = name.substr(0, std::min(name.find(" + "), name.find(" - ")));
  if (const std::size_t star = name.find('*'); star != std::string_view::npos)
    name = name.substr(star + 1);
  name.remove_prefix(std::min(name.find_first_not_of("+- "), name.size()));
  for (const std::string_view share : {".inertia", ".gravity"})
    if (name.ends_with(share)) name.remove_suffix(share.size());
  return name;
}

}  // namespace

RecordedUnits::RecordedUnits(const Recording& recording, std::vector<bool> linear,
                             const Model<double>* robot)
    : recording_(&recording), linear_(std::move(linear)) {
  if (!robot || robot->n_q() != recording.q.width()) return;
  if (linear_.empty())
    for (const Measure of : velocity_measures(*robot)) linear_.push_back(of == Measure::length);
  for (const Measure of : coordinate_measures(*robot))
    coordinates_.emplace_back(of == Measure::length ? "m" : of == Measure::angle ? "rad" : "");
  const ConstraintSet set(*robot);
  rows_.resize(static_cast<std::size_t>(set.n_rows()));
  const auto row = [&](int k) -> std::string& { return rows_[static_cast<std::size_t>(k)]; };
  for (const LoopConstraint& loop : set.loops()) {
    const LoopShape shape = shape_of(loop.kind);
    const int moments = shape.moments + (shape.universal ? 1 : 0);
    for (int k = 0; k < loop.n_rows; ++k) row(loop.first_row + k) = k < moments ? "N m" : "N";
  }
  for (const CouplingConstraint& c : set.couplings()) {
    const bool mixed = std::any_of(c.terms.begin(), c.terms.end(), [&](const auto& term) {
      return slides(term.v) != slides(c.terms.front().v);
    });
    if (!mixed) row(c.first_row) = torque(c.terms.front().v);
  }
}

int RecordedUnits::dof(std::string_view name) const {
  const Series& joints = recording_->of_joints();
  for (int k = 0; k < joints.width(); ++k)
    if (joints.label(k) == name) return k;
  return -1;
}

std::string RecordedUnits::of_state(std::string_view name) const {
  if (const std::string_view of = after(name, "integral."); !of.empty()) {
    const int k = dof(of);
    return k >= 0 ? with(error(k), " s") : with(of_task(of), " s");
  }
  if (const std::string_view of = after(name, "momentum."); dof(of) >= 0)
    return with(torque(dof(of)), " s");
  if (const std::string_view of = after(name, "r."); dof(of) >= 0) return torque(dof(of));
  for (const std::string_view place : {"path.", "offset."})
    if (const std::string_view of = after(name, place); !of.empty()) return of_task(of);
  if (const std::string_view of = after(name, "offset_rate."); !of.empty())
    return with(of_task(of), "/s");
  const std::string_view term = first_term(name);
  const std::size_t point = term.rfind('.');
  if (point == std::string_view::npos) return "";
  const int joint = dof(term.substr(0, point));
  return parameter_unit(term.substr(point + 1), joint >= 0 && slides(joint));
}

std::string RecordedUnits::of_figure(const std::string& unit) const {
  static constexpr std::array<std::array<const char*, 2>, 3> pairs = {
      {{"rad", "m"}, {"N m", "N"}, {"N m/s", "N/s"}}};
  const int joints = recording_->of_joints().width();
  int sliding = 0;
  for (int k = 0; k < joints; ++k) sliding += slides(k) ? 1 : 0;
  for (const auto& [turning, linear] : pairs)
    if (unit == turning && sliding > 0) return sliding == joints ? linear : unit + ", " + linear;
  return unit;
}

std::string RecordedUnits::all(const Series& series) const {
  std::vector<std::string> units;
  for (int k = 0; k < series.width(); ++k)
    if (std::string unit = of(series, k);
        !unit.empty() && std::find(units.begin(), units.end(), unit) == units.end())
      units.push_back(std::move(unit));
  std::string out;
  for (const std::string& unit : units) out += (out.empty() ? "" : ", ") + unit;
  return out;
}

std::string RecordedUnits::of(const Series& series, int column) const {
  const Recording& r = *recording_;
  const auto of_list = [&](const std::vector<std::string>& units) {
    return column < static_cast<int>(units.size()) ? units[static_cast<std::size_t>(column)] : "";
  };
  const std::string& name = series.name;
  if (name == "q" || name == "q_d") {
    if (!coordinates_.empty()) return of_list(coordinates_);
    return series.width() == r.of_joints().width() ? error(column) : "";
  }
  if (name == "e") return error(column);
  if (name == "tau") return torque(column);
  if (name == "qd" || name == "qd_d" || name == "edot" || name == "s")
    return with(error(column), "/s");
  if (name == "qdd") return with(error(column), "/s^2");
  if (name == "energy") return "J";
  if (name == "contact") return "N";
  if (name == "loop") return of_list(rows_);
  if (name == "task_e") return of_task(series.label(column));
  if (name == "x_c" || name == "estimate") return of_state(series.label(column));
  return "";
}

}  // namespace torsor::internal
