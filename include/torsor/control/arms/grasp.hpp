#pragma once
/// One object held by several arms: where each hand holds it, and which share of it each arm
/// carries.
///
///   Model<double> arms = append(left, right, "base", ...);
///   Model<double> robot = hold_object(arms, "box", {3, {0.03, 0, 0}, ...},
///                                     {{"left_hand", {}, T_object_grasp_1},
///                                      {"right_hand", {}, T_object_grasp_2}});
///   HeldObject box(robot, "box", {0.35, 0.65});
///
/// In the model the object is a link fixed to the first hand; a weld closes the loop through each
/// further one, and its six multipliers are the wrench on the object in the grasp's frame on the
/// hand. An object with a joint of its own (free, planar) and a weld to every hand is read as well.
///
/// Partition   What the object weighs is given to the hands, arm i its fraction f_i of all ten
///             parameters, so that the arms become a forest of which each tree is an arm alone:
///               I_i  <-  I_i + f_i transported(T_i_object, I_object),   sum_i f_i = 1
///             While all arms move the object as one, kinetic and potential energy are those of the
///             closed chain Huo 2005, (3-148), (3-154). Huo 2005 prints the object's first moment
///             and
///             weight with f_i instead of f_i m; that arm would carry 1 kg.
/// Source      Huo 2005, sec. 3.13, (3-145) to (3-154) with (3-153) corrected.
#include "torsor/math/array.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// An arm that holds the object.
struct Grasp {
  std::string hand;             ///< link that carries the body
  int body = 0;                 ///< last of the arm
  SE3<double> T_body_object{};  ///< where it holds the object
  Array<int> dofs;              ///< of the arm, base to hand
  double fraction = 0;          ///< of the object's mass and inertia
  int loop = -1;                ///< first row among the model's loops; -1: held without a loop
};

struct HeldObject {
  std::string link;
  Frame frame;              ///< of the object, on the body that carries it
  Inertia<double> inertia;  ///< in the object's link frame
  Array<Grasp> grasps;

  /// Finds the grasps in the model: a hand to which the object is fixed, then welds in file order.
  /// Empty `fractions` are equal ones. Throws Error for an object with less than two grasps, arms
  /// that share joints, or fractions of another number or another sum than one.
  HeldObject(const Model<double>& model, const std::string& link, Array<double> fractions = {});

  int n_arms() const { return grasps.size(); }
  /// The object as arm k holds it: a frame of its last body.
  Frame frame_of_arm(int k) const;
  /// The forest: every arm with its share of the object. Loops stay in the description.
  Model<double> partitioned(const Model<double>& model) const;
};

}  // namespace torsor
