#include "torsor/sim/internal/recorded_units.hpp"

#include <gtest/gtest.h>

#include "torsor/formats/load_robot.hpp"
#include "torsor/model/loop.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using internal::RecordedUnits;

/// A slider that carries a hinge.
Recording lift_and_turn() {
  Recording r;
  r.tau.columns = {"tau.lift", "tau.turn"};
  r.q.columns = {"q.lift", "q.turn"};
  return r;
}

std::string unit_of(const Recording& base, const std::string& series, const std::string& name) {
  Recording r = base;
  Series s{series, {series + "." + name}, {}};
  return RecordedUnits(r, {true, false}).of(s, 0);
}

TEST(RecordedUnits, of_joints_follow_their_kind) {
  const Recording r = lift_and_turn();
  const RecordedUnits units(r, {true, false});
  const std::vector<std::pair<const char*, std::pair<const char*, const char*>>> all = {
      {"q", {"m", "rad"}},    {"qd", {"m/s", "rad/s"}}, {"qdd", {"m/s^2", "rad/s^2"}},
      {"tau", {"N", "N m"}},  {"e", {"m", "rad"}},      {"edot", {"m/s", "rad/s"}},
      {"s", {"m/s", "rad/s"}}};
  for (const auto& [name, expected] : all) {
    const Series s{name, {std::string(name) + ".lift", std::string(name) + ".turn"}, {}};
    EXPECT_EQ(units.of(s, 0), expected.first) << name;
    EXPECT_EQ(units.of(s, 1), expected.second) << name;
  }
}

TEST(RecordedUnits, of_estimates_are_those_of_the_parameters_that_they_are_named_after) {
  const Recording r = lift_and_turn();
  const std::vector<std::pair<const char*, const char*>> all = {{"hand.m", "kg"},
                                                                {"hand.mx", "kg m"},
                                                                {"-hand.yy", "kg m^2"},
                                                                {"0.5*hand.zz", "kg m^2"},
                                                                {"hand.zz - arm.zz", "kg m^2"},
                                                                {"hand.mx.gravity", "kg m"},
                                                                {"lift.viscous", "N s/m"},
                                                                {"turn.viscous", "N m s/rad"},
                                                                {"lift.coulomb", "N"},
                                                                {"turn.coulomb", "N m"},
                                                                {"turn.stiction", "N m"},
                                                                {"lift.rotor", "kg"},
                                                                {"turn.rotor", "kg m^2"},
                                                                {"integral.lift", "m s"},
                                                                {"integral.turn", "rad s"},
                                                                {"integral.normal_1", "N s"},
                                                                {"momentum.lift", "N s"},
                                                                {"momentum.turn", "N m s"},
                                                                {"path.along_1", "m"},
                                                                {"offset.rx", "rad"},
                                                                {"offset_rate.x", "m/s"},
                                                                {"mine", ""}};
  for (const auto& [name, unit] : all) EXPECT_EQ(unit_of(r, "x_c", name), unit) << name;
  EXPECT_EQ(unit_of(r, "estimate", "r.lift"), "N");
  EXPECT_EQ(unit_of(r, "estimate", "r.turn"), "N m");
  EXPECT_EQ(unit_of(r, "estimate", "collision"), "");
}

TEST(RecordedUnits, of_components_of_a_task_are_one_each) {
  const Recording r = lift_and_turn();
  const std::vector<std::pair<const char*, const char*>> all = {
      {"x", "m"},           {"theta", "rad"},  {"rz", "rad"},     {"f_z", "N"},
      {"n_x", "N m"},       {"along_2", "m"},  {"turn_1", "rad"}, {"normal_1", "N"},
      {"moment_2", "N m"},  {"motion_1", "m"}, {"force_1", "N"},  {"arc_rz", "m"},
      {"arc_moment_1", "N"}};
  for (const auto& [name, unit] : all) EXPECT_EQ(unit_of(r, "task_e", name), unit) << name;
}

TEST(RecordedUnits, of_the_whole_robot_name_both_where_joints_are_of_both_kinds) {
  const Recording r = lift_and_turn();
  EXPECT_EQ(RecordedUnits(r).of_figure("N m"), "N m");
  EXPECT_EQ(RecordedUnits(r, {true, true}).of_figure("N m"), "N");
  EXPECT_EQ(RecordedUnits(r, {true, true}).of_figure("N m/s"), "N/s");
  EXPECT_EQ(RecordedUnits(r, {true, false}).of_figure("rad"), "rad, m");
  EXPECT_EQ(RecordedUnits(r, {true, false}).of_figure("J"), "J");
  const Series task{"task_e", {"task_e.x", "task_e.y", "task_e.rz"}, {}};
  EXPECT_EQ(RecordedUnits(r).all(task), "m, rad");
}

TEST(RecordedUnits, of_free_joints_and_loops_are_told_by_the_robot) {
  const Model<double> floating = with_base(load_robot("panda"), JointKind::free);
  Recording r;
  for (int k = 0; k < floating.n_q(); ++k)
    r.q.columns.push_back("q." + floating.coordinate_name(k));
  for (int k = 0; k < floating.n_v(); ++k) r.tau.columns.push_back("tau." + floating.dof_name(k));
  const RecordedUnits units(r, {}, &floating);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(units.of(r.q, k), "m");
  for (int k = 3; k < 7; ++k) EXPECT_EQ(units.of(r.q, k), "");
  EXPECT_EQ(units.of(r.q, 7), "rad");
  EXPECT_EQ(units.of(r.tau, 0), "N m");  // w, then v
  EXPECT_EQ(units.of(r.tau, 3), "N");
  EXPECT_EQ(RecordedUnits(r).of(r.q, 0), "");  // seven coordinates of six velocities

  const Model<double> crank = load_robot("slider_crank");
  Recording loop;
  for (int k = 0; k < crank.n_q(); ++k) loop.q.columns.push_back("q." + crank.coordinate_name(k));
  const ConstraintSet set(crank);
  for (int k = 0; k < set.n_rows(); ++k) loop.loop.columns.push_back("loop." + set.row_name(k));
  const RecordedUnits of_loop(loop, {}, &crank);
  ASSERT_GT(set.n_rows(), 0);
  ASSERT_EQ(set.loops().front().kind, LoopJoint::Kind::revolute);
  EXPECT_EQ(of_loop.of(loop.loop, 0), "N m");  // two moments, then three forces
  EXPECT_EQ(of_loop.of(loop.loop, 2), "N");
}

}  // namespace
}  // namespace torsor
