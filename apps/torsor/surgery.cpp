#include "surgery.hpp"

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
      q[body.q.first] = value_of(value, "--lock");
    }
    joints.push_back(joint);
  }
  return lock_joints(model, joints, q);
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
    model = append(model, Model<double>(load(tool)), link, {});
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
