#include "torsor/dynamics/coriolis.hpp"

#include <memory>

#include "command.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Evaluator coriolis_evaluator(const Model<double>& model) {
  const auto workspace = std::make_shared<CoriolisWorkspace<double>>(model);
  return [&model, workspace](const State& s) -> std::vector<Quantity> {
    const int n = model.n_v();
    Array<double> C(n * n);
    coriolis_matrix(model, *workspace, s.q, s.qd, column_major(C.data(), n, n));
    return {square_matrix("C", model, C, {"N m s", "N s", "N s/m"})};
  };
}

Action add_coriolis(Arguments& app) {
  return add_state_verb(app, {.qd = true, .evaluator = coriolis_evaluator});
}

}  // namespace

extern const Verb coriolis;
const Verb coriolis{"coriolis", "Coriolis matrix C(q, qd), the one with Mdot - 2C skew",
                    "  torsor coriolis planar2r --q 0,1 --qd 1,-2\n", add_coriolis};

}  // namespace torsor::command
