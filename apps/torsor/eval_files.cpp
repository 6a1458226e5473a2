#include "eval_files.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "output_file.hpp"
#include "print.hpp"
#include "states.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {

namespace fs = std::filesystem;

View<const double> EvalInputs::Input::read(std::int64_t first, int count) {
  if (!file || !used) return {};
  block.resize(static_cast<std::size_t>(count * width));
  file->seek(first * width);
  file->read(block);
  return block;
}

EvalInputs::EvalInputs(const fs::path& folder, const Model<double>& model,
                       const BlockEvaluation& evaluation)
    : model_(model) {
  if (!fs::is_directory(folder))
    throw Error(one_line(folder.string()) + ": is no folder with q.npy, qd.npy, ...");
  for (const char* name : {"q", "qd", "qdd", "tau"}) {
    const fs::path path = folder / (std::string(name) + ".npy");
    Input input{name, {}, inputs_.empty() ? model.n_q() : model.n_v()};
    if (inputs_.empty() || fs::exists(path)) input.file.emplace(path.string());
    inputs_.push_back(std::move(input));
  }
  count_ = inputs_[0].file->shape().empty() ? 0 : inputs_[0].file->shape()[0];
  for (Input& input : inputs_) {
    if (input.file) check_shape(input);
    input.used = evaluation.uses(input.name);
  }
  internal::for_each_quaternion(model, [&](int) { has_quaternions_ = true; });
}

int EvalInputs::width() const { return inputs_[0].width + 3 * inputs_[1].width; }

bool EvalInputs::holds(const fs::path& file) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& input) {
    return input.file && is_same_file(input.file->path(), file.string());
  });
}

std::string EvalInputs::shapes() const {
  std::string text;
  for (const Input& input : inputs_)
    if (input.file) text += input.name + " " + shape_text(input.file->shape()) + "\n";
  return text;
}

StateBlock EvalInputs::read(std::int64_t first, int count) {
  StateBlock states{count, inputs_[0].read(first, count)};
  check_q(first, count);
  states.qd = inputs_[1].read(first, count);
  states.qdd = inputs_[2].read(first, count);
  states.tau = inputs_[3].read(first, count);
  for (std::size_t k = 1; k < inputs_.size(); ++k) check_velocities(inputs_[k], k, first, count);
  return states;
}

std::string EvalInputs::place(std::size_t input, std::int64_t state) const {
  return one_line(inputs_[input].file->path()) + "[" + std::to_string(state) + "]: ";
}

void EvalInputs::check_shape(const Input& input) const {
  const std::string path = one_line(input.file->path());
  const std::vector<std::int64_t>& shape = input.file->shape();
  if (shape.size() != 2 || shape[1] != input.width)
    throw Error(path + ": has the shape " + shape_text(shape) + "; " + input.name + " of " +
                in_quotes(model_.name()) + " has (N, " + std::to_string(input.width) + ")");
  if (shape[0] != count_)
    throw Error(path + ": has " + std::to_string(shape[0]) + " states, q.npy has " +
                std::to_string(count_));
}

/// Where all numbers are small and there are no quaternions, nothing can be wrong with them.
void EvalInputs::check_q(std::int64_t first, int count) {
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

void EvalInputs::check_velocities(const Input& input, std::size_t index, std::int64_t first,
                                  int count) const {
  const std::vector<double>& v = input.block;
  if (std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) return;
  for (int k = 0; k < count; ++k) try {
      check_velocity(model_, {v.data() + k * input.width, input.width}, input.name.c_str());
    } catch (const Error& refused) {
      throw Error(place(index, first + k) + refused.what());
    }
}

void EvalInputs::mention(const fs::path& folder) const {
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

EvalOutputFolder::EvalOutputFolder(const fs::path& path) : path_(path) {
  std::error_code error;
  if (fs::is_directory(path)) return;
  made_ = fs::create_directory(path, error);
  if (!made_)
    throw Error(one_line(path.string()) +
                ": cannot make this folder: " + (error ? error.message() : "it is a file"));
}
EvalOutputFolder::~EvalOutputFolder() {
  std::error_code not_empty;
  if (made_) fs::remove(path_, not_empty);
}

std::vector<std::int64_t> file_shape(const EvalColumn& column, std::int64_t count) {
  std::vector<std::int64_t> shape{count};
  shape.insert(shape.end(), column.shape.begin(), column.shape.end());
  return shape;
}

EvalOutputs::EvalOutputs(const fs::path& folder, const std::vector<EvalColumn>& columns,
                         std::int64_t count, const EvalInputs& inputs, bool force) {
  for (const EvalColumn& column : columns) {
    const fs::path path = folder / (column.key + ".npy");
    if (inputs.holds(path)) throw Error(one_line(path.string()) + ": is read; write elsewhere");
    refuse_to_overwrite(path.string(), force);
  }
  for (const EvalColumn& column : columns)
    files_.emplace_back((folder / (column.key + ".npy")).string(), file_shape(column, count));
}

std::vector<std::string> EvalOutputs::parts() const {
  std::vector<std::string> names;
  for (const NpyWriter& file : files_) names.push_back(file.part());
  return names;
}

void EvalOutputs::commit() {
  for (NpyWriter& file : files_) file.commit();
}

std::string EvalOutputs::text(const std::vector<std::int64_t>& unanswered) const {
  Table table({{"file", Table::left}, {"shape", Table::left}});
  for (std::size_t c = 0; c < files_.size(); ++c) {
    table.add({one_line(files_[c].path()), shape_text(files_[c].shape())});
    if (unanswered[c] > 0)
      remark("torsor: " + one_line(files_[c].path()) + ": " + std::to_string(unanswered[c]) +
             " states have no answer (nan)");
  }
  return table.text();
}

}  // namespace torsor::command
