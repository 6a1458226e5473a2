#include "torsor/identification/regressor.hpp"

#include <memory>

#include "command.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Evaluator regressor_evaluator(const Model<double>& model) {
  const auto workspace = std::make_shared<RegressorWorkspace<double>>(model);
  return [&model, workspace](const State& s) -> std::vector<Quantity> {
    const std::vector<std::string> names = parameter_names(model);
    const int n = model.n_v(), m = parameters_per_body * (model.n_bodies() - 1);
    Array<double> Y(n * m);
    torque_regressor(model, *workspace, s.q, s.qd, s.qdd, column_major(Y.data(), n, m));
    Quantity all = matrix_of_velocities("Y", model, names, Y);
    all.remark = "N m or N, per kg, kg m and kg m^2";
    return {all};
  };
}

Action add_regressor(Arguments& app) {
  return add_state_verb(app, {.qd = true, .qdd = true, .evaluator = regressor_evaluator});
}

}  // namespace

extern const Verb regressor;
const Verb regressor{
    "regressor", "torque regressor Y: tau = Y p of the rigid bodies",
    "  torsor regressor planar2r --q 0.5,-1 --qdd 1,0\n"
    "  torsor regressor panda --csv motion.csv -o Y.csv   # columns Y.<joint>.<parameter>\n"
    "\n"
    "Ten columns for each body: link.m, link.mx, ... (torsor info ROBOT --json lists them).\n",
    add_regressor};

}  // namespace torsor::command
