#include "torsor/formats/load_robot.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "package_scope.hpp"
#include "torsor/formats/builtin_files.hpp"
#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

std::string_view stem(std::string_view file_name) {
  return file_name.substr(0, file_name.rfind('.'));
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

internal::RobotSource source_of(const builtin::File& file) {
  internal::RobotSource source{"built-in " + std::string(file.name), std::string(file.text)};
  source.format = robot_format_of(source.name, source.text);
  return source;
}
RobotDescription read_builtin(const builtin::File& file) {
  const internal::RobotSource source = source_of(file);
  return source.format->read(source.text, source.name, nullptr);
}

RobotDescription read_chain(const std::string& name) {
  const std::string_view digits = std::string_view(name).substr(6);
  int n = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (code != std::errc() || end != digits.data() + digits.size())
    throw Error(in_quotes(name) + ": write chain:N with a number of joints from 1 to 10000");
  return internal::chain_robot(n);
}

[[noreturn]] void refuse_name(const std::string& name, RobotFormats formats) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored))
    throw Error(one_line(name) + ": a robot's file name ends in " +
                robot_extensions(" or ", formats));
  std::vector<std::string> known{"chain:10"};
  for (const builtin::File& file : builtin::files()) known.emplace_back(stem(file.name));
  throw Error("unknown robot " + in_quotes(name) + did_you_mean(name, known) +
              " (`torsor robots` lists the built-in ones; a file name ends in " +
              robot_extensions(" or ", formats) + ")");
}

RobotDescription read_robot(const std::string& path_or_name, Findings* findings,
                            RobotFormats formats, const LoadOptions& options) {
  const internal::RobotSource source = internal::find_robot(path_or_name, formats, options);
  if (source.format == nullptr) return read_chain(path_or_name);
  return source.read(findings);
}

/// What an expansion has become, by its root element.
const RobotFormat& format_of_expansion(const std::string& text, RobotFormats formats) {
  const RobotFormat* robot = nullptr;
  for (const RobotFormat& format : formats) {
    const auto& ends = format.extensions;
    const bool xml = std::find(ends.begin(), ends.end(), ".xml") != ends.end() ||
                     std::find(ends.begin(), ends.end(), ".sdf") != ends.end();
    if (xml && format.recognises(text)) return format;
    if (std::string_view(format.name) == "urdf") robot = &format;
  }
  return robot != nullptr ? *robot : robot_format("urdf");
}

}  // namespace

RobotDescription internal::RobotSource::read(Findings* found) const {
  const PackageScope scope(package_folders);
  if (!expanded) return format->read(text, name, found);
  if (found != nullptr) found->insert(found->end(), findings.begin(), findings.end());
  return read_expanded(*expanded, found,
                       [&](const std::string& t, const std::string& file, Findings& own) {
                         return format->read(t, file, &own);
                       });
}
RobotDescription internal::RobotSource::examine(Findings& found) const {
  const PackageScope scope(package_folders);
  if (format->examine == nullptr) return read(&found);
  if (!expanded) return format->examine(text, name, found);
  found.insert(found.end(), findings.begin(), findings.end());
  return read_expanded(*expanded, &found,
                       [&](const std::string& t, const std::string& file, Findings& own) {
                         return format->examine(t, file, own);
                       });
}

internal::RobotSource internal::find_robot(const std::string& path_or_name, RobotFormats formats,
                                           const LoadOptions& options) {
  if (const std::size_t end = path_or_name.find(".xacro "); end != path_or_name.npos) {
    LoadOptions with = options;
    for (const std::string& word : split(path_or_name.substr(end + 7), ' '))
      if (!word.empty()) with.arguments.push_back(word);
    return find_robot(path_or_name.substr(0, end + 6), formats, with);
  }
  const auto refuse_arguments = [&] {
    if (!options.arguments.empty())
      throw Error(one_line(path_or_name) + ": takes no arguments, such as " +
                  in_quotes(options.arguments.front()) + "; xacro files do");
  };
  if (is_builtin_robot(path_or_name)) refuse_arguments();
  if (const builtin::File* file = find_builtin(path_or_name)) return source_of(*file);
  if (path_or_name.starts_with("chain:")) return {path_or_name, "", nullptr};
  if (robot_format_of_path(path_or_name, formats) == nullptr) refuse_name(path_or_name, formats);
  RobotSource source{path_or_name, read_regular_file(path_or_name)};
  source.package_folders = options.package_folders;
  source.format = robot_format_of(path_or_name, source.text, formats);
  if (std::string_view(source.format->name) == "xacro") {
    source.expanded = expanded_xacro(source.text, source.name, options, &source.findings);
    source.text = source.expanded->text;
    source.format = &format_of_expansion(source.text, formats);
  } else {
    refuse_arguments();
  }
  return source;
}

std::vector<BuiltinRobot> builtin_robots() {
  std::vector<BuiltinRobot> result;
  for (const builtin::File& file : builtin::files())
    result.push_back(
        {std::string(stem(file.name)), title_of(file.text), read_builtin(file).source});
  std::sort(result.begin(), result.end(),
            [](const BuiltinRobot& a, const BuiltinRobot& b) { return a.name < b.name; });
  result.push_back({"chain:N", "chain of N revolute joints, 1 to 10000, alternating axes",
                    internal::chain_robot(1).source});
  return result;
}

bool is_builtin_robot(const std::string& name) {
  return find_builtin(name) != nullptr || name.starts_with("chain:");
}

std::string builtin_robot_text(const std::string& name) {
  const builtin::File* file = find_builtin(name);
  if (file == nullptr) refuse_name(name, robot_formats());
  return std::string(file->text);
}

RobotDescription load_description(const std::string& path_or_name, Findings* findings,
                                  const CheckOptions& check, RobotFormats formats,
                                  const LoadOptions& options) {
  if (findings == nullptr) return read_robot(path_or_name, nullptr, formats, options);
  Findings of_reader;
  RobotDescription robot = read_robot(path_or_name, &of_reader, formats, options);
  *findings = internal::merged(of_reader, check_model(robot, check));
  return robot;
}

Model<double> load_robot(const std::string& path_or_name, Findings* findings,
                         const LoadOptions& options) {
  return Model<double>(load_description(path_or_name, findings,
                                        {.meshes = false, .package_folders = {}, .arguments = {}},
                                        robot_formats(), options));
}

}  // namespace torsor
