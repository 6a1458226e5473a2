#include <algorithm>
#include <cmath>
#include <random>

#include "base_parameter_ways.hpp"
#include "closed_states.hpp"
#include "column_elimination.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace {

using namespace internal;

/// Columns of the numeric way, from the base to the tips: what is kept of a body is independent of all
/// before it, which is what its own joint can tell.
Array<int> column_order(const Model<double>& model, int N) {
  Array<int> order;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (const int k : kept_order(model)) order.push_back(parameters_per_body * (i - 1) + k);
  for (int k = order.size(); k < N; ++k) order.push_back(k);
  return order;
}

/// Rows of the regressor at random states, columns in the units of the parameters.
class RandomRows {
 public:
  RandomRows(const Model<double>& model, const BaseParameterOptions& options, double size,
             const Array<double>& units, unsigned seed)
      : model_(model),
        units_(units),
        size_(size),
        rotors_(rotor_velocities(model, options)),
        closed_(model, seed),
        ws_(model),
        random_(seed),
        q_(model.n_q()),
        home_(model.n_q()),
        qd_(model.n_v()),
        qdd_(model.n_v()),
        direction_(model.n_v()),
        Y_(model.n_v(), parameters_per_body * (model.n_bodies() - 1)) {
    neutral(model, home_);
    if (const double g = norm(model.gravity()); g > 0) second_ = std::sqrt(size / g);
    for (const Measure measure : velocity_measures(model))
      rates_.push_back(measure == Measure::length ? size : 1);
  }

  /// False: no state was found that closes the loops.
  bool add_state(RowFactor& rows) {
    if (!draw()) return false;
    torque_regressor<double, double>(model_, ws_, q_, qd_, qdd_, Y_);
    // Along every motion that the constraints allow: multipliers do no work there.
    const int motions = has_loops() ? model_.n_v() - closed_.constraints().rank() : model_.n_v();
    for (int m = 0; m < motions; ++m) {
      if (has_loops()) {
        closed_.constraints().null_vector(m, direction_);
      } else {
        direction_.assign(model_.n_v(), 0.0);
        direction_[m] = rates_[m] * (second_ * second_) / (size_ * size_);
      }
      rows.add(row());
    }
    return true;
  }

 private:
  bool has_loops() const { return closed_.n_rows() > 0; }

  bool draw() {
    for (int k = 0; k < qd_.size(); ++k) {
      qd_[k] = rates_[k] / second_ * normal_(random_);
      qdd_[k] = rates_[k] / (second_ * second_) * normal_(random_);
    }
    if (has_loops()) return closed_.draw(q_, qd_, qdd_);
    for (int k = 0; k < direction_.size(); ++k) direction_[k] = 2 * rates_[k] * normal_(random_);
    integrate(model_, home_, direction_, q_);
    return true;
  }

  Array<double> row() const {
    Array<double> sum(units_.size(), 0.0);
    for (int k = 0; k < direction_.size(); ++k) {
      if (direction_[k] == 0) continue;
      for (int c = 0; c < Y_.cols(); ++c) sum[c] += direction_[k] * Y_(k, c) * units_[c];
    }
    for (int c = Y_.cols(); c < sum.size(); ++c) {
      const int k = rotors_[c - Y_.cols()];
      sum[c] = direction_[k] * qdd_[k] * units_[c];
    }
    return sum;
  }

  const Model<double>& model_;
  const Array<double>& units_;
  double size_;
  /// The robot's own second: what falls by its size takes about that long. So weights and forces of
  /// inertia are of one size, whatever the robot's.
  double second_ = 1;
  Array<int> rotors_;
  Array<double> rates_{};  // a slide is as fast as the robot is large
  ClosedStates closed_;
  RegressorWorkspace<double> ws_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_{};
  Array<double> q_, home_, qd_, qdd_, direction_;
  Matrix Y_;
};

}  // namespace

BaseParameters numeric_base_parameters(const Model<double>& model,
                                       const BaseParameterOptions& options, int states,
                                       unsigned seed) {
  BaseParameters base = all_named(model, options);
  const int N = static_cast<int>(base.names.size());
  if (states <= 0) states = 20 + 4 * N / std::max(1, model.n_v());
  const double size = size_of(model);
  const Array<double> units = parameter_units(model, options, size);
  RandomRows random(model, options, size, units, seed);
  RowFactor rows(N);
  int found = 0;
  for (int tries = 0; found < states && tries < 20 * states; ++tries)
    found += random.add_state(rows);
  if (found == 0)
    throw Error("robot \"" + model.name() + "\": no configuration was found that closes its loops");

  const double least = std::max(1e-9, options.tolerance) * longest_column(rows.R(), N);
  set_regrouping(base, eliminate_columns(rows.R(), column_order(model, N), least),
                 1e2 * options.tolerance, units);
  return base;
}

}  // namespace torsor
