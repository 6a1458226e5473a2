#pragma once
/// What kernels read of a robot, and its shape as the text of a type.
#include <cstddef>
#include <string>
#include <vector>

#include "device_model.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

/// Throws Error where a robot has what the verbs of a device do not know, naming it.
void check_for_device(const Model<double>& model);

/// The number of hinges where the robot is a serial chain of them, else 0.
int hinges_of_chain(const Model<double>& model);
/// Whether such a chain takes HingeChainShape<n, true>.
bool right_angles(const Model<double>& model);

/// A DeviceModel<Shape, Real> of the robot's own shape; of a chain the one that `right` says.
template <class Real>
std::vector<std::byte> model_bytes(const Model<double>& model, bool right);
template <class Real>
std::vector<std::byte> model_bytes(const Model<double>& model) {
  return model_bytes<Real>(model, right_angles(model));
}

/// The arrays of a RolledModel<AnyShape, Real>, one after the other; where each begins.
struct RolledBytes {
  std::vector<std::byte> bytes;
  std::size_t bodies = 0, axes = 0, offsets = 0, dofs = 0, joints = 0;
};
template <class Real>
RolledBytes rolled_bytes(const Model<double>& model);
/// The model itself, given the address of those bytes.
template <class Real>
RolledModel<AnyShape, Real> rolled_model(const Model<double>& model, const RolledBytes& arrays,
                                         const std::byte* at);
bool fits_rolled(const Model<double>& model);

/// The header that program.cu asks for: the type Shape, the number type, and what chooses kernels.
template <class Real>
std::string shape_text(const Model<double>& model);

/// How the kernels of a part (0: sweeps, 1: those of larger code) are compiled for a robot.
struct KernelPlan {
  std::string flags;
  bool rolled = false;  ///< for RolledModel
};
template <class Real>
KernelPlan plan_kernels(const Model<double>& model, int part);
/// The longest chain that has kernels of its own; longer ones are trees.
inline constexpr int longest_chain = 12;

#define TORSOR_MODEL_BYTES(Real)                                                                  \
  extern template std::vector<std::byte> model_bytes<Real>(const Model<double>&, bool);           \
  extern template RolledBytes rolled_bytes<Real>(const Model<double>&);                           \
  extern template RolledModel<AnyShape, Real> rolled_model(const Model<double>&,                  \
                                                           const RolledBytes&, const std::byte*); \
  extern template KernelPlan plan_kernels<Real>(const Model<double>&, int);                       \
  extern template std::string shape_text<Real>(const Model<double>&);
TORSOR_MODEL_BYTES(double)
TORSOR_MODEL_BYTES(float)
#undef TORSOR_MODEL_BYTES

}  // namespace torsor::internal
