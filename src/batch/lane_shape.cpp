#include "lanes/lane_job.hpp"

namespace torsor::internal {

template <class Param>
LaneShape::LaneShape(const Model<Param>& model)
    : hinge_chain(model.n_v() > 0 && model.motors().empty()) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    hinge_chain =
        hinge_chain && model.joint_class(i) == JointClass::hinge && model.parent(i) == i - 1;
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int q, int) {
      if (kind == JointKind::spherical) quaternions.push_back(model.first_q(i) + q);
      if (kind == JointKind::free) quaternions.push_back(model.first_q(i) + q + 3);
    });
  }
  for (int k = 0; k < model.n_v(); ++k) rotors = rotors || model.dof(k).armature != Param(0);
}
template LaneShape::LaneShape(const Model<double>&);

}  // namespace torsor::internal
