#pragma once
/// A robot with its constraints and workspaces.
#include "dynamics/at.hpp"
#include "support/typed_scalars.hpp"
#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::testing {

/// At q = 0 until it is moved.
struct Mechanism {
  Model<double> model;
  ConstraintSet set{model};
  AssemblyWorkspace assembly{model, set};
  ConstrainedWorkspace dynamics{model, set};
  std::vector<double> q = std::vector<double>(at(model.n_q())),
                      qd = std::vector<double>(at(model.n_v())), qdd = qd, tau = qd,
                      lambda = std::vector<double>(at(set.n_rows()));

  explicit Mechanism(const std::string& name) : Mechanism(load_robot(name)) {}
  explicit Mechanism(Model<double> m) : model(std::move(m)) { neutral(model, q); }

  int v(const std::string& joint) const { return model.body(model.joint_index(joint)).v.first; }
  /// Closes the loops with the named joints held where they are.
  Assembly close(const std::vector<std::string>& held) {
    std::vector<char> moving(qd.size(), 1);
    for (const std::string& joint : held) moving[at(v(joint))] = 0;
    AssemblyOptions options;
    options.moving = moving;
    return assemble(model, set, assembly, q, options);
  }
  void move(const std::vector<std::string>& held) {
    std::vector<char> moving(qd.size(), 1);
    for (const std::string& joint : held)
      for (int k = 0; k < model.body(model.joint_index(joint)).v.count; ++k)
        moving[at(v(joint) + k)] = 0;
    EXPECT_LT(project_velocity(model, set, assembly, q, qd, moving), 1e-12);
  }
  ConstrainedResult forward() {
    return constrained_forward_dynamics(model, dynamics, q, qd, tau, {}, qdd, lambda);
  }
};

}  // namespace torsor::testing
