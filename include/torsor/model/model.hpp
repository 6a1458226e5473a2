#pragma once
/// The robot, compiled once for the algorithms and never changed: threads share it freely.
///
/// Body 0 is the world; body i > 0 is one rigid body with everything fixed to it, carried by one moving
/// joint; parent(i) < i, depth first, children in file order. Two forms of the same robot are kept:
///   bodies()     the physical one, in the file's link frames, for all that reports about links;
///   canonical()  the one the sweeps run on (canonical.hpp): z along each axis, mass that lies on an axis
///                moved to the parent. Torques, accelerations, M, C, energies and momenta are the same.
///
/// Template parameter Param is the number type of the constants: double, float, or Dual.
#include <string>
#include <vector>

#include "torsor/math/view.hpp"
#include "torsor/model/canonical.hpp"
#include "torsor/model/description.hpp"
#include "torsor/model/joint.hpp"

namespace torsor {

/// One rigid body in its file frame: the frame of the link that its joint carries.
template <class Param>
struct Body {
  int parent = 0;
  int last = 0;   ///< bodies i to last are those that body i carries, itself the first of them
  int depth = 0;  ///< bodies from the base to this one; of body i it is i where none branches off
  JointKind kind = JointKind::fixed;
  JointMotionClass motion = JointMotionClass::general;
  int axis_code = 0;  ///< 1, 2, 3: the axis is x, y, z exactly; negative: minus that; 0: any other
  Dofs q, v;
  SE3<Param> placement{};    ///< T_parent_joint, from the parent body's frame
  SO3<Param> turn{};         ///< R_joint_turned: its z is the joint's axis
  Inertia<Param> inertia{};  ///< with all links fixed to it
};

/// Constants of one velocity coordinate, at the joint's side of the gear.
template <class Param>
struct DofConstants {
  Param viscous{}, coulomb{}, stiction{}, stribeck{}, width{};
  Param armature{};           ///< reflected rotor inertia
  Param stiffness{}, rest{};  ///< joint spring
  Param disturbance{};
};

/// A named pose on a body.
struct Frame {
  std::string name;
  int body = 0;
  SE3<double> placement{};  ///< T_body_frame
};

template <class Param = double>
class Model {
 public:
  /// Checks and compiles a description. Throws Error with the origin, element and value at fault.
  /// Models of other number types come from cast().
  explicit Model(RobotDescription description) requires std::is_same_v<Param, double>;

  int n_bodies() const { return static_cast<int>(bodies_.size()); }
  int n_q() const { return n_q_; }
  int n_v() const { return n_v_; }
  const std::string& name() const { return description_.name; }
  const RobotDescription& description() const { return description_; }

  const Body<Param>& body(int i) const { return bodies_[at(i)]; }
  const JointShape<Param>& joint(int i) const { return joints_[at(i)]; }
  const CanonicalBody<Param>& canonical(int i) const { return canonical_.bodies[at(i)]; }
  const CanonicalForm<Param>& canonical() const { return canonical_; }
  const DofConstants<Param>& dof(int k) const { return dofs_[at(k)]; }
  const Limits& limits(int k) const { return limits_[at(k)]; }
  const Vec3<Param>& gravity() const { return gravity_; }

  const std::string& joint_name(int body) const { return joint_names_[at(body)]; }
  const std::string& body_name(int body) const { return body_names_[at(body)]; }
  /// "joint" or, for a joint with several velocities, "joint.0", "joint.1", ...
  std::string dof_name(int k) const;
  std::string coordinate_name(int k) const;
  /// The joint description that carries body i > 0.
  const Joint& joint_description(int body) const;

  /// Links, further frames and joints (their child frame), in this order of precedence.
  const std::vector<Frame>& frames() const { return frames_; }
  /// Throws Error with the nearest name.
  const Frame& frame(const std::string& name) const;
  bool has_frame(const std::string& name) const;
  /// The body carried by the joint of that name; throws Error with the nearest name.
  int joint_index(const std::string& name) const;

  /// Mass and centre of mass of what is fixed to the world.
  const Inertia<double>& fixed_inertia() const { return fixed_inertia_; }

  /// The same robot with other inertias of its bodies ([0] is not used), as parameters.hpp needs it.
  /// `described`: whether `description` says the same.
  Model with_inertias(std::vector<Inertia<double>> inertias, RobotDescription description,
                      bool described) const requires std::is_same_v<Param, double>;
  /// False where bodies have inertial parameters that no mass, centre and inertia can state (base
  /// parameters): description() then holds other ones, and files and surgery refuse the model.
  bool is_described() const { return described_; }

  /// The same robot with constants of another number type.
  template <class Other>
  Model<Other> cast() const;

 private:
  template <class Other>
  friend class Model;
  Model() = default;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int n_q_ = 0, n_v_ = 0;
  RobotDescription description_;
  std::vector<Body<Param>> bodies_;
  std::vector<JointShape<Param>> joints_;
  CanonicalForm<Param> canonical_;
  std::vector<DofConstants<Param>> dofs_;
  std::vector<Limits> limits_;
  Vec3<Param> gravity_{};
  std::vector<std::string> joint_names_, body_names_;
  std::vector<int> joint_of_body_;  // index in description().joints
  std::vector<Frame> frames_;
  Inertia<double> fixed_inertia_{};
  bool described_ = true;

  struct Compiler;
};

extern template class Model<double>;

/// The smallest rotation that takes z to the unit vector `axis` (about x for -z).
SO3<double> turn_to(const Vec3<double>& axis);

template <class Param>
template <class Other>
Model<Other> Model<Param>::cast() const {
  Model<Other> m;
  m.n_q_ = n_q_;
  m.n_v_ = n_v_;
  m.description_ = description_;
  for (const Body<Param>& b : bodies_)
    m.bodies_.push_back({b.parent, b.last, b.depth, b.kind, b.motion, b.axis_code, b.q, b.v,
                         b.placement.template cast<Other>(), b.turn.template cast<Other>(),
                         b.inertia.template cast<Other>()});
  for (const JointShape<Param>& j : joints_) m.joints_.push_back(j.template cast<Other>());
  m.canonical_ = canonical_.template cast<Other>();
  for (const DofConstants<Param>& d : dofs_)
    m.dofs_.push_back({Other(d.viscous), Other(d.coulomb), Other(d.stiction), Other(d.stribeck),
                       Other(d.width), Other(d.armature), Other(d.stiffness), Other(d.rest),
                       Other(d.disturbance)});
  m.limits_ = limits_;
  m.gravity_ = gravity_.template cast<Other>();
  m.joint_names_ = joint_names_;
  m.body_names_ = body_names_;
  m.joint_of_body_ = joint_of_body_;
  m.frames_ = frames_;
  m.fixed_inertia_ = fixed_inertia_;
  m.described_ = described_;
  return m;
}

}  // namespace torsor
