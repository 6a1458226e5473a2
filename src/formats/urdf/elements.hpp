#pragma once
/// What the URDF reader and writer share: names of the extension, its tables of attributes,
/// rotations as roll, pitch and yaw, the laws of a tree, and the collector of findings.
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rpy.hpp"
#include "torsor/formats/internal/file_error.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::internal::urdf {

inline constexpr const char* extension_urn = "urn:torsor:urdf:1";
inline constexpr const char* extension_prefix = "torsor:";
/// What stands in <limit> for "unlimited", for readers that need a number there.
inline constexpr double as_good_as_unlimited = 1e9;

/// An attribute and the number it sets.
template <class Item>
struct Field {
  const char* name;
  double Item::*member;
};
inline constexpr std::array limit_fields = {
    Field<Limits>{"lower", &Limits::lower},
    Field<Limits>{"upper", &Limits::upper},
    Field<Limits>{"effort", &Limits::effort},
    Field<Limits>{"velocity", &Limits::velocity},
    Field<Limits>{"acceleration", &Limits::acceleration},
    Field<Limits>{"jerk", &Limits::jerk},
};
inline constexpr std::array friction_fields = {
    Field<Friction>{"damping", &Friction::damping},
    Field<Friction>{"coulomb", &Friction::coulomb},
    Field<Friction>{"viscous", &Friction::viscous},
    Field<Friction>{"stiction", &Friction::stiction},
    Field<Friction>{"stribeck", &Friction::stribeck},
    Field<Friction>{"width", &Friction::width},
    Field<Friction>{"load", &Friction::load},
    Field<Friction>{"offset", &Friction::offset},
    Field<Friction>{"viscous_asymmetry", &Friction::viscous_asymmetry},
    Field<Friction>{"coulomb_asymmetry", &Friction::coulomb_asymmetry},
};
/// These are of either sign, those before are not.
inline constexpr std::size_t first_signed_friction = 7;
inline constexpr std::array actuator_fields = {
    Field<Actuator>{"rotor_inertia", &Actuator::rotor_inertia},
    Field<Actuator>{"gear_ratio", &Actuator::gear_ratio},
    Field<Actuator>{"motor_viscous", &Actuator::motor_viscous},
    Field<Actuator>{"torque_constant", &Actuator::torque_constant},
    Field<Actuator>{"disturbance", &Actuator::disturbance},
};
inline constexpr std::array spring_fields = {
    Field<JointSpring>{"stiffness", &JointSpring::stiffness},
    Field<JointSpring>{"rest", &JointSpring::rest},
};

/// Whether URDF has the kind, and the word by which a joint of it is written.
inline bool in_urdf(JointKind kind) {
  return with_kind(kind, [](auto type) { return type.in_urdf; });
}
inline const char* urdf_type(JointKind kind) {
  return with_kind(kind, [](auto type) { return type.urdf_type; });
}
/// Kinds that <limit> and <dynamics> of URDF can describe.
inline bool is_plain(JointKind kind) { return motion_class(kind) != JointMotionClass::general; }

/// The name a mimic's coupling has unless the file gives another.
inline std::string mimic_name(const std::string& joint) { return joint + "_mimic"; }

/// The same as rotation_xyz but for rounding: the sums that urdfdom and others write out.
SO3<double> rotation_of_rpy(const Vec3<double>& rpy);

/// Throws Error unless names are unique and known and the joints form one tree; returns its root.
std::string check_tree(const RobotDescription& robot);

/// Collects findings, refuses misspelt parts of the extension.
class Notes {
 public:
  /// With `errors`, what is refused is put there and reading goes on (torsor check).
  explicit Notes(Findings* findings, Findings* errors = nullptr)
      : findings_(findings), errors_(errors) {}

  /// Reads one part; see internal::attempt.
  template <class Part>
  void attempt(Part part) const {
    internal::attempt(errors_, part);
  }
  bool reads_on() const { return errors_ != nullptr; }
  /// Reads one part of which nothing is collected: what is refused is thrown.
  template <class Part>
  auto strictly(Part part) {
    struct Kept {
      Findings*& place;
      Findings* errors;
      ~Kept() { place = errors; }
    } const kept{errors_, std::exchange(errors_, nullptr)};
    return part();
  }

  /// What the findings from here on are about.
  Finding::Topic topic = Finding::Topic::motion;

  void add(Finding::Severity severity, const XmlElement& at, const std::string& message,
           std::string why = {}, std::string fix = {}, Finding::Kind kind = Finding::Kind::other);
  void add(Finding finding);
  /// A finding for each child and attribute that is not used, a warning where it changes results;
  /// an error for one of the extension. `foreign` children are known to be another program's.
  void check_names(const XmlElement& element, const std::vector<std::string>& children,
                   const std::vector<std::string>& attributes,
                   const std::vector<std::string>& foreign = {});
  /// A note about what is there for other programs; `subject` names it in one word.
  void not_used(const XmlElement& at, const std::string& what, const std::string& subject,
                const std::string& fix = "");
  /// The first child of that name, as other readers take it; a warning about a second one.
  XmlElement child(const XmlElement& element, const char* name);
  XmlElement required_child(const XmlElement& element, const char* name);

 private:
  void ignored(const XmlElement& at, const XmlElement& parent, const std::string& what,
               const std::string& name, const std::vector<std::string>& known);

  Findings *findings_, *errors_;
  int count_ = 0;
};

/// A coupling and its place among the couplings; rows without a number keep the order of the file.
struct CouplingRow {
  Coupling coupling;
  double row = 0;
  bool placed = false;
};

/// xyz, rpy and torsor:rotation of an <origin>; the identity for no element.
SE3<double> read_pose(const XmlElement& origin, Notes& notes,
                      const std::vector<std::string>& further_attributes = {});
/// As the file has it, of any length a number can have; zero is an error.
Vec3<double> read_axis(const XmlElement& axis, Notes& notes);

/// Colours of the materials known so far: those of <robot>, then those of the shapes read before.
using Materials = std::map<std::string, std::vector<double>>;
void read_material(const XmlElement& element, Notes& notes, Materials& materials);
Link read_link(const XmlElement& element, Notes& notes, Materials& materials);

Joint read_joint(const XmlElement& element, Notes& notes, std::vector<CouplingRow>& couplings);
/// An error for each number that has to be 0 or more and is not; it becomes 0.
void refuse_negative(Friction& friction, const XmlElement& element, Notes& notes);
/// torsor:gravity, torsor:loop and the other children of <robot>.
void read_extension(const XmlElement& element, Notes& notes, RobotDescription& robot,
                    std::vector<CouplingRow>& couplings);
/// RobotFormat::examine and RobotFormat::edit.
RobotDescription examine(const std::string& text, const std::string& file_name, Findings& findings);
std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted);

/// Warnings about links that move and have no mass.
void note_massless_links(const RobotDescription& robot, Notes& notes);

}  // namespace torsor::internal::urdf
