#include "torsor/model/dh.hpp"

#include <cmath>

#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

JointKind read_row_kind(const YamlElement& element) {
  const std::string name = element.text();
  for (const JointKind kind : {JointKind::revolute, JointKind::continuous, JointKind::prismatic})
    if (name == name_of(kind)) return kind;
  element.fail("a DH row is revolute, continuous or prismatic, not " + in_quotes(name));
}

void set_kind(JointKind kind, DhRow& row) {
  row.prismatic = kind == JointKind::prismatic;
  row.continuous = kind == JointKind::continuous;
}

/// [a, alpha, d, theta] or [a, alpha, d, theta, type].
void read_short_row(const YamlElement& element, Units units, DhRow& row) {
  const std::vector<YamlElement> items = element.items(element.name() + ": entry");
  if (items.size() != 4 && items.size() != 5)
    element.fail("has " + std::to_string(items.size()) +
                 " entries; a row is [a, alpha, d, theta] or [a, alpha, d, theta, type]");
  row.a = items[0].number();
  row.alpha = checked_angle(items[1], items[1].number(), units);
  row.d = items[2].number();
  row.theta = checked_angle(items[3], items[3].number(), units);
  if (items.size() == 5) set_kind(read_row_kind(items[4]), row);
}

void read_long_row(const YamlElement& element, Units units, DhRow& row) {
  element.allow_keys(
      {"name", "link", "type", "a", "alpha", "d", "theta", TORSOR_INERTIAL_KEYS, TORSOR_DOF_KEYS});
  const auto number = [&](const char* key) {
    return element.has(key) ? element.at(key).number() : 0.0;
  };
  const auto angle = [&](const char* key) {
    return element.has(key) ? checked_angle(element.at(key), number(key), units) : 0.0;
  };
  row.a = number("a");
  row.alpha = angle("alpha");
  row.d = number("d");
  row.theta = angle("theta");
  element.attempt([&] {
    if (element.has("name")) row.name = element.at("name").text();
    if (element.has("link")) row.link = element.at("link").text();
  });
  row.has_inertial = read_inertial(element, row.inertial);
  Joint joint;
  element.attempt([&] {
    if (element.has("type")) joint.kind = read_row_kind(element.at("type"));
  });
  set_kind(joint.kind, row);
  read_dof_data(element, units, joint);
  if (!joint.limits.empty()) row.limits = joint.limits[0];
  if (!joint.friction.empty()) row.friction = joint.friction[0];
  if (!joint.actuator.empty()) row.actuator = joint.actuator[0];
  if (!joint.spring.empty()) row.spring = joint.spring[0];
}

DhTable::Convention read_convention(const YamlElement& element) {
  const std::string name = element.text();
  if (name == "standard") return DhTable::Convention::standard;
  if (name == "modified") return DhTable::Convention::modified;
  element.fail(in_quotes(name) + " is neither \"standard\" nor \"modified\"");
}

}  // namespace

RobotDescription read_dh(const YamlElement& dh, const SE3<double>& tool, Units units) {
  dh.allow_keys({"convention", "root", "rows"});
  DhTable table;
  table.origin = dh.origin();
  table.tool = tool;
  dh.attempt([&] { table.convention = read_convention(dh.at("convention")); });
  if (dh.has("root")) {
    const YamlElement root = dh.at("root");
    root.allow_keys({"name", TORSOR_INERTIAL_KEYS});
    if (root.has("name")) table.root = root.at("name").text();
    table.has_inertial = read_inertial(root, table.inertial);
  }
  for (const YamlElement& element : dh.at("rows").items("row")) {
    DhRow row;
    row.origin = element.origin();
    element.attempt([&] {
      if (element.is_sequence())
        read_short_row(element, units, row);
      else
        read_long_row(element, units, row);
    });
    for (double* const value : {&row.a, &row.alpha, &row.d, &row.theta})
      if (std::isnan(*value)) *value = 0;  // reported already
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) dh.at("rows").fail("is empty");
  return from_dh(table);
}

}  // namespace torsor::internal::robot_file
