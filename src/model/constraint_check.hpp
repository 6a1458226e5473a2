#pragma once
/// Checks of what ties links and joints together besides the tree.
#include "torsor/model/description.hpp"

namespace torsor {

/// Loops, couplings, spring-dampers and joint springs. Throws Error with origin, element and value.
void check_constraints(const RobotDescription& robot);
/// Of a joint or motor; `further`: viscous friction that comes from elsewhere. `one`: it belongs to
/// a joint with one degree of freedom, which alone may have friction of the load.
void check_friction(const Friction& friction, double further, bool one, const Origin& origin,
                    const std::string& element);

}  // namespace torsor
