/// Compliant frames: orthogonal, exact derivatives, rows that feasible velocities do not see.
#include "torsor/control/task/compliant_frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/allocation_counter.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

const Model<double>& puma() {
  static const Model<double> robot = load_robot("puma560");
  return robot;
}
const Model<double>& planar() {
  static const Model<double> robot = load_robot("planar2r");
  return robot;
}
TaskCoordinates spatial(TaskAngles angles) {
  return {puma(), {.frame = puma().frames().back().name, .angles = angles}};
}
TaskCoordinates flat(TaskAngles angles = TaskAngles::none) {
  return {planar(), {.frame = "tip", .axes = "xy", .angles = angles}};
}

struct Case {
  const char* name;
  TaskCoordinates task;
  Constraint constraint;
  int m;
};
std::vector<Case> cases() {
  const Vec3<double> o{0.2, -0.1, 0.3}, n{0.3, -0.5, 0.8};
  std::vector<Case> all;
  for (const TaskAngles a : {TaskAngles::none, TaskAngles::euler, TaskAngles::rotation}) {
    all.push_back({"plane", spatial(a), Constraint::plane(o, n), 1});
    all.push_back({"line", spatial(a), Constraint::line(o, n), 2});
    all.push_back({"circle", spatial(a), Constraint::circle(o, 0.4, n), 2});
    all.push_back({"sphere", spatial(a), Constraint::sphere(o, 0.4, {0, 0.3, 1}), 1});
  }
  all.push_back({"face", spatial(TaskAngles::euler), Constraint::face(o, n), 3});
  all.push_back({"face", spatial(TaskAngles::rotation), Constraint::face(o, n), 3});
  for (const TaskAngles a : {TaskAngles::none, TaskAngles::planar}) {
    all.push_back({"plane", flat(a), Constraint::plane(o, n), 1});
    all.push_back({"line", flat(a), Constraint::line(o, n), 1});
    all.push_back({"circle", flat(a), Constraint::circle(o, 0.4), 1});
  }
  all.push_back({"face", flat(TaskAngles::planar), Constraint::face(o, n), 2});
  // G3.13: a point of the object at (0.05, -0.15) on y = 0.5
  Constraint contact{.kind = ConstraintKind::rows,
                     .function =
                         [](View<const double> X, View<const double> Xdot, ConstraintRows& rows) {
                           const double c = std::cos(X[2]), s = std::sin(X[2]);
                           const double b = 0.05 * c + 0.15 * s;
                           rows.phi[0] = X[1] + 0.05 * s - 0.15 * c - 0.5;
                           const double a[3] = {0, 1, b};
                           for (int k = 0; k < 3; ++k)
                             rows.gradient[0][k] = a[k], rows.gradient_dot[0][k] = 0;
                           rows.gradient_dot[0][2] = (-0.05 * s + 0.15 * c) * Xdot[2];
                         },
                     .count = 1,
                     .seeds = {1, 0, 0, 0, 0, 1}};
  all.push_back({"function", flat(TaskAngles::planar), contact, 1});
  Constraint oblique{.kind = ConstraintKind::rows,
                     .gradient = {1, 1, 0, 0, 2, 0},
                     .seeds = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
                               1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}};
  all.push_back({"oblique", spatial(TaskAngles::rotation), oblique, 1});
  const std::size_t count = all.size();
  for (std::size_t k = 0; k < count; ++k) {  // angles of half a metre
    Case scaled = all[k];
    scaled.constraint.angle_length = 0.5;
    all.push_back(std::move(scaled));
  }
  return all;
}

const double X0[6] = {0.5, 0.3, 0.4, 0.3, -0.5, 0.9}, V0[6] = {0.4, -0.8, 0.6, 0.7, 0.2, -0.5};

TEST(CompliantFrame, E_is_orthogonal_and_its_derivative_exact) {
  const double h = 1e-5;
  for (const Case& c : cases()) {
    const int n = c.task.size();
    CompliantFrame frame(c.task, c.constraint), after = frame, before = frame;
    ASSERT_EQ(frame.size(), n);
    ASSERT_EQ(frame.n_force(), c.m) << c.name;
    frame.evaluate({X0, n}, {V0, n});
    double plus[6], minus[6];
    for (int k = 0; k < n; ++k) plus[k] = X0[k] + h * V0[k], minus[k] = X0[k] - h * V0[k];
    after.evaluate({plus, n}, {V0, n});
    before.evaluate({minus, n}, {V0, n});
    ASSERT_TRUE(frame.regular()) << c.name;
    for (int r = 0; r < n; ++r)
      for (int s = 0; s < n; ++s) {
        double product = 0;
        for (int k = 0; k < n; ++k) product += frame.E()(r, k) * frame.E()(s, k);
        EXPECT_NEAR(product, r == s, 1e-14) << c.name;
        EXPECT_NEAR((after.E()(r, s) - before.E()(r, s)) / (2 * h), frame.Edot()(r, s), 1e-8)
            << c.name << r << s;
      }
  }
}

