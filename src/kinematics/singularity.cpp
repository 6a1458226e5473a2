#include "torsor/kinematics/singularity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/linear/internal/real_roots.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

void internal::require_configuration(const Model<double>& model, In<double> q, const char* verb) {
  if (q.size != model.n_q())
    throw Error(std::string(verb) + ": q has " + std::to_string(q.size) + " numbers, robot \"" +
                model.name() + "\" has " + std::to_string(model.n_q()) + " coordinates");
  for (int k = 0; k < q.size; ++k)
    if (!std::isfinite(q[k]))
      throw Error(std::string(verb) + ": q of " + model.coordinate_name(k) + " = " +
                  std::to_string(q[k]) + " is not a finite number");
}

SingularityWorkspace::SingularityWorkspace(const Model<double>& model)
    : kinematics(model), velocity(model), J(6 * model.n_v()), svd(6, model.n_v()) {}

namespace {

MatrixView<const double> rows_of(const SingularityWorkspace& ws, int first, int count) {
  return {ws.J.data() + first, count, ws.J.size() / 6, 1, 6};
}
MatrixView<double> whole(SingularityWorkspace& ws) {
  return column_major(ws.J.data(), 6, ws.J.size() / 6);
}
Ellipsoid ellipsoid(SingularityWorkspace& ws, int first_row) {
  ws.svd.factorise(rows_of(ws, first_row, 3));
  Ellipsoid e;
  for (int k = 0; k < 3; ++k) {
    e.radii[k] = k < ws.svd.size() ? ws.svd.sigma(k) : 0;
    for (int r = 0; r < 3 && k < ws.svd.size(); ++r) e.axes(r, k) = ws.svd.left(r, k);
  }
  // Fewer than three joints: the remaining axes have no radius but should still be axes.
  if (ws.svd.size() == 1) {
    const Vec3<double> a = e.axes.c0, other = std::abs(a.x) < 0.6 ? Vec3<double>::unit_x()
                                                                  : Vec3<double>::unit_y();
    e.axes.c1 = normalised(cross(a, other));
  }
  if (ws.svd.size() < 3) e.axes.c2 = cross(e.axes.c0, e.axes.c1);
  return e;
}

}  // namespace

Manipulability manipulability(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                              const Frame& frame) {
  internal::require_configuration(model, q, "manipulability");
  jacobian<double, double>(model, ws.kinematics, q, frame, Reference::world_aligned, whole(ws));
  Manipulability m;
  ws.svd.factorise(rows_of(ws, 0, 6));
  int carried = 0;  // other joints add columns of zeros, which say nothing about this frame
  for (int i = frame.body; i > 0; i = model.body(i).parent) carried += model.body(i).v.count;
  const int n = std::min(carried, ws.svd.size());
  m.measure = n > 0 ? 1 : 0;
  for (int k = 0; k < n; ++k) {
    m.sigma[static_cast<std::size_t>(k)] = ws.svd.sigma(k);
    m.measure *= ws.svd.sigma(k);
  }
  if (ws.svd.largest() > 0) m.inverse_condition = ws.svd.sigma(n - 1) / ws.svd.largest();
  m.angular = ellipsoid(ws, 0);
  m.linear = ellipsoid(ws, 3);
  return m;
}

