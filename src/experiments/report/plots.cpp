// Which panels a page has.
#include <algorithm>
#include <cmath>

#include "report/parts.hpp"
#include "torsor/model/error.hpp"
#include "torsor/sim/internal/recorded_units.hpp"

namespace torsor::report {

namespace {

constexpr std::size_t most_panels = 24, most_live = 120;  // of one series
constexpr double bytes_per_column = 13.0;                 // of a curve that chatters: two dots

/// Largest value of its curves.
double size_of(const Panel& p) {
  double largest = 0;
  for (const Curve& c : p.curves)
    for (const Point& x : c.points)
      if (std::isfinite(x.y)) largest = std::max(largest, std::abs(x.y));
  return largest;
}

/// Largest value of a series in any run.
double size_of(const std::vector<ReportRun>& runs, const std::string& name) {
  double largest = 0;
  for (const ReportRun& run : runs)
    if (const Series* s = find_series(drawn(*run.recording), name))
      for (int k = 0; k < s->rows(); ++k)
        for (int c = 0; c < s->width(); ++c)
          if (std::isfinite((*s)(k, c))) largest = std::max(largest, std::abs((*s)(k, c)));
  return largest;
}

/// "joint_1" of "tau.joint_1", "component 0" of "task_e.0".
std::string after_point(const std::string& column) {
  const std::size_t point = column.find('.');
  const std::string name = point == std::string::npos ? column : column.substr(point + 1);
  const bool number = name.find_first_not_of("0123456789") == std::string::npos;
  return (number ? "component " : "") + name;
}

std::vector<Point> points_of(const Recording& r, const Series& s, int column) {
  std::vector<Point> points;
  const View<const double> t(r.t);
  points.reserve(r.t.size());
  for (int k = 0; k < s.rows(); ++k) points.push_back({t[k], s(k, column)});
  return points;
}

class Plots {
 public:
  Plots(const Report& report, const ReportSection& section, const Palette& palette, bool all)
      : report_(report), section_(section), palette_(palette), all_(all) {}

  std::vector<Group> groups() {
    per_dof("e", "Errors", "desired less actual");
    task_errors();
    per_dof("s", "Filtered errors", "s = ė + Λ e");
    per_dof("tau", "Torques", "what the motors give; dashed: their limit");
    certificate();
    series("contact", "Contact forces", "normal to each surface, on the robot");
    motion();
    if (all_) velocities();
    energy();
    states();
    series("estimate", "Estimates", "what the law finds out beside its states", true);
    series("loop", "Forces of loops", "multipliers of the rows of loops and couplings", true);
    others();
    return std::move(groups_);
  }

 private:
  internal::RecordedUnits units(const ReportRun& run) const {
    return internal::RecordedUnits(*run.recording, report_.linear, section_.robot);
  }
  /// A panel for a column of a series: one curve for each run that has it.
  Panel panel(const std::string& name, const std::string& column) const {
    Panel p;
    p.title = after_point(column);
    for (const ReportRun& run : section_.runs) add_curve(p, run, name, column);
    return p;
  }
  void add_curve(Panel& p, const ReportRun& run, const std::string& name,
                 const std::string& column) const {
    const Series* s = find_series(drawn(*run.recording), name);
    if (!s) return;
    const auto found = std::find(s->columns.begin(), s->columns.end(), column);
    if (found == s->columns.end()) return;
    const int k = static_cast<int>(found - s->columns.begin());
    p.unit = units(run).of(*s, k);
    p.curves.push_back({run.name, palette_.colour(run.name), palette_.dashed(run.name),
                        points_of(drawn(*run.recording), *s, k)});
    p.curves.back().run = palette_.run_class(run.name);
  }
  /// Columns of that series in any run, in the order of their first appearance.
  std::vector<std::string> columns(const std::string& name) const {
    std::vector<std::string> all;
    for (const ReportRun& run : section_.runs)
      if (const Series* s = find_series(*run.recording, name))
        for (const std::string& c : s->columns)
          if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
    return all;
  }
  void add(Group group) {
    if (group.panels.empty()) return;
    const std::size_t most = all_ ? most_live : most_panels;
    if (group.panels.size() > most) {
      const std::size_t all = group.panels.size();
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t k = 0; k < all; ++k) order.push_back({-size_of(group.panels[k]), k});
      std::stable_sort(order.begin(), order.end());
      order.resize(most);
      std::sort(order.begin(), order.end(),
                [](const auto& a, const auto& b) { return a.second < b.second; });
      std::vector<Panel> kept;
      for (const auto& [ignored, k] : order) kept.push_back(std::move(group.panels[k]));
      group.panels = std::move(kept);
      group.remark += "; the " + std::to_string(most) + " largest of " + std::to_string(all);
    }
    groups_.push_back(std::move(group));
  }

