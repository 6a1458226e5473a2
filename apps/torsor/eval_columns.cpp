#include "eval_columns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>

#include "command.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "run_table.hpp"
#include "states.hpp"
#include "text_output.hpp"
#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/npy_writer.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> input_names = {"q", "qd", "qdd", "tau"};

/// One file of the input and the part of it that belongs to the block.
struct Input {
  std::string name;
  std::optional<NpyReader> file;
  int width;         // numbers of a state
  bool used = true;  // by the answers
  std::vector<double> block{};

  View<const double> read(int count) {
    if (!file || !used) return {};
    block.resize(static_cast<std::size_t>(count * width));
    file->read(block);
    return block;
  }
  std::string path() const { return one_line(file->path()); }
};

/// The four inputs, of which those are read that answers use. Throws Error where q is missing and where shapes are not those of the robot.
class Inputs {
 public:
  Inputs(const fs::path& folder, const Model<double>& model, const BlockEvaluation& evaluation)
      : model_(model) {
    if (!fs::is_directory(folder))
      throw Error(one_line(folder.string()) + ": is no folder with q.npy, qd.npy, ...");
    for (const std::string& name : input_names) {
      const fs::path path = folder / (name + ".npy");
      Input input{name, {}, name == "q" ? model.n_q() : model.n_v()};
      if (name == "q" || fs::exists(path)) input.file.emplace(path.string());
      inputs_.push_back(std::move(input));
    }
    count_ = inputs_[0].file->shape().empty() ? 0 : inputs_[0].file->shape()[0];
    for (Input& input : inputs_) {
      if (input.file) check_shape(input);
      input.used = evaluation.uses(input.name);
    }
    internal::for_each_quaternion(model, [&](int) { has_quaternions_ = true; });
    mention(folder);
  }
  std::int64_t count() const { return count_; }
  int width() const { return inputs_[0].width + 3 * inputs_[1].width; }
  bool holds(const fs::path& file) const {
    return std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& input) {
      return input.file && is_same_file(input.file->path(), file.string());
    });
  }

  /// The next states, checked: `first` is the number of the first.
  StateBlock read(std::int64_t first, int count) {
    StateBlock states{count, inputs_[0].read(count)};
    check_q(first, count);
    states.qd = inputs_[1].read(count);
    states.qdd = inputs_[2].read(count);
    states.tau = inputs_[3].read(count);
    for (std::size_t k = 1; k < inputs_.size(); ++k) check_velocities(inputs_[k], first, count);
    return states;
  }
  std::string place(std::size_t input, std::int64_t state) const {
    return inputs_[input].path() + "[" + std::to_string(state) + "]: ";
  }

 private:
  void check_shape(const Input& input) const {
    const std::vector<std::int64_t>& shape = input.file->shape();
    if (shape.size() != 2 || shape[1] != input.width)
      throw Error(input.path() + ": has the shape " + shape_text(shape) + "; " + input.name +
                  " of " + in_quotes(model_.name()) + " has (N, " + std::to_string(input.width) +
                  ")");
    if (shape[0] != count_)
      throw Error(input.path() + ": has " + std::to_string(shape[0]) + " states, q.npy has " +
                  std::to_string(count_));
  }
  /// Where all numbers are small and there are no quaternions, nothing can be wrong with them.
  void check_q(std::int64_t first, int count) {
    constexpr double surely_small = 1e14;
    std::vector<double>& q = inputs_[0].block;
    const auto small = [](double x) { return std::abs(x) < surely_small; };
    if (!has_quaternions_ && std::all_of(q.begin(), q.end(), small)) return;
    const int n = model_.n_q();
    for (int k = 0; k < count; ++k) try {
        check_configuration(model_, {q.data() + k * n, n});
      } catch (const Error& refused) {
        throw Error(place(0, first + k) + refused.what());
      }
  }
  void check_velocities(const Input& input, std::int64_t first, int count) const {
    const std::vector<double>& v = input.block;
    if (std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) return;
    for (int k = 0; k < count; ++k) try {
        check_velocity(model_, {v.data() + k * input.width, input.width}, input.name.c_str());
      } catch (const Error& refused) {
        throw Error(input.path() + "[" + std::to_string(first + k) + "]: " + refused.what());
      }
  }
  /// What is taken as zero and what is not read.
  void mention(const fs::path& folder) const {
    std::vector<std::string> missing, ignored;
    std::set<std::string> files;
    for (const Input& input : inputs_) {
      files.insert(input.name + ".npy");
      if (!input.file && input.used) missing.push_back(input.name + ".npy");
    }
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (const std::string name = entry.path().filename().string();
          name.ends_with(".npy") && !files.contains(name))
        ignored.push_back(name);
    std::sort(ignored.begin(), ignored.end());
    const std::string where = "torsor: " + one_line(folder.string());
    if (!missing.empty()) remark(where + ": has no " + listed(missing) + ": taken as zero");
    if (!ignored.empty()) remark(where + ": ignored: " + one_line(listed(ignored)));
  }

  const Model<double>& model_;
  std::vector<Input> inputs_;
  std::int64_t count_ = 0;
  bool has_quaternions_ = false;
};

