#include "torsor/formats/load_robot.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "torsor/formats/builtin_files.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"

namespace torsor {
namespace {

constexpr std::string_view extensions = ".urdf, .xml, .yaml or .yml";

std::string_view stem(std::string_view file_name) {
  return file_name.substr(0, file_name.rfind('.'));
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return extension;
}

/// The text of the first line, which is a comment in every built-in file.
std::string title_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t begin = line.find_first_not_of("# ");
  return begin == std::string_view::npos ? std::string() : std::string(line.substr(begin));
}

const builtin::File* find_builtin(const std::string& name) {
  for (const builtin::File& file : builtin::files())
    if (stem(file.name) == name) return &file;
  return nullptr;
}

RobotDescription read_builtin(const builtin::File& file) {
  const std::string name = "built-in " + std::string(file.name);
  if (file.name.ends_with(".urdf")) return read_urdf(std::string(file.text), name);
  return read_robot_file(file.text, name);
}

RobotDescription read_chain(const std::string& name) {
  const std::string_view digits = std::string_view(name).substr(6);
  int n = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (code != std::errc() || end != digits.data() + digits.size())
    throw Error(in_quotes(name) + ": write chain:N with a number of joints from 1 to 10000");
  return chain_robot(n);
}

[[noreturn]] void refuse_name(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored))
    throw Error(one_line(name) + ": a robot's file name ends in " + std::string(extensions));
  std::vector<std::string> known{"chain:10"};
  for (const builtin::File& file : builtin::files()) known.emplace_back(stem(file.name));
  throw Error("unknown robot " + in_quotes(name) + did_you_mean(name, known) +
              " (`torsor robots` lists the built-in ones; a file name ends in " +
              std::string(extensions) + ")");
}

}  // namespace

std::vector<BuiltinRobot> builtin_robots() {
  std::vector<BuiltinRobot> result;
  for (const builtin::File& file : builtin::files())
    result.push_back(
        {std::string(stem(file.name)), title_of(file.text), read_builtin(file).source});
  std::sort(result.begin(), result.end(),
            [](const BuiltinRobot& a, const BuiltinRobot& b) { return a.name < b.name; });
  result.push_back({"chain:N", "chain of N revolute joints, 1 to 10000, alternating axes",
                    chain_robot(1).source});
  return result;
}

std::string builtin_robot_text(const std::string& name) {
  const builtin::File* file = find_builtin(name);
  if (file == nullptr) refuse_name(name);
  return std::string(file->text);
}

RobotDescription load_description(const std::string& path_or_name) {
  if (const builtin::File* file = find_builtin(path_or_name)) return read_builtin(*file);
  if (path_or_name.starts_with("chain:")) return read_chain(path_or_name);
  const std::string extension = lower_extension(path_or_name);
  if (extension == ".yaml" || extension == ".yml") return load_robot_file_description(path_or_name);
  if (extension == ".urdf" || extension == ".xml") return load_urdf_description(path_or_name);
  if (extension == ".xacro") {
    const std::string name = one_line(path_or_name), base(stem(name));
    const std::string urdf = base.ends_with(".urdf") ? base : base + ".urdf";
    throw Error(name + ": xacro macros must be expanded first; run: xacro " + name + " > " + urdf);
  }
  refuse_name(path_or_name);
}

Model<double> load_robot(const std::string& path_or_name) {
  return Model<double>(load_description(path_or_name));
}

}  // namespace torsor
