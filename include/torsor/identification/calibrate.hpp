#pragma once
/// Kinematic calibration: the geometry of a robot from measured poses or points of it.
///
///   T_measured = B T(q; x) C        B: the world in the measuring frame, C: the tool on its frame
///   e_p = p_measured - p            in the measuring frame, m
///   e_r = log(R^T R_measured)       in the tool's axes, rad
///   e_d = d_measured - |p - a|      in place of both, from a known point a (a ball bar, a wire)
///   minimise  sum_i w_i ( |e_p|^2 / sigma_p^2 + |e_r|^2 / sigma_r^2 )
///
/// A parameter moves what lies beyond one cut through the chain by a twist xi, so that the frame's
/// pose changes by T exp(delta), exactly to first order:
///
///   placement.JOINT.rx ... z    placement exp(xi)               delta = Ad_inv(T_joint_frame) xi
///   offset.JOINT                q_true = q + offset: xi is the joint's own axis there
///   dh.ROW.d, theta             along the joint's axis, as offset
///   mdh.ROW.a, alpha            exp(xi) placement               delta = Ad_inv(T_parent_frame) xi
///   dh.ROW.a, alpha             all on the link, exp(xi) T      delta = Ad_inv(T_link_frame) xi
///   base.rx ... z               B exp(xi)                       delta = Ad_inv(T C) xi
///   tool.FRAME.rx ... z         C exp(xi)                       delta = xi
///   row of e_p: R v, row of e_r: dexp_inv(-e_r) w, of e_d: (p - a) . R v / |p - a|, delta = (w, v)
///
/// "dh" stands for every row of the robot's own table, "placement" for all six of every joint and
/// "offsets" for every joint with an axis; other names stand for themselves (model/parameter_name.hpp).
///
/// Order    base, tools, then the parameters as they are named. A column of which the ones before it leave
///          less than `separation` of its length is held: the data cannot tell it from those, which are
///          named. Axes that are parallel in the model make d of the second such a one.
/// Method   Gauss-Newton with Levenberg's damping, Huber's weights for whole poses, then rejection of poses
///          beyond sqrt(rows) + 3.5 sigma, then least squares. sigma_p (of distances, too) and sigma_r
///          come from the residuals. Changes of placements are sums of steps, exact to second order.
/// Limits   What is written into the robot is geometry alone; B is reported, because gravity is given in
///          the world; C goes into the frame where that is one of the file's further frames.
/// Cost     A step is O(poses parameters^2).
/// Source   Hollerbach & Wampler 1996; Mooring, Roth & Driels 1991; Hayati 1983 (parallel axes);
///          Horn 1987 (start of B); Huber 1964; Efron & Tibshirani 1993 (bootstrap over poses).
#include <functional>
#include <string>
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

struct PoseMeasurement {
  Array<double> q{};
  Vec3<double> position{};  ///< m, in the measuring frame
  SO3<double> rotation{};
  bool has_rotation = false;
  /// Only the distance of the frame's origin from `position` was measured, m.
  bool is_distance = false;
  double distance = 0;
  std::string frame{};  ///< that was measured; empty: the one of the options
  double weight = 1;    ///< of the squares
  int line = 0;         ///< of the file, for messages

  int n_numbers() const { return is_distance ? 1 : has_rotation ? 6 : 3; }
};

struct CalibrationOptions {
  std::vector<std::string> parameters{"dh"};
  std::string frame = "tool";
  bool base_unknown = false, tool_unknown = false;
  double separation = 1e-3;
  bool reject = true;  ///< poses that do not fit
  int folds = 5;       ///< of the cross-validation; 0: none
  int bootstrap = 0;   ///< resamples of the poses; 0: none
  unsigned seed = 1;   ///< of the bootstrap and of the folds
};

struct CalibratedParameter {
  /// Of a held parameter: a unit of it does what `factor` units of the other do.
  struct Share {
    std::string name;
    double factor = 0;
  };
  std::string name;
  bool angle = false;  ///< rad, otherwise m
  /// To be added to the model's; of base and tool 0: their poses are reported, sigma is about them.
  double change = 0;
  double sigma = 0, lower = 0, upper = 0;  ///< of `change`: standard deviation, 95 %
  double bootstrap_sigma = 0;              ///< where that was asked for
  bool held = false;                       ///< not told apart from others: stays as it is
  std::vector<Share> same_as{};            ///< of a held one; empty: no pose depends on it
};

struct PoseResiduals {
  int poses = 0;
  double position_rms = 0, position_max = 0;  ///< m
  double rotation_rms = 0, rotation_max = 0;  ///< rad; 0 where none was measured
};

struct [[nodiscard]] Calibration {
  struct Tool {
    std::string frame;
    SE3<double> T_frame_tool{};
  };
  std::string message;     ///< empty, or one line that says what failed
  RobotDescription robot;  ///< with the new geometry
  std::vector<CalibratedParameter> parameters;
  SE3<double> T_measuring_world{};
  std::vector<Tool> tools;
  PoseResiduals before;    ///< with base and tool fitted where they are unknown
  PoseResiduals after;     ///< of the poses that were used
  PoseResiduals held_out;  ///< of poses that each fit of the cross-validation did not see
  Array<int> rejected{};   ///< measurements, from 0
  double sigma_position = 0, sigma_rotation = 0;  ///< of one measured number
  double condition = 0;  ///< of the columns that are not held, each of length one
  int steps = 0;
  int resamples = 0;     ///< of the bootstrap that were drawn
  bool stopped = false;  ///< by `progress`: not all of the bootstrap and of the folds is there

  bool ok() const { return message.empty(); }
};

/// Throws Error for names that the robot does not have, a configuration of another size, fewer numbers
/// than parameters, no parameter at all.
/// `progress` is called now and then with the share that is done; false stops: before the parameters
/// are found with a message, then with what there is by then.
Calibration calibrate(const Model<double>& model, const std::vector<PoseMeasurement>& measured,
                      const CalibrationOptions& options = {},
                      const std::function<bool(double share)>& progress = {});

}  // namespace torsor
