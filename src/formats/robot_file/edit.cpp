// Numbers and names that changed, put where they stand in the text of a robot file.
#include <algorithm>
#include <cmath>
#include <map>

#include "robot_file/edit_numbers.hpp"
#include "torsor/formats/internal/yaml_writer.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

using Kind = YamlNode::Kind;
using Renames = std::map<std::string, std::string>;

class Editor {
 public:
  Editor(const std::string& text, const YamlNode& root, const RobotDescription& read,
         const RobotDescription& wanted)
      : text_(text), root_(root), read_(read), wanted_(wanted), out_(text) {}

  std::vector<TextEdit> run() {
    const YamlNode* const unit = root_.find("unit");
    degrees_ = unit != nullptr && unit->text == "deg";
    edit_others(out_, root_, read_, wanted_, degrees_);
    if (const YamlNode* const dh = root_.find("dh"))
      edit_table(*dh);
    else
      edit_lists();
    if (const YamlNode* const name = root_.find("robot"); name && read_.name != wanted_.name)
      rename(*name, {{read_.name, wanted_.name}});
    rename_in(root_.find("frames"), {"name"}, renames(read_.frames, wanted_.frames));
    rename_in(root_.find("loops"), {"name"}, renames(read_.loops, wanted_.loops));
    rename_in(root_.find("couplings"), {"name"}, renames(read_.couplings, wanted_.couplings));
    rename_in(root_.find("springs"), {"name"}, renames(read_.springs, wanted_.springs));
    rename_in(root_.find("motors"), {"name"}, renames(read_.motors, wanted_.motors));
    std::vector<TextEdit> edits = out_.take();
    if (std::string motors = new_motors(text_, root_, wanted_); !motors.empty())
      edits.push_back({text_.size(), text_.size(), std::move(motors)});
    return edits;
  }

 private:
  void edit_lists() {
    const YamlNode *const bodies = root_.find("bodies"), *const joints = root_.find("joints");
    for (std::size_t k = 0; k < std::min(read_.links.size(), wanted_.links.size()); ++k)
      if (const YamlNode* const body = find(bodies, k, read_.links[k]))
        edit_inertial(out_, *body, read_.links[k].inertial, wanted_.links[k].inertial);
    for (std::size_t k = 0; k < std::min(read_.joints.size(), wanted_.joints.size()); ++k)
      if (const YamlNode* const joint = find(joints, k, read_.joints[k])) {
        edit_joint(*joint, read_.joints[k], wanted_.joints[k]);
        edit_pose(out_, *joint, "placement", read_.joints[k].placement, wanted_.joints[k].placement,
                  degrees_);
      }
    const Renames of_links = renames(read_.links, wanted_.links);
    const Renames of_joints = renames(read_.joints, wanted_.joints);
    rename_in(bodies, {"name"}, of_links);
    rename_in(joints, {"parent", "child"}, of_links);
    rename_in(root_.find("frames"), {"link"}, of_links);
    for (const char* key : {"loops", "springs"})
      rename_in(root_.find(key), {"link_a", "link_b"}, of_links);
    if (const YamlNode* const root = root_.find("root")) rename(*root, of_links);
    rename_in(joints, {"name"}, of_joints);
    rename_terms(of_joints);
  }

  void edit_table(const YamlNode& dh) {
    edit_dh_table(out_, root_, dh, read_, wanted_, degrees_);
    const YamlNode* const rows = dh.find("rows");
    if (rows == nullptr || rows->kind != Kind::sequence) return;
    for (std::size_t k = 0; k < std::min(rows->items.size(), wanted_.joints.size()); ++k)
      if (rows->items[k].kind == Kind::map)
        edit_joint(rows->items[k], read_.joints[k], wanted_.joints[k]);
    rename_in(rows, {"link"}, renames(read_.links, wanted_.links));
    rename_in(rows, {"name"}, renames(read_.joints, wanted_.joints));
    rename_in(root_.find("frames"), {"link"}, renames(read_.links, wanted_.links));
    rename_terms(renames(read_.joints, wanted_.joints));
  }

  /// The k-th member of a list, if it is the element that was read there.
  template <class Element>
  static const YamlNode* find(const YamlNode* list, std::size_t k, const Element& element) {
    if (list == nullptr || list->kind != Kind::sequence || k >= list->items.size()) return nullptr;
    const YamlNode& item = list->items[k];
    const YamlNode* const name = item.find("name");
    return item.kind == Kind::map && name != nullptr && name->text == element.name ? &item
                                                                                   : nullptr;
  }

  void edit_axis(const YamlNode& element, const Vec3<double>& read, const Vec3<double>& wanted) {
    const YamlNode* const axis = element.find("axis");
    if (axis == nullptr || axis->items.size() != 3 || same_bits(read, wanted)) return;
    for (int k = 0; k < 3; ++k) out_.set(axis->items[static_cast<std::size_t>(k)], wanted[k]);
  }
  void edit_joint(const YamlNode& element, const Joint& read, const Joint& wanted) {
    edit_axis(element, read.axis, wanted.axis);
    if (const YamlNode* const parts = element.find("parts"))
      for (std::size_t k = 0; k < std::min(parts->items.size(), wanted.parts.size()); ++k)
        edit_axis(parts->items[k], read.parts[k].axis, wanted.parts[k].axis);
    for (std::size_t k = 0; k < std::min(read.limits.size(), wanted.limits.size()); ++k)
      if (const YamlNode* const map = of_dof(element.find("limits"), k))
        edit_limits(*map, read.limits[k], wanted.limits[k]);
    edit_dofs(out_, element, read, wanted, degrees_);
  }
  /// One map for all degrees of freedom, or a list with one each.
  static const YamlNode* of_dof(const YamlNode* data, std::size_t dof) {
    if (data == nullptr || data->kind == Kind::map) return data;
    return dof < data->items.size() ? &data->items[dof] : nullptr;
  }

