#include "page/run_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "page/encoding.hpp"
#include "page/motion.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"

namespace torsor::report {

namespace {

using Json = nlohmann::ordered_json;
using internal::base64;

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
  Json list = Json::array();

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

Json curve_json(const Curve& c, const Palette& palette, std::size_t most, Times& times) {
  std::vector<float> t, y;
  for (const Point& p : chosen(c.points, most)) {
    t.push_back(static_cast<float>(p.t));
    y.push_back(static_cast<float>(p.y));
  }
  Json j{{"label", c.label}, {"colour", c.colour}, {"dashed", c.dashed}};
  j["run"] = c.run.empty() ? -1 : palette.index(c.label);
  j["t"] = times.index(t);
  j["y"] = base64(y);
  return j;
}

Json groups_json(const std::vector<Group>& groups, const Palette& palette, std::size_t most,
                 Times& times) {
  Json all = Json::array();
  for (const Group& g : groups) {
    Json panels = Json::array();
    for (const Panel& p : g.panels) {
      Json curves = Json::array();
      for (const Curve& c : p.curves) curves.push_back(curve_json(c, palette, most, times));
      panels.push_back({{"title", p.title},
                        {"unit", p.unit},
                        {"log", p.logarithmic},
                        {"limit", p.limit},
                        {"least", p.least},
                        {"bands", p.bands},
                        {"curves", std::move(curves)}});
    }
    all.push_back({{"title", g.title},
                   {"remark", g.remark},
                   {"folded", g.folded},
                   {"panels", std::move(panels)}});
  }
  return all;
}

/// Poses of the runs of a section, and the tool's desired path where runs have one.
Json motions_json(const ReportSection& section, const internal::RobotPicture& picture,
                  const Palette& palette, int instants, Times& times) {
  Json all = Json::array();
  std::vector<std::string> desired;
  for (const ReportRun& run : section.runs) {
    const Motion m =
        motion_of(*section.robot, section.surfaces, picture.tool, *run.recording, instants);
    Json j{{"run", palette.index(run.name)}, {"t", times.index(m.t)}, {"poses", base64(m.poses)}};
    if (!m.forces.empty()) j["forces"] = base64(m.forces), j["largest_force"] = m.largest_force;
    if (!m.contact.empty())
      j["contact"] = base64(m.contact), j["largest_contact"] = m.largest_contact;
    if (!m.desired.empty()) {
      const std::string path = base64(m.desired);
      const bool known = std::find(desired.begin(), desired.end(), path) != desired.end();
      if (!known) desired.push_back(path), j["desired"] = path;
    }
    all.push_back(std::move(j));
  }
  return all;
}

int moving_bodies(const Report& report) {
  int bodies = 0;
  for (const ReportSection& s : report.sections)
    if (s.robot) bodies += (s.robot->n_bodies() - 1) * static_cast<int>(s.runs.size());
  return bodies;
}

}  // namespace

std::string run_data(const Report& report, const Palette& palette, const Extras& extras) {
  std::vector<std::vector<Group>> groups;
  std::size_t curves = 1;
  for (const ReportSection& s : report.sections) {
    groups.push_back(s.runs.empty() ? std::vector<Group>{} : section_groups(report, s, palette));
    if (&s == &report.sections.front())
      groups[0].insert(groups[0].begin(), extras.groups.begin(), extras.groups.end());
    for (const Group& g : groups.back())
      for (const Panel& p : g.panels) curves += p.curves.size();
  }
  const auto most = static_cast<std::size_t>(
      std::clamp(curve_budget / static_cast<double>(curves), 40.0, 3000.0));
  const int instants = static_cast<int>(
      std::clamp(pose_budget / (10.0 * std::max(1, moving_bodies(report))), 30.0, 1200.0));

  Json runs = Json::array(), sections = Json::array(), robots = Json::array();
  for (const std::string& name : palette.names())
    runs.push_back(
        {{"name", name}, {"colour", palette.colour(name)}, {"dashed", palette.dashed(name)}});
  std::map<std::string, int> known;  // robots
  for (std::size_t k = 0; k < report.sections.size(); ++k) {
    const ReportSection& s = report.sections[k];
    if (s.runs.empty()) continue;
    Times times;
    Json j{{"title", s.title}, {"robot", nullptr}};
    j["groups"] = groups_json(groups[k], palette, most, times);
    if (s.robot && s.robot->n_bodies() > 1) {
      const internal::RobotPicture picture = internal::picture_of(*s.robot, report.picture);
      const std::string text = internal::robot_json(*s.robot, picture);
      const auto [found, added] = known.emplace(text, static_cast<int>(known.size()));
      if (added) robots.push_back(Json::parse(text));
      j["robot"] = found->second;
      j["surfaces"] = Json::parse(internal::surfaces_json(*s.robot, s.surfaces));
      j["motions"] = motions_json(s, picture, palette, instants, times);
    }
    j["times"] = std::move(times.list);
    sections.push_back(std::move(j));
  }
  const Json page{{"kind", "runs"},
                  {"title", report.title},
                  {"runs", std::move(runs)},
                  {"robots", std::move(robots)},
                  {"sections", std::move(sections)}};
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string group_data(const std::string& title, const std::vector<LiveSection>& sections) {
  const Palette none{Report{}};
  std::size_t curves = 1;
  for (const LiveSection& s : sections)
    for (const Group& g : s.groups)
      for (const Panel& p : g.panels) curves += p.curves.size();
  const auto most = static_cast<std::size_t>(
      std::clamp(curve_budget / static_cast<double>(curves), 40.0, 3000.0));
  Json list = Json::array();
  for (const LiveSection& s : sections) {
    Times times;
    Json j{{"title", s.title}, {"robot", nullptr}};
    j["groups"] = groups_json(s.groups, none, most, times);
    j["times"] = std::move(times.list);
    list.push_back(std::move(j));
  }
  const Json page{{"kind", "runs"},
                  {"title", title},
                  {"runs", Json::array()},
                  {"robots", Json::array()},
                  {"sections", std::move(list)}};
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace torsor::report
