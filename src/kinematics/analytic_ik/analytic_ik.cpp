#include "torsor/kinematics/analytic_ik.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analytic_ik/parts.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

using ik::Joints;
using ik::Pose;
using Method = AnalyticIkSolver::Plan::Method;
using Side = AnalyticIkBranch::Side;

namespace {

constexpr double accepted = 1e-9;       // m and rad, of every solution
constexpr double same_angle = 1e-7;     // rad or m: solutions closer than this are one
constexpr double polish_above = 5e-13;  // what is further off gets Newton steps
constexpr double nearly = 1e-3;         // m and rad: where a singularity may keep Newton's away
constexpr int fallback_starts = 32;     // of the search for a pose that should have a solution
constexpr int members_shown = 4;        // of the solutions of an arm that is singular everywhere

constexpr double pi = 3.14159265358979323846;

/// The same as wrapped_angle, for angles that most often need no change.
double in_one_turn(double x) {
  if (x > -pi && x <= pi) return x;
  const double y = x > pi ? x - 2 * pi : x + 2 * pi;
  return y > -pi && y <= pi ? y : internal::wrapped_angle(x);
}

bool same(const AnalyticIkSolution& s, const Joints& q,
          const FixedArray<bool, max_ik_joints>& slides, int n) {
  for (int i = 0; i < n; ++i) {
    double d = std::abs(s.q[i] - q[i]);
    if (!slides[i] && d > 6) d = std::abs(in_one_turn(d));
    if (d > same_angle) return false;
  }
  return true;
}

/// Leaves the solutions that meet the pose exactly, if there are any.
bool keep_exact(AnalyticIkResult& result) {
  int exact = 0;
  for (const AnalyticIkSolution& s : result)
    if (s.position_error < accepted && s.rotation_error < accepted) result.solutions[exact++] = s;
  if (exact == 0) return false;
  result.n_solutions = exact;
  result.distance = result.rotation_distance = 0;
  return true;
}

/// The closest first, of those that meet the pose in part.
void sort_by_error(AnalyticIkResult& result, double scale) {
  const auto off = [&](const AnalyticIkSolution& s) {
    return s.position_error + scale * s.rotation_error;
  };
  std::stable_sort(result.solutions.begin(), result.solutions.begin() + result.n_solutions,
                   [&](const auto& a, const auto& b) { return off(a) < off(b); });
}

/// m, of the wrist centre from the workspace of the first three joints.
double wrist_centre_distance(const ik::Decoupled& decoupled, const Pose& goal) {
  double distance = infinity;
  const Pose centre{SO3<double>::identity(), goal * decoupled.centre};
  const ik::Vector origin{};
  for (int start = 0; start < 27; ++start) {
    Joints q{};
    for (int i = 0, code = start; i < 3; ++i, code /= 3)
      q[i] = (code % 3 - 1) * (decoupled.arm.slides[i] ? decoupled.arm.scale : 2.1) + 0.1;
    const ik::PoseError e = approach(decoupled.arm, centre, &origin, q.data(), 80);
    distance = std::min(distance, e.position);
  }
  return distance;
}

bool is_accepted(const ik::PoseError& e) { return e.position < accepted && e.rotation < accepted; }

}  // namespace

void ik::Sink::propose(const Proposal& proposal) {
  Joints q = proposal.q;
  if (plan.backwards) std::reverse(q.begin(), q.begin() + plan.chain.n);
  judge(proposal, q, pose_error(forward(plan.dh, q.data()), target));
}

void ik::Sink::propose(const Proposal* proposals, int n) {
  if (n == 0) return;
  FixedArray<Joints, 8> q{};
  FixedArray<PoseError, 8> errors;
  for (int i = 0; i < n; ++i) {
    q[i] = proposals[i].q;
    if (plan.backwards) std::reverse(q[i].begin(), q[i].begin() + plan.chain.n);
  }
  pose_errors(plan.dh, target, q.data(), n, errors.data());
  for (int i = 0; i < n; ++i) {
    // The chord is the angle only where it is small; misses are measured properly.
    if (errors[i].rotation > polish_above)
      errors[i] = pose_error(forward(plan.dh, q[i].data()), target);
    judge(proposals[i], q[i], errors[i]);
  }
}

void ik::Sink::propose_own(const Joints& q) {
  Proposal proposal;
  proposal.branch.number = result.n_solutions + 1;
  judge(proposal, q, pose_error(forward(plan.dh, q.data()), target));
}

