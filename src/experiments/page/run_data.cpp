#include "page/run_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "page/encoding.hpp"
#include "page/json_text.hpp"
#include "page/motion.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"

namespace torsor::report {

namespace {

using internal::base64;
using internal::JsonText;

constexpr double curve_budget = 190e3;  // float32 numbers of all curves of a page
constexpr double pose_budget = 130e3;   // and of all poses

/// Times that several curves share are written once.
class Times {
 public:
  int index(const std::vector<float>& t) {
    const auto [found, added] = known_.emplace(t, static_cast<int>(known_.size()));
    if (added) list.push_back(base64(t));
    return found->second;
  }
  std::vector<std::string> list;

 private:
  std::map<std::vector<float>, int> known_;
};

/// Every recorded point where there is room; else points spread evenly, where straight lines between
/// them pass by all others within half a per cent of the range; else the extremes of each stretch.
std::vector<Point> chosen(const std::vector<Point>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<Point> even;
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < most; ++k) {
    rows.push_back(k * (all.size() - 1) / (most - 1));
    even.push_back(all[rows.back()]);
  }
  double low = HUGE_VAL, high = -HUGE_VAL, miss = 0;
  bool finite = true;
  for (const Point& p : all)
    low = std::min(low, p.y), high = std::max(high, p.y), finite = finite && std::isfinite(p.y);
  for (std::size_t k = 1; finite && k < rows.size(); ++k)
    for (std::size_t r = rows[k - 1] + 1; r < rows[k]; ++r) {
      const Point &a = all[rows[k - 1]], &b = all[rows[k]];
      const double x = (all[r].t - a.t) / std::max(b.t - a.t, 1e-300);
      miss = std::max(miss, std::abs(a.y + x * (b.y - a.y) - all[r].y));
    }
  if (finite && miss <= 0.005 * (high - low)) return even;
  return thinned(all, static_cast<int>(most / 4));  // two points of each, and their times
}

void add_curve(JsonText& j, const Curve& c, std::size_t most, Times& times) {
  std::vector<float> t, y;
  for (const Point& p : chosen(c.points, most)) {
    t.push_back(static_cast<float>(p.t));
    y.push_back(static_cast<float>(p.y));
  }
  j.open('{').pair("label", c.label).pair("colour", c.colour).pair("dashed", c.dashed);
  j.pair("run", c.run.empty() ? -1 : std::stoi(c.run.substr(1)));
  j.pair("t", times.index(t)).pair("y", base64(y)).close('}');
}

void add_groups(JsonText& j, const std::vector<Group>& groups, std::size_t most, Times& times) {
  j.key("groups").open('[');
  for (const Group& g : groups) {
    j.open('{').pair("title", g.title).pair("remark", g.remark).pair("folded", g.folded);
    j.key("panels").open('[');
    for (const Panel& p : g.panels) {
      j.open('{').pair("title", p.title).pair("unit", p.unit).pair("log", p.logarithmic);
      j.pair("limit", p.limit).pair("least", p.least).key("bands").open('[');
      for (const auto& [low, high] : p.bands)
        j.list({static_cast<double>(low), static_cast<double>(high)});
      j.close(']').key("curves").open('[');
      for (const Curve& c : p.curves) add_curve(j, c, most, times);
      j.close(']').close('}');
    }
    j.close(']').close('}');
  }
  j.close(']');
}

void add_times(JsonText& j, const Times& times) {
  j.key("times").open('[');
  for (const std::string& t : times.list) j.value(t);
  j.close(']');
}

/// `run`: index of the run, -1 of none; the caller closes it.
void open_motion(JsonText& j, const Motion& m, int run, Times& times) {
  j.open('{').pair("run", run).pair("t", times.index(m.t)).pair("poses", base64(m.poses));
}

/// Poses of the runs of a section, and the tool's desired path where runs have one.
void add_motions(JsonText& j, const ReportSection& section, const internal::RobotPicture& picture,
                 const Palette& palette, int instants, Times& times) {
  j.key("motions").open('[');
  std::vector<std::string> desired;
  for (const ReportRun& run : section.runs) {
    const Motion m =
        motion_of(*section.robot, section.surfaces, picture.tool, *run.recording, instants);
    open_motion(j, m, palette.index(run.name), times);
    if (!m.forces.empty())
      j.pair("forces", base64(m.forces)).pair("largest_force", m.largest_force);
    if (!m.contact.empty())
      j.pair("contact", base64(m.contact)).pair("largest_contact", m.largest_contact);
    if (!m.desired.empty()) {
      const std::string path = base64(m.desired);
      const bool known = std::find(desired.begin(), desired.end(), path) != desired.end();
      if (!known) desired.push_back(path), j.pair("desired", path);
    }
    j.close('}');
  }
  j.close(']');
}

/// Points of each curve that a page has room for.
std::size_t points_for(std::size_t curves) {
  const double each = curve_budget / static_cast<double>(std::max<std::size_t>(curves, 1));
  return static_cast<std::size_t>(std::clamp(each, 40.0, 3000.0));
}
std::size_t count_curves(const std::vector<Group>& groups) {
  std::size_t n = 0;
  for (const Group& g : groups)
    for (const Panel& p : g.panels) n += p.curves.size();
  return n;
}

/// Instants of each run that a page has room for.
int instants_for(int bodies) {
  return static_cast<int>(std::clamp(pose_budget / (10.0 * std::max(1, bodies)), 30.0, 1200.0));
}

int moving_bodies(const Report& report) {
  int bodies = 0;
  for (const ReportSection& s : report.sections)
    if (s.robot) bodies += (s.robot->n_bodies() - 1) * static_cast<int>(s.runs.size());
  return bodies;
}

/// What a robot's page has of its meshes; nothing for a robot that has none.
void add_mesh_facts(const internal::RobotPicture& picture, bool asked,
                    std::vector<RunFact>& facts) {
  std::vector<RunFact> more;
  double bytes = 0;
  for (const internal::PictureMesh& m : picture.meshes)
    bytes += 16.0 / 3 * static_cast<double>(m.vertices.size() + m.triangles.size());
  char text[96];
  std::snprintf(text, sizeof text, "%zu embedded, %.2f MB of this page", picture.meshes.size(),
                bytes * 1e-6);
  if (!picture.meshes.empty()) more.push_back({"meshes", text});
  std::string names;
  for (const std::string& line : picture.missing) names += (names.empty() ? "" : "; ") + line;
  if (!names.empty())
    more.push_back({"meshes that are not drawn",
                    asked ? names : "not asked for (--meshes embeds them): " + names});
  for (RunFact& fact : more) {
    const bool known = std::any_of(facts.begin(), facts.end(), [&](const RunFact& f) {
      return f.name == fact.name && f.value == fact.value;
    });
    if (!known) facts.push_back(std::move(fact));
  }
}

}  // namespace

