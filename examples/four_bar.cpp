// A four-bar linkage: built as a graph, closed, driven by its crank, and moved by a torque.
#include <cstdio>

#include "torsor/model/builder.hpp"
#include "torsor/robot.hpp"

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
  Robot robot(b.build());

  // Close the loop from a rough guess, then move it with the crank at 2 rad/s.
  Eigen::VectorXd q(4), qd = Eigen::VectorXd::Zero(4), tau = Eigen::VectorXd::Zero(4);
  q << 1, -0.5, 1, 1.5;
  const auto closed = robot.assemble(q);
  std::printf("%s\n", closed.message.c_str());
  if (!closed) return 1;
  const int crank = robot.joint("crank").v().first;
  qd[crank] = 2;
  qd = robot.project_velocity(closed.q, qd, {"coupler", "rocker", "pin"}).rates;

  const Mobility freedom = robot.mobility(closed.q);
  std::printf("%d degree of freedom, %d of %d rows redundant\n", freedom.degrees_of_freedom,
              freedom.rows - freedom.rank, freedom.rows);

  // Accelerations and constraint forces under a torque of 0.5 N m at the crank.
  tau[crank] = 0.5;
  const auto moves = robot.forward_dynamics(closed.q, qd, tau);
  if (!moves) return 1;
  for (const JointHandle& joint : robot.joints()) {
    const int k = joint.v().first;
    std::printf("%-8s q %7.4f  qd %7.4f  qdd %8.4f\n", joint.name().c_str(), closed.q[k], qd[k],
                moves.qdd[k]);
  }
  std::printf("force at the pin %.4f N\n", moves.lambda.tail<3>().norm());
}
