#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "command.hpp"
#include "frame_option.hpp"
#include "number_list.hpp"
#include "pose_text.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/inverse_kinematics.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/trajectory/configuration_path.hpp"
#include "torsor/trajectory/fourier.hpp"
#include "torsor/trajectory/joint_path.hpp"
#include "torsor/trajectory/se3_path.hpp"
#include "trajectory.hpp"

namespace torsor::command {
namespace {

using Options = TrajectoryOptions;

/// Of the words that an option takes.
template <class Value>
Value choice(const char* option, const std::string& word,
             const std::vector<std::pair<const char*, Value>>& known) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (word == name) return value;
    names.emplace_back(name);
  }
  throw Error(std::string(option) + " " + in_quotes(word) + ": is none of " +
              listed(names, " or ") + did_you_mean(word, names));
}
Profile profile_of(const Options& o) {
  return choice<Profile>("--profile", o.profile,
                         {{"cubic", Profile::cubic},
                          {"quintic", Profile::quintic},
                          {"septic", Profile::septic},
                          {"trapezoid", Profile::trapezoid},
                          {"double_s", Profile::double_s}});
}
double one_number(const char* option, const std::string& text, const char* what) {
  return parse_numbers(option, text, 1, what)[0];
}
double positive(const char* option, const std::string& text, const char* what) {
  const double x = one_number(option, text, what);
  if (x <= 0) throw Error(std::string(option) + ": is " + number(x) + ", not positive");
  return x;
}

bool rates_are_velocities(const Model<double>& model) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    bool all = true;
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      all = all && internal::velocities_are_rates(kind);
    });
    if (!all) return false;
  }
  return true;
}

/// The robot's, with those of the options in their place: one number for all coordinates or a list.
std::vector<Limits> limits_of(const Options& o, const Model<double>& model) {
  std::vector<Limits> limits = coordinate_limits(model);
  const std::vector<Measure> measures = coordinate_measures(model);
  const auto replace = [&](const char* option, const std::string& text, double Limits::*which) {
    if (text.empty()) return;
    std::vector<double> x = parse_numbers(option, text);
    if (x.size() == 1) x.assign(limits.size(), x[0]);
    if (x.size() != limits.size())
      throw Error(std::string(option) + ": has " + std::to_string(x.size()) + " numbers, \"" +
                  model.name() + "\" has " + std::to_string(limits.size()) + " coordinates");
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k] <= 0) throw Error(std::string(option) + ": " + number(x[k]) + " is not positive");
      const bool turned = o.degrees && measures[k] == Measure::angle;
      limits[k].*which = turned ? x[k] * std::numbers::pi / 180 : x[k];
    }
  };
  replace("--velocity", o.velocity, &Limits::velocity);
  replace("--acceleration", o.acceleration, &Limits::acceleration);
  replace("--jerk", o.jerk, &Limits::jerk);
  return limits;
}

/// Planners by limits say what is missing in the words of the library; here it is an option.
template <class Plan>
auto within_limits(const Plan& plan) {
  try {
    return plan();
  } catch (const Error& refused) {
    throw Error(std::string(refused.what()) +
                " (--duration sets the time, --velocity, --acceleration and --jerk the limits)");
  }
}

template <class Trajectory>
PlannedMotion motion_of(Trajectory trajectory) {
  const double duration = trajectory.duration();
  const auto kept = std::make_shared<Trajectory>(std::move(trajectory));
  return {duration, [kept](double t, Out<double> q, Out<double> qd, Out<double> qdd) {
            kept->sample(t, q, qd, qdd);
          }};
}

PlannedMotion point_to_point_motion(const Options& o, const Model<double>& model) {
  const Profile profile = profile_of(o);
  const std::vector<double> q0 = parse_configuration(o.from, o.degrees, model, "--from"),
                            q1 = parse_configuration(o.to, o.degrees, model, "--to");
  const bool timed = !o.duration.empty();
  const double duration = timed ? positive("--duration", o.duration, "s") : 0;
  if (!rates_are_velocities(model)) {
    if (timed)
      return motion_of(ConfigurationTrajectory({model, q0, q1}, unit_law(profile, duration)));
    return within_limits(
        [&] { return motion_of(configuration_trajectory(model, q0, q1, profile)); });
  }
  if (timed) return motion_of(straight_line(unit_law(profile, duration), q0, q1));
  return within_limits(
      [&] { return motion_of(point_to_point(profile, q0, q1, limits_of(o, model))); });
}

