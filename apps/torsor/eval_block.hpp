#pragma once
/// What `torsor eval` computes, for a block of states at a time: names in, columns of numbers out.
///
///   BlockEvaluation evaluate(model, EvalKeys("tau,M"), nullptr);
///   evaluate(states);                      tau: count x n_v, M: count x n_v x n_v
///
/// All doors (JSON, .npy) go through this one function.
#include <string>
#include <vector>

#include "state_block.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/internal/state_derivatives.hpp"

namespace torsor::command {

/// The keys that are wanted: all, or those of "tau,M". Throws Error for an unknown one.
class EvalKeys {
 public:
  explicit EvalKeys(const std::string& only);
  /// Asked for by its name.
  bool explicitly(const std::string& key) const;
  bool operator()(const std::string& key) const { return all_ || explicitly(key); }

 private:
  bool all_;
  std::vector<std::string> names_;
};

/// The answers to one key.
struct EvalColumn {
  std::string key;
  std::vector<int> shape;  ///< of one state; empty: a number
  Array<double> values{};  ///< one state after the other, matrices by rows
  Array<char> defined{};   ///< per state; where it is 0 there is no answer, and values are NaN

  int size() const;  ///< numbers of one state
  View<double> of(int state) { return {values.data() + state * size(), size()}; }
  View<const double> of(int state) const { return {values.data() + state * size(), size()}; }
  MatrixView<double> matrix(int state) {
    return row_major(values.data() + state * size(), shape[0], shape[1]);
  }
};

class BlockEvaluation {
 public:
  /// `frame` may be nullptr: no key of a frame then. The model and the frame outlive it. Throws Error
  /// where rows of constraints are asked of a robot that has none.
  BlockEvaluation(const Model<double>& model, const EvalKeys& wanted, const Frame* frame);

  /// Fills the columns for these states: q checked, numbers finite, loops closed.
  void operator()(const StateBlock& states);
  const std::vector<EvalColumn>& columns() const { return columns_; }
  /// The rank that the loops lack at a state whose acceleration was asked for: where it is not 0,
  /// the acceleration is one of infinitely many.
  int lost_rank(int state) const { return lost_rank_[state]; }
  /// Whether some column depends on this one of "q", "qd", "qdd", "tau".
  bool uses(const std::string& input) const;

  /// What keeps a state from being asked: the loop that it, or its acceleration, opens. Empty: nothing.
  std::string open_loop(const StateBlock& states, int state);
  /// The answer of a state that has one and is too large for a double: "tau is too large ...". Empty: none.
  std::string too_large(int state) const;

 private:
  struct OneState {
    In<double> q, qd, qdd, tau;
    In<Wrench<double>> F_ext;
  };
  OneState state(const StateBlock& states, int k) const;
  EvalColumn* find(const char* key);
  /// Whether the verbs for many states at once answer what loops and external forces are part of.
  bool in_lanes(const StateBlock& states) const;
  StatesView<const double> configurations(const StateBlock& states) const;
  static StatesView<const double> view(const StateBlock& states, View<const double> numbers);
  static StatesView<double> view(const StateBlock& states, EvalColumn* column);
  static void leave_out_nan(const StateBlock& states, std::initializer_list<EvalColumn*> columns);
  void torques(const StateBlock& states);
  void matrices(const StateBlock& states);
  void accelerations(const StateBlock& states);
  void frame_keys(const StateBlock& states);
  void energies(const StateBlock& states);
  void torque_derivatives(const StateBlock& states);
  void acceleration_derivatives(const StateBlock& states);

  const Model<double>& model_;
  const Frame* frame_;
  std::vector<EvalColumn> columns_;
  Array<double> zero_, found_;
  Array<int> lost_rank_;
  Batch<double> batch_;
  DynamicsWorkspace<double> dynamics_;
  DynamicsDerivativesWorkspace derivatives_;
  internal::StateDerivativesWorkspace tree_derivatives_;
  Array<double> not_wanted_;  // a matrix that no column takes
  ConstrainedParameterDerivatives by_state_, by_state_and_torque_;
  std::vector<Parameter> along_;  // q, qd, tau
  MomentumWorkspace<double> momentum_;
  VelocityWorkspace<double> velocity_;
};

}  // namespace torsor::command
