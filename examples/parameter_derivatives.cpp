// How the torque at rest depends on a mass, a length and gravity, and how a fall does.
#include <cstdio>

#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/parameter_name.hpp"
#include "torsor/sim/sensitivity.hpp"

using namespace torsor;

int main() {
  const Model<double> model = load_robot("planar2r");
  const std::vector<Parameter> parameters =
      parse_parameters(model, "q.joint_1,link_2.mass,mdh.2.a,gravity.y");
  const std::vector<double> q = {0.5, -1}, zero = {0, 0};
  const int n = model.n_v(), m = static_cast<int>(parameters.size());

  ParameterWorkspace<double> ws(model);
  std::vector<double> tau(2), dtau(static_cast<std::size_t>(n * m));
  tree_inverse_dynamics_derivatives(model, ws, parameters, q, zero, zero, {}, tau,
                                    column_major(dtau.data(), n, m));
  std::printf("tau at rest: %.4f %.4f N m\n", tau[0], tau[1]);
  for (int k = 0; k < m; ++k)
    std::printf("  d tau / d %-22s %9.4f %9.4f\n",
                parameters[static_cast<std::size_t>(k)].name.c_str(),
                dtau[static_cast<std::size_t>(n * k)], dtau[static_cast<std::size_t>(n * k + 1)]);

  SensitivityOptions options;
  options.q0 = q;
  options.duration = 0.5;
  const SensitivityRecord fall = motion_sensitivity(model, parameters, {}, options);
  if (!fall) return 1;
  std::printf("q after %.1f s of falling: %.4f %.4f rad\n", fall.t.back(), fall.q.back()[0],
              fall.q.back()[1]);
  for (std::size_t k = 0; k < parameters.size(); ++k)
    std::printf("  d q / d %-24s %9.4f %9.4f\n", parameters[k].name.c_str(), fall.dq.back()[2 * k],
                fall.dq.back()[2 * k + 1]);
}
