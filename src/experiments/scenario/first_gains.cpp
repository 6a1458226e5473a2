#include "scenario/first_gains.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::internal::scenario {

Array<double> stiff_Kp(const Posture& place) {
  Array<double> Kp = place.inertia;
  double largest = 0;
  for (double& x : Kp) x *= 100, largest = std::max(largest, x);
  for (int k = 0; k < Kp.size(); ++k)
    Kp[k] = std::max({Kp[k], 0.01 * largest, 40 * place.load[k]}) + 1.5 * place.weight[k];
  return Kp;
}
Array<double> stiff_Kd(const Posture& place) {
  Array<double> Kd = stiff_Kp(place);
  for (int k = 0; k < Kd.size(); ++k) Kd[k] = 2 * std::sqrt(Kd[k] * place.inertia[k]);
  return Kd;
}
double small_Ki(const Posture& place) {
  const Array<double> Kp = stiff_Kp(place), Kd = stiff_Kd(place);
  double stiff = infinity, damped = infinity, heavy = 0;
  for (int k = 0; k < Kp.size(); ++k) {
    stiff = std::min(stiff, Kp[k] - 1.2 * place.weight[k]);
    damped = std::min(damped, Kd[k]);
    heavy += place.inertia[k];  // the trace
  }
  return 0.3 * stiff * damped / heavy;
}
Array<double> barriers(const Posture& place) {
  double V = 0;
  for (const double h : place.inertia) V += 0.5 * 100 * h * 0.3 * 0.3;
  Array<double> k = place.inertia;
  for (double& x : k) x = std::max(10 * x, 3 * V / 49);
  return k;
}

}  // namespace torsor::internal::scenario
