#pragma once
/// Rotations as files say them: turns about the fixed axes x, then y, then z.
#include "torsor/math/se3.hpp"

namespace torsor::internal {

/// Rz(yaw) Ry(pitch) Rx(roll) of rpy = (roll, pitch, yaw), as products.
SO3<double> rotation_xyz(const Vec3<double>& rpy);
/// Angles whose rotation differs from R by rounding only, at any pitch.
Vec3<double> rpy_of(const SO3<double>& R);
/// True and the angles, with as few decimals as will do, if some give R to the last bit; otherwise those of
/// rpy_of.
bool exact_rpy(const SO3<double>& R, SO3<double> (*rotation_of)(const Vec3<double>&),
               Vec3<double>& rpy);

/// What somebody wrote, out of what sums and products of it have become: numbers and angles of up to 12
/// decimals, where they are no further away than `rounding`.
double tidied(double x, double rounding);
Vec3<double> tidied(const Vec3<double>& v, double rounding);
/// One that rotation_xyz gives.
SO3<double> tidied(const SO3<double>& R, double rounding);

}  // namespace torsor::internal