/// Velocities made of E_p alone leave phi where it is; phi grows along E_f.
TEST(CompliantFrame, rows_annihilate_feasible_velocities) {
  const double h = 1e-5;
  for (const Case& c : cases()) {
    const int n = c.task.size();
    if (c.constraint.kind == ConstraintKind::face) continue;  // tilts have no phi, below
    CompliantFrame frame(c.task, c.constraint);
    frame.evaluate({X0, n}, {V0, n});
    for (int r = 0; r < n; ++r) {
      double xdot[6]{}, X[6]{}, growth = 0;
      xdot[r] = 1;
      double V[6]{};
      frame.from_frame({xdot, n}, {V, n});
      const auto phi = [&](double t) {
        CompliantFrame other(c.task, c.constraint);
        for (int k = 0; k < n; ++k) X[k] = X0[k] + t * V[k];
        other.evaluate({X, n}, {V, n});
        return std::vector<double>(other.phi().begin(), other.phi().end());
      };
      const std::vector<double> plus = phi(h), minus = phi(-h);
      for (std::size_t k = 0; k < plus.size(); ++k)
        growth += std::abs(plus[k] - minus[k]) / (2 * h);
      if (r < frame.n_position())
        EXPECT_NEAR(growth, 0, 1e-9) << c.name << r;
      else
        EXPECT_GT(growth, 0.1) << c.name << r;
    }
  }
}

TEST(CompliantFrame, a_face_does_not_tilt) {
  const Vec3<double> n = normalised(Vec3<double>{0.3, -0.5, 0.8});
  for (const TaskAngles angles : {TaskAngles::rotation, TaskAngles::euler}) {
    TaskCoordinates task = spatial(angles);
    const std::vector<double> q{0.3, 0.6, -0.4, 0.3, 1.2, -0.2}, v(6, 0.3);
    task.evaluate(q, v);
    CompliantFrame frame(task, Constraint::face({0.2, -0.1, 0.3}, n));
    frame.evaluate(task.X(), task.Xdot());
    for (int r = 0; r < 3; ++r) {
      double xdot[6]{}, V[6]{};
      xdot[r] = 1;
      frame.from_frame(xdot, V);
      const Mat3<double> B =
          angles == TaskAngles::euler
              ? euler_rate_matrix(EulerSequence::zyx,
                                  EulerAngles<double>{task.X()[3], task.X()[4], task.X()[5]})
              : Mat3<double>::identity();
      const Vec3<double> turning = B * Vec3<double>{V[3], V[4], V[5]};
      EXPECT_NEAR(norm(cross(turning, n)), 0, 1e-14);
      EXPECT_NEAR(dot(n, Vec3<double>{V[0], V[1], V[2]}), 0, 1e-14);
    }
  }
}

TEST(CompliantFrame, powers_and_accelerations_keep_their_meaning) {
  const double A0[6] = {0.3, 0.9, -0.2, 0.1, -0.6, 0.5}, F0[6] = {3, -2, 5, 0.4, 0.2, -0.7};
  for (const Case& c : cases()) {
    const int n = c.task.size();
    CompliantFrame frame(c.task, c.constraint);
    frame.evaluate({X0, n}, {V0, n});
    double xdot[6]{}, back[6]{}, xdd[6]{}, f_c[6]{}, f[6]{}, power = 0, power_c = 0;
    frame.to_frame({V0, n}, {xdot, n});
    frame.from_frame({xdot, n}, {back, n});
    for (int k = 0; k < n; ++k) EXPECT_NEAR(back[k], V0[k], 1e-14);
    frame.acceleration_to_frame({A0, n}, {V0, n}, {xdd, n});
    frame.acceleration({xdd, n}, {xdot, n}, {back, n});
    for (int k = 0; k < n; ++k) EXPECT_NEAR(back[k], A0[k], 1e-13) << c.name;
    frame.force_to_frame({F0, n}, {f_c, n});
    frame.force_from_frame({f_c, n}, {f, n});
    for (int k = 0; k < n; ++k) {
      EXPECT_NEAR(f[k], F0[k], 1e-14);
      power += F0[k] * V0[k];
      power_c += f_c[k] * xdot[k];
    }
    EXPECT_NEAR(power, power_c, 1e-13);
  }
}

