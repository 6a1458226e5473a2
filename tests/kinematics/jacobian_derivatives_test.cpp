#include "torsor/kinematics/jacobian_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/tangent_truth.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Param>
const Frame& last_frame(const Model<Param>& model) {
  const Frame* last = &model.frames().front();
  for (const Frame& frame : model.frames())
    if (frame.body >= last->body) last = &frame;
  return *last;
}

/// All numbers of J, by columns.
template <class Param>
auto jacobian_numbers(const Model<Param>& model, const Frame& frame, Reference reference) {
  return [&model, &frame, reference](const auto& q, const auto& qd, const auto&) {
    using Number = typename std::decay_t<decltype(qd)>::value_type;
    KinematicsWorkspace<Number> ws(model);
    std::vector<Number> J(6 * qd.size());
    jacobian(model, ws, q, frame, reference, column_major(J.data(), 6, model.n_v()));
    return J;
  };
}

template <class Real>
class JacobianDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(JacobianDerivatives, testing::Scalars, testing::ScalarNames);

TYPED_TEST(JacobianDerivatives, are_those_of_dual_numbers_for_every_reference) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, {.chain = seed % 2 == 0})));
    const State<Real> s(model, seed);
    const Frame& frame = last_frame(model);
    const int n = model.n_v();
    JacobianDerivativesWorkspace<Real> ws(model);
    std::vector<Real> found(static_cast<std::size_t>(6 * n * n));
    for (const Reference reference :
         {Reference::body, Reference::world, Reference::world_aligned}) {
      jacobian_derivatives(model, ws, s.q, frame, reference, column_major(found.data(), 6, n * n));
      const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.qdd,
                                                  jacobian_numbers(model, frame, reference));
      const double scale = 200 * testing::scale_of(truth.by_q);
      for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_CLOSE(found[k], truth.by_q[k], scale) << "seed " << seed << ", entry " << k;
    }
  }
}

TEST(JacobianDerivativesOf, random_trees_are_those_of_central_differences) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, {.chain = seed % 2 == 0}));
    State<double> s(model, seed);
    if (seed > 3) neutral(model, s.q);  // axes of Euler joints align
    const Frame& frame = last_frame(model);
    const int n = model.n_v();
    JacobianDerivativesWorkspace<double> ws(model);
    std::vector<double> found(static_cast<std::size_t>(6 * n * n));
    for (const Reference reference :
         {Reference::body, Reference::world, Reference::world_aligned}) {
      jacobian_derivatives(model, ws, s.q, frame, reference, column_major(found.data(), 6, n * n));
      const auto truth = testing::slopes_by_differences(model, s.q, s.qd, s.qdd,
                                                        jacobian_numbers(model, frame, reference));
      const double scale = testing::scale_of(truth.by_q);
      for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_NEAR(found[k], truth.by_q[k], 1e-8 * scale) << "seed " << seed << ", entry " << k;
    }
  }
}

/// J' = sum_j (dJ / dq_j) qd_j.
TEST(JacobianDerivativesOf, a_robot_times_the_velocity_are_its_rate) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, {.chain = true}));
    const State<double> s(model, seed);
    const Frame& frame = last_frame(model);
    const int n = model.n_v();
    JacobianDerivativesWorkspace<double> ws(model);
    VelocityWorkspace<double> velocity(model);
    std::vector<double> d(static_cast<std::size_t>(6 * n * n)),
        rate(static_cast<std::size_t>(6 * n));
    for (const Reference reference :
         {Reference::body, Reference::world, Reference::world_aligned}) {
      jacobian_derivatives(model, ws, s.q, frame, reference, column_major(d.data(), 6, n * n));
      jacobian_dot(model, velocity, s.q, s.qd, frame, reference, column_major(rate.data(), 6, n));
      for (std::size_t e = 0; e < rate.size(); ++e) {
        double sum = 0;
        for (std::size_t j = 0; j < s.qd.size(); ++j) sum += d[j * rate.size() + e] * s.qd[j];
        EXPECT_CLOSE(sum, rate[e], 100 * std::max(testing::scale_of(d), testing::scale_of(rate)));
      }
    }
  }
}

TEST(JacobianDerivativesOf, a_robot_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 20));
  const State<double> s(model, 3);
  JacobianDerivativesWorkspace<double> ws(model);
  const int n = model.n_v();
  std::vector<double> d(static_cast<std::size_t>(6 * n * n));
  const testing::AllocationCounter counter;
  jacobian_derivatives(model, ws, s.q, last_frame(model), Reference::body,
                       column_major(d.data(), 6, n * n));
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
