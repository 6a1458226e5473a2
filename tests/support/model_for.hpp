#pragma once
/// The model whose constants go with a scalar: float states want a float model.
#include "torsor/model/model.hpp"

namespace torsor::testing {

template <class Real>
auto model_for(const Model<double>& model) {
  if constexpr (std::is_same_v<Real, float>)
    return model.cast<float>();
  else
    return model;
}

}  // namespace torsor::testing
