// The row of SDF in the table of formats.
#include "sdf/edit.hpp"
#include "sdf/reader.hpp"
#include "sdf/writer.hpp"
#include "torsor/formats/robot_format.hpp"

namespace torsor::internal {
namespace {

RobotDescription read(const std::string& text, const std::string& file_name, Findings* findings) {
  return sdf::Reader(text, file_name, findings, nullptr).run();
}

RobotDescription examine(const std::string& text, const std::string& file_name,
                         Findings& findings) {
  Findings errors, found;
  RobotDescription robot = sdf::Reader(text, file_name, &found, &errors).run();
  findings.insert(findings.end(), errors.begin(), errors.end());
  findings.insert(findings.end(), found.begin(), found.end());
  return robot;
}

}  // namespace

const RobotFormat& sdf_format() {
  static const RobotFormat format{
      .name = "sdf",
      .title = "SDF",
      .extensions = {".sdf", ".world", ".xml"},
      .recognises = [](std::string_view text) { return xml_root_name(text) == "sdf"; },
      .read = read,
      .examine = examine,
      .edit = sdf::edit,
      .write = sdf::write,
      .cannot_say = sdf::cannot_say};
  return format;
}

}  // namespace torsor::internal
