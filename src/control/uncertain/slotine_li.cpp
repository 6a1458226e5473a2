#include "torsor/control/uncertain/slotine_li.hpp"

#include <algorithm>
#include <cmath>

#include "configuration_search.hpp"
#include "law_entries.hpp"
#include "torsor/dynamics/coriolis.hpp"

namespace torsor {

SlotineLiAdaptive::SlotineLiAdaptive(const Model<double>& model, SlotineLiGains gains,
                                     AdaptationOptions adaptation)
    : ControlLaw("slotine_li", model),
      gains_(std::move(gains)),
      adaptation_(name(), model, std::move(adaptation)),
      two_(model),
      momentum_(model),
      slide_(model, gains_.Lambda, name()),
      y_(adaptation_.size()),
      C_r_(model.n_v()),
      G_(C_r_.size()),
      rest_(C_r_.size()) {
  gains_.Kd.check(name(), "Kd", model.n_v());
  if (gains_.speed.empty())
    for (int k = 0; k < model.n_v(); ++k)
      gains_.speed.push_back(model.limits(k).velocity < infinity ? model.limits(k).velocity : 1);
  if (gains_.speed.size() != rest_.size())
    throw Error(std::string(name()) + ": speed has " + std::to_string(gains_.speed.size()) +
                " numbers; the robot has " + std::to_string(model.n_v()) + " degrees of freedom");
}

bool SlotineLiAdaptive::filtered_error(const ControlInput& input, Out<double> r) {
  slide_.update(input);
  std::copy(slide_.s.begin(), slide_.s.end(), r.data);
  return true;
}

void SlotineLiAdaptive::torque(const ControlInput& input, Out<double> tau) {
  const In<double> p_hat = input.x_c;
  slide_.update(input);
  adaptation_.set().torque(input.state.q, input.state.qd, second_velocity(input.state),
                           slide_.qdd_r, p_hat, tau);
  gains_.Kd.add_product(slide_.s, tau);
}

void SlotineLiAdaptive::state_derivative(const ControlInput& input, Out<double> p_hat_rate) {
  const In<double> p_hat = input.x_c;
  slide_.update(input);
  adaptation_.set().transpose_times(input.state.q, input.state.qd, second_velocity(input.state),
                                    slide_.qdd_r, slide_.s, y_);
  adaptation_.rate(p_hat, y_, p_hat_rate);
}

LyapunovValue SlotineLiAdaptive::lyapunov(const ControlInput& input, const Model<double>& plant) {
  const In<double> p_hat = input.x_c;
  slide_.update(input);
  const double V =
      kinetic_form(plant, momentum_, input.state.q, slide_.s) + adaptation_.energy(p_hat, plant);
  double rate = -gains_.Kd.quadratic(slide_.s);
  if (gains_.ordinary) {  // 1/2 r^T H' r = r^T C r: H' - 2 C is skew
    two_velocity_inverse_dynamics(plant, two_, input.state.q, input.state.qd, slide_.s, rest_,
                                  C_r_);
    two_velocity_inverse_dynamics(plant, two_, input.state.q, input.state.qd, rest_, rest_, G_);
    for (int k = 0; k < slide_.s.size(); ++k) rate += slide_.s[k] * (C_r_[k] - G_[k]);
  }
  return {V, rate, adaptation_.is_bounded()};
}

/// The smallest eigenvalue of Kd - 1/2 H' over configurations and corners of the speeds, in which
/// it is concave; 1/2 H' is the symmetric part of C.
Condition SlotineLiAdaptive::ordinary_condition() {
  constexpr int samples = 256;
  constexpr unsigned corners = 16;
  Array<double> ten(parameters_per_body * (model_->n_bodies() - 1));
  adaptation_.set().inertial_parameters(adaptation_.start(), ten);
  const Model<double> robot = with_parameters(*model_, ten);
  const int n = robot.n_v();
  CoriolisWorkspace<double> ws(robot);
  Array<double> C(n * n), qd(n);
  const double most =
      control_detail::largest_over_configurations(robot, samples, [&](const Array<double>& q) {
        double worst = -infinity;
        for (unsigned corner = 0; corner < corners; ++corner) {
          for (int k = 0; k < n; ++k) {  // all signs of up to four joints, some of more
            const unsigned bit = k < 4 ? corner >> k : (corner * 2654435761u) >> (k % 32);
            qd[k] = bit & 1 ? gains_.speed[k] : -gains_.speed[k];
          }
          coriolis_matrix(robot, ws, q, qd, column_major(C.data(), n, n));
          for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) C[r * n + c] -= gains_.Kd(r, c);
          worst = std::fmax(worst, Gain::full(n, C).largest_eigenvalue());
        }
        return worst;
      });
  double fastest = 0;
  for (const double v : gains_.speed) fastest = std::fmax(fastest, v);
  return condition("Kd > 1/2 H' at all states of the motion (Huo 2005, (3-84))",
                   "smallest eigenvalue of Kd - 1/2 H'", -most, Relation::greater, 0,
                   "the robot of p0, speeds up to " + std::to_string(fastest) + ", " +
                       std::to_string(samples) + " configurations sampled");
}

std::vector<Condition> SlotineLiAdaptive::conditions(const Run&) {
  std::vector<Condition> list{condition("Lambda symmetric", "largest asymmetry of Lambda",
                                        gains_.Lambda.asymmetry(), Relation::at_most, 0),
                              condition("Lambda positive definite", "smallest eigenvalue of Lambda",
                                        gains_.Lambda.smallest_eigenvalue(), Relation::greater, 0),
                              condition("Kd positive definite", "smallest eigenvalue of Kd",
                                        gains_.Kd.smallest_eigenvalue(), Relation::greater, 0)};
  for (Condition& c : adaptation_.conditions()) list.push_back(std::move(c));
  if (gains_.ordinary) list.push_back(ordinary_condition());
  return list;
}

std::vector<Prediction> SlotineLiAdaptive::predictions(const Run&) {
  if (gains_.ordinary) return {};
  return {{"int |s|^2 <= V(0) / l_m(Kd)",
           PredictedQuantity::filtered_square,
           -1,
           0,
           {gains_.Kd.smallest_eigenvalue()}}};
}

using namespace internal;

LawEntry internal::slotine_li() {
  return {
      "slotine_li",
      "uncertain/slotine_li.hpp",
      "tracking without knowing the masses; V' = -s^T Kd s",
      GainList{
          required_gain("Lambda", GainKind::gain, "5", "1/s", "of e in s = edot + Lambda e"),
          required_gain("Kd", GainKind::gain, "20", "N m s / rad", "of s"),
          optional_gain("variant", GainKind::word, "two_velocities", "",
                        "two_velocities or ordinary (Huo 2005, (3-84))"),
          optional_gain("speed", GainKind::vector, "", "rad/s",
                        "of the ordinary variant: largest speeds; none: the limits of the model")} +
          adaptation_gain_list(),
      "q, qd, qdd of the joints",
      "Huo 2005, sec. 3.9, (3-79) to (3-86); Slotine & Li 1987",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        const int n = model.n_v();
        SlotineLiGains gains{p.gain("Lambda", n), p.gain("Kd", n)};
        gains.ordinary = p.choice("variant", {"two_velocities", "ordinary"}) == 1;
        if (gains.ordinary) gains.speed = p.numbers("speed", n);
        return std::make_unique<SlotineLiAdaptive>(model, std::move(gains),
                                                   adaptation_options(model, p));
      }};
}

}  // namespace torsor
