#pragma once
/// The input of `torsor eval`: states as JSON, checked against the robot.
#include <map>
#include <string>
#include <vector>

#include "state_block.hpp"
#include "torsor/model/model.hpp"

namespace torsor::command {

struct EvalRequest {
  std::string frame;  ///< empty: none
  int count = 0;      ///< of states
  /// One state after the other; empty where no state has any (but q).
  std::vector<double> q, qd, qdd, tau;
  std::vector<Wrench<double>> F_ext;  ///< of states without their own; empty: none
  std::map<int, std::vector<Wrench<double>>> own_F_ext{};  ///< of states that have some
};

/// `path`, or standard input for "-". Throws Error with the file, the state and the key at fault.
EvalRequest read_eval_request(const std::string& path, const Model<double>& model);
EvalRequest parse_eval_request(const std::string& text, const std::string& file,
                               const Model<double>& model);

}  // namespace torsor::command
