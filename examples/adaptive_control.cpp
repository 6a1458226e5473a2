// A PUMA 560 with 2 kg in its hand that no law knows: passivity tracking, and the same law with
// estimates of the last link. The loop is what would run on the robot at 1 kHz.
#include <cmath>
#include <cstdio>

#include "torsor/control/joint/passivity_tracking.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"

using namespace torsor;

/// Largest error of the shoulder over the last second of six.
template <class Law>
double run(const Model<double>& robot, Law& law) {
  const double period = 1e-3;
  std::vector<double> q{0, 0.8, 0, 0, 0.5, 0}, qd(6), qdd(6), tau(6), q_d(6), qd_d(6), qdd_d(6);
  std::vector<double> x_c(static_cast<std::size_t>(law.n_states())), rate = x_c;
  law.reset(x_c);
  DynamicsWorkspace<double> plant(robot);
  double worst = 0;
  for (int k = 0; k < 6000; ++k) {
    const double t = k * period;
    for (std::size_t i = 0; i < 6; ++i) {
      const double offset = i == 1 ? 0.8 : i == 4 ? 0.5 : 0;
      q_d[i] = offset + 0.3 * (1 - std::cos(2 * t)), qd_d[i] = 0.6 * std::sin(2 * t);
      qdd_d[i] = 1.2 * std::cos(2 * t);
    }
    // the control law
    const ControlState seen{q, qd};
    const ControlReference wanted{q_d, qd_d, qdd_d};
    law.torque({t, seen, x_c, wanted}, tau);
    law.state_derivative({t, seen, x_c, wanted}, rate);
    for (std::size_t i = 0; i < x_c.size(); ++i) x_c[i] += period * rate[i];
    // the robot, by semi-implicit Euler steps
    if (!forward_dynamics(robot, plant, q, qd, tau, {}, qdd)) return infinity;
    for (std::size_t i = 0; i < 6; ++i) qd[i] += period * qdd[i], q[i] += period * qd[i];
    if (t > 5) worst = std::fmax(worst, std::abs(q_d[1] - q[1]));
  }
  return worst;
}

int main() {
  const Model<double> believed = load_robot("puma560");
  Inertial load;
  load.mass = 2;
  load.com = {0, 0, 0.1};
  const std::string& hand = believed.body_name(6);
  const Model<double> robot = attach_payload(believed, hand, load);

  const Gain Lambda = Gain::uniform(6, 5), Kd({80, 120, 60, 8, 8, 6});
  PassivityTracking fixed(believed, {Lambda, Kd});
  AdaptationOptions adaptation;
  adaptation.parameters = {hand + ".m", hand + ".mz"};
  adaptation.rate = Gain({8, 1});
  SlotineLiAdaptive adaptive(believed, {Lambda, Kd}, adaptation);

  const double without = run(robot, fixed), with = run(robot, adaptive);
  std::printf("largest error of the shoulder over the last second\n");
  std::printf("  passivity tracking  %8.5f rad\n", without);
  std::printf("  Slotine and Li      %8.5f rad\n", with);
  return with < without / 2 ? 0 : 1;
}
