#include "torsor/kinematics/analytic_ik.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analytic_ik/parts.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

using ik::Chain;
using ik::Dh;
using ik::Joints;
using ik::Pose;
using Method = AnalyticIkSolver::Plan::Method;
using Side = AnalyticIkBranch::Side;

namespace {

constexpr double accepted = 1e-9;       // m and rad, of every solution
constexpr double same_angle = 1e-7;     // rad or m: solutions closer than this are one
constexpr double polish_above = 5e-13;  // what is further off gets Newton steps

constexpr int trial_poses = 24;  // that a numbering of the elimination is tried on

constexpr double pi = 3.14159265358979323846;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The same as wrapped_angle, for angles that most often need no change.
double in_one_turn(double x) {
  if (x > -pi && x <= pi) return x;
  const double y = x > pi ? x - 2 * pi : x + 2 * pi;
  return y > -pi && y <= pi ? y : internal::wrapped_angle(x);
}

bool same(const AnalyticIkSolution& s, const Joints& q,
          const std::array<bool, max_ik_joints>& slides, int n) {
  for (int i = 0; i < n; ++i) {
    double d = std::abs(s.q[at(i)] - q[at(i)]);
    if (!slides[at(i)] && d > 6) d = std::abs(in_one_turn(d));
    if (d > same_angle) return false;
  }
  return true;
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
    if (chain.n == max_ik_joints)
      throw Error("analytic_ik: frame \"" + frame.name + "\" is moved by " +
                  std::to_string(path.size()) + " joints, more than six: lock the others");
    plan.coordinate[at(chain.n)] = body.q.first;
    plan.lower[at(chain.n)] = model.limits(body.v.first).lower;
    plan.upper[at(chain.n)] = model.limits(body.v.first).upper;
    chain.link[at(chain.n)] = link * body.placement * Pose{body.turn, {}};
    chain.slides[at(chain.n++)] = slides;
    link = {transpose(body.turn), {}};
  }
  chain.link[at(chain.n)] = link * frame.placement;
  plan.n = chain.n;
  return chain;
}

/// Where the last axis is nearest to the one before, along the last joint's z.
double foot_on_last_axis(const Chain& chain) {
  const Pose& L = chain.link[at(chain.n - 1)];
  const double across2 = L.R.c2.x * L.R.c2.x + L.R.c2.y * L.R.c2.y;
  return across2 < 1e-16 ? 0 : -(L.p.x * L.R.c2.x + L.p.y * L.R.c2.y) / across2;
}

