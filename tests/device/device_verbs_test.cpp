// Verbs on a device are those for single states: chains of hinges of every length that is compiled ahead,
// robots of every kind of joint and up to 64 bodies, in double and in float. Skipped where there is no device.
#include <gtest/gtest.h>

#include <filesystem>

#include "batch/device_truth.hpp"
#include "torsor/batch/device.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

/// Where this test keeps kernels; elsewhere if the environment says so.
std::string cache() {
  if (const char* const given = std::getenv("TORSOR_TEST_KERNELS")) return given;
  return (std::filesystem::temp_directory_path() / "torsor-test-kernels").string();
}

template <class Real>
class OnDevice {
 public:
  OnDevice(const Model<double>& robot, const ManyStates<Real>& given, bool compile = true)
      : model_(robot),
        stream_(Device()),
        batch(
            stream_, robot,
            {cache(), compile, [](const std::string& line) { std::printf("%s\n", line.c_str()); }}),
        q(stream_, given.count(), robot.n_q()),
        qd(stream_, given.count(), robot.n_v()),
        third(qd) {
    q.upload(given.q()), qd.upload(given.qd()), third.upload(given.third());
  }
  DeviceStream& stream() { return stream_; }
  DeviceArray<Real> array(int width) { return {stream_, q.count(), width}; }
  std::vector<Real> numbers(const DeviceArray<Real>& from) {
    std::vector<Real> to(static_cast<std::size_t>(from.count()) *
                         static_cast<std::size_t>(from.width()));
    from.download(by_number(to.data(), from.count(), from.width()));
    return to;
  }
  KernelAnswers<Real> all() {
    const int n = model_.n_v();
    KernelAnswers<Real> a;
    auto x = array(n), M = array(n * n), packed = array(n * (n + 1) / 2);
    auto T = array(16 * model_.n_bodies()), A = array(n * n), B = array(n * n), C = array(n * n);
    batch.rigid_inverse_dynamics(q, qd, third, x), a.tau = numbers(x);
    batch.rigid_forward_dynamics(q, qd, third, x), a.qdd = numbers(x);
    batch.mass_matrix(q, M), a.M = numbers(M);
    batch.mass_matrix(q, packed), a.M_packed = numbers(packed);
    batch.mass_matrix_inverse(q, M), a.M_inverse = numbers(M);
    batch.body_poses(q, T), a.T = numbers(T);
    batch.rigid_inverse_dynamics_derivatives(q, qd, third, A, B, &C);
    a.dtau_dq = numbers(A), a.dtau_dqd = numbers(B), a.dtau_dqdd = numbers(C);
    batch.rigid_forward_dynamics_derivatives(q, qd, third, A, B, &C);
    a.dqdd_dq = numbers(A), a.dqdd_dqd = numbers(B), a.dqdd_dtau = numbers(C);
    return a;
  }

 private:
  const Model<double>& model_;
  DeviceStream stream_;

 public:
  DeviceBatch<Real> batch;
  DeviceArray<Real> q, qd, third;
};

template <class Real>
class DeviceVerbs : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(DeviceVerbs, Reals);

#define TORSOR_NEEDS_A_DEVICE() \
  if (!Device::missing().empty()) GTEST_SKIP() << "skipped: " << Device::missing()

