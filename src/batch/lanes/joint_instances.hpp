#pragma once
/// The joints of every kind in lanes, compiled once (joint_instances.cpp): each verb needs them, and
/// they take longer to compile than most.
#include "lane_memory.hpp"
#include "torsor/kinematics/internal/joint_slopes.hpp"
#include "torsor/model/internal/sweep.hpp"

namespace torsor {

#define TORSOR_LANE_JOINTS(Extern, Real)                                                         \
  Extern template JointMotion<internal::Lanes<Real>> joint_motion(const JointShape<Real>&,       \
                                                                  const internal::Lanes<Real>*); \
  Extern template JointMotion<Dual<internal::Lanes<Real>, 1>> joint_motion(                      \
      const JointShape<Real>&, const Dual<internal::Lanes<Real>, 1>*);                           \
  Extern template internal::JointColumns<internal::Lanes<Real>> joint_sdot(                      \
      const JointShape<Real>&, const internal::Lanes<Real>*, const internal::Lanes<Real>*);      \
  Extern template void internal::prepare_joint(                                                  \
      const Model<Real>&, internal::JointStates<internal::Lanes<Real>, internal::Heap>&, int,    \
      const internal::Lanes<Real>*, const internal::Lanes<Real>*);
#define TORSOR_LANE_SLOPES(Extern, Real)                                                   \
  Extern template void internal::joint_slopes(                                             \
      const JointShape<Real>&, const internal::Lanes<Real>*, const internal::Lanes<Real>*, \
      const internal::Lanes<Real>*, internal::JointSlopes<internal::Lanes<Real>>&);
TORSOR_LANE_JOINTS(extern, double)
TORSOR_LANE_JOINTS(extern, float)
TORSOR_LANE_SLOPES(extern, double)
TORSOR_LANE_SLOPES(extern, float)

}  // namespace torsor
