/// Singular closures: where the rank of the constraints is less than beside it.
#include "torsor/kinematics/mobility.hpp"

#include <gtest/gtest.h>

#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

/// Cranks of 1 m, 2 m apart, and a coupler of 2 m: flat at q = 0, where parallelogram and
/// antiparallelogram meet. At (a, -a, a) it is a parallelogram.
Model<double> parallelogram() {
  ModelBuilder b("parallelogram");
  b.revolute("left", "base", "crank");
  b.revolute("knee", "crank", "coupler", {.p = {1, 0, 0}});
  b.revolute("elbow", "coupler", "rocker", {.p = {2, 0, 0}});
  b.inertia("crank", 1, {0.5, 0, 0}).inertia("coupler", 1, {1, 0, 0});
  b.inertia("rocker", 1, {-0.5, 0, 0});
  LoopJoint pin;
  pin.name = "pin", pin.kind = LoopJoint::Kind::revolute, pin.link_a = "rocker";
  pin.link_b = "base";
  pin.placement_a.p = {-1, 0, 0}, pin.placement_b.p = {2, 0, 0};
  b.loop(pin);
  return b.build();
}

TEST(LostRank, is_one_where_a_parallelogram_is_flat_and_nothing_elsewhere) {
  const Model<double> model = parallelogram();
  const ConstraintSet set(model);
  EXPECT_EQ(lost_rank(model, set, Array<double>{0, 0, 0}), 1);
  for (const double a : {1e-3, 0.3, 1.0, 2.5})
    EXPECT_EQ(lost_rank(model, set, Array<double>{a, -a, a}), 0) << a;
}

TEST(LostRank, counts_no_redundant_rows) {  // every planar loop has some
  for (const char* name : {"four_bar", "five_bar"}) {
    const Model<double> model = load_robot(name);
    const ConstraintSet set(model);
    Array<double> q(model.n_q());
    neutral(model, q);
    AssemblyWorkspace ws(model, set);
    ASSERT_TRUE(assemble(model, set, ws, q));
    EXPECT_EQ(lost_rank(model, set, q), 0) << name;
  }
  const Model<double> tree = load_robot("planar2r");
  EXPECT_EQ(lost_rank(tree, ConstraintSet(tree), Array<double>{0, 0}), 0);
}

}  // namespace
}  // namespace torsor
