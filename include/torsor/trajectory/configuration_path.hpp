#pragma once
/// The screw path between two configurations of any robot, quaternion and planar joints included.
///
///   q(s) = q0 (+) s x,   x = q1 (-) q0           qd = x sd,   qdd = x sdd
///
/// Each joint moves along the one-parameter subgroup of its own group (angles and lengths straight,
/// orientations about a fixed axis, planar and free joints along a screw), so that velocities are
/// constant times sd. Continuous joints and orientations take the shorter way.
///
/// Cost     O(n), no allocation.
/// Source   configuration.hpp: integrate, difference.
#include "torsor/model/configuration.hpp"
#include "torsor/trajectory/time_scaling.hpp"

namespace torsor {

/// The limits of every coordinate of a robot, for the planners of joint trajectories. Throws Error,
/// naming the joint, where velocities are not the rates of coordinates (quaternions, planar and
/// free joints): those move along configuration_path or a pose path.
std::vector<Limits> coordinate_limits(const Model<double>& model);

class ConfigurationPath {
 public:
  /// Checks sizes, numbers and quaternions. Throws Error for free_euler joints, whose velocities
  /// are those of no group. The path refers to the model, which must outlive it.
  ConfigurationPath(const Model<double>& model, std::vector<double> q0, std::vector<double> q1);

  /// x, n_v numbers: the velocities at ds/dt = 1.
  const Array<double>& step() const { return step_; }

  /// Sizes n_q, n_v, n_v.
  void at(double s, double sd, double sdd, View<double> q, View<double> qd,
          View<double> qdd) const {
    for (int k = 0; k < qd.size; ++k) qd[k] = step_[k] * s;
    integrate(*model_, q0_, View<const double>(qd.data, qd.size), q);
    for (int k = 0; k < qd.size; ++k) {
      qd[k] = step_[k] * sd;
      qdd[k] = step_[k] * sdd;
    }
  }

 private:
  const Model<double>* model_;
  Array<double> q0_, step_;
};

/// A configuration path with a time law s(t) from 0 to 1.
class ConfigurationTrajectory {
 public:
  ConfigurationTrajectory(ConfigurationPath path, PiecewisePolynomial<double> law)
      : path_(std::move(path)), law_(std::move(law)) {
    internal::check_law(law_, 1);
  }

  int size() const { return path_.step().size(); }  ///< n_v
  double duration() const { return law_.duration(); }
  void sample(double t, View<double> q, View<double> qd, View<double> qdd) const {
    double s[1], sd[1], sdd[1];
    law_.sample(t, s, sd, sdd);
    path_.at(s[0], sd[0], sdd[0], q, qd, qdd);
  }

 private:
  ConfigurationPath path_;
  PiecewisePolynomial<double> law_;
};

/// From rest to rest, as fast as the profile may within the model's own velocity, acceleration and
/// jerk limits of each degree of freedom.
ConfigurationTrajectory configuration_trajectory(const Model<double>& model,
                                                 const std::vector<double>& q0,
                                                 const std::vector<double>& q1,
                                                 Profile profile = Profile::quintic);

}  // namespace torsor
