#include <memory>

#include "command.hpp"
#include "states.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor::command {
namespace {

Evaluator mass_evaluator(const Model<double>& model) {
  const auto workspace = std::make_shared<CrbaWorkspace<double>>(model);
  return [&model, workspace](const State& s) -> std::vector<Quantity> {
    const int n = model.n_v();
    Array<double> M(n * n);
    mass_matrix(model, *workspace, s.q, column_major(M.data(), n, n));
    return {square_matrix("M", model, M, {"kg m^2", "kg m", "kg"})};
  };
}

Action add_mass(Arguments& app) { return add_state_verb(app, {.evaluator = mass_evaluator}); }

}  // namespace

extern const Verb mass;
const Verb mass{"mass", "mass matrix M(q), with rotor inertias on its diagonal",
                "  torsor mass planar2r --q 0,90 --deg\n"
                "  torsor mass panda --csv states.csv -o M.csv   # columns M.<joint>.<joint>\n",
                add_mass};

}  // namespace torsor::command
