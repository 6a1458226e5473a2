#pragma once
/// Base parameters: the smallest set of combinations of inertial parameters that the motion of a robot
/// depends on, and how the others are regrouped into them.
///
///   tau = Y p = Y_kept b,   b = regrouping p       every b_k is one kept parameter plus multiples of others
///
/// A set of mass parameters may move from body i to its parent where no motion can tell: where its
/// energy on body i, for every joint state and every motion that the parent can have, is its energy on
/// the parent. With V_p the twist of the parent, T(q) the pose of body i in it and A(q) the matrix that
/// carries ten parameters from i to the parent, body i has the energy
///
///   [ y(V_p) A(q) + sum_a qd_a 2 y(S_a, X V_p) + sum_ab qd_a qd_b y(S_a, S_b) ] p_i,   X = Ad_inv(T(q))
///
/// so that those rows, less what q = 0 shows of the first, must vanish; the same holds for the rows of the
/// potential energy. From the base outwards the rows that a body can see are collected (spans of at
/// most ten rows: y of twists, twists, potentials); from the tips inwards the columns that those rows
/// tell apart are kept, and what they cannot tell apart moves on to the parent, or nowhere from a body
/// that hangs at the world. Every kept column is seen by its own joint, so the set is minimal.
///
/// Kinds    Trees of any joint kind, rotors; joints 1 ... i of a chain need not be in general position.
///          With loops and couplings the columns of the projected regressor are compared instead.
/// Frames   Link frames, as model/inertial_parameters.hpp.
/// Source   Gautier & Khalil 1990; Mayeda, Yoshida & Osuka 1990; Huo 2005, sec. 2.5 (D-21 to D-24);
///          the rows of energies in place of a classification of joints are ours.
#include <string>
#include <vector>

#include "torsor/identification/row_factor.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

struct BaseParameterOptions {
  bool rotors =
      false;  ///< rotor inertias are parameters, too: one for each velocity after the bodies' ten
  /// What counts as zero, relative to the robot's size: lengths, sines and cosines below it.
  double tolerance = 1e-8;
};

enum class ParameterRole : unsigned char {
  alone,       ///< is a base parameter as it is
  kept,        ///< stands for a base parameter with others regrouped into it
  regrouped,   ///< enters other base parameters
  ineffective  ///< no motion depends on it
};
const char* name_of(ParameterRole role);

struct BaseParameters {
  std::vector<std::string> names;  ///< of all parameters, N: "link.m", ..., "rotor.joint"
  Array<int> kept{};               ///< parameters that stand for the base parameters, ascending
  Matrix regrouping{};             ///< size() x N
  Array<ParameterRole> roles{};    ///< N

  int size() const { return kept.size(); }
  int n_parameters() const { return roles.size(); }
  /// b = regrouping p.
  Array<double> values(In<double> p) const;
  /// N parameters with the same torques: b where kept, zero elsewhere.
  Array<double> expanded(In<double> b) const;
  /// "link_1.zz + link_2.yy + 0.3 link_2.mz": of base parameter k.
  std::string formula(int k, int digits = 6) const;
};

/// All parameters of the options, in the order of BaseParameters::names.
Array<double> all_parameters(const Model<double>& model, const BaseParameterOptions& options = {});

/// By the recursion above for trees; with loops or couplings as numeric_base_parameters.
BaseParameters base_parameters(const Model<double>& model,
                               const BaseParameterOptions& options = {});

/// From the torque regressor at random states, by elimination of columns. `states` 0: as many as the
/// number of parameters asks for.
BaseParameters numeric_base_parameters(const Model<double>& model,
                                       const BaseParameterOptions& options = {}, int states = 0,
                                       unsigned seed = 1);

/// What given rows determine: those of a log, of some joints, of any columns (friction, offsets, springs).
///
///   R x = tau,  columns scaled to length one:  left_c = what the kept columns before it leave of column c
///
/// A column is kept where left_c > tolerance; else it is regrouped into kept ones, which then are what the
/// rows determine, and it is ineffective where it is zero (1e-13 of the longest). `order` says which
/// columns are asked first; of the others the one of which most is left comes next, so that an empty order
/// finds well-conditioned columns. R: the rows or their triangular factor; columns beyond the names (a
/// measured torque) are not looked at.
/// Throws Error for fewer columns than names, an order that names other columns, and numbers
/// that are not finite.
BaseParameters base_parameters_of(InMatrix<double> R, std::vector<std::string> names,
                                  In<int> order = {}, double tolerance = 1e-8);
BaseParameters base_parameters_of(const RowFactor& rows, std::vector<std::string> names,
                                  In<int> order = {}, double tolerance = 1e-8);

}  // namespace torsor
