// Kinematics of one state, in ns per call, beside a peer where one is built (peers/comparison.hpp):
//   cmake --preset native -DCMAKE_PREFIX_PATH=<where Pinocchio is> && cmake --build --preset native
//   build/native/benchmarks/kinematics [part of a line's name]
// Numeric and analytic inverse kinematics have programs of their own, with their rates of success.
#include "peers/comparison.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/kinematics/singularity.hpp"

namespace torsor {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }
Frame last_body(const Model<double>& model) { return {"last body", model.n_bodies() - 1, {}}; }

void poses(Case& c, const std::string& asked) {
  KinematicsWorkspace<double> ws(c.model);
  compare(
      c, "forward_kinematics", PeerVerb::forward_kinematics, 12 * (c.model.n_bodies() - 1),
      [&](int k) { forward_kinematics(c.model, ws, c.q[at(k)]); }, asked,
      [&] {
        double* out = c.out.data();
        for (int i = 1; i < c.model.n_bodies(); ++i, out += 12) {
          const SE3<double>& T = ws.T_world_body[at(i)];
          for (int r = 0; r < 3; ++r) {
            for (int col = 0; col < 3; ++col) out[3 * col + r] = T.R(r, col);
            out[9 + r] = T.p[r];
          }
        }
      });
}

/// Of the last body, in its frame, forward kinematics included.
void jacobians(Case& c, const std::string& asked) {
  KinematicsWorkspace<double> ws(c.model);
  const Frame frame = last_body(c.model);
  const MatrixView<double> J = column_major(c.out.data(), 6, c.model.n_v());
  compare(
      c, "jacobian", PeerVerb::jacobian, 6 * c.model.n_v(),
      [&](int k) { jacobian(c.model, ws, c.q[at(k)], frame, Reference::body, J); }, asked);
}

/// What no peer is asked for.
void alone(Case& c, const std::string& asked) {
  c.peers.clear();
  VelocityWorkspace<double> velocity(c.model);
  SingularityWorkspace singularity(c.model);
  const Frame frame = last_body(c.model);
  const MatrixView<double> J = column_major(c.out.data(), 6, c.model.n_v());
  const auto line = [&](const char* name, auto call) {
    compare(c, name, PeerVerb::forward_kinematics, 0, call, asked);
  };
  line("forward_velocity",
       [&](int k) { forward_velocity(c.model, velocity, c.q[at(k)], c.qd[at(k)]); });
  line("forward_acceleration", [&](int k) {
    forward_acceleration(c.model, velocity, c.q[at(k)], c.qd[at(k)], c.x[at(k)]);
  });
  line("jacobian_dot", [&](int k) {
    jacobian_dot(c.model, velocity, c.q[at(k)], c.qd[at(k)], frame, Reference::body, J);
  });
  if (c.model.n_v() > 7) return;
  line("manipulability",
       [&](int k) { (void)manipulability(c.model, singularity, c.q[at(k)], frame); });
}

/// All branches of random reachable poses.
void branches(const char* robot, const std::string& asked) {
  Case c(robot);
  c.peers.clear();
  const AnalyticIkSolver solver(c.model, "tool");
  KinematicsWorkspace<double> ws(c.model);
  std::vector<SE3<double>> targets;
  for (const std::vector<double>& q : c.q) {
    forward_kinematics(c.model, ws, q);
    targets.push_back(frame_pose(ws, c.model.frame("tool")));
  }
  AnalyticIkResult result;
  compare(
      c, "analytic_ik", PeerVerb::forward_kinematics, 0,
      [&](int k) { solver.solve(targets[at(k)], result); }, asked);
}

}  // namespace
}  // namespace torsor

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  torsor::print_heading();
  for (const char* robot : {"panda", "puma560", "humanoid38", "chain:100"}) {
    torsor::Case c(robot);
    torsor::poses(c, asked);
    torsor::jacobians(c, asked);
    torsor::alone(c, asked);
  }
  for (const char* robot : {"puma560", "ur5", "stanford"}) torsor::branches(robot, asked);
}
