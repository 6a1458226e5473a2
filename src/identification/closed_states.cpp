#include "closed_states.hpp"

#include <algorithm>
#include <cmath>

#include "base_parameter_ways.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::internal {
namespace {

constexpr double step_length = 0.05;  // rad, or that part of the robot's size
constexpr int most_steps = 16;
/// A part of the greatest firmness of all homes: below it assembly modes may meet within a step or two, and
/// rounding is large.
constexpr double least_firmness = 0.1;

/// Limits are kept where loops close within them.
bool closed(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
            Array<double>& q) {
  const Array<double> guess = q;
  if (assemble(model, set, ws, q)) return true;
  q = guess;
  return assemble(model, set, ws, q, {.keep_limits = false}).closed;
}

}  // namespace

ClosedStates::ClosedStates(const Model<double>& model, unsigned seed, Array<Array<double>> homes)
    : model_(model),
      set_(model),
      assembly_(model, set_),
      constraints_(std::max(1, set_.n_rows()), std::max(1, model.n_v())),
      random_(seed),
      q_(model.n_q()),
      next_(model.n_q()),
      direction_(model.n_v()),
      A_(set_.n_rows(), model.n_v()) {
  const double size = size_of(model);
  for (const Measure measure : velocity_measures(model))
    scale_.push_back(measure == Measure::length ? size : 1);
  const bool some = !homes.empty();
  homes.push_back(Array<double>(model.n_q()));
  neutral(model, homes.back());
  for (int h = 0; h < homes.size() && set_.n_rows() > 0; ++h) {
    if (!closed(model, set_, assembly_, homes[h])) continue;
    q_ = homes[h];
    firmest_ = std::max(firmest_, firmness());
    rank_ = std::max(rank_, constraints_.rank());
    if (!some || h + 1 < homes.size()) homes_.push_back(homes[h]);
  }
}

double ClosedStates::firmness() {
  constraint_jacobian<double, double>(model_, set_, assembly_.rows, q_, A_);
  constraints_.factorise(A_, 1e-9);
  if (constraints_.rank() < rank_) return 0;
  return constraints_.pivot_ratio();
}

bool ClosedStates::step(double length) {
  Array<double> v = direction_;
  project_velocity(model_, set_, assembly_, q_, v);
  double most = 0;
  for (int k = 0; k < v.size(); ++k) most = std::max(most, std::abs(v[k]) / scale_[k]);
  if (!(most > 1e-9)) return false;
  for (double& x : v) x *= length / most;
  integrate(model_, q_, v, next_);
  if (!assemble(model_, set_, assembly_, next_, {.keep_limits = false})) return false;
  // Closing a step corrects a part of it; what moves farther has jumped.
  difference(model_, q_, next_, v);
  for (int k = 0; k < v.size(); ++k)
    if (std::abs(v[k]) > 3 * length * scale_[k]) return false;
  std::swap(q_, next_);
  const double now = firmness();
  if (now >= std::min(firm_, least_firmness * firmest_)) {
    firm_ = now;
    return true;
  }
  std::swap(q_, next_);
  return false;
}

void ClosedStates::walk() {
  // Every third walk starts anew, so that none gets lost in a corner.
  if (!away_ || random_() % 3 == 0) {
    q_ = homes_[static_cast<int>(random_() % static_cast<unsigned>(homes_.size()))];
    firm_ = firmness();
  }
  for (int k = 0; k < direction_.size(); ++k) direction_[k] = scale_[k] * normal_(random_);
  const int steps = 1 + static_cast<int>(random_() % most_steps);
  for (int s = 0; s < steps && step(step_length); ++s) away_ = true;
}

bool ClosedStates::draw(View<double> q, View<double> qd, View<double> qdd) {
  if (homes_.empty()) return false;
  walk();
  for (int tries = 0; tries < 20 && firm_ < least_firmness * firmest_; ++tries) walk();
  (void)firmness();  // the decomposition of where the walk ended
  for (int k = 0; k < q_.size(); ++k) q[k] = q_[k];
  project_velocity(model_, set_, assembly_, q, qd);
  project_acceleration(model_, set_, assembly_, q, qd, qdd);
  return true;
}

}  // namespace torsor::internal
