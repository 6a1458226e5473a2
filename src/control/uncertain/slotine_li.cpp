#include "torsor/control/uncertain/slotine_li.hpp"

#include <algorithm>
#include <cmath>

#include "configuration_search.hpp"
#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/model/text.hpp"

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
  if (!gains_.speed.empty() && gains_.speed.size() != rest_.size())
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

Array<double> SlotineLiAdaptive::reachable_speeds(const Run& run) {
  Array<double> speed = run_range(*this, run).speed;
  const double V = internal::lyapunov_at_start(*this, run);
  const double r = std::sqrt(2 * V / inertia_bounds(*run.plant).smallest);
  const double slow = gains_.Lambda.smallest_eigenvalue(),
               fast = gains_.Lambda.largest_eigenvalue();
  double e = 0;  // slide_ is of the start now
  for (const double x : slide_.e) e += x * x;
  e = std::sqrt(e);
  for (int k = 0; k < speed.size(); ++k)
    speed[k] +=
        r + (gains_.Lambda.is_diagonal() ? std::fmax(gains_.Lambda(k, k) * std::abs(slide_.e[k]), r)
                                         : fast * std::fmax(e, r / slow));
  return speed;
}

/// The smallest eigenvalue of Kd - 1/2 H' of the plant over configurations and corners of the
/// speeds, in which it is concave; 1/2 H' is the symmetric part of C.
void SlotineLiAdaptive::add_ordinary_conditions(const Run& run, std::vector<Condition>& list) {
  constexpr int samples = 256;
  const Model<double>& plant = *run.plant;
  const int n = plant.n_v();
  const unsigned corners = 1u << std::min(n, 6);
  const Array<double> reached = reachable_speeds(run);
  const Array<double>& speed = gains_.speed.empty() ? reached : gains_.speed;
  if (!gains_.speed.empty()) {
    const Array<double> needed = run_range(*this, run).speed;
    double room = infinity, worst = 0;
    for (int k = 0; k < n; ++k) {
      room = std::fmin(room, speed[k] - needed[k]);
      worst = std::fmax(worst, reached[k]);
    }
    list.push_back(hypothesis("the stated speed covers reference and start",
                              "least room beyond their speeds, rad/s", room, Relation::at_least, 0,
                              "V(0) alone keeps speeds below " + short_number(worst)));
  }
  CoriolisWorkspace<double> ws(plant);
  Array<double> C(n * n), qd(n);
  const double most = control_detail::largest_over_configurations(
      plant, samples, run.stops, [&](const Array<double>& q) {
        double worst = -infinity;
        for (unsigned corner = 0; corner < corners; ++corner) {
          for (int k = 0; k < n; ++k) {  // all signs of up to six joints, some of more
            const unsigned bit = k < 6 ? corner >> k : (corner * 2654435761u) >> (k % 32);
            qd[k] = bit & 1 ? speed[k] : -speed[k];
          }
          coriolis_matrix(plant, ws, q, qd, column_major(C.data(), n, n));
          for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) C[r * n + c] -= gains_.Kd(r, c);
          const double here = Gain::full(n, C).largest_eigenvalue();
          if (std::isnan(here)) return infinity;
          worst = std::fmax(worst, here);
        }
        return worst;
      });
  double fastest = 0;
  for (const double v : speed) fastest = std::fmax(fastest, v);
  list.push_back(condition("Kd > 1/2 H' at all states of the motion (Huo 2005, (3-84))",
                           "smallest eigenvalue of Kd - 1/2 H'", -most, Relation::greater, 0,
                           "the plant at speeds up to " + short_number(fastest) +
                               (gains_.speed.empty() ? " that V(0) allows, " : " as stated, ") +
                               std::to_string(samples) + " configurations sampled"));
}

std::vector<Condition> SlotineLiAdaptive::conditions(const Run& run) {
  std::vector<Condition> list{internal::symmetric("Lambda", gains_.Lambda),
                              internal::positive_definite("Lambda", gains_.Lambda),
                              internal::positive_definite("Kd", gains_.Kd)};
  internal::append(list, adaptation_.conditions(run));
  if (gains_.ordinary) add_ordinary_conditions(run, list);
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
      "tracking without knowing the masses, of bounded qd_d and qdd_d; V' = -s^T Kd s",
      GainList{
          required_gain("Lambda", GainKind::gain, "5", "1/s", "of e in s = edot + Lambda e"),
          required_gain("Kd", GainKind::gain, "20", "N m s / rad", "of s"),
          optional_gain("variant", GainKind::word, "two_velocities", "",
                        "two_velocities or ordinary (Huo 2005, (3-84))"),
          optional_gain("speed", GainKind::vector, "", "rad/s",
                        "of the ordinary variant: largest speeds; none: those that V(0) allows")} +
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
