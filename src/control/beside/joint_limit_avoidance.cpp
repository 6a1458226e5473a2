#include "torsor/control/beside/joint_limit_avoidance.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "frozen_loop.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

/// Laws with V' = (what is said) + qd^T (torque beside theirs).
bool is_energy_law(std::string_view law) {
  for (const char* known : {"gravity_float", "independent_pd", "pd_fixed_gravity", "pd_gravity"})
    if (law == known) return true;
  return false;
}

}  // namespace

JointLimitAvoidance::JointLimitAvoidance(const Model<double>& model,
                                         std::unique_ptr<ControlLaw> inside,
                                         JointLimitOptions options)
    : ControlLaw("joint_limit_avoidance", model),
      inside_(std::move(inside)),
      options_(std::move(options)),
      shapes_energy_(is_energy_law(inside_->name()) && inside_->n_states() == 0) {
  const auto check = [&](const char* what, const Array<double>& x) {
    if (x.size() != model.n_v())
      throw Error(std::string(name()) + ": " + what + " has " + std::to_string(x.size()) +
                  " numbers; the robot has " + std::to_string(model.n_v()) + " degrees of freedom");
    for (const double value : x)
      if (!(value > 0) || value == infinity)
        throw Error(std::string(name()) + ": " + what + " must be positive");
  };
  check("limit_stiffness", options_.stiffness);
  check("limit_margin", options_.margin);
  if (!(options_.nearest > 0) || !(options_.nearest < 1))
    throw Error(std::string(name()) + ": nearest must be between 0 and 1");
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.joint(i).n_v; ++k) {
      const int dof = model.body(i).v.first + k,
                coordinate = internal::coordinate_of_dof(model.joint(i), k);
      const Limits& limits = model.limits(dof);
      if (coordinate < 0 || (limits.lower == -infinity && limits.upper == infinity)) continue;
      limited_.push_back({dof, model.body(i).q.first + coordinate, limits.lower, limits.upper});
    }
}

JointLimitAvoidance::Push JointLimitAvoidance::push(int dof, double d) const {
  const double k = options_.stiffness[dof], m = options_.margin[dof];
  if (!(d < m)) return {0, 0};
  const double x = std::fmax(d, options_.nearest * m), ratio = m / x - 1;
  const double force = k * m * m * m / (x * x) * ratio;
  return {0.5 * k * m * m * ratio * ratio + force * (x - d), force};
}

double JointLimitAvoidance::nearest_distance(int dof, double V) const {
  const double k = options_.stiffness[dof], m = options_.margin[dof];
  return m / (1 + std::sqrt(2 * std::fmax(V, 0) / k) / m);
}

double JointLimitAvoidance::barrier(In<double> q) const {
  double U = 0;
  for (const Coordinate& c : limited_)
    U += push(c.dof, c.upper - q[c.q]).potential + push(c.dof, q[c.q] - c.lower).potential;
  return U;
}

void JointLimitAvoidance::torque(const ControlInput& input, Out<double> tau) {
  inside_->torque(input, tau);
  for (const Coordinate& c : limited_)
    tau[c.dof] += push(c.dof, input.state.q[c.q] - c.lower).force -
                  push(c.dof, c.upper - input.state.q[c.q]).force;
}

