#pragma once
/// The truth for derivatives with respect to a parameter: the whole robot built again with another
/// value, evaluated by other algorithms (the canonical sweeps), and central differences of that.
#include <functional>

#include "support/dynamics_state.hpp"
#include "support/tree_motion.hpp"
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/spring_damper.hpp"

namespace torsor::testing {

using Numbers = std::vector<double>;

/// A robot, its state and its load: everything that a parameter may be part of.
struct Setting {
  RobotDescription robot;
  Numbers q, qd, qdd, tau;
  std::vector<Wrench<double>> F_ext;  // per body
};
/// The setting with a parameter increased by `step`.
using Edit = std::function<void(Setting& setting, double step)>;

/// Wrenches of the spring-dampers on the bodies, from poses in the world.
inline std::vector<Wrench<double>> spring_wrenches(const Model<double>& model, const Numbers& q,
                                                   const Numbers& qd) {
  const TreeMotion m = tree_motion(model, q, qd);
  std::vector<Wrench<double>> F(m.T.size());
  for (const SpringDamper& s : model.description().springs) {
    struct End {
      std::size_t body;
      Vec3<double> r, p, v;
    };
    const auto end = [&](const std::string& link, const Vec3<double>& point) {
      const Frame f = link.empty() ? Frame{"", 0, model.description().base} : model.frame(link);
      const auto b = static_cast<std::size_t>(f.body);
      const Vec3<double> r = f.placement * point;
      return End{b, r, m.T[b] * r, m.T[b].R * (m.V[b].v + cross(m.V[b].w, r))};
    };
    const End a = end(s.link_a, s.point_a), b = end(s.link_b, s.point_b);
    const Vec3<double> f = spring_damper_force(s, a.p, a.v, b.p, b.v).on_a;
    const auto add = [&](const End& e, const Vec3<double>& force) {
      const Vec3<double> g = transpose_times(m.T[e.body].R, force);
      F[e.body] += Wrench<double>{cross(e.r, g), g};
    };
    add(a, f);
    add(b, -f);
  }
  return F;
}
inline std::vector<Wrench<double>> all_wrenches(const Model<double>& model, const Setting& s) {
  std::vector<Wrench<double>> F = spring_wrenches(model, s.q, s.qd);
  for (std::size_t i = 0; i < F.size(); ++i) F[i] += s.F_ext[i];
  return F;
}

/// load s of every velocity, of friction that is smooth.
inline Numbers load_shares(const Model<double>& model, const Numbers& qd) {
  Numbers share(qd.size());
  for (std::size_t k = 0; k < qd.size(); ++k)
    if (const DofConstants<double>& dof = model.dof(static_cast<int>(k)); dof.load > 0)
      share[k] = dof.load * std::tanh(qd[k] / dof.width);
  return share;
}
/// Torques of motors that joints transmit, less what friction, springs and disturbances take.
inline Numbers transmitted(const Numbers& tau, const Numbers& taken, const Numbers& share) {
  Numbers t(tau.size());
  for (std::size_t k = 0; k < t.size(); ++k) {
    t[k] = tau[k] - taken[k];
    t[k] /= t[k] > 0 ? 1 + share[k] : 1 - share[k];
  }
  return t;
}
inline Numbers supplied(const Numbers& t, const Numbers& taken, const Numbers& share) {
  Numbers tau(t.size());
  for (std::size_t k = 0; k < t.size(); ++k) tau[k] = t[k] + share[k] * std::abs(t[k]) + taken[k];
  return tau;
}

/// tau of inverse dynamics with friction, rotors and springs.
inline Numbers torque_of(const Setting& s) {
  const Model<double> model(s.robot);
  RneaWorkspace<double> ws(model);
  Numbers t(s.qd.size()), taken(t);
  rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, all_wrenches(model, s), t);
  add_joint_torques(model, s.q, s.qd, taken);
  return supplied(t, taken, load_shares(model, s.qd));
}
/// qdd, then tau, of hybrid dynamics; none prescribed: forward dynamics.
inline Numbers hybrid_of(const Setting& s, const std::vector<char>& prescribed) {
  const Model<double> model(s.robot);
  AbaWorkspace<double> ws(model);
  Numbers taken(s.qd.size()), qdd(s.qdd);
  add_joint_torques(model, s.q, s.qd, taken);
  const Numbers share = load_shares(model, s.qd);
  Numbers tau = transmitted(s.tau, taken, share);
  EXPECT_TRUE(
      rigid_hybrid_dynamics(model, ws, prescribed, s.q, s.qd, qdd, tau, all_wrenches(model, s)));
  tau = supplied(tau, taken, share);
  qdd.insert(qdd.end(), tau.begin(), tau.end());
  return qdd;
}

