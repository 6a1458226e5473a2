#pragma once
/// Joints as MJCF has them: hinges, slides and balls, one after the other.
#include <string>
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor::internal::mjcf {

/// One of them. Axis and point are in the frame of the body that it moves, as the file is drawn.
struct Step {
  enum class Type : unsigned char { hinge, slide, ball, free };
  Type type = Type::hinge;
  Vec3<double> axis{0, 0, 1}, pos{};
  const Joint* joint = nullptr;
  std::size_t dof = 0;  ///< the first velocity of the joint that it is
  std::string name{};
};

/// How a body hangs on its parent.
struct Chain {
  SE3<double> T{};  ///< T_parent_body
  std::vector<Step> steps;

  /// All so far, seen from a body that is moved by T.
  void move(const SE3<double>& T_next);
  /// Whether that keeps their coordinates: balls and free joints are tied to their frame.
  bool may_move(const SE3<double>& T_next) const;
  std::size_t dofs() const;
};

/// False for a kind that MJCF does not have. `free_allowed`: the parent is the world.
bool add_steps(const Joint& joint, bool free_allowed, Chain& chain);
/// The first coordinate of the joint that the step is.
std::size_t coordinate_of(const Step& step);
/// Whether the velocities of the written joint are others, though its coordinates are the same.
bool changes_velocities(const Joint& joint, bool free_allowed);

}  // namespace torsor::internal::mjcf
