// The text of the kernels (src/batch/cuda) run by this processor, thread by thread: right for robots of
// every joint kind, without a device.
#include <gtest/gtest.h>

#include <cstring>

#include "../../src/batch/cuda/kernels.hpp"
#include "../../src/batch/cuda/model_bytes.hpp"
#include "batch/device_truth.hpp"
#include "torsor/dynamics/energy.hpp"

using namespace torsor;
using namespace torsor::testing;
using namespace torsor::internal;

namespace {

/// A model as program.cu has it in constant memory.
template <class Device>
struct Loaded {
  std::vector<std::byte> bytes;
  RolledBytes arrays;
  Device model;

  explicit Loaded(const Model<double>& robot) {
    using Real = ParamOf<Device>;
    if constexpr (std::is_same_v<Device, RolledModel<AnyShape, Real>>) {
      arrays = rolled_bytes<Real>(robot);
      model = rolled_model<Real>(robot, arrays, arrays.bytes.data());
    } else {
      bytes = model_bytes<Real>(robot, Device::right_angles);
      EXPECT_EQ(bytes.size(), sizeof(Device));
      std::memcpy(static_cast<void*>(&model), bytes.data(), sizeof(Device));
    }
  }
};

template <class Device>
class HostKernels {
 public:
  using Real = ParamOf<Device>;
  using Kernels = device::Kernels<Device, Real>;

  HostKernels(const Model<double>& robot, const ManyStates<Real>& given)
      : robot_(robot), loaded_(robot), states_(given) {
    job_.count = given.count();
    job_.q = given.q().data, job_.qd = given.qd().data, job_.third = given.third().data;
    job_.unanswered = &unanswered;
  }
  const Device& model() const { return loaded_.model; }
  DeviceJob<Real>& job() { return job_; }

  /// f(job, state) of all states, outputs of these widths.
  template <class Function>
  void run(std::initializer_list<std::vector<Real>*> outputs, std::initializer_list<int> widths,
           Function f) {
    job_.out[0] = job_.out[1] = job_.out[2] = nullptr;
    auto width = widths.begin();
    int k = 0;
    for (std::vector<Real>* out : outputs) {
      out->assign(static_cast<std::size_t>(*width++) * static_cast<std::size_t>(job_.count),
                  Real(-77));
      job_.out[k++] = out->data();
    }
    for (long long s = 0; s < job_.count; ++s) f(job_, s);
  }
  KernelAnswers<Real> all() {
    const int n = robot_.n_v();
    const Device& m = model();
    KernelAnswers<Real> a;
    run({&a.tau}, {n}, [&](auto& job, long long s) { Kernels::inverse(m, job, s); });
    run({&a.qdd}, {n}, [&](auto& job, long long s) { Kernels::template forward<true>(m, job, s); });
    job_.packed = 1;
    run({&a.M_packed}, {n * (n + 1) / 2},
        [&](auto& job, long long s) { Kernels::template mass<false>(m, job, s); });
    job_.packed = 0;
    run({&a.M}, {n * n}, [&](auto& job, long long s) { Kernels::template mass<false>(m, job, s); });
    run({&a.M_inverse}, {n * n},
        [&](auto& job, long long s) { Kernels::template mass<true>(m, job, s); });
    run({&a.T}, {16 * robot_.n_bodies()},
        [&](auto& job, long long s) { Kernels::poses(m, job, s); });
    run({&a.dtau_dq, &a.dtau_dqd, &a.dtau_dqdd}, {n * n, n * n, n * n},
        [&](auto& job, long long s) {
          for (int d = 0; d < 3 * n; ++d) Kernels::template slope_along<false>(m, job, s, d);
        });
    run({&a.dqdd_dq, &a.dqdd_dqd, &a.dqdd_dtau}, {n * n, n * n, n * n},
        [&](auto& job, long long s) {
          for (int d = 0; d < 3 * n; ++d) Kernels::template slope_along<true>(m, job, s, d);
        });
    return a;
  }
  /// Those of chains, with their own text.
  KernelAnswers<Real> chain_slopes() {
    const int n = robot_.n_v();
    std::vector<Real> memory(static_cast<std::size_t>(slope_numbers(n)));
    const device::ColumnMemory<Real, 1> columns{memory.data()};
    KernelAnswers<Real> a;
    run({&a.dtau_dq, &a.dtau_dqd, &a.dtau_dqdd}, {n * n, n * n, n * n},
        [&](auto& job, long long s) {
          Kernels::template chain_slopes_of<false, true>(model(), job, s, columns);
        });
    std::vector<Real> qdd;
    run({&qdd}, {n},
        [&](auto& job, long long s) { Kernels::template forward<true>(model(), job, s); });
    const Real* const tau = std::exchange(job_.third, qdd.data());
    run({&a.dqdd_dq, &a.dqdd_dqd, &a.dqdd_dtau}, {n * n, n * n, n * n},
        [&](auto& job, long long s) {
          Kernels::template chain_slopes_of<true, true>(model(), job, s, columns);
        });
    job_.third = tau;
    return a;
  }

