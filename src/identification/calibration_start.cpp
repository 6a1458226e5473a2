// Where the measuring frame and the tool are, before the geometry is looked at.
#include <cmath>

#include "calibration_problem.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/linear/symmetric_eigen.hpp"

namespace torsor::internal {
namespace {

/// The rotation nearest to all of them: the largest eigenvector of sum q q^T.
SO3<double> mean_rotation(const std::vector<SO3<double>>& all) {
  double M[16] = {};
  for (const SO3<double>& R : all) {
    const Quaternion<double> q = quaternion(R);
    const double v[4] = {q.x, q.y, q.z, q.w};
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) M[4 * r + c] += v[r] * v[c];
  }
  SymmetricEigen eigen(4);
  eigen.factorise(row_major(static_cast<const double*>(M), 4, 4));
  return rotation(Quaternion<double>{eigen.vector(0, 3), eigen.vector(1, 3), eigen.vector(2, 3),
                                     eigen.vector(3, 3)});
}

/// The rotation R that takes points a nearest to points b, both about their means.
SO3<double> rotation_between(const std::vector<Vec3<double>>& a,
                             const std::vector<Vec3<double>>& b) {
  Vec3<double> ma, mb;
  for (std::size_t k = 0; k < a.size(); ++k) ma = ma + a[k], mb = mb + b[k];
  ma = ma * (1.0 / static_cast<double>(a.size())), mb = mb * (1.0 / static_cast<double>(a.size()));
  double S[3][3] = {};
  for (std::size_t k = 0; k < a.size(); ++k)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) S[r][c] += (a[k] - ma)[r] * (b[k] - mb)[c];
  // Order w, x, y, z.
  const double N[16] = {
      S[0][0] + S[1][1] + S[2][2], S[1][2] - S[2][1],           S[2][0] - S[0][2],
      S[0][1] - S[1][0],           S[1][2] - S[2][1],           S[0][0] - S[1][1] - S[2][2],
      S[0][1] + S[1][0],           S[2][0] + S[0][2],           S[2][0] - S[0][2],
      S[0][1] + S[1][0],           S[1][1] - S[0][0] - S[2][2], S[1][2] + S[2][1],
      S[0][1] - S[1][0],           S[2][0] + S[0][2],           S[1][2] + S[2][1],
      S[2][2] - S[0][0] - S[1][1]};
  SymmetricEigen eigen(4);
  eigen.factorise(row_major(N, 4, 4));
  return rotation(Quaternion<double>{eigen.vector(1, 3), eigen.vector(2, 3), eigen.vector(3, 3),
                                     eigen.vector(0, 3)});
}

/// One start: rotations in turn, then both shifts together.
class Registration {
 public:
  Registration(const CalibrationProblem& problem, const CalibrationOptions& options,
               const std::vector<SE3<double>>& poses)
      : problem_(problem), options_(options), poses_(poses) {}

  void run(CalibrationState& state) const {
    for (int round = 0; round < 30; ++round) {
      if (options_.base_unknown) state.base.R = base_rotation(state);
      if (options_.tool_unknown) tool_rotations(state);
      shifts(state);
    }
  }
  double cost(const CalibrationState& state) const {
    std::vector<PoseRows> rows;
    problem_.evaluate(state, rows, nullptr);
    double sum = 0;
    for (const PoseRows& e : rows) sum += squared_norm(e.position) + squared_norm(e.rotation);
    return sum;
  }

