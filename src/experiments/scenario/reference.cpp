/// References of scenario files: one motion in joint space, one of the task, a force, a pose.
#include <memory>

#include "scenario/parts.hpp"
#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/trajectory/configuration_path.hpp"

namespace torsor::internal::scenario {

namespace {

#define TORSOR_MOTIONS "hold", "quintic", "sinusoid", "trapezoid", "spline", "fourier"

/// Which one of these keys is there; empty for none.
std::string only_one(const YamlElement& element, std::initializer_list<std::string_view> keys) {
  std::string found;
  for (const std::string_view key : keys) {
    if (!element.has(key)) continue;
    if (!found.empty()) element.fail("holds both " + in_quotes(found) + " and " + in_quotes(key));
    found = key;
  }
  return found;
}

/// A motion of the robot's own coordinates. With quaternions: hold, or the screw path in quintic
/// time.
ReferenceFunction joint_reference(const YamlElement& element, const std::string& kind,
                                  const Model<double>& model) {
  const int n_q = model.n_q(), n_v = model.n_v();
  if (kind == "hold") return hold(element.at(kind).numbers(n_q), n_v);
  if (n_q == n_v) return follow(read_motion(element, kind, n_q), n_q, n_v);
  const YamlElement e = element.at(kind);
  if (kind != "quintic") e.fail("a robot with quaternions takes hold and quintic alone");
  const Section quintic(e, "quintic");
  const Array<double> from = quintic.numbers("from", n_q), to = quintic.numbers("to", n_q);
  const double duration = quintic.number("duration");
  const auto robot = std::make_shared<const Model<double>>(model);
  const auto path = planned(e, [&] {
    return ConfigurationTrajectory(ConfigurationPath(*robot, from, to),
                                   unit_law(Profile::quintic, duration));
  });
  return [robot, along = follow(path, n_q, n_v)](double t, ReferencePoint& p) { along(t, p); };
}

ReferenceFunction task_reference(const YamlElement& element) {
  element.allow_keys({TORSOR_MOTIONS, "circle"});
  const std::string kind = only_one(element, {TORSOR_MOTIONS, "circle"});
  if (kind.empty()) element.fail("holds no motion: hold, sinusoid, circle, ...");
  return [x = read_motion(element, kind, 0)](double t, ReferencePoint& p) {
    p.x.resize(x.size), p.xd.resize(x.size), p.xdd.resize(x.size);
    x.sample(t, p.x, p.xd, p.xdd);
  };
}

ReferenceFunction force_reference(const YamlElement& element) {
  element.allow_keys({TORSOR_MOTIONS});
  const std::string kind = only_one(element, {TORSOR_MOTIONS});
  if (kind.empty()) element.fail("holds no force: hold, sinusoid, ...");
  return [f = read_motion(element, kind, 0)](double t, ReferencePoint& p) {
    p.f_on_environment.resize(f.size);
    f.sample(t, p.f_on_environment, {}, {});
  };
}

ReferenceFunction pose_reference(const YamlElement& element) {
  const Section section(element, "pose");
  const auto pose = [&](const char* key) { return robot_file::read_pose(section.at(key), {}); };
  const auto given = [](auto path) -> ReferenceFunction {
    return [path](double t, ReferencePoint& p) {
      p.pose = path.sample(t);
      p.has_pose = true;
    };
  };
  if (section.has("hold")) {
    if (element.entries().size() > 1) element.fail("\"hold\" leaves no room for other keys");
    return [T = pose("hold")](double, ReferencePoint& p) {
      p.pose = {T, {}, {}};
      p.has_pose = true;
    };
  }
  const SE3<double> from = pose("from"), to = pose("to");
  const double duration = section.number("duration");
  const PiecewisePolynomial<double> law = unit_law(Profile::quintic, duration);
  bool straight = false;
  section.read("straight", straight);
  if (straight) return given(PoseTrajectory(line_path(from, to), law));
  return given(PoseTrajectory(screw_path(from, to), law));
}

}  // namespace

ReferenceFunction read_reference(const YamlElement& element, const Model<double>& model) {
  const Section section(element, "reference");
  std::vector<ReferenceFunction> parts;
  const std::string joints = only_one(element, {TORSOR_MOTIONS});
  if (!joints.empty()) parts.push_back(joint_reference(element, joints, model));
  if (section.has("task")) parts.push_back(task_reference(section.at("task")));
  if (section.has("force")) parts.push_back(force_reference(section.at("force")));
  if (section.has("pose")) parts.push_back(pose_reference(section.at("pose")));
  if (parts.empty()) element.fail("is empty: a motion, task, force or pose is needed");
  if (parts.size() == 1) return parts[0];
  return [parts](double t, ReferencePoint& p) {
    for (const ReferenceFunction& part : parts) part(t, p);
  };
}

}  // namespace torsor::internal::scenario
