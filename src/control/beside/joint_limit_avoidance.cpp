#include "torsor/control/beside/joint_limit_avoidance.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "law_makers.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Laws with V' = (what is said) + qd^T (torque beside theirs).
bool is_energy_law(std::string_view law) {
  for (const char* known : {"gravity_float", "independent_pd", "pd_fixed_gravity", "pd_gravity"})
    if (law == known) return true;
  return false;
}

}  // namespace

JointLimitAvoidance::JointLimitAvoidance(const Model<double>& model, AnyController inside,
                                         JointLimitOptions options)
    : inside_(std::move(inside)),
      options_(std::move(options)),
      shapes_energy_(is_energy_law(inside_.name())) {
  const auto check = [&](const char* what, const std::vector<double>& x) {
    if (static_cast<int>(x.size()) != model.n_v())
      throw Error(std::string(name) + ": " + what + " has " + std::to_string(x.size()) +
                  " numbers; the robot has " + std::to_string(model.n_v()) + " degrees of freedom");
    for (const double value : x)
      if (!(value > 0) || value == infinity)
        throw Error(std::string(name) + ": " + what + " must be positive");
  };
  check("limit_stiffness", options_.stiffness);
  check("limit_margin", options_.margin);
  if (!(options_.nearest > 0) || !(options_.nearest < 1))
    throw Error(std::string(name) + ": nearest must be between 0 and 1");
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.joint(i).n_v; ++k) {
      const int dof = model.body(i).v.first + k, coordinate = coordinate_of_dof(model.joint(i), k);
      const Limits& limits = model.limits(dof);
      if (coordinate < 0 || (limits.lower == -infinity && limits.upper == infinity)) continue;
      limited_.push_back({dof, model.body(i).q.first + coordinate, limits.lower, limits.upper});
    }
}

JointLimitAvoidance::Push JointLimitAvoidance::push(int dof, double d) const {
  const double k = options_.stiffness[at(dof)], m = options_.margin[at(dof)];
  if (!(d < m)) return {0, 0};
  const double x = std::fmax(d, options_.nearest * m), ratio = m / x - 1;
  const double force = k * m * m * m / (x * x) * ratio;
  return {0.5 * k * m * m * ratio * ratio + force * (x - d), force};
}

double JointLimitAvoidance::nearest_distance(int dof, double V) const {
  const double k = options_.stiffness[at(dof)], m = options_.margin[at(dof)];
  return m / (1 + std::sqrt(2 * std::fmax(V, 0) / k) / m);
}

double JointLimitAvoidance::barrier(View<const double> q) const {
  double U = 0;
  for (const Coordinate& c : limited_)
    U += push(c.dof, c.upper - q[c.q]).potential + push(c.dof, q[c.q] - c.lower).potential;
  return U;
}

void JointLimitAvoidance::torque(double t, const ControlState& state, View<const double> x_c,
                                 const ControlReference& reference, View<double> tau) {
  inside_.torque(t, state, x_c, reference, tau);
  for (const Coordinate& c : limited_)
    tau[c.dof] +=
        push(c.dof, state.q[c.q] - c.lower).force - push(c.dof, c.upper - state.q[c.q]).force;
}

std::vector<Condition> JointLimitAvoidance::conditions() {
  std::vector<Condition> all = inside_.conditions();
  double room = infinity, hill = infinity;
  for (const Coordinate& c : limited_) {
    const double m = options_.margin[at(c.dof)];
    room = std::min(room, (c.upper - c.lower) / m);
    hill = std::min(hill, push(c.dof, options_.nearest * m).potential);
  }
  all.push_back(condition("there are limits", "degrees of freedom with limits",
                          static_cast<double>(limited_.size()), Relation::at_least, 1));
  if (!limited_.empty())
    all.push_back(condition("room between the margins", "smallest range over its margin", room,
                            Relation::greater, 2,
                            "V(0) up to " + std::to_string(hill) + " J is kept off the limits"));
  all.push_back(condition("the law inside shapes energy",
                          std::string("laws inside that do not (") + inside_.name() + ")",
                          shapes_energy_ ? 0 : 1, Relation::equal, 0,
                          shapes_energy_ ? "" : "within the margins nothing is claimed"));
  return all;
}

LyapunovValue JointLimitAvoidance::lyapunov(double t, const ControlState& state,
                                            View<const double> x_c,
                                            const ControlReference& reference,
                                            const Model<double>& plant) {
  LyapunovValue V;
  if (inside_.has_lyapunov()) V = inside_.lyapunov(t, state, x_c, reference, plant);
  V.value += barrier(state.q);
  for (const Coordinate& c : limited_)
    if (!shapes_energy_)  // the barrier's own part of V', whatever the inside law makes of it
      V.rate +=
          (push(c.dof, c.upper - state.q[c.q]).force - push(c.dof, state.q[c.q] - c.lower).force) *
          state.qd[c.dof];
  return V;
}

AnyController make_joint_limit_avoidance(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  JointLimitOptions o;
  o.stiffness = p.numbers("limit_stiffness", n);
  o.margin = p.numbers("limit_margin", n);
  o.nearest = p.number("limit_nearest", o.nearest);
  AnyController inside = maker_of(p.word("inside", "pd_gravity"))(model, p);
  return AnyController(JointLimitAvoidance(model, std::move(inside), std::move(o)));
}

}  // namespace torsor