 private:
  const SE3<double>& pose(int i) const { return poses_[static_cast<std::size_t>(i)]; }
  SO3<double> base_rotation(const CalibrationState& state) const {
    std::vector<SO3<double>> rotations;
    std::vector<Vec3<double>> from, to;
    for (int i = 0; i < problem_.n_poses(); ++i) {
      const PoseMeasurement& m = problem_.measurement(i);
      if (m.is_distance) continue;
      const SE3<double> T = pose(i) * state.tools[problem_.frame_of(i)];
      if (m.has_rotation) rotations.push_back(m.rotation * transpose(T.R));
      from.push_back(T.p), to.push_back(m.position);
    }
    return rotations.empty() ? rotation_between(from, to) : mean_rotation(rotations);
  }
  void tool_rotations(CalibrationState& state) const {
    for (int f = 0; f < state.tools.size(); ++f) {
      std::vector<SO3<double>> rotations;
      for (int i = 0; i < problem_.n_poses(); ++i)
        if (problem_.frame_of(i) == f && problem_.measurement(i).n_numbers() == 6)
          rotations.push_back(transpose(state.base.R * pose(i).R) *
                              problem_.measurement(i).rotation);
      if (!rotations.empty()) state.tools[f].R = mean_rotation(rotations);
    }
  }
  /// p_measured - R_B p = t_B + R_B R t_C, linear in both shifts.
  void shifts(CalibrationState& state) const {
    const int base = options_.base_unknown ? 3 : 0;
    const int n = base + (options_.tool_unknown ? 3 * state.tools.size() : 0);
    const int rows = 3 * problem_.n_poses();
    Matrix A(rows, n);
    Array<double> b(rows), x(n);
    for (int i = 0; i < problem_.n_poses(); ++i) {
      if (problem_.measurement(i).is_distance) continue;
      const int f = problem_.frame_of(i);
      const SO3<double> R = state.base.R * pose(i).R;
      Vec3<double> rest = problem_.measurement(i).position - state.base.R * pose(i).p;
      if (!options_.base_unknown) rest = rest - state.base.p;
      if (!options_.tool_unknown) rest = rest - R * state.tools[f].p;
      for (int r = 0; r < 3; ++r) {
        b[3 * i + r] = rest[r];
        if (base > 0) A(3 * i + r, r) = 1;
        for (int c = 0; c < 3 && options_.tool_unknown; ++c)
          A(3 * i + r, base + 3 * f + c) = R(r, c);
      }
    }
    OrthogonalDecomposition factors(rows, n);
    factors.factorise(A, 1e-9);
    factors.solve(b, x);
    if (base > 0) state.base.p = {x[0], x[1], x[2]};
    for (int f = 0; options_.tool_unknown && f < state.tools.size(); ++f)
      state.tools[f].p = {x[base + 3 * f], x[base + 3 * f + 1], x[base + 3 * f + 2]};
  }

  const CalibrationProblem& problem_;
  const CalibrationOptions& options_;
  const std::vector<SE3<double>>& poses_;
};

}  // namespace

void register_poses(const CalibrationProblem& problem, const CalibrationOptions& options,
                    CalibrationState& state) {
  if (!options.base_unknown && !options.tool_unknown) return;
  const Model<double> model(state.robot);
  KinematicsWorkspace<double> ws(model);
  std::vector<SE3<double>> poses;
  bool any =
      false;  // distances alone have no registration in closed form: from where the file has them
  for (int i = 0; i < problem.n_poses(); ++i) {
    any = any || !problem.measurement(i).is_distance;
    forward_kinematics<double, double>(model, ws, problem.measurement(i).q);
    const std::string& frame = problem.frames()[static_cast<std::size_t>(problem.frame_of(i))];
    poses.push_back(frame_pose(ws, model.frame(frame)));
  }
  if (!any) return;
  const Registration registration(problem, options, poses);
  // Tools of any orientation: from the 24 rotations of a cube, where both ends are unknown.
  const bool both = options.base_unknown && options.tool_unknown;
  CalibrationState best = state;
  double least = infinity;
  for (int k = 0; k < (both ? 24 : 1); ++k) {
    CalibrationState trial = state;
    const double quarter = 1.5707963267948966;
    const SO3<double> face =
        k / 4 < 4 ? rotation_y(quarter * (k / 4)) : rotation_x(quarter * (k / 4 == 4 ? 1 : 3));
    for (SE3<double>& tool : trial.tools) tool.R = face * rotation_z(quarter * (k % 4));
    registration.run(trial);
    if (const double cost = registration.cost(trial); cost < least) least = cost, best = trial;
  }
  state = best;
}

}  // namespace torsor::internal
