/// What a scenario file says, for readers of a report.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scenario/fingerprint.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {

namespace {

using internal::YamlNode;

/// As YAML writes it in one line.
std::string in_one_line(const YamlNode& node, bool outermost = true) {
  std::string out;
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "";
    case YamlNode::Kind::scalar:
      return one_line(node.text);
    case YamlNode::Kind::sequence:
      for (const YamlNode& item : node.items)
        out += (out.empty() ? "" : ", ") + in_one_line(item, false);
      return "[" + out + "]";
    case YamlNode::Kind::map:
      for (std::size_t k = 0; k < node.items.size(); ++k)
        out += (out.empty() ? "" : ", ") + one_line(node.keys[k]) + ": " +
               in_one_line(node.items[k], false);
      return outermost ? out : "{" + out + "}";
  }
  return out;
}

}  // namespace

namespace internal {

std::string file_with_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  return file.good() || (file.eof() && !file.bad() && !bytes.empty())
             ? one_line(path) + ", hash " + fingerprint(bytes)
             : one_line(path);
}

RunFact robot_file_fact(const std::string& name) {
  const bool built_in = is_builtin_robot(name) && !std::filesystem::exists(name);
  try {
    const std::string text = built_in ? builtin_robot_text(name) : read_text_file(name);
    return {"robot file",
            (built_in ? "built in" : one_line(name)) + std::string(", hash ") + fingerprint(text)};
  } catch (const Error&) {  // made by code, such as chain:6
    return {"robot file", one_line(name) + ", made by code"};
  }
}

std::string theory_of(const LawEntry& law) {
  const std::string header = law.header;
  return "docs/theory/" + header.substr(0, header.find('/')) + ".md#" + law.name;
}

}  // namespace internal

std::vector<RunFact> scenario_facts(std::string_view text, const std::string& file_name) {
  const YamlNode root = internal::parse_yaml(text, file_name);
  std::vector<RunFact> facts{
      {"scenario file", file_name + ", hash " + internal::fingerprint(text)}};
  for (std::size_t k = 0; k < root.keys.size(); ++k) {
    const std::string& key = root.keys[k];
    if (key == "scenario" || key == "title" || key == "output") continue;
    facts.push_back({one_line(key), in_one_line(root.items[k])});
    if (key == "robot")
      facts.push_back(internal::robot_file_fact(robot_of_scenario(root.items[k].text, file_name)));
  }
  const YamlNode* run = root.find("run");
  const auto missing = [&](const char* key) { return run == nullptr || run->find(key) == nullptr; };
  std::string rest;
  SimulateOptions options;
  if (!missing("period")) options.period = std::strtod(run->find("period")->text.c_str(), nullptr);
  if (missing("integrator")) rest = std::string("integrator ") + name_of(integrator_of(options));
  if (missing("period")) rest += std::string(rest.empty() ? "" : ", ") + "continuous control";
  if (root.find("start") == nullptr)
    rest += std::string(rest.empty() ? "" : ", ") + "start neutral, at rest";
  if (!rest.empty()) facts.push_back({"not said, so", rest});
  return facts;
}

}  // namespace torsor