void ik::Sink::polish(Joints& q, PoseError& error) const {
  const Vector origin{};
  Joints better = q;
  PoseError e{infinity, infinity};
  if (!position_only) e = refine(plan.dh, target, better.data(), 8);
  if (!is_accepted(e) && error.position + error.rotation < nearly) {
    better = q;
    e = approach(plan.dh, target, position_only ? &origin : nullptr, better.data(), 120);
    if (!is_accepted(e) && !position_only) e = refine(plan.dh, target, better.data(), 12, true);
  }
  if (is_accepted(e)) q = better, error = e;
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
  if (position_only) error.rotation = 0;
  const double off = error.position + error.rotation;
  if (off > polish_above && (n == max_ik_joints || off < nearly)) polish(q, error);
  if (n == max_ik_joints && !is_accepted(error)) return;

  for (int i = 0; i < n; ++i)
    if (!plan.dh.slides[i]) q[i] = in_one_turn(q[i]);
  for (int k = 0; k < result.n_solutions; ++k)
    if (same(result.solutions[k], q, plan.dh.slides, n)) return;
  if (result.n_solutions == max_ik_solutions) return;
  AnalyticIkSolution& s = result.solutions[result.n_solutions++];
  s = {};
  s.branch = proposal.branch;
  s.position_error = error.position;
  s.rotation_error = error.rotation;
  for (int i = 0; i < n; ++i) {
    double x = q[i];
    const double lo = plan.lower[i] - 1e-9, hi = plan.upper[i] + 1e-9;
    if (!plan.dh.slides[i] && (x < lo || x > hi)) {
      const double other = x < lo ? x + 2 * pi : x - 2 * pi;
      if (other >= lo && other <= hi) x = other;
    }
    if (x < lo || x > hi) s.outside_limits |= 1u << i;
    s.q[i] = x;
  }
  const bool to_look_at = free_joint >= 0 || plan.freedom > 0 ||
                          (plan.method == Method::elimination && may_be_singular(plan.dh, q));
  if (!to_look_at || result.n_families == max_ik_families) return;
  SelfMotion motion;
  if (!position_only) motion = self_motion(plan.dh, q, free_joint);
  if (motion.dimension == 0) {
    if (free_joint < 0) return;
    motion.dimension = 1;
    motion.free_joints[0] = free_joint;
    motion.combination = combination;
  }
  s.family = result.n_families;
  AnalyticIkFamily& family = result.families[result.n_families++];
  family = {motion.dimension, motion.free_joints, motion.combination, 0};
  for (int i = 0; i < n; ++i) family.value += motion.combination[i] * s.q[i];
  bool whole_turns = true;  // of any of its joints change the sum by whole turns
  for (int i = 0; i < n; ++i) {
    const double c = motion.combination[i];
    whole_turns = whole_turns && (c == 0 || !plan.dh.slides[i]) && c == std::round(c);
  }
  if (whole_turns) family.value = internal::wrapped_angle(family.value);
}

void AnalyticIkSolver::Plan::search_near(const Pose& target, ik::Sink& sink) const {
  AnalyticIkResult& result = sink.result;
  const int before = result.n_solutions;
  for (int k = 0; k < before; ++k) {  // from what there is
    Joints q = result.solutions[k].q;
    const ik::PoseError e = approach(dh, target, nullptr, q.data(), 60);
    if (e.position + e.rotation < nearly) sink.propose_own(q);
    if (result.n_solutions > before) return;
  }
  // Where nothing comes near, nothing is expected.
  const double nearest = solve_by_search(dh, target, fallback_starts, 60, before + 1, sink);
  if (result.n_solutions == before && nearest < 0.02 * dh.scale)
    (void)solve_by_search(dh, target, 4 * fallback_starts, 250, before + 1, sink);
}