/// A folder for the answers: made where there is none, and taken away again if it stays empty.
class OutputFolder {
 public:
  explicit OutputFolder(const fs::path& path) : path_(path) {
    std::error_code error;
    if (fs::is_directory(path)) return;
    made_ = fs::create_directory(path, error);
    if (!made_)
      throw Error(one_line(path.string()) +
                  ": cannot make this folder: " + (error ? error.message() : "it is a file"));
  }
  ~OutputFolder() {
    std::error_code not_empty;
    if (made_) fs::remove(path_, not_empty);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  fs::path path_;
  bool made_ = false;
};

/// One file for each column.
class Outputs {
 public:
  Outputs(const fs::path& folder, const std::vector<EvalColumn>& columns, std::int64_t count,
          const Inputs& inputs, bool force) {
    for (const EvalColumn& column : columns) {
      const fs::path path = folder / (column.key + ".npy");
      if (inputs.holds(path)) throw Error(one_line(path.string()) + ": is read; write elsewhere");
      refuse_to_overwrite(path.string(), force);
    }
    for (const EvalColumn& column : columns) {
      std::vector<std::int64_t> shape{count};
      shape.insert(shape.end(), column.shape.begin(), column.shape.end());
      files_.emplace_back((folder / (column.key + ".npy")).string(), shape);
    }
    unanswered_.resize(columns.size());
  }
  void write(const std::vector<EvalColumn>& columns) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      files_[c].write(columns[c].values);
      unanswered_[c] += std::count(columns[c].defined.begin(), columns[c].defined.end(), 0);
    }
  }
  void commit() {
    for (NpyWriter& file : files_) file.commit();
  }
  /// Files and shapes as a table, and remarks on states without an answer.
  std::string text(const std::vector<EvalColumn>& columns) const {
    Table table({{"file", Table::left}, {"shape", Table::left}});
    for (std::size_t c = 0; c < columns.size(); ++c) {
      table.add({one_line(files_[c].path()), shape_text(files_[c].shape())});
      if (unanswered_[c] > 0)
        remark("torsor: " + one_line(files_[c].path()) + ": " + std::to_string(unanswered_[c]) +
               " states have no answer (nan)");
    }
    return table.text();
  }

 private:
  std::deque<NpyWriter> files_;  // which do not move
  std::vector<std::int64_t> unanswered_;
};

/// States at a time whose numbers fit the cache of a core.
int block_size(const Inputs& inputs, const std::vector<EvalColumn>& columns) {
  constexpr int numbers_in_cache = 1 << 15, lanes = 8, most = 1024;
  int numbers = std::max(inputs.width(), 1);
  for (const EvalColumn& column : columns) numbers += column.size();
  return std::clamp(numbers_in_cache / numbers / lanes * lanes, lanes, most);
}

/// How far it is, ten times in a second.
class Progress {
 public:
  explicit Progress(std::int64_t all) : all_(all) {}
  ~Progress() { end_progress(); }
  void show(std::int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    progress(std::to_string(done) + " of " + std::to_string(all_) + " states",
             static_cast<double>(done) / static_cast<double>(all_));
  }

 private:
  std::int64_t all_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

const Frame* frame_of(const Model<double>& model, const EvalKeys& wanted, const std::string& name) {
  if (!name.empty()) return &model.frame(name);
  for (const char* key : {"T_frame", "J_body", "J_world_aligned", "Jdot_qd_body"})
    if (wanted.explicitly(key)) throw Error("--only " + std::string(key) + ": needs --frame NAME");
  return nullptr;
}

}  // namespace

void evaluate_columns(const Model<double>& model, const EvalKeys& wanted,
                      const EvalFolders& folders, std::string& out) {
  BlockEvaluation evaluate(model, wanted, frame_of(model, wanted, folders.frame));
  const std::vector<EvalColumn>& columns = evaluate.columns();
  Inputs inputs(folders.input, model, evaluate);
  const fs::path to =
      folders.output.empty() ? fs::path(folders.input) / "results" : fs::path(folders.output);
  const OutputFolder made(to);
  Outputs outputs(to, columns, inputs.count(), inputs, folders.force);
  const int at_once = block_size(inputs, columns);
  const Interrupt interrupt;
  Progress progress(inputs.count());
  int noted = 0;
  for (std::int64_t first = 0; first < inputs.count(); first += at_once) {
    const int count = static_cast<int>(std::min<std::int64_t>(at_once, inputs.count() - first));
    const StateBlock states = inputs.read(first, count);
    for (int k = 0; has_loops(model) && k < count; ++k)
      if (const std::string open = evaluate.open_loop(states, k); !open.empty())
        throw Error(inputs.place(0, first + k) + open);
    evaluate(states);
    for (int k = 0; k < count && noted == 0; ++k) {  // the first is told; lost_rank has all
      noted = evaluate.lost_rank(k);
      note_lost_rank(model, noted,
                     "qdd_fd of state " + std::to_string(first + k) +
                         " is one of infinitely many accelerations");
    }
    outputs.write(columns);
    if (interrupt.asked())
      throw Failure(one_line(folders.input) + ": interrupted after " +
                    std::to_string(first + count) + " states; no file is written");
    progress.show(first + count);
  }
  outputs.commit();
  out += bold(model.name()) + ": " + std::to_string(inputs.count()) + " states\n\n" +
         outputs.text(columns);
}

}  // namespace torsor::command
