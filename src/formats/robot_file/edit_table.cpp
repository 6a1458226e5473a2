// Rows of a DH table that changed: row k has joint k and link k + 1.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "robot_file/edit_numbers.hpp"
#include "robot_file/fields.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::internal::robot_file {
namespace {

using Kind = YamlNode::Kind;

/// Frame k of the table on its link: the pose of "frame_<k>", or the link's own frame.
SE3<double> table_frame(const RobotDescription& robot, bool standard, std::size_t k) {
  if (!standard || k == 0) return {};
  const std::string name = "frame_" + std::to_string(k);
  for (const FrameOnLink& frame : robot.frames)
    if (frame.name == name) return frame.placement;
  return {};
}
DhParameters row_of(const RobotDescription& robot, bool standard, std::size_t k) {
  return dh_parameters_from_frames(
      table_frame(robot, standard, k),
      robot.joints[k].placement * table_frame(robot, standard, k + 1),
      standard ? DhTable::Convention::standard : DhTable::Convention::modified);
}
/// NaN is what was no number in the file: it is the same as itself.
bool same_pose(const SE3<double>& A, const SE3<double>& B) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  bool all = true;
  for (int r = 0; r < 3; ++r) {
    all = all && same(A.p[r], B.p[r]);
    for (int c = 0; c < 3; ++c) all = all && same(A.R(r, c), B.R(r, c));
  }
  return all;
}

/// [a, alpha, d, theta] becomes a map, which has room for more; its numbers stay where they are.
void make_map(YamlText& out, const YamlNode& row, const std::vector<std::string>& more) {
  const auto all = out.range(row);
  if (!all) return;
  const char* const keys[] = {"a", "alpha", "d", "theta", "type"};
  out.add({all->begin, all->begin + 1, "{"});
  for (std::size_t k = 0; k < std::min<std::size_t>(row.items.size(), 5); ++k)
    if (const auto at = out.range(row.items[k]))
      out.add({at->begin, at->begin, std::string(keys[k]) + ": "});
  std::string end;
  for (const std::string& field : more) end += ", " + field;
  out.add({all->end - 1, all->end, end + "}"});
}

class TableEditor {
 public:
  TableEditor(YamlText& out, const RobotDescription& read, const RobotDescription& wanted,
              bool standard, bool degrees)
      : out_(out), read_(read), wanted_(wanted), standard_(standard), degrees_(degrees) {}

  void edit(const YamlNode& row, std::size_t k) {
    const bool has_link = k + 1 < wanted_.links.size();
    if (row.kind == Kind::sequence && has_link)
      if (const YamlFields more = lacking(k); !more.empty()) make_map(out_, row, more.fields());
    if (!row_is_same(k)) edit_geometry(row, k);
    if (row.kind == Kind::map && has_link)
      edit_inertial(out_, row, in_row(read_, k), in_row(wanted_, k));
  }

 private:
  /// What a row without keys has no place for.
  YamlFields lacking(std::size_t k) const {
    YamlFields more("row");
    const Joint& joint = wanted_.joints[k];
    if (wanted_.links[k + 1].has_inertial) add_inertial(more, in_row(wanted_, k));
    const auto add = [&](const char* key, const auto& now) {
      if (now.empty()) return;
      if (const YamlFields map = dof_fields(more, now[0]); !map.empty()) more.raw(key, map.flow());
    };
    add("friction", joint.friction);
    add("actuator", joint.actuator);
    std::vector<JointSpring> spring = joint.spring;
    if (!spring.empty() && degrees_ && joint.kind != JointKind::prismatic)
      spring[0].rest *= 180 / std::numbers::pi;
    add("spring", spring);
    return more;
  }
  bool row_is_same(std::size_t k) const {
    return same_pose(read_.joints[k].placement, wanted_.joints[k].placement) &&
           same_pose(table_frame(read_, standard_, k), table_frame(wanted_, standard_, k)) &&
           same_pose(table_frame(read_, standard_, k + 1), table_frame(wanted_, standard_, k + 1));
  }
  Inertial in_row(const RobotDescription& robot, std::size_t k) const {
    return transported(inverse(table_frame(robot, standard_, k + 1)), robot.links[k + 1].inertial);
  }
  /// What stands in the file moves by what the row changed, so that 270 deg stay near 270 deg.
  void edit_geometry(const YamlNode& row, std::size_t k) {
    const DhParameters before = row_of(read_, standard_, k), after = row_of(wanted_, standard_, k);
    if (!after.ok())
      throw Error("row " + std::to_string(k + 1) + " (joint " + in_quotes(wanted_.joints[k].name) +
                  ") of the DH table cannot say its new placement: " + after.message);
    const struct {
      const char* key;
      double before, after;
      bool angle;
    } entries[] = {{"a", before.a, after.a, false},
                   {"alpha", before.alpha, after.alpha, true},
                   {"d", before.d, after.d, false},
                   {"theta", before.theta, after.theta, true}};
    for (std::size_t e = 0; e < 4; ++e) {
      double change = entries[e].after - entries[e].before;
      if (entries[e].angle) change = std::remainder(change, 2 * std::numbers::pi);
      if (!(std::abs(change) >= 1e-13)) continue;  // NaN: the row holds what is no number
      if (entries[e].angle && degrees_) change *= 180 / std::numbers::pi;
      const YamlNode* const here = row.kind == Kind::sequence && e < row.items.size()
                                       ? &row.items[e]
                                       : row.find(entries[e].key);
      const double now = here == nullptr ? 0 : parse_number(here->text).value_or(0);
      if (here != nullptr)
        out_.set(*here, now + change);
      else
        out_.insert(row, std::string(entries[e].key) + ": " + format_number(change), row.find("d"));
    }
  }

  YamlText& out_;
  const RobotDescription &read_, &wanted_;
  bool standard_, degrees_;
};

}  // namespace

void edit_dh_table(YamlText& out, const YamlNode& root, const YamlNode& dh,
                   const RobotDescription& read, const RobotDescription& wanted, bool degrees) {
  const YamlNode *const rows = dh.find("rows"), *const convention = dh.find("convention");
  if (rows == nullptr || rows->kind != Kind::sequence) return;
  const bool standard = convention != nullptr && convention->text == "standard";
  const std::size_t n = std::min({rows->items.size(), read.joints.size(), wanted.joints.size()});
  TableEditor editor(out, read, wanted, standard, degrees);
  for (std::size_t k = 0; k < n; ++k) editor.edit(rows->items[k], k);
  if (const YamlNode* const base = dh.find("root"); base != nullptr && base->kind == Kind::map)
    edit_inertial(out, *base, read.links[0].inertial, wanted.links[0].inertial);
  const auto tool = [&](const RobotDescription& robot) {
    for (const FrameOnLink& frame : robot.frames)
      if (frame.name == "tool") return inverse(table_frame(robot, standard, n)) * frame.placement;
    return SE3<double>{};
  };
  edit_pose(out, root, "tool", tool(read), tool(wanted), degrees);
}

}  // namespace torsor::internal::robot_file