namespace {

using Vec = Vec3<double>;

/// The six bodies of an arm with a spherical wrist, from base to tip.
struct Arm {
  bool decoupled = false;
  std::array<int, 6> bodies{};
  Vec centre{};  ///< of the wrist, in the frame of the fourth body, on whose axis it stays
};

/// The point of line (p, a) nearest to line (r, b), and how far the two are apart there.
struct Meeting {
  Vec point{};
  double gap = 0;
  bool parallel = false;
};
Meeting meeting(const Vec& p, const Vec& a, const Vec& r, const Vec& b) {
  const Vec n = cross(a, b);
  const double nn = squared_norm(n);
  Meeting m;
  m.parallel = nn < 1e-16;
  if (m.parallel) {
    m.point = p;
    m.gap = norm(cross(r - p, a));
    return m;
  }
  m.point = p + a * (torsor::dot(cross(r - p, b), n) / nn);
  m.gap = std::abs(torsor::dot(r - p, n)) / std::sqrt(nn);
  return m;
}

Arm arm_of(const Model<double>& model, const SingularityWorkspace& ws, const Frame& frame) {
  Arm arm;
  std::vector<int> way;
  for (int i = frame.body; i > 0; i = model.body(i).parent) way.insert(way.begin(), i);
  if (way.size() != 6) return arm;
  double scale = 1e-3;
  for (std::size_t k = 0; k < 6; ++k) {
    const Body<double>& b = model.body(way[k]);
    if (!internal::turns_about_axis(b.kind) && (k >= 3 || !internal::slides_along_axis(b.kind)))
      return arm;
    scale += norm(b.placement.p);
    arm.bodies[k] = way[k];
  }
  const auto T = [&](std::size_t k) -> const SE3<double>& {
    return ws.kinematics.T_world_body[static_cast<std::size_t>(arm.bodies[k])];
  };
  const auto axis = [&](std::size_t k) { return T(k).R * model.body(arm.bodies[k]).turn.c2; };
  const Meeting before = meeting(T(4).p, axis(4), T(3).p, axis(3));
  const Meeting after = meeting(T(4).p, axis(4), T(5).p, axis(5));
  const double tolerance = 1e-9 * scale;
  arm.decoupled = !before.parallel && !after.parallel && before.gap <= tolerance &&
                  after.gap <= tolerance && norm(before.point - after.point) <= tolerance;
  arm.centre = transpose_times(T(3).R, before.point - T(3).p);
  return arm;
}

/// |J11| and |z4 z5 z6| at q.
struct Factors {
  double arm = 0, wrist = 0, arm_ratio = 0;  // ratio of the singular values of J11
  Vec centre{};
};
Factors factors(const Model<double>& model, SingularityWorkspace& ws, const Arm& arm,
                const std::vector<double>& q) {
  forward_kinematics(model, ws.kinematics, q);
  const auto& T = ws.kinematics.T_world_body;
  const auto pose = [&](std::size_t k) -> const SE3<double>& {
    return T[static_cast<std::size_t>(arm.bodies[k])];
  };
  Factors f;
  f.centre = pose(3) * arm.centre;
  Mat3<double> J11, J22;
  for (std::size_t k = 0; k < 6; ++k) {
    const Body<double>& b = model.body(arm.bodies[k]);
    const Vec z = pose(k).R * b.turn.c2;
    (k < 3 ? J11 : J22)[static_cast<int>(k % 3)] =
        k < 3 && internal::turns_about_axis(b.kind) ? cross(z, f.centre - pose(k).p) : z;
  }
  f.arm = torsor::determinant(J11);
  f.wrist = torsor::determinant(J22);
  ws.svd.factorise(MatrixView<const double>(&J11.c0.x, 3, 3, 1, 3));
  f.arm_ratio = ws.svd.largest() > 0 ? ws.svd.smallest() / ws.svd.largest() : 0;
  return f;
}

/// Where a factor vanishes as one coordinate moves.
template <class Factor>
SingularCoordinate zeros_along(const Model<double>& model, int body, std::vector<double> q,
                               Factor&& factor, bool& constant) {
  const int at = model.body(body).q.first;
  const auto value_at = [&](double x) {
    q[static_cast<std::size_t>(at)] = x;
    return factor(q);
  };
  internal::Zeros zeros;
  double scale = 0;
  if (internal::turns_about_axis(model.body(body).kind)) {
    std::array<double, 7> f{};
    for (int k = 0; k < 7; ++k) {
      f[static_cast<std::size_t>(k)] = value_at(2 * std::numbers::pi * k / 7);
      scale = std::max(scale, std::abs(f[static_cast<std::size_t>(k)]));
    }
    zeros = internal::zeros_of_wave(f, std::max(scale, 1e-12));
  } else {
    const std::array<double, 3> f{value_at(-1), value_at(0), value_at(1)};
    for (const double x : f) scale = std::max(scale, std::abs(x));
    zeros = internal::zeros_of_quadratic(f, std::max(scale, 1e-12));
  }
  constant = zeros.constant;
  return {at, zeros.values, zeros.always};
}

std::string sentence(const Model<double>& model, const char* what, const SingularCoordinate& c) {
  const std::string name = model.coordinate_name(c.coordinate);
  if (c.always) return std::string(what) + " singular for every " + name + "\n";
  if (c.values.empty()) return std::string(what) + " singular for no " + name + "\n";
  std::string text = std::string(what) + " singular where " + name + " =";
  for (int k = 0; k < c.values.size(); ++k)
    text += (k > 0 ? " or " : " ") + short_number(c.values[k]);
  return text + "\n";
}

double determinant6(const SingularityWorkspace& ws, const Array<int>& dofs) {
  Matrix M(6, 6);
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 6; ++r) M((r + 3) % 6, c) = ws.J[6 * dofs[c] + r];
  Lu factors(6);
  (void)factors.factorise(M);
  return factors.determinant();
}
Array<int> dofs_on_the_way(const Model<double>& model, const Frame& frame) {
  Array<int> dofs;
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    for (int c = model.body(i).v.count - 1; c >= 0; --c)
      dofs.insert(dofs.begin(), model.body(i).v.first + c);
  return dofs;
}
int generic_rank(const Model<double>& model, SingularityWorkspace& ws, const Frame& frame) {
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  int rank = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    random_configuration(model, seed, q);
    jacobian<double, double>(model, ws.kinematics, q, frame, Reference::world_aligned, whole(ws));
    ws.svd.factorise(rows_of(ws, 0, 6));
    rank = std::max(rank, ws.svd.rank(1e-9));
  }
  return rank;
}

