// Chains whose turning axes are all parallel: planar 2R and 3R, SCARA, and mixes with slides.
//
// At q = 0, in axes whose z is the common direction u: turning joints are points c_i with a sense
// +-1, slides across u are unit vectors e_i, one slide along u may lift everything. A target asks
// for a planar motion x -> Rz(phi)(x - t0) + t and a height.
//   three joints, the last turning   its centre goes to W = Rz(phi)(c3 - t0) + t by the first two
//   two joints                       the origin of the frame goes to t; phi is what it is, but for an
//                                    origin that joint 2 does not move: then phi tells joint 2
//   two joints move a point a to W   RR  |b + R e|^2 = |W - c1|^2,  b = c2 - c1, e = a - c2
//                                    TR  n . R(psi) f = n . (W - c2)         n across the slide
//                                    RT  |a - c1 + e2 d|^2 = |W - c1|^2
// What the plane cannot do (tilt, height without a lift) is left over and reported.
#include <cmath>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/trig_roots.hpp"

namespace torsor::ik {
namespace {

using Side = AnalyticIkBranch::Side;

struct Flat {
  double x = 0, y = 0;
};
Flat operator+(Flat a, Flat b) { return {a.x + b.x, a.y + b.y}; }
Flat operator-(Flat a, Flat b) { return {a.x - b.x, a.y - b.y}; }
Flat operator*(Flat a, double s) { return {a.x * s, a.y * s}; }
double dot(Flat a, Flat b) { return a.x * b.x + a.y * b.y; }
double wedge(Flat a, Flat b) { return a.x * b.y - a.y * b.x; }
Flat turned(Flat a, double s, double c) { return {c * a.x - s * a.y, s * a.x + c * a.y}; }
double angle_between(Flat from, Flat to) { return atan2(wedge(from, to), dot(from, to)); }

struct FlatJoint {
  int index = 0;
  bool slides = false;
  double sense = 1;
  Flat at{};  // centre, or direction of a slide
};

struct FlatChain {
  SO3<double> axes{};  // columns: two across, u
  int n = 0, lift = -1;
  double lift_sense = 1;
  FixedArray<FlatJoint, max_ik_joints> joint{};
  Pose zero{};  // of the frame at q = 0
};

/// False: not of this kind.
bool flatten(const Chain& chain, FlatChain& flat) {
  Pose T = chain.link[0];
  FixedArray<Pose, max_ik_joints> joints;
  int first_turning = -1;
  for (int i = 0; i < chain.n; ++i) {
    joints[i] = T;
    if (!chain.slides[i] && first_turning < 0) first_turning = i;
    T = T * chain.link[i + 1];
  }
  if (first_turning < 0) return false;
  flat.zero = T;
  flat.axes = joints[first_turning].R;
  const Vector u = flat.axes.c2;
  for (int i = 0; i < chain.n; ++i) {
    const Vector z = joints[i].R.c2;
    const double along = torsor::dot(z, u);
    const bool parallel = norm(cross(z, u)) < 1e-9, across = std::abs(along) < 1e-9;
    if (chain.slides[i] && parallel) {
      if (flat.lift >= 0) return false;
      flat.lift = i;
      flat.lift_sense = along < 0 ? -1 : 1;
      continue;
    }
    if (!(chain.slides[i] ? across : parallel)) return false;
    const Vector v = transpose_times(flat.axes, chain.slides[i] ? z : joints[i].p);
    flat.joint[flat.n++] = {i, chain.slides[i], along < 0 ? -1.0 : 1.0, {v.x, v.y}};
  }
  return flat.n <= 3;
}

struct TwoJoints {
  int n = 0;
  double missed = 0;  // m by which W is out of reach
  FixedArray<FixedArray<double, 2>, 2> q{};
  int free_joint = -1;
};

/// A length below this part of the links' is none.
constexpr double nothing = 1e-10;

/// `phi`: the angle that the frame should have, which settles what W leaves open; null where it does
/// not count, or a third joint sees to it.
TwoJoints two_turning(const FlatJoint& j1, const FlatJoint& j2, Flat a, Flat W, const double* phi) {
  TwoJoints out;
  const Flat b = j2.at - j1.at, e = a - j2.at, r = W - j1.at;
  const double reach = std::sqrt(dot(r, r)), lb = std::sqrt(dot(b, b)), le = std::sqrt(dot(e, e));
  out.missed = std::max(0.0, std::max(reach - (lb + le), std::abs(lb - le) - reach));
  if (le <= nothing * lb) {  // joint 2 does not move the point
    if (out.missed > 1e-6 * lb) return out;
    const double q1 = reach > nothing * lb ? angle_between(b, r) : 0;
    if (!phi) out.free_joint = j2.index;
    out.q[out.n++] = {j1.sense * q1, phi ? j2.sense * (*phi - q1) : 0};
    return out;
  }
  const TrigRoots t = solve_trig(-wedge(b, e), dot(b, e), (dot(r, r) - dot(b, b) - dot(e, e)) / 2,
                                 lb * lb + le * le, 1e-14, 1e-9 * (lb * lb + le * le));
  for (int i = 0; i < t.n; ++i) {
    const Flat f = b + turned(e, t.sin[i], t.cos[i]);
    const bool centre = dot(f, f) < nothing * nothing * (lb * lb + le * le);
    if (centre && !phi) out.free_joint = j1.index;
    const double q2 = t.theta(i), q1 = !centre ? angle_between(f, r) : phi ? *phi - q2 : 0;
    out.q[out.n++] = {j1.sense * q1, j2.sense * q2};
  }
  return out;
}

TwoJoints two_joints(const FlatJoint& j1, const FlatJoint& j2, Flat a, Flat W, const double* phi) {
  if (!j1.slides && !j2.slides) return two_turning(j1, j2, a, W, phi);
  TwoJoints out;
  if (j1.slides && j2.slides) {
    const double det = wedge(j1.at, j2.at);
    if (std::abs(det) < 1e-9) return out;
    out.q[out.n++] = {wedge(W - a, j2.at) / det, wedge(j1.at, W - a) / det};
  } else if (j1.slides) {
    const Flat n{-j1.at.y, j1.at.x}, f = a - j2.at;
    const Flat way = W - j2.at;
    const double size = std::sqrt(dot(f, f) + dot(way, way));
    const TrigRoots t = solve_trig(-wedge(n, f), dot(n, f), dot(n, way), size);
    if (t.identity) {  // joint 2 does not move the point
      if (!phi) out.free_joint = j2.index;
      out.q[out.n++] = {dot(j1.at, way), phi ? j2.sense * *phi : 0};
      return out;
    }
    out.missed = t.n == 0 ? std::max(0.0, std::abs(dot(n, way)) - std::sqrt(dot(f, f))) : 0;
    for (int i = 0; i < t.n; ++i)
      out.q[out.n++] = {dot(j1.at, W - j2.at - turned(f, t.sin[i], t.cos[i])),
                        j2.sense * t.theta(i)};
  } else {
    const Flat f = a - j1.at, r = W - j1.at;
    const double half = -dot(f, j2.at), w2 = half * half - dot(f, f) + dot(r, r);
    const double least = 1e-14 * (dot(f, f) + dot(r, r));
    out.missed =
        std::max(0.0, std::sqrt(std::max(0.0, dot(f, f) - half * half)) - std::sqrt(dot(r, r)));
    if (w2 < -least) return out;
    const double w = w2 > least ? std::sqrt(w2) : 0;
    for (int i = 0; i < (w > 0 ? 2 : 1); ++i) {
      const double d = i == 0 ? half + w : half - w;
      const Flat g = f + j2.at * d;
      const bool centre = dot(g, g) <= nothing * nothing * (dot(f, f) + dot(r, r));
      if (centre && !phi) out.free_joint = j1.index;
      out.q[out.n++] = {j1.sense * (!centre ? angle_between(g, r) : phi ? *phi : 0), d};
    }
  }
  return out;
}

}  // namespace

bool is_planar(const Chain& chain) {
  FlatChain flat;
  if (!flatten(chain, flat)) return false;
  if (flat.n < 3) return true;
  const auto& j = flat.joint;
  return !j[2].slides || (j[0].slides && !j[1].slides);
}

bool position_fixes_planar(const Chain& chain) {
  FlatChain flat;
  return flatten(chain, flat) && flat.n == 2;
}

void solve_planar(const Chain& chain, const Dh&, const Pose& target, Sink& sink) {
  FlatChain flat;
  flatten(chain, flat);
  const SO3<double> D = transpose_times(flat.axes, target.R * transpose(flat.zero.R) * flat.axes);
  const double phi = atan2(D.c0.y - D.c1.x, D.c0.x + D.c1.y);
  const Vector zero = transpose_times(flat.axes, flat.zero.p);
  const Vector goal = transpose_times(flat.axes, target.p);
  const Flat t0{zero.x, zero.y}, t{goal.x, goal.y};
  const auto& j = flat.joint;
  Proposal proposal;
  if (flat.lift >= 0) proposal.q[flat.lift] = flat.lift_sense * (goal.z - zero.z);

  if (flat.n == 1) {
    proposal.q[j[0].index] = j[0].sense * phi;
    sink.propose(proposal);
    return;
  }
  const auto [s, c] = sincos(phi);
  if (flat.n == 3 && j[2].slides) {  // slide, turn, slide: the angle is the middle joint's
    const Flat moved = j[1].at + turned(t0 - j[1].at, s, c), e3 = turned(j[2].at, s, c);
    const double det = wedge(j[0].at, e3);
    if (std::abs(det) < 1e-12) return;
    proposal.q[j[0].index] = wedge(t - moved, e3) / det;
    proposal.q[j[1].index] = j[1].sense * phi;
    proposal.q[j[2].index] = wedge(j[0].at, t - moved) / det;
    sink.propose(proposal);
    return;
  }
  const Flat a = flat.n == 3 ? j[2].at : t0;
  const Flat W = flat.n == 3 ? turned(j[2].at - t0, s, c) + t : t;
  const bool told = flat.n == 2 && !sink.position_only;
  const TwoJoints two = two_joints(j[0], j[1], a, W, told ? &phi : nullptr);
  sink.result.distance = two.missed;
  for (int i = 0; i < two.n; ++i) {
    Proposal solution = proposal;
    solution.q[j[0].index] = two.q[i][0];
    solution.q[j[1].index] = two.q[i][1];
    if (flat.n == 3) {
      double rest = phi;
      for (int k = 0; k < 2; ++k)
        if (!j[k].slides) rest -= j[k].sense * two.q[i][k];
      solution.q[j[2].index] = j[2].sense * rest;
    }
    if (two.n == 2) solution.branch.elbow = i == 0 ? Side::first : Side::second;
    solution.free_joint = two.free_joint;
    sink.propose(solution);
  }
}

}  // namespace torsor::ik
