#pragma once
/// Parameters by name that several sliding and robust laws take.
#include <cmath>

#include "torsor/control/law_registry.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/control/uncertain/sliding_gains.hpp"

namespace torsor::internal {

inline internal::GainList layer_gain_list() {
  return {internal::optional_gain("layer", GainKind::vector, "", "rad/s",
                                  "the sign is smooth over |s| <= layer; none: it jumps")};
}
inline Switching switching_of(const Model<double>& model, LawParameters& p) {
  return Switching(p.numbers("layer", model.n_v()));
}

inline internal::GainList sliding_gain_list() {
  return internal::GainList{
             internal::required_gain("Lambda", GainKind::gain, "5", "1/s",
                                     "of e in s = edot + Lambda e"),
             internal::optional_gain("Kd", GainKind::gain, "", "N m s / rad", "of s; none: 1"),
             internal::optional_gain(
                 "eta", GainKind::vector, "", "N m",
                 "what is switched beyond the bound, for each joint; none: 0")} +
         layer_gain_list();
}
inline SlidingGains sliding_gains(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  return {p.gain("Lambda", n), p.gain("Kd", n), p.numbers("eta", n), switching_of(model, p)};
}

inline internal::GainList half_width_gain_list() {
  return {internal::optional_gain("parameters", GainKind::words, "", "",
                                  "names of what is not known; none: all of every link"),
          internal::required_gain("half_width", GainKind::vector, "1e-5", "",
                                  "how far each may be off the believed value, in its unit"),
          internal::optional_gain("half_width_share", GainKind::vector, "", "",
                                  "instead: as shares of the believed values")};
}
/// |Y| of the parameters that are named; all ten of every body where none are.
inline RegressorBound regressor_bound(const Model<double>& model, LawParameters& p) {
  return RegressorBound(model, p.words("parameters"));
}
/// One number for each parameter under `name`, or shares of the believed values under name_share.
inline Array<double> parameter_numbers(RegressorBound& bound, LawParameters& p,
                                       const std::string& name) {
  Array<double> numbers = p.numbers(name + "_share", bound.columns());
  if (numbers.empty()) return p.numbers(name, bound.columns());
  for (int j = 0; j < bound.columns(); ++j) numbers[j] *= std::abs(bound.parameters()->values()[j]);
  return numbers;
}

}  // namespace torsor::internal
