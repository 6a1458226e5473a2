#include "scenario/sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

namespace {

using internal::YamlElement;
using internal::YamlNode;

double whole(const YamlElement& element, double least, double largest) {
  const double x = element.number();
  if (!(x >= least && x <= largest) || x != static_cast<double>(static_cast<long long>(x)))
    element.fail("must be a whole number from " + format_number(least) + " to " +
                 format_number(largest));
  return x;
}

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
  element.allow_keys({"link", "mass", "com", "radius"});
  UncertainPayload p;
  p.link = element.at("link").text();
  if (!model.has_frame(p.link)) element.at("link").fail("no link " + in_quotes(p.link));
  p.mass = read_positive(element.at("mass"), true);
  if (element.has("com")) p.com = element.at("com").vec3();
  if (element.has("radius")) p.radius = element.at("radius").number();
  if (!(p.radius >= 0)) element.at("radius").fail("cannot be negative");
  return p;
}

void read_uncertainties(const YamlElement& element, const Scenario& s, SweepPlan& plan) {
  element.allow_keys({"parameter_factor", "link_factor", "inertial_factor", "friction_factor",
                      "payload", "payloads", "start_q", "start_qd", "noise", "gains"});
  const auto factor = [&](const char* key, std::optional<Distribution>& d) {
    if (element.has(key)) d = read_positive(element.at(key), false);
  };
  factor("parameter_factor", plan.parameter_factor);
  factor("link_factor", plan.link_factor);
  factor("inertial_factor", plan.inertial_factor);
  if (element.has("friction_factor"))
    plan.friction_factor = read_positive(element.at("friction_factor"), true);
  if (element.has("payload"))
    plan.payloads.push_back(read_payload(element.at("payload"), s.plant_model));
  if (element.has("payloads"))
    for (const YamlElement& e : element.at("payloads").items("payload"))
      plan.payloads.push_back(read_payload(e, s.plant_model));
  if (element.has("start_q")) plan.start_q = read_distribution(element.at("start_q"));
  if (element.has("start_qd")) plan.start_qd = read_distribution(element.at("start_qd"));
  if (element.has("noise")) plan.noise = element.at("noise").boolean();
  if (!element.has("gains")) return;
  const YamlElement gains = element.at("gains");
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

SweepPlan internal::scenario::read_sweep(const YamlElement& element, const Scenario& scenario) {
  element.allow_keys({"samples", "seed", "uncertainties"});
  SweepPlan plan;
  if (element.has("samples"))
    plan.samples = static_cast<long>(whole(element.at("samples"), 1, 10'000'000));
  if (element.has("seed"))
    plan.seed = static_cast<std::uint64_t>(whole(element.at("seed"), 0, 9007199254740991.0));
  read_uncertainties(element.at("uncertainties"), scenario, plan);
  if (plan.empty()) element.at("uncertainties").fail("holds nothing that varies");
  return plan;
}

std::string scenario_fingerprint(std::string_view text, const std::string& file_name) {
  YamlNode root = internal::parse_yaml(text, file_name);
  for (const char* key : {"scenario", "title", "output"}) remove_key(root, key);
  for (std::size_t k = 0; k < root.keys.size(); ++k)
    if (root.keys[k] == "sweep") remove_key(root.items[k], "samples");
  std::string all;
  append_canonical(root, all);
  if (const YamlNode* robot = root.find("robot")) {
    const auto beside = std::filesystem::path(file_name).parent_path() / robot->text;
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(beside, ignored);
    all += write_robot_file(load_robot(is_file ? beside.string() : robot->text).description());
  }
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : all) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace torsor
