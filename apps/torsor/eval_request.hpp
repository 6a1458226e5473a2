#pragma once
/// The input of `torsor eval`: states as JSON, checked against the robot.
#include <string>
#include <vector>

#include "states.hpp"
#include "torsor/math/spatial.hpp"

namespace torsor::command {

struct EvalState {
  State state;
  std::vector<Wrench<double>> F_ext;  ///< per body, in its link frame; empty: the request's
};
struct EvalRequest {
  std::string frame;  ///< empty: none
  std::vector<EvalState> states;
  std::vector<Wrench<double>> F_ext;  ///< of states that have none of their own; empty: none
};

/// `path`, or standard input for "-". Throws Error with the file, the state and the key at fault.
EvalRequest read_eval_request(const std::string& path, const Model<double>& model);
EvalRequest parse_eval_request(const std::string& text, const std::string& file,
                               const Model<double>& model);

}  // namespace torsor::command