TEST(CompliantFrame, coordinates_grow_with_the_velocity_along_them) {
  const double h = 1e-5;
  for (const Case& c : cases()) {
    const int n = c.task.size();
    CompliantFrame frame(c.task, c.constraint);
    if (!frame.has_coordinates()) {
      EXPECT_TRUE(c.constraint.kind == ConstraintKind::sphere || c.constraint.function ||
                  c.constraint.kind == ConstraintKind::face);
      continue;
    }
    if (c.constraint.kind == ConstraintKind::face && n > 3) continue;  // needs flush orientation
    // A point on the constraint (a circle's coordinates are arcs of its own radius).
    double X[6], V[6]{}, xdot[6]{}, e[6]{}, x_p[6]{};
    std::copy(X0, X0 + 6, X);
    for (int turn = 0; turn < 3; ++turn) {
      frame.evaluate({X, n}, {V0, n});
      double down[6]{}, step[6]{};
      for (int k = 0; k < frame.n_force(); ++k) down[frame.n_position() + k] = -frame.phi()[k];
      if (c.constraint.kind == ConstraintKind::rows) break;
      frame.from_frame({down, n}, {step, n});
      for (int k = 0; k < n; ++k) X[k] += step[k];
    }
    for (int r = 0; r < frame.n_position(); ++r) {
      const bool rotation = c.task.options().angles == TaskAngles::rotation;
      if (rotation && r >= frame.n_position() - 3) continue;  // quasi-velocities
      std::fill(xdot, xdot + 6, 0.0);
      xdot[r] = 1;
      frame.evaluate({X, n}, {V0, n});
      frame.from_frame({xdot, n}, {V, n});
      double plus[6], minus[6];
      for (int k = 0; k < n; ++k) plus[k] = X[k] + h * V[k], minus[k] = X[k] - h * V[k];
      frame.evaluate({plus, n}, {V, n});
      frame.coordinates({x_p, frame.n_position()});
      frame.evaluate({minus, n}, {V, n});
      frame.coordinate_error({x_p, frame.n_position()}, {e, frame.n_position()});
      for (int k = 0; k < frame.n_position(); ++k)
        EXPECT_NEAR(e[k] / (2 * h), k == r, 1e-8) << c.name << k << r;
    }
  }
}

TEST(CompliantFrame, circles_have_the_textbook_tangent_and_count_arcs_from_their_start) {
  const TaskCoordinates task = flat();
  CompliantFrame frame(task, Constraint::circle({1, 0.4, 0}, 0.3, {0, 0, 1}, {0, 1, 0}));
  const double a = 3 * 3.14159265358979323846 / 4;
  const double X[2] = {1 + 0.3 * std::cos(a), 0.4 + 0.3 * std::sin(a)}, V[2] = {0, 0};
  frame.evaluate(X, V);
  EXPECT_NEAR(frame.E()(1, 0), std::cos(a), 1e-15);
  EXPECT_NEAR(frame.E()(0, 0), -std::sin(a), 1e-15);
  EXPECT_NEAR(frame.E()(0, 1), std::cos(a), 1e-15);
  double x_p[1], e[1];
  frame.coordinates(x_p);
  EXPECT_NEAR(x_p[0], 0.3 * 3.14159265358979323846 / 4, 1e-15);
  const double far[1] = {x_p[0] + 0.1 + 0.3 * 4 * 3.14159265358979323846};
  frame.coordinate_error(far, e);
  EXPECT_NEAR(e[0], 0.1, 1e-14);
}

/// Tangents of the pole, turned about the axis normal to pole and normal; nowhere at the antipode.
TEST(CompliantFrame, spheres_carry_their_tangents_from_the_pole_by_the_least_rotation) {
  const TaskCoordinates task = spatial(TaskAngles::none);
  CompliantFrame frame(task, Constraint::sphere({}, 2, {0, 0, 1}, {1, 0, 0}));
  const double V[3] = {0, 0, 0};
  for (const double angle : {0.0, 0.4, 1.7, 3.0})
    for (const double around : {0.0, 0.8, 2.5, 4.1}) {
      const Vec3<double> axis{-std::sin(around), std::cos(around), 0};
      const SO3<double> R = exp(axis * angle);
      const Vec3<double> X = R.c2 * 2.0;
      const double x[3] = {X.x, X.y, X.z};
      frame.evaluate(x, V);
      ASSERT_TRUE(frame.regular());
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(frame.E()(0, k), R.c0[k], 1e-12) << angle << " " << around;
        EXPECT_NEAR(frame.E()(1, k), R.c1[k], 1e-12);
        EXPECT_NEAR(frame.E()(2, k), R.c2[k], 1e-12);
      }
    }
  const double below[3] = {0, 0, -2};
  frame.evaluate(below, V);
  EXPECT_FALSE(frame.regular());
}

