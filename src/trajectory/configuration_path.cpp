#include "torsor/trajectory/configuration_path.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

std::vector<Limits> coordinate_limits(const Model<double>& model) {
  Array<Limits> result(model.n_q());
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.joint(i).n_q; ++k) {
      const int dof = k < model.joint(i).n_v ? k : 0;
      if (model.joint(i).n_q != model.joint(i).n_v ||
          internal::coordinate_of_dof(model.joint(i), dof) != k)
        throw Error("robot \"" + model.name() + "\": joint \"" + model.joint_name(i) + "\" (" +
                    name_of(model.joint(i).kind) +
                    ") has velocities that are not the rates of its coordinates; move it along "
                    "configuration_path or a pose path");
      result[model.body(i).q.first + k] = model.limits(model.body(i).v.first + k);
    }
  return result;
}

ConfigurationPath::ConfigurationPath(const Model<double>& model, std::vector<double> q0,
                                     std::vector<double> q1)
    : model_(&model), q0_(std::move(q0)), step_(model.n_v()) {
  for (int i = 1; i < model.n_bodies(); ++i)
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      if (!internal::with_kind(kind, [](auto type) { return type.constant_velocity_steps; }))
        throw Error("robot \"" + model.name() + "\": joint \"" + model.joint_name(i) + "\" (" +
                    name_of(kind) + ") has no configuration path; make it a free joint");
    });
  check_configuration(model, q0_);
  check_configuration(model, q1);
  difference(model, q0_, q1, step_);
}

ConfigurationTrajectory configuration_trajectory(const Model<double>& model,
                                                 const std::vector<double>& q0,
                                                 const std::vector<double>& q1, Profile profile) {
  const ConfigurationPath path(model, q0, q1);
  Limits law;  // of s, so that every x_k s keeps its own
  bool moves = false;
  for (int k = 0; k < model.n_v(); ++k) {
    const double d = std::abs(path.step()[k]);
    moves = moves || d > 0;
    law.velocity = std::min(law.velocity, model.limits(k).velocity / d);
    law.acceleration = std::min(law.acceleration, model.limits(k).acceleration / d);
    law.jerk = std::min(law.jerk, model.limits(k).jerk / d);
  }
  if (!moves) return {path, unit_law(profile)};
  const double ends[] = {0, 1};
  return {path, point_to_point(profile, {ends, 1}, {ends + 1, 1}, {&law, 1})};
}

}  // namespace torsor
