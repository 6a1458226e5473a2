#include "torsor/identification/regressor.hpp"

#include "lane_loop.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void regressor(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  const Model<Real>& model = *job.model;
  const int columns = parameters_per_body * (model.n_bodies() - 1);
  for_all_lanes<RegressorWorkspace<P>>(job, [&](auto& s) {
    torque_regressor<Real, P>(model, s.ws, s.q, s.qd, s.third,
                              row_major(s.outputs(0), s.n(), columns));
  });
}

}  // namespace

void lanes_regressor(LaneJob<double>& job) { regressor(job); }
void lanes_regressor(LaneJob<float>& job) { regressor(job); }

}  // namespace torsor::internal