PlannedMotion spline_motion(const Options& o, const Model<double>& model) {
  const bool quintic = choice<bool>("--profile", o.profile, {{"cubic", false}, {"quintic", true}});
  const SplineEnds ends = choice<SplineEnds>("--ends", o.ends,
                                             {{"natural", SplineEnds::natural},
                                              {"clamped", SplineEnds::clamped},
                                              {"periodic", SplineEnds::periodic},
                                              {"not_a_knot", SplineEnds::not_a_knot}});
  std::vector<Limits> limits = limits_of(o, model);
  std::vector<std::vector<double>> points{parse_configuration(o.from, o.degrees, model, "--from")};
  for (const std::string& point : o.via)
    points.push_back(parse_configuration(point, o.degrees, model, "--via"));
  if (!o.to.empty()) points.push_back(parse_configuration(o.to, o.degrees, model, "--to"));
  if (!o.times.empty()) {
    const std::vector<double> times =
        parse_numbers("--times", o.times, points.size(), "s, one for each point");
    return motion_of(quintic ? quintic_spline(times, points) : spline(times, points, ends));
  }
  if (!o.duration.empty())  // the times of the points in proportion to their distances
    for (Limits& l : limits) (l = {}).velocity = 1;
  PiecewisePolynomial<double> motion = within_limits(
      [&] { return quintic ? quintic_spline(points, limits) : spline(points, limits, ends); });
  if (!o.duration.empty()) motion = stretched(motion, positive("--duration", o.duration, "s"));
  return motion_of(std::move(motion));
}

PlannedMotion fourier_motion(const Options& o, const Model<double>& model) {
  (void)coordinate_limits(model);  // throws where velocities are not rates
  const std::vector<double> offset = parse_configuration(o.from, o.degrees, model, "--from");
  const std::vector<Measure> measures = coordinate_measures(model);
  const std::size_t harmonics = std::max(o.sine.size(), o.cosine.size());
  if (harmonics == 0)
    throw Error("--profile fourier: give --sine or --cosine, a list of velocities a harmonic");
  const auto coefficients = [&](const char* option, const std::vector<std::string>& lists) {
    std::vector<std::vector<double>> by_coordinate(offset.size(),
                                                   std::vector<double>(harmonics, 0.0));
    for (std::size_t l = 0; l < lists.size(); ++l) {
      const std::vector<double> x =
          parse_numbers(option, lists[l], offset.size(), "one for each coordinate");
      for (std::size_t k = 0; k < x.size(); ++k) {
        const bool turned = o.degrees && measures[k] == Measure::angle;
        by_coordinate[k][l] = turned ? x[k] * std::numbers::pi / 180 : x[k];
      }
    }
    return by_coordinate;
  };
  if (o.frequency.empty() == o.duration.empty())
    throw Error("--profile fourier: give --frequency (rad/s) or --duration (s, one period)");
  const double w = o.frequency.empty()
                       ? 2 * std::numbers::pi / positive("--duration", o.duration, "s")
                       : positive("--frequency", o.frequency, "rad/s");
  FourierSeries<double> series =
      fourier(offset, coefficients("--sine", o.sine), coefficients("--cosine", o.cosine), w);
  return motion_of(o.at_rest ? at_rest(series) : series);
}

