#include "torsor/control/uncertain/sliding_gains.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

void SlidingGains::complete(const char* law, int n) {
  if (Kd.size() == 0) Kd = Gain::uniform(n, 1);
  if (eta.empty()) eta.assign(n, 0.0);
  Kd.check(law, "Kd", n);
  Gain(eta).check(law, "eta", n);
  switching.check(law, n);
}

void SlidingGains::add_torque(In<double> s, In<double> k, Out<double> tau) const {
  Kd.add_product(s, tau);
  for (int i = 0; i < s.size; ++i) tau[i] += switching(i, s[i]) * (k[i] + eta[i]);
}

double SlidingGains::power_bound(In<double> s, In<double> k) const {
  double power = -Kd.quadratic(s);
  for (int i = 0; i < s.size; ++i)
    power -= std::abs(s[i]) * (std::abs(switching(i, s[i])) * (k[i] + eta[i]) - k[i]);
  return power;
}

std::vector<Condition> SlidingGains::conditions() const {
  return {condition("Kd positive definite", "smallest eigenvalue of Kd", Kd.smallest_eigenvalue(),
                    Relation::greater, 0),
          condition("switching does not feed s", "smallest eta",
                    *std::min_element(eta.begin(), eta.end()), Relation::at_least, 0)};
}

}  // namespace torsor
