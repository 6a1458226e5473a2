#pragma once
/// The doors of the verbs: asserts in debug builds that vectors, matrices and workspaces have the sizes
/// of the model. With NDEBUG nothing is left of them.
#include <cassert>

#include "torsor/math/view.hpp"
#include "torsor/model/internal/sweep_model.hpp"

namespace torsor::internal {

template <class Real, class Storage>
struct JointStates;

/// q has n_q numbers; qd, qdd, tau and the like have n_v.
template <class Robot, class Element, class... Elements>
TORSOR_HD TORSOR_INLINE void assert_state([[maybe_unused]] const Robot& model,
                                          [[maybe_unused]] const View<Element>& q,
                                          [[maybe_unused]] const View<Elements>&... v) {
  assert(q.size == model.n_q() && "q has the size of another model");
  assert(((v.size == model.n_v()) && ...) &&
         "a vector of velocities has the size of another model");
}
/// One wrench for each body, the world included, or none at all.
template <class Robot, class Element>
TORSOR_HD TORSOR_INLINE void assert_wrenches([[maybe_unused]] const Robot& model,
                                             [[maybe_unused]] const View<Element>& F_ext) {
  assert((F_ext.empty() || F_ext.size == model.n_bodies()) && "one wrench for each body, or none");
}
template <class Element>
TORSOR_HD TORSOR_INLINE void assert_matrix([[maybe_unused]] const MatrixView<Element>& M,
                                           [[maybe_unused]] int rows, [[maybe_unused]] int cols) {
  assert(M.rows == rows && M.cols == cols && "a matrix has other rows or columns");
}

/// q has one number for each row of a DH table; qd, qdd, tau and the like too, where they are given.
template <class Table, class Element, class... Elements>
TORSOR_INLINE void assert_rows([[maybe_unused]] const Table& table,
                               [[maybe_unused]] const View<Element>& q,
                               [[maybe_unused]] const View<Elements>&... v) {
  assert(q.size == static_cast<int>(table.rows.size()) && "q has the size of another table");
  assert(((v.empty() || v.size == q.size) && ...) && "a vector has the size of another table");
}

/// The workspace was made for a model of this shape; told by its joints, or by an array with one
/// element for each body and one with one for each coordinate.
template <class Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void assert_workspace(
    [[maybe_unused]] const Robot& model,
    [[maybe_unused]] const JointStates<Real, Storage>& joints) {
  assert(static_cast<int>(joints.p.size()) == model.n_bodies() &&
         static_cast<int>(joints.sin.size()) == model.n_q() &&
         static_cast<int>(joints.S.size()) == model.n_v() &&
         "the workspace was made for another model");
}
template <class Robot, class PerBody, class PerCoordinate>
TORSOR_HD TORSOR_INLINE void assert_workspace([[maybe_unused]] const Robot& model,
                                              [[maybe_unused]] const PerBody& bodies,
                                              [[maybe_unused]] const PerCoordinate& coordinates) {
  assert(static_cast<int>(bodies.size()) == model.n_bodies() &&
         static_cast<int>(coordinates.size()) == model.n_q() &&
         "the workspace was made for another model");
}

}  // namespace torsor::internal
