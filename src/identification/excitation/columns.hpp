#pragma once
/// The columns W of the unknowns at the samples of a motion, and the derivative of <A, W> by the motion.
///
///   W     rows: joint by joint of sample 0, then of 1, ...; each divided by its torque's noise
///   bodies    Y_jc = <S_j, wrench c of body i>               identification/regressor.hpp
///   joints    qdd (rotor), qd, sign(qd), 1
///   motors    n times the same of n . qd and n . qdd           n: its ratios
///
/// For fixed A, <A, Y> = sum over j and i of <S_j, sum_c A_jc wrench_c(i)>: one number a sample, so that
/// its derivatives by q, qd and qdd come from dual numbers with the samples in the lanes of registers.
///
/// Signs    sign(v) = tanh(v / width); width 0: exact, with the derivative zero.
/// Cost     O(n d) a sample for W, 3 n / 6 times that in dual numbers of six directions for the derivative.
#include "excitation/loop_motion.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/math/dual.hpp"

namespace torsor::internal {

using Lanes = Pack<double, native_lanes<double>>;
inline constexpr int directions = 6;
using DualLanes = Dual<Lanes, directions>;

enum class JointColumn : unsigned char { rotor, viscous, coulomb, offset };

/// Which columns there are.
struct ExcitationUnknowns {
  struct OfJoint {
    JointColumn column;
    int velocity;    ///< -1: of a motor
    int motor = -1;  ///< of Model::motors: one that several joints turn
  };
  std::vector<std::string> names{};
  Array<int> bodies{};         ///< columns of the torque regressor, first
  Array<OfJoint> joints{};     ///< then
  Array<double> weight{};      ///< 1 / noise, by velocity; with loops 1
  Array<double> row_weight{};  ///< with loops: 1 / noise of the driven joints
  /// Left out because no motion tells them from others: the offset of a vertical slide from its weight.
  std::vector<std::string> dependent{};

  /// Of robots with loops: rows of the driven joints, G^T of all.
  ExcitationUnknowns(const Model<double>& model, const ExcitationOptions& options,
                     LoopMotion& loops);
  int size() const { return bodies.size() + joints.size(); }

 private:
  void choose(const Model<double>& model, const ExcitationOptions& options, bool loops);
  void leave_out(const Array<int>& columns);
};

class ExcitationColumns {
 public:
  /// Both outlive this; `width` by velocity, then by motor.
  ExcitationColumns(const Model<double>& model, const ExcitationUnknowns& unknowns,
                    Array<double> width);

  /// samples n_v x unknowns, of the tree.
  void fill(const MotionSamples& motion, Matrix& W);
  /// bar += d <A, W> / d (q, qd, qdd).
  void add_gradient(const MotionSamples& motion, const Matrix& A, MotionSamples& bar);

 private:
  struct PathVelocity {
    int body, velocity, first, count;  // those columns of the body, as seen by the velocity
  };
  DualLanes contracted(const Lanes* A);
  double value(JointColumn column, double width, double v, double vdot) const;

  const Model<double>* model_;
  const ExcitationUnknowns* unknowns_;
  Array<double> width_;
  RegressorWorkspace<double> values_;
  RegressorWorkspace<DualLanes> duals_;
  Array<Lanes> q_, qd_, qdd_, A_;
  Array<DualLanes> q_dual_, qd_dual_, qdd_dual_;
  Array<PathVelocity> paths_;
};

/// Rows of the driven joints: G^T W of each sample, times their weights.
void project_columns(const Matrix& W, const LoopMotion::Ratios& G, In<double> weight, Matrix& out);
/// Slopes by the rows of the tree and by G, of those by the projected rows.
void unproject_columns(const Matrix& A, const Matrix& W, const LoopMotion::Ratios& G,
                       In<double> weight, Matrix& A_tree, LoopMotion::Ratios& bar_G);

}  // namespace torsor::internal