std::vector<Condition> JointLimitAvoidance::conditions(const Run& run) {
  std::vector<Condition> all = inside_->conditions(run);
  double room = infinity, hill = infinity;
  for (const Coordinate& c : limited_) {
    const double m = options_.margin[c.dof];
    room = std::min(room, (c.upper - c.lower) / m);
    hill = std::min(hill, push(c.dof, options_.nearest * m).potential);
  }
  all.push_back(condition("there are limits", "degrees of freedom with limits",
                          static_cast<double>(limited_.size()), Relation::at_least, 1));
  if (!limited_.empty())
    all.push_back(condition("room between the margins", "smallest range over its margin", room,
                            Relation::greater, 2));
  all.push_back(hypothesis("the law inside shapes energy",
                           std::string("laws inside that do not (") + inside_->name() + ")",
                           shapes_energy_ ? 0 : 1, Relation::equal, 0,
                           shapes_energy_ ? "" : "within the margins nothing is claimed"));
  if (shapes_energy_ && !limited_.empty()) {
    const double V = internal::lyapunov_at_start(*this, run);
    all.push_back(condition("V(0) below every barrier", "V(0), J", V, Relation::less, hill,
                            "the lowest barrier at its nearest distance"));
    if (run.period > 0 && V < hill) all.push_back(sampled_barrier(run, V));
  }
  return all;
}

/// The barrier is steepest where all of V(0) has gone into it: each joint alone, at both limits.
Condition JointLimitAvoidance::sampled_barrier(const Run& run, double V) {
  double worst = 0, worst_d = 0;
  int worst_dof = limited_[0].dof;
  RunInstant near{run.start, run.q0, Array<double>(model_->n_v()), Array<double>(model_->n_v()),
                  Array<double>(n_states())};
  Run there = run;
  if (run.reference)  // no error of the law inside
    there.reference = [&near](double, ReferencePoint& point) {
      point.q = near.q, point.qd = near.qd, point.qdd = near.qdd;
    };
  for (const Coordinate& c : limited_) {
    const double d = nearest_distance(c.dof, V);
    for (const double q : {c.lower + d, c.upper - d}) {
      if (!std::isfinite(q) || std::isnan(worst)) continue;
      near.q = run.q0;
      near.q[c.q] = q;
      const control_detail::FrozenLoop loop(*this, there, hypotheses(), near, false);
      const double radius = loop.spectral_radius();
      if (radius > worst || std::isnan(radius)) worst = radius, worst_dof = c.dof, worst_d = d;
    }
  }
  return hypothesis("the barrier is stable as near as V(0) comes, with this period",
                    "largest |eigenvalue| from sample to sample", worst, Relation::less, 1,
                    model_->dof_name(worst_dof) + " " + short_number(worst_d) +
                        " from a limit; linearised, not proven; every " + short_number(run.period) +
                        " s");
}

LyapunovValue JointLimitAvoidance::lyapunov(const ControlInput& input, const Model<double>& plant) {
  LyapunovValue V = inside_->lyapunov(input, plant);
  V.given = true;  // the barrier, at least
  V.value += barrier(input.state.q);
  for (const Coordinate& c : limited_)
    if (!shapes_energy_)  // the barrier's own part of V', whatever the inside law makes of it
      V.rate += (push(c.dof, c.upper - input.state.q[c.q]).force -
                 push(c.dof, input.state.q[c.q] - c.lower).force) *
                input.state.qd[c.dof];
  return V;
}

LawEntry internal::joint_limit_avoidance() {
  return {"joint_limit_avoidance",
          "beside/joint_limit_avoidance.hpp",
          "a barrier at the limits, higher than V(0) has to be; q_d constant",
          {optional_gain("inside", GainKind::word, "pd_gravity", "",
                         "the law that acts; its gains stand beside these"),
           required_gain("limit_stiffness", GainKind::vector, "100", "N m / rad",
                         "of the barrier, for each joint"),
           required_gain("limit_margin", GainKind::vector, "0.1", "rad",
                         "where it begins, for each joint"),
           optional_gain("limit_nearest", GainKind::number, "0.01", "",
                         "share of the margin below which the push grows no more")},
          "that of the law inside",
          "Khatib 1986",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            JointLimitOptions o{p.numbers("limit_stiffness", n), p.numbers("limit_margin", n),
                                p.number("limit_nearest")};
            return std::make_unique<JointLimitAvoidance>(model, make_law_inside("inside", model, p),
                                                         std::move(o));
          }};
}

}  // namespace torsor
