// Verbs on a device beside this processor: states per second of large batches, us of 256 states.
//
//   device [ROBOT ...]     panda and humanoid38 unless others are named
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "torsor/batch/batch.hpp"
#include "torsor/batch/device.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/configuration.hpp"

using namespace torsor;

namespace {

template <class Real>
class Rows {
 public:
  Rows(const Model<double>& model, std::int64_t count) : model_(model), count_(count) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> draw(-1, 1);
    constexpr std::int64_t drawn = 512;
    std::vector<double> q(static_cast<std::size_t>(model.n_q()));
    q_.resize(q.size() * static_cast<std::size_t>(count));
    for (std::int64_t s = 0; s < std::min(count, drawn); ++s) {
      random_configuration(model, static_cast<unsigned>(s), q);
      for (std::int64_t at = s; at < count; at += drawn)
        for (std::size_t k = 0; k < q.size(); ++k)
          q_[k * static_cast<std::size_t>(count) + static_cast<std::size_t>(at)] = Real(q[k]);
    }
    for (auto* x : {&qd_, &third_}) {
      x->resize(static_cast<std::size_t>(model.n_v()) * static_cast<std::size_t>(count));
      for (Real& number : *x) number = Real(draw(engine));
    }
  }
  const Model<double>& model() const { return model_; }
  std::int64_t count() const { return count_; }
  StatesView<const Real> q() const { return by_number(q_.data(), count_, model_.n_q()); }
  StatesView<const Real> qd() const { return by_number(qd_.data(), count_, model_.n_v()); }
  StatesView<const Real> third() const { return by_number(third_.data(), count_, model_.n_v()); }

 private:
  const Model<double>& model_;
  std::int64_t count_;
  std::vector<Real> q_, qd_, third_;
};

template <class Function>
double least_seconds(Function f) {
  double least = 1e30;
  for (int k = 0; k < 7; ++k) least = std::min(least, f());
  return least;
}

