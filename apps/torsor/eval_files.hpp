#pragma once
/// The files of `torsor eval --columns`: states in, a file for each answer out.
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval_block.hpp"
#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/npy_writer.hpp"

namespace torsor::command {

/// q.npy, qd.npy, qdd.npy and tau.npy, of which those are read that answers use; one thread's.
class EvalInputs {
 public:
  /// Throws Error where q is missing and where shapes are not those of the robot.
  EvalInputs(const std::filesystem::path& folder, const Model<double>& model,
             const BlockEvaluation& evaluation);

  std::int64_t count() const { return count_; }  ///< of states
  int width() const;                             ///< numbers of a state
  bool holds(const std::filesystem::path& file) const;
  /// Names and shapes, a line each.
  std::string shapes() const;
  /// States from number `first` on, checked. Throws Error that names the file and the state.
  StateBlock read(std::int64_t first, int count);
  /// "states/q.npy[12]: "
  std::string place(std::size_t input, std::int64_t state) const;
  /// Says on standard error what is taken as zero and what is not read.
  void mention(const std::filesystem::path& folder) const;

 private:
  /// One file and the part of it that belongs to the block.
  struct Input {
    std::string name;
    std::optional<NpyReader> file;
    int width;         // numbers of a state
    bool used = true;  // by the answers
    std::vector<double> block{};

    View<const double> read(std::int64_t first, int count);
  };
  void check_shape(const Input& input) const;
  void check_q(std::int64_t first, int count);
  void check_velocities(const Input& input, std::size_t index, std::int64_t first, int count) const;

  const Model<double>& model_;
  std::vector<Input> inputs_;
  std::int64_t count_ = 0;
  bool has_quaternions_ = false;
};

/// A folder for the answers: made where there is none, and taken away again if it stays empty.
class EvalOutputFolder {
 public:
  explicit EvalOutputFolder(const std::filesystem::path& path);
  ~EvalOutputFolder();
  EvalOutputFolder(const EvalOutputFolder&) = delete;
  EvalOutputFolder& operator=(const EvalOutputFolder&) = delete;

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

/// The shape of a column's file.
std::vector<std::int64_t> file_shape(const EvalColumn& column, std::int64_t count);

/// One file for each column. They take their names with commit, all of them, when every number is there.
class EvalOutputs {
 public:
  /// Throws Error for a file that is read and for one that exists, unless forced.
  EvalOutputs(const std::filesystem::path& folder, const std::vector<EvalColumn>& columns,
              std::int64_t count, const EvalInputs& inputs, bool force);

  NpyWriter& operator[](std::size_t column) { return files_[column]; }
  /// Where the files are written, in their order.
  std::vector<std::string> parts() const;
  void commit();
  /// Files and shapes as a table, and remarks on states without an answer.
  std::string text(const std::vector<std::int64_t>& unanswered) const;

 private:
  std::deque<NpyWriter> files_;  // which do not move
};

}  // namespace torsor::command
