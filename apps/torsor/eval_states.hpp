#pragma once
/// The states that `torsor eval` is asked about, some at a time, from JSON or CSV.
#include <string>
#include <vector>

#include "eval_request.hpp"
#include "torsor/formats/state_reader.hpp"

namespace torsor::command {

class EvalStates {
 public:
  virtual ~EvalStates() = default;
  /// Not more than `count` states, valid until the next call; none at the end.
  virtual StateBlock next(int count) = 0;
  /// For messages, of state `k` of the last block: "states[3]" or "run.csv:5".
  virtual std::string place(int k) const = 0;
};

/// Of a request that is read.
class RequestedStates : public EvalStates {
 public:
  /// Both outlive it.
  RequestedStates(const EvalRequest& request, const Model<double>& model)
      : request_(request), model_(model) {}

  StateBlock next(int count) override;
  std::string place(int k) const override;

 private:
  const EvalRequest& request_;
  const Model<double>& model_;
  int begin_ = 0, end_ = 0;  // of the last block
  std::vector<View<const Wrench<double>>> F_ext_;
};

/// Of a table as simulations and other verbs write it: memory for a block, however long it is.
class TableStates : public EvalStates {
 public:
  /// Throws Error as StateReader does; says which columns are ignored and which inputs are missing.
  /// The model outlives it.
  TableStates(const std::string& path, const Model<double>& model);

  StateBlock next(int count) override;
  std::string place(int k) const override;

 private:
  std::string file_;
  StateReader rows_;
  std::vector<double> q_, qd_, qdd_, tau_;
  std::vector<int> lines_;
};

}  // namespace torsor::command