template <class Real>
void expect_verbs_of_single_states(bool chains) {
  for (const Model<double>& model : robots_for_a_device(true)) {
    if (chains != (model.n_v() <= 8)) continue;
    SCOPED_TRACE(std::to_string(model.n_bodies() - 1) + " bodies, " + std::to_string(model.n_v()) +
                 " velocities");
    // Few states: a thread for each direction of derivatives. Many: the text of chains.
    for (const int count : {37, model.n_v() <= 8 ? 9000 : 300}) {
      const ManyStates<Real> states(model, std::min(count, 37), 5, true);
      if (count == 37) {
        OnDevice<Real> device(model, states);
        expect_true(model, states, device.all(), 8);
        EXPECT_EQ(device.batch.unanswered(), 0);
        std::printf("%d bodies: %s\n", model.n_bodies() - 1, device.batch.kernels().c_str());
        continue;
      }
      // The same 37 states again and again.
      OnDevice<Real> device(model, states);
      const auto repeated = [&](const StatesView<const Real>& from) {
        ManyNumbers<Real> to(count, from.width, true);
        for (int s = 0; s < count; ++s)
          for (int k = 0; k < from.width; ++k) to.view()(s, k) = from(s % 37, k);
        return to;
      };
      const auto fill = [&](DeviceArray<Real>& array, const StatesView<const Real>& from) {
        const ManyNumbers<Real> numbers = repeated(from);
        array = DeviceArray<Real>(device.stream(), count, from.width);
        array.upload(numbers.view());
      };
      fill(device.q, states.q()), fill(device.qd, states.qd()), fill(device.third, states.third());
      KernelAnswers<Real> all = device.all(), some;
      const auto take = [&](std::vector<Real>& from, std::vector<Real>& to) {
        const std::size_t width = from.size() / static_cast<std::size_t>(count);
        for (std::size_t k = 0; k < width; ++k)
          for (std::size_t s = 0; s < 37; ++s) {
            const std::size_t at = k * static_cast<std::size_t>(count);
            to.push_back(from[at + s]);
            const std::size_t last = (static_cast<std::size_t>(count) - s) / 37 * 37 + s;
            if (last < static_cast<std::size_t>(count)) {
              ASSERT_EQ(from[at + last], from[at + s]);
            }
          }
      };
      take(all.tau, some.tau), take(all.qdd, some.qdd), take(all.M, some.M);
      take(all.M_inverse, some.M_inverse), take(all.T, some.T);
      take(all.dtau_dq, some.dtau_dq), take(all.dtau_dqd, some.dtau_dqd);
      take(all.dtau_dqdd, some.dtau_dqdd), take(all.dqdd_dq, some.dqdd_dq);
      take(all.dqdd_dqd, some.dqdd_dqd), take(all.dqdd_dtau, some.dqdd_dtau);
      expect_true(model, states, some, 8);
    }
  }
}

TYPED_TEST(DeviceVerbs, of_chains_are_those_of_single_states) {
  TORSOR_NEEDS_A_DEVICE();
  expect_verbs_of_single_states<TypeParam>(true);
}
TYPED_TEST(DeviceVerbs, of_trees_are_those_of_single_states) {
  TORSOR_NEEDS_A_DEVICE();
  expect_verbs_of_single_states<TypeParam>(false);
}

TEST(DeviceVerbs, of_states_without_an_answer_are_nan_and_counted) {
  TORSOR_NEEDS_A_DEVICE();
  const Model<double> model = robots_for_a_device(true)[6];
  ManyStates<double> states(model, 40, 5, true);
  states.numbers_of_q().view()(11, 3) = std::numeric_limits<double>::infinity();
  OnDevice<double> device(model, states);
  const KernelAnswers<double> answers = device.all();
  for (const auto* x : {&answers.tau, &answers.qdd, &answers.M, &answers.T})
    for (std::size_t k = 0; k < x->size(); ++k) ASSERT_EQ(std::isnan((*x)[k]), k % 40 == 11);
  EXPECT_EQ(device.batch.unanswered(), 8);
  EXPECT_EQ(device.batch.unanswered(), 0);
}

