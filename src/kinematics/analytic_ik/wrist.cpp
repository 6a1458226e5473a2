// Arms whose last three axes meet: the wrist centre fixes the arm, the orientation the wrist.
//
//   p_c = T c                                   wrist centre, q1 q2 q3 by analytic_ik_arm.cpp
//   E   = R_03^T R_T R_tool^T = Rz(th4) Rx(al4) Rz(th5) Rx(al5) Rz(th6)
//   E z     = Rz(th4) (s5 sa5, -ca4 c5 sa5 - sa4 ca5, ca4 ca5 - sa4 sa5 c5)
//   E^T z   = Rz(th6)^T (s5 sa4, c5 sa4 ca5 + sa5 ca4, ...)
//
// The ZYZ wrist takes |s5| from the first two entries of E z, without loss near zero. Where E z is
// +-z, axes 4 and 6 coincide and only th4 +- th6 is determined: this is looked at for every posture
// of the arm, as one may be singular while the others are not.
// Source: Huo 2005, (1-25) to (1-29), corrected.
#include <cmath>
#include <utility>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/trig_roots.hpp"

namespace torsor::ik {
namespace {

using Side = AnalyticIkBranch::Side;
constexpr double singular_sine = 1e-10;
constexpr double pi = 3.14159265358979323846;

void turn_z(SO3<double>& R, double s, double c) {
  const Vector x = R.c0 * c + R.c1 * s;
  R.c1 = R.c1 * c - R.c0 * s;
  R.c0 = x;
}
void turn_x(SO3<double>& R, double s, double c) {
  const Vector y = R.c1 * c + R.c2 * s;
  R.c2 = R.c2 * c - R.c1 * s;
  R.c1 = y;
}

/// Three turning joints of which E is the rotation; `out` gets their DH angles and what is free.
struct WristRoots {
  int n = 0;
  bool singular = false;
  bool nearly_singular = false;
  double sense = 1;  // th4 + sense th6 is determined
  FixedArray<FixedArray<double, 3>, 2> theta{};
};

/// `th4_free`: the DH angle that joint 4 takes where it may take any.
WristRoots solve_wrist(const SO3<double>& E, double ca4, double sa4, double ca5, double sa5,
                       bool zyz, double th4_free) {
  WristRoots roots;
  const double ex = E.c2.x, ey = E.c2.y, ez = E.c2.z;  // E z
  const double fx = E.c0.z, fy = E.c1.z;               // x, y of E^T z
  const double side2 = ex * ex + ey * ey;
  double c5, s5;
  if (zyz) {
    c5 = -ez * sa4 * sa5;  // sa4, sa5 = +-1
    s5 = std::sqrt(side2);
  } else {
    c5 = (ca4 * ca5 - ez) / (sa4 * sa5);
    const double w2 = (1 - c5) * (1 + c5);
    if (w2 < -1e-9) return roots;  // solutions are verified
    s5 = w2 > 0 ? std::sqrt(w2) : 0;
    const double n = 1 / std::sqrt(s5 * s5 + c5 * c5);
    s5 *= n, c5 *= n;
  }
  roots.sense = ez < 0 ? -1 : 1;
  roots.nearly_singular = side2 < 1e-6;
  if (side2 < singular_sine * singular_sine) {
    SO3<double> C = rotation_z(th4_free);
    turn_x(C, sa4, ca4);
    turn_z(C, s5, c5);
    turn_x(C, sa5, ca5);
    const SO3<double> last = transpose_times(C, E);
    roots.n = 1;
    roots.singular = true;
    roots.theta[0] = {th4_free, atan2(s5, c5), atan2(last.c0.y, last.c0.x)};
    return roots;
  }
  roots.n = s5 == 0 ? 1 : 2;
  for (int j = 0; j < roots.n; ++j) {
    const double s = j == 0 ? s5 : -s5;
    const double ux = s * sa5, uy = -ca4 * c5 * sa5 - sa4 * ca5;
    const double vx = s * sa4, vy = c5 * sa4 * ca5 + sa5 * ca4;
    roots.theta[j] = {atan2(ux * ey - uy * ex, ux * ex + uy * ey), atan2(s, c5),
                      atan2(vy * fx - vx * fy, vx * fx + vy * fy)};
    if (j == 0 && zyz && roots.n == 2) {  // the flipped wrist is half a turn of 4 and 6 away
      const auto opposite = [](double angle) { return angle > 0 ? angle - pi : angle + pi; };
      const FixedArray<double, 3>& first = roots.theta[0];
      roots.theta[1] = {opposite(first[0]), -first[1], opposite(first[2])};
      break;
    }
  }
  return roots;
}

}  // namespace

bool has_meeting_wrist(const Dh& dh) {
  if (dh.n != 6 || dh.slides[3] || dh.slides[4] || dh.slides[5]) return false;
  const double tiny = 1e-9 * dh.scale;
  return dh.a[3] < tiny && dh.a[4] < tiny && std::abs(dh.d[4]) < tiny &&
         std::abs(dh.sa[3]) > 1e-6 && std::abs(dh.sa[4]) > 1e-6;
}

Decoupled decouple(const Dh& dh) {
  Decoupled arm;
  arm.dh = dh;
  arm.arm = dh;
  arm.arm.n = 3;
  const Pose X3{{{1, 0, 0}, {0, dh.ca[2], dh.sa[2]}, {0, -dh.sa[2], dh.ca[2]}}, {dh.a[2], 0, 0}};
  arm.arm.tool = X3 * Pose{SO3<double>::identity(), {0, 0, dh.d[3]}};
  arm.arm.a[2] = 0, arm.arm.ca[2] = 1, arm.arm.sa[2] = 0;
  const Pose behind = Pose{SO3<double>::identity(), {0, 0, dh.d[5]}} * dh.tool;
  arm.centre = inverse(behind).p;
  arm.R_tool = dh.tool.R;
  arm.zyz = dh.ca[3] == 0 && dh.ca[4] == 0;
  return arm;
}

void solve_decoupled(const Decoupled& arm, const Pose& target, Sink& sink) {
  const Dh& dh = arm.dh;
  FixedArray<ArmPosture, 8> postures;
  const int n = solve_arm(arm.arm, target * arm.centre, postures);
  sink.reached_arm += n;
  const SO3<double> R_last = target.R * transpose(arm.R_tool);  // of the last joint's axes
  FixedArray<Proposal, 8> batch;
  int waiting = 0;
  for (int i = 0; i < n; ++i) {
    const ArmPosture& posture = postures[i];
    SO3<double> R = dh.base.R;
    for (std::size_t k = 0; k < 3; ++k) {
      turn_z(R, posture.sin[k], posture.cos[k]);
      turn_x(R, dh.sa[k], dh.ca[k]);
    }
    const SO3<double> E = transpose_times(R, R_last);
    const WristRoots wrist =
        solve_wrist(E, dh.ca[3], dh.sa[3], dh.ca[4], dh.sa[4], arm.zyz, dh.o[3]);
    for (int j = 0; j < wrist.n; ++j) {
      const auto& theta = wrist.theta[j];
      Proposal& proposal = batch[waiting++];
      proposal.combination = {};
      proposal.q = {posture.q[0],       posture.q[1],       posture.q[2],
                    theta[0] - dh.o[3], theta[1] - dh.o[4], theta[2] - dh.o[5]};
      proposal.branch = posture.branch;
      if (wrist.n == 2) proposal.branch.wrist = j == 0 ? Side::first : Side::second;
      proposal.free_joint = posture.free_joint;
      if (wrist.nearly_singular && sink.plan.n == 5 && !sink.plan.backwards) {
        proposal.q[3] += wrist.sense * proposal.q[5];  // joint 6 is not there to turn
        proposal.q[5] = 0;
      } else if (wrist.singular) {
        proposal.free_joint = 3;
        proposal.combination[3] = 1;
        proposal.combination[5] = wrist.sense;
      }
      if (waiting == 8) sink.propose(batch.data(), std::exchange(waiting, 0));
    }
  }
  sink.propose(batch.data(), waiting);
}

bool has_three_slides(const Chain& chain) {
  int slides = 0;
  for (int i = 0; i < chain.n; ++i) slides += chain.slides[i] ? 1 : 0;
  return chain.n == 6 && slides == 3;
}

void solve_three_slides(const Chain& chain, const Pose& target, Sink& sink) {
  // The turning joints alone, in DH form: a wrist at the origin.
  Chain turning;
  FixedArray<int, 3> joint{};
  Pose link{chain.link[0].R, {}};
  for (int i = 0; i < 6; ++i) {
    if (!chain.slides[i]) {
      joint[turning.n] = i;
      turning.link[turning.n++] = link;
      link = {};
    }
    link.R = link.R * chain.link[i + 1].R;
  }
  turning.link[3] = link;
  const Dh dh = dh_form(turning);
  if (std::abs(dh.sa[0]) < 1e-6 || std::abs(dh.sa[1]) < 1e-6) return;
  const SO3<double> E = transpose_times(dh.base.R, target.R * transpose(dh.tool.R));
  const bool zyz = dh.ca[0] == 0 && dh.ca[1] == 0;
  const WristRoots wrist = solve_wrist(E, dh.ca[0], dh.sa[0], dh.ca[1], dh.sa[1], zyz, dh.o[0]);
  for (int j = 0; j < wrist.n; ++j) {
    Proposal proposal;
    for (std::size_t k = 0; k < 3; ++k) proposal.q[joint[k]] = wrist.theta[j][k] - dh.o[k];
    if (wrist.n == 2) proposal.branch.wrist = j == 0 ? Side::first : Side::second;
    if (wrist.singular) {
      proposal.free_joint = joint[0];
      proposal.combination[joint[0]] = 1;
      proposal.combination[joint[2]] = wrist.sense;
    }
    // p(q) = p(0) + sum of slide directions times lengths.
    Pose T = chain.link[0];
    Mat3<double> directions{};
    FixedArray<int, 3> slide{};
    int n = 0;
    for (int i = 0; i < 6; ++i) {
      if (chain.slides[i]) {
        directions[n] = T.R.c2;
        slide[n++] = i;
      } else {
        const auto [s, c] = sincos(proposal.q[i]);
        turn_z(T.R, s, c);
      }
      T = T * chain.link[i + 1];
    }
    if (std::abs(determinant(directions)) < 1e-12) continue;
    const Vector lengths = inverse(directions) * (target.p - T.p);
    for (int k = 0; k < 3; ++k) proposal.q[slide[k]] = lengths[k];
    sink.propose(proposal);
  }
}

}  // namespace torsor::ik
