#pragma once
/// The verbs that go state by state: robots with loops, and derivatives of what is not rigid.
#include <functional>
#include <optional>

#include "lanes/lane_job.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/internal/state_derivatives.hpp"

namespace torsor::internal {

/// Scratch of one thread, and the numbers of one state.
struct StateScratch {
  DynamicsWorkspace<double> dynamics;
  std::optional<StateDerivativesWorkspace> fast{};
  std::optional<DynamicsDerivativesWorkspace> derivatives{};  // of what that does not cover
  std::optional<ConstrainedParameterDerivatives> slopes{};    // along q, qd and tau
  Array<double> q{}, qd{}, third{}, answer;
  Array<Wrench<double>> F{};

  explicit StateScratch(const Model<double>& model);
  ~StateScratch();
};

/// Answers one state of the job, whose numbers are in the scratch; false: there is no answer. Throws
/// Error where the state leaves a loop open.
template <class Real>
using StateVerb = std::function<bool(StateScratch&, const LaneJob<Real>&, std::int64_t state)>;

template <class Real>
StateVerb<Real> inverse_dynamics_of_state(const Model<double>& model);
template <class Real>
StateVerb<Real> forward_dynamics_of_state(const Model<double>& model);
template <class Real>
StateVerb<Real> inverse_derivatives_of_state(const Model<double>& model);
template <class Real>
StateVerb<Real> forward_derivatives_of_state(const Model<double>& model);

}  // namespace torsor::internal
