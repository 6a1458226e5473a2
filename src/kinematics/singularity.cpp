#include "torsor/kinematics/singularity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/linear/internal/real_roots.hpp"
#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"

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

constexpr double rounding = 1e-14;  // what a sum of products is off by, beside the products' size

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

namespace {

Array<int> dofs_on_the_way(const Model<double>& model, const Frame& frame) {
  Array<int> dofs;
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    for (int c = model.body(i).v.count - 1; c >= 0; --c)
      dofs.insert(dofs.begin(), model.body(i).v.first + c);
  return dofs;
}

/// |J| of the columns that carry the frame, where they are six; what rounding leaves of 0 is 0.
double determinant6(const Model<double>& model, InMatrix<double> J, const Frame& frame) {
  internal::SmallMatrix<6, 6> M;
  int c = 5;
  double size = 1;
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    for (int k = model.body(i).v.count - 1; k >= 0; --k, --c) {
      if (c < 0) return 0;
      double square = 0;
      for (int r = 0; r < 6; ++r) {
        M[r][c] = J(r, model.body(i).v.first + k);
        square += M[r][c] * M[r][c];
      }
      size *= std::sqrt(square);
    }
  if (c >= 0) return 0;
  int exchange[6];
  (void)internal::eliminate(M, 6, exchange);
  double product = 1;
  for (int k = 0; k < 6; ++k) product *= exchange[k] == k ? M[k][k] : -M[k][k];
  return std::abs(product) < rounding * size ? 0 : product;
}

}  // namespace

Manipulability manipulability(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                              const Frame& frame) {
  internal::require_configuration(model, q, "manipulability");
  jacobian<double, double>(model, ws.kinematics, q, frame, Reference::world_aligned, whole(ws));
  return manipulability(model, ws, rows_of(ws, 0, 6), frame);
}

Manipulability manipulability(const Model<double>& model, SingularityWorkspace& ws,
                              InMatrix<double> J, const Frame& frame) {
  if (J.rows != 6 || J.cols != model.n_v())
    throw Error("manipulability: J is " + std::to_string(J.rows) + " x " + std::to_string(J.cols) +
                ", robot \"" + model.name() + "\" needs 6 x " + std::to_string(model.n_v()));
  for (int c = 0; c < J.cols; ++c)
    for (int r = 0; r < 6; ++r) ws.J[6 * c + r] = J(r, c);
  Manipulability m;
  ws.svd.find_sigma(rows_of(ws, 0, 6));
  int carried = 0;  // other joints add columns of zeros, which say nothing about this frame
  for (int i = frame.body; i > 0; i = model.body(i).parent) carried += model.body(i).v.count;
  const int n = std::min(carried, ws.svd.size());
  m.measure = n > 0 ? 1 : 0;
  for (int k = 0; k < n; ++k) {
    m.sigma[k] = ws.svd.sigma(k);
    m.measure *= ws.svd.sigma(k);
  }
  if (ws.svd.largest() > 0) m.inverse_condition = ws.svd.sigma(n - 1) / ws.svd.largest();
  m.rank = ws.svd.rank();
  m.determinant = determinant6(model, rows_of(ws, 0, 6), frame);
  m.angular = ellipsoid(ws, 0);
  m.linear = ellipsoid(ws, 3);
  return m;
}

