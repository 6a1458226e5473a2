/// The sweep of a scenario file, and what a sweep is known by.
#include <algorithm>

#include "scenario/fingerprint.hpp"
#include "scenario/parts.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

namespace {

using internal::YamlElement;
using internal::YamlNode;
using internal::scenario::Section;

/// [least, largest], {uniform: [least, largest]} or {normal: [mean, deviation]}.
Distribution read_distribution(const YamlElement& element) {
  if (element.is_map()) {
    element.allow_keys({"uniform", "normal"});
    if (element.entries().size() != 1) element.fail("holds one of uniform, normal");
    if (element.has("normal")) {
      const YamlElement e = element.at("normal");
      const std::vector<double> x = e.numbers(2);
      if (!(x[1] >= 0)) e.fail("mean and standard deviation; the deviation cannot be negative");
      return Distribution::normal(x[0], x[1]);
    }
    return read_distribution(element.at("uniform"));
  }
  if (!element.is_sequence()) element.fail("takes [least, largest] or {normal: [mean, deviation]}");
  const std::vector<double> x = element.numbers(2);
  if (!(x[0] <= x[1]))
    element.fail("least " + format_number(x[0]) + " exceeds largest " + format_number(x[1]));
  return Distribution::uniform(x[0], x[1]);
}

/// Of a factor or a mass, which cannot be negative (zero: `zero`).
Distribution read_positive(const YamlElement& element, bool zero) {
  const Distribution d = read_distribution(element);
  const bool good = d.a > 0 || (zero && d.a == 0);
  if (!good)
    element.fail(std::string(d.kind == Distribution::Kind::normal ? "mean " : "least ") +
                 format_number(d.a) + (zero ? " is negative" : " is not positive"));
  return d;
}

UncertainPayload read_payload(const YamlElement& element, const Model<double>& model) {
  const Section s(element, "payload");
  UncertainPayload p;
  p.link = internal::scenario::read_link(s.at("link"), model);
  p.mass = read_positive(s.at("mass"), true);
  s.read("com", p.com);
  s.read("radius", p.radius);
  return p;
}

void read_uncertainties(const YamlElement& element, const Scenario& s, SweepPlan& plan) {
  const Section section(element, "uncertainties");
  const auto factor = [&](const char* key, std::optional<Distribution>& d, bool zero) {
    if (section.has(key)) d = read_positive(section.at(key), zero);
  };
  factor("parameter_factor", plan.parameter_factor, false);
  factor("link_factor", plan.link_factor, false);
  factor("inertial_factor", plan.inertial_factor, false);
  factor("friction_factor", plan.friction_factor, true);
  if (section.has("payload"))
    plan.payloads.push_back(read_payload(section.at("payload"), s.plant_model));
  section.if_there("payloads", [&](const YamlElement& list) {
    for (const YamlElement& e : list.items("payload"))
      plan.payloads.push_back(read_payload(e, s.plant_model));
  });
  if (section.has("start_q")) plan.start_q = read_distribution(section.at("start_q"));
  if (section.has("start_qd")) plan.start_qd = read_distribution(section.at("start_qd"));
  section.read("noise", plan.noise);
  if (!section.has("gains")) return;
  const YamlElement gains = section.at("gains");
  if (!gains.is_map()) gains.fail("is no map of names and factors");
  const std::vector<YamlElement> entries = gains.entries();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    plan.gains.push_back({gains.node().keys[k], read_positive(entries[k], false)});
    try {
      LawParameters(s.parameters).scale(plan.gains.back().name, 1);
    } catch (const Error& error) {
      gains.fail(error.what());
    }
  }
}

/// The tree in one spelling: keys in order, numbers in their shortest form.
void append_canonical(const YamlNode& node, std::string& out) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      out += "~";
      break;
    case YamlNode::Kind::scalar: {
      const std::optional<double> x = parse_number(node.text);
      out += x ? format_number(*x) : node.text;
      break;
    }
    case YamlNode::Kind::sequence:
      out += "[";
      for (const YamlNode& item : node.items) append_canonical(item, out), out += ",";
      out += "]";
      break;
    case YamlNode::Kind::map: {
      std::vector<std::size_t> order;
      for (std::size_t k = 0; k < node.keys.size(); ++k) order.push_back(k);
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return node.keys[a] < node.keys[b]; });
      out += "{";
      for (const std::size_t k : order) {
        out += node.keys[k] + ":";
        append_canonical(node.items[k], out);
        out += ",";
      }
      out += "}";
    }
  }
}

void remove_key(YamlNode& map, std::string_view key) {
  const auto at = std::find(map.keys.begin(), map.keys.end(), key);
  if (at == map.keys.end()) return;
  map.items.erase(map.items.begin() + (at - map.keys.begin()));
  map.keys.erase(at);
}

}  // namespace

SweepPlan internal::scenario::read_sweep(const YamlElement& element, const Scenario& so_far) {
  const Section section(element, "sweep");
  SweepPlan plan;
  if (section.has("samples")) plan.samples = static_cast<long>(section.whole("samples"));
  if (section.has("seed")) plan.seed = static_cast<std::uint64_t>(section.whole("seed"));
  read_uncertainties(section.at("uncertainties"), so_far, plan);
  if (plan.empty()) section.at("uncertainties").fail("holds nothing that varies");
  return plan;
}

std::string scenario_fingerprint(std::string_view text, const std::string& file_name,
                                 const std::vector<std::string>& package_folders) {
  YamlNode root = internal::parse_yaml(text, file_name);
  for (const char* key : {"scenario", "title", "output"}) remove_key(root, key);
  for (std::size_t k = 0; k < root.keys.size(); ++k)
    if (root.keys[k] == "sweep") remove_key(root.items[k], "samples");
  std::string all;
  append_canonical(root, all);
  const auto append_robot = [&](const YamlNode* of) {
    const YamlNode* const robot = of != nullptr ? of->find("robot") : nullptr;
    if (robot == nullptr) return;
    const std::string name = robot_of_scenario(robot->text, file_name);
    const LoadOptions files{.package_folders = package_folders};
    all += write_robot_file(load_robot(name, nullptr, files).description());
  };
  append_robot(&root);
  const YamlNode* const controller = root.find("controller");
  append_robot(controller != nullptr ? controller->find("believes") : nullptr);
  return internal::fingerprint(all);
}

}  // namespace torsor
