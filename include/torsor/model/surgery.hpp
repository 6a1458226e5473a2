#pragma once
/// Changes of a robot: each function returns a new Model and does not touch the old one.
///
/// Loops, couplings and spring-dampers are kept where everything that they connect is kept, and removed
/// where nothing of it is; one that would be cut is refused with its name. Joint springs, friction and
/// motors of a joint go with the joint.
#include <string>
#include <vector>

#include "torsor/model/friction.hpp"

namespace torsor {

/// The named joints become fixed where the configuration q has them. A coupling with locked joints
/// keeps its others; one that is left with none must hold at q. A loop that ends up on one rigid body
/// must be closed at q, and is left out. All of q is checked like any configuration.
Model<double> lock_joints(const Model<double>& model, const std::vector<std::string>& joints,
                          In<double> q);

/// The chain of links from `from_link` down to `to_link`, with whatever is fixed to its bodies;
/// other branches are left out. `from_link` becomes the root, where it stands at the neutral
/// configuration. An empty `from_link` is the root; an empty `to_link` keeps all that is below.
Model<double> extract(const Model<double>& model, const std::string& from_link,
                      const std::string& to_link = "");

/// `other` fixed to a link or frame: on top of the robot, or beside it (`link` the root). `placement`
/// is the pose of other's root link in `link`; its own base pose and gravity are not used. Names of
/// `other` that are taken get `prefix` in front; an empty prefix stands for "<name of other>_".
Model<double> append(const Model<double>& model, const Model<double>& other,
                     const std::string& link, const SE3<double>& placement,
                     const std::string& prefix = "");

/// A joint of any kind with z as its axis between a new link "world" and the root, whose frame is
/// the body frame: free for a floating robot, planar for a cart. A name that is taken gets "_1",
/// "_2", ...
Model<double> with_base(const Model<double>& model, JointKind kind,
                        const std::string& name = "root_joint");
/// The root link elsewhere in the world.
Model<double> with_base(const Model<double>& model, const SE3<double>& T_world_root);

Model<double> add_frame(const Model<double>& model, const std::string& name,
                        const std::string& link, const SE3<double>& T_link_frame);

/// Links that are fixed to others become part of them: masses and inertias are added, shapes and
/// frames move along, and the links' names stay as frames. The robot moves as it did.
Model<double> merge_fixed(const Model<double>& model);

/// All lengths times `s` at the same density: masses times s^3, inertias s^5; positions, velocities and
/// accelerations of sliding joints times s. What belongs to motors stays: efforts, friction, rotors,
/// stiffness.
Model<double> scaled(const Model<double>& model, double s);

/// Every link, joint, frame, loop, spring and motor of that name, wherever it is mentioned.
Model<double> renamed(const Model<double>& model, const std::string& name,
                      const std::string& new_name);

/// A body fixed to a link, at `placement` in it: a new link with this name (or name_1, ...).
Model<double> attach_payload(const Model<double>& model, const std::string& link,
                             const Inertial& payload, const SE3<double>& placement = {},
                             const std::string& name = "payload");

/// A grasp: its frame in the link of the hand and in the object.
struct GraspPlace {
  std::string hand;
  SE3<double> T_hand_grasp{}, T_object_grasp{};
};
/// The arms with an object in their hands: a link fixed to the first hand, and a weld named
/// "<object>_grasp_2" and so on through each further one, whose multipliers are the wrench on the
/// object in the grasp's frame on the hand. The loops must be closed before the robot moves
/// (kinematics/assemble.hpp).
Model<double> hold_object(const Model<double>& arms, const std::string& object,
                          const Inertial& inertial, const std::vector<GraspPlace>& grasps);

Model<double> with_gravity(const Model<double>& model, const Vec3<double>& gravity);

/// With these effects of the robot's own alone. Of a description: loops in its joints are split
/// before they are left out.
Model<double> with_effects(const Model<double>& model, const Effects& effects);
RobotDescription with_effects(RobotDescription robot, const Effects& effects);
/// Without friction, damping and rotor inertia: rigid bodies, springs and disturbances stay.
inline Model<double> without_friction(const Model<double>& model) {
  return with_effects(model, {.rotors = false, .friction = false});
}

}  // namespace torsor
