#pragma once
/// Distributions of statistics: normal, chi^2, t and F.
///
/// Source   Abramowitz & Stegun 1964, sec. 6.5, 26.2, 26.5 (series and continued fractions).
namespace torsor::internal {

/// P(X <= x); x of t may be negative.
double normal_probability(double x);
double chi_squared_probability(double x, double degrees);
double t_probability(double x, double degrees);
double f_probability(double x, double upper_degrees, double lower_degrees);

/// x with P(X <= x) = p, 0 < p < 1.
double normal_quantile(double p);
double t_quantile(double p, double degrees);

}  // namespace torsor::internal
