// Serial chains of hinges, whose verbs read and write the caller's arrays where these are by number.
#include <gtest/gtest.h>

#include <limits>

#include "batch/many_states.hpp"
#include "support/refusal.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/model/builder.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

Model<double> arm(int joints) {
  RandomTree chain;
  chain.kinds = {JointKind::revolute};
  chain.chain = true;
  return Model<double>(random_tree(3, joints, chain));
}

template <class Real>
struct AllVerbs {
  ManyNumbers<Real> tau, qdd, M, by_q, by_qd, a_q, a_qd, a_tau;

  AllVerbs(int count, int n, bool number_first)
      : tau(count, n, number_first),
        qdd(tau),
        M(count, n * n, number_first),
        by_q(M),
        by_qd(M),
        a_q(M),
        a_qd(M),
        a_tau(M) {}
  void run(Batch<Real>& batch, const ManyStates<Real>& x) {
    batch.rigid_inverse_dynamics(x.q(), x.qd(), x.third(), tau.view());
    EXPECT_TRUE(batch.rigid_forward_dynamics(x.q(), x.qd(), x.third(), qdd.view()));
    batch.mass_matrix(x.q(), M.view());
    batch.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), by_q.view(), by_qd.view());
    EXPECT_TRUE(batch.rigid_forward_dynamics_derivatives(x.q(), x.qd(), x.third(), a_q.view(),
                                                         a_qd.view(), a_tau.view()));
  }
};

template <class Real>
void expect_same(const ManyNumbers<Real>& a, const ManyNumbers<Real>& b, const char* what) {
  for (int s = 0; s < a.count; ++s)
    for (int k = 0; k < a.width; ++k)
      ASSERT_EQ(a.view()(s, k), b.view()(s, k)) << what << ", state " << s << ", number " << k;
}

template <class Real>
void layouts_agree(int joints, int count) {
  const Model<double> model = arm(joints);
  Batch<Real> batch(model, {.threads = 1});
  const ManyStates<Real> by_state(model, count, 1, false), by_number(model, count, 1, true);
  AllVerbs<Real> a(count, joints, false), b(count, joints, true);
  a.run(batch, by_state), b.run(batch, by_number);
  expect_same(a.tau, b.tau, "tau"), expect_same(a.qdd, b.qdd, "qdd"), expect_same(a.M, b.M, "M");
  expect_same(a.by_q, b.by_q, "dtau_dq"), expect_same(a.by_qd, b.by_qd, "dtau_dqd");
  expect_same(a.a_q, b.a_q, "dqdd_dq"), expect_same(a.a_qd, b.a_qd, "dqdd_dqd");
  expect_same(a.a_tau, b.a_tau, "dqdd_dtau");
}

TEST(InPlace, results_have_the_bits_of_arrays_by_state) {
  for (const int joints : {1, 2, 3, 6, 7, 9, 16, 17})
    for (const int count : {1, 7, 8, 9, 31, 64}) {
      SCOPED_TRACE(std::to_string(joints) + " joints, " + std::to_string(count) + " states");
      layouts_agree<double>(joints, count);
      layouts_agree<float>(joints, count);
    }
}

