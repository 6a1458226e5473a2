#include "surgery.hpp"

#include <algorithm>

#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {
namespace {

/// "a=b" at its last sign; the value is empty where there is none.
std::pair<std::string, std::string> halves(const std::string& word, char sign, const char* option,
                                           const char* form, bool optional = false) {
  const std::size_t at = word.rfind(sign);
  if (at == word.npos && optional && !word.empty()) return {word, ""};
  if (at == word.npos || at == 0 || at + 1 == word.size())
    throw Error(std::string(option) + ": " + in_quotes(word) + "; write " + form);
  return {word.substr(0, at), word.substr(at + 1)};
}

double value_of(const std::string& text, const char* option) {
  std::string why;
  const std::optional<double> value = parse_number(text, &why);
  if (!value) throw Error(std::string(option) + ": " + why);
  return *value;
}

Model<double> locked(const Model<double>& model, const std::vector<std::string>& words) {
  Array<double> q(model.n_q());
  neutral(model, q);
  std::vector<std::string> joints;
  for (const std::string& word : words) {
    const auto [joint, value] = halves(word, '=', "--lock", "joint=value", true);
    const Body<double>& body = model.body(model.joint_index(joint));
    if (!value.empty()) {
      if (body.q.count != 1)
        throw Error("--lock: joint " + in_quotes(joint) + " has " + std::to_string(body.q.count) +
                    " coordinates; without a value it is locked where it is neutral");
      const double x = value_of(value, "--lock");
      const Limits limits = model.limits(body.v.first);
      if (x < limits.lower - 1e-9 || x > limits.upper + 1e-9)
        throw Error("--lock: " + in_quotes(word) + " is beyond the joint's limits " +
                    format_number(limits.lower) + " to " + format_number(limits.upper));
      q[body.q.first] = x;
    }
    joints.push_back(joint);
  }
  return lock_joints(model, joints, q);
}

/// What names of an attached robot get in front: "hand_", or "hand_2_" where names begin so already.
std::string free_prefix(const Model<double>& model, const std::string& name) {
  const RobotDescription& robot = model.description();
  for (int k = 1;; ++k) {
    const std::string prefix = name + (k == 1 ? "_" : "_" + std::to_string(k) + "_");
    const auto begins = [&](const auto& one) { return one.name.starts_with(prefix); };
    if (std::none_of(robot.links.begin(), robot.links.end(), begins) &&
        std::none_of(robot.joints.begin(), robot.joints.end(), begins) &&
        std::none_of(robot.frames.begin(), robot.frames.end(), begins))
      return prefix;
  }
}

}  // namespace

void add_surgery(Arguments& app, SurgeryOptions& options) {
  app.add_option("--root", options.root, "write the part below this link").type_name("LINK");
  app.add_option("--tip", options.tip, "write the chain down to this link").type_name("LINK");
  app.add_option("--lock", options.locks, "make a joint fixed: joint=value (rad, m), or joint")
      .type_name("JOINT=VALUE")
      .repeatable();
  app.add_option("--attach", options.attached, "fix another robot to a link or frame")
      .type_name("ROBOT@LINK")
      .repeatable();
  app.add_option("--scale", options.scale, "all lengths times this, at the same density")
      .type_name("NUMBER");
  app.add_flag("--merge-fixed", options.merge_fixed, "links on fixed joints become part of others");
  app.add_option("--rename", options.names, "a link, joint or frame")
      .type_name("OLD=NEW")
      .repeatable();
}

Model<double> operated(Model<double> model, const SurgeryOptions& options,
                       const RobotArgument& robot) {
  if (!options.locks.empty()) model = locked(model, options.locks);
  if (!options.root.empty() || !options.tip.empty())
    model = extract(model, options.root, options.tip);
  for (const std::string& word : options.attached) {
    const auto [other, link] = halves(word, '@', "--attach", "gripper.urdf@link");
    RobotArgument tool;
    tool.name = other;
    tool.strict = robot.strict;
    tool.files.package_folders = robot.files.package_folders;
    const Model<double> more(load(tool));
    model = append(model, more, link, {}, free_prefix(model, more.name()));
  }
  if (!options.scale.empty()) model = scaled(model, value_of(options.scale, "--scale"));
  if (options.merge_fixed) model = merge_fixed(model);
  for (const std::string& word : options.names) {
    const auto [old_name, new_name] = halves(word, '=', "--rename", "old=new");
    model = renamed(model, old_name, new_name);
  }
  return model;
}

}  // namespace torsor::command
