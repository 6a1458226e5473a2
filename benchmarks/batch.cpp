// Nanoseconds per state of the verbs over many states: double and float, one thread and two.
//
//   benchmarks/batch [ROBOT] [STATES]
//
// Arrays are by number, as the lanes want them, and by state, as NumPy has them. Figures are the least
// CPU time of many short repetitions; of two threads, the least wall time against that of one.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "torsor/batch/batch.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/math/instruction_set.hpp"
#include "torsor/model/configuration.hpp"

using namespace torsor;

namespace {

double cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}
double wall_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// The least of repetitions for `seconds`, by the clock.
double least(const std::function<void()>& work, double (*clock)(), double seconds = 0.25) {
  work();
  double best = 1e300;
  for (const double end = wall_ns() + seconds * 1e9; wall_ns() < end;) {
    const double start = clock();
    work();
    best = std::min(best, clock() - start);
  }
  return best;
}

template <class Real>
struct Arrays {
  std::vector<Real> data;
  int count;
  bool number_first;

  Arrays(int states, int width, bool by_number_first)
      : data(static_cast<std::size_t>(states * width) + 16),
        count(states),
        number_first(by_number_first) {
    unsigned seed = 1;
    for (Real& x : data) {
      seed = seed * 1664525U + 1013904223U;
      x = static_cast<Real>(seed >> 8) / Real(1 << 23) - Real(1);
    }
  }
  StatesView<Real> view(int width) {
    return number_first ? by_number(data.data(), count, width)
                        : by_state(data.data(), count, width);
  }
};

template <class Real>
void measure(const Model<double>& model, int count, bool number_first) {
  const int n = model.n_v();
  Arrays<Real> q(count, model.n_q(), number_first), v(count, n, number_first), a(v);
  Arrays<Real> small(count, n, number_first), m0(count, n * n, number_first), m1(m0), m2(m0);
  std::vector<double> row(static_cast<std::size_t>(model.n_q()));
  for (int s = 0; s < count; ++s) {
    random_configuration(model, static_cast<unsigned>(s), row);
    for (int k = 0; k < model.n_q(); ++k)
      q.view(model.n_q())(s, k) = static_cast<Real>(row[static_cast<std::size_t>(k)]);
  }
  const StatesView<const Real> Q = q.view(model.n_q()), V = v.view(n), A = a.view(n);
  const auto all = [&](Batch<Real>& batch) {
    return std::vector<std::pair<const char*, std::function<void()>>>{
        {"ID", [&] { batch.rigid_inverse_dynamics(Q, V, A, small.view(n)); }},
        {"FD", [&] { (void)batch.rigid_forward_dynamics(Q, V, A, small.view(n)); }},
        {"M", [&] { batch.mass_matrix(Q, m0.view(n * n)); }},
        {"dID",
         [&] {
           batch.rigid_inverse_dynamics_derivatives(Q, V, A, m0.view(n * n), m1.view(n * n));
         }},
        {"dFD",
         [&] {
           (void)batch.rigid_forward_dynamics_derivatives(Q, V, A, m0.view(n * n), m1.view(n * n));
         }},
        {"dFD, M^-1",
         [&] {
           (void)batch.rigid_forward_dynamics_derivatives(Q, V, A, m0.view(n * n), m1.view(n * n),
                                                          m2.view(n * n));
         }},
        {"M^-1", [&] { (void)batch.mass_matrix_inverse(Q, m0.view(n * n)); }},
        {"C", [&] { batch.coriolis_matrix(Q, V, m0.view(n * n)); }}};
  };
  Batch<Real> one(model, {.threads = 1});
  std::printf("%s, %d states, %s:", sizeof(Real) == 8 ? "double" : "float", count,
              number_first ? "by number" : "by state");
  for (const auto& [name, work] : all(one))
    std::printf("  %s %.1f", name, least(work, cpu_ns) / count);
  std::printf("\n");
  std::fflush(stdout);
}

void two_threads(const Model<double>& model, int count) {
  const int n = model.n_v();
  Arrays<double> q(count, model.n_q(), false), v(count, n, false), a(v), out(v);
  Batch<double> one(model, {.threads = 1}), two(model, {.threads = 2});
  const auto work = [&](Batch<double>& batch) {
    return least(
        [&] { (void)batch.rigid_forward_dynamics(q.view(n), v.view(n), a.view(n), out.view(n)); },
        wall_ns, 1.0);
  };
  const double alone = work(one), together = work(two);
  std::printf("FD of %d states, wall: one thread %.2f ms, two %.2f ms, %.2f times as fast\n", count,
              alone * 1e-6, together * 1e-6, alone / together);
}

}  // namespace

int main(int argc, char** argv) {
  const Model<double> model(load_robot(argc > 1 ? argv[1] : "panda"));
  const int count = argc > 2 ? std::atoi(argv[2]) : 256;
  std::printf("%s, %s, ns per state on one core\n", model.name().c_str(),
              instruction_set().c_str());
  for (const bool number_first : {true, false}) {
    measure<double>(model, count, number_first);
    measure<float>(model, count, number_first);
  }
  if (model.n_q() == model.n_v()) two_threads(model, 65536);
}
