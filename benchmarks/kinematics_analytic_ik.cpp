// Analytic inverse kinematics: time for all branches of a pose, and completeness on 100,000 poses.
//
//   kinematics_analytic_ik                     times, then completeness (misses are listed)
//
// A miss is a pose whose generating configuration is not among the solutions to 1e-6 although the
// smallest singular value of the Jacobian there is above 1e-3.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/dh.hpp"

namespace torsor {
namespace {

/// Six turning joints with every DH parameter drawn.
Model<double> general_arm(unsigned seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](double size) {
    return size * (2 * static_cast<double>(engine() >> 11) * 0x1p-53 - 1);
  };
  DhTable table;
  table.name = "general_" + std::to_string(seed);
  for (int i = 0; i < 6; ++i) {
    DhRow row;
    row.a = draw(0.6), row.alpha = draw(3), row.d = draw(0.6), row.theta = draw(3);
    table.rows.push_back(row);
  }
  return Model<double>(from_dh(table));
}
Model<double> robot(const std::string& name) {
  return name == "general" ? general_arm(1) : load_robot(name);
}

SE3<double> pose_at(const Model<double>& model, KinematicsWorkspace<double>& ws,
                    const std::vector<double>& q) {
  forward_kinematics(model, ws, q);
  return frame_pose(ws, model.frame("tool"));
}

void all_branches(benchmark::State& state, const std::string& name) {
  const Model<double> model = robot(name);
  const AnalyticIkSolver solver(model, "tool");
  KinematicsWorkspace<double> ws(model);
  std::vector<SE3<double>> poses;
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  for (unsigned k = 0; k < 1024; ++k) {
    random_configuration(model, k, q);
    poses.push_back(pose_at(model, ws, q));
  }
  AnalyticIkResult result;
  std::size_t k = 0;
  double solutions = 0;
  for (auto _ : state) {
    solver.solve(poses[k++ % poses.size()], result);
    benchmark::DoNotOptimize(result);
    solutions += result.n_solutions;
  }
  state.counters["solutions"] = benchmark::Counter(solutions, benchmark::Counter::kAvgIterations);
  state.SetLabel(solver.method());
}

double smallest_singular_value(const Model<double>& model, KinematicsWorkspace<double>& ws,
                               const std::vector<double>& q) {
  std::array<std::array<double, 6>, 6> J{};
  const double h = 1e-6;
  for (std::size_t i = 0; i < q.size(); ++i) {
    auto ahead = q, behind = q;
    ahead[i] += h, behind[i] -= h;
    const SE3<double> A = pose_at(model, ws, ahead), B = pose_at(model, ws, behind);
    const Vec3<double> w = log(A.R * transpose(B.R)) * (0.5 / h), v = (A.p - B.p) * (0.5 / h);
    J[i] = {w.x, w.y, w.z, v.x, v.y, v.z};
  }
  internal::SquareMatrix<double, 6> JtJ{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) JtJ[i][j] += J[i][k] * J[j][k];
  return std::sqrt(std::max(0.0, internal::symmetric_eigen(JtJ).values[6 - q.size()]));
}

bool contains(const Model<double>& model, const AnalyticIkResult& result,
              const std::vector<double>& q) {
  for (const AnalyticIkSolution& s : result) {
    double off = 0;
    for (int i = 0; i < model.n_q(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const bool slides = model.body(i + 1).kind == JointKind::prismatic;
      off =
          std::max(off, std::abs(slides ? s.q[k] - q[k] : internal::wrapped_angle(s.q[k] - q[k])));
    }
    if (off < 1e-6) return true;
  }
  return false;
}

/// `general`: 100 arms with a thousand poses each.
void completeness(benchmark::State& state, const std::string& name) {
  const int arms = name == "general" ? 100 : 1, poses = 100000 / arms;
  double missed = 0, singular = 0, worst = 0;
  for (auto _ : state) {
    for (int a = 0; a < arms; ++a) {
      const Model<double> model =
          arms > 1 ? general_arm(static_cast<unsigned>(a + 1)) : robot(name);
      const AnalyticIkSolver solver(model, "tool");
      KinematicsWorkspace<double> ws(model);
      AnalyticIkResult result;
      std::vector<double> q(static_cast<std::size_t>(model.n_q()));
      for (int k = 0; k < poses; ++k) {
        random_configuration(model, static_cast<unsigned>(k + 7), q);
        const SE3<double> T = pose_at(model, ws, q);
        solver.solve(T, result);
        for (const AnalyticIkSolution& s : result)
          worst = std::max({worst, s.position_error, s.rotation_error});
        if (contains(model, result, q)) continue;
        if (smallest_singular_value(model, ws, q) < 1e-3) {
          ++singular;
          continue;
        }
        ++missed;
        std::printf("missed by %s:", model.name().c_str());
        for (const double x : q) std::printf(" %.17g", x);
        std::printf("\n");
      }
    }
  }
  state.counters["poses"] = arms * poses;
  state.counters["missed"] = missed;
  state.counters["missed_singular"] = singular;
  state.counters["worst_error"] = worst;
}

[[maybe_unused]] const bool registered = [] {
  for (const char* name : {"puma560", "ur5", "ur10", "stanford", "basic_elbow", "scara", "general"})
    benchmark::RegisterBenchmark((std::string("all_branches/") + name).c_str(),
                                 [name](benchmark::State& s) { all_branches(s, name); });
  for (const char* name : {"puma560", "ur5", "stanford", "general"})
    benchmark::RegisterBenchmark((std::string("completeness/") + name).c_str(),
                                 [name](benchmark::State& s) { completeness(s, name); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace torsor
