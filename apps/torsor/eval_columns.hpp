#pragma once
/// The door of `torsor eval` for millions of states: NumPy's files in, NumPy's files out.
#include <functional>
#include <string>

#include "eval_block.hpp"

namespace torsor::command {

struct EvalFolders {
  std::string input, output, frame;  ///< no output: input/results; no frame: no key of it
  bool force = false;                ///< replace answers that are there
  int threads = 0;                   ///< 0: all cores
};

/// Reads q.npy, qd.npy, qdd.npy and tau.npy, writes KEY.npy of every key, by the threads of this process or
/// of all ranks. Memory is that of a block for each. Files are written beside their names and take
/// them when all are whole: what is refused, interrupted or does not fit the disk leaves none behind.
/// Throws Error that names the file. Returns the exit code.
int evaluate_columns(const std::function<Model<double>()>& load, const std::string& only,
                     const EvalFolders& folders, std::string& out);

}  // namespace torsor::command
