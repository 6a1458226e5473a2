// The row of MJCF in the table of formats.
#include "mjcf/edit.hpp"
#include "mjcf/reader.hpp"
#include "mjcf/writer.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal {
namespace {

RobotDescription read(const std::string& text, const std::string& file_name, Findings* findings) {
  return mjcf::Reader(text, file_name, findings, nullptr).run();
}

RobotDescription examine(const std::string& text, const std::string& file_name,
                         Findings& findings) {
  Findings errors, found;
  RobotDescription robot = mjcf::Reader(text, file_name, &found, &errors).run();
  findings.insert(findings.end(), errors.begin(), errors.end());
  findings.insert(findings.end(), found.begin(), found.end());
  return robot;
}

}  // namespace

const RobotFormat& mjcf_format() {
  static const RobotFormat format{
      .name = "mjcf",
      .title = "MJCF",
      .extensions = {".xml", ".mjcf"},
      .recognises = [](std::string_view text) { return xml_root_name(text) == "mujoco"; },
      .read = read,
      .examine = examine,
      .edit = mjcf::edit,
      .write = mjcf::write,
      .cannot_say = mjcf::cannot_say};
  return format;
}

}  // namespace torsor::internal