  void per_dof(const std::string& name, const std::string& title, const std::string& remark) {
    Group group{title, remark, {}};
    const std::vector<std::string> all = columns(name);
    for (std::size_t k = 0; k < all.size(); ++k) {
      group.panels.push_back(panel(name, all[k]));
      Panel& p = group.panels.back();
      p.title = joint_label(section_.robot, p.title, false);
      if (name == "tau" && k < report_.torque_limit.size()) p.limit = report_.torque_limit[k];
    }
    if (name == "tau" && report_.torque_limit.empty()) group.remark = "what the motors give";
    draw_rounding_flat(group);
    add(std::move(group));
  }
  /// What is rounding beside the others, or beside 1 rad, m, N or N m, is a line at zero: errors of a
  /// perfect run, too, which drawn in full look like chatter.
  static void draw_rounding_flat(Group& group, double largest = 1) {
    for (const Panel& p : group.panels) largest = std::max(largest, size_of(p));
    for (Panel& p : group.panels) p.least = 1e-9 * largest;
  }
  void series(const std::string& name, const std::string& title, const std::string& remark,
              bool folded = false) {
    Group group{title, remark, {}, folded};
    for (const std::string& column : columns(name)) group.panels.push_back(panel(name, column));
    draw_rounding_flat(group, std::max(1.0, size_of(section_.runs, "contact")));
    add(std::move(group));
  }
  void task_errors() {
    std::string remark =
        "desired less actual, in the law's own coordinates: positions, then forces";
    for (const std::string& column : columns("task_e"))
      if (const std::string name = after_point(column);
          name.starts_with("motion_") || name.starts_with("force_")) {
        remark += "; of a row that mixes lengths and angles a radian counts as angle_length";
        break;
      }
    series("task_e", "Errors of the task", remark);
  }
  void certificate() {
    if (columns("lyapunov").empty()) return;
    Panel V = panel("lyapunov", "V"), rate = panel("lyapunov", "V.rate"),
          balance = panel("lyapunov", "V.balance");
    V.title = "V", rate.title = "rate that the proof predicts";
    balance.title = "balance";
    double least = HUGE_VAL, most = 0;
    bool bound = false;
    for (const Curve& c : V.curves)
      for (const Point& p : c.points) {
        most = std::max(most, p.y);
        if (p.y > 0) least = std::min(least, p.y);
      }
    V.logarithmic = most > 30 * least;
    for (const ReportRun& run : section_.runs) bound = bound || run.recording->rate_is_bound;
    add({"Lyapunov function",
         std::string("balance = V − V(0) − ∫ rate dt: zero where the model is exact and control is "
                     "continuous") +
             (bound ? ", at most zero where the rate is a bound" : ""),
         {V, balance, rate}});
  }
  /// Coordinates and, dashed, what they should be.
  void motion() {
    Group group{"Motion", "dashed: desired", {}, true};
    const std::vector<std::string> all = columns("q");
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::string& column = all[k];
      Panel p = panel("q", column);
      p.title = joint_label(section_.robot, p.title, true);
      if (!p.curves.empty() && !columns("q_d").empty()) {
        Panel wanted = panel("q_d", "q_d" + column.substr(1));
        if (!wanted.curves.empty()) {
          Curve c = std::move(wanted.curves.front());
          c.label = "desired", c.colour = Palette::size, c.dashed = true, c.run.clear();
          p.curves.insert(p.curves.begin(), std::move(c));
        }
      }
      group.panels.push_back(std::move(p));
    }
    if (columns("q_d").empty()) group.remark.clear();
    add(std::move(group));
  }
  void velocities() {
    per_dof("qd", "Velocities", "");
    if (!groups_.empty() && groups_.back().title == "Velocities") groups_.back().folded = true;
  }
  void energy() {
    static const std::pair<const char*, const char*> titles[] = {
        {"energy.kinetic", "kinetic energy"},         {"energy.potential", "potential energy"},
        {"work.motor", "work of the motors"},         {"work.loss", "lost to friction"},
        {"work.external", "work of the environment"}, {"energy.balance", "balance"}};
    Group group{"Energy", "balance = energy − work since the start", {}, true};
    for (const auto& [column, title] : titles) {
      Panel p = panel("energy", column);
      p.title = title;
      if (!p.curves.empty()) group.panels.push_back(std::move(p));
    }
    add(std::move(group));
  }
  /// Estimates and integrals: of each run all of its states, those of one unit in a panel, as many as
  /// there are colours; on a page of pictures, of very many, every second, third, ...
  void states() {
    Group group{
        "States of the laws", "estimates and integrals, change since the start", {}, true, {}};
    for (const ReportRun& run : section_.runs) {
      const Series* s = find_series(drawn(*run.recording), "x_c");
      if (!s || s->width() == 0) continue;
      const int step = all_ ? 1 : (s->width() + 31) / 32;
      const internal::RecordedUnits units = this->units(run);
      std::vector<std::pair<std::string, std::vector<int>>> alike;  // columns by their unit
      for (int k = 0; k < s->width(); k += step) {
        const std::string unit = units.of(*s, k);
        auto at = std::find_if(alike.begin(), alike.end(),
                               [&](const auto& of) { return of.first == unit; });
        if (at == alike.end()) at = alike.insert(at, {unit, {}});
        at->second.push_back(k);
      }
      for (const auto& [unit, of] : alike) add_states(group, run, *s, unit, of);
      if (step > 1)
        group.remark += "; of " + std::to_string(s->width()) + " every " + std::to_string(step) +
                        (step == 2   ? "nd"
                         : step == 3 ? "rd"
                                     : "th");
    }
    add(std::move(group));
  }
  void add_states(Group& group, const ReportRun& run, const Series& s, const std::string& unit,
                  const std::vector<int>& of) const {
    const int count = static_cast<int>(of.size());
    const int parts = all_ ? (count + Palette::size - 1) / Palette::size : 1;
    for (int part = 0; part < parts; ++part) {
      const int first = part * count / parts, end = (part + 1) * count / parts;
      Panel p;
      p.title = run.name;
      p.unit = unit;
      if (parts > 1)
        p.title += " " + std::to_string(first + 1) + "–" + std::to_string(end) + " of " +
                   std::to_string(count);
      for (int k = first; k < end; ++k)
        p.curves.push_back(state(run, s, of[static_cast<std::size_t>(k)], k - first));
      group.legend += names_of(p);
      group.panels.push_back(std::move(p));
    }
  }
  Curve state(const ReportRun& run, const Series& s, int column, int place) const {
    std::vector<Point> points = points_of(drawn(*run.recording), s, column);
    const double start = points.front().y;
    for (Point& x : points) x.y -= start;
    Curve c{after_point(View<const std::string>(s.columns)[column]), place % Palette::size,
            place / Palette::size % 2 == 1, std::move(points)};
    c.run = palette_.run_class(run.name);
    return c;
  }

