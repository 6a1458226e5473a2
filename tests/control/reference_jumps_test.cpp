/// References that are no motion: their positions or rates jump beside what they say of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/certificate.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/task/resolved_acceleration.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using testing::row;

class Jumps : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque computed{arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)}};

  torsor::Run run(ReferenceFunction reference) const {
    return testing::run_from(arm, std::move(reference), {-0.5, 1}, {}, 5);
  }
};

/// A spline with natural ends stops dead where it ends: its positions go on, its rates jump.
TEST_F(Jumps, a_reference_whose_rates_jump_is_not_covered) {
  const auto stops_dead = [](double rate, double at) {
    return [=](double t, ReferencePoint& r) {
      r.q.assign({0.5 + rate * std::fmin(t - at, 0), 0.5});
      r.qd.assign({t < at ? rate : 0, 0});
      r.qdd.assign({0, 0});
    };
  };
  for (const double rate : {1.0, 1e-3, 1e-6}) {
    const Condition c =
        row(certificate(computed, run(stops_dead(rate, 2.3456))), "smooth reference");
    EXPECT_EQ(c.verdict, Verdict::not_covered) << rate;
    EXPECT_NE(c.note.find("rate of joint_1 at t = 2.3456"), std::string::npos) << c.note;
  }
}

/// Accelerations may jump, and change within less than the instants that are looked at.
TEST_F(Jumps, accelerations_may_jump) {
  const auto accelerates = [](double duration) {
    return [=](double t, ReferencePoint& r) {
      const double s = std::clamp(t - 2.3456, 0.0, duration), a = 0.5 / duration;
      const double late = std::fmax(t - 2.3456 - duration, 0);
      r.q.assign({0.5 * a * s * s + a * duration * late, 0.5});
      r.qd.assign({a * s, 0});
      r.qdd.assign({s > 0 && late == 0 ? a : 0, 0});
    };
  };
  for (const double duration : {1.0, 0.01, 1e-4})
    EXPECT_EQ(row(certificate(computed, run(accelerates(duration))), "smooth reference").verdict,
              Verdict::holds)
        << duration;
}

TEST_F(Jumps, of_a_pose_are_told) {
  ResolvedAcceleration tool(arm, {.frame = "tip", .kp = 100, .kd = 20, .axes = "xy"});
  const auto of_pose = [](double rate) {
    return [=](double t, ReferencePoint& r) {
      r.has_pose = true;
      r.pose.T = {{}, {1.2, 0.3 + rate * std::fmin(t - 2, 0), 0}};
      r.pose.V = {{}, {0, t < 2 ? rate : 0, 0}};
      r.pose.Vdot = {};
    };
  };
  torsor::Run r = run(of_pose(0.1));
  EXPECT_EQ(row(certificate(tool, r), "smooth reference").verdict, Verdict::not_covered);
  r = run(of_pose(0));
  EXPECT_EQ(row(certificate(tool, r), "smooth reference").verdict, Verdict::holds);
}

}  // namespace
}  // namespace torsor
