#pragma once
/// Parameters of geometry as twists at a cut through the chain, and what they do to a description.
/// Private to the room.
#include <string>
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

struct GeometryParameter {
  enum class Side : unsigned char {
    parent,  ///< exp(xi) placement, xi in the parent link's frame
    joint,   ///< placement exp(xi), xi in the joint frame
    link     ///< all on the child link by exp(xi), xi in its frame
  };
  std::string name;
  int joint = 0;  ///< of the description
  Side side = Side::joint;
  Twist<double> xi{};
  bool angle = false;
};

/// Throws Error for names that are no geometry of this robot. No parameter comes twice.
std::vector<GeometryParameter> geometry_parameters(const Model<double>& model,
                                                   const std::vector<std::string>& names);

void apply(const GeometryParameter& parameter, double amount, RobotDescription& robot);

/// Which links lie beyond a joint, by their places in the description.
Array<bool> links_beyond(const RobotDescription& robot, int joint);

}  // namespace torsor::internal