TEST(DeviceVerbs, rollouts_in_a_graph_and_in_parts_are_one_rollout) {
  TORSOR_NEEDS_A_DEVICE();
  for (const std::size_t robot : {6U, 8U}) {
    const Model<double> model = robots_for_a_device(true)[robot];
    const ManyStates<double> states(model, 37, 5, true), goals(model, 37, 6, true);
    OnDevice<double> device(model, states);
    DeviceArray<double> from(device.q), goal(device.q);
    from.upload(states.q()), goal.upload(goals.q());
    const auto n = static_cast<std::size_t>(model.n_v());
    DeviceRollout<double> how;
    how.law = DeviceRollout<double>::Law::computed_torque;
    how.kp.assign(n, 100), how.kd.assign(n, 20);
    how.from = &from, how.goal = &goal;
    how.duration = 0.3, how.steps = 600;
    const auto result = [&] {
      auto both = device.numbers(device.q);
      const auto rates = device.numbers(device.qd);
      both.insert(both.end(), rates.begin(), rates.end());
      return both;
    };
    device.batch.rollout(device.q, device.qd, how);
    const std::vector<double> once = result();
    EXPECT_EQ(device.batch.unanswered(), 0);
    device.q.upload(states.q()), device.qd.upload(states.qd());
    how.steps = 200;
    for (const double time : {0.0, 0.2, 0.4}) {
      how.time = time;
      device.batch.rollout(device.q, device.qd, how);
    }
    const std::vector<double> parts = result();
    for (std::size_t k = 0; k < once.size(); ++k)
      ASSERT_NEAR(once[k], parts[k], 1e-6 * (1 + std::abs(once[k]))) << k;
    // Computed torque brings joints of rates to their goals: of the start's errors (1 + 10 t) exp(-10 t).
    if (robot == 6) {
      for (std::size_t k = 0; k < n * 37; ++k) ASSERT_NEAR(once[k], goals.q().data[k], 0.2) << k;
    }
  }
}

TEST(DeviceVerbs, entered_in_a_graph_are_the_same) {
  TORSOR_NEEDS_A_DEVICE();
  const Model<double> model = robots_for_a_device(true)[6];
  const ManyStates<double> states(model, 256, 5, true);
  OnDevice<double> device(model, states);
  auto tau = device.array(7), qdd = device.array(7);
  DeviceGraph graph(device.stream(), [&] {
    device.batch.rigid_inverse_dynamics(device.q, device.qd, device.third, tau);
    device.batch.rigid_forward_dynamics(device.q, device.qd, tau, qdd);
  });
  graph.launch();
  const std::vector<double> back = device.numbers(qdd);
  for (std::size_t k = 0; k < back.size(); ++k)
    ASSERT_NEAR(back[k], states.third().data[k], 1e-9) << k;
}

TEST(DeviceVerbs, without_a_compiler_are_those_of_the_rolled_kernels) {
  TORSOR_NEEDS_A_DEVICE();
  const Model<double> model = robots_for_a_device(true)[8];
  const ManyStates<double> states(model, 37, 5, true);
  try {
    OnDevice<double> device(model, states, false);
    expect_true(model, states, device.all(), 8);
    EXPECT_EQ(device.batch.unanswered(), 0);
    EXPECT_NE(device.batch.kernels().find("rolled"), std::string::npos);
  } catch (const Error& error) {
    GTEST_SKIP() << "skipped: " << error.what();  // a build without kernels compiled ahead
  }
}

TEST(DeviceVerbs, of_wrong_sizes_are_refused_by_name) {
  TORSOR_NEEDS_A_DEVICE();
  const Model<double> model = robots_for_a_device(true)[6];
  const ManyStates<double> states(model, 8, 5, true);
  OnDevice<double> device(model, states);
  auto wrong = device.array(6), tau = device.array(7);
  const auto why = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why([&] { device.batch.rigid_inverse_dynamics(device.q, wrong, {}, tau); }),
            "qd: has 6 numbers for each state instead of 7");
  EXPECT_EQ(why([&] { device.batch.rigid_inverse_dynamics(device.q, {}, {}, wrong); }),
            "tau: has 6 numbers for each state instead of 7");
  EXPECT_NE(why([] { Device(1000); }), "");
}

TEST(Device, says_why_there_is_none) {
  const std::string why = Device::missing();
  EXPECT_EQ(why.empty(), Device::count() > 0);
  if (why.empty()) return;
  EXPECT_EQ(why.find('\n'), std::string::npos);
  try {
    const Device device;
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "device: " + why);
  }
}

}  // namespace
