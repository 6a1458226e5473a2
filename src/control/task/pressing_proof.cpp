/// The surfaces of a run, as a law sees them that commands forces.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "task/task_proof.hpp"
#include "torsor/dynamics/constrained/loop_dynamics.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {

namespace {

constexpr double on_surface = 1e-6;  // m

/// One newton that each surface gives to the robot, at a posture.
class UnitPush {
 public:
  explicit UnitPush(const Model<double>& plant)
      : plant_(plant), ws_(plant), minverse_(plant), F(plant.n_bodies()), J_(6 * plant.n_v()) {}

  /// Wrenches of the surface alone, in F.
  void look(const RunSurface& surface, In<double> q) {
    forward_kinematics(plant_, ws_, q);
    frame_ = plant_.frame(surface.frame);
    frame_.placement.p = frame_.placement * surface.point;
    const SE3<double> T = frame_pose(ws_, frame_);
    distance = surface.distance(T.p);
    way_out_ = surface.way_out(T.p);
    for (Wrench<double>& f : F) f = {};
    const Vec3<double> force =
        transpose(T.R * transpose(frame_.placement.R)) * way_out_;  // in the body
    F[frame_.body] = {cross(frame_.placement.p, force), force};
  }
  /// 1 / (n^T J H^-1 J^T n): the mass that the plant shows along the way out; NaN where H is
  /// singular.
  double mass(In<double> q) {
    const int n = plant_.n_v();
    jacobian(plant_, ws_, q, frame_, Reference::world_aligned, column_major(J_.data(), 6, n));
    Array<double> row(n), column(n);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < 3; ++r) row[c] += J_[6 * c + 3 + r] * way_out_[r];
    if (!mass_matrix_inverse_times(plant_, minverse_, q,
                                   column_major<const double>(row.data(), n, 1),
                                   column_major(column.data(), n, 1)))
      return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (int c = 0; c < n; ++c) sum += row[c] * column[c];
    return 1 / sum;
  }

 private:
  const Model<double>& plant_;
  KinematicsWorkspace<double> ws_;
  MinverseTimesWorkspace<double> minverse_;
  Frame frame_;
  Vec3<double> way_out_{};

 public:
  Array<Wrench<double>> F;
  double distance = 0;  ///< of the point from the surface, m

 private:
  Array<double> J_;
};

/// What pressing comes to over the postures of a run.
struct Pressing {
  double beside = 0;        ///< largest part of a force direction that no surface takes, or of a
                            ///< surface's push that lies in a direction of motion
  double least = infinity;  ///< smallest push of a one-sided surface, N
  double least_at = 0;      ///< s
  double distance = 0;      ///< from the surfaces at the start, m
  double routh = infinity;  ///< smallest c (k + KF c) - m KF k of the soft ones
  double heaviest = 0;      ///< largest m of them, kg
};

