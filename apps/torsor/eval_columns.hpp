#pragma once
/// The door of `torsor eval` for millions of states: NumPy's files in, NumPy's files out.
#include <string>

#include "eval_block.hpp"

namespace torsor::command {

struct EvalFolders {
  std::string input, output, frame;  ///< no output: input/results; no frame: no key of it
  bool force = false;                ///< replace answers that are there
};

/// Reads q.npy, qd.npy, qdd.npy and tau.npy, writes KEY.npy of every key. Memory is that of a block.
/// Files are written beside their names and take them when all are whole: what is refused, interrupted
/// or does not fit the disk leaves none behind. Throws Error that names the file.
void evaluate_columns(const Model<double>& model, const EvalKeys& wanted,
                      const EvalFolders& folders, std::string& out);

}  // namespace torsor::command
