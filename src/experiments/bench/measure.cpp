#include <time.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "measure_batch.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/experiments/bench.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/math/instruction_set.hpp"
#include "torsor/math/internal/builtins.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {
namespace {

/// CPU time of this thread, ns.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Random states of a robot, and room for any result.
struct Pool {
  static constexpr int states = 64;

  Array<Array<double>> q, qd, x;
  Array<double> out;

  explicit Pool(const Model<double>& model) : q(states), qd(states), x(states), out(room(model)) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (int k = 0; k < states; ++k) {
      q[k] = Array<double>(model.n_q());
      random_configuration(model, static_cast<unsigned>(k), q[k]);
      for (Array<double>* each : {&qd[k], &x[k]}) {
        *each = Array<double>(model.n_v());
        for (double& number : *each) number = draw(engine);
      }
    }
  }

 private:
  static int room(const Model<double>& model) {
    return std::max(4 * model.n_v(), 10 * model.n_bodies()) * (model.n_v() + 12);
  }
};

class Measurement {
 public:
  Measurement(const Model<double>& model, const BenchOptions& options)
      : pool(model), options_(options) {}

  /// call(q, qd, x) leaves its result in pool.out. False where the measurement is to end.
  template <class Call>
  bool verb(const char* name, std::vector<BenchFigure>& figures, Call call) {
    const auto once = [&](int k) { call(pool.q[k], pool.qd[k], pool.x[k]); };
    // The next state is known only when the last result is: 0 times it is added.
    Array<double> q = pool.q[0];
    const auto waiting = [&](int k) {
      const double last = 0 * pool.out[0];
      for (int j = 0; j < q.size(); ++j) q[j] = pool.q[k][j] + last;
      call(q, pool.qd[k], pool.x[k]);
    };
    return figure(name, "single", figures, once) && figure(name, "latency", figures, waiting);
  }

  Pool pool;

 private:
  template <class Once>
  bool figure(const char* verb, const char* mode, std::vector<BenchFigure>& figures, Once once) {
    if (!internal::goes_on(options_, verb, mode, figures)) return false;
    const auto round = [&](int rounds) {
      const double start = now();
      for (int r = 0; r < rounds; ++r)
        for (int k = 0; k < Pool::states; ++k) once(k);
      return (now() - start) / (rounds * Pool::states);
    };
    (void)round(1);
    const int rounds = static_cast<int>(std::clamp(1e5 / (Pool::states * round(1)), 1.0, 50.0));
    double least = round(rounds);
    for (const double end = now() + 1e9 * options_.seconds; now() < end;)
      least = std::min(least, round(rounds));
    figures.push_back({verb, mode, least});
    return true;
  }

  const BenchOptions& options_;
};

/// Where a verb writes a matrix into the room of the pool.
MatrixView<double> matrix(Pool& pool, int rows, int columns, int offset = 0) {
  return column_major(pool.out.data() + offset, rows, columns);
}

}  // namespace

bool internal::goes_on(const BenchOptions& options, const char* verb, const char* mode,
                       const std::vector<BenchFigure>& figures) {
  return !options.go_on ||
         options.go_on(verb, mode,
                       std::min(1.0, static_cast<double>(figures.size()) / most_figures));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "unknown processor";
}

Bench measure_speed(const Model<double>& model, const BenchOptions& options) {
  Bench bench{.robot = model.name(),
              .processor = processor_name(),
              .instruction_set = instruction_set(),
              .compiler = internal::compiler_name,
              .n_v = model.n_v(),
              .figures = {},
              .peers = {}};
  Measurement m(model, options);
  Pool& pool = m.pool;
  const int n = model.n_v();
  const Out<double> vector{pool.out.data(), n};
  const MatrixView<double> square = matrix(pool, n, n);
  const Frame last{"last body", model.n_bodies() - 1, {}};
  using State = const Array<double>&;

  KinematicsWorkspace<double> kinematics(model);
  RneaWorkspace<double> rnea(model);
  AbaWorkspace<double> aba(model);
  DynamicsWorkspace<double> full(model);
  CrbaWorkspace<double> crba(model);
  MinverseWorkspace<double> minverse(model);
  CoriolisWorkspace<double> coriolis(model);
  RegressorWorkspace<double> regressor(model);
  InverseDynamicsDerivativesWorkspace<double> rnea_derivatives(model);
  ForwardDynamicsDerivativesWorkspace<double> aba_derivatives(model);
  std::vector<BenchFigure>& figures = bench.figures;
  const bool loops = ConstraintSet(model).n_rows() > 0;

  const bool whole =
      m.verb("forward_kinematics", figures,
             [&](State q, State, State) {
               forward_kinematics(model, kinematics, q);
               pool.out[0] = frame_pose(kinematics, last).p.x;
             }) &&
      m.verb("jacobian", figures,
             [&](State q, State, State) {
               jacobian(model, kinematics, q, last, Reference::body, matrix(pool, 6, n));
             }) &&
      m.verb("rigid_inverse_dynamics", figures,
             [&](State q, State qd, State x) {
               rigid_inverse_dynamics(model, rnea, q, qd, x, {}, vector);
             }) &&
      m.verb("rigid_forward_dynamics", figures,
             [&](State q, State qd, State x) {
               (void)rigid_forward_dynamics(model, aba, q, qd, x, {}, vector);
             }) &&
      (loops || (m.verb("inverse_dynamics", figures,
                        [&](State q, State qd, State x) {
                          (void)inverse_dynamics(model, full, q, qd, x, {}, vector);
                        }) &&
                 m.verb("forward_dynamics", figures,
                        [&](State q, State qd, State x) {
                          (void)forward_dynamics(model, full, q, qd, x, {}, vector);
                        }))) &&
      m.verb("mass_matrix", figures,
             [&](State q, State, State) { mass_matrix(model, crba, q, square); }) &&
      m.verb(
          "mass_matrix_inverse", figures,
          [&](State q, State, State) { (void)mass_matrix_inverse(model, minverse, q, square); }) &&
      m.verb("coriolis_matrix", figures,
             [&](State q, State qd, State) { coriolis_matrix(model, coriolis, q, qd, square); }) &&
      m.verb("torque_regressor", figures,
             [&](State q, State qd, State x) {
               torque_regressor(model, regressor, q, qd, x,
                                matrix(pool, n, 10 * (model.n_bodies() - 1)));
             }) &&
      m.verb("rigid_inverse_dynamics_derivatives", figures,
             [&](State q, State qd, State x) {
               rigid_inverse_dynamics_derivatives(model, rnea_derivatives, q, qd, x, {}, square,
                                                  matrix(pool, n, n, n * n));
             }) &&
      m.verb("rigid_forward_dynamics_derivatives", figures,
             [&](State q, State qd, State x) {
               (void)rigid_forward_dynamics_derivatives(model, aba_derivatives, q, qd, x, {}, {},
                                                        square, matrix(pool, n, n, n * n),
                                                        matrix(pool, n, n, 2 * n * n));
             }) &&
      internal::measure_batch(model, options, figures);
  (void)whole;  // an interrupted measurement has the figures that were done
  return bench;
}

}  // namespace torsor
