#include "torsor/control/uncertain/reaching_law.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

void check_numbers(const char* law, const char* what, const Array<double>& x, int n) {
  if (x.size() != n)
    throw Error(std::string(law) + ": " + what + " has " + std::to_string(x.size()) +
                " numbers; the robot has " + std::to_string(n) + " degrees of freedom");
  for (int k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k]))
      throw Error(std::string(law) + ": " + what + " is not finite at number " +
                  std::to_string(k + 1));
}

}  // namespace

void Switching::check(const char* law, int n) const {
  if (layer_.empty()) return;
  check_numbers(law, "layer", layer_, n);
  for (const double x : layer_)
    if (x < 0)
      throw Error(std::string(law) + ": layer is " + std::to_string(x) +
                  "; a thickness cannot be negative");
}

ReachingLaw ReachingLaw::constant(Array<double> epsilon) {
  ReachingLaw law;
  law.epsilon_ = std::move(epsilon);
  return law;
}
ReachingLaw ReachingLaw::exponential(Array<double> epsilon, Array<double> k) {
  ReachingLaw law;
  law.kind_ = Kind::exponential;
  law.epsilon_ = std::move(epsilon);
  law.k_ = std::move(k);
  return law;
}
ReachingLaw ReachingLaw::power(Array<double> k, Array<double> exponent) {
  ReachingLaw law;
  law.kind_ = Kind::power;
  law.k_ = std::move(k);
  law.exponent_ = std::move(exponent);
  return law;
}

double ReachingLaw::rate(int i, double s, const Switching& switching) const {
  switch (kind_) {
    case Kind::constant:
      return epsilon_[i] * switching(i, s);
    case Kind::exponential:
      return epsilon_[i] * switching(i, s) + k_[i] * s;
    case Kind::power:
      return std::copysign(k_[i] * std::pow(std::abs(s), exponent_[i]), s);
  }
  return 0;
}

double ReachingLaw::time(int i, double s0) const {
  const double size = std::abs(s0), epsilon = this->epsilon(i), gain = k(i);
  if (size == 0) return 0;
  double t = 0;
  switch (kind_) {
    case Kind::constant:
      t = size / epsilon;
      break;
    case Kind::exponential:
      t = gain == 0 ? size / epsilon : std::log1p(gain * size / epsilon) / gain;
      break;
    case Kind::power:
      t = std::pow(size, 1 - exponent(i)) / ((1 - exponent(i)) * gain);
      break;
  }
  return t >= 0 ? t : std::numeric_limits<double>::infinity();
}

void ReachingLaw::check(const char* law, int n) const {
  if (kind_ != Kind::power) check_numbers(law, "reaching rate epsilon", epsilon_, n);
  if (kind_ != Kind::constant) check_numbers(law, "reaching gain k", k_, n);
  if (kind_ != Kind::power) return;
  check_numbers(law, "reaching exponent", exponent_, n);
  for (const double a : exponent_)
    if (!(a > 0 && a < 1))
      throw Error(std::string(law) + ": reaching exponent is " + std::to_string(a) +
                  "; it must lie between 0 and 1");
}

}  // namespace torsor
