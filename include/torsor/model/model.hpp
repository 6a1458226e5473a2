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
#include "torsor/model/coupled_motor.hpp"
#include "torsor/model/description.hpp"
#include "torsor/model/internal/canonical.hpp"
#include "torsor/model/internal/heap.hpp"

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

  template <class Other>
  Body<Other> cast() const {
    return {parent,
            last,
            depth,
            kind,
            motion,
            axis_code,
            q,
            v,
            placement.template cast<Other>(),
            turn.template cast<Other>(),
            inertia.template cast<Other>()};
  }
};

/// A named pose on a body.
struct Frame {
  std::string name;
  int body = 0;
  SE3<double> placement{};  ///< T_body_frame
};

namespace internal {

/// What models of one robot have in common, whatever the number type of their constants.
struct ModelText {
  int n_q_ = 0, n_v_ = 0;
  RobotDescription description_{};
  Array<Limits> limits_{};
  Array<std::string> joint_names_{}, body_names_{};
  Array<int> joint_of_body_{};  // index in description().joints
  std::vector<Frame> frames_{};
  std::vector<std::size_t> frames_by_name_{};  // indices of frames_
  Inertia<double> fixed_inertia_{};
  bool described_ = true;
};

}  // namespace internal

template <class Param = double>
class Model : private internal::ModelText {
 public:
  /// Checks and compiles a description. Throws Error with the origin, element and value at fault.
  /// Models of other number types come from cast().
  explicit Model(RobotDescription description) requires std::is_same_v<Param, double>;

  int n_bodies() const { return bodies_.size(); }
  int n_q() const { return n_q_; }
  int n_v() const { return n_v_; }
  const std::string& name() const { return description_.name; }
  const RobotDescription& description() const { return description_; }

  const Body<Param>& body(int i) const { return bodies_[i]; }
  const JointShape<Param>& joint(int i) const { return joints_[i]; }
  const internal::CanonicalBody<Param>& canonical(int i) const { return canonical_.bodies[i]; }
  const internal::CanonicalForm<Param>& canonical() const { return canonical_; }
  const DofConstants<Param>& dof(int k) const { return dofs_[k]; }
  /// Motors that turn with several joints, in the order of description().motors.
  const Array<CoupledMotor<Param>>& motors() const { return motors_; }
  const Limits& limits(int k) const { return limits_[k]; }
  const Vec3<Param>& gravity() const { return gravity_; }

  // What the sweeps ask (SweepModel in sweep_model.hpp), of the canonical form.
  int parent(int i) const { return canonical(i).parent; }
  int first_q(int i) const { return canonical(i).q; }
  int first_v(int i) const { return canonical(i).v; }
  int n_v(int i) const { return canonical(i).n_v; }
  bool branching(int i) const { return canonical(i).branching; }
  internal::JointClass joint_class(int i) const { return canonical(i).joint; }
  const SO3<Param>& link_axes(int i) const { return canonical_.R_link_canonical[i]; }
  const Param& offset(int k) const { return canonical_.offset[k]; }
  const Param* offsets() const { return canonical_.offset.data(); }
  template <class Function>
  TORSOR_INLINE void for_each_hinge(Function&& f) const {
    for (const int k : canonical_.hinge_q) f(k);
  }
  template <class Function>
  TORSOR_INLINE void for_each_not_hinge(Function&& f) const {
    for (const int i : canonical_.not_hinges) f(i);
  }

  const std::string& joint_name(int body) const { return joint_names_[body]; }
  const std::string& body_name(int body) const { return body_names_[body]; }
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
  Model with_inertias(Array<Inertia<double>> inertias, RobotDescription description,
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

  Array<Body<Param>> bodies_;
  Array<JointShape<Param>> joints_;
  internal::CanonicalForm<Param> canonical_;
  Array<DofConstants<Param>> dofs_;
  Array<CoupledMotor<Param>> motors_;
  Vec3<Param> gravity_{};

  struct Compiler;
};

extern template class Model<double>;

namespace internal {

/// The smallest rotation that takes z to the unit vector `axis` (about x for -z).
SO3<double> turn_to(const Vec3<double>& axis);

}  // namespace internal

template <class Param>
template <class Other>
Model<Other> Model<Param>::cast() const {
  const auto cast_all = [](const auto& from, auto& to) {
    for (const auto& x : from) to.push_back(x.template cast<Other>());
  };
  Model<Other> m;
  static_cast<internal::ModelText&>(m) = *this;
  cast_all(bodies_, m.bodies_);
  cast_all(joints_, m.joints_);
  cast_all(dofs_, m.dofs_);
  cast_all(motors_, m.motors_);
  m.canonical_ = canonical_.template cast<Other>();
  m.gravity_ = gravity_.template cast<Other>();
  return m;
}

}  // namespace torsor
