#pragma once
/// What a law's theorem assumes about the run, beside the inequalities of its gains.
///
/// A law states it once (ControlLaw::hypotheses); scope.hpp compares it with the run and makes a row
/// of each, which is "not covered" where the run is another one than the theorem's.
#include <vector>

#include "torsor/control/gain.hpp"

namespace torsor {

/// A gain K whose error e turns: K e is the gradient of 1/2 e^T K e only where K = k I on the three
/// rows of a rotation.
struct RotationGain {
  const char* name;
  Gain gain;
  int first = -1;  ///< of the three rows in a task; -1: a gain of the joints
};

struct Hypotheses {
  enum class Reference : unsigned char {
    none,      ///< the law reads none
    constant,  ///< a set point: the proof has qd_d = 0
    bounded    ///< any motion whose rates are bounded and belong to each other
  };
  enum class Knowledge : unsigned char {
    nothing,  ///< the proof holds for every robot
    gravity,  ///< the weight, G(q)
    exact,    ///< everything that moves and weighs
    stated    ///< within what the law states or estimates: rows of its own say so
  };
  enum class Friction : unsigned char {
    absent,       ///< the proof has none
    dissipative,  ///< whatever only takes energy and comes to zero at rest: no dry friction
    compensated,  ///< the law's own is the plant's
    stated,       ///< within what the law states or estimates: rows of its own say so
    any
  };
  enum class Surface : unsigned char {
    none,  ///< free motion
    any,   ///< contact with whatever
    rigid  ///< contact with a rigid surface without friction
  };

  Reference reference = Reference::bounded;
  Knowledge knowledge = Knowledge::exact;
  Friction friction = Friction::compensated;
  Surface surface = Surface::none;
  bool springs = true;       ///< the law knows the springs of joints
  bool link_springs = true;  ///< and the spring-dampers between links
  bool disturbance = false;  ///< the proof covers torques that the law does not know of
  bool loops = false;        ///< the proof covers robots with loops
  /// Velocities must be the rates of coordinates; else the gains of rotations must be k I.
  bool coordinate_rates = false;
  std::vector<RotationGain> rotation_gains{};
  /// Speeds that the inequalities of the law were evaluated for; empty: none are stated.
  Array<double> speed{};
  int held_states = 0;      ///< so many of x_c, the first ones, are estimates: slow beside the loop
  bool closes_loop = true;  ///< the torque depends on what is measured
};

}  // namespace torsor
