#pragma once
/// Pictures of a robot at a configuration, and the ellipsoids that are drawn with it.
///
///   write_text_file_atomically("arm.svg", draw_robot(model, q, {.frames = {"tool"}}));
///
/// The shapes are the visual ones of the robot's file (box, cylinder, sphere, capsule); where it has
/// none, or meshes alone, a skeleton is made up from axes, origins and masses, as on the pages of runs.
///
/// The picture is shaded by flat faces, painted from the far to the near: faces that pass through each
/// other may show in the wrong order. It is well-formed XML without scripts, style sheets or fonts of
/// its own, and names of the robot's file are escaped.
///
/// Frames   The world's z is up.
#include <string>
#include <vector>

#include "torsor/kinematics/singularity.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// The homogeneous ellipsoid of a body's mass and inertia: half axes a with J_x = m/5 (b^2 + c^2), ...
/// Radii are 0 where the inertia is no real body's. Axes in those of the inertia, about its centre.
Ellipsoid inertia_ellipsoid(const Inertia<double>& inertia);
/// { f : |J_v^T f| = 1 }: forces that torques of unit length hold, from the ellipsoid of velocities,
/// whose axes it has with the reciprocal radii; infinite where the velocity is 0.
Ellipsoid force_ellipsoid(const Ellipsoid& velocities);

struct DrawOptions {
  double azimuth = 0.6;     ///< rad, of the eye about the world's z, from x towards y
  double elevation = 0.35;  ///< rad, of the eye above the ground
  /// Of the eye from the robot's middle, in sizes of the robot; 0: parallel projection.
  double distance = 0;
  int width = 480, height = 480;      ///< pixels, 16 to 10000
  std::vector<std::string> frames{};  ///< drawn as axes: x red, y green, z blue
  bool shadow = true;                 ///< on the ground, straight below
};

/// The robot at q as an SVG. Throws Error for a configuration that is none of the robot's, an unknown
/// frame (with the nearest name) and options out of their bounds.
std::string draw_robot(const Model<double>& model, In<double> q, const DrawOptions& options = {});

}  // namespace torsor
