#include "torsor/robot.hpp"

#include "torsor/formats/load_robot.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

Eigen::Isometry3d to_eigen(const SE3<double>& T) {
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.matrix()(r, c) = T.R(r, c);
    out.matrix()(r, 3) = T.p[r];
  }
  return out;
}

}  // namespace

Robot::Robot(const std::string& path_or_name) : Robot(load_robot(path_or_name)) {}

Robot::Robot(Model<double> model)
    : model_(std::make_shared<const Model<double>>(std::move(model))),
      kinematics_(*model_),
      rnea_(*model_) {}

void Robot::check(const char* what, Eigen::Index size, int expected) const {
  if (size != expected)
    throw Error("robot \"" + model_->name() + "\": " + what + " has " + std::to_string(size) +
                " numbers, expected " + std::to_string(expected));
}

Robot::Vector Robot::neutral() const {
  Vector q(n_q());
  torsor::neutral(*model_, q);
  return q;
}
Robot::Vector Robot::random_configuration(unsigned seed) const {
  Vector q(n_q());
  torsor::random_configuration(*model_, seed, q);
  return q;
}
Robot::Vector Robot::integrate(ConstVector q, ConstVector v) const {
  check("q", q.size(), n_q());
  check("v", v.size(), n_v());
  Vector out(n_q());
  torsor::integrate(*model_, q, v, out);
  return out;
}
Robot::Vector Robot::difference(ConstVector q0, ConstVector q1) const {
  check("q0", q0.size(), n_q());
  check("q1", q1.size(), n_q());
  Vector out(n_v());
  torsor::difference(*model_, q0, q1, out);
  return out;
}

Eigen::Isometry3d Robot::frame_pose(const std::string& frame, ConstVector q) {
  check("q", q.size(), n_q());
  forward_kinematics(*model_, kinematics_, q);
  return to_eigen(torsor::frame_pose(kinematics_, model_->frame(frame)));
}

Robot::Vector Robot::inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd) {
  check("q", q.size(), n_q());
  check("qd", qd.size(), n_v());
  check("qdd", qdd.size(), n_v());
  Vector tau(n_v());
  torsor::inverse_dynamics(*model_, rnea_, q, qd, qdd, {}, tau);
  return tau;
}

}  // namespace torsor
