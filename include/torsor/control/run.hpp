#pragma once
/// One run, as far as a law's proof may ask about it: a theorem covers robots, references, starts,
/// sampling and limits, and `ControlLaw::conditions` and `predictions` are asked with all of them.
///
/// simulate() fills it from its plant and options; ideal_run() is the run of theorems.
#include <memory>
#include <string>

#include "torsor/control/reference.hpp"

namespace torsor {

/// A surface that a point of the robot may touch: a plane, or a sphere.
struct RunSurface {
  std::string name, frame;  ///< of the robot: the frame whose point touches
  Vec3<double> point{};     ///< in the frame
  Vec3<double> origin{};    ///< world: a point of the plane, or the sphere's centre
  Vec3<double> normal{};    ///< world, out of the plane
  double radius = 0;        ///< m, > 0: a sphere
  bool inside = false;      ///< the sphere is touched from inside
  double stiffness = 0;     ///< N / m; infinity: rigid
  double damping = 0;       ///< N s / m
  double friction = 0;      ///< Coulomb coefficient
  bool bilateral = false;   ///< it is never left

  /// Of a point of the world: how far it is outside (m), and the way out.
  double distance(const Vec3<double>& x) const {
    if (radius > 0) return (inside ? -1 : 1) * (norm(x - origin) - radius);
    return dot(normal, x - origin);
  }
  Vec3<double> way_out(const Vec3<double>& x) const {
    if (!(radius > 0)) return normal;
    const Vec3<double> from = x - origin;
    return from * ((inside ? -1 : 1) / norm(from));
  }
};

struct RunRange;  // control/scope.hpp

struct Run {
  const Model<double>* model = nullptr;  ///< the robot that the law believes in
  const Model<double>* plant = nullptr;  ///< the true one: the same joints
  ReferenceFunction reference{};
  double start = 0, duration = 1;  ///< s
  Array<double> q0{}, v0{};        ///< where it starts

  double period = 0;              ///< s; 0: continuous control
  double delay = 0;               ///< s, from measuring to acting
  bool exact_measurement = true;  ///< no encoder steps, noise or differentiated positions
  bool measures_acceleration = false;

  Array<double> torque_limit{};  ///< n_v numbers, infinity where there is none
  Array<double> rate_limit{};    ///< N m / s; empty: none
  bool friction = true;          ///< the plant's joints have the friction of its model
  bool stops = false;            ///< the plant's joints have stops at their limits
  bool disturbance = false;      ///< torques that the law does not know of
  Array<RunSurface> surfaces{};

  /// What reference and start have, where it is known: run_range finds it once for a law.
  std::shared_ptr<const RunRange> range{};
};

/// Continuous control of the robot that the law believes in, from rest at the neutral
/// configuration, which is the reference; nothing is limited or disturbed. `model` outlives it.
Run ideal_run(const Model<double>& model);

}  // namespace torsor
