#include <algorithm>
#include <filesystem>

#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

namespace internal {
const RobotFormat& urdf_format();
const RobotFormat& mjcf_format();
const RobotFormat& sdf_format();
const RobotFormat& robot_file_format();
const RobotFormat& dh_format();
const RobotFormat& mdh_format();
const RobotFormat& xacro_format();
}  // namespace internal

namespace {

bool has_extension(const RobotFormat& format, const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return std::find(format.extensions.begin(), format.extensions.end(), extension) !=
         format.extensions.end();
}

}  // namespace

RobotFormats robot_formats() {
  static const std::vector<RobotFormat> table = {
      internal::urdf_format(), internal::robot_file_format(), internal::dh_format(),
      internal::mdh_format(),  internal::xacro_format(),      internal::mjcf_format(),
      internal::sdf_format(),
  };
  return table;
}

const RobotFormat& robot_format(const std::string& name, RobotFormats formats) {
  std::vector<std::string> known;
  for (const RobotFormat& format : formats) {
    if (name == format.name) return format;
    known.emplace_back(format.name);
  }
  throw Error("unknown format " + in_quotes(name) + did_you_mean(name, known) + " (" +
              listed(known) + ")");
}

const RobotFormat* robot_format_of_path(const std::string& path, RobotFormats formats) {
  for (const RobotFormat& format : formats)
    if (has_extension(format, path)) return &format;
  return nullptr;
}

const RobotFormat* robot_format_of(const std::string& path, std::string_view text,
                                   RobotFormats formats) {
  for (const RobotFormat& format : formats)
    if (has_extension(format, path) && format.recognises(text)) return &format;
  return robot_format_of_path(path, formats);
}

std::string robot_extensions(const char* before_last, RobotFormats formats) {
  std::vector<std::string> all;
  for (const RobotFormat& format : formats)
    for (const std::string_view extension : format.extensions)
      if (std::find(all.begin(), all.end(), extension) == all.end()) all.emplace_back(extension);
  return listed(all, before_last);
}

std::vector<FrameOnLink> unmoved_links(const RobotDescription& robot) {
  std::vector<FrameOnLink> frames;
  for (const Link& link : robot.links) frames.push_back({link.name, link.name, {}, link.origin});
  return frames;
}

}  // namespace torsor
