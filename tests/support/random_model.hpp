#pragma once
/// Random robots for laws that hold for every robot: trees with every joint kind.
///
///   const Model<double> model(random_tree(seed, 20));
///
/// Placements and axes are arbitrary, bodies are clouds of particles (so they are possible ones),
/// joints have limits, friction and rotors. The same seed gives the same robot on every machine.
#include <string>
#include <vector>

#include "support/typed_scalars.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::testing {

inline std::vector<JointKind> every_moving_kind() {
  std::vector<JointKind> kinds;
  for (const JointKind kind : joint_kinds)
    if (kind != JointKind::fixed) kinds.push_back(kind);
  return kinds;
}
inline std::vector<JointKind> one_dof_kinds() {
  return {JointKind::revolute, JointKind::continuous, JointKind::prismatic, JointKind::helical};
}

struct RandomTree {
  std::vector<JointKind> kinds =
      every_moving_kind();  ///< drawn in rounds: each once before any twice
  bool chain = false;       ///< each joint on the link before
  int branching = 0;        ///< > 0: joint k hangs on link (k - 1) / branching
  bool fixed_links = true;  ///< some links have another one fixed to them, joints may start there
  bool dissipation = true;  ///< friction
  bool rotors = true;
  bool uneven = false;  ///< friction with an offset, and not alike in both directions
  bool load = false;    ///< friction of the load, of joints with one degree of freedom
  bool motors =
      false;  ///< two motors that turn with several joints, if joints with one dof are there
  bool limits = false;  ///< position limits of about +-2
  bool base = true;     ///< an arbitrary pose of the root, and gravity of any direction
  double size = 0.5;    ///< m, of links
};

/// Trees with all that a joint and a motor can have.
inline RandomTree everything() {
  RandomTree options;
  options.uneven = options.load = options.motors = true;
  return options;
}

namespace random_tree_detail {

/// Of a cloud of particles around a point.
inline Inertial cloud(Draw<double>& draw, double size) {
  const Vec3<double> centre = draw.vec(size);
  Inertia<double> sum;
  for (int k = 0; k < 6; ++k)
    sum = sum + Inertia<double>::at_com(draw(0.05, 0.5), centre + draw.vec(0.3 * size), {});
  const Vec3<double> com = sum.h * (1 / sum.m);
  return {sum.m, com, sum.J - Inertia<double>::parallel_axes(sum.m, com)};
}
inline SE3<double> pose(Draw<double>& draw, double size) {
  return {draw.rotation(), draw.vec(size)};
}
inline EulerOrder order(Draw<double>& draw) {
  return static_cast<EulerOrder>(static_cast<int>(draw(0, 2.999)));
}
/// Two or three parts with at most six degrees of freedom together.
inline std::vector<JointPart> parts(Draw<double>& draw, double size) {
  std::vector<JointPart> result;
  int dofs = 0;
  const auto kinds = every_moving_kind();
  while (result.size() < 3 && dofs < internal::max_joint_dofs) {
    const auto kind =
        kinds[static_cast<std::size_t>(draw(0, static_cast<double>(kinds.size()) - 1.001))];
    if (kind == JointKind::composite || dofs + n_v(kind) > internal::max_joint_dofs) continue;
    result.push_back({kind, pose(draw, size), draw.unit(), draw(-0.3, 0.3), order(draw)});
    dofs += n_v(kind);
  }
  return result;
}

inline Joint joint(Draw<double>& draw, JointKind kind, const RandomTree& options) {
  Joint j;
  j.kind = kind;
  j.placement = pose(draw, options.size);
  j.axis = draw.unit();
  j.pitch = draw(-0.3, 0.3);
  j.order = order(draw);
  if (kind == JointKind::composite) j.parts = parts(draw, options.size);
  for (int k = 0; k < n_v(j); ++k) {
    if (options.limits) {
      Limits l;
      l.lower = draw(-2, -0.5), l.upper = draw(0.5, 2);
      j.limits.push_back(l);
    }
    if (options.dissipation) {
      const double coulomb = draw(0, 1);
      j.friction.push_back({draw(0, 0.5), draw(0, 0.2), coulomb, coulomb * draw(1, 2), 0.1, 0.01});
    }
    if (options.rotors) j.actuator.push_back({draw(0, 1e-3), draw(1, 20), draw(0, 1e-3), 0, 0});
  }
  return j;
}

/// Smooth, with an offset and an asymmetry.
inline void make_uneven(Draw<double>& draw, Friction& f) {
  f.offset = draw(-0.3, 0.3);
  f.viscous_asymmetry = draw(-0.7, 0.7) * (f.viscous + f.damping);
  f.coulomb_asymmetry = draw(-0.7, 0.7) * f.coulomb;
}
/// Two motors, of up to three and two of the joints with one degree of freedom.
inline void add_motors(Draw<double>& draw, RobotDescription& robot) {
  std::vector<std::string> joints;
  for (const Joint& j : robot.joints)
    if (n_q(j) == 1) joints.push_back(j.name);
  if (joints.empty()) return;
  for (int k = 0; k < 2; ++k) {
    Motor motor;
    motor.name = "motor_" + std::to_string(k + 1);
    motor.rotor_inertia = draw(1e-3, 2e-2);
    motor.friction = {draw(0.01, 0.1), draw(0.01, 0.1), 0.1, 0.15, 0.4, 0.3};
    make_uneven(draw, motor.friction);
    const std::size_t first = k == 0 ? 0 : joints.size() / 2;
    for (std::size_t t = 0; t < (k == 0 ? 3u : 2u) && first + t < joints.size(); ++t)
      motor.ratios.push_back({joints[first + t], draw(1, 3) * (draw() < 0 ? -1 : 1)});
    robot.motors.push_back(motor);
  }
}

/// Every kind once in random order, then again.
class KindRounds {
 public:
  explicit KindRounds(std::vector<JointKind> kinds) : kinds_(std::move(kinds)) {}
  JointKind next(Draw<double>& draw) {
    if (left_.empty()) left_ = kinds_;
    const auto at = static_cast<std::ptrdiff_t>(draw(0, static_cast<double>(left_.size()) - 1e-9));
    const JointKind kind = left_[static_cast<std::size_t>(at)];
    left_.erase(left_.begin() + at);
    return kind;
  }

