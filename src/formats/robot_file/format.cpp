// The rows of the robot file in the table of formats: bodies and joints, and two kinds of DH table.
#include <algorithm>
#include <set>

#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor {
namespace {

RobotDescription read(const std::string& text, const std::string& file_name, Findings* findings) {
  return read_robot_file(text, file_name, findings);
}

Conversion write(const RobotDescription& robot, const std::string&) {
  Conversion result;
  result.text = write_robot_file(robot);
  result.link_frames = unmoved_links(robot);
  return result;
}

/// Link frames in the frames that from_dh gives to the links: Tx(a) Rx(alpha) before a standard one.
std::vector<FrameOnLink> on_table_links(const DhConversion& dh) {
  std::vector<FrameOnLink> frames = dh.link_frames;
  if (dh.table.convention == DhTable::Convention::modified) return frames;
  for (FrameOnLink& frame : frames)
    for (const DhRow& row : dh.table.rows)
      if (row.link == frame.link)
        frame.placement = internal::x_screw(row.a, row.alpha) * frame.placement;
  return frames;
}

/// Links that were merged and frames of the original keep their names as frames of the table.
std::vector<FrameOnLink> kept_frames(const RobotDescription& robot, const DhTable& table,
                                     const std::vector<FrameOnLink>& links) {
  std::set<std::string> taken;
  for (const FrameOnLink& frame : from_dh(table).frames) taken.insert(frame.name);
  taken.insert(table.root);
  for (const DhRow& row : table.rows) taken.insert(row.link);
  std::vector<FrameOnLink> kept;
  for (const FrameOnLink& link : links)
    if (taken.insert(link.name).second) kept.push_back(link);
  for (const FrameOnLink& frame : robot.frames)
    for (const FrameOnLink& link : links)
      if (link.name == frame.link && taken.insert(frame.name).second)
        kept.push_back({frame.name, link.link, link.placement * frame.placement, frame.origin});
  return kept;
}

/// Shapes and meshes have no place in a table.
std::vector<std::string> what_tables_cannot_say(const RobotDescription& robot) {
  if (std::any_of(robot.links.begin(), robot.links.end(),
                  [](const Link& link) { return !link.geometry.empty(); }))
    return {"shapes and meshes"};
  return {};
}

template <DhTable::Convention convention>
Conversion write_table(const RobotDescription& robot, const std::string& tool) {
  Conversion result;
  const DhConversion dh = to_dh(robot, convention, tool);
  result.message = dh.message;
  if (!dh.ok()) return result;
  result.advice = "axes that are almost parallel have no good DH table";
  result.link_frames = on_table_links(dh);
  const std::vector<FrameOnLink> kept = kept_frames(robot, dh.table, result.link_frames);
  result.text = write_dh_file(dh.table, kept);
  result.notes.emplace_back(
      "link frames are those of the table; coordinates, torques and names of joints stay");
  if (const std::size_t merged = dh.link_frames.size() - dh.table.rows.size() - 1; merged > 0)
    result.notes.push_back(
        "merged into the links that carry them, and kept as frames: " + std::to_string(merged) +
        (merged == 1 ? " link" : " links") + " behind fixed joints");
  for (const std::string& words : what_tables_cannot_say(robot))
    result.notes.push_back("a DH table has no place for " + words + ": they are left out");
  return result;
}

}  // namespace

namespace internal {

const RobotFormat& robot_file_format() {
  static const RobotFormat format{
      .name = "robot",
      .title = "YAML",
      .extensions = {".yaml", ".yml"},
      .recognises = [](std::string_view) { return true; },
      .read = read,
      .examine = robot_file::examine,
      .edit = robot_file::edit,
      .write = write,
      .cannot_say = [](const RobotDescription&) { return std::vector<std::string>{}; }};
  return format;
}

/// The reader of robot files reads tables, too: these rows are there to be written.
static RobotFormat table_format(const char* name, const char* title,
                                decltype(RobotFormat::write) write) {
  RobotFormat format = robot_file_format();
  format.name = name;
  format.title = title;
  format.recognises = [](std::string_view) { return false; };
  format.write = write;
  format.cannot_say = what_tables_cannot_say;
  return format;
}
const RobotFormat& dh_format() {
  static const RobotFormat format =
      table_format("dh", "DH table in YAML", write_table<DhTable::Convention::standard>);
  return format;
}
const RobotFormat& mdh_format() {
  static const RobotFormat format =
      table_format("mdh", "modified DH table in YAML", write_table<DhTable::Convention::modified>);
  return format;
}

}  // namespace internal
}  // namespace torsor