std::string run_data(const Report& report, const Palette& palette, const Extras& extras,
                     std::vector<RunFact>& facts) {
  std::vector<std::vector<Group>> groups;
  std::size_t curves = 0;
  for (const ReportSection& s : report.sections) {
    groups.push_back(s.runs.empty() ? std::vector<Group>{} : section_groups(report, s, palette));
    if (&s == &report.sections.front())
      groups[0].insert(groups[0].begin(), extras.groups.begin(), extras.groups.end());
    curves += count_curves(groups.back());
  }
  const int instants = instants_for(moving_bodies(report));

  JsonText j;
  j.open('{').pair("kind", "runs").pair("title", report.title);
  if (extras.solid >= 0) j.pair("solid", extras.solid);
  j.key("runs").open('[');
  for (const std::string& name : palette.names())
    j.open('{')
        .pair("name", name)
        .pair("colour", palette.colour(name))
        .pair("dashed", palette.dashed(name))
        .close('}');
  j.close(']').key("sections").open('[');
  std::vector<std::string> robots;
  for (std::size_t k = 0; k < report.sections.size(); ++k) {
    const ReportSection& s = report.sections[k];
    if (s.runs.empty()) continue;
    Times times;
    j.open('{').pair("title", s.title);
    add_groups(j, groups[k], points_for(curves), times);
    if (s.robot && s.robot->n_bodies() > 1) {
      const internal::RobotPicture picture = internal::picture_of(*s.robot, report.picture);
      add_mesh_facts(picture, static_cast<bool>(report.picture.mesh), facts);
      const std::string text = internal::robot_json(*s.robot, picture);
      const auto found = std::find(robots.begin(), robots.end(), text);
      j.pair("robot", static_cast<int>(found - robots.begin()));
      if (found == robots.end()) robots.push_back(text);
      j.key("surfaces").raw(internal::surfaces_json(*s.robot, s.surfaces));
      add_motions(j, s, picture, palette, instants, times);
    } else {
      j.key("robot").raw("null");
    }
    add_times(j, times);
    j.close('}');
  }
  j.close(']').key("robots").open('[');
  for (const std::string& robot : robots) j.raw(robot);
  return j.close(']').close('}').text;
}

std::string group_data(const std::string& title, const std::vector<LiveSection>& sections,
                       const Model<double>* robot) {
  std::size_t curves = 0;
  int bodies = 0;
  for (const LiveSection& s : sections) {
    curves += count_curves(s.groups);
    if (robot && s.motion.size() > 0) bodies += robot->n_bodies() - 1;
  }
  JsonText j;
  j.open('{').pair("kind", "runs").pair("title", title);
  j.key("runs").open('[').close(']').key("robots").open('[');
  internal::RobotPicture picture;
  if (bodies > 0) picture = internal::picture_of(*robot), j.raw(robot_json(*robot, picture));
  j.close(']').key("sections").open('[');
  for (const LiveSection& s : sections) {
    Times times;
    j.open('{').pair("title", s.title);
    if (bodies > 0 && s.motion.size() > 0) {
      const Motion m = motion_of(*robot, {}, picture.tool, s.motion, instants_for(bodies));
      j.pair("robot", 0).key("motions").open('[');
      open_motion(j, m, -1, times);
      j.close('}').close(']');
    } else {
      j.key("robot").raw("null");
    }
    add_groups(j, s.groups, points_for(curves), times);
    add_times(j, times);
    j.close('}');
  }
  return j.close(']').close('}').text;
}

}  // namespace torsor::report
