#pragma once
/// Base parameters of a DH chain in closed form: joints are classified, and the inertial parameters that
/// no motion can tell apart move from link to link by formulas in lengths and angles.
///
///   class  joint      axes before it                                    kept of link i              count
///   T1     prismatic  two hinges that are not parallel                  MX MY MZ M                      4
///   T2     prismatic  hinges, all parallel, but not to it               MY - (mu/l) MX, MZ - (nu/l) MX, M   3
///   T3     prismatic  hinges, all parallel to it                        M                               1
///   T4     prismatic  no hinge                                          M                               1
///   R1     revolute   a hinge that is not parallel to it                XX - YY XY XZ YZ ZZ MX MY       7
///   R2     revolute   parallel hinges beside it or a slide across it    ZZ MX MY                        3
///   R3     revolute   only hinges on its own line and slides along it   ZZ                              1
///   R4     revolute   as R1, and all axes before it are hinges          XX - YY XY XZ + h MX
///                     that meet its own in one point                    YZ + h MY ZZ                    5
///
/// Gravity counts as a slide before joint 1, so that R4 is without gravity only. h: z of the point in frame i;
/// a first moment about a point that stays at rest has no effect. (l, mu, nu): direction of the hinges in frame i; with l = 0,
/// MX stays and MY goes. From i = n to 2 the rest of link i goes to link i-1 (a, alpha, d, theta of row i):
///
///   R1   D = YY + 2 d MZ + d^2 M,  E = MZ + d M:   xx += D   xy += a sa E   xz -= a ca E
///        yy += ca^2 D + a^2 M   yz += ca sa D   zz += sa^2 D + a^2 M
///        mx += a M   my -= sa E   mz += ca E   m += M
///   R4   as R1, MX and MY to nowhere
///   R2   as R1 with YY = MZ = 0; so R3, where the book leaves out the terms of a and d: they matter
///        where a slide's frame lies off the axis
///   T1   J += R J_i R^T; so T2      T3   zz, mx, my of link i alone      T4   nothing
///
/// Rotor    of a joint: joins ZZ where no hinge before it turns the link about its axis, M where nothing
///          else moves the link along the slide; else it is a base parameter of its own.
/// Frames   Modified: link i's frame is frame i of the table. Standard tables are written in modified
///          frames first (dh_to_mdh), which are the link frames of from_dh in both conventions.
/// Cost     O(n^2) sums of parameters.
/// Source   Huo 2005, sec. 2.5, theorems 2-1 and 2-2, corollary 2-1; Gautier & Khalil 1990. The row of R3 and the rotors of slides deviate as said, R4 is added.
#include "torsor/identification/base_parameters.hpp"
#include "torsor/model/dh.hpp"

namespace torsor {

enum class DhJointClass : unsigned char { T1, T2, T3, T4, R1, R2, R3, R4 };
const char* name_of(DhJointClass type);
/// How many parameters of its link a joint of this class keeps.
int kept_count(DhJointClass type);

/// By the axes of the table and the direction of its gravity. `tolerance`: sines, and distances relative
/// to the robot's size.
Array<DhJointClass> joint_classes(const DhTable& table, double tolerance = 1e-8);

/// Ten numbers for each link in its frame of the table (standard: frame i, not the link frame of
/// from_dh), and rotor inertias at the joints where asked for.
Array<double> table_parameters(const DhTable& table, const BaseParameterOptions& options = {});

/// The closed form in numbers. Names are those of from_dh's links and joints.
BaseParameters dh_base_parameters(const DhTable& table, const BaseParameterOptions& options = {});

/// A letter of the formulas and what it stands for: "a3", "ca2" = cos(alpha_2).
struct DhSymbol {
  std::string name, meaning;
  double value = 0;
};

/// Formulas in the letters of a DH table. Angles that are multiples of 90 degrees are numbers, and so are
/// lengths that are zero.
struct SymbolicBaseParameters {
  DhTable table{};                      ///< whose frames the parameters are written in
  BaseParameters base{};                ///< the same in numbers
  std::vector<std::string> names{};     ///< "ZZ1": of link 1, "Ia3": rotor of joint 3
  std::vector<std::string> formulas{};  ///< "zz1 + yy2 + a2^2 (m2 + m3)"
  std::vector<std::string> latex{};     ///< "zz_{1} + yy_{2} + a_{2}^{2} (m_{2} + m_{3})"
  std::vector<DhSymbol> symbols{};      ///< those that occur
};

/// The closed form in symbols. Throws Error where skew angles make formulas that
/// nobody could read (more than 20 000 terms).
SymbolicBaseParameters symbolic_base_parameters(const DhTable& table,
                                                const BaseParameterOptions& options = {});

/// Towards the hand, standard tables: from i = 2 to n what joint i cannot tell of link i-1 goes to link i.
///
///   revolute    YY, MZ, M go; XX - YY stays, six others as they are
///   prismatic   XX ... ZZ go; MX, MY, MZ, M stay
///
/// Link n keeps its ten unmixed: another payload changes these and nothing else. Not minimal:
/// 10 + 7 hinges + 4 slides (joint 1 not counted) exceeds the number of base parameters by 7 or more.
/// Frames   Frame i of the standard table. Parameters: table_parameters; rotors stay alone.
/// Source   Huo 2005, theorem 2-3 and corollary 2-2; lines that are lost in print are derived here.
BaseParameters handward_parameters(const DhTable& standard,
                                   const BaseParameterOptions& options = {});
SymbolicBaseParameters symbolic_handward_parameters(const DhTable& standard,
                                                    const BaseParameterOptions& options = {});

}  // namespace torsor
