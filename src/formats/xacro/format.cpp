// The row of xacro in the table of formats: read, never written.
#include "torsor/formats/internal/expanded_text.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::internal {
namespace {

RobotDescription read(const std::string& text, const std::string& file_name, Findings* findings) {
  const ExpandedText expanded = expanded_xacro(text, file_name, {}, findings);
  return read_expanded(expanded, findings,
                       [](const std::string& t, const std::string& file, Findings& own) {
                         return read_urdf(t, file, &own);
                       });
}

Conversion write(const RobotDescription&, const std::string&) {
  Conversion refused;
  refused.message = "xacro files are programs, which nothing can write; write .urdf";
  return refused;
}

}  // namespace

const RobotFormat& xacro_format() {
  static const RobotFormat format{
      .name = "xacro",
      .title = "xacro, for reading",
      .extensions = {".xacro"},
      .recognises = [](std::string_view text) { return !xml_root_name(text).empty(); },
      .read = read,
      .examine = nullptr,
      .edit = nullptr,
      .write = write,
      .cannot_say = [](const RobotDescription&) {
        return std::vector<std::string>{"anything: it is for reading"};
      }};
  return format;
}

}  // namespace torsor::internal
