#include "lane_loop.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor::internal {
namespace {

/// [R p; 0 1] by rows.
template <class P>
void put_pose(const SE3<P>& T, P* to) {
  for (int r = 0; r < 3; ++r) {
    to[4 * r] = T.R(r, 0), to[4 * r + 1] = T.R(r, 1), to[4 * r + 2] = T.R(r, 2);
    to[4 * r + 3] = T.p[r];
  }
  to[12] = to[13] = to[14] = P(0), to[15] = P(1);
}

template <class Real>
void pose(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<KinematicsWorkspace<P>>(job, [&](auto& state) {
    forward_kinematics(*job.model, state.ws, In<P>(state.q), job.frame->body);
    put_pose(frame_pose(state.ws, *job.frame), state.outputs(0));
  });
}
template <class Real>
void poses(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<KinematicsWorkspace<P>>(job, [&](auto& state) {
    forward_kinematics(*job.model, state.ws, In<P>(state.q));
    for (int i = 0; i < job.model->n_bodies(); ++i)
      put_pose(state.ws.T_world_body[i], state.outputs(16 * i));
  });
}
template <class Real>
void jacobian_of(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<KinematicsWorkspace<P>>(job, [&](auto& state) {
    jacobian<Real, P>(*job.model, state.ws, state.q, *job.frame, job.reference,
                      row_major(state.outputs(0), 6, state.n()));
  });
}

}  // namespace

void lanes_pose(LaneJob<double>& job) { pose(job); }
void lanes_pose(LaneJob<float>& job) { pose(job); }
void lanes_poses(LaneJob<double>& job) { poses(job); }
void lanes_poses(LaneJob<float>& job) { poses(job); }
void lanes_jacobian(LaneJob<double>& job) { jacobian_of(job); }
void lanes_jacobian(LaneJob<float>& job) { jacobian_of(job); }

}  // namespace torsor::internal