template <class Real>
void measure(const Model<double>& model, DeviceStream& stream, std::int64_t count) {
  const char* const number = sizeof(Real) == 8 ? "double" : "float";
  const int n = model.n_v();
  const Rows<Real> rows(model, count);
  DeviceBatch<Real> batch(stream, model);
  DeviceArray<Real> q(stream, count, model.n_q()), qd(stream, count, n), third(qd), x(qd);
  q.upload(rows.q()), qd.upload(rows.qd()), third.upload(rows.third());
  DeviceArray<Real> A(stream, count, n * n), B(A), packed(stream, count, n * (n + 1) / 2);
  DeviceArray<Real> T(stream, count, 16 * model.n_bodies());
  const int calls = count > 100000 ? 3 : 30;
  const auto row = [&](const char* verb, int numbers, const std::function<void()>& call) {
    call();
    stream.wait();
    const double direct = least_seconds([&] {
                            return stream.time([&] {
                              for (int k = 0; k < calls; ++k) call();
                            });
                          }) /
                          calls * 1e-3;
    DeviceGraph graph(stream, call);
    graph.launch();
    stream.wait();
    const double replayed = least_seconds([&] {
                              return stream.time([&] {
                                for (int k = 0; k < calls; ++k) graph.launch();
                              });
                            }) /
                            calls * 1e-3;
    // One state of a caller who waits for each result.
    const double waited = least_seconds([&] {
      const auto start = std::chrono::steady_clock::now();
      graph.launch();
      stream.wait();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    std::printf(
        "%-12s %-6s %8lld %-24s %8.3f G/s %8.2f us  graph %8.2f us  waited %8.2f us  %5.2f TB/s\n",
        model.name().c_str(), number, static_cast<long long>(count), verb,
        static_cast<double>(count) / direct * 1e-9, direct * 1e6, replayed * 1e6, waited * 1e6,
        static_cast<double>(count) * numbers * sizeof(Real) / direct * 1e-12);
    std::fflush(stdout);
  };
  const int q_n = model.n_q();
  std::printf("%s %s: %s\n", model.name().c_str(), number, batch.kernels().c_str());
  row("inverse dynamics", q_n + 3 * n, [&] { batch.rigid_inverse_dynamics(q, qd, third, x); });
  row("forward dynamics", q_n + 3 * n, [&] { batch.rigid_forward_dynamics(q, qd, third, x); });
  row("mass matrix, triangle", q_n + n * (n + 1) / 2, [&] { batch.mass_matrix(q, packed); });
  row("mass matrix", q_n + n * n, [&] { batch.mass_matrix(q, A); });
  row("its inverse", q_n + n * n, [&] { batch.mass_matrix_inverse(q, A); });
  row("poses", q_n + 16 * model.n_bodies(), [&] { batch.body_poses(q, T); });
  row("derivatives of inverse", q_n + 2 * n + 2 * n * n,
      [&] { batch.rigid_inverse_dynamics_derivatives(q, qd, third, A, B); });
  row("derivatives of forward", q_n + 2 * n + 2 * n * n,
      [&] { batch.rigid_forward_dynamics_derivatives(q, qd, third, A, B); });
  DeviceRollout<Real> how;
  how.kp.assign(static_cast<std::size_t>(n), 1), how.kd.assign(static_cast<std::size_t>(n), 0.02);
  how.from = how.goal = &q;
  how.steps = 20;
  DeviceArray<Real> q_at(q), qd_at(qd);
  for (const bool computed : {false, true}) {
    how.law = computed ? DeviceRollout<Real>::Law::computed_torque : DeviceRollout<Real>::Law::pd;
    q_at.upload(rows.q()), qd_at.upload(rows.qd());
    const double s = least_seconds([&] {
                       q_at.upload(rows.q()), qd_at.upload(rows.qd());
                       return stream.time([&] { batch.rollout(q_at, qd_at, how); });
                     }) *
                     1e-3;
    std::printf("%-12s %-6s %8lld rollout, %-15s %8.3f G steps/s of RK4\n", model.name().c_str(),
                number, static_cast<long long>(count), computed ? "computed torque" : "PD",
                20 * static_cast<double>(count) / s * 1e-9);
  }
  if (const std::int64_t bad = batch.unanswered())
    std::printf("%lld states without an answer\n", static_cast<long long>(bad));
  std::fflush(stdout);
}

/// The same on all cores of this processor.
void measure_here(const Model<double>& model, std::int64_t count) {
  const Rows<double> rows(model, count);
  Batch<double> batch(model);
  std::vector<double> x(static_cast<std::size_t>(count) * static_cast<std::size_t>(model.n_v()));
  const auto out = by_number(x.data(), count, model.n_v());
  const auto seconds = [&](const std::function<void()>& call) {
    call();
    return least_seconds([&] {
      const auto start = std::chrono::steady_clock::now();
      call();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
  };
  const double id =
      seconds([&] { batch.rigid_inverse_dynamics(rows.q(), rows.qd(), rows.third(), out); });
  const double fd =
      seconds([&] { (void)batch.rigid_forward_dynamics(rows.q(), rows.qd(), rows.third(), out); });
  std::printf("%-12s double %8lld this processor, all cores: inverse %.4f G/s, forward %.4f G/s\n",
              model.name().c_str(), static_cast<long long>(count),
              static_cast<double>(count) / id * 1e-9, static_cast<double>(count) / fd * 1e-9);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> robots(words + 1, words + count);
  if (robots.empty()) robots = {"panda", "humanoid38"};
  try {
    const Device device;
    std::printf("%s, %s, %d multiprocessors\n", device.name().c_str(),
                device.architecture().c_str(), device.processors());
    DeviceStream stream(device);
    for (const std::string& name : robots) {
      const Model<double> model = load_robot(name);
      const std::int64_t many = model.n_v() <= 8 ? 1 << 20 : 1 << 17;
      for (const std::int64_t states : {many, std::int64_t(256)}) {
        measure<double>(model, stream, states);
        measure<float>(model, stream, states);
      }
      measure_here(model, 1 << 16);
    }
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
