#pragma once
/// Drawn states of a robot in arrays by state or by number, and answers to compare with those of
/// single states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/dynamics_state.hpp"
#include "torsor/batch/states.hpp"

namespace torsor::testing {

/// One of the states, as its numbers are in the arrays.
struct OneState {
  int index;
  std::vector<double> q, qd, third;
};

/// count x width numbers in one of the layouts.
template <class Real>
struct ManyNumbers {
  int count, width;
  bool number_first;
  std::vector<Real> data;

  ManyNumbers(int states, int numbers, bool by_number_first)
      : count(states),
        width(numbers),
        number_first(by_number_first),
        data(static_cast<std::size_t>(states * numbers), Real(-77)) {}
  StatesView<Real> view() {
    return number_first ? by_number(data.data(), count, width)
                        : by_state(data.data(), count, width);
  }
  StatesView<const Real> view() const {
    return number_first ? by_number(data.data(), count, width)
                        : by_state(data.data(), count, width);
  }
};

template <class Real>
class ManyStates {
 public:
  ManyStates(const Model<double>& model, int count, unsigned seed, bool number_first)
      : q_(count, model.n_q(), number_first), qd_(count, model.n_v(), number_first), third_(qd_) {
    for (int s = 0; s < count; ++s) {
      const State<double> drawn(model, 1000 * seed + static_cast<unsigned>(s));
      const auto put = [&](const std::vector<double>& from, ManyNumbers<Real>& to) {
        for (int k = 0; k < to.width; ++k)
          to.view()(s, k) = static_cast<Real>(from[static_cast<std::size_t>(k)]);
      };
      put(drawn.q, q_), put(drawn.qd, qd_), put(drawn.qdd, third_);
    }
  }
  int count() const { return q_.count; }
  bool number_first() const { return q_.number_first; }
  StatesView<const Real> q() const { return q_.view(); }
  StatesView<const Real> qd() const { return qd_.view(); }
  StatesView<const Real> third() const { return third_.view(); }
  ManyNumbers<Real>& numbers_of_q() { return q_; }
  ManyNumbers<Real>& numbers_of_qd() { return qd_; }

  template <class Function>
  void each(Function f) const {
    for (int s = 0; s < count(); ++s) {
      const auto of = [&](const StatesView<const Real>& view) {
        std::vector<double> row;
        for (int k = 0; k < view.width; ++k) row.push_back(static_cast<double>(view(s, k)));
        return row;
      };
      f(OneState{s, of(q()), of(qd()), of(third())});
    }
  }

 private:
  ManyNumbers<Real> q_, qd_, third_;
};

template <class Real>
class Answers : public ManyNumbers<Real> {
 public:
  Answers(const ManyStates<Real>& states, int numbers)
      : ManyNumbers<Real>(states.count(), numbers, states.number_first()) {}

  /// Within 2000 roundings of the largest number,
  /// times the condition.
  void expect_near(int state, const std::vector<double>& truth, double condition = 1) const {
    double scale = 1;
    for (const double x : truth) scale = std::max(scale, std::abs(x));
    const double tolerance =
        2000 * std::numeric_limits<Real>::epsilon() * scale * std::max(1.0, 0.01 * condition);
    ASSERT_EQ(static_cast<std::size_t>(this->width), truth.size());
    for (int k = 0; k < this->width; ++k)
      ASSERT_NEAR(static_cast<double>(this->view()(state, k)), truth[static_cast<std::size_t>(k)],
                  tolerance)
          << "state " << state << " of " << this->count << ", number " << k << " of "
          << this->width;
  }
};

}  // namespace torsor::testing
