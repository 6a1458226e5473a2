#include "torsor/formats/convert.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor {
namespace {

constexpr std::pair<RobotFormat, const char*> formats[] = {{RobotFormat::urdf, "urdf"},
                                                           {RobotFormat::robot_file, "robot"},
                                                           {RobotFormat::dh, "dh"},
                                                           {RobotFormat::mdh, "mdh"}};

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// What the writer puts in elements that only Torsor reads.
std::vector<std::string> beyond_urdf(const RobotDescription& robot) {
  std::vector<std::string> words;
  const auto say = [&](bool present, const char* what) {
    if (present) words.emplace_back(what);
  };
  const auto any = [&](const auto& test) {
    return std::any_of(robot.joints.begin(), robot.joints.end(), test);
  };
  say(!same(robot.gravity, RobotDescription{}.gravity), "gravity");
  const SE3<double>& base = robot.base;
  say(!same(base.p, {}) || !same(base.R.c0, {1, 0, 0}) || !same(base.R.c1, {0, 1, 0}),
      "pose of the base");
  say(!robot.frames.empty(), "frames");
  say(!robot.loops.empty(), "loops");
  say(std::any_of(robot.couplings.begin(), robot.couplings.end(),
                  [](const Coupling& c) { return c.terms.size() != 2; }),
      "couplings of more than two joints");
  say(!robot.springs.empty() || any([](const Joint& j) { return !j.spring.empty(); }), "springs");
  say(any([](const Joint& j) { return !j.actuator.empty(); }), "motors");
  say(any([](const Joint& j) {
        return std::any_of(j.friction.begin(), j.friction.end(), [](const Friction& f) {
          return f.viscous != 0 || f.stiction != 0 || f.stribeck != 0 || f.width != 0;
        });
      }),
      "friction beyond damping and Coulomb");
  say(any([](const Joint& j) {
        return std::any_of(j.limits.begin(), j.limits.end(), [](const Limits& l) {
          return l.acceleration < infinity || l.jerk < infinity;
        });
      }),
      "limits of acceleration and jerk");
  say(any([](const Joint& j) {
        return j.kind == JointKind::helical || j.kind == JointKind::cylindrical ||
               j.kind == JointKind::universal || j.kind == JointKind::translational ||
               j.kind == JointKind::spherical || j.kind == JointKind::spherical_euler ||
               j.kind == JointKind::free_euler || j.kind == JointKind::composite;
      }),
      "joints that URDF does not have");
  return words;
}

std::vector<FrameOnLink> unmoved_links(const RobotDescription& robot) {
  std::vector<FrameOnLink> frames;
  for (const Link& link : robot.links) frames.push_back({link.name, link.name, {}, link.origin});
  return frames;
}

/// Link frames in the frames that from_dh gives to the links: Tx(a) Rx(alpha) before a standard one.
std::vector<FrameOnLink> on_table_links(const DhConversion& dh) {
  std::vector<FrameOnLink> frames = dh.link_frames;
  if (dh.table.convention == DhTable::Convention::modified) return frames;
  for (FrameOnLink& frame : frames)
    for (const DhRow& row : dh.table.rows)
      if (row.link == frame.link) frame.placement = x_screw(row.a, row.alpha) * frame.placement;
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

void to_table(const RobotDescription& robot, DhTable::Convention convention,
              const std::string& tool, Conversion& result) {
  const DhConversion dh = to_dh(robot, convention, tool);
  result.message = dh.message;
  if (!dh.ok()) return;
  result.link_frames = on_table_links(dh);
  const std::vector<FrameOnLink> kept = kept_frames(robot, dh.table, result.link_frames);
  result.text = write_dh_file(dh.table, kept);
  result.notes.emplace_back(
      "link frames are those of the table; coordinates, torques and names of joints stay");
  if (const std::size_t merged = dh.link_frames.size() - dh.table.rows.size() - 1; merged > 0)
    result.notes.push_back(
        "merged into the links that carry them, and kept as frames: " + std::to_string(merged) +
        (merged == 1 ? " link" : " links") + " behind fixed joints");
  if (std::any_of(robot.links.begin(), robot.links.end(),
                  [](const Link& link) { return !link.geometry.empty(); }))
    result.notes.emplace_back("a DH table has no place for shapes and meshes: they are left out");
}

}  // namespace

const char* name_of(RobotFormat format) { return formats[static_cast<std::size_t>(format)].second; }

RobotFormat robot_format(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [format, word] : formats) {
    if (name == word) return format;
    known.emplace_back(word);
  }
  throw Error("unknown format " + in_quotes(name) + did_you_mean(name, known) + " (" +
              listed(known) + ")");
}

std::optional<RobotFormat> robot_format_of_path(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (extension == ".urdf" || extension == ".xml") return RobotFormat::urdf;
  if (extension == ".yaml" || extension == ".yml") return RobotFormat::robot_file;
  return std::nullopt;
}

Conversion convert_robot(const RobotDescription& robot, RobotFormat format,
                         const std::string& tool) {
  Conversion result;
  switch (format) {
    case RobotFormat::urdf: {
      result.text = write_urdf(robot);
      result.link_frames = unmoved_links(robot);
      if (const auto words = beyond_urdf(robot); !words.empty())
        result.notes.push_back("URDF cannot say: " + listed(words) +
                               "; written as torsor: elements, which other programs ignore");
      break;
    }
    case RobotFormat::robot_file:
      result.text = write_robot_file(robot);
      result.link_frames = unmoved_links(robot);
      break;
    case RobotFormat::dh:
      to_table(robot, DhTable::Convention::standard, tool, result);
      break;
    case RobotFormat::mdh:
      to_table(robot, DhTable::Convention::modified, tool, result);
      break;
  }
  return result;
}

}  // namespace torsor