  unsigned long long unanswered = 0;

 private:
  const Model<double>& robot_;
  Loaded<Device> loaded_;
  const ManyStates<Real>& states_;
  DeviceJob<Real> job_{};
};

template <class Real>
class DeviceText : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(DeviceText, Reals);

TYPED_TEST(DeviceText, of_any_tree_is_that_of_single_states) {
  using Real = TypeParam;
  for (const Model<double>& model : robots_for_a_device(false)) {
    const ManyStates<Real> states(model, 3, 5, true);
    HostKernels<RolledModel<AnyShape, Real>> kernels(model, states);
    expect_true(model, states, kernels.all(), 4);
    EXPECT_EQ(kernels.unanswered, 0U);
  }
}

template <class Real, int n, bool right = false>
void expect_chain(const Model<double>& model) {
  ASSERT_EQ(hinges_of_chain(model), n);
  const ManyStates<Real> states(model, 5, 7, true);
  HostKernels<DeviceModel<HingeChainShape<n, right>, Real>> kernels(model, states);
  expect_true(model, states, kernels.all(), 4);
  expect_true(model, states, kernels.chain_slopes(), 4);
  EXPECT_EQ(kernels.unanswered, 0U);
}
TYPED_TEST(DeviceText, of_chains_is_that_of_single_states) {
  const std::vector<Model<double>> robots = robots_for_a_device(true);
  expect_chain<TypeParam, 1>(robots[0]);
  expect_chain<TypeParam, 2>(robots[1]);
  expect_chain<TypeParam, 6>(robots[5]);
  expect_chain<TypeParam, 7>(robots[6]);
}

TYPED_TEST(DeviceText, of_chains_with_right_angles_is_that_of_single_states) {
  EXPECT_TRUE(right_angles(chain_with_right_angles(7)));
  EXPECT_FALSE(right_angles(robots_for_a_device(true)[6]));
  expect_chain<TypeParam, 2, true>(chain_with_right_angles(2));
  expect_chain<TypeParam, 3, true>(chain_with_right_angles(3));
  expect_chain<TypeParam, 6, true>(chain_with_right_angles(6));
  expect_chain<TypeParam, 7, true>(chain_with_right_angles(7));
  expect_chain<TypeParam, 7>(chain_with_right_angles(7));  // which any chain may be
}

TEST(DeviceText, chains_without_rotors_take_the_shorter_form) {
  const Model<double> model = robots_for_a_device(true)[5];
  const ManyStates<double> states(model, 5, 7, true);
  using Device = DeviceModel<HingeChainShape<6>, double>;
  HostKernels<Device> kernels(model, states);
  KernelAnswers<double> a;
  kernels.run({&a.qdd}, {6}, [&](auto& job, long long s) {
    device::Kernels<Device, double>::forward<false>(kernels.model(), job, s);
  });
  expect_true(model, states, a, 4);
}

TEST(DeviceText, states_without_an_answer_are_nan_and_counted) {
  const Model<double> model = robots_for_a_device(true)[6];
  ManyStates<double> states(model, 4, 7, true);
  states.numbers_of_q().view()(1, 0) = std::numeric_limits<double>::quiet_NaN();
  states.numbers_of_q().view()(2, 3) = 1e300;
  HostKernels<DeviceModel<HingeChainShape<7>, double>> kernels(model, states);
  const KernelAnswers<double> a = kernels.all();
  for (const auto* x : {&a.qdd, &a.tau, &a.M, &a.M_inverse, &a.T, &a.dqdd_dq})
    for (std::size_t k = 0; k < x->size(); ++k)
      ASSERT_EQ(std::isnan((*x)[k]), k % 4 == 1 || k % 4 == 2) << k;
  EXPECT_EQ(kernels.unanswered, 2U * 8);
}

/// Runge-Kutta 4 of a robot whose velocities are rates of its coordinates, with the verbs for one state.
struct PlainRollout {
  const Model<double>& model;
  RneaWorkspace<double> rnea{model};
  AbaWorkspace<double> aba{model};
  using Numbers = std::vector<double>;
  Numbers q, qd;

