// A four-bar linkage: built as a graph, closed, driven by its crank, and moved by a torque.
#include <cstdio>

#include "torsor/torsor.hpp"

int main() {
  using namespace torsor;

  // Every joint is a coordinate. The pin reaches the rocker a second time and closes the loop.
  ModelBuilder b("four_bar");
  b.gravity({0, -9.81, 0});
  b.revolute("crank", "ground", "crank_bar");
  b.revolute("coupler", "crank_bar", "coupler_bar", {.p = {0.1, 0, 0}});
  b.revolute("rocker", "ground", "rocker_bar", {.p = {0.25, 0, 0}});
  b.fixed("end", "rocker_bar", "rocker_tip", {.p = {0.2, 0, 0}});
  b.revolute("pin", "coupler_bar", "rocker_tip", {.p = {0.25, 0, 0}});
  b.inertia("crank_bar", 0.2, {0.05, 0, 0}, {1e-5, 0, 2e-4, 0, 0, 2e-4});
  b.inertia("coupler_bar", 0.5, {0.125, 0, 0}, {3e-5, 0, 3e-3, 0, 0, 3e-3});
  b.inertia("rocker_bar", 0.4, {0.1, 0, 0}, {2e-5, 0, 2e-3, 0, 0, 2e-3});
  const Model<double> model = b.build();
  const ConstraintSet loops(model);

  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.n_v());
  Eigen::VectorXd q = zero, qd = zero, qdd = zero, tau = zero, lambda(loops.n_rows());
  const int crank = model.joint_index("crank") - 1;

  // Close the loop from a rough guess, then move it with the crank at 2 rad/s.
  AssemblyWorkspace assembly(model, loops);
  q << 1, -0.5, 1, 1.5;
  const Assembly closed = assemble(model, loops, assembly, q);
  std::printf("%s\n", message(loops, closed).c_str());
  std::vector<char> moving(4, 1);
  moving[static_cast<std::size_t>(crank)] = 0;
  qd[crank] = 2;
  (void)project_velocity(model, loops, assembly, q, qd, moving);

  const Mobility freedom = mobility(model, loops, q);
  std::printf("%d degree of freedom, %d of %d rows redundant\n", freedom.degrees_of_freedom,
              freedom.rows - freedom.rank, freedom.rows);

  // Accelerations and constraint forces under a torque of 0.5 N m at the crank.
  ConstrainedWorkspace dynamics(model, loops);
  tau[crank] = 0.5;
  const ConstrainedResult result =
      constrained_forward_dynamics(model, dynamics, q, qd, tau, {}, qdd, lambda);
  if (!result) return 1;
  for (int k = 0; k < model.n_v(); ++k)
    std::printf("%-8s q %7.4f  qd %7.4f  qdd %8.4f\n", model.dof_name(k).c_str(), q[k], qd[k],
                qdd[k]);
  std::printf("force at the pin %.4f N\n", lambda.tail<3>().norm());
}
