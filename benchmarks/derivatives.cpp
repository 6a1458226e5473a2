// Derivatives of dynamics at one state, in ns per call, beside a peer where one is built
// (peers/comparison.hpp):
//   cmake --preset native -DCMAKE_PREFIX_PATH=<where Pinocchio is> && cmake --build --preset native
//   build/native/benchmarks/derivatives [part of a line's name]
#include "peers/comparison.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

namespace torsor {
namespace {

void all_verbs(const char* robot, const std::string& asked) {
  Case c(robot);
  const Model<double>& model = c.model;
  const int n = model.n_v();
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  InverseDynamicsDerivativesWorkspace<double> inverse(model);
  ForwardDynamicsDerivativesWorkspace<double> forward(model);
  std::vector<double> third(at(n * n));
  const MatrixView<double> by_q = c.square(), by_qd = column_major(c.out.data() + n * n, n, n),
                           by_third = column_major(third.data(), n, n);

  // The peer fills the upper triangle of M as well, ours is shown without and with it.
  compare(
      c, "rigid_inverse_dynamics_derivatives", PeerVerb::inverse_dynamics_derivatives, 2 * n * n,
      [&](int k) {
        rigid_inverse_dynamics_derivatives(model, inverse, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {},
                                           by_q, by_qd);
      },
      asked);
  compare(
      c, "inverse_dynamics_derivatives_and_mass_matrix", PeerVerb::inverse_dynamics_derivatives,
      2 * n * n,
      [&](int k) {
        rigid_inverse_dynamics_derivatives(model, inverse, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {},
                                           by_q, by_qd, by_third);
      },
      asked);
  compare(
      c, "rigid_forward_dynamics_derivatives", PeerVerb::forward_dynamics_derivatives, 2 * n * n,
      [&](int k) {
        (void)rigid_forward_dynamics_derivatives(model, forward, c.q[at(k)], c.qd[at(k)],
                                                 c.x[at(k)], {}, {}, by_q, by_qd, by_third);
      },
      asked);
}

}  // namespace
}  // namespace torsor

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  torsor::print_heading();
  for (const char* robot : {"panda", "humanoid38", "chain:100"}) torsor::all_verbs(robot, asked);
}
