// Six turning joints with axes 2, 3, 4 parallel while 5 and 6 meet: Universal Robots and the like.
//
// Turning about 2, 3, 4 keeps what lies along their common direction u, so with W the point where 5
// and 6 meet, E = T behind^-1 = A1 ... A5 Rz(th6), and sg = +-1 for axes of opposite sense:
//   sa1 px s1 - sa1 py c1 = kappa - ca1 (pz - d1)      kappa = d2 + sg2 (d3 + sg3 (d4 + ca4 d5))
//   z6 . u                = sg2 sg3 (ca4 ca5 - sa4 sa5 c5)
//   Rz(th6)^T v = E^T u (x, y),   v = sg2 sg3 (s5 sa4, c5 sa4 ca5 + sa5 ca4)
//   M = A2 A3 Rz(th4) Tz(d4) = E1 (X4 A5 Rz(th6))^-1,  E1 = A1^-1 E: planar 3R, law of cosines
// M turns about u: its x axis and x, y of its origin are all that is needed of it.
// Where v vanishes joint 6 may be chosen (it stays at 0) and the planar part follows.
#include <cmath>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/trig_roots.hpp"

namespace torsor::ik {
namespace {

using Side = AnalyticIkBranch::Side;

Side side_of(int j, int n) { return n < 2 ? Side::none : j == 0 ? Side::first : Side::second; }

/// Joints 2, 3, 4 from the origin (x, y) and the x axis (cx, sx) of M.
void solve_planar_part(const Dh& dh, double x, double y, double cx, double sx, Proposal& proposal,
                       FixedArray<Proposal, 8>& batch, int& waiting) {
  const double sg2 = dh.ca[1], sg3 = dh.ca[2], a2 = dh.a[1], a3 = dh.a[2];
  const double r2 = x * x + y * y;
  const double c = (r2 - a2 * a2 - a3 * a3) / (2 * a2 * a3), w2 = (1 - c) * (1 + c);
  const double slack = 1e-14 * (1 + dh.scale * dh.scale / (a2 * a3));  // what c is rounded by
  if (w2 < -slack - 1e-9) return;                                      // solutions are verified
  const int n = w2 > slack ? 2 : 1;
  const double w = n == 2 ? std::sqrt(w2) : 0, c3 = n == 2 ? c : c < 0 ? -1.0 : 1.0;
  const double m = a2 + a3 * c3, k = a3 * w, bend = atan2(w, c3), phi = atan2(sx, cx);
  const bool free_shoulder = r2 < 1e-20 * dh.scale * dh.scale;  // M's origin on axis 2
  if (free_shoulder && proposal.free_joint < 0) proposal.free_joint = 1;
  for (int j = 0; j < n; ++j) {
    const double sign = j == 0 ? 1 : -1;
    const double th2 = free_shoulder ? dh.o[1] : atan2(y * m - sign * x * k, x * m + sign * y * k);
    proposal.q[1] = th2 - dh.o[1];
    proposal.q[2] = sg2 * sign * bend - dh.o[2];
    proposal.q[3] = sg2 * sg3 * (phi - th2 - sign * bend) - dh.o[3];
    proposal.branch.elbow = side_of(j, n);
    batch[waiting++] = proposal;
  }
}

}  // namespace

bool has_three_parallel(const Dh& dh) {
  if (dh.n != 6) return false;
  for (const bool slides : dh.slides)
    if (slides) return false;
  const double tiny = 1e-9 * dh.scale;
  return dh.sa[1] == 0 && dh.sa[2] == 0 && dh.a[1] > tiny && dh.a[2] > tiny && dh.a[4] < tiny &&
         std::abs(dh.sa[0]) > 1e-6 && std::abs(dh.sa[3]) > 1e-6 && std::abs(dh.sa[4]) > 1e-6;
}

void solve_three_parallel(const Dh& dh, const Pose& target, Sink& sink) {
  const double sa1 = dh.sa[0], ca1 = dh.ca[0], sa4 = dh.sa[3], ca4 = dh.ca[3];
  const double sa5 = dh.sa[4], ca5 = dh.ca[4], sg = dh.ca[1] * dh.ca[2];
  const bool right = ca4 == 0 && ca5 == 0;
  const Pose behind = Pose{SO3<double>::identity(), {0, 0, dh.d[5]}} * dh.tool;
  const Pose E = inverse_times(dh.base, target) * inverse(behind);
  const double kappa = dh.d[1] + dh.ca[1] * (dh.d[2] + dh.ca[2] * (dh.d[3] + ca4 * dh.d[4]));
  const double offset = kappa - ca1 * (E.p.z - dh.d[0]);
  TrigRoots first = solve_trig(sa1 * E.p.x, -sa1 * E.p.y, offset, dh.scale, 1e-14, 1e-9 * dh.scale);
  const bool free1 = first.identity && std::abs(offset) < 1e-10 * dh.scale;  // W on axis 1
  if (free1) {
    const auto [s, c] = sincos(dh.o[0]);
    first.n = 1;
    first.sin[0] = s, first.cos[0] = c;
  }
  FixedArray<Proposal, 8> batch;
  int waiting = 0;
  for (int i1 = 0; i1 < first.n; ++i1) {
    const double s1 = first.sin[i1];
    const double c1 = first.cos[i1];
    const Pose A1{{{c1, s1, 0}, {-s1 * ca1, c1 * ca1, sa1}, {s1 * sa1, -c1 * sa1, ca1}},
                  {dh.a[0] * c1, dh.a[0] * s1, dh.d[0]}};
    const Pose E1 = inverse_times(A1, E);             // A2 ... A5 Rz(th6)
    const Vector u{E1.R.c0.z, E1.R.c1.z, E1.R.c2.z};  // the parallel direction, seen from the end
    const double lateral2 = u.x * u.x + u.y * u.y;
    double c5, s5;
    if (right) {
      s5 = std::sqrt(lateral2);
      c5 = -sg * u.z * sa4 * sa5;
    } else {
      c5 = (ca4 * ca5 - sg * u.z) / (sa4 * sa5);
      const double w2 = (1 - c5) * (1 + c5);
      if (w2 < -1e-9) continue;
      s5 = w2 > 0 ? std::sqrt(w2) : 0;
    }
    const bool free6 = lateral2 < 1e-20;
    const int n5 = free6 || s5 == 0 ? 1 : 2;
    const double q1 = atan2(s1, c1) - dh.o[0], th5 = atan2(s5, c5);
    for (int i5 = 0; i5 < n5; ++i5) {
      const double s = i5 == 0 ? s5 : -s5;
      const double vx = sg * s * sa4, vy = sg * (c5 * sa4 * ca5 + sa5 * ca4);
      double s6 = vy * u.x - vx * u.y, c6 = vx * u.x + vy * u.y;
      if (free6) {
        const auto [so, co] = sincos(dh.o[5]);
        s6 = so, c6 = co;
      }
      const double n6 = 1 / std::sqrt(s6 * s6 + c6 * c6);
      s6 *= n6, c6 *= n6;
      // The x axis of M is E1 times the first row of Rz(th5) Rx(al5) Rz(th6).
      const Vector row{c5 * c6 - s * ca5 * s6, -c5 * s6 - s * ca5 * c6, s * sa5};
      const Vector axis = E1.R * row;
      const double bx = dh.a[3], by = -sa4 * dh.d[4];  // x, y of X4's far end
      Proposal proposal;
      proposal.q[0] = q1;
      proposal.q[4] = (i5 == 0 ? th5 : -th5) - dh.o[4];
      proposal.q[5] = atan2(s6, c6) - dh.o[5];
      proposal.branch.shoulder = side_of(i1, first.n);
      proposal.branch.wrist = side_of(i5, n5);
      if (free1) proposal.free_joint = 0;
      if (free6) proposal.free_joint = 5;
      solve_planar_part(dh, E1.p.x - axis.x * bx + sg * axis.y * by,
                        E1.p.y - axis.y * bx - sg * axis.x * by, axis.x, axis.y, proposal, batch,
                        waiting);
    }
  }
  sink.propose(batch.data(), waiting);
}

}  // namespace torsor::ik
