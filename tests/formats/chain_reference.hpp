#pragma once
/// Kinematics and statics of robots with one-dof joints straight from the description, by the
/// textbook's sums over links: an independent truth for what the files say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor::testing {

/// Joints must stand in the file after the joint that carries their parent, as in every built-in
/// file.
class ChainReference {
 public:
  ChainReference(const RobotDescription& robot, const std::vector<double>& q) : robot_(robot) {
    links_.resize(robot.links.size());
    carried_.resize(robot.links.size());
    links_[index(robot.root)] = robot.base;
    std::size_t next = 0;
    for (const Joint& joint : robot.joints) {
      const std::size_t parent = index(joint.parent), child = index(joint.child);
      const SE3<double> T = links_[parent] * joint.placement;
      links_[child] = T;
      carried_[child] = carried_[parent];
      if (n_v(joint) != 1) continue;
      const double value = q.at(next++);
      const bool slides = joint.kind == JointKind::prismatic;
      SE3<double> motion;
      if (slides) motion.p = joint.axis * value;
      if (!slides) motion.R = exp(joint.axis * value);
      links_[child] = T * motion;
      carried_[child].push_back(axes_.size());
      axes_.push_back({T.R * joint.axis, T.p, slides});
    }
  }

  int n() const { return static_cast<int>(axes_.size()); }

  SE3<double> frame(const std::string& name) const {
    for (const FrameOnLink& frame : robot_.frames)
      if (frame.name == name) return links_[index(frame.link)] * frame.placement;
    return links_[index(name)];
  }

  /// What the motors must give to hold still: the gradient of the potential energy.
  std::vector<double> holding_torque() const {
    std::vector<double> tau(axes_.size());
    for (std::size_t i = 0; i < links_.size(); ++i)
      for (const std::size_t k : carried_[i])
        tau[k] -= robot_.links[i].inertial.mass * dot(robot_.gravity, linear(k, com(i)));
    return tau;
  }

  /// sum_i m Jv^T Jv + Jw^T I Jw, without rotors.
  double mass_matrix(int row, int column) const {
    const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
    double sum = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!carries(i, r) || !carries(i, c)) continue;
      const Sym3<double> I = rotated(links_[i].R, robot_.links[i].inertial.about_com);
      sum += robot_.links[i].inertial.mass * dot(linear(r, com(i)), linear(c, com(i))) +
             dot(angular(r), I * angular(c));
    }
    return sum;
  }

 private:
  struct Axis {
    Vec3<double> direction, point;
    bool slides;
  };

  std::size_t index(const std::string& link) const {
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (robot_.links[i].name == link) return i;
    throw Error("no link " + link);
  }
  bool carries(std::size_t link, std::size_t axis) const {
    for (const std::size_t k : carried_[link])
      if (k == axis) return true;
    return false;
  }
  Vec3<double> com(std::size_t i) const { return links_[i] * robot_.links[i].inertial.com; }
  Vec3<double> linear(std::size_t k, const Vec3<double>& point) const {
    const Axis& axis = axes_[k];
    return axis.slides ? axis.direction : cross(axis.direction, point - axis.point);
  }
  Vec3<double> angular(std::size_t k) const {
    return axes_[k].slides ? Vec3<double>{} : axes_[k].direction;
  }

  const RobotDescription& robot_;
  std::vector<SE3<double>> links_;
  std::vector<std::vector<std::size_t>> carried_;  // axes between the root and each link
  std::vector<Axis> axes_;
};

/// `rows` are the upper three of the 4x4 matrix.
inline void expect_pose(const SE3<double>& T, const std::vector<std::vector<double>>& rows,
                        double tolerance) {
  for (int r = 0; r < 3; ++r) {
    const std::vector<double>& row = rows[static_cast<std::size_t>(r)];
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(T.R(r, c), row[static_cast<std::size_t>(c)], tolerance) << r << "," << c;
    EXPECT_NEAR(T.p[r], row[3], tolerance) << "p" << r;
  }
}

}  // namespace torsor::testing