void AnalyticIkSolver::Plan::run(const Pose& target, bool position_only,
                                 AnalyticIkResult& result) const {
  ik::Sink sink{*this, target, result, position_only};
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
      if (freedom > 0)
        (void)solve_by_search(dh, target, fallback_starts, 60, members_shown, sink);
      else
        (void)solve_by_search(dh, target, 300, 60, max_ik_solutions, sink);
      if (result.n_solutions == 0) search_near(target, sink);
      break;
  }
  result.status = freedom > 0 ? AnalyticIkStatus::continuum : AnalyticIkStatus::solved;
  if (n < max_ik_joints && result.n_solutions > 0) {
    if (keep_exact(result)) return;
    sort_by_error(result, dh.scale);
    // At a singularity the completed chain may settle a joint that the pose would have otherwise: the
    // robot's own poses are met by search. A plane has no such secrets.
    bool worth_it = method != Method::planar;
    for (const AnalyticIkSolution& s : result)
      worth_it |= s.position_error + s.rotation_error < nearly;
    if (worth_it && method != Method::search) {
      // A full list has no place for what the search finds: the farthest ones give way.
      result.n_solutions = std::min(result.n_solutions, max_ik_solutions / 2);
      search_near(target, sink);
      if (keep_exact(result)) return;
    }
    sort_by_error(result, dh.scale);
    result.status = AnalyticIkStatus::reduced;
  }
  result.distance = result.n_solutions > 0 ? 0 : result.distance;
  if (result.n_solutions > 0) return;
  result.status = AnalyticIkStatus::unreachable;
  // What is out of reach by less than this may be so by rounding: a search decides.
  const double by_rounding = 1e-6 * dh.scale;
  if (method == Method::search || (method == Method::planar && result.distance > by_rounding))
    return;
  if (method == Method::decoupled && sink.reached_arm == 0) {
    result.distance = wrist_centre_distance(decoupled, goal);
    result.distance_of_wrist_centre = true;
    if (result.distance > by_rounding) return;
  }
  const double distance = result.distance;
  search_near(target, sink);
  if (result.n_solutions == 0) {
    if (result.distance_of_wrist_centre) result.distance = distance, result.rotation_distance = 0;
    return;
  }
  result.status = AnalyticIkStatus::solved;
  result.distance = result.rotation_distance = 0;
  result.distance_of_wrist_centre = false;
}

void AnalyticIkSolver::prepare(AnalyticIkResult& result) const {
  result.n_joints = plan_->n;
  result.n_solutions = 0;
  result.n_families = 0;
  result.distance = 0;
  result.rotation_distance = 0;
  result.distance_of_wrist_centre = false;
  result.solver = plan_->name;
}

void AnalyticIkSolver::solve(const SE3<double>& T, AnalyticIkResult& result) const {
  const auto refuse = [](const std::string& why) { throw Error("analytic_ik: " + why); };
  for (int k = 0; k < 3; ++k)
    if (!(is_finite(T.p[k]) && is_finite(T.R[k].x) && is_finite(T.R[k].y) && is_finite(T.R[k].z)))
      refuse("the pose has a number that is not finite");
  if (!is_rotation(T.R, 1e-6)) refuse("the pose is not rigid: its 3 x 3 part is no rotation");
  prepare(result);
  // What a rigid pose lacks in the last digits would be missing from every solution.
  SE3<double> target = T;
  for (int k = 0; k < 2; ++k) {
    const Mat3<double> defect = transpose_times(target.R, target.R);
    target.R = target.R * ((Mat3<double>::identity() * 3.0 - defect) * 0.5);
  }
  plan_->run(target, false, result);
}

void AnalyticIkSolver::solve_position(const Vec3<double>& p, AnalyticIkResult& result) const {
  if (!(is_finite(p.x) && is_finite(p.y) && is_finite(p.z)))
    throw Error("analytic_ik: the position has a number that is not finite");
  if (!plan_->position_alone)
    throw Error("analytic_ik: a position does not determine " + std::to_string(plan_->n) +
                (plan_->n == 1 ? " joint" : " joints"));
  prepare(result);
  plan_->run({SO3<double>::identity(), p}, true, result);
}

const char* AnalyticIkSolver::method() const { return plan_->name; }
bool AnalyticIkSolver::finds_all() const {
  return plan_->method != Method::elimination && plan_->method != Method::search;
}
bool AnalyticIkSolver::solves_position() const { return plan_->position_alone; }
int AnalyticIkSolver::freedom() const { return plan_->freedom; }
int AnalyticIkSolver::n_joints() const { return plan_->n; }
int AnalyticIkSolver::coordinate(int i) const { return plan_->coordinate[i]; }
void AnalyticIkSolver::write(const AnalyticIkSolution& solution, View<double> q) const {
  for (int i = 0; i < plan_->n; ++i) q[plan_->coordinate[i]] = solution.q[i];
}

AnalyticIkResult analytic_ik(const Model<double>& model, const std::string& frame,
                             const SE3<double>& T_world_frame) {
  AnalyticIkResult result;
  AnalyticIkSolver(model, frame).solve(T_world_frame, result);
  return result;
}

}  // namespace torsor