/// d f / d step at 0: central differences of three steps, extrapolated to the sixth order. Good to
/// about 1e-9 of the size of f. Steps shrink where they disagree: friction of the load bends where the
/// transmitted torque changes its sign.
inline Numbers difference_of(const Setting& s, const Edit& edit,
                             const std::function<Numbers(const Setting&)>& f, double step = 0.02) {
  const auto central = [&](double h) {
    Setting plus = s, minus = s;
    edit(plus, h);
    edit(minus, -h);
    Numbers a = f(plus);
    const Numbers b = f(minus);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = (a[k] - b[k]) / (2 * h);
    return a;
  };
  const Numbers d1 = central(step), d2 = central(step / 2), d3 = central(step / 4);
  Numbers d(d1.size());
  double apart = 0, size = 1;
  for (std::size_t k = 0; k < d.size(); ++k) {
    const double e1 = d2[k] + (d2[k] - d1[k]) / 3, e2 = d3[k] + (d3[k] - d2[k]) / 3;
    d[k] = e2 + (e2 - e1) / 15;
    apart = std::max(apart, std::abs(e2 - e1)), size = std::max(size, std::abs(e2));
  }
  if (apart > 1e-6 * size && step > 1e-4) return difference_of(s, edit, f, step / 8);
  return d;
}

/// A random tree of every joint kind whose friction is smooth, with joint springs, two
/// spring-dampers with preload, and motors where the options say so, at a random state.
inline Setting random_setting(unsigned seed, int joints, const RandomTree& options = {}) {
  Setting s;
  s.robot = random_tree(seed, joints, options);
  Draw<double> draw(seed + 77), loads(seed + 177);
  for (Joint& j : s.robot.joints) {
    for (Friction& f : j.friction)
      f = {f.viscous + 0.1,
           f.damping + 0.1,
           f.coulomb + 0.3,
           2 * f.coulomb + 0.5,
           0.8,
           0.5,
           draw(),
           draw(-0.5, 0.5) * 0.2,
           draw(-0.5, 0.5) * 0.3,
           n_v(j) == 1 ? loads(0.1, 0.4) : 0};
    for (Actuator& a : j.actuator)
      a = {0.05 + a.rotor_inertia, 1 + a.gear_ratio / 10, 0.05, 0, draw()};
    JointShape<double> shape;
    shape.kind = j.kind;
    if (j.kind != JointKind::fixed && j.kind != JointKind::composite)
      for (int k = 0; k < n_v(j); ++k) {
        const bool can = internal::coordinate_of_dof(shape, k) >= 0;
        j.spring.push_back({can ? draw(0, 5) : 0.0, can ? draw(-1, 1) : 0.0});
      }
  }
  if (joints > 2) {
    s.robot.springs.push_back({"s1",
                               "link_1",
                               "link_" + std::to_string(joints),
                               draw.vec(),
                               draw.vec(),
                               20,
                               0.3,
                               2,
                               {},
                               -5});
    s.robot.springs.push_back({"s2", "", "link_2", draw.vec(), draw.vec(), 10, 0.2, 1, {}, 3});
  }
  const Model<double> model(s.robot);
  const State<double> state(model, seed);
  s.q = state.q, s.qd = state.qd, s.qdd = state.qdd, s.tau = state.tau, s.F_ext = state.F_ext;
  s.F_ext[0] = {};
  return s;
}

inline double size_of(const Numbers& x) {
  double size = 1;
  for (const double e : x) size = std::max(size, std::abs(e));
  return size;
}
inline void expect_near(const Numbers& got, const Numbers& want, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], want[k], tolerance) << what << " entry " << k;
}

}  // namespace torsor::testing
