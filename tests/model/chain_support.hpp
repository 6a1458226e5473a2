#pragma once
// Poses, mass matrix and potential of a RobotDescription straight from its meaning, without
// recursion over forces: what tables and conversions are held against. One-dof joints only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "torsor/model/dh.hpp"

namespace torsor::testing {

using Pose = SE3<double>;
using Convention = DhTable::Convention;
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double pi = 3.14159265358979323846;

/// Uniform numbers, the same on every machine.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(engine_()) / 4294967295.0);
  }
  Vec3<double> vector(double size) {
    return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)};
  }
  Pose pose(double size) { return {exp(vector(2)), vector(size)}; }
  bool coin() { return (*this)(0, 1) < 0.5; }
  Inertial inertial() {
    const auto R = exp(vector(3));
    const double x = (*this)(0.1, 1), y = (*this)(0.1, 1), z = (*this)(0.1, 1);
    return {(*this)(0.5, 3), vector(0.3), rotated(R, Sym3<double>::diagonal(y + z, x + z, x + y))};
  }
  std::vector<double> numbers(std::size_t n, double size) {
    std::vector<double> q(n);
    for (double& x : q) x = (*this)(-size, size);
    return q;
  }

 private:
  std::mt19937 engine_;
};

/// The largest difference of two entries.
inline double distance(const Vec3<double>& a, const Vec3<double>& b) {
  return std::max({std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.z - b.z)});
}
inline double distance(const Pose& a, const Pose& b) {
  return std::max({distance(a.R.c0, b.R.c0), distance(a.R.c1, b.R.c1), distance(a.R.c2, b.R.c2),
                   distance(a.p, b.p)});
}
inline double distance(const Inertia<double>& a, const Inertia<double>& b) {
  const Mat3<double> m = (a.J - b.J).matrix();
  const Vec3<double> o;
  return std::max({std::abs(a.m - b.m), distance(a.h, b.h), distance(m.c0, o), distance(m.c1, o),
                   distance(m.c2, o)});
}

inline Pose rows4(const double (&m)[3][4]) {
  return {Mat3<double>::rows({m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]},
                             {m[2][0], m[2][1], m[2][2]}),
          {m[0][3], m[1][3], m[2][3]}};
}

// Elementary motions.
inline Pose Tx(double a) { return {Mat3<double>::identity(), {a, 0, 0}}; }
inline Pose Tz(double d) { return {Mat3<double>::identity(), {0, 0, d}}; }
inline Pose Rx(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {Mat3<double>::rows({1, 0, 0}, {0, c, -s}, {0, s, c}), {}};
}
inline Pose Rz(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {Mat3<double>::rows({c, -s, 0}, {s, c, 0}, {0, 0, 1}), {}};
}

/// Frames 0..n of a table in the world, by products of elementary motions.
inline std::vector<Pose> elementary_frames(const DhTable& table, const std::vector<double>& q) {
  std::vector<Pose> frames{table.base};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const DhRow& row = table.rows[i];
    const double d = row.prismatic ? row.d + q[i] : row.d;
    const double theta = row.prismatic ? row.theta : row.theta + q[i];
    const Pose x = Tx(row.a) * Rx(row.alpha), z = Tz(d) * Rz(theta);
    frames.push_back(frames.back() * (table.convention == Convention::standard ? z * x : x * z));
  }
  return frames;
}

struct WorldState {
  std::map<std::string, Pose> frames;            // of links and named frames, in the world
  std::vector<std::vector<double>> mass_matrix;  // moving joints in the order of robot.joints
  double potential = 0;                          // of moving links
};

/// q in the order of the moving joints of robot.joints; parents come before children there.
inline WorldState world_state(const RobotDescription& robot, const std::vector<double>& q) {
  WorldState state;
  std::map<std::string, std::vector<std::size_t>> path;  // moving joints between root and link
  std::vector<Twist<double>> screws;
  state.frames[robot.root] = robot.base;
  for (const Joint& joint : robot.joints) {
    const Pose T = state.frames.at(joint.parent) * joint.placement;
    path[joint.child] = path[joint.parent];
    Twist<double> S{joint.axis, joint.axis * joint.pitch};
    if (joint.kind == JointKind::prismatic) S = {{}, joint.axis};
    state.frames[joint.child] = T;
    if (joint.kind == JointKind::fixed) continue;
    path[joint.child].push_back(screws.size());
    state.frames[joint.child] = T * exp(S * q.at(screws.size()));
    screws.push_back(Ad(T, S));
  }
  for (const FrameOnLink& frame : robot.frames)
    state.frames[frame.name] = state.frames.at(frame.link) * frame.placement;

  state.mass_matrix.assign(screws.size(), std::vector<double>(screws.size(), 0));
  for (const Link& link : robot.links) {
    const Inertial& body = link.inertial;
    if (!link.has_inertial || path[link.name].empty()) continue;
    const Pose& T = state.frames.at(link.name);
    const auto I = transported(T, Inertia<double>::at_com(body.mass, body.com, body.about_com));
    for (std::size_t j : path[link.name])
      for (std::size_t k : path[link.name])
        state.mass_matrix[j][k] += dot(screws[j], I * screws[k]);
    state.potential -= body.mass * dot(robot.gravity, T * body.com);
  }
  return state;
}

/// Same M(q) and same potential up to a constant: same dynamics.
inline double dynamics_distance(const RobotDescription& a, const RobotDescription& b,
                                const std::vector<double>& q) {
  const std::vector<double> zero(q.size(), 0.0);
  const WorldState x = world_state(a, q), y = world_state(b, q);
  double result = std::abs((x.potential - world_state(a, zero).potential) -
                           (y.potential - world_state(b, zero).potential));
  EXPECT_EQ(x.mass_matrix.size(), y.mass_matrix.size());
  for (std::size_t j = 0; j < q.size(); ++j)
    for (std::size_t k = 0; k < q.size(); ++k)
      result = std::max(result, std::abs(x.mass_matrix[j][k] - y.mass_matrix[j][k]));
  return result;
}

inline DhTable random_table(Random& random, Convention convention, std::size_t n) {
  DhTable table;
  table.convention = convention;
  table.base = random.pose(1);
  table.tool = random.pose(0.5);
  table.gravity = random.vector(10);
  for (std::size_t i = 0; i < n; ++i) {
    DhRow row;
    row.a = random(-0.5, 0.5), row.d = random(-0.5, 0.5);
    row.alpha = random(-3, 3), row.theta = random(-3, 3);
    row.prismatic = random(0, 1) < 0.3;
    row.inertial = random.inertial();
    row.has_inertial = true;
    table.rows.push_back(row);
  }
  return table;
}

inline std::string message_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace torsor::testing