  void edit_limits(const YamlNode& map, const Limits& read, const Limits& wanted) {
    const YamlNode *const lower = map.find("lower"), *const upper = map.find("upper");
    if (lower != nullptr && upper != nullptr && read.lower > read.upper &&
        read.lower == wanted.upper) {
      const auto a = out_.range(*lower), b = out_.range(*upper);
      if (a && b) {
        out_.add({a->begin, a->end, out_.written(*b)});
        out_.add({b->begin, b->end, out_.written(*a)});
      }
      return remove_unlimited(map, read, wanted);
    }
    remove_unlimited(map, read, wanted);
  }
  void remove_unlimited(const YamlNode& map, const Limits& read, const Limits& wanted) {
    const std::pair<const char*, double Limits::*> fields[] = {
        {"lower", &Limits::lower},       {"upper", &Limits::upper},
        {"velocity", &Limits::velocity}, {"acceleration", &Limits::acceleration},
        {"jerk", &Limits::jerk},         {"effort", &Limits::effort}};
    std::vector<std::size_t> removed;
    for (std::size_t k = 0; k < map.keys.size(); ++k)
      for (const auto& [name, member] : fields)
        if (map.keys[k] == name && !std::isfinite(wanted.*member) && std::isfinite(read.*member))
          removed.push_back(k);
    if (removed.empty()) return;
    if (map.flow)
      remove_from_brackets(map, removed);
    else if (removed.size() < map.keys.size())  // an empty block would be no map
      for (const std::size_t k : removed) comment_out(map, k);
  }
  /// A key and its value up to the next key; behind the last key that stays, nothing is left but the
  /// bracket.
  void remove_from_brackets(const YamlNode& map, const std::vector<std::size_t>& removed) {
    const auto gone = [&](std::size_t k) {
      return std::find(removed.begin(), removed.end(), k) != removed.end();
    };
    std::size_t stays = map.keys.size();  // keys up to the last one that stays
    while (stays > 0 && gone(stays - 1)) --stays;
    for (std::size_t k = 0; k < stays; ++k)
      if (gone(k)) out_.add({map.key_begins[k], map.key_begins[k + 1], ""});
    if (stays == map.keys.size()) return;
    const auto last = out_.range(map.items.back());
    const auto before = stays > 0 ? out_.range(map.items[stays - 1]) : std::nullopt;
    if (last && (before || stays == 0))
      out_.add({before ? before->end : map.key_begins[0], last->end, ""});
  }
  void comment_out(const YamlNode& map, std::size_t k) {
    const std::size_t at = map.key_begins[k];
    const std::size_t line = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    if (text_.find_first_not_of(" \t", line) == at) out_.add({at, at, "# "});
  }

  template <class Element>
  static Renames renames(const std::vector<Element>& read, const std::vector<Element>& wanted) {
    Renames names;
    for (std::size_t k = 0; k < std::min(read.size(), wanted.size()); ++k)
      if (read[k].name != wanted[k].name) names.emplace(read[k].name, wanted[k].name);
    return names;
  }
  void rename(const YamlNode& scalar, const Renames& names) {
    const auto now = names.find(scalar.text);
    if (scalar.kind != Kind::scalar || now == names.end()) return;
    if (const auto at = out_.range(scalar))
      out_.add({at->begin, at->end, yaml_scalar(now->second, "name")});
  }
  void rename_in(const YamlNode* list, std::initializer_list<const char*> keys,
                 const Renames& names) {
    if (list == nullptr || names.empty()) return;
    for (const YamlNode& item : list->items)
      for (const char* key : keys)
        if (const YamlNode* const value = item.find(key)) rename(*value, names);
  }
  /// Joints are the keys of the terms of a coupling and of the ratios of a motor.
  void rename_terms(const Renames& names) {
    rename_terms(names, "couplings", "terms");
    rename_terms(names, "motors", "ratios");
  }
  void rename_terms(const Renames& names, const char* list, const char* key) {
    const YamlNode* const elements = root_.find(list);
    if (elements == nullptr || names.empty()) return;
    for (const YamlNode& element : elements->items) {
      const YamlNode* const terms = element.find(key);
      for (std::size_t k = 0; terms != nullptr && k < terms->keys.size(); ++k) {
        const auto now = names.find(terms->keys[k]);
        if (now == names.end()) continue;
        if (const auto at = out_.range(terms->key_begins[k], terms->keys[k]))
          out_.add({at->begin, at->end, yaml_scalar(now->second, "name")});
      }
    }
  }

  const std::string& text_;
  const YamlNode& root_;
  const RobotDescription &read_, &wanted_;
  YamlText out_;
  bool degrees_ = false;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  const YamlNode root = parse_yaml(text, read.origin.file);
  return edited(text, Editor(text, root, read, wanted).run());
}

}  // namespace torsor::internal::robot_file
