// Which method solves a chain: found from its geometry, once.
#include <algorithm>
#include <cmath>
#include <vector>

#include "analytic_ik/parts.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

using ik::Chain;
using ik::Dh;
using ik::Joints;
using ik::Pose;
using Method = AnalyticIkSolver::Plan::Method;

namespace {

constexpr int trial_poses = 24;  // that a numbering of the elimination is tried on

/// A joint that a coupling ties to others does not move alone.
void refuse_tied(const Model<double>& model, int body) {
  const std::string& joint = model.joint_name(body);
  for (const Coupling& coupling : model.description().couplings)
    for (const Coupling::Term& term : coupling.terms)
      if (term.joint == joint)
        throw Error("analytic_ik: joint \"" + joint + "\" is tied to others by coupling \"" +
                    coupling.name + "\"");
}

/// The joints between the world and the frame, each turned to z.
Chain chain_to(const Model<double>& model, const Frame& frame, AnalyticIkSolver::Plan& plan) {
  std::vector<int> path;
  for (int b = frame.body; b != 0; b = model.body(b).parent) path.push_back(b);
  std::reverse(path.begin(), path.end());
  if (path.empty()) throw Error("analytic_ik: no joint moves frame \"" + frame.name + "\"");
  Chain chain;
  Pose link{};
  for (const int b : path) {
    const Body<double>& body = model.body(b);
    const bool slides = internal::slides_along_axis(body.kind);
    if (!slides && !internal::turns_about_axis(body.kind))
      throw Error("analytic_ik: joint \"" + model.joint_name(b) +
                  "\" is neither revolute nor prismatic");
    refuse_tied(model, b);
    if (chain.n == max_ik_joints)
      throw Error("analytic_ik: frame \"" + frame.name + "\" is moved by " +
                  std::to_string(path.size()) + " joints, more than six: lock the others");
    plan.coordinate[chain.n] = body.q.first;
    plan.lower[chain.n] = model.limits(body.v.first).lower;
    plan.upper[chain.n] = model.limits(body.v.first).upper;
    chain.link[chain.n] = link * body.placement * Pose{body.turn, {}};
    chain.slides[chain.n++] = slides;
    link = {transpose(body.turn), {}};
  }
  chain.link[chain.n] = link * frame.placement;
  plan.n = chain.n;
  return chain;
}

/// Where the last axis is nearest to the one before, along the last joint's z.
double foot_on_last_axis(const Chain& chain) {
  const Pose& L = chain.link[chain.n - 1];
  const double across2 = L.R.c2.x * L.R.c2.x + L.R.c2.y * L.R.c2.y;
  return across2 < 1e-16 ? 0 : -(L.p.x * L.R.c2.x + L.p.y * L.R.c2.y) / across2;
}

/// The chain with turning joints that do not exist behind its last one, across each other and none
/// of them singular where they stand at zero. They meet in a point: of three joints the origin of
/// the frame, of four its foot on the last axis, of five the place where the last axis is nearest
/// to the one before (if these two meet, all three do).
Chain completed(const Chain& chain) {
  const SO3<double> onto_x{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};  // z to x, x to y, y to z
  const Pose tool = chain.link[chain.n];
  const double along = chain.n == 5 ? foot_on_last_axis(chain) : tool.p.z;
  Chain six = chain;
  Pose where{SO3<double>::identity(), chain.n == 3 ? tool.p : ik::Vector{0, 0, along}};
  for (int i = chain.n; i < max_ik_joints; ++i) {
    where.R = where.R * onto_x;
    six.link[i] = i == chain.n ? where : Pose{onto_x, {}};
    six.slides[i] = false;
  }
  six.n = max_ik_joints;
  six.link[max_ik_joints] = inverse_times(where, tool);
  return six;
}

bool try_six(const Chain& chain, AnalyticIkSolver::Plan& plan) {
  for (const bool backwards : {false, true}) {
    const Chain c = backwards ? reversed(chain) : chain;
    const Dh dh = dh_form(c);
    const bool parallel = has_three_parallel(dh), meeting = !parallel && has_meeting_wrist(dh);
    if (!parallel && !meeting) continue;
    if (meeting) plan.decoupled = decouple(dh);
    if (meeting && !arm_is_solvable(plan.decoupled.arm)) continue;
    plan.method = parallel ? Method::three_parallel : Method::decoupled;
    plan.name = parallel
                    ? (backwards ? "three parallel axes, from the tool" : "three parallel axes")
                    : (backwards ? "spherical shoulder" : "spherical wrist");
    plan.backwards = backwards;
    plan.chain = c;
    plan.chain_dh = dh;
    return true;
  }
  return false;
}

/// Shorter chains: planar, or completed to six joints that decouple.
bool try_short(const Chain& chain, AnalyticIkSolver::Plan& plan) {
  for (const bool backwards : {false, true}) {
    const Chain c = backwards ? reversed(chain) : chain;
    if (!is_planar(c)) continue;
    plan.method = Method::planar;
    plan.name = backwards ? "planar chain, from the tool" : "planar chain";
    plan.backwards = backwards;
    plan.chain = c;
    plan.chain_dh = dh_form(c);
    return true;
  }
  if (chain.n < 3 || (chain.n > 3 && chain.slides[chain.n - 1])) return false;
  return try_six(completed(chain), plan);
}

/// Of a few random configurations, how many an elimination with this shift finds again; between
/// equals, the better conditioned counts more.
double shift_score(const AnalyticIkSolver::Plan& plan, int shift) {
  int found = 0;
  double gap = 1;
  AnalyticIkResult result;
  for (int trial = 1; trial <= trial_poses; ++trial) {
    Joints q{};
    for (int i = 0; i < plan.n; ++i) {
      const double turn = std::fmod(trial * 0.6180339887 * (1 + 0.37 * i), 1.0) * 2 - 1;
      q[i] = plan.dh.slides[i] ? turn * plan.dh.scale : 3.1 * turn;
    }
    const Pose target = forward(plan.dh, q.data());
    result.n_solutions = 0;
    ik::Sink sink{plan, target, result};
    const Pose goal = plan.backwards ? inverse(target) : target;
    gap = std::min(gap, solve_by_elimination(plan.chain, shift, goal, sink));
    for (const AnalyticIkSolution& s : result) {
      double off = 0;
      for (int i = 0; i < plan.n; ++i) {
        const double d = s.q[i] - q[i];
        off = std::max(off, std::abs(plan.dh.slides[i] ? d : internal::wrapped_angle(d)));
      }
      if (off < 1e-6) {
        ++found;
        break;
      }
    }
  }
  return found + 0.9 * gap;
}

/// The two numberings of the joints that do best.
double choose_shift(AnalyticIkSolver::Plan& plan) {
  double best = 0, second = 0;
  plan.second_shift = -1;
  for (int shift = 0; shift < max_ik_joints; ++shift) {
    if (!can_eliminate(plan.chain, shift)) continue;
    const double score = shift_score(plan, shift);
    if (score > best) {
      second = best, plan.second_shift = best >= 1 ? plan.shift : -1;
      best = score, plan.shift = shift;
    } else if (score > second && score >= 1) {
      second = score, plan.second_shift = shift;
    }
  }
  return best;
}

/// The chain with every link a little off. Where axes meet or are parallel in ways that make the
/// equations dependent, they are independent for this one, and Newton's method on the true chain
/// then converges to its solutions.
Chain disturbed(const Chain& chain, double size, double scale) {
  Chain other = chain;
  double turn = 0.1;
  const auto next = [&] { return 2 * (turn = std::fmod(turn + 0.6180339887498949, 1.0)) - 1; };
  for (int i = 1; i <= chain.n; ++i) {
    const ik::Vector w{next(), next(), next()}, v{next(), next(), next()};
    other.link[i].R = chain.link[i].R * exp(w * size);
    other.link[i].p = chain.link[i].p + v * (size * scale);
  }
  return other;
}

/// Elimination where it finds what it is tried on. `chain` may have virtual joints at its end.
bool try_elimination(const Chain& chain, AnalyticIkSolver::Plan& plan) {
  AnalyticIkSolver::Plan trial = plan;
  double best = 0;
  for (const double size : {0.0, 1e-4, 1e-3}) {
    for (const bool backwards : {false, true}) {
      const Chain way = backwards ? reversed(chain) : chain;
      trial.backwards = backwards;
      trial.disturbed = size > 0;
      trial.chain = size > 0 ? disturbed(way, size, plan.dh.scale) : way;
      const double score = choose_shift(trial);
      if (score > best) best = score, plan = trial;
      if (best >= trial_poses) break;
    }
    if (best >= trial_poses) break;
  }
  plan.method = Method::elimination;
  plan.name = plan.n == max_ik_joints ? "elimination" : "elimination, completed to six joints";
  return best >= trial_poses - 4;
}

void use_search(const Chain& chain, AnalyticIkSolver::Plan& plan) {
  plan.method = Method::search;
  plan.name = "numeric search";
  plan.backwards = false;
  plan.chain = chain;
}

}  // namespace

