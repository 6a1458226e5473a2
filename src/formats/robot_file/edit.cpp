// Numbers and names that changed, put where they stand in the text of a robot file.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/internal/text_edit.hpp"
#include "torsor/formats/internal/yaml_writer.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

using Kind = YamlNode::Kind;
using Renames = std::map<std::string, std::string>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Editor {
 public:
  Editor(const std::string& text, const YamlNode& root, const RobotDescription& read,
         const RobotDescription& wanted)
      : text_(text), root_(root), read_(read), wanted_(wanted) {}

  std::vector<TextEdit> run() {
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
    return std::move(edits_);
  }

 private:
  void edit_lists() {
    const YamlNode *const bodies = root_.find("bodies"), *const joints = root_.find("joints");
    for (std::size_t k = 0; k < std::min(read_.links.size(), wanted_.links.size()); ++k)
      if (const YamlNode* const body = find(bodies, k, read_.links[k]))
        edit_inertia(*body, read_.links[k].inertial, wanted_.links[k].inertial,
                     SO3<double>::identity());
    for (std::size_t k = 0; k < std::min(read_.joints.size(), wanted_.joints.size()); ++k)
      if (const YamlNode* const joint = find(joints, k, read_.joints[k]))
        edit_joint(*joint, read_.joints[k], wanted_.joints[k]);
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

  /// Row k has joint k and link k + 1. The inertia of a standard row is in the row's DH frame, turned
  /// by alpha against that of the link.
  void edit_table(const YamlNode& dh) {
    const YamlNode *const rows = dh.find("rows"), *const convention = dh.find("convention");
    if (rows == nullptr || rows->kind != Kind::sequence) return;
    const bool standard = convention != nullptr && convention->text == "standard";
    for (std::size_t k = 0; k < std::min(rows->items.size(), wanted_.joints.size()); ++k) {
      const YamlNode& row = rows->items[k];
      if (row.kind != Kind::map || k + 1 >= wanted_.links.size()) continue;
      const SO3<double> R = standard ? rotation_x(alpha_of(row)) : SO3<double>::identity();
      edit_inertia(row, read_.links[k + 1].inertial, wanted_.links[k + 1].inertial, R);
      edit_joint(row, read_.joints[k], wanted_.joints[k]);
    }
    rename_in(rows, {"link"}, renames(read_.links, wanted_.links));
    rename_in(rows, {"name"}, renames(read_.joints, wanted_.joints));
    rename_in(root_.find("frames"), {"link"}, renames(read_.links, wanted_.links));
    rename_terms(renames(read_.joints, wanted_.joints));
  }
  double alpha_of(const YamlNode& row) const {
    const YamlNode *const alpha = row.find("alpha"), *const unit = root_.find("unit");
    const double value = alpha == nullptr ? 0 : parse_number(alpha->text).value_or(0);
    Units units;
    units.degrees = unit != nullptr && unit->text == "deg";
    return units.angle(value);
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

  struct Range {
    std::size_t begin = 0, end = 0;
  };
  /// Of a plain or quoted scalar on one line; none of one that is written in another way.
  std::optional<Range> range(const YamlNode& scalar) const {
    if (scalar.kind != Kind::scalar) return std::nullopt;
    return range(scalar.begin, scalar.text);
  }
  std::optional<Range> range(std::size_t at, const std::string& value) const {
    if (at < text_.size() && text_[at] == '&') {  // an anchor
      while (at < text_.size() && !is_blank(text_[at])) ++at;
      while (at < text_.size() && is_blank(text_[at])) ++at;
    }
    if (at >= text_.size()) return std::nullopt;
    const char quote = text_[at];
    if (quote != '"' && quote != '\'')
      return text_.compare(at, value.size(), value) == 0
                 ? std::optional<Range>({at, at + value.size()})
                 : std::nullopt;
    for (std::size_t k = at + 1; k < text_.size(); ++k) {
      if (quote == '"' && text_[k] == '\\') {
        ++k;
      } else if (text_[k] == quote) {
        if (quote == '"' || k + 1 >= text_.size() || text_[k + 1] != quote) return Range{at, k + 1};
        ++k;
      }
    }
    return std::nullopt;
  }
  std::string written(const Range& r) const { return text_.substr(r.begin, r.end - r.begin); }

  void set(const YamlNode& scalar, double value) {
    if (const std::optional<double> now = parse_number(scalar.text); now && *now == value) return;
    if (const auto at = range(scalar)) edits_.push_back({at->begin, at->end, format_number(value)});
  }

  void edit_inertia(const YamlNode& element, const Inertial& read, const Inertial& wanted,
                    const SO3<double>& R) {
    const Sym3<double>&a = read.about_com, &b = wanted.about_com;
    if (same_bits({a.xx, a.yy, a.zz}, {b.xx, b.yy, b.zz}) &&
        same_bits({a.xy, a.xz, a.yz}, {b.xy, b.xz, b.yz}))
      return;
    const YamlNode* const inertia = element.find("inertia");
    if (inertia == nullptr) return;
    Inertial own{wanted.mass, transpose(R) * wanted.com, rotated(transpose(R), b)};
    if (const YamlNode* const about = element.find("inertia_about");
        about != nullptr && about->text == "origin") {
      if (const YamlNode* const com = element.find("com"))
        for (int k = 0; k < 3 && k < static_cast<int>(com->items.size()); ++k)
          own.com[k] = parse_number(com->items[static_cast<std::size_t>(k)].text).value_or(0);
      own.about_com = own.about_com + Inertia<double>::parallel_axes(own.mass, own.com);
    }
    const double rounding = 1e-15 * std::abs(trace(own.about_com));
    const auto clean = [&](double x) { return std::abs(x) < rounding ? 0.0 : x; };
    const Sym3<double>& J = own.about_com;
    const double m[3][3] = {{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}};
    const std::vector<YamlNode>& items = inertia->items;
    if (inertia->kind == Kind::map) {
      for (int r = 0; r < 3; ++r)
        for (int c = r; c < 3; ++c)
          if (const YamlNode* const entry = inertia->find(std::string(1, "xyz"[r]) + "xyz"[c]))
            set(*entry, clean(m[r][c]));
    } else if (items.size() == 6) {
      constexpr int order[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}};
      for (std::size_t k = 0; k < 6; ++k) set(items[k], clean(m[order[k][0]][order[k][1]]));
    } else if (items.size() == 3) {
      for (std::size_t r = 0; r < 3; ++r) {
        if (items[r].kind == Kind::scalar) set(items[r], clean(m[r][r]));
        for (std::size_t c = 0; c < items[r].items.size() && c < 3; ++c)
          set(items[r].items[c], clean(m[r][c]));
      }
    }
  }

  void edit_axis(const YamlNode& element, const Vec3<double>& read, const Vec3<double>& wanted) {
    const YamlNode* const axis = element.find("axis");
    if (axis == nullptr || axis->items.size() != 3 || same_bits(read, wanted)) return;
    for (int k = 0; k < 3; ++k) set(axis->items[static_cast<std::size_t>(k)], wanted[k]);
  }
  void edit_joint(const YamlNode& element, const Joint& read, const Joint& wanted) {
    edit_axis(element, read.axis, wanted.axis);
    if (const YamlNode* const parts = element.find("parts"))
      for (std::size_t k = 0; k < std::min(parts->items.size(), wanted.parts.size()); ++k)
        edit_axis(parts->items[k], read.parts[k].axis, wanted.parts[k].axis);
    for (std::size_t k = 0; k < std::min(read.limits.size(), wanted.limits.size()); ++k)
      if (const YamlNode* const map = of_dof(element.find("limits"), k))
        edit_limits(*map, read.limits[k], wanted.limits[k]);
    for (std::size_t k = 0; k < std::min(read.friction.size(), wanted.friction.size()); ++k)
      if (const YamlNode* const map = of_dof(element.find("friction"), k))
        if (!same_bits(read.friction[k].stiction, wanted.friction[k].stiction))
          if (const YamlNode* const stiction = map->find("stiction"))
            set(*stiction, wanted.friction[k].stiction);
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
      const auto a = range(*lower), b = range(*upper);
      if (a && b) {
        edits_.push_back({a->begin, a->end, written(*b)});
        edits_.push_back({b->begin, b->end, written(*a)});
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
      if (gone(k)) edits_.push_back({map.key_begins[k], map.key_begins[k + 1], ""});
    if (stays == map.keys.size()) return;
    const auto last = range(map.items.back());
    const auto before = stays > 0 ? range(map.items[stays - 1]) : std::nullopt;
    if (last && (before || stays == 0))
      edits_.push_back({before ? before->end : map.key_begins[0], last->end, ""});
  }
  void comment_out(const YamlNode& map, std::size_t k) {
    const std::size_t at = map.key_begins[k];
    const std::size_t line = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    if (text_.find_first_not_of(" \t", line) == at) edits_.push_back({at, at, "# "});
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
    if (const auto at = range(scalar))
      edits_.push_back({at->begin, at->end, yaml_scalar(now->second, "name")});
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
        if (const auto at = range(terms->key_begins[k], terms->keys[k]))
          edits_.push_back({at->begin, at->end, yaml_scalar(now->second, "name")});
      }
    }
  }

  const std::string& text_;
  const YamlNode& root_;
  const RobotDescription &read_, &wanted_;
  std::vector<TextEdit> edits_;
};

}  // namespace

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted) {
  const YamlNode root = parse_yaml(text, read.origin.file);
  return edited(text, Editor(text, root, read, wanted).run());
}

}  // namespace torsor::internal::robot_file
