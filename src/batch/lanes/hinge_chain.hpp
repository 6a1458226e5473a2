#pragma once
/// A serial chain of revolute joints as the sweeps see it: what Model reads from memory for every body,
/// the compiler knows. Most arms are one; with packs a sweep then keeps in registers what it would
/// otherwise hand from body to body through memory. `with_rotors`: whether those of the model count.
#include "lane_memory.hpp"
#include "torsor/model/internal/sweep.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

template <class Param, bool with_rotors, int N = 0>
class HingeChain {
 public:
  explicit HingeChain(const Model<Param>& model)
      : bodies_(model.canonical().bodies.data()),
        offsets_(model.offsets()),
        model_(model),
        n_(model.n_v()) {}

  int n_bodies() const { return n_v() + 1; }
  int n_q() const { return n_v(); }
  int n_v() const { return N > 0 ? N : n_; }
  static constexpr int parent(int i) { return i - 1; }
  static constexpr int first_q(int i) { return i - 1; }
  static constexpr int first_v(int i) { return i - 1; }
  static constexpr int n_v(int) { return 1; }
  static constexpr bool branching(int) { return false; }
  static constexpr JointClass joint_class(int) { return JointClass::hinge; }
  const CanonicalBody<Param>& canonical(int i) const { return bodies_[i]; }
  const SO3<Param>& link_axes(int i) const { return model_.link_axes(i); }
  const Param& offset(int k) const { return offsets_[k]; }
  const DofConstants<Param>& dof(int k) const { return model_.dof(k); }
  const Vec3<Param>& gravity() const { return model_.gravity(); }
  template <class Function>
  TORSOR_INLINE void for_each_hinge(Function&& f) const {
    for (int k = 0; k < n_; ++k) f(k);
  }
  template <class Function>
  TORSOR_INLINE void for_each_not_hinge(Function&&) const {}

 private:
  const CanonicalBody<Param>* bodies_;
  const Param* offsets_;
  const Model<Param>& model_;
  int n_;
};

/// Sines and cosines of all joints.
template <class Chain, class Param, class Real>
TORSOR_INLINE void prepare(const Chain& chain, JointStates<Real>& joints, LaneIn<Param> q) {
  for (int k = 0; k < chain.n_v(); ++k) {
    const SinCos<Real> sc = sincos(Real(q[k] + chain.offset(k)));
    joints.sin[k] = sc.sin;
    joints.cos[k] = sc.cos;
  }
}

/// As for any robot (sweep.hpp), without a choice: nothing but hinges is compiled.
template <class Param, bool with_rotors, int N, class Real, class Storage, class Function>
TORSOR_INLINE void visit(const HingeChain<Param, with_rotors, N>& model,
                         const JointStates<Real, Storage>& joints, int i, Function&& f) {
  f(Hinge<Param, Real>(model.canonical(i), joints.cos[i - 1], joints.sin[i - 1]));
}

}  // namespace torsor::internal