Pressing look(const PressingLaw& law, const Run& run, const Array<RunInstant>& postures) {
  const int p = law.n_position, m = law.n_force, count = run.surfaces.size();
  // with loops the mass is another one, and a soft surface is not covered anyway
  const double KF = law.KF.size() > 0 && !has_loops(*run.plant) ? law.KF.largest_eigenvalue() : 0;
  Pressing seen;
  UnitPush push(*run.plant);
  OrthogonalDecomposition pushes(m, count);
  Array<double> columns(m * count), f(m), share(count), rest(run.plant->n_v());
  TaskVector f_c{};
  ReferencePoint point;
  for (int k = 0; k < postures.size(); ++k) {
    const RunInstant& at = postures[k];
    // Postures follow the motion of the task alone and may leave the surfaces by `off`.
    double off = 0, beside = 0;
    for (int s = 0; s < count; ++s) {
      const RunSurface& surface = run.surfaces[s];
      push.look(surface, at.q);
      if (!(surface.stiffness < infinity)) off = std::fmax(off, std::abs(push.distance));
      if (k == 0) seen.distance = std::fmax(seen.distance, std::abs(push.distance));
      law.measured({.q = at.q, .qd = rest, .F_contact = push.F}, Out<double>(f_c.data(), p + m));
      for (int i = 0; i < p; ++i) beside = std::fmax(beside, std::abs(f_c[i]));
      for (int i = 0; i < m; ++i) columns[s * m + i] = f_c[p + i];
      if (!(surface.stiffness < infinity) || !(KF > 0)) continue;
      const double mass = push.mass(at.q), c = surface.damping, stiff = surface.stiffness;
      const double routh = c * (stiff + KF * c) - mass * KF * stiff;
      seen.heaviest = std::fmax(seen.heaviest, mass);
      if (std::isnan(routh) || routh < seen.routh) seen.routh = routh;  // NaN stays
    }
    pushes.factorise(column_major<const double>(columns.data(), m, count), 1e-9);
    for (int i = 0; i < m; ++i) {
      std::fill(f.begin(), f.end(), 0.0);
      f[i] = 1;
      beside = std::fmax(beside, pushes.solve(f, share));
    }
    if (k == 0 || off <= on_surface) seen.beside = std::fmax(seen.beside, beside);
    if (k == 0) continue;  // the start has the reference of the next one
    run.reference(at.t, point);
    for (int i = 0; i < m; ++i)
      f[i] = i < point.f_on_environment.size() ? point.f_on_environment[i] : 0;
    (void)pushes.solve(f, share);
    for (int s = 0; s < count; ++s)
      if (!run.surfaces[s].bilateral && share[s] < seen.least)
        seen.least = share[s], seen.least_at = at.t;
  }
  return seen;
}

}  // namespace

std::vector<Condition> pressing_conditions(const PressingLaw& law, const Run& run,
                                           const Array<RunInstant>& postures) {
  std::vector<Condition> all;
  const double KF = law.KF.size() > 0 ? law.KF.largest_eigenvalue() : 0;
  if (law.KF.size() > 0)
    all.push_back(condition("KF not negative", "smallest eigenvalue of KF",
                            law.KF.smallest_eigenvalue(), Relation::at_least, 0));
  if (run.surfaces.empty() || law.n_force == 0) return all;
  const Pressing seen = look(law, run, postures);
  const std::string sampled = internal::count_of(postures.size(), "posture") + " sampled";
  const bool rigid = std::any_of(run.surfaces.begin(), run.surfaces.end(),
                                 [](const RunSurface& s) { return !(s.stiffness < infinity); });
  all.push_back(hypothesis("surfaces are those of the constraint",
                           "largest part of a direction that they do not share", seen.beside,
                           Relation::at_most, 1e-6, sampled));
  if (rigid)
    all.push_back(hypothesis("the run starts in contact", "distance from the surfaces, m",
                             seen.distance, Relation::at_most, on_surface));
  if (seen.least < infinity)
    all.push_back(condition("one-sided surfaces are pressed", "smallest commanded push, N",
                            seen.least, Relation::greater, 0,
                            "at " + short_number(seen.least_at) + " s; " + sampled));
  if (!(seen.routh == infinity))
    all.push_back(condition("force integral stable on this surface (Routh)",
                            "c (k + KF c) - m KF k", seen.routh, Relation::greater, 0,
                            "m up to " + short_number(seen.heaviest) + " kg, " + sampled));
  if (rigid && run.period > 0 && KF > 0) {
    // The force that is measured is that of the torque that acts until the sample.
    const double samples = std::fmax(1, std::ceil(run.delay / run.period - 1e-9));
    all.push_back(condition("sampled force integral stable", "KF times the period", KF * run.period,
                            Relation::less, 2 * std::sin(std::numbers::pi / (4 * samples + 2)),
                            "a rigid surface answers " + short_number(samples) +
                                (samples == 1 ? " period later" : " periods later")));
  }
  return all;
}

}  // namespace torsor::internal
