#pragma once
/// What a verb over lanes is given: a range of states, where their numbers are, and its scratch. The
/// verbs are compiled for every instruction set and choose how many lanes they run; everything here
/// has one layout for all of them.
#include <array>
#include <utility>

#include "torsor/batch/states.hpp"
#include "torsor/kinematics/velocity.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

/// Holds the workspace of one verb of one thread. Its type depends on the instruction set in use: where
/// that has changed since the last call, another one is made.
class LaneScratch {
 public:
  LaneScratch() = default;
  LaneScratch(LaneScratch&& other) noexcept { swap(other); }
  LaneScratch& operator=(LaneScratch&& other) noexcept {
    swap(other);
    return *this;
  }
  ~LaneScratch() {
    if (data_) destroy_(data_);
  }

  template <class Workspace, class... Arguments>
  Workspace& get(Arguments&&... arguments) {
    if (destroy_ != &destroy<Workspace>) {
      LaneScratch made;
      made.data_ = new Workspace(std::forward<Arguments>(arguments)...);
      made.destroy_ = &destroy<Workspace>;
      swap(made);
    }
    return *static_cast<Workspace*>(data_);
  }

 private:
  template <class Workspace>
  static void destroy(void* workspace) {
    delete static_cast<Workspace*>(workspace);
  }
  void swap(LaneScratch& other) {
    std::swap(data_, other.data_);
    std::swap(destroy_, other.destroy_);
  }
  void* data_ = nullptr;
  void (*destroy_)(void*) = nullptr;
};

/// What the lanes kernels know of a robot beside its model, found once.
struct LaneShape {
  bool hinge_chain = false;  ///< plain hinges, each on the body before, and no motor of several
  bool rotors = false;       ///< some joint has one
  Array<int> quaternions{};  ///< coordinates where one begins
  template <class Param>
  explicit LaneShape(const Model<Param>& model);
  LaneShape() = default;
};

template <class Real>
struct LaneJob {
  const Model<Real>* model = nullptr;
  const LaneShape* shape = nullptr;
  LaneScratch* scratch = nullptr;
  /// Configurations, velocities, and accelerations or torques; one that is empty counts as zero.
  StatesView<const Real> q{}, qd{}, third{};
  StatesView<const Real> F_ext{};       ///< 6 numbers for each body, the world included
  StatesView<const Real> parameters{};  ///< 10 for each moving body
  std::array<StatesView<Real>, 3> out{};
  const Frame* frame = nullptr;
  Reference reference = Reference::body;
  Effects effects{};
  std::int64_t first = 0, end = 0;  ///< the states to answer

  // Answers.
  bool suspect = false;     ///< some number may be one that has to be refused: look at them
  std::int64_t failed = 0;  ///< states without an answer, which is nan
};

/// One function for each verb and number type; `void`, so that nothing crosses but the job.
#define TORSOR_LANE_VERBS(verb)                                                                  \
  verb(pose) verb(poses) verb(jacobian) verb(inverse_dynamics) verb(forward_dynamics)            \
      verb(mass_matrix) verb(mass_matrix_inverse) verb(coriolis_matrix) verb(gravity) verb(bias) \
          verb(energies) verb(inverse_derivatives) verb(forward_derivatives) verb(regressor)     \
              verb(own_inverse_dynamics) verb(own_forward_dynamics)

#define TORSOR_LANE_VERB(name)             \
  void lanes_##name(LaneJob<double>& job); \
  void lanes_##name(LaneJob<float>& job);
TORSOR_LANE_VERBS(TORSOR_LANE_VERB)
#undef TORSOR_LANE_VERB

}  // namespace torsor::internal