namespace {

using Vec = Vec3<double>;

/// The six bodies of an arm with a spherical wrist, from base to tip.
struct Arm {
  bool decoupled = false;
  FixedArray<int, 6> bodies{};
  Vec centre{};      ///< of the wrist, in the frame of the fourth body, on whose axis it stays
  double reach = 0;  ///< m, from the first joint to the wrist centre: not more, slides at q
  /// |J11| is a sum of products of up to this size.
  double arm_scale = 1;
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

Arm arm_of(const Model<double>& model, const SingularityWorkspace& ws, In<double> q,
           const Frame& frame) {
  Arm arm;
  std::vector<int> way;
  for (int i = frame.body; i > 0; i = model.body(i).parent) way.insert(way.begin(), i);
  if (way.size() != 6) return arm;
  double scale = 1e-3;
  int turning = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    const Body<double>& b = model.body(way[k]);
    if (!internal::turns_about_axis(b.kind) && (k >= 3 || !internal::slides_along_axis(b.kind)))
      return arm;
    scale += norm(b.placement.p);
    arm.bodies[k] = way[k];
    turning += k < 3 && internal::turns_about_axis(b.kind) ? 1 : 0;
    if (k > 0 && k < 4) arm.reach += norm(b.placement.p);
    if (k < 3 && internal::slides_along_axis(b.kind)) arm.reach += std::abs(q[b.q.first]);
  }
  const auto T = [&](std::size_t k) -> const SE3<double>& {
    return ws.kinematics.T_world_body[arm.bodies[k]];
  };
  const auto axis = [&](std::size_t k) { return T(k).R * model.body(arm.bodies[k]).turn.c2; };
  const Meeting before = meeting(T(4).p, axis(4), T(3).p, axis(3));
  const Meeting after = meeting(T(4).p, axis(4), T(5).p, axis(5));
  const double tolerance = 1e-9 * scale;
  arm.decoupled = !before.parallel && !after.parallel && before.gap <= tolerance &&
                  after.gap <= tolerance && norm(before.point - after.point) <= tolerance;
  arm.centre = transpose_times(T(3).R, before.point - T(3).p);
  arm.reach = std::max(arm.reach + norm(arm.centre), 1e-3);
  arm.arm_scale = std::pow(arm.reach, turning);
  return arm;
}

/// |J11| and |z4 z5 z6| at q.
struct Factors {
  double arm = 0, wrist = 0, arm_ratio = 0;  // ratio of the singular values of J11
  Vec centre{};
};
Factors factors(const Model<double>& model, SingularityWorkspace& ws, const Arm& arm,
                const Array<double>& q) {
  forward_kinematics(model, ws.kinematics, q);
  const auto& T = ws.kinematics.T_world_body;
  const auto pose = [&](std::size_t k) -> const SE3<double>& { return T[arm.bodies[k]]; };
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

/// Where a factor vanishes as one coordinate moves. `scale` is the size of the products that the factor
/// is a sum of: what it is below the rounding of these is 0, for every value of the coordinate or at
/// the values that are found.
template <class Factor>
SingularCoordinate zeros_along(const Model<double>& model, const Arm& arm, int body,
                               Array<double> q, double scale, Factor&& factor, bool& constant) {
  const int at = model.body(body).q.first;
  const auto value_at = [&](double x) {
    q[at] = x;
    return factor(q);
  };
  internal::Zeros zeros;
  if (internal::turns_about_axis(model.body(body).kind)) {
    FixedArray<double, 7> f{};
    for (int k = 0; k < 7; ++k) f[k] = value_at(2 * std::numbers::pi * k / 7);
    zeros = internal::zeros_of_wave(f, scale);
  } else {  // in lengths of the arm
    const FixedArray<double, 3> f{value_at(-arm.reach), value_at(0), value_at(arm.reach)};
    zeros = internal::zeros_of_quadratic(f, scale);
    for (double& x : zeros.values) x *= arm.reach;
  }
  // Where two zeros coincide they are known to the root of the rounding error: 0 is said to be one
  // where it is.
  if (std::abs(value_at(0)) < rounding * scale)
    for (double& x : zeros.values)
      if (std::abs(x) < 1e-6 * (internal::turns_about_axis(model.body(body).kind) ? 1 : arm.reach))
        x = 0;
  constant = zeros.constant;
  return {at, zeros.values, zeros.always};
}

int generic_rank(const Model<double>& model, SingularityWorkspace& ws, const Frame& frame) {
  Array<double> q(model.n_q());
  int rank = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    random_configuration(model, seed, q);
    jacobian<double, double>(model, ws.kinematics, q, frame, Reference::world_aligned, whole(ws));
    ws.svd.factorise(rows_of(ws, 0, 6));
    rank = std::max(rank, ws.svd.rank(1e-9));
  }
  return rank;
}

void find_arm_and_wrist(const Model<double>& model, SingularityWorkspace& ws, const Arm& arm,
                        const Array<double>& q, double tolerance, SingularityReport& report) {
  const Factors here = factors(model, ws, arm, q);
  const auto clean = [](double x, double scale) { return std::abs(x) < rounding * scale ? 0 : x; };
  report.decoupled = true;
  report.arm = clean(here.arm, arm.arm_scale);
  report.wrist = clean(here.wrist, 1);
  if (report.arm == 0 || report.wrist == 0) report.determinant = 0;
  report.wrist_centre = here.centre;
  report.arm_singular = here.arm_ratio <= tolerance;
  report.wrist_singular = std::abs(here.wrist) <= tolerance;
  for (std::size_t k = 0; k < 6; ++k) {
    const bool of_arm = k < 3;
    bool constant = false;
    const SingularCoordinate found = zeros_along(
        model, arm, arm.bodies[k], q, of_arm ? arm.arm_scale : 1,
        [&](const Array<double>& x) {
          const Factors f = factors(model, ws, arm, x);
          return of_arm ? f.arm : f.wrist;
        },
        constant);
    if (constant && !found.always) continue;
    (of_arm ? report.arm_where : report.wrist_where).push_back(found);
  }
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
  report.six_joints = dofs_on_the_way(model, frame).size() == 6;
  // Linear rows first: three exchanges of rows.
  if (report.six_joints) report.determinant = -determinant6(model, rows_of(ws, 0, 6), frame);
  const Arm arm = arm_of(model, ws, q, frame);
  if (arm.decoupled) find_arm_and_wrist(model, ws, arm, {q.begin(), q.end()}, tolerance, report);
  return report;
}

}  // namespace torsor
