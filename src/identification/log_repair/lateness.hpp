#pragma once
#include <algorithm>
#include <cmath>

#include "log_repair/parts.hpp"

namespace torsor::internal::repair {

/// Rows that hold the positions of an earlier moment: x_k = x(t_k - late), with the same `late` for all joints
/// that move. What a position should be is the cubic through two usable rows on either side.
class Lateness {
 public:
  Lateness(const RawLog& log, const Stamps& stamps)
      : log_(log), stamps_(stamps), usable_(stamps.kept.size(), 1), scale_(log.n_q, 0.0) {
    for (int k = 0; k < usable_.size(); ++k)
      for (int c = 0; c < log.n_q; ++c) usable_[k] = usable_[k] && std::isfinite(x(k, c));
    measure_usual();
  }

  /// What is usual of the rows that are usable now.
  void measure_usual() {
    const int stride = std::max(1, usable_.size() / 20000);
    Array<double> late;
    for (int c = 0; c < log_.n_q; ++c) {
      Array<double> off;
      for (int k = 0; k < usable_.size(); k += stride)
        if (usable(k) && find_neighbours(k)) off.push_back(off_at(k, c).distance);
      scale_[c] = 1.5 * quantile(off, 0.5);
    }
    for (int k = 0; k < usable_.size(); k += stride)
      if (usable(k) && look(k)) late.push_back(middle());
    least_ = std::max(0.5, 6 * quantile(late, 0.5));
  }
  void leave_out(int first, int last) {
    for (int k = first; k <= last; ++k) usable_[k] = 0;
  }
  void take_back(int first, int last) {
    for (int k = first; k <= last; ++k) usable_[k] = 1;
  }
  bool usable(int k) const { return usable_[k] != 0; }
  /// Of rows that are late beyond what stamps usually are off.
  double least() const { return least_; }

  /// In periods; 0 where the joints do not say it together.
  double of(int k) {
    if (!look(k)) return 0;
    const double late = middle();
    int clear = 0, agree = 0;
    for (const Said& one : said_) {
      if (!(std::abs(late) * one.rate > 10)) continue;
      ++clear;
      agree += std::abs(one.late - late) < 0.3 * std::abs(late);
    }
    return agree >= 2 && 4 * agree >= 3 * clear ? late : 0;
  }

 private:
  struct Off {
    double distance, rate;  // from the cubic, and its slope
  };
  struct Said {
    double late, rate;  // periods, and the scale of the joint for one
  };

  double x(int k, int c) const { return log_.values(stamps_.kept[k], c); }
  bool find_neighbours(int k) {
    constexpr int far = 12;  // periods
    const int n = usable_.size();
    for (const int step : {-1, 1})
      for (int j = k, found = 0; found < 2; ++found) {
        do j += step;
        while (j >= 0 && j < n && usable_[j] == 0);
        if (j < 0 || j >= n || std::abs(stamps_.at[j] - stamps_.at[k]) > far) return false;
        around_[step < 0 ? 1 - found : 2 + found] = j;
      }
    return true;
  }
  Off off_at(int k, int c) const {
    double positions[4], values[4];
    for (int j = 0; j < 4; ++j) positions[j] = stamps_.at[around_[j]], values[j] = x(around_[j], c);
    int hint = 1;
    return {x(k, c) - interpolated(positions, values, stamps_.at[k], hint),
            (values[2] - values[1]) / (positions[2] - positions[1])};
  }
  /// What each joint says that is seen to move.
  bool look(int k) {
    said_.clear();
    if (!find_neighbours(k)) return false;
    for (int c = 0; c < log_.n_q; ++c)
      if (const Off off = off_at(k, c); std::abs(off.rate) > 2 * scale_[c])
        said_.push_back({-off.distance / off.rate, std::abs(off.rate) / scale_[c]});
    return !said_.empty();
  }
  double middle() {
    const auto at = said_.begin() + said_.size() / 2;
    std::nth_element(said_.begin(), at, said_.end(),
                     [](const Said& a, const Said& b) { return a.late < b.late; });
    return at->late;
  }

  const RawLog& log_;
  const Stamps& stamps_;
  Array<char> usable_;
  Array<double> scale_;  // of a joint: what positions usually are off
  double least_ = 0;
  int around_[4] = {};
  Array<Said> said_{};
};

}  // namespace torsor::internal::repair
