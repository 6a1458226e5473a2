#include "state_verbs.hpp"

#include <algorithm>
#include <string>

#include "torsor/model/error.hpp"

namespace torsor::internal {

StateScratch::StateScratch(const Model<double>& model) : dynamics(model), answer(model.n_v()) {}
StateScratch::~StateScratch() = default;

namespace {

template <class Real>
void put(const double* from, const StatesView<Real>& to, std::int64_t s) {
  for (int k = 0; k < to.width; ++k) to(s, k) = static_cast<Real>(from[k]);
}

/// n_v columns of the derivatives from number `block` n_v on, by rows.
template <class Real>
void put_matrix(const StoredMatrix<double>& all, int block, const StatesView<Real>& to,
                std::int64_t s) {
  const int n = all.rows;
  const double* const from = all.data.data() + block * n * n;
  for (int r = 0; !to.empty() && r < n; ++r)
    for (int c = 0; c < n; ++c) to(s, r * n + c) = static_cast<Real>(from[c * n + r]);
}

template <class Real>
void put_matrices(const StoredMatrix<double>& all, int count, const LaneJob<Real>& job,
                  std::int64_t s) {
  const View<const StatesView<Real>> out = job.out;
  for (int k = 0; k < count; ++k) put_matrix(all, k, out[k], s);
}

bool answered(const Model<double>& model, const DynamicsResult<double>& result, std::int64_t s) {
  if (!result.loops) throw Error("q[" + std::to_string(s) + "]: " + message(model, result.loops));
  return static_cast<bool>(result);
}

void prepare(const Model<double>& model, StateScratch& scratch) {
  if (scratch.derivatives) return;
  scratch.fast.emplace(model);
  scratch.derivatives.emplace(model);
  scratch.slopes.emplace(model, scratch.derivatives->set, 3 * model.n_v());
}

std::vector<Parameter> along_state(const Model<double>& model, bool with_torque) {
  std::vector<Parameter> along;
  for (int k = 0; k < model.n_v(); ++k) along.push_back(Parameter::coordinate(model, k));
  for (int k = 0; k < model.n_v(); ++k) along.push_back(Parameter::velocity(model, k));
  for (int k = 0; k < model.n_v() && with_torque; ++k) along.push_back(Parameter::torque(model, k));
  return along;
}

/// n_v columns from number `block` n_v on.
OutMatrix<double> columns(StoredMatrix<double>& all, int block) {
  const int n = all.rows;
  return {all.data.data() + block * n * n, n, n, 1, n};
}

bool all_defined(const ConstrainedParameterDerivatives& d, std::size_t n) {
  return std::all_of(d.defined.begin(), d.defined.begin() + static_cast<std::ptrdiff_t>(n),
                     [](char x) { return x != 0; });
}

/// The verb of one state, whose answer goes to the first output.
template <class Real, class Verb>
StateVerb<Real> answer_of_state(const Model<double>& model, Verb verb) {
  return [&model, verb](StateScratch& x, const LaneJob<Real>& job, std::int64_t s) {
    const bool found =
        answered(model, verb(model, x.dynamics, x.q, x.qd, x.third, x.F, x.answer, job.effects), s);
    put(x.answer.data(), job.out[0], s);
    return found;
  };
}

}  // namespace

template <class Real>
StateVerb<Real> inverse_dynamics_of_state(const Model<double>& model) {
  return answer_of_state<Real>(model, [](auto&&... state) { return inverse_dynamics(state...); });
}

template <class Real>
StateVerb<Real> forward_dynamics_of_state(const Model<double>& model) {
  return answer_of_state<Real>(model, [](auto&&... state) { return forward_dynamics(state...); });
}

template <class Real>
StateVerb<Real> inverse_derivatives_of_state(const Model<double>& model) {
  return [&model, along = along_state(model, false)](StateScratch& x, const LaneJob<Real>& job,
                                                     std::int64_t s) {
    prepare(model, x);
    bool found = x.fast->covers;
    if (found)
      state_inverse_dynamics_derivatives(model, *x.fast, x.q, x.qd, x.third, x.F, x.answer,
                                         columns(x.slopes->dtau, 0), columns(x.slopes->dtau, 1),
                                         {});
    else
      found = answered(model,
                       inverse_dynamics_derivatives(model, *x.derivatives, along, x.q, x.qd,
                                                    x.third, x.F, x.answer, *x.slopes),
                       s) &&
              all_defined(*x.slopes, along.size());
    if (found) put_matrices(x.slopes->dtau, 2, job, s);
    return found;
  };
}

template <class Real>
StateVerb<Real> forward_derivatives_of_state(const Model<double>& model) {
  return [&model, along = along_state(model, true)](StateScratch& x, const LaneJob<Real>& job,
                                                    std::int64_t s) {
    prepare(model, x);
    const auto slope = [&](int block) { return columns(x.slopes->dqdd, block); };
    const bool found =
        x.fast->covers
            ? static_cast<bool>(state_forward_dynamics_derivatives(
                  model, *x.fast, x.q, x.qd, x.third, x.F, x.answer, slope(0), slope(1), slope(2)))
            : answered(model,
                       forward_dynamics_derivatives(model, *x.derivatives, along, x.q, x.qd,
                                                    x.third, x.F, x.answer, *x.slopes),
                       s) &&
                  all_defined(*x.slopes, along.size());
    if (found) put_matrices(x.slopes->dqdd, 3, job, s);
    return found;
  };
}

#define TORSOR_STATE_VERBS(Real)                                                     \
  template StateVerb<Real> inverse_dynamics_of_state<Real>(const Model<double>&);    \
  template StateVerb<Real> forward_dynamics_of_state<Real>(const Model<double>&);    \
  template StateVerb<Real> inverse_derivatives_of_state<Real>(const Model<double>&); \
  template StateVerb<Real> forward_derivatives_of_state<Real>(const Model<double>&);
TORSOR_STATE_VERBS(double)
TORSOR_STATE_VERBS(float)

}  // namespace torsor::internal