 private:
  std::vector<JointKind> kinds_, left_;
};

}  // namespace random_tree_detail

/// Root "base", moving joints "joint_1" ... with links "link_1" ..., fixed links "link_<i>_tip".
inline RobotDescription random_tree(unsigned seed, int joints, const RandomTree& options = {}) {
  using namespace random_tree_detail;
  Draw<double> draw(seed);
  RobotDescription robot;
  robot.name = "random_" + std::to_string(seed);
  if (options.base) {
    robot.base = pose(draw, 1);
    robot.gravity = draw.vec(10);
  }
  robot.links.push_back({"base", cloud(draw, options.size), true, {}, {}});
  KindRounds kinds(options.kinds);
  for (int k = 1; k <= joints; ++k) {
    const int on = options.chain           ? k - 1
                   : options.branching > 0 ? (k - 1) / options.branching
                                           : static_cast<int>(draw(0, k - 1e-9));
    const std::string number = std::to_string(k), name = "link_" + number;
    Joint j = joint(draw, kinds.next(draw), options);
    j.name = "joint_" + number;
    j.parent = on == 0 ? "base" : "link_" + std::to_string(on);
    if (draw(0, 1) < 0.5 && robot.find_link(j.parent + "_tip")) j.parent += "_tip";
    j.child = name;
    robot.joints.push_back(j);
    robot.links.push_back({name, cloud(draw, options.size), true, {}, {}});
    if (options.fixed_links && draw(0, 1) < 0.3) {
      Joint fixed;
      fixed.name = name + "_fixed";
      fixed.kind = JointKind::fixed;
      fixed.parent = name;
      fixed.child = name + "_tip";
      fixed.placement = pose(draw, options.size);
      robot.joints.push_back(fixed);
      robot.links.push_back({name + "_tip", cloud(draw, options.size), true, {}, {}});
    }
  }
  Draw<double> more(seed + 1000);  // a draw of its own: other numbers stay as they are
  for (Joint& j : robot.joints)
    for (Friction& f : j.friction)
      if (options.uneven) make_uneven(more, f);
  if (options.motors) add_motors(more, robot);
  Draw<double> loads(seed + 2000);
  for (Joint& j : robot.joints)
    for (Friction& f : j.friction)
      if (options.load && n_v(j) == 1) f.load = loads(0, 0.4);
  return robot;
}

/// n_v numbers in [-size, size).
inline std::vector<double> random_velocity(const Model<double>& model, unsigned seed,
                                           double size = 1) {
  Draw<double> draw(seed);
  std::vector<double> v(static_cast<std::size_t>(model.n_v()));
  for (double& x : v) x = draw(-size, size);
  return v;
}
inline std::vector<double> random_q(const Model<double>& model, unsigned seed) {
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  random_configuration(model, seed, q);
  return q;
}

}  // namespace torsor::testing
