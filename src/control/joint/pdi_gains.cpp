#include "torsor/control/joint/pdi_gains.hpp"

#include "law_makers.hpp"

namespace torsor {

void PdiGains::check(const char* law, int n) const {
  Kp.check(law, "Kp", n);
  Kd.check(law, "Kd", n);
  if (has_integral()) Ki.check(law, "Ki", n);
}

double PdiGains::integral_form(View<const double> y, View<const double> x) const {
  double sum = 0;
  for (int r = 0; r < Ki.size(); ++r)
    for (int c = 0; c < Ki.size(); ++c) sum += y[r] * Ki(r, c) * x[c];
  return sum;
}

std::vector<Condition> PdiGains::conditions() const {
  std::vector<Condition> all{
      condition("Kp symmetric", "largest asymmetry of Kp", Kp.asymmetry(), Relation::at_most, 0),
      condition("Kp positive definite", "smallest eigenvalue of Kp", Kp.smallest_eigenvalue(),
                Relation::greater, 0),
      condition("Kd positive definite", "smallest eigenvalue of Kd", Kd.smallest_eigenvalue(),
                Relation::greater, 0)};
  if (has_integral())
    all.push_back(condition("Ki positive definite", "smallest eigenvalue of Ki",
                            Ki.smallest_eigenvalue(), Relation::greater, 0));
  return all;
}

std::vector<Prediction> PdiGains::reach(double mu) const {
  if (has_integral() || !(mu > 0)) return {};
  return {{"errors stay within sqrt(2 V(0) / mu)", Quantity::reach, -1, 0, {mu}}};
}

PdiGains pdi_gains(LawParameters& p, int n) {
  return {p.gain("Kp", n), p.gain("Kd", n), p.gain("Ki", n, Gain())};
}

}  // namespace torsor