TEST(InPlace, every_number_that_is_not_finite_is_refused_with_its_state) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const int joints : {1, 2, 3, 7}) {
    const Model<double> model = arm(joints);
    Batch<double> batch(model, {.threads = 1});
    for (int input = 0; input < 3; ++input)
      for (int joint = 0; joint < joints; ++joint)
        for (const double bad : {nan, infinite, -infinite})
          for (const int state : {5, 33}) {  // of a full register and of the last one
            ManyStates<double> x(model, 35, 1, true);
            std::vector<double> third(static_cast<std::size_t>(35 * joints), 0.5);
            if (input == 0) x.numbers_of_q().view()(state, joint) = bad;
            if (input == 1) x.numbers_of_qd().view()(state, joint) = bad;
            if (input == 2) third[static_cast<std::size_t>(joint * 35 + state)] = bad;
            const StatesView<const double> last = by_number(third.data(), 35, joints);
            ManyNumbers<double> out(35, joints, true), big(35, joints * joints, true), more(big);
            const auto starts = [&](const char* of, const std::string& why) {
              const std::string name = input == 0 ? "q" : input == 1 ? "qd" : of;
              EXPECT_EQ(why.rfind(name + "[" + std::to_string(state) + "]: ", 0), 0U)
                  << why << ", joint " << joint << " of " << joints;
            };
            starts("qdd",
                   refusal([&] { batch.rigid_inverse_dynamics(x.q(), x.qd(), last, out.view()); }));
            starts("tau", refusal([&] {
                     (void)batch.rigid_forward_dynamics(x.q(), x.qd(), last, out.view());
                   }));
            starts("qdd", refusal([&] {
                     batch.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), last, big.view(),
                                                              more.view());
                   }));
            starts("tau", refusal([&] {
                     (void)batch.rigid_forward_dynamics_derivatives(x.q(), x.qd(), last, big.view(),
                                                                    more.view());
                   }));
            if (input == 0) starts("", refusal([&] { batch.mass_matrix(x.q(), big.view()); }));
          }
  }
}

TEST(InPlace, an_input_may_be_written_over) {
  const Model<double> model = arm(7);
  Batch<double> batch(model, {.threads = 1});
  for (const bool number_first : {false, true}) {
    const ManyStates<double> x(model, 45, 1, number_first);
    ManyNumbers<double> tau(45, 7, number_first), qdd(tau), over(tau);
    batch.rigid_inverse_dynamics(x.q(), x.qd(), x.third(), tau.view());
    ASSERT_TRUE(batch.rigid_forward_dynamics(x.q(), x.qd(), x.third(), qdd.view()));
    const auto copy = [&](const StatesView<const double>& from) {
      for (int s = 0; s < 45; ++s)
        for (int k = 0; k < 7; ++k) over.view()(s, k) = from(s, k);
    };
    const StatesView<const double> in = static_cast<const ManyNumbers<double>&>(over).view();
    copy(x.third());
    batch.rigid_inverse_dynamics(x.q(), x.qd(), in, over.view());
    expect_same(over, tau, "over qdd");
    copy(x.qd());
    batch.rigid_inverse_dynamics(x.q(), in, x.third(), over.view());
    expect_same(over, tau, "over qd");
    copy(x.third());
    ASSERT_TRUE(batch.rigid_forward_dynamics(x.q(), x.qd(), in, over.view()));
    expect_same(over, qdd, "over tau");
    copy(x.q());
    ASSERT_TRUE(batch.rigid_forward_dynamics(in, x.qd(), x.third(), over.view()));
    expect_same(over, qdd, "over q");
  }
}

/// A last link without mass: M is singular at every state, and no state is refused for it.
TEST(InPlace, states_without_an_answer_are_nan_and_counted) {
  ModelBuilder builder("arm");
  builder.revolute("a", "base", "upper");
  builder.revolute("b", "upper", "lower", {.p = {0.5, 0, 0}});
  builder.inertia("upper", 2.0, {0.25, 0, 0}, {0.01, 0, 0.05, 0, 0, 0.05});
  const Model<double> model = builder.build();
  Batch<double> batch(model, {.threads = 1});
  for (const bool number_first : {false, true}) {
    const ManyStates<double> x(model, 21, 1, number_first);
    ManyNumbers<double> qdd(21, 2, number_first), by_q(21, 4, number_first), by_qd(by_q);
    EXPECT_EQ(batch.rigid_forward_dynamics(x.q(), x.qd(), x.third(), qdd.view()).unanswered, 21);
    EXPECT_EQ(
        batch
            .rigid_forward_dynamics_derivatives(x.q(), x.qd(), x.third(), by_q.view(), by_qd.view())
            .unanswered,
        21);
    for (const auto* out : {&qdd, &by_q, &by_qd})
      for (const double number : out->data) EXPECT_TRUE(std::isnan(number));
  }
}

}  // namespace
