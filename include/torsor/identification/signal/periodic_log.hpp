#pragma once
/// Logs of periodic motions: the mean period, derivatives without error, noise from what differs between periods.
///
///   x_m = mean over periods p of x(t_m + p T),   m = 0 ... M - 1          M samples a period
///   q(t) = a_0 + sum_l a_l cos(w l t) + b_l sin(w l t),   w = 2 pi / T,   l = 1 ... H
///   qd, qdd: the series differentiated
///   sigma^2 = sum_{p, m} (x_pm - x_m)^2 / ((P - 1) M)                     of one measurement, column by column
///
/// H is the highest harmonic that stands out of the noise, of the mean of P periods, by four sigma. Where a
/// period is no whole number of samples, samples are interpolated (cubic). The torques are means and are not
/// cut off: friction has all harmonics.
///
/// Cost     linear in the samples; H M for the series. find_period: 4,000 samples against all lags.
/// Source   Swevers, Ganseman, Tukel, De Schutter & Van Brussel 1997.
#include <string>

#include "torsor/identification/motion_log.hpp"

namespace torsor {

struct PeriodicSignals {
  double motion_period = 0;  ///< s, T
  int periods = 0;           ///< P that were averaged
  int harmonics = 0;         ///< H
  MotionLog mean{};          ///< one period: t from 0, q and qd of the series, tau of the mean
  Matrix qdd{};
  Array<double> q_noise{}, tau_noise{};  ///< sigma of a single sample; 0 for one period
  std::string words;
};

/// Averages the longest stretch, from its first sample on. `motion_period` 0: found; `harmonics` 0: from the
/// noise. Throws Error where there is no period in it.
PeriodicSignals average_periods(const MotionLog& log, double motion_period = 0, int harmonics = 0);

/// The shortest time, s, after which all positions are where they were, within 5 % of their spread; 0 where
/// there is none in half of the longest stretch.
double find_period(const MotionLog& log);

}  // namespace torsor
