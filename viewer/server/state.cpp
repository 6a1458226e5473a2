// What a session answers about the present configuration.
#include <algorithm>
#include <cmath>
#include <random>

#include "server/parts.hpp"
#include "server/session.hpp"
#include "torsor/experiments/drawing.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/euler.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/text.hpp"

namespace torsor::view {
namespace {

constexpr double near_singular = 0.02;  // of smallest by largest singular value
constexpr double near_limit = 0.02;     // of the range

Json ellipsoid(const Ellipsoid& e) {
  Json axes = Json::array();
  for (int k = 0; k < 3; ++k) axes.push_back(to_json(e.axes[k]));
  return {{"axes", axes}, {"radii", {to_json(e.radii.x), to_json(e.radii.y), to_json(e.radii.z)}}};
}

std::string lost(const std::string& frame, int count, int of) {
  return "singular: " + frame + " has lost " + std::to_string(count) + " of " + std::to_string(of) +
         " directions";
}

}  // namespace

/// In how many directions the tool of a closed mechanism moves at almost every configuration: the most of
/// this one and of some around it.
int Session::most_directions(int here) {
  if (most_of_ != frame_) {
    most_of_ = frame_;
    most_ = 0;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 4; ++k) {
      Robot::Vector step(robot_.n_v());
      for (double& x : step) x = 0.1 * normal(random);
      const Robot::Assembled near = robot_.assemble(robot_.integrate(q_, step));
      if (near) most_ = std::max(most_, robot_.mobility(near.q, {}, frame_).output_rank);
    }
  }
  return most_ = std::max(most_, here);
}

Reference reference_of(const std::string& name) {
  for (const Reference r : {Reference::body, Reference::world, Reference::world_aligned})
    if (name == name_of(r)) return r;
  throw Error("look: unknown reference " + in_quotes(name) +
              did_you_mean(name, {"body", "world", "world-aligned"}));
}
const char* name_of(Reference reference) {
  switch (reference) {
    case Reference::body:
      return "body";
    case Reference::world:
      return "world";
    default:
      return "world-aligned";
  }
}

Json Session::poses(const Robot::Vector& q) {
  KinematicsWorkspace<double> ws(robot_.model());
  forward_kinematics(robot_.model(), ws, q);
  Json out = Json::array();
  for (int i = 1; i < robot_.model().n_bodies(); ++i) append_pose(out, ws.T_world_body[i]);
  return out;
}

Json Session::matrices() {
  Json out = {{"M", rows(robot_.mass_matrix(q_))},
              {"C", rows(robot_.coriolis_matrix(q_, qd_))},
              {"g", list(robot_.gravity_torque(q_))},
              {"tau", list(robot_.inverse_dynamics(q_, qd_, qdd_))},
              {"J", rows(robot_.jacobian(frame_, q_, reference_))},
              {"kinetic", robot_.kinetic_energy(q_, qd_)},
              {"potential", robot_.potential_energy(q_)}};
  return out;
}

Json Session::tool_figures() {
  const Eigen::Isometry3d T = robot_.frame_pose(frame_, q_);
  SO3<double> R;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) R(r, c) = T.matrix()(r, c);
  const EulerAngles<double> zyx = euler_angles(EulerSequence::zyx, R).first;
  const Quaternion<double> q = quaternion(R);
  Json out = {{"frame", frame_},
              {"T", matrix_json(T)},
              {"rpy", {zyx.psi, zyx.theta, zyx.phi}},
              {"quaternion", {q.x, q.y, q.z, q.w}}};
  const Manipulability m = robot_.manipulability(frame_, q_);
  out["manipulability"] = m.measure;
  out["inverse_condition"] = m.inverse_condition;
  out["rank"] = m.rank;
  out["sigma"] = m.sigma;
  out["velocity_ellipsoid"] = ellipsoid(m.linear);
  out["angular_ellipsoid"] = ellipsoid(m.angular);
  out["force_ellipsoid"] = ellipsoid(force_ellipsoid(m.linear));
  return out;
}

std::vector<std::string> Session::warnings() {
  std::vector<std::string> lines;
  const Model<double>& model = robot_.model();
  const Robot::CoordinateLimits limits = robot_.limits();
  const std::vector<std::string> names = coordinate_labels(model);
  const std::vector<Measure> measures = coordinate_measures(model);
  for (int k = 0; k < robot_.n_q(); ++k) {
    const double low = limits.lower[k], high = limits.upper[k], x = q_[k];
    const auto at = static_cast<std::size_t>(k);
    const std::string unit = measures[at] == Measure::length  ? " m"
                             : measures[at] == Measure::angle ? " rad"
                                                              : "";
    const std::string value = names[at] + " = " + short_number(x) + unit;
    if (x < low || x > high)
      lines.push_back(value + " is beyond its limits " + short_number(low) + " to " +
                      short_number(high) + unit);
    else if (std::isfinite(high - low) && std::min(x - low, high - x) < near_limit * (high - low))
      lines.push_back(value + " is near its limit " +
                      short_number(x - low < high - x ? low : high) + unit);
  }
  if (loops_) {
    const int rank = robot_.mobility(q_, {}, frame_).output_rank, most = most_directions(rank);
    if (rank < most) lines.push_back(lost(frame_, most - rank, most));
    return lines;
  }
  const SingularityReport s = robot_.singularities(frame_, q_);
  if (s.singular())
    lines.push_back(
        lost(frame_, s.generic_rank - s.rank, s.generic_rank) +
        (s.decoupled && s.wrist_singular ? ": the wrist's axes lie in a plane" : "") +
        (s.decoupled && s.arm_singular ? ": the arm is stretched, folded or over its base" : ""));
  else if (s.smallest < near_singular * s.largest)
    lines.push_back("near a singularity: " + frame_ + " moves " +
                    short_number(s.largest / s.smallest) + " times as far one way as the other");
  return lines;
}

Json Session::state() {
  Json out = {{"version", version_}, {"q", list(q_)},      {"qd", list(qd_)},
              {"qdd", list(qdd_)},   {"poses", poses(q_)}, {"reference", name_of(reference_)}};
  const Robot::Vector3 com = robot_.centre_of_mass(q_);
  out["com"] = {com.x(), com.y(), com.z()};
  out["mass"] = robot_.mass();
  out["tool"] = tool_figures();
  out["matrices"] = matrices();
  out["warnings"] = warnings();
  if (loops_) out["loop_error"] = robot_.constraint_errors(q_).position;
  return out;
}

}  // namespace torsor::view
