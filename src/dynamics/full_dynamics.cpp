#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor {

std::string message(const Model<double>& model, const DynamicsResult<double>& result) {
  if (!result.loops) return message(model, result.loops);
  if (result.regular) return "";
  return model.name() + ": the mass matrix is singular: a joint moves no mass";
}

TORSOR_FULL_DYNAMICS(, double, double)

}  // namespace torsor