/// The frame on a path between two poses, the joints after it by inverse kinematics.
template <class Path>
PlannedMotion followed(const Options& o, const Model<double>& model, const Frame& frame,
                       const Path& path, const std::vector<double>& q0) {
  InverseKinematicsWorkspace ws(model, View<const Frame>(&frame, 1));
  InverseKinematicsOptions options;
  options.max_restarts = 0;  // a jump to another branch is no motion
  options.objective = IkObjective::nearest;
  const auto inverse = [&](const SE3<double>& T, std::vector<double>& q) {
    const IkTarget target{T};
    return inverse_kinematics(model, ws, {&target, 1}, q, options, q).converged;
  };
  const double duration = o.duration.empty() ? 1 : positive("--duration", o.duration, "s");
  const PoseTrajectory<Path> motion(path, unit_law(profile_of(o), duration));
  const JointPath joints = joint_path(motion, inverse, q0, 400, SplineEnds::clamped);
  if (!joints.complete)
    throw Failure("frame " + in_quotes(frame.name) + " follows the path only to " +
                  number(100 * joints.solved_until / duration) +
                  " % of it: out of reach, or at a joint's limit there");
  if (joints.largest_step > 0.5)
    throw Failure("frame " + in_quotes(frame.name) + " follows the path with a jump of " +
                  number(joints.largest_step) + " rad or m of a joint: another branch");
  if (!o.duration.empty()) return motion_of(joints.trajectory);
  return within_limits([&] {
    std::vector<Limits> limits = limits_of(o, model);
    for (Limits& l : limits) l.jerk = infinity;  // of a cubic spline it jumps
    return motion_of(retimed(joints.trajectory, limits));
  });
}
PlannedMotion frame_motion(const Options& o, const Model<double>& model) {
  (void)coordinate_limits(model);
  const Frame& frame = frame_of_option(model, o.frame);
  const std::vector<double> q0 = parse_configuration(o.from, o.degrees, model, "--from");
  KinematicsWorkspace<double> ws(model);
  forward_kinematics(model, ws, q0);
  const SE3<double> T0 = frame_pose(ws, frame);
  SE3<double> T1 = T0;
  if (!o.to.empty()) {
    forward_kinematics(model, ws, parse_configuration(o.to, o.degrees, model, "--to"));
    T1 = frame_pose(ws, frame);
  }
  if (!o.xyz.empty()) {
    const std::vector<double> p = parse_numbers("--xyz", o.xyz, 3, "x, y, z in m");
    T1.p = {p[0], p[1], p[2]};
  }
  if (!o.rpy.empty()) {
    const std::vector<double> a = parse_numbers("--rpy", o.rpy, 3, "roll, pitch, yaw");
    T1.R = rotation_of_roll_pitch_yaw(Vec3<double>{a[0], a[1], a[2]} *
                                      (o.degrees ? std::numbers::pi / 180 : 1));
  }
  const bool screw = choice<bool>("--path", o.path, {{"screw", true}, {"line", false}});
  return screw ? followed(o, model, frame, screw_path(T0, T1), q0)
               : followed(o, model, frame, line_path(T0, T1), q0);
}

}  // namespace

PlannedMotion plan_motion(const Options& o, const Model<double>& model) {
  const bool pose = !o.xyz.empty() || !o.rpy.empty();
  if (o.frame.empty() && pose) throw Error("--xyz and --rpy: belong to --frame");
  if (o.via.empty() && !o.times.empty()) throw Error("--times: belong to --via");
  const bool limited = !o.velocity.empty() || !o.acceleration.empty() || !o.jerk.empty();
  if (limited && (!o.duration.empty() || !o.times.empty()))
    throw Error("--velocity, --acceleration and --jerk: have no use beside --duration and --times");
  if (o.profile == "fourier") return fourier_motion(o, model);
  if (!o.sine.empty() || !o.cosine.empty())
    throw Error("--sine and --cosine: belong to --profile fourier");
  if (o.to.empty() && o.via.empty() && !pose)
    throw Error("where to? give --to, --via, or --frame with --xyz");
  if (!o.frame.empty() && !o.via.empty()) throw Error("--via: is of joints; --frame has no points");
  if (!o.frame.empty()) return frame_motion(o, model);
  return o.via.empty() ? point_to_point_motion(o, model) : spline_motion(o, model);
}

}  // namespace torsor::command
