// torsor-bench-peers ROBOT: the libraries that were found when this was built, beside Torsor, for
// `torsor bench` to show. One line for each verb and library: verb, ns per call, Torsor's in
// the same run, by how much the results differ, library. The best instruction set counts.
#include "peers/comparison.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor {
namespace {

template <class Ours, class Show = AsTheyAre>
void line(Case& c, const char* name, PeerVerb verb, int size, Ours ours, Show show = {}) {
  const Times times = measure(c, name, verb, size, ours, show, 100);
  for (const Times::Library& library : times.libraries)
    std::printf("%s %.1f %.1f %.1e %s\n", name, library.ns, times.ours, times.difference,
                library.name.c_str());
}

void all_verbs(Case& c) {
  const Model<double>& model = c.model;
  const int n = model.n_v(), parameters = 10 * (model.n_bodies() - 1);
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  const Frame last{"last body", model.n_bodies() - 1, {}};
  const MatrixView<double> square = c.square(), second = column_major(c.out.data() + n * n, n, n);
  const Out<double> vector{c.out.data(), n};
  std::vector<double> third(at(n * n));

  KinematicsWorkspace<double> poses(model);
  line(
      c, "forward_kinematics", PeerVerb::forward_kinematics, 12 * (model.n_bodies() - 1),
      [&](int k) { forward_kinematics(model, poses, c.q[at(k)]); },
      [&] {
        double* out = c.out.data();
        for (int i = 1; i < model.n_bodies(); ++i, out += 12) {
          const SE3<double>& T = poses.T_world_body[at(i)];
          for (int r = 0; r < 3; ++r) {
            for (int column = 0; column < 3; ++column) out[3 * column + r] = T.R(r, column);
            out[9 + r] = T.p[r];
          }
        }
      });
  const MatrixView<double> J = column_major(c.out.data(), 6, n);
  line(c, "jacobian", PeerVerb::jacobian, 6 * n,
       [&](int k) { jacobian(model, poses, c.q[at(k)], last, Reference::body, J); });
  RneaWorkspace<double> rnea(model);
  line(c, "rigid_inverse_dynamics", PeerVerb::inverse_dynamics, n, [&](int k) {
    rigid_inverse_dynamics(model, rnea, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
  });
  AbaWorkspace<double> aba(model);
  line(c, "rigid_forward_dynamics", PeerVerb::forward_dynamics, n, [&](int k) {
    (void)rigid_forward_dynamics(model, aba, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {}, vector);
  });
  CrbaWorkspace<double> crba(model);
  line(c, "mass_matrix", PeerVerb::mass_matrix, n * n,
       [&](int k) { mass_matrix(model, crba, c.q[at(k)], square); });
  MinverseWorkspace<double> minverse(model);
  line(c, "mass_matrix_inverse", PeerVerb::mass_matrix_inverse, n * n,
       [&](int k) { (void)mass_matrix_inverse(model, minverse, c.q[at(k)], square); });
  CoriolisWorkspace<double> coriolis(model);
  line(c, "coriolis_matrix", PeerVerb::coriolis_matrix, n * n,
       [&](int k) { coriolis_matrix(model, coriolis, c.q[at(k)], c.qd[at(k)], square); });
  RegressorWorkspace<double> regressor(model);
  line(c, "torque_regressor", PeerVerb::torque_regressor, n * parameters, [&](int k) {
    torque_regressor(model, regressor, c.q[at(k)], c.qd[at(k)], c.x[at(k)],
                     column_major(c.out.data(), n, parameters));
  });
  InverseDynamicsDerivativesWorkspace<double> inverse(model);
  line(c, "rigid_inverse_dynamics_derivatives", PeerVerb::inverse_dynamics_derivatives, 2 * n * n,
       [&](int k) {
         rigid_inverse_dynamics_derivatives(model, inverse, c.q[at(k)], c.qd[at(k)], c.x[at(k)], {},
                                            square, second);
       });
  ForwardDynamicsDerivativesWorkspace<double> forward(model);
  line(c, "rigid_forward_dynamics_derivatives", PeerVerb::forward_dynamics_derivatives, 2 * n * n,
       [&](int k) {
         (void)rigid_forward_dynamics_derivatives(model, forward, c.q[at(k)], c.qd[at(k)],
                                                  c.x[at(k)], {}, {}, square, second,
                                                  column_major(third.data(), n, n));
       });
}

}  // namespace
}  // namespace torsor

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: torsor-bench-peers ROBOT\n");
    return 2;
  }
  try {
    torsor::Case c(argv[1]);
    torsor::all_verbs(c);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "torsor-bench-peers: %s\n", wrong.what());
    return 2;
  }
}
