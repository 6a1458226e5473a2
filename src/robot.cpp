#include "torsor/robot.hpp"

#include "robot_workspaces.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/energy_regressor.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

Robot::Robot(const std::string& path_or_name) : Robot(load_robot(path_or_name)) {}
Robot::Robot(Model<double> model)
    : model_(std::make_shared<const Model<double>>(std::move(model))),
      workspaces_(std::make_unique<Workspaces>()) {}
Robot::Robot(const Robot& other)
    : model_(other.model_), workspaces_(std::make_unique<Workspaces>()) {}
Robot::Robot(Robot&& other) noexcept = default;
Robot& Robot::operator=(Robot other) noexcept {
  model_.swap(other.model_);
  workspaces_.swap(other.workspaces_);
  return *this;
}
Robot::~Robot() = default;

void Robot::check_size(const char* what, Eigen::Index size, int expected) const {
  if (size != expected)
    throw Error("robot \"" + name() + "\": " + what + " has " + std::to_string(size) +
                " numbers, expected " + std::to_string(expected));
}
Robot::Vector Robot::checked_q(ConstVector q, const char* what) const {
  check_size(what, q.size(), n_q());
  Vector copy = q;
  check_configuration(*model_, copy);
  return copy;
}
void Robot::check(const char* what, ConstVector v) const {
  check_size(what, v.size(), n_v());
  check_velocity(*model_, v, what);
}
std::vector<Wrench<double>> Robot::body_wrenches(const Wrenches& external) const {
  std::vector<Wrench<double>> F;
  if (external.empty()) return F;
  F.resize(static_cast<std::size_t>(model_->n_bodies()));
  for (const LinkWrench& x : external) {
    const Frame& frame = model_->frame(x.frame);
    const auto& w = x.wrench;
    if (!w.allFinite())
      throw Error("robot \"" + name() + "\": the wrench on \"" + x.frame + "\" is not finite");
    F[static_cast<std::size_t>(frame.body)] +=
        Ad_dual_inv(frame.placement, Wrench<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
  }
  return F;
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
  const Vector from = checked_q(q);
  check("v", v);
  Vector out(n_q());
  torsor::integrate(*model_, from, v, out);
  return out;
}
Robot::Vector Robot::difference(ConstVector q0, ConstVector q1) const {
  const Vector from = checked_q(q0, "q0"), to = checked_q(q1, "q1");
  Vector out(n_v());
  torsor::difference(*model_, from, to, out);
  return out;
}

Robot::Vector Robot::parameters() const {
  const std::vector<double> p = torsor::parameters(*model_);
  return Eigen::Map<const Vector>(p.data(), static_cast<Eigen::Index>(p.size()));
}
std::vector<std::string> Robot::parameter_names() const { return torsor::parameter_names(*model_); }
Robot::Matrix Robot::torque_regressor(ConstVector q, ConstVector qd, ConstVector qdd) {
  const Vector at = closed(q, qd);
  check("qdd", qdd);
  Matrix Y(n_v(), parameters_per_body * (model_->n_bodies() - 1));
  torsor::torque_regressor(*model_, workspaces_->regressor(*model_), at, qd, qdd, Y);
  return Y;
}
Robot::Matrix Robot::two_velocity_torque_regressor(ConstVector q, ConstVector qd, ConstVector v,
                                                   ConstVector a) {
  const Vector at = closed(q, qd);
  check("v", v), check("a", a);
  Matrix Y(n_v(), parameters_per_body * (model_->n_bodies() - 1));
  torsor::two_velocity_torque_regressor(*model_, workspaces_->regressor(*model_), at, qd, v, a, Y);
  return Y;
}
Robot::Matrix Robot::joint_regressor(JointParameter parameter, ConstVector qd,
                                     ConstVector qdd) const {
  check("qd", qd), check("qdd", qdd);
  Matrix Y(n_v(), n_v());
  torsor::joint_regressor(*model_, parameter, qd, qdd, Y);
  return Y;
}
Robot::EnergyRows Robot::energy_regressor(ConstVector q, ConstVector qd) {
  const Vector at = closed(q, qd);
  const int n = parameters_per_body * (model_->n_bodies() - 1);
  EnergyRows rows{Vector(n), Vector(n)};
  torsor::energy_regressor(*model_, workspaces_->momentum(*model_), at, qd, rows.kinetic,
                           rows.potential);
  return rows;
}
Robot::Vector Robot::torque_of_parameters(ConstVector q, ConstVector qd, ConstVector qdd,
                                          ConstVector parameters) {
  const Vector at = closed(q, qd);
  check("qdd", qdd);
  check_size("parameters", parameters.size(), parameters_per_body * (model_->n_bodies() - 1));
  Vector tau(n_v());
  torsor::rigid_inverse_dynamics(*model_, workspaces_->regressor(*model_), at, qd, qdd, parameters,
                                 tau);
  return tau;
}

}  // namespace torsor
