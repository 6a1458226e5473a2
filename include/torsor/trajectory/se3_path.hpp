#pragma once
/// Paths between two poses: along the screw, or straight with the orientation turning evenly.
///
///   screw_path   T(s) = T0 exp(s X),  X = log(T0^-1 T1)        V = X sd,   V' = X sdd
///   line_path    p(s) = p0 + s (p1 - p0),  R(s) = R0 exp(s w),  w = log(R0^T R1)
///                V = (w sd, R^T (p1 - p0) sd),   V' = (w sdd, R^T (p1 - p0) sdd - w sd x V.v)
///
/// Both turn by at most pi; at exactly pi the two ways round are equal and one is taken.
/// Frames   T_wb: pose of the body in the frame of T0 and T1. V is the body twist, V' its
///          componentwise derivative. The screw path is the same motion for every choice of the
///          body's frame, and its origin moves on a helix; the line path moves the chosen origin
///          straight.
/// Source   Lynch & Park 2017, sec. 9.2; Murray, Li & Sastry 1994, ch. 2.
#include "torsor/math/rotation.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/trajectory/time_scaling.hpp"

namespace torsor {

/// Pose, body twist and its derivative.
template <class Real>
struct PoseMotion {
  SE3<Real> T{};
  Twist<Real> V{}, Vdot{};
};

namespace internal {

/// Largest magnitudes per unit of ds/dt, and of the part of the origin's acceleration that comes
/// with (ds/dt)^2, perpendicular to the other.
struct PathRates {
  double linear = 0, angular = 0, bend = 0;
};

}  // namespace internal

template <class Param = double>
class ScrewPath {
 public:
  ScrewPath(const SE3<Param>& T0, const SE3<Param>& T1) : T0_(T0), X_(log(inverse_times(T0, T1))) {}

  /// At the path parameter s (0: T0, 1: T1) with its rate and acceleration.
  template <class Real>
  PoseMotion<Prod<Param, Real>> at(const Real& s, const std::type_identity_t<Real>& sd = Real(0),
                                   const std::type_identity_t<Real>& sdd = Real(0)) const {
    return {T0_ * exp(X_ * s), X_ * sd, X_ * sdd};
  }
  /// X: the body twist at ds/dt = 1.
  const Twist<Param>& screw() const { return X_; }
  internal::PathRates rates() const {
    const Twist<double> X = X_.template cast<double>();
    return {norm(X.v), norm(X.w), norm(cross(X.w, X.v))};
  }

 private:
  SE3<Param> T0_;
  Twist<Param> X_;
};

template <class Param = double>
class LinePath {
 public:
  LinePath(const SE3<Param>& T0, const SE3<Param>& T1)
      : T0_(T0), turn_(log(transpose_times(T0.R, T1.R))), step_(T1.p - T0.p) {}

  template <class Real>
  PoseMotion<Prod<Param, Real>> at(const Real& s, const std::type_identity_t<Real>& sd = Real(0),
                                   const std::type_identity_t<Real>& sdd = Real(0)) const {
    PoseMotion<Prod<Param, Real>> m;
    m.T = {T0_.R * exp(turn_ * s), T0_.p + step_ * s};
    const auto step_b = transpose_times(m.T.R, step_);
    m.V = {turn_ * sd, step_b * sd};
    m.Vdot = {turn_ * sdd, step_b * sdd - cross(m.V.w, m.V.v)};
    return m;
  }
  internal::PathRates rates() const {
    return {norm(step_.template cast<double>()), norm(turn_.template cast<double>()), 0};
  }

 private:
  SE3<Param> T0_;
  Vec3<Param> turn_, step_;  // in the body, in the frame of T0
};

namespace internal::check {

/// Throws Error for numbers that are not finite, and for R off a rotation by more than 1e-6.
void pose(const char* planner, const std::string& what, const SE3<double>& T);

}  // namespace internal::check

inline ScrewPath<double> screw_path(const SE3<double>& T0, const SE3<double>& T1) {
  internal::check::pose("screw_path", "T0", T0);
  internal::check::pose("screw_path", "T1", T1);
  return {T0, T1};
}
inline LinePath<double> line_path(const SE3<double>& T0, const SE3<double>& T1) {
  internal::check::pose("line_path", "T0", T0);
  internal::check::pose("line_path", "T1", T1);
  return {T0, T1};
}

/// A path with a time law s(t) from 0 to 1.
template <class Path>
class PoseTrajectory {
 public:
  PoseTrajectory(Path path, PiecewisePolynomial<double> law)
      : path_(std::move(path)), law_(std::move(law)) {
    internal::check_law(law_, 1);
  }

  double duration() const { return law_.duration(); }
  template <class Real>
  auto sample(const Real& t) const {
    Prod<double, Real> s[1], sd[1], sdd[1];
    law_.sample(t, s, sd, sdd);
    return path_.at(s[0], sd[0], sdd[0]);
  }

 private:
  Path path_;
  PiecewisePolynomial<double> law_;
};

/// Of the body's origin (m/s, m/s^2) and of its rotation (rad/s, rad/s^2).
struct PoseLimits {
  double velocity = infinity, acceleration = infinity;
  double angular_velocity = infinity, angular_acceleration = infinity;
};

/// The shortest duration of the stretched law at which the path keeps the limits; 0 if it stands
/// still. Exact but for the origin's acceleration on a screw with rotation, where it is a bound:
/// sqrt((linear A)^2 + (bend V^2)^2) with the peaks V and A of the law.
double minimum_duration(const internal::PathRates& path, const PiecewisePolynomial<double>& law,
                        const PoseLimits& limits);

/// The path at its minimum duration; the law keeps its shape. A path that stands still keeps the
/// law's own duration.
template <class Path>
PoseTrajectory<Path> timed(const Path& path, const PoseLimits& limits,
                           Profile profile = Profile::quintic) {
  const PiecewisePolynomial<double> law = unit_law(profile);
  const double duration = minimum_duration(path.rates(), law, limits);
  return {path, duration > 0 ? stretched(law, duration) : law};
}

}  // namespace torsor