void describe_arm_and_wrist(const Model<double>& model, SingularityWorkspace& ws, const Arm& arm,
                            const std::vector<double>& q, double tolerance,
                            SingularityReport& report) {
  const Factors here = factors(model, ws, arm, q);
  report.decoupled = true;
  report.arm = here.arm;
  report.wrist = here.wrist;
  report.wrist_centre = here.centre;
  report.arm_singular = here.arm_ratio <= tolerance;
  report.wrist_singular = std::abs(here.wrist) <= tolerance;
  report.text += "|J| = |J11| |z4 z5 z6| = (" + short_number(here.arm) + ") (" +
                 short_number(here.wrist) + ") = " + short_number(report.determinant) + "\n";
  for (std::size_t k = 0; k < 6; ++k) {
    const bool of_arm = k < 3;
    bool constant = false;
    const SingularCoordinate found = zeros_along(
        model, arm.bodies[k], q,
        [&](const std::vector<double>& x) {
          const Factors f = factors(model, ws, arm, x);
          return of_arm ? f.arm : f.wrist;
        },
        constant);
    if (constant && !found.always) continue;
    (of_arm ? report.arm_where : report.wrist_where).push_back(found);
    report.text += sentence(model, of_arm ? "arm" : "wrist", found);
  }
  if (report.arm_where.empty()) report.text += "arm never singular\n";
}

}  // namespace

SingularityReport singularities(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                                const Frame& frame, double tolerance) {
  internal::require_configuration(model, q, "singularities");
  SingularityReport report;
  report.generic_rank = generic_rank(model, ws, frame);
  jacobian<double, double>(model, ws.kinematics, q, frame, Reference::world_aligned, whole(ws));
  ws.svd.factorise(rows_of(ws, 0, 6));
  report.rank = std::min(ws.svd.rank(tolerance), report.generic_rank);
  if (report.generic_rank > 0) {
    const int last = report.generic_rank - 1;
    report.smallest = ws.svd.sigma(last);
    report.largest = ws.svd.largest();
    report.blocked = {{ws.svd.left(0, last), ws.svd.left(1, last), ws.svd.left(2, last)},
                      {ws.svd.left(3, last), ws.svd.left(4, last), ws.svd.left(5, last)}};
    for (int k = 0; k < model.n_v(); ++k) report.self_motion.push_back(ws.svd.right(k, last));
  }
  const Array<int> dofs = dofs_on_the_way(model, frame);
  if (dofs.size() == 6) report.determinant = determinant6(ws, dofs);
  const Arm arm = arm_of(model, ws, frame);
  if (arm.decoupled) {
    describe_arm_and_wrist(model, ws, arm, {q.begin(), q.end()}, tolerance, report);
  } else if (dofs.size() == 6) {
    report.text += "|J| = " + short_number(report.determinant) + "\n";
  }
  report.text += report.singular() ? "singular: rank " : "regular: rank ";
  report.text += std::to_string(report.rank) + " of " + std::to_string(report.generic_rank) +
                 ", smallest singular value " + short_number(report.smallest) + "\n";
  return report;
}

}  // namespace torsor