TEST(CompliantFrame, door_and_allocations) {
  EXPECT_THROW(CompliantFrame(flat(), Constraint::sphere({}, 1, {0, 0, 1})), Error);
  EXPECT_THROW(CompliantFrame(flat(), Constraint::plane({}, {0, 0, 1})), Error);
  EXPECT_THROW(CompliantFrame(flat(), Constraint::circle({}, 0)), Error);
  EXPECT_THROW(CompliantFrame(flat(), Constraint::face({}, {0, 1, 0})), Error);
  EXPECT_THROW(CompliantFrame(flat(), {.kind = ConstraintKind::rows, .gradient = {1}}), Error);
  EXPECT_THROW(CompliantFrame(flat(), {.kind = ConstraintKind::rows, .gradient = {1, 0}}), Error);
  EXPECT_THROW(
      CompliantFrame(spatial(TaskAngles::none), Constraint::plane({}, {0, 0, 1}, {0, 0, 2})),
      Error);
  std::vector<Case> all = cases();
  for (Case& c : all) {
    CompliantFrame frame(c.task, c.constraint);
    const testing::AllocationCounter counter;
    frame.evaluate({X0, c.task.size()}, {V0, c.task.size()});
    EXPECT_EQ(counter.count(), 0u);
  }
}

std::vector<std::string> names(const TaskCoordinates& task, const Constraint& constraint) {
  const CompliantFrame frame(task, constraint);
  std::vector<std::string> all;
  for (int k = 0; k < task.size(); ++k) all.push_back(internal::error_name(frame, task, k));
  return all;
}

TEST(CompliantFrame, names_of_its_rows_tell_lengths_from_angles) {
  using Names = std::vector<std::string>;
  const Vec3<double> o{0.2, -0.1, 0.3}, n{0.3, -0.5, 0.8};
  const TaskCoordinates six = spatial(TaskAngles::rotation), bent = flat(TaskAngles::planar);
  const std::string phi = six.names()[3], theta = six.names()[4], psi = six.names()[5];
  EXPECT_EQ(names(six, Constraint::plane(o, n)),
            (Names{"along_1", "along_2", phi, theta, psi, "normal_1"}));
  EXPECT_EQ(names(six, Constraint::face(o, n)),
            (Names{"along_1", "along_2", "turn_1", "normal_1", "moment_1", "moment_2"}));
  EXPECT_EQ(names(bent, Constraint::face(o, n)), (Names{"along_1", "normal_1", "moment_1"}));
  // Constant rows: a length, an angle, and what is left; then rows that mix both.
  Constraint rows{.kind = ConstraintKind::rows, .gradient = {0, 1, 0, 0, 0, 1}, .seeds = {1, 0, 0}};
  EXPECT_EQ(names(bent, rows), (Names{"along_1", "normal_1", "moment_1"}));
  rows.gradient = {0, 1, 0.2};
  rows.seeds = {1, 0, 0, 0, 0, 1};
  EXPECT_EQ(names(bent, rows), (Names{"along_1", "motion_1", "force_1"}));
  rows.gradient = {0, 1, 0};
  EXPECT_EQ(names(bent, rows), (Names{"along_1", "turn_1", "normal_1"}));
  rows.angle_length = 0.5;  // the angle is counted in m then
  EXPECT_EQ(names(bent, rows), (Names{"along_1", "arc_turn_1", "normal_1"}));
  rows.names = {"x", "rz", "f_y"};
  EXPECT_EQ(names(bent, rows), (Names{"x", "arc_rz", "f_y"}));
  // Rows by a function, of lengths alone.
  Constraint bowl{.kind = ConstraintKind::rows,
                  .function = [](View<const double>, View<const double>, ConstraintRows&) {},
                  .count = 1,
                  .seeds = {1, 0}};
  EXPECT_EQ(names(flat(), bowl), (Names{"along_1", "normal_1"}));
}

}  // namespace
}  // namespace torsor
