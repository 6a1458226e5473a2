#include "robot_file/fields.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

namespace robot_file = internal::robot_file;
using internal::yaml_scalar;
using internal::YamlFields;

/// Left out where every value is the default.
template <class Entry>
void add_dof(YamlFields& row, const char* key, const Entry& entry) {
  const YamlFields map = robot_file::dof_fields(row, entry);
  if (!map.empty()) row.raw(key, map.flow());
}

YamlFields row_fields(const DhRow& row) {
  YamlFields f("row " + in_quotes(row.name));
  f.text("name", row.name).text("link", row.link);
  if (row.prismatic || row.continuous) f.raw("type", row.prismatic ? "prismatic" : "continuous");
  f.required("a", row.a).required("alpha", row.alpha);
  f.required("d", row.d).required("theta", row.theta);
  if (row.has_inertial) robot_file::add_inertial(f, row.inertial);
  add_dof(f, "limits", row.limits);
  add_dof(f, "friction", row.friction);
  add_dof(f, "actuator", row.actuator);
  add_dof(f, "spring", row.spring);
  return f;
}

}  // namespace

std::string write_dh_file(const DhTable& table, const std::vector<FrameOnLink>& frames) {
  YamlFields head("robot " + in_quotes(table.name));
  head.raw("robot", yaml_scalar(table.name, head.element())).text("source", table.source);
  head.required("gravity", table.gravity).pose("base", table.base).pose("tool", table.tool);
  YamlFields root("root " + in_quotes(table.root));
  root.text("name", table.root);
  if (table.has_inertial) robot_file::add_inertial(root, table.inertial);
  std::string text = head.block(0) + "dh:\n  convention: " + name_of(table.convention) +
                     "\n  root: " + root.flow() + "\n  rows:\n";
  for (const DhRow& row : table.rows) text += row_fields(row).block(4, "- ");
  if (!frames.empty()) text += "frames:\n";
  for (const FrameOnLink& frame : frames) text += robot_file::frame_fields(frame).block(2, "- ");
  return text;
}

}  // namespace torsor
