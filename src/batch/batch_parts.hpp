#pragma once
/// What a Batch is made of: the model in its number type, scratch for every thread, and the division of
/// a call into chunks of states.
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "door.hpp"
#include "state_verbs.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/math/fixed_array.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor {
namespace internal {

/// Where the scratch of a verb is.
enum class Slot : int {
  kinematics,
  inverse,
  forward,
  mass,
  mass_inverse,
  coriolis,
  torques,
  energy,
  inverse_slopes,
  forward_slopes,
  regressor,
  own_inverse,
  own_forward,
  count
};

/// Scratch of one thread; a slot for each verb over lanes.
struct BatchWorker {
  FixedArray<LaneScratch, static_cast<int>(Slot::count)> lanes{};
  std::unique_ptr<StateScratch> state{};
};

}  // namespace internal

template <class Real>
struct Batch<Real>::Parts {
  using Job = internal::LaneJob<Real>;
  using Verb = void (*)(Job&);
  using StateVerb = internal::StateVerb<Real>;

  Parts(const Model<double>& model, BatchOptions options);

  /// Checks the sizes and runs the verb over all states; `slot`: where its scratch is.
  BatchResult run(Job job, Verb verb, internal::Slot slot, const char* third,
                  std::array<internal::ViewShape, 3> outputs);
  /// The same state by state.
  BatchResult run_states(Job job, const StateVerb& verb, const char* third,
                         std::array<internal::ViewShape, 3> outputs);

  Model<double> model;
  Model<Real> own;  ///< the same in the number type of the lanes
  internal::LaneShape shape;
  BatchOptions options;
  Array<internal::BatchWorker> workers;
  bool loops;
  bool rigid;   ///< nothing but bodies and rotors
  bool smooth;  ///< and joints whose friction does not depend on their load

 private:
  void check(const Job& job, const char* third,
             const std::array<internal::ViewShape, 3>& outputs) const;
  BatchResult in_chunks(const Job& job,
                        const std::function<void(Job&, internal::BatchWorker&)>& answer);
};

}  // namespace torsor