  /// The curves of a panel by their colours, as a line of the page.
  static std::string names_of(const Panel& p) {
    std::string out = "<p class=\"names\">" + escaped(p.title) +
                      (p.unit.empty() ? "" : ", " + escaped(typeset(p.unit, true))) + ":";
    for (const Curve& c : p.curves)
      out += " <span><i class=\"k" + std::to_string(c.colour) + (c.dashed ? " d" : "") + "\"></i>" +
             escaped(c.label) + "</span>";
    return out + "</p>\n";
  }

  /// Whatever else was recorded, under its own name.
  void others() {
    static const std::vector<std::string> known{
        "q",      "qd", "qdd", "tau",      "q_d",      "qd_d",   "e",       "edot",
        "task_e", "s",  "x_c", "estimate", "lyapunov", "energy", "contact", "loop"};
    for (const Series* s : section_.runs.front().recording->series())
      if (std::find(known.begin(), known.end(), s->name) == known.end()) {
        Group group{"Recorded as " + s->name, "", {}, true};
        for (const std::string& column : columns(s->name))
          group.panels.push_back(panel(s->name, column));
        add(std::move(group));
      }
  }

  const Report& report_;
  const ReportSection& section_;
  const Palette& palette_;
  bool all_;
  std::vector<Group> groups_;
};

