#pragma once
/// Parameters by name that several sliding and robust laws take.
#include <cmath>

#include "torsor/control/make_controller.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/control/uncertain/sliding_gains.hpp"

namespace torsor {

inline Switching switching_of(const Model<double>& model, LawParameters& p) {
  return Switching(p.numbers("layer", model.n_v(), {}));
}
inline SlidingGains sliding_gains(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  return {p.gain("Lambda", n), p.gain("Kd", n, Gain()), p.numbers("eta", n, {}),
          switching_of(model, p)};
}

/// |Y| of the parameters that are named; all ten of every body where none are.
inline RegressorBound regressor_bound(const Model<double>& model, LawParameters& p) {
  return RegressorBound(model, p.words("parameters", {}));
}
/// One number for each parameter under `name`, or shares of the believed values under name_share.
inline std::vector<double> parameter_numbers(RegressorBound& bound, LawParameters& p,
                                             const std::string& name) {
  const std::string share = name + "_share";
  std::vector<double> numbers = p.numbers(share, bound.columns(), {});
  if (numbers.empty()) return p.numbers(name, bound.columns());
  for (int j = 0; j < bound.columns(); ++j)
    numbers[static_cast<std::size_t>(j)] *= std::abs(bound.parameters()->values()[j]);
  return numbers;
}

}  // namespace torsor
