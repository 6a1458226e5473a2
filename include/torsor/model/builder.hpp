#pragma once
/// Builds a robot in code.
///
///   ModelBuilder b("arm");
///   b.revolute("shoulder", "base", "upper").limits(-2, 2).friction({.viscous = 0.1});
///   b.revolute("elbow", "upper", "lower", {.p = {0.5, 0, 0}}, {0, 1, 0}).rotor(1e-4, 100);
///   b.inertia("upper", 2.0, {0.25, 0, 0}, {0.01, 0, 0.05, 0, 0, 0.05});
///   Model<double> model = b.build();
///
/// Links appear when they are first named by link() or a joint; the one without a parent is the
/// root. What belongs to a link or joint names one that is there already, so that a misspelt name
/// is an error at once. Everything else is checked by build(), with the messages that files get.
#include "torsor/model/model.hpp"

namespace torsor {

class ModelBuilder;

/// The joint that was added last, for its details. One argument stands for every degree of freedom;
/// with `dof` in front it is for that one (counted from 0).
class JointBuilder {
 public:
  JointBuilder& limits(double lower, double upper, double velocity = infinity,
                       double effort = infinity);
  JointBuilder& limits(const Limits& limits);
  JointBuilder& limits(int dof, const Limits& limits);
  JointBuilder& friction(const Friction& friction);
  JointBuilder& friction(int dof, const Friction& friction);
  /// Rotor inertia at the motor (kg m^2) and motor turns per joint turn.
  JointBuilder& rotor(double inertia, double gear_ratio = 1);
  JointBuilder& actuator(const Actuator& actuator);
  JointBuilder& actuator(int dof, const Actuator& actuator);
  JointBuilder& spring(double stiffness, double rest = 0);
  JointBuilder& spring(int dof, const JointSpring& spring);

 private:
  friend class ModelBuilder;
  JointBuilder(ModelBuilder& builder, std::size_t joint) : builder_(&builder), joint_(joint) {}
  template <class Entry>
  JointBuilder& set(std::vector<Entry> Joint::*entries, const Entry& entry);
  template <class Entry>
  JointBuilder& set(std::vector<Entry> Joint::*entries, int dof, const Entry& entry);

  ModelBuilder* builder_;
  std::size_t joint_;
};

class ModelBuilder {
 public:
  using Pose = SE3<double>;
  using Axis = Vec3<double>;

  explicit ModelBuilder(std::string name = "robot") { description_.name = std::move(name); }

  ModelBuilder& link(const std::string& name);
  /// Adds to what the link has; inertia matrix about the centre of mass, in the link's axes.
  ModelBuilder& inertia(const std::string& link, double mass, const Vec3<double>& com,
                        const Sym3<double>& about_com = {});
  ModelBuilder& geometry(const std::string& link, Geometry geometry);
  ModelBuilder& frame(const std::string& name, const std::string& link, const Pose& placement);
  ModelBuilder& gravity(const Vec3<double>& g);
  /// Pose of the root link in the world.
  ModelBuilder& base(const Pose& T_world_root);

  // Joints: `placement` is T_parent_joint; at the neutral configuration the child's frame is there.
  JointBuilder fixed(const std::string& name, const std::string& parent, const std::string& child,
                     const Pose& placement = {});
  JointBuilder revolute(const std::string& name, const std::string& parent,
                        const std::string& child, const Pose& placement = {},
                        const Axis& axis = {0, 0, 1});
  JointBuilder continuous(const std::string& name, const std::string& parent,
                          const std::string& child, const Pose& placement = {},
                          const Axis& axis = {0, 0, 1});
  JointBuilder prismatic(const std::string& name, const std::string& parent,
                         const std::string& child, const Pose& placement = {},
                         const Axis& axis = {0, 0, 1});
  /// Pitch in m/rad.
  JointBuilder helical(const std::string& name, const std::string& parent, const std::string& child,
                       double pitch, const Pose& placement = {}, const Axis& axis = {0, 0, 1});
  JointBuilder cylindrical(const std::string& name, const std::string& parent,
                           const std::string& child, const Pose& placement = {},
                           const Axis& axis = {0, 0, 1});
  JointBuilder universal(const std::string& name, const std::string& parent,
                         const std::string& child, const Pose& placement = {});
  JointBuilder planar(const std::string& name, const std::string& parent, const std::string& child,
                      const Pose& placement = {}, const Axis& normal = {0, 0, 1});
  JointBuilder translational(const std::string& name, const std::string& parent,
                             const std::string& child, const Pose& placement = {});
  JointBuilder spherical(const std::string& name, const std::string& parent,
                         const std::string& child, const Pose& placement = {});
  JointBuilder spherical_euler(const std::string& name, const std::string& parent,
                               const std::string& child, EulerOrder order,
                               const Pose& placement = {});
  JointBuilder free(const std::string& name, const std::string& parent, const std::string& child,
                    const Pose& placement = {});
  JointBuilder free_euler(const std::string& name, const std::string& parent,
                          const std::string& child, EulerOrder order, const Pose& placement = {});
  JointBuilder composite(const std::string& name, const std::string& parent,
                         const std::string& child, std::vector<JointPart> parts,
                         const Pose& placement = {});
  /// Any joint, as written.
  JointBuilder joint(Joint joint);

  ModelBuilder& loop(const LoopJoint& loop);
  /// sum of factor q(joint) = offset.
  ModelBuilder& coupling(const std::string& name, std::vector<Coupling::Term> terms,
                         double offset = 0);
  /// q(follower) = ratio q(leader) + offset.
  ModelBuilder& mimic(const std::string& follower, const std::string& leader, double ratio = 1,
                      double offset = 0);
  ModelBuilder& spring_damper(const SpringDamper& spring);
  /// A motor that turns with several joints.
  ModelBuilder& motor(const Motor& motor);

  const RobotDescription& description() const { return description_; }
  /// Throws Error with the element and the value at fault.
  Model<double> build() const { return Model<double>(description_); }

 private:
  friend class JointBuilder;
  Link& known_link(const std::string& name, const char* user);
  void need_joint(const std::string& name, const char* user) const;
  JointBuilder add(JointKind kind, const std::string& name, const std::string& parent,
                   const std::string& child, const Pose& placement, const Axis& axis = {0, 0, 1});

  RobotDescription description_;
};

}  // namespace torsor
