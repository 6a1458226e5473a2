#include "torsor/dynamics/derivatives/energy_derivatives.hpp"

namespace torsor {

template void energy_derivatives(const Model<double>&, EnergyDerivativesWorkspace<double>&,
                                 In<double>, In<double>, const EnergyDerivatives<double>&);

}  // namespace torsor
