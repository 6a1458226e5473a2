#pragma once
/// What is unknown of a robot: the parameters in which its torque is linear, chosen or named.
///
///   tau = W(q, qd, qdd) x + what is not asked for               identification/column_regressor.hpp
///
///   ParameterColumns all(arm);                                  bodies, rotors, friction
///   ParameterColumns some(arm, {"forearm", "friction.elbow", "elbow.load", "spring_damper.strut"});
///
/// Names    LINK.m mx my mz xx xy yy xz yz zz    of a body in its link's frame, with what is fixed to it;
///                                               of a link fixed to a body in its own frame (a payload)
///          rotor.JOINT                          reflected inertia, kg m^2 at the joint
///          JOINT.viscous  .coulomb  .stiction  .offset  .viscous_asymmetry  .coulomb_asymmetry
///          JOINT.load                           of joints with one degree of freedom
///          spring.JOINT.stiffness               the spring's rest is the model's
///          spring_damper.NAME.stiffness  .preload  .damping
///          motor.NAME.rotor  .viscous ... .coulomb_asymmetry      of motors that move several joints
/// Groups   LINK: the ten.  friction.JOINT: viscous, coulomb, offset, and stiction where the joint has a
///          Stribeck velocity.  motor.NAME: the same and its rotor.  spring.JOINT, spring_damper.NAME:
///          theirs.  rotor, friction, spring, spring_damper, motor: of all.  JOINT of one degree of
///          freedom of several is joint.0; the joint's name alone means all of them.
///
/// What a column needs besides (Stribeck velocity, width of the smooth sign, rest) is the model's. A
/// Coulomb column is sgn(v) (1 - exp(-(v / stribeck)^2)) beside one of stiction, or where the file has
/// a stiction of its own; else sgn(v).
///
/// W values(model) is the torque of the model's part that is linear in the columns, with the torques that
/// the model's joints transmit as load. Where links fixed
/// to a body are asked for besides the body, the body's values are what they leave of it.
#include <initializer_list>
#include <string>
#include <vector>

#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

struct ColumnChoice {
  bool inertial = true;  ///< ten per body
  bool rotors = true;    ///< of joints
  bool viscous = true, coulomb = true, offset = true;
  bool asymmetry = false;       ///< of viscous and Coulomb friction
  bool stiction = false;        ///< of joints with a Stribeck velocity
  bool load = false;            ///< friction of the load
  bool springs = false;         ///< of joints
  bool spring_dampers = false;  ///< between links
  bool motors =
      true;  ///< that move several joints: rotor, viscous, coulomb, offset; others as above
};

namespace internal {

enum class ColumnKind : unsigned char {
  inertial,
  rotor,
  viscous,
  coulomb,
  stiction,
  offset,
  viscous_asymmetry,
  coulomb_asymmetry,
  load,
  spring,
  spring_damper_stiffness,
  spring_damper_preload,
  spring_damper_damping
};

/// One column: `of` is a link of ColumnPlan, a velocity, a spring-damper or a motor.
struct ColumnTerm {
  ColumnKind kind = ColumnKind::inertial;
  int of = 0, column = 0;
  int entry = 0;          ///< inertial: 0 ... 9; spring: its coordinate
  bool decays = false;    ///< coulomb: less what stiction takes
  bool of_motor = false;  ///< rotor and friction of a motor of several joints
};
/// A link whose ten parameters columns belong to.
struct ColumnLink {
  int body = 0;
  bool carries = true;  ///< it is the body's own; else fixed to it at `placement`
  SE3<double> placement{};
  std::string name{};
  int first = 0, end = 0;  ///< of `inertial` in ColumnPlan
  bool complete = false;   ///< all ten, in order, in neighbouring columns
};
/// The columns in the order of the work.
struct ColumnPlan {
  Array<ColumnLink> links{};
  Array<ColumnTerm> inertial{};        ///< link by link
  Array<ColumnTerm> of_joints{};       ///< rotors, friction, springs
  Array<ColumnTerm> spring_dampers{};  ///< spring by spring
  Array<ColumnTerm> of_motors{};       ///< motor by motor
  Array<CoupledMotor<double>> motors{};
};

}  // namespace internal

class ParameterColumns {
 public:
  ParameterColumns() = default;
  explicit ParameterColumns(const Model<double>& model, const ColumnChoice& choice = {});
  /// Throws Error for a name that is no parameter of the robot (with the nearest one), one that is
  /// said twice, one in which the torque is not linear, and a link that is fixed to the world.
  ParameterColumns(const Model<double>& model, const std::vector<std::string>& names);
  ParameterColumns(const Model<double>& model, std::initializer_list<std::string> names)
      : ParameterColumns(model, std::vector<std::string>(names)) {}

  int size() const { return names_.size(); }
  const std::string& name(int k) const { return names_[k]; }
  const Array<std::string>& names() const { return names_; }
  const std::string& unit(int k) const { return units_[k]; }
  /// The column of that name, or -1.
  int find(const std::string& name) const;

  /// The model's own numbers. `model` has the joints of the one that the columns were made for.
  Array<double> values(const Model<double>& model) const;

  /// Whether velocity v can have a torque in column k at all.
  bool acts(int v, int k) const { return acts_[v * size() + k] != 0; }
  bool has_load() const { return has_load_; }
  int n_v() const { return n_v_; }

  const internal::ColumnPlan& plan() const { return plan_; }

 private:
  void compile(const Model<double>& model, const std::vector<internal::ColumnTerm>& terms);
  void mark(const Model<double>& model);

  int n_v_ = 0;
  bool has_load_ = false;
  Array<std::string> names_{}, units_{};
  Array<char> acts_{};
  internal::ColumnPlan plan_{};
};

}  // namespace torsor