/// First and last instant of the runs.
Point span_of(const ReportSection& section) {
  Point span{HUGE_VAL, -HUGE_VAL};
  for (const ReportRun& run : section.runs) {
    span.t = std::min(span.t, run.recording->t.front());
    span.y = std::max(span.y, run.recording->t.back());
  }
  return span;
}

}  // namespace

std::vector<Group> section_groups(const Report& report, const ReportSection& section,
                                  const Palette& palette) {
  return Plots(report, section, palette, true).groups();
}

std::string section_plots(const Report& report, const ReportSection& section,
                          const Palette& palette, const Extras& extras, double budget) {
  const auto [from, to] = span_of(section);
  std::vector<Group> groups = Plots(report, section, palette, false).groups();
  if (&section == &report.sections.front())
    groups.insert(groups.begin(), extras.groups.begin(), extras.groups.end());
  std::size_t curves = 0;
  for (const Group& g : groups)
    for (const Panel& p : g.panels) curves += p.curves.size();
  const double share = budget / static_cast<double>(report.sections.size());
  const int columns = static_cast<int>(
      std::clamp(share / (bytes_per_column * static_cast<double>(std::max<std::size_t>(curves, 1))),
                 12.0, 286.0));

  std::string out = "<div class=\"still\">\n";
  for (const Group& g : groups) {
    std::string remark = escaped(g.remark);
    out += g.folded ? "<details class=\"plots\"><summary>" + escaped(g.title) + "</summary><p>" +
                          remark + "</p>\n"
                    : "<h3>" + escaped(g.title) + " <small>" + remark + "</small></h3>\n";
    out += "<div class=\"grid\">\n";
    for (const Panel& p : g.panels) out += panel_svg(p, from, to, columns);
    out += "</div>\n" + g.legend + (g.folded ? "</details>\n" : "");
  }
  return out + "</div>\n";
}

std::string section_figure(const Report& report, const ReportSection& section,
                           const Palette& palette) {
  const auto [from, to] = span_of(section);
  const std::vector<Group> groups = Plots(report, section, palette, false).groups();
  if (groups.empty()) throw Error("report: the runs hold times and nothing to draw");
  const View<const Panel> panels(groups.front().panels);
  const int count = panels.size, across = std::min(count, 3);
  const int down = (count + across - 1) / across, width = across * panel_width + 16;
  const int height = down * panel_height + 44;
  const auto number = [](int k) { return std::to_string(k); };
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) +
                    " " + number(height) + "\" font-family=\"sans-serif\">\n<style>" +
                    plot_style() + "</style>\n<rect width=\"100%\" height=\"100%\" " +
                    "style=\"fill:var(--ground)\"/>\n";
  for (int k = 0; k < count; ++k)
    out += panel_svg(panels[k], from, to, 286,
                     " x=\"" + number(k % across * panel_width) + "\" y=\"" +
                         number(4 + k / across * panel_height) + "\" width=\"" +
                         number(panel_width) + "\" height=\"" + number(panel_height) + "\"");
  const int slot = (width - 60) / static_cast<int>(section.runs.size()), y = height - 18;
  for (std::size_t k = 0; k < section.runs.size(); ++k) {
    const std::string& name = section.runs[k].name;
    const int x = 44 + static_cast<int>(k) * slot;
    out += "<path class=\"k" + number(palette.colour(name)) + "\" d=\"M" + number(x) + " " +
           number(y - 4) + "h24\" style=\"stroke:currentColor;stroke-width:2.5\"/><text x=\"" +
           number(x + 32) + "\" y=\"" + number(y) + "\" class=\"h\">" + escaped(name) + "</text>\n";
  }
  return out + "</svg>\n";
}

}  // namespace torsor::report
