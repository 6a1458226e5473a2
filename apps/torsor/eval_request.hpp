#pragma once
/// The input of `torsor eval`: states as JSON, checked against the robot.
#include <string>
#include <vector>

#include "states.hpp"
#include "torsor/math/spatial.hpp"

namespace torsor::command {

struct EvalState {
  State state;
  std::vector<Wrench<double>> F_ext;  ///< per body, in its link frame; empty: none
};
struct EvalRequest {
  std::string frame;  ///< empty: none
  std::vector<EvalState> states;
};

/// `path`, or standard input for "-". Throws Error with the file, the state and the key at fault.
EvalRequest read_eval_request(const std::string& path, const Model<double>& model);

}  // namespace torsor::command
