#pragma once
/// The loop over states, a register of them at a time, and what all verbs share: inputs in lanes,
/// their check, outputs.
///
/// Check    The sum of the squares of all inputs says whether one of them can be infinite, NaN or too
///          large an angle: one multiply-add for each number. Of a chain's torques or accelerations one says
///          it too, since all inputs have gone into it and too large an angle has a NaN for its sine. Where it
///          does, and where a quaternion is off unit norm, the caller looks closely. Quaternions are normalised,
///          as check_configuration does.
#include "joint_instances.hpp"
#include "lane_job.hpp"
#include "lane_memory.hpp"

namespace torsor::internal {

/// Inputs and outputs of one register of states.
template <class Real>
struct LaneBuffers {
  using P = Lanes<Real>;

  LaneArray<Real> q, qd, third, F_ext, parameters, out;
  Array<Wrench<P>> F;

  /// Whether the verb takes q, qd and the third input from `from` alone and gives its outputs to `to`: then
  /// these are the caller's arrays where those are by number, and q, qd, third and out are not filled.
  bool in_place = false;
  std::array<LaneIn<Real>, 3> from{};
  std::array<LaneOut<Real>, 3> to{};

  /// A number of the first output that is finite only where all inputs are: then it is looked at instead of
  /// them. -1: there is none.
  int witness = -1;

  MaskOf<P> answered{};  ///< where a call says that some lanes have no answer: those that do

  explicit LaneBuffers(const Model<Real>& model)
      : q(model.n_q(), P(0)), qd(model.n_v(), P(0)), third(model.n_v(), P(0)) {}

  int n() const { return qd.size(); }
  P* outputs(int k) { return out.data() + k; }
  /// An n_v x n_v matrix at `offset` of the outputs, by rows.
  MatrixView<P> matrix(int offset) { return row_major(outputs(offset), n(), n()); }
};

/// With the workspace of a verb.
template <class Real, class Workspace>
struct LaneState : LaneBuffers<Real> {
  Workspace ws;

  template <class... Arguments>
  explicit LaneState(const Model<Real>& model, const Arguments&... arguments)
      : LaneBuffers<Real>(model), ws(model, arguments...) {}
};

/// call(context, buffers) fills the outputs and returns whether all lanes have an answer.
template <class Real>
using LaneCall = bool (*)(void* context, LaneBuffers<Real>& buffers);

/// Answers all states of the job. The outputs of a call go to those of the job, one after the other.
template <class Real>
void lane_loop(LaneJob<Real>& job, LaneBuffers<Real>& buffers, LaneCall<Real> call, void* context);
extern template void lane_loop(LaneJob<double>&, LaneBuffers<double>&, LaneCall<double>, void*);
extern template void lane_loop(LaneJob<float>&, LaneBuffers<float>&, LaneCall<float>, void*);

/// The same with any function call(state), which may answer all lanes and return nothing.
template <class Real, class State, class Call>
void for_all_lanes(LaneJob<Real>& job, State& state, Call call) {
  const LaneCall<Real> plain = [](void* context, LaneBuffers<Real>& buffers) -> bool {
    Call& f = *static_cast<Call*>(context);
    if constexpr (std::is_void_v<decltype(f(static_cast<State&>(buffers)))>) {
      f(static_cast<State&>(buffers));
      return true;
    } else {
      const MaskOf<Lanes<Real>> answered = f(static_cast<State&>(buffers));
      if (all(answered)) return true;
      buffers.answered = answered;
      return false;
    }
  };
  lane_loop<Real>(job, state, plain, &call);
}

/// As above, with a workspace that is made of the model.
template <class Workspace, class Real, class Call>
void for_all_lanes(LaneJob<Real>& job, bool in_place, Call call) {
  using State = LaneState<Real, Workspace>;
  State& state = job.scratch->template get<State>(*job.model);
  state.in_place = in_place;
  for_all_lanes(job, state, call);
}
template <class Workspace, class Real, class Call>
void for_all_lanes(LaneJob<Real>& job, Call call) {
  for_all_lanes<Workspace>(job, false, call);
}

}  // namespace torsor::internal
