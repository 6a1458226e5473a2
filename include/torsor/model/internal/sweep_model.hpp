#pragma once
/// What the sweeps over a tree ask of a robot, as plain data and a concept, so that a device can run
/// them on a model of its own.
///
/// Topology is asked of the model, not read from the data of a body: a model type whose shape is fixed
/// answers with constants, its loops unroll, and everything stays in registers. `Model` (model.hpp) is
/// the host's; nothing here needs a header of the host.
#include "torsor/math/inertia.hpp"
#include "torsor/math/internal/fixed_array.hpp"
#include "torsor/model/dof_constants.hpp"
#include "torsor/model/joint.hpp"

namespace torsor::internal {

enum class JointClass : unsigned char { hinge, turned_hinge, slider, general };

/// One body of the canonical form (canonical.hpp).
template <class Param>
struct CanonicalBody {
  JointClass joint = JointClass::general;
  bool branching = false;  ///< carries a body other than i + 1
  int parent = 0, q = 0, v = 0, n_v = 0;
  int v_end = 0;  ///< the velocities of the body and all it carries are v ... v_end - 1
  Param cos_alpha{1}, sin_alpha{};  ///< hinge
  Vec3<Param> p{};                  ///< joint origin in the parent's frame
  MassMoments<Param> moments{};
  SO3<Param> R{};  ///< R_parent_joint: all of the placement's rotation

  template <class Other>
  CanonicalBody<Other> cast() const {
    return {joint,
            branching,
            parent,
            q,
            v,
            n_v,
            v_end,
            Other(cos_alpha),
            Other(sin_alpha),
            p.template cast<Other>(),
            moments.template cast<Other>(),
            R.template cast<Other>()};
  }
};

/// The number type of a model's constants.
template <class Robot>
using ParamOf = std::remove_cvref_t<decltype(std::declval<const Robot&>().gravity().x)>;

/// for_each_hinge calls f(coordinate of a hinge, turned or not), for_each_not_hinge calls f(body whose
/// joint is not a plain hinge). Where there are such bodies, joint(i) gives their JointShape.
template <class Robot>
concept SweepModel = requires(const Robot& model, int i, void (*f)(int)) {
  { model.n_bodies() } -> std::convertible_to<int>;
  { model.n_q() } -> std::convertible_to<int>;
  { model.n_v() } -> std::convertible_to<int>;
  { model.parent(i) } -> std::convertible_to<int>;
  { model.first_q(i) } -> std::convertible_to<int>;
  { model.first_v(i) } -> std::convertible_to<int>;
  { model.n_v(i) } -> std::convertible_to<int>;
  { model.branching(i) } -> std::convertible_to<bool>;
  { model.joint_class(i) } -> std::convertible_to<JointClass>;
  { model.canonical(i) } -> std::convertible_to<CanonicalBody<ParamOf<Robot>>>;
  {
    model.link_axes(i)
    } -> std::convertible_to<SO3<ParamOf<Robot>>>;             // of body i: canonical to link
  { model.offset(i) } -> std::convertible_to<ParamOf<Robot>>;  // hinge angle = q + offset
  { model.dof(i) } -> std::convertible_to<DofConstants<ParamOf<Robot>>>;
  model.for_each_hinge(f);
  model.for_each_not_hinge(f);
};

/// Where workspaces keep their arrays: on the heap, sized by the model (heap.hpp) ...
struct Heap;
/// ... or inside themselves, for a model of that shape: in registers or local memory of a device.
template <int bodies, int coordinates, int velocities>
struct FixedStorage {
  template <class Element>
  using PerBody = FixedArray<Element, bodies>;
  template <class Element>
  using PerCoordinate = FixedArray<Element, coordinates>;
  template <class Element>
  using PerVelocity = FixedArray<Element, velocities>;
};

/// Gives n elements to each array.
template <class... Arrays>
TORSOR_HD void allocate(int n, Arrays&... arrays) {
  const auto one = [n](auto& array) {
    if constexpr (requires { array.resize(n); })
      array.resize(n);
    else
      assert(array.size() == n);
  };
  (one(arrays), ...);
}

}  // namespace torsor::internal
