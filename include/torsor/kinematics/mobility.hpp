#pragma once
/// What a closed mechanism can do: degrees of freedom, redundant rows, actuation, singularities.
///
///   mobility   n_v - rank A                   motions qd = N s that the constraints allow
///   redundant  n_rows - rank A                rows that repeat what others say
///   preloads   actuators - rank N_a           ways to strain the robot without moving it
///   type II    N_a s = 0, s not 0             it moves though all actuators are locked
///   type I     J N s = 0, s not 0             actuators move and the output frame does not
///
/// All of it at one configuration that closes the loops. With fewer actuators than degrees of
/// freedom the robot is underactuated everywhere, which is no singularity.
///
/// Frames   J is the body Jacobian of the output frame; its rows are in m and rad, as they are.
/// Cost     O(m n^2); allocates: this is for looking at a robot, not for a control loop.
/// Source   Gosselin & Angeles 1990 (types I and II); Zlatanov, Fenton & Benhabib 1995.
#include "torsor/kinematics/assemble.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct Mobility {
  int n_v = 0, rows = 0, rank = 0;
  int degrees_of_freedom = 0;  ///< n_v - rank
  struct Part {
    std::string name, kind;
    int rows = 0, independent = 0;  ///< independent of the constraints before it
  };
  Array<Part> parts;

  int actuators = 0, controlled = 0;  ///< actuated velocities, and the rank of N_a
  double actuation = 0;               ///< smallest over largest singular value of N_a
  bool underactuated() const { return actuators < degrees_of_freedom; }
  bool type_ii() const { return !underactuated() && controlled < degrees_of_freedom; }
  int preloads() const { return actuators - controlled; }

  int output_rank = -1;  ///< of J N; -1: no output frame was given
  double output = 0;     ///< smallest over largest singular value of J N
  bool type_i() const { return output_rank >= 0 && output_rank < degrees_of_freedom; }
};

struct MobilityOptions {
  View<const char> actuated{};    ///< per velocity; empty: all
  const Frame* output = nullptr;  ///< for type I
  bool output_point = false;      ///< its origin alone: J has three rows
  double tolerance = 1e-8;        ///< of singular values and pivots, relative to the largest
};

/// At a configuration q that closes the loops.
Mobility mobility(const Model<double>& model, const ConstraintSet& set, View<const double> q,
                  const MobilityOptions& options = {});

/// What the rank of the constraints lacks at q beside closed configurations next to it (eight drawn
/// at a distance of 1e-3). Not zero: a singular closure, where the mechanism may go on in several
/// ways and an acceleration is one of infinitely many. Allocates.
int lost_rank(const Model<double>& model, const ConstraintSet& set, View<const double> q,
              double tolerance = 1e-8);

/// Velocities of joints that have an actuator in the description; all where no joint has one.
Array<char> actuated_velocities(const Model<double>& model);

/// One line for each constraint that repeats others: "loop "pin" (weld): 3 of its 6 rows ...".
std::vector<std::string> redundancy_messages(const Mobility& mobility);

}  // namespace torsor