  PlainRollout(const Model<double>& robot, const Numbers& at, const Numbers& rates)
      : model(robot), q(at), qd(rates) {}
  Numbers forward(const Numbers& at, const Numbers& rates, const Numbers& tau) {
    Numbers qdd(q.size());
    EXPECT_TRUE(rigid_forward_dynamics(model, aba, at, rates, tau, {}, qdd));
    return qdd;
  }
  void step(double h, const Numbers& tau) {
    const auto along = [](const Numbers& x, const Numbers& rate, double s) {
      Numbers y = x;
      for (std::size_t k = 0; k < y.size(); ++k) y[k] += s * rate[k];
      return y;
    };
    const Numbers v1 = qd, a1 = forward(q, v1, tau);
    const Numbers v2 = along(qd, a1, h / 2), a2 = forward(along(q, v1, h / 2), v2, tau);
    const Numbers v3 = along(qd, a2, h / 2), a3 = forward(along(q, v2, h / 2), v3, tau);
    const Numbers v4 = along(qd, a3, h), a4 = forward(along(q, v3, h), v4, tau);
    for (std::size_t k = 0; k < q.size(); ++k) {
      q[k] += h / 6 * (v1[k] + 2 * v2[k] + 2 * v3[k] + v4[k]);
      qd[k] += h / 6 * (a1[k] + 2 * a2[k] + 2 * a3[k] + a4[k]);
    }
  }
};

TEST(DeviceText, rollouts_are_runge_kutta_4_under_the_law) {
  const Model<double> model = robots_for_a_device(true)[6];
  using Device = DeviceModel<HingeChainShape<7>, double>;
  const ManyStates<double> states(model, 2, 3, true);
  const std::vector<double> kp(7, 40), kd(7, 8);
  std::vector<double> goal(14);
  for (std::size_t k = 0; k < goal.size(); ++k) goal[k] = 0.1 * static_cast<double>(k) - 0.5;
  for (const int kind : {0, 1, 2}) {  // PD, PD with gravity, computed torque
    HostKernels<Device> kernels(model, states);
    kernels.job().law = {states.q().data, goal.data(), kp.data(), kd.data(), 0.04,     0,
                         0.002,           30,          2,         kind == 2, kind == 1};
    std::vector<double> q, qd;
    kernels.run({&q, &qd}, {7, 7}, [&](auto& job, long long s) {
      device::Kernels<Device, double>::rollout<true>(kernels.model(), job, s);
    });
    states.each([&](const OneState& s) {
      PlainRollout plain(model, s.q, s.qd);
      for (int step = 0; step < 30; ++step) {
        const double u = std::min(1.0, 0.002 * step / 0.04), T = 0.04;
        const double r = u * u * u * (10 - 15 * u + 6 * u * u),
                     r1 = 30 * u * u * (1 - u) * (1 - u) / T,
                     r2 = 60 * u * (1 - u) * (1 - 2 * u) / (T * T);
        std::vector<double> a(7), tau(7), rest(7);
        for (std::size_t k = 0; k < 7; ++k) {
          const double way = goal[k * 2 + static_cast<std::size_t>(s.index)] - s.q[k];
          a[k] = 40 * (s.q[k] + r * way - plain.q[k]) + 8 * (r1 * way - plain.qd[k]);
          if (kind == 2) a[k] += r2 * way;
        }
        if (kind == 2)
          rigid_inverse_dynamics(model, plain.rnea, plain.q, plain.qd, a, {}, tau);
        else if (kind == 1)
          rigid_inverse_dynamics(model, plain.rnea, plain.q, rest, rest, {}, tau);
        for (std::size_t k = 0; k < 7 && kind != 2; ++k) tau[k] += a[k];
        for (int part = 0; part < 2; ++part) plain.step(0.001, tau);
      }
      for (std::size_t k = 0; k < 7; ++k) {
        const std::size_t at = k * 2 + static_cast<std::size_t>(s.index);
        EXPECT_NEAR(q[at], plain.q[k], 1e-10 * (1 + std::abs(plain.q[k]))) << kind;
        EXPECT_NEAR(qd[at], plain.qd[k], 1e-10 * (1 + std::abs(plain.qd[k]))) << kind;
      }
    });
  }
}

TEST(DeviceText, free_motion_of_every_joint_kind_keeps_its_energy_to_fourth_order) {
  const Model<double> model = robots_for_a_device(false)[2];
  const ManyStates<double> states(model, 1, 3, true);
  const std::vector<double> zero(static_cast<std::size_t>(model.n_v()));
  const auto drift = [&](int steps) {
    HostKernels<RolledModel<AnyShape, double>> kernels(model, states);
    kernels.job().law = {states.q().data, states.q().data, zero.data(), zero.data(), 0, 0,
                         0.02 / steps,    steps,           1,           0,           0};
    std::vector<double> q, qd;
    kernels.run({&q, &qd}, {model.n_q(), model.n_v()}, [&](auto& job, long long s) {
      device::Kernels<RolledModel<AnyShape, double>, double>::rollout<true>(kernels.model(), job,
                                                                            s);
    });
    EXPECT_EQ(kernels.unanswered, 0U);
    const auto energy = [&](const std::vector<double>& at, const std::vector<double>& rates) {
      RneaWorkspace<double> ws(model);
      CrbaWorkspace<double> crba(model);
      const int n = model.n_v();
      std::vector<double> M(static_cast<std::size_t>(n * n));
      mass_matrix(model, crba, at, row_major(M.data(), n, n));
      const Eigen::Map<const Eigen::VectorXd> v(rates.data(), n);
      const double kinetic = 0.5 * v.dot(Eigen::Map<Eigen::MatrixXd>(M.data(), n, n) * v);
      KinematicsWorkspace<double> poses(model);
      forward_kinematics(model, poses, at);
      return kinetic + potential_energy(model, poses);
    };
    const std::vector<double> q0(states.q().data, states.q().data + model.n_q());
    const std::vector<double> v0(states.qd().data, states.qd().data + model.n_v());
    return std::abs(energy(q, qd) - energy(q0, v0));
  };
  const double coarse = drift(4), fine = drift(8);
  EXPECT_LT(fine, coarse / 10);
  EXPECT_LT(fine, 1e-3);
}

TEST(DeviceText, robots_that_a_device_does_not_know_are_refused_by_name) {
  RandomTree options;
  options.motors = true;
  const auto why = [](const Model<double>& model) -> std::string {
    try {
      check_for_device(model);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(why(Model<double>(random_tree(1, 8, options))).find("motors"), std::string::npos);
  EXPECT_NE(why(Model<double>(random_tree(1, 70, RandomTree{}))).find("70 bodies"),
            std::string::npos);
  EXPECT_EQ(why(Model<double>(random_tree(1, 64, RandomTree{}))), "");
}

TEST(DeviceText, the_shape_of_a_robot_is_text) {
  const std::vector<Model<double>> robots = robots_for_a_device(true);
  EXPECT_NE(shape_text<float>(robots[6]).find("HingeChainShape<7>"), std::string::npos);
  EXPECT_NE(shape_text<float>(robots[6]).find("DeviceReal = float"), std::string::npos);
  const std::string tree = shape_text<double>(robots[8]);
  EXPECT_NE(tree.find("bodies = 15"), std::string::npos) << tree;
  for (const char* kind : {"spherical", "free", "planar", "composite", "helical"})
    EXPECT_NE(tree.find(std::string("JointKind::") + kind), std::string::npos) << kind;
}

}  // namespace
