#include <algorithm>
#include <cmath>
#include <numbers>

#include "check/parts.hpp"

namespace torsor::internal::checks {
namespace {

double total_mass(const RobotDescription& robot) {
  double sum = 0;
  for (const Link& link : robot.links) sum += link.inertial.mass;
  return sum;
}

/// Longer than any arm, and too light for a crane: millimetres.
void check_lengths(const Tree& tree, Report& report) {
  constexpr double long_arm = 20, crane = 5000;  // m, kg
  const RobotDescription& robot = tree.robot;
  if (total_mass(robot) > crane) return;
  const char* why = "it looks like millimetres: torques would be a thousand times too large";
  const Joint* farthest = nullptr;
  int joints = 0;
  for (const Joint& j : robot.joints) {
    if (!(norm(j.placement.p) > long_arm)) continue;
    ++joints;
    if (farthest == nullptr || norm(j.placement.p) > norm(farthest->placement.p)) farthest = &j;
  }
  if (farthest != nullptr)
    report.warning(
        farthest->origin, element("joint", farthest->name),
        "is placed " + short_number(norm(farthest->placement.p)) + " m from its parent link" +
            (joints > 1 ? ", and " + std::to_string(joints - 1) + " more are far off" : ""),
        why, "write metres");
  for (const Link& link : robot.links) {
    const double com = norm(link.inertial.com), size = extent_of(link).diagonal();
    if (com > long_arm)
      report.warning(link.origin, element("link", link.name),
                     "centre of mass is " + short_number(com) + " m from the link's frame", why,
                     "write metres");
    report.topic = Finding::Topic::drawing;
    if (size > long_arm)
      report.warning(
          link.origin, element("link", link.name), "shapes measure " + short_number(size) + " m",
          "it looks like millimetres: pictures and collisions would be wrong", "write metres");
    report.topic = Finding::Topic::motion;
  }
}

/// The radius of gyration cannot exceed the size of the robot.
void check_gyration(const Tree& tree, Report& report) {
  const double reach = tree.reach();
  if (!(reach > 0)) return;
  for (const Link& link : tree.robot.links) {
    const Inertial& in = link.inertial;
    if (!(in.mass > 0) || !is_finite(in.about_com)) continue;
    const double largest = second_moments(in.about_com).moments.z;
    const double bound = in.mass * reach * reach;
    if (!(largest > 9 * bound)) continue;
    report.warning(link.origin, element("link", link.name),
                   "inertia " + short_number(largest) + " kg m^2 is " +
                       short_number(largest / bound) + " times what " + short_number(in.mass) +
                       " kg within " + short_number(reach) + " m could have",
                   "the unit looks wrong: the link would hardly accelerate",
                   "write kg m^2 (1 kg mm^2 is 1e-6, 1 kg cm^2 is 1e-4, 1 g mm^2 is 1e-9 kg m^2)");
  }
}

/// Times that a link is denser than osmium, the densest of all metals, at least: by its shapes, or by
/// its inertia, which is least for a ball. 0 where neither is known.
double times_too_dense(const Link& link) {
  constexpr double osmium = 22600;  // kg/m^3
  const double mass = link.inertial.mass, moments = trace(link.inertial.about_com);
  double times = 0;
  if (const Extent extent = extent_of(link); extent.known()) {
    const Vec3<double> edges = extent.high - extent.low;
    const double volume = edges.x * edges.y * edges.z;
    if (volume > 0) times = mass / (volume * osmium);
  }
  if (moments > 0) {  // of a ball: trace 6/5 m r^2
    const double radius = std::sqrt(moments / (1.2 * mass));
    times = std::max(times, mass / (4.0 / 3 * std::numbers::pi * std::pow(radius, 3) * osmium));
  }
  return times;
}

/// One link in grams among links in kilograms, or the other way round. Links of a hand are small
/// beside a pedestal, so that a ratio alone is no evidence; a density that no body has is.
void check_mass_ratio(const RobotDescription& robot, Report& report) {
  std::vector<double> masses;
  for (const Link& link : robot.links)
    if (link.inertial.mass > 0) masses.push_back(link.inertial.mass);
  if (masses.size() < 3) return;
  const auto middle = masses.begin() + static_cast<std::ptrdiff_t>(masses.size() / 2);
  std::nth_element(masses.begin(), middle, masses.end());
  const double median = *middle;
  for (const Link& link : robot.links) {
    const double mass = link.inertial.mass;
    if (mass >= 1000 * median && times_too_dense(link) > 10)
      report.warning(link.origin, element("link", link.name),
                     "mass " + short_number(mass) + " kg is " + short_number(mass / median) +
                         " times the median of the links, and " +
                         short_number(times_too_dense(link)) + " times too dense for any metal",
                     "it looks like grams", "write kilograms");
    else if (mass > 0 && mass <= 1e-6 * median)
      report.note(link.origin, element("link", link.name),
                  "mass " + short_number(mass) + " kg is a millionth of the others",
                  "placeholder masses make the mass matrix ill-conditioned",
                  "give the real mass, or none and a fixed joint");
  }
}

void check_gravity(const RobotDescription& robot, Report& report) {
  const double g = norm(robot.gravity);
  if (!is_finite(robot.gravity))
    report.error(robot.origin, "gravity", "is not finite (" + numbers(robot.gravity) + ")",
                 "every torque would be NaN", "give three numbers in m/s^2",
                 Finding::Kind::not_finite);
  else if (g > 100)
    report.warning(robot.origin, "gravity", "is " + short_number(g) + " m/s^2",
                   "it looks like mm/s^2 or cm/s^2", "write m/s^2: 0 0 -9.81");
  else if (g == 0)
    report.note(robot.origin, "gravity", "is zero", "links have no weight",
                "nothing to do in space or in a horizontal plane");
  else if (g < 9.7 || g > 9.9)
    report.note(robot.origin, "gravity", "is " + short_number(g) + " m/s^2",
                "not that of the earth", "nothing to do if it is meant; on earth 0 0 -9.81");
}

}  // namespace

void check_units(const Tree& tree, Report& report) {
  check_lengths(tree, report);
  report.topic = Finding::Topic::dynamics;
  check_gyration(tree, report);
  check_mass_ratio(tree.robot, report);
  check_gravity(tree.robot, report);
  if (total_mass(tree.robot) == 0 && !tree.robot.links.empty())
    report.warning(tree.robot.origin, element("robot", tree.robot.name), "has no mass at all",
                   "kinematics works, dynamics does not", "give the links mass and inertia");
  report.topic = Finding::Topic::motion;
}

}  // namespace torsor::internal::checks
