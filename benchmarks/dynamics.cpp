// Dynamics of one state, in ns per call, beside a peer where one is built (peers/comparison.hpp):
//   cmake --preset native -DCMAKE_PREFIX_PATH=<where Pinocchio is> && cmake --build --preset native
//   build/native/benchmarks/dynamics [part of a line's name]
#include "peers/comparison.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/identification/regressor.hpp"

namespace torsor {
namespace {

void all_verbs(const char* robot, const std::string& asked) {
  Case c(robot);
  const Model<double>& model = c.model;
  const int n_v = model.n_v(), parameters = 10 * (model.n_bodies() - 1);
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  RneaWorkspace<double> rnea(model);
  AbaWorkspace<double> aba(model);
  DynamicsWorkspace<double> full(model);
  CrbaWorkspace<double> crba(model);
  MinverseWorkspace<double> minverse(model);
  CoriolisWorkspace<double> coriolis(model);
  RegressorWorkspace<double> regressor(model);
  const MatrixView<double> square = c.square();
  const Out<double> vector{c.out.data(), n_v};

  compare(
      c, "inverse_dynamics", PeerVerb::inverse_dynamics, n_v,
      [&](int k) {
        rigid_inverse_dynamics(model, rnea, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
      },
      asked);
  compare(
      c, "forward_dynamics", PeerVerb::forward_dynamics, n_v,
      [&](int k) {
        (void)rigid_forward_dynamics(model, aba, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
      },
      asked);
  // The full verbs: what they cost where the model has no effects.
  compare(
      c, "full/inverse_dynamics", PeerVerb::inverse_dynamics, n_v,
      [&](int k) {
        (void)inverse_dynamics(model, full, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
      },
      asked);
  compare(
      c, "full/forward_dynamics", PeerVerb::forward_dynamics, n_v,
      [&](int k) {
        (void)forward_dynamics(model, full, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
      },
      asked);
  compare(
      c, "mass_matrix", PeerVerb::mass_matrix, n_v * n_v,
      [&](int k) { mass_matrix(model, crba, c.q[at(k)], square); }, asked);
  compare(
      c, "mass_matrix_inverse", PeerVerb::mass_matrix_inverse, n_v * n_v,
      [&](int k) { (void)mass_matrix_inverse(model, minverse, c.q[at(k)], square); }, asked);
  compare(
      c, "coriolis_matrix", PeerVerb::coriolis_matrix, n_v * n_v,
      [&](int k) { coriolis_matrix(model, coriolis, c.q[at(k)], c.qd[at(k)], square); }, asked);
  compare(
      c, "torque_regressor", PeerVerb::torque_regressor, n_v * parameters,
      [&](int k) {
        torque_regressor(model, regressor, c.q[at(k)], c.qd[at(k)], c.x[at(k)],
                         column_major(c.out.data(), n_v, parameters));
      },
      asked);
}

/// Inverse and forward dynamics cost the same for every joint of a chain, however long.
void growth(const std::string& asked) {
  for (const char* robot : {"chain:10", "chain:30", "chain:300", "chain:1000"}) {
    Case c(robot, false);
    const auto at = [](int k) { return static_cast<std::size_t>(k); };
    RneaWorkspace<double> rnea(c.model);
    AbaWorkspace<double> aba(c.model);
    const Out<double> vector{c.out.data(), c.model.n_v()};
    compare(
        c, "growth/inverse_dynamics", PeerVerb::inverse_dynamics, c.model.n_v(),
        [&](int k) {
          rigid_inverse_dynamics(c.model, rnea, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
        },
        asked);
    compare(
        c, "growth/forward_dynamics", PeerVerb::forward_dynamics, c.model.n_v(),
        [&](int k) {
          (void)rigid_forward_dynamics(c.model, aba, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {},
                                       vector);
        },
        asked);
  }
}

}  // namespace
}  // namespace torsor

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  torsor::print_heading();
  for (const char* robot : {"panda", "humanoid38", "chain:100"}) torsor::all_verbs(robot, asked);
  torsor::growth(asked);
}