/// The chain with turning joints that do not exist behind its last one, across each other and none
/// of them singular where they stand at zero. They meet in a point: of three joints the origin of
/// the frame, of four its foot on the last axis, of five the place where the last axis is nearest
/// to the one before (if these two meet, all three do).
Chain completed(const Chain& chain) {
  const SO3<double> onto_x{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};  // z to x, x to y, y to z
  const Pose tool = chain.link[at(chain.n)];
  const double along = chain.n == 5 ? foot_on_last_axis(chain) : tool.p.z;
  Chain six = chain;
  Pose where{SO3<double>::identity(), chain.n == 3 ? tool.p : ik::Vector{0, 0, along}};
  for (int i = chain.n; i < max_ik_joints; ++i) {
    where.R = where.R * onto_x;
    six.link[at(i)] = i == chain.n ? where : Pose{onto_x, {}};
    six.slides[at(i)] = false;
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
  if (chain.n < 3 || (chain.n > 3 && chain.slides[at(chain.n - 1)])) return false;
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
      q[at(i)] = plan.dh.slides[at(i)] ? turn * plan.dh.scale : 3.1 * turn;
    }
    const Pose target = forward(plan.dh, q.data());
    result.n_solutions = 0;
    ik::Sink sink{plan, target, result};
    const Pose goal = plan.backwards ? inverse(target) : target;
    gap = std::min(gap, solve_by_elimination(plan.chain, shift, goal, sink));
    for (const AnalyticIkSolution& s : result) {
      double off = 0;
      for (int i = 0; i < plan.n; ++i) {
        const double d = s.q[at(i)] - q[at(i)];
        off = std::max(off, std::abs(plan.dh.slides[at(i)] ? d : internal::wrapped_angle(d)));
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
    other.link[at(i)].R = chain.link[at(i)].R * exp(w * size);
    other.link[at(i)].p = chain.link[at(i)].p + v * (size * scale);
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

void ik::Sink::propose(const Proposal& proposal) {
  Joints q = proposal.q;
  if (plan.backwards) std::reverse(q.begin(), q.begin() + plan.chain.n);
  judge(proposal, q, pose_error(forward(plan.dh, q.data()), target));
}

void ik::Sink::propose(const Proposal* proposals, int n) {
  if (n == 0) return;
  std::array<Joints, 8> q{};
  std::array<PoseError, 8> errors;
  for (int i = 0; i < n; ++i) {
    q[at(i)] = proposals[i].q;
    if (plan.backwards) std::reverse(q[at(i)].begin(), q[at(i)].begin() + plan.chain.n);
  }
  pose_errors(plan.dh, target, q.data(), n, errors.data());
  for (int i = 0; i < n; ++i) {
    // The chord is the angle only where it is small; misses are measured properly.
    if (errors[at(i)].rotation > polish_above)
      errors[at(i)] = pose_error(forward(plan.dh, q[at(i)].data()), target);
    judge(proposals[i], q[at(i)], errors[at(i)]);
  }
}

void ik::Sink::judge(const Proposal& proposal, Joints q, PoseError error) {
  const int n = plan.n;
  Joints combination = proposal.combination;
  int free_joint = proposal.free_joint;
  if (plan.backwards) {
    std::reverse(combination.begin(), combination.begin() + plan.chain.n);
    if (free_joint >= 0) free_joint = plan.chain.n - 1 - free_joint;
  }
  if (free_joint >= n) free_joint = -1;  // of a joint that does not exist
  const double off = error.position + error.rotation;
  if (off > polish_above && (n == max_ik_joints || off < 1e-3)) {
    Joints better = q;
    const PoseError e = refine(plan.dh, target, better.data(), 8);
    if (e.position < accepted && e.rotation < accepted) q = better, error = e;
  }
  if (n == max_ik_joints && !(error.position < accepted && error.rotation < accepted)) return;

  for (int i = 0; i < n; ++i)
    if (!plan.dh.slides[at(i)]) q[at(i)] = in_one_turn(q[at(i)]);
  for (int k = 0; k < result.n_solutions; ++k)
    if (same(result.solutions[at(k)], q, plan.dh.slides, n)) return;
  if (result.n_solutions == max_ik_solutions) return;
  AnalyticIkSolution& s = result.solutions[at(result.n_solutions++)];
  s = {};
  s.branch = proposal.branch;
  s.position_error = error.position;
  s.rotation_error = error.rotation;
  for (int i = 0; i < n; ++i) {
    double x = q[at(i)];
    const double lo = plan.lower[at(i)] - 1e-9, hi = plan.upper[at(i)] + 1e-9;
    if (!plan.dh.slides[at(i)] && (x < lo || x > hi)) {
      const double other = x < lo ? x + 2 * pi : x - 2 * pi;
      if (other >= lo && other <= hi) x = other;
    }
    if (x < lo || x > hi) s.outside_limits |= 1u << i;
    s.q[at(i)] = x;
  }
  if (free_joint >= 0 && result.n_families < max_ik_families) {
    s.family = result.n_families;
    AnalyticIkFamily& family = result.families[at(result.n_families++)];
    family.free_joint = free_joint;
    family.combination = combination;
    family.value = 0;
    for (int i = 0; i < n; ++i) family.value += combination[at(i)] * s.q[at(i)];
    family.value = internal::wrapped_angle(family.value);
  }
}

void AnalyticIkSolver::Plan::run(const Pose& target, AnalyticIkResult& result) const {
  ik::Sink sink{*this, target, result};
  const Pose goal = backwards ? inverse(target) : target;
  switch (method) {
    case Method::planar:
      solve_planar(chain, chain_dh, goal, sink);
      break;
    case Method::three_parallel:
      solve_three_parallel(chain_dh, goal, sink);
      break;
    case Method::decoupled:
      solve_decoupled(decoupled, goal, sink);
      break;
    case Method::three_slides:
      solve_three_slides(chain, goal, sink);
      break;
    case Method::elimination:
      if ((solve_by_elimination(chain, shift, goal, sink) < 1e-13 || disturbed) &&
          second_shift >= 0)
        (void)solve_by_elimination(chain, second_shift, goal, sink);
      break;
    case Method::search:
      solve_by_search(dh, target, 300, sink);
      break;
  }
  result.status = AnalyticIkStatus::solved;
  if (n < max_ik_joints && result.n_solutions > 0) {
    // Exact ones, if there are any; else those that do the most of what was asked.
    int exact = 0;
    for (const AnalyticIkSolution& s : result)
      if (s.position_error < accepted && s.rotation_error < accepted)
        result.solutions[at(exact++)] = s;
    if (exact > 0)
      result.n_solutions = exact;
    else
      result.status = AnalyticIkStatus::reduced;
  }
  if (result.n_solutions > 0) {
    result.distance = 0;
    return;
  }
  result.status = AnalyticIkStatus::unreachable;
  if (method == Method::search || (method == Method::planar && result.distance > 0)) return;
  if (method == Method::decoupled && sink.reached_arm == 0) {
    // Distance of the wrist centre from the workspace of the first three joints.
    result.distance_of_wrist_centre = true;
    result.distance = infinity;
    const Pose centre{SO3<double>::identity(), goal * decoupled.centre};
    const ik::Vector origin{};
    for (int start = 0; start < 27; ++start) {
      Joints q{};
      for (int i = 0, code = start; i < 3; ++i, code /= 3)
        q[at(i)] = (code % 3 - 1) * (decoupled.arm.slides[at(i)] ? decoupled.arm.scale : 2.1) + 0.1;
      const ik::PoseError e = approach(decoupled.arm, centre, &origin, q.data(), 80);
      result.distance = std::min(result.distance, e.position);
    }
    return;
  }
  ik::solve_by_search(dh, target, 24, sink);
  if (result.n_solutions > 0) result.status = AnalyticIkStatus::solved;
}

AnalyticIkSolver::AnalyticIkSolver(const Model<double>& model, const Frame& frame) {
  auto plan = std::make_shared<Plan>();
  const Chain chain = chain_to(model, frame, *plan);
  plan->dh = dh_form(chain);
  plan->chain = chain;
  plan->chain_dh = plan->dh;
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
  plan_ = std::move(plan);
}

void AnalyticIkSolver::solve(const SE3<double>& T, AnalyticIkResult& result) const {
  const auto refuse = [](const std::string& why) { throw Error("analytic_ik: " + why); };
  for (int k = 0; k < 3; ++k)
    if (!(is_finite(T.p[k]) && is_finite(T.R[k].x) && is_finite(T.R[k].y) && is_finite(T.R[k].z)))
      refuse("the pose has a number that is not finite");
  if (!is_rotation(T.R, 1e-6)) refuse("the pose is not rigid: its 3 x 3 part is no rotation");
  result.n_joints = plan_->n;
  result.n_solutions = 0;
  result.n_families = 0;
  result.distance = 0;
  result.rotation_distance = 0;
  result.distance_of_wrist_centre = false;
  result.solver = plan_->name;
  // What a rigid pose lacks in the last digits would be missing from every solution.
  SE3<double> target = T;
  for (int k = 0; k < 2; ++k) {
    const Mat3<double> defect = transpose_times(target.R, target.R);
    target.R = target.R * ((Mat3<double>::identity() * 3.0 - defect) * 0.5);
  }
  plan_->run(target, result);
}

const char* AnalyticIkSolver::method() const { return plan_->name; }
int AnalyticIkSolver::n_joints() const { return plan_->n; }
int AnalyticIkSolver::coordinate(int i) const { return plan_->coordinate[at(i)]; }
void AnalyticIkSolver::write(const AnalyticIkSolution& solution, View<double> q) const {
  for (int i = 0; i < plan_->n; ++i) q[plan_->coordinate[at(i)]] = solution.q[at(i)];
}

AnalyticIkResult analytic_ik(const Model<double>& model, const std::string& frame,
                             const SE3<double>& T_world_frame) {
  AnalyticIkResult result;
  AnalyticIkSolver(model, frame).solve(T_world_frame, result);
  return result;
}

bool has_spherical_wrist(const Model<double>& model, const std::string& frame) {
  AnalyticIkSolver::Plan plan;
  return has_meeting_wrist(dh_form(chain_to(model, model.frame(frame), plan)));
}

}  // namespace torsor
