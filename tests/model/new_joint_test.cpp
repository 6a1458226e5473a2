// A kind that the library does not have: its file and its line of the list are all that it takes.
// Only headers are used here; the compiled library does not know the kind.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

/// A crank pin: the child moves on a circle of radius 1 m about z without turning.
struct Crank : RateJoint<1> {
  static constexpr bool has_axis = true, has_sdot = true;
  static constexpr std::array coordinates{Measure::angle};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    const auto [s, c] = sincos(q[0]);
    out.T = {SO3<Real>::identity(), {c - Real(1), s, Real(0)}};
    out.S[0] = {{}, {-s, c, Real(0)}};
  }
};

}  // namespace torsor::joints

#define TORSOR_FURTHER_JOINTS(X) X(crank, Crank)

#include "support/joint_laws.hpp"
#include "torsor/model/joint.hpp"

namespace torsor::testing {
namespace {

static_assert(n_q(JointKind::crank) == 1 && n_v(JointKind::crank) == 1);
static_assert(has_axis(JointKind::crank) && internal::has_sdot(JointKind::crank));
static_assert(internal::velocities_are_rates(JointKind::crank));
static_assert(internal::motion_class(JointKind::crank) == JointMotionClass::general);
static_assert(internal::coordinate_measure(JointKind::crank, 0) == Measure::angle);

TEST(NewJoint, obeys_the_laws_of_every_joint) {
  JointLaws<joints::Crank>("crank", EulerOrder::zyx, 1).expect_all();
}

TEST(NewJoint, has_its_word_in_files) {
  EXPECT_STREQ(name_of(JointKind::crank), "crank");
  EXPECT_EQ(joint_kinds[std::size(joint_kinds) - 1], JointKind::crank);
}

TEST(NewJoint, moves_alone_and_as_part_of_a_composite_joint) {
  const double q = 0.4, v = 1.5;
  const JointShape<double> alone{JointKind::crank, EulerOrder::zyx, 1, 1, 0, {}, 0};
  const JointMotion<double> motion = joint_motion(alone, &q);
  EXPECT_NEAR(motion.T.p.x, std::cos(q) - 1, 1e-15);
  EXPECT_NEAR(motion.S[0].v.y, std::cos(q), 1e-15);
  EXPECT_NEAR(joint_sdot(alone, &q, &v)[0].v.y, -std::sin(q) * v, 1e-14);

  JointShape<double> two{JointKind::composite, EulerOrder::zyx, 2, 2, 0, {}, 2};
  two.parts[0].kind = JointKind::revolute;
  two.parts[1].kind = JointKind::crank;
  const double both[] = {0.7, q};
  const JointMotion<double> composed = joint_motion(two, static_cast<const double*>(both));
  const Vec3<double> p = rotation_z(0.7) * motion.T.p;
  EXPECT_NEAR(norm(composed.T.p - p), 0, 1e-15);
  EXPECT_NEAR(norm(composed.S[1].v - motion.S[0].v), 0, 1e-15);
}

}  // namespace
}  // namespace torsor::testing
