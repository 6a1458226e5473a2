// Numeric inverse kinematics beside KDL's solvers: 10,000 random poses of each robot.
//
//   kinematics_numeric_ik                      one row for each solver and robot
//
// Poses are those of random configurations inside the limits. Every solver starts in the middle of
// the limits and then from random configurations inside them, until the pose is met to 1e-8 m and
// 1e-8 rad inside the limits or 10 ms of processor time are over. KDL's LMA knows no limits: its
// angles are wrapped into them, and a solution that stays outside counts as a start that failed.
// KDL takes rotations below its global epsilon, 1e-6 rad, for none; it is set to 1e-12 here, without
// which it solves a fifth of the poses. Each answer is checked by forward kinematics. Built without KDL (Debian: liborocos-kdl-dev), the
// rows of KDL are missing and a line says so.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>

#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/kinematics/inverse_kinematics.hpp"
#include "torsor/model/configuration.hpp"

#ifdef TORSOR_BENCHMARK_KDL
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#endif

namespace torsor {
namespace {

constexpr int n_poses = 10000;
constexpr double tolerance = 1e-8, time_limit = 0.010;

/// s of processor time of this thread: what other programs do does not count.
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Arm {
  Model<double> model;
  Frame frame;
  KinematicsWorkspace<double> ws;
  std::vector<double> middle;

  explicit Arm(const std::string& name)
      : model(load_robot(name)),
        frame(model.frame(model.has_frame("tool") ? "tool" : "flange")),
        ws(model),
        middle(static_cast<std::size_t>(model.n_q())) {
    for (int k = 0; k < model.n_q(); ++k)
      middle[static_cast<std::size_t>(k)] = (model.limits(k).lower + model.limits(k).upper) / 2;
  }
  SE3<double> pose(const std::vector<double>& q) {
    forward_kinematics(model, ws, q);
    return frame_pose(ws, frame);
  }
  bool solves(const std::vector<double>& q, const SE3<double>& T) {
    for (int k = 0; k < model.n_q(); ++k)
      if (!(q[static_cast<std::size_t>(k)] >= model.limits(k).lower &&
            q[static_cast<std::size_t>(k)] <= model.limits(k).upper))
        return false;
    const SE3<double> there = pose(q);
    return norm(there.p - T.p) <= tolerance &&
           norm(log(transpose_times(there.R, T.R))) <= tolerance;
  }
};

/// solve(pose, its number, q) for every pose; times include restarts and failures.
template <class Solve>
void measure(benchmark::State& state, Arm& arm, Solve solve) {
  std::vector<double> times, q(arm.middle.size());
  int solved = 0;
  double total = 0;
  for (auto _ : state)
    for (int k = 0; k < n_poses; ++k) {
      random_configuration(arm.model, static_cast<unsigned>(k + 1), q);
      const SE3<double> T = arm.pose(q);
      const double start = now();
      solve(T, k, q);
      times.push_back(now() - start);
      total += times.back();
      solved += times.back() <= time_limit && arm.solves(q, T);
    }
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return 1e6 * times[static_cast<std::size_t>(part * (n_poses - 1))];
  };
  state.counters["solved_%"] = 100.0 * solved / n_poses;
  state.counters["mean_us"] = 1e6 * total / n_poses;
  state.counters["median_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
  state.counters["max_us"] = at(1);
}

void by_torsor(benchmark::State& state, const std::string& name) {
  Arm arm(name);
  InverseKinematicsWorkspace ws(arm.model, View<const Frame>(&arm.frame, 1));
  InverseKinematicsOptions options;
  options.max_iterations = 20000;  // about 10 ms; the clock below is the judge
  options.max_restarts = 100000;
  double iterations = 0, restarts = 0;
  measure(state, arm, [&](const SE3<double>& T, int, std::vector<double>& q) {
    const IkTarget target{T};
    const auto result = inverse_kinematics(arm.model, ws, {&target, 1}, arm.middle, options, q);
    iterations += result.iterations;
    restarts += result.restarts;
  });
  state.counters["iterations"] = iterations / n_poses;
  state.counters["restarts"] = restarts / n_poses;
}

#ifdef TORSOR_BENCHMARK_KDL
KDL::Frame kdl_frame(const SE3<double>& T) {
  return {KDL::Rotation(KDL::Vector(T.R.c0.x, T.R.c0.y, T.R.c0.z),
                        KDL::Vector(T.R.c1.x, T.R.c1.y, T.R.c1.z),
                        KDL::Vector(T.R.c2.x, T.R.c2.y, T.R.c2.z)),
          KDL::Vector(T.p.x, T.p.y, T.p.z)};
}

/// A chain of revolute joints about z.
KDL::Chain kdl_chain(const Arm& arm) {
  KDL::Chain chain;
  const int n = arm.model.n_bodies() - 1;
  chain.addSegment(
      KDL::Segment(KDL::Joint(KDL::Joint::None), kdl_frame(arm.model.body(1).placement)));
  for (int i = 1; i <= n; ++i)
    chain.addSegment(
        KDL::Segment(KDL::Joint(KDL::Joint::RotZ),
                     kdl_frame(i < n ? arm.model.body(i + 1).placement : arm.frame.placement)));
  return chain;
}

bool wrap_into_limits(const Arm& arm, KDL::JntArray& q) {
  constexpr double turn = 2 * 3.14159265358979323846;
  for (int k = 0; k < arm.model.n_q(); ++k) {
    double& x = q(static_cast<unsigned>(k));
    const Limits& limits = arm.model.limits(k);
    x -= turn * std::round((x - arm.middle[static_cast<std::size_t>(k)]) / turn);
    if (!(x >= limits.lower && x <= limits.upper)) return false;
  }
  return true;
}

template <class Solver>
void by_kdl(benchmark::State& state, Arm& arm, Solver& solver) {
  const unsigned n = static_cast<unsigned>(arm.model.n_q());
  KDL::JntArray from(n), to(n);
  KDL::epsilon = 1e-12;
  double restarts = 0;
  measure(state, arm, [&](const SE3<double>& T, int number, std::vector<double>& q) {
    const double end = now() + time_limit;
    const KDL::Frame target = kdl_frame(T);
    q = arm.middle;
    for (unsigned start = 1;; ++start) {
      for (unsigned k = 0; k < n; ++k) from(k) = q[k];
      if (solver.CartToJnt(from, target, to) >= 0 && wrap_into_limits(arm, to)) {
        for (unsigned k = 0; k < n; ++k) q[k] = to(k);
        if (arm.solves(q, T)) return;
      }
      if (now() > end) return;
      random_configuration(arm.model, static_cast<unsigned>(number) * 1000003u + start, q);
      ++restarts;
    }
  });
  state.counters["restarts"] = restarts / n_poses;
}

void by_kdl_lma(benchmark::State& state, const std::string& name) {
  Arm arm(name);
  const KDL::Chain chain = kdl_chain(arm);
  const Eigen::Matrix<double, 6, 1> weights = Eigen::Matrix<double, 6, 1>::Ones();
  KDL::ChainIkSolverPos_LMA solver(chain, weights, tolerance, 500);
  by_kdl(state, arm, solver);
}

void by_kdl_nr_jl(benchmark::State& state, const std::string& name) {
  Arm arm(name);
  const KDL::Chain chain = kdl_chain(arm);
  const unsigned n = static_cast<unsigned>(arm.model.n_q());
  KDL::JntArray low(n), high(n);
  for (unsigned k = 0; k < n; ++k) {
    low(k) = arm.model.limits(static_cast<int>(k)).lower;
    high(k) = arm.model.limits(static_cast<int>(k)).upper;
  }
  KDL::ChainFkSolverPos_recursive forward(chain);
  KDL::ChainIkSolverVel_pinv velocity(chain);
  // Its tolerance is of each component; half of ours keeps the norms inside.
  KDL::ChainIkSolverPos_NR_JL solver(chain, low, high, forward, velocity, 100, tolerance / 2);
  by_kdl(state, arm, solver);
}
#endif

[[maybe_unused]] const bool registered = [] {
  using Function = void (*)(benchmark::State&, const std::string&);
  std::vector<std::pair<const char*, Function>> solvers{{"torsor", by_torsor}};
#ifdef TORSOR_BENCHMARK_KDL
  solvers.emplace_back("kdl_lma", by_kdl_lma);
  solvers.emplace_back("kdl_nr_jl", by_kdl_nr_jl);
#else
  std::puts("built without KDL (Debian package liborocos-kdl-dev): no rows to compare with");
#endif
  for (const char* robot : {"puma560", "ur5", "panda", "iiwa14"})
    for (const auto& [solver, function] : solvers)
      benchmark::RegisterBenchmark(
          (std::string("numeric_ik/") + robot + "/" + solver).c_str(),
          [function = function, robot](benchmark::State& s) { function(s, robot); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace torsor