AnalyticIkSolver::AnalyticIkSolver(const Model<double>& model, const Frame& frame) {
  auto plan = std::make_shared<Plan>();
  const Chain chain = chain_to(model, frame, *plan);
  plan->dh = dh_form(chain);
  plan->chain = chain;
  plan->chain_dh = plan->dh;
  plan->freedom = generic_freedom(plan->dh);
  if (plan->freedom > 0) {
    use_search(chain, *plan);
    plan_ = std::move(plan);
    return;
  }
  const bool three_slides = has_three_slides(chain);
  bool found = chain.n < max_ik_joints ? try_short(chain, *plan) : try_six(chain, *plan);
  if (!found && three_slides) {
    plan->method = Method::three_slides;
    plan->name = "three slides";
    found = true;
  }
  if (!found && chain.n >= 5) {
    const Chain six = chain.n == 6 ? chain : completed(chain);
    found = try_elimination(six, *plan);
  }
  if (!found) use_search(chain, *plan);
  plan->position_alone = (plan->method == Method::planar && position_fixes_planar(plan->chain)) ||
                         (plan->method == Method::decoupled && chain.n == 3 && !plan->backwards);
  plan_ = std::move(plan);
}

bool has_spherical_wrist(const Model<double>& model, const std::string& frame) {
  AnalyticIkSolver::Plan plan;
  return has_meeting_wrist(dh_form(chain_to(model, model.frame(frame), plan)));
}

}  // namespace torsor
