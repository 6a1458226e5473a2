#include "torsor/control/joint/pdi_gains.hpp"

#include "gain_rows.hpp"
#include "law_entries.hpp"

namespace torsor {

void PdiGains::check(const char* law, int n) const {
  Kp.check(law, "Kp", n);
  Kd.check(law, "Kd", n);
  if (has_integral()) Ki.check(law, "Ki", n);
}

double PdiGains::integral_form(In<double> y, In<double> x) const {
  double sum = 0;
  for (int r = 0; r < Ki.size(); ++r)
    for (int c = 0; c < Ki.size(); ++c) sum += y[r] * Ki(r, c) * x[c];
  return sum;
}

std::vector<Condition> PdiGains::conditions() const {
  std::vector<Condition> all{internal::symmetric("Kp", Kp), internal::positive_definite("Kp", Kp),
                             internal::positive_definite("Kd", Kd)};
  if (!has_integral()) return all;
  all.push_back(internal::symmetric("Kd", Kd));
  all.push_back(internal::symmetric("Ki", Ki));
  all.push_back(internal::positive_definite("Ki", Ki));
  return all;
}

std::vector<Prediction> PdiGains::reach(double mu, double V_start) const {
  if (has_integral() || !(mu > 0) || V_start < 0) return {};
  return {{"errors stay within sqrt(2 V(0) / mu)", PredictedQuantity::reach, -1, 0, {mu}}};
}

PdiGains internal::pdi_gains(LawParameters& p, int n) {
  return {p.gain("Kp", n), p.gain("Kd", n), p.gain("Ki", n)};
}
internal::GainList internal::pdi_gain_list(const char* stiffness_unit, const char* damping_unit) {
  return {required_gain("Kp", GainKind::gain, "100", stiffness_unit, "of e"),
          required_gain("Kd", GainKind::gain, "20", damping_unit, "of edot"),
          optional_gain("Ki", GainKind::gain, "", "", "of the integral of e; none: no integral")};
}

}  // namespace torsor
