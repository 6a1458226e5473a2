#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "text_output.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {
namespace {

double largest(const Vec3<double>& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}
double largest(const Sym3<double>& s) {
  return std::max(largest(Vec3<double>{s.xx, s.xy, s.yy}), largest(Vec3<double>{s.xz, s.yz, s.zz}));
}
double largest(const Inertia<double>& I) {
  return std::max({std::abs(I.m), largest(I.h), largest(I.J)});
}

/// Remembers the largest difference, in units of what is tolerated.
struct Worst {
  double tolerance, excess = 0;
  std::string what{};

  void see(double difference, double scale, const std::string& name) {
    const double size = difference / (tolerance * scale);
    if (size <= 1 || size <= excess) return;
    excess = size;
    what = name + " differs by " + number(difference);
  }
};

bool differs(const DofConstants<double>& a, const DofConstants<double>& b) {
  return a.viscous != b.viscous || a.coulomb != b.coulomb || a.stiction != b.stiction ||
         a.stribeck != b.stribeck || a.width != b.width || a.armature != b.armature ||
         a.offset != b.offset || a.viscous_asymmetry != b.viscous_asymmetry ||
         a.coulomb_asymmetry != b.coulomb_asymmetry || a.load != b.load;
}
bool differs(const CoupledMotor<double>& a, const CoupledMotor<double>& b) {
  return differs(a.constants, b.constants) || a.terms.size() != b.terms.size() ||
         !std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(),
                     [](const auto& s, const auto& t) { return s.v == t.v && s.ratio == t.ratio; });
}

std::string different_joints(const Model<double>& before, const Model<double>& after) {
  if (before.n_bodies() != after.n_bodies() || before.n_q() != after.n_q() ||
      before.n_v() != after.n_v())
    return "the number of joints differs";
  for (int i = 1; i < before.n_bodies(); ++i)
    if (before.joint_name(i) != after.joint_name(i) ||
        before.joint_description(i).kind != after.joint_description(i).kind)
      return "joint \"" + before.joint_name(i) + "\" became \"" + after.joint_name(i) + "\"";
  for (int k = 0; k < before.n_v(); ++k) {
    const Limits &a = before.limits(k), &b = after.limits(k);
    const DofConstants<double>&c = before.dof(k), &d = after.dof(k);
    if (a.lower != b.lower || a.upper != b.upper || a.velocity != b.velocity ||
        a.acceleration != b.acceleration || a.jerk != b.jerk || a.effort != b.effort)
      return "limits of joint \"" + before.dof_name(k) + "\" differ";
    if (c.stiffness != d.stiffness || c.rest != d.rest || c.disturbance != d.disturbance ||
        differs(c, d))
      return "friction, motor or spring of joint \"" + before.dof_name(k) + "\" differs";
  }
  if (before.motors().size() != after.motors().size())
    return "the number of motors that turn with several joints differs";
  for (int j = 0; j < before.motors().size(); ++j)
    if (differs(before.motors()[j], after.motors()[j]))
      return "motor \"" + View<const Motor>(before.description().motors)[j].name + "\" differs";
  return {};
}

}  // namespace

/// Of all bodies together, about the origin of the world.
static Inertia<double> total_inertia(const Model<double>& model,
                                     const KinematicsWorkspace<double>& poses) {
  Inertia<double> sum;
  for (int i = 1; i < model.n_bodies(); ++i)
    sum = sum +
          transported(frame_pose(poses, model.frame(model.body_name(i))), model.body(i).inertia);
  return sum;
}

std::string disagreement(const Model<double>& before, const Model<double>& after,
                         const std::vector<FrameOnLink>& link_frames, double tolerance,
                         bool exact) {
  if (before.n_q() != after.n_q() || before.n_v() != after.n_v())
    return "the number of coordinates differs";
  if (const std::string joints = exact ? different_joints(before, after) : ""; !joints.empty())
    return joints;
  Worst worst{tolerance};
  std::map<std::string, const FrameOnLink*> frame_of;
  for (const FrameOnLink& frame : link_frames) frame_of[frame.name] = &frame;

  for (int i = 1; exact && i < before.n_bodies(); ++i) {
    const FrameOnLink& at = *frame_of.at(before.body_name(i));
    const Inertia<double>& old = before.body(i).inertia;
    const Inertia<double> now = transported(inverse(at.placement), after.body(i).inertia);
    worst.see(largest(now - old), std::max(largest(old), 1e-300),
              "inertia of \"" + before.body_name(i) + "\"");
  }
  const Inertia<double>&old = before.fixed_inertia(), &now = after.fixed_inertia();
  if (exact) worst.see(largest(now - old), std::max(largest(old), 1e-300), "inertia of the base");

  Array<double> q(before.n_q());
  neutral(before, q);
  KinematicsWorkspace<double> old_poses(before), new_poses(after);
  for (std::uint64_t seed = 0; seed <= 3; ++seed) {
    if (seed > 0) random_configuration(before, seed, q);
    forward_kinematics(before, old_poses, q);
    forward_kinematics(after, new_poses, q);
    double size = 1;
    for (const Frame& f : before.frames())
      size = std::max(size, largest(frame_pose(old_poses, f).p));
    for (const FrameOnLink& at : link_frames) {
      const SE3<double> a = frame_pose(old_poses, before.frame(at.name));
      const SE3<double> b = frame_pose(new_poses, after.frame(at.link)) * at.placement;
      worst.see(largest(a.p - b.p), size, "position of link \"" + at.name + "\"");
      for (int c = 0; c < 3; ++c)
        worst.see(largest(a.R[c] - b.R[c]), 1, "orientation of link \"" + at.name + "\"");
    }
    const CentreOfMass<double> a = centre_of_mass(before, old_poses),
                               b = centre_of_mass(after, new_poses);
    const Inertia<double> I = total_inertia(before, old_poses);
    worst.see(largest(I - total_inertia(after, new_poses)), std::max(largest(I), 1e-300),
              "inertia of the robot");
    worst.see(std::abs(a.mass - b.mass), std::max(a.mass, 1e-300), "mass");
    worst.see(largest(a.position - b.position), size, "centre of mass");
  }
  return worst.what;
}

}  // namespace torsor::command
