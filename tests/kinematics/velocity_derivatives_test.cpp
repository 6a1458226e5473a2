#include "torsor/kinematics/velocity_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/tangent_truth.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor {
namespace {

using testing::State;

constexpr Reference every_reference[] = {Reference::body, Reference::world,
                                         Reference::world_aligned};

template <class Real>
std::vector<Real> numbers(const Twist<Real>& x) {
  return {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
}
/// A frame far from the root: the one on the last body that has one of its own.
template <class Param>
const Frame& last_frame(const Model<Param>& model) {
  const Frame* last = &model.frames().front();
  for (const Frame& frame : model.frames())
    if (frame.body >= last->body) last = &frame;
  return *last;
}

/// Velocity, then acceleration, of any scalar.
template <class Param>
auto motion(const Model<Param>& model, const Frame& frame, Reference reference) {
  return [&model, &frame, reference](const auto& q, const auto& qd, const auto& qdd) {
    using Number = typename std::decay_t<decltype(qd)>::value_type;
    VelocityWorkspace<Number> ws(model);
    forward_acceleration(model, ws, q, qd, qdd);
    std::vector<Number> out = numbers(frame_velocity(ws, frame, reference));
    for (const Number& x : numbers(frame_acceleration(ws, frame, reference))) out.push_back(x);
    return out;
  };
}

template <class Real>
struct Found {
  std::vector<Real> V_q, V_qd, A_q, A_qd, A_qdd;

  template <class Param>
  Found(const Model<Param>& model, const State<Real>& s, const Frame& frame, Reference reference)
      : V_q(6 * s.qd.size()), V_qd(V_q), A_q(V_q), A_qd(V_q), A_qdd(V_q) {
    VelocityWorkspace<Real> ws(model);
    const auto view = [&](std::vector<Real>& x) { return column_major(x.data(), 6, model.n_v()); };
    frame_velocity_derivatives(model, ws, s.q, s.qd, frame, reference, view(V_q), view(V_qd));
    frame_acceleration_derivatives(model, ws, s.q, s.qd, s.qdd, frame, reference, view(A_q),
                                   view(A_qd), view(A_qdd));
  }
};

template <class Real>
class FrameMotionDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(FrameMotionDerivatives, testing::Scalars, testing::ScalarNames);

TYPED_TEST(FrameMotionDerivatives, are_those_of_dual_numbers_for_every_reference) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, {.chain = seed % 2 == 0})));
    const State<Real> s(model, seed);
    const Frame& frame = last_frame(model);
    for (const Reference reference : every_reference) {
      const Found<Real> d(model, s, frame, reference);
      const auto truth =
          testing::slopes_by_duals(model, s.q, s.qd, s.qdd, motion(model, frame, reference));
      const double scale =
          200 * std::max(testing::scale_of(truth.by_q), testing::scale_of(truth.by_qd));
      for (std::size_t k = 0; k < s.qd.size(); ++k)
        for (std::size_t r = 0; r < 6; ++r) {
          EXPECT_CLOSE(d.V_q[6 * k + r], truth.by_q[12 * k + r], scale) << "seed " << seed;
          EXPECT_CLOSE(d.V_qd[6 * k + r], truth.by_qd[12 * k + r], scale);
          EXPECT_CLOSE(d.A_q[6 * k + r], truth.by_q[12 * k + 6 + r], scale) << "seed " << seed;
          EXPECT_CLOSE(d.A_qd[6 * k + r], truth.by_qd[12 * k + 6 + r], scale);
          EXPECT_CLOSE(d.A_qdd[6 * k + r], truth.by_third[12 * k + 6 + r], scale);
        }
    }
  }
}

TEST(FrameMotionDerivativesOf, random_chains_are_those_of_central_differences) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Model<double> model(testing::random_tree(seed, 8, {.chain = true}));
    const State<double> s(model, seed);
    const Frame& frame = last_frame(model);
    for (const Reference reference : every_reference) {
      const Found<double> d(model, s, frame, reference);
      const auto truth =
          testing::slopes_by_differences(model, s.q, s.qd, s.qdd, motion(model, frame, reference));
      const double tolerance = 1e-8 * testing::scale_of(truth.by_q);
      for (std::size_t k = 0; k < s.qd.size(); ++k)
        for (std::size_t r = 0; r < 6; ++r) {
          EXPECT_NEAR(d.V_q[6 * k + r], truth.by_q[12 * k + r], tolerance);
          EXPECT_NEAR(d.A_q[6 * k + r], truth.by_q[12 * k + 6 + r], tolerance);
          EXPECT_NEAR(d.A_qd[6 * k + r], truth.by_qd[12 * k + 6 + r], tolerance);
        }
    }
  }
}

TEST(FrameMotionDerivativesOf, the_velocities_are_the_jacobian) {
  const Model<double> model(testing::random_tree(2, 14, {.chain = true}));
  const State<double> s(model, 2);
  const Frame& frame = last_frame(model);
  for (const Reference reference : every_reference) {
    const Found<double> d(model, s, frame, reference);
    KinematicsWorkspace<double> ws(model);
    std::vector<double> J(d.V_qd.size());
    jacobian(model, ws, s.q, frame, reference, column_major(J.data(), 6, model.n_v()));
    for (std::size_t k = 0; k < J.size(); ++k) {
      EXPECT_CLOSE(d.V_qd[k], J[k], 20 * testing::scale_of(J));
      EXPECT_CLOSE(d.A_qdd[k], J[k], 20 * testing::scale_of(J));
    }
  }
}

TEST(FrameMotionDerivativesOf, a_robot_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  VelocityWorkspace<double> ws(model);
  std::vector<double> x(6 * s.qd.size());
  const auto view = column_major(x.data(), 6, model.n_v());
  const testing::AllocationCounter counter;
  frame_acceleration_derivatives(model, ws, s.q, s.qd, s.qdd, last_frame(model), Reference::body,
                                 view, {}, {});
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
