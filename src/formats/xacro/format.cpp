// The row of xacro in the table of formats.
#include "torsor/formats/internal/expanded_text.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::internal {

const RobotFormat& urdf_format();

namespace {

RobotDescription read(const std::string& text, const std::string& file_name, Findings* findings) {
  const ExpandedText expanded = expanded_xacro(text, file_name, {}, findings);
  return read_expanded(expanded, findings,
                       [](const std::string& t, const std::string& file, Findings& own) {
                         return read_urdf(t, file, &own);
                       });
}

/// A URDF file is a xacro file without macros, if its dollars are escaped.
Conversion write(const RobotDescription& robot, const std::string& tool) {
  Conversion result = urdf_format().write(robot, tool);
  std::string text;
  for (std::size_t at = 0; at < result.text.size(); ++at) {
    const char c = result.text[at];
    const char next = at + 1 < result.text.size() ? result.text[at + 1] : '\0';
    if (c == '$' && (next == '{' || next == '(')) text += '$';
    text += c;
  }
  result.text = std::move(text);
  return result;
}

}  // namespace

const RobotFormat& xacro_format() {
  static const RobotFormat format{
      .name = "xacro",
      .title = "URDF with macros",
      .extensions = {".xacro"},
      .recognises = [](std::string_view text) { return !xml_root_name(text).empty(); },
      .read = read,
      .examine = nullptr,
      .edit = nullptr,
      .write = write,
      .cannot_say = urdf_format().cannot_say};
  return format;
}

}  // namespace torsor::internal
