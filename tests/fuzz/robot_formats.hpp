#pragma once
/// A robot format under attack: reading, writing, checking and editing.
#include "fuzz/property.hpp"
#include "torsor/formats/check_model.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/model.hpp"

namespace torsor::fuzz {

/// What a format that loses something writes of its own files can be read.
inline void check_own_writer(const RobotFormat& format, const RobotDescription& robot) {
  Conversion written;
  if (!accepted([&] { written = format.write(robot, ""); }) || !written.ok()) return;
  if (!accepted([&] { (void)format.read(written.text, "again.xml", nullptr); }))
    broken("what was written is refused", written.text);
}

inline void check_robot_format(const RobotFormat& format, const std::string& text) {
  const std::string name = std::string("fuzz") + std::string(format.extensions.front());
  RobotDescription robot;
  Findings findings;
  if (accepted([&] { robot = format.read(text, name, &findings); })) {
    for (const Finding& f : findings) check_message(f.line());
    // A name that is not UTF-8 has no place in YAML, a control character none in XML.
    const bool is_urdf = std::string(format.name) == "urdf";
    const bool is_yaml = std::string(format.name) == "robot";
    // The other readers leave what makes no robot (a cycle of joints) to the model, which tells it in one line.
    if (!is_urdf && !is_yaml && !accepted([&] { (void)Model<double>(robot); })) return;
    if (is_urdf || accepted([&] { (void)write_urdf(robot); }))
      check_round_trip(robot, write_urdf,
                       [](const std::string& t) { return read_urdf(t, "a.urdf"); });
    if (is_yaml || accepted([&] { (void)write_robot_file(robot); }))
      check_round_trip(robot, write_robot_file,
                       [](const std::string& t) { return read_robot_file(t, "a.yaml"); });
    if (!is_urdf && !is_yaml) check_own_writer(format, robot);
  }
  findings.clear();
  if (!accepted([&] { robot = format.examine(text, name, findings); })) return;
  for (const Finding& f : check_model(robot, {.meshes = false})) check_message(f.line());
  if (format.edit == nullptr) return;
  const Repair repair = repair_model(robot);
  const std::string edited = format.edit(text, robot, repair.robot);
  if (repair.changes.empty() && edited != text) broken("an edit without a change", edited);
  Findings after;
  if (!accepted([&] { (void)format.examine(edited, name, after); }))
    broken("an edited text is no text any more", edited);
}

}  // namespace torsor::fuzz
