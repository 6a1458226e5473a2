// Two arms carry one box: built from two UR5, held by both, moved and squeezed.
#include <cmath>
#include <cstdio>

#include "torsor/control/arms/multi_arm_hybrid.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"

int main() {
  using namespace torsor;

  // Side by side, the second one turned to face the first.
  const Model<double> arm = load_robot("ur5");
  const std::vector<double> q_arm{0.2, -1.3, 1.7, -1.9, -1.3, 0.3};
  const std::string &root = arm.description().root, &hand = arm.body_name(arm.n_bodies() - 1);
  KinematicsWorkspace<double> kinematics(arm);
  forward_kinematics(arm, kinematics, q_arm);
  const SE3<double> T_hand = frame_pose(kinematics, arm.frame(hand));
  const SE3<double> T_other{SO3<double>{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
                            {2 * T_hand.p.x + 0.4, 2 * T_hand.p.y, 0}};
  const Model<double> arms = append(arm, arm, root, T_other, "right_");

  // A box of 3 kg between the hands; a weld closes the loop through the second one.
  const SE3<double> T_box{.p = {T_hand.p.x + 0.2, T_hand.p.y, T_hand.p.z}};
  const Model<double> robot =
      hold_object(arms, "box", {3, {}, {0.05, 0, 0.05, 0, 0, 0.05}},
                  {{hand, {}, inverse(T_box) * T_hand},
                   {"right_" + hand, {}, inverse(T_box) * T_other * T_hand}});

  // The first arm carries 40 % of it; the second one squeezes with 20 N.
  CooperationOptions cooperation{.object = "box", .fractions = {0.4, 0.6}};
  cooperation.task.angles = TaskAngles::rotation;
  ObjectTaskOptions task;
  task.internal = {0, 0, 0, -20, 0, 0};
  MultiArmHybrid law(robot, cooperation, task, {Gain::uniform(6, 100), Gain::uniform(6, 20)});

  // Up by 0.1 m and around by 0.2 rad, sampled at 1 kHz.
  const ReferenceFunction lift = [&](double t, ReferencePoint& r) {
    const double s = 0.5 - 0.5 * std::cos(2 * t), v = std::sin(2 * t), a = 2 * std::cos(2 * t);
    r.x = {T_box.p.x, T_box.p.y, T_box.p.z + 0.1 * s, 0, 0, 0.2 * s};
    r.xd = {0, 0, 0.1 * v, 0, 0, 0.2 * v};
    r.xdd = {0, 0, 0.1 * a, 0, 0, 0.2 * a};
  };
  SimulateOptions options;
  options.q0 = q_arm;
  options.q0.insert(options.q0.end(), q_arm.begin(), q_arm.end());
  options.duration = 1.5;
  options.record_every = 0.25;
  options.period = 1e-3;
  const Recording run = simulate(Plant(robot), law, lift, options);
  std::printf("   t   height error mm   turn error mrad   force of the second hand N\n");
  for (int k = 0; k < run.size(); ++k)
    std::printf("%5.2f %14.4f %16.4f %20.3f\n", run.t[static_cast<std::size_t>(k)],
                1000 * run.task_e(k, 2), 1000 * run.task_e(k, 5),
                std::hypot(run.loop(k, 3), run.loop(k, 4), run.loop(k, 5)));
}
