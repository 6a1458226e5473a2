#include "torsor/control/run.hpp"

namespace torsor {

Run ideal_run(const Model<double>& model) {
  Run run{.model = &model, .plant = &model};
  run.q0.resize(model.n_q());
  run.v0.resize(model.n_v());
  neutral(model, Out<double>(run.q0));
  run.reference = hold(run.q0, model.n_v());
  run.torque_limit.assign(model.n_v(), infinity);
  return run;
}

}  // namespace torsor
