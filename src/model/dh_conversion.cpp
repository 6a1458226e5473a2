#include "torsor/model/dh_conversion.hpp"

#include <algorithm>
#include <map>

#include "torsor/model/frame_assignment.hpp"

namespace torsor {
namespace {

using Convention = DhTable::Convention;

void expect(const DhTable& table, Convention convention) {
  if (table.convention == convention) return;
  throw Error(table.origin.prefix() + "DH table '" + table.name + "' is " +
              name_of(table.convention) + ", a " + name_of(convention) + " one is expected");
}

void transport(DhRow& row, const SE3<double>& T_new_old) {
  if (row.has_inertial) row.inertial = transported(T_new_old, row.inertial);
}

/// A link, where it is at q = 0, and how many fixed joints lie between it and the moving link.
struct Placed {
  const Link* link;
  SE3<double> T_world;
  int depth;
};
/// Links that are fixed to each other; the first is the moving one (or the root).
using Group = std::vector<Placed>;

struct Chain {
  std::string message;
  std::vector<Group> groups;         // 0..n
  std::vector<const Joint*> joints;  // 1..n at 0..n-1
  std::vector<JointAxis> axes;
};

bool fits_dh(JointKind kind) { return internal::motion_class(kind) != JointMotionClass::general; }

std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// What a table has no place for, apart from the tree itself.
std::string extras(const RobotDescription& robot) {
  if (!robot.loops.empty())
    return robot.loops[0].origin.prefix() + "loop joint " + quoted(robot.loops[0].name) +
           " closes a loop; a DH table describes an open chain";
  if (!robot.couplings.empty())
    return robot.couplings[0].origin.prefix() + "coupling " + quoted(robot.couplings[0].name) +
           " ties joints together; a DH table cannot say that";
  if (!robot.motors.empty())
    return robot.motors[0].origin.prefix() + "motor " + quoted(robot.motors[0].name) +
           " turns with several joints; a DH table cannot say that";
  if (!robot.springs.empty())
    return robot.springs[0].origin.prefix() + "spring " + quoted(robot.springs[0].name) +
           " acts between links; a DH table cannot say that";
  return {};
}

class ChainWalk {
 public:
  explicit ChainWalk(const RobotDescription& robot) : robot_(robot) {
    for (const Joint& joint : robot.joints) children_[joint.parent].push_back(&joint);
  }

  Chain chain() {
    Chain result;
    result.message = extras(robot_);
    Placed start{robot_.find_link(robot_.root), robot_.base, 0};
    if (!start.link)
      throw Error("robot " + quoted(robot_.name) + ": root link " + quoted(robot_.root) +
                  " is not among its links");
    while (result.message.empty()) {
      const Joint* moving = nullptr;
      SE3<double> T_world_joint;
      result.groups.push_back(group(start, moving, T_world_joint, result.message));
      if (!moving || !result.message.empty()) break;
      result.joints.push_back(moving);
      result.axes.push_back({internal::slides_along_axis(moving->kind), T_world_joint.p,
                             T_world_joint.R * moving->axis, 0});
      start = {&child(*moving), T_world_joint, 0};
    }
    if (result.message.empty() && result.joints.empty())
      result.message = "robot " + quoted(robot_.name) + " has no moving joint";
    return result;
  }

 private:
  const Link& child(const Joint& joint) {
    const Link* link = robot_.find_link(joint.child);
    const std::string name = joint.origin.prefix() + "joint " + quoted(joint.name);
    if (!link) throw Error(name + ": child link " + quoted(joint.child) + " does not exist");
    if (++visits_[joint.child] > 1 || joint.child == robot_.root)
      throw Error(name + ": link " + quoted(joint.child) + " already has a parent");
    return *link;
  }

  /// Everything fixed to `start`, and the one joint that moves on from there.
  Group group(const Placed& start, const Joint*& moving, SE3<double>& T_world_joint,
              std::string& message) {
    Group links{start};
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Placed parent = links[k];
      for (const Joint* joint : children_[parent.link->name]) {
        const SE3<double> T = parent.T_world * joint->placement;
        const std::string name = joint->origin.prefix() + "joint " + quoted(joint->name);
        if (joint->kind == JointKind::fixed) {
          links.push_back({&child(*joint), T, parent.depth + 1});
        } else if (!fits_dh(joint->kind)) {
          message = name + " is " + name_of(joint->kind) +
                    "; a DH table has revolute, continuous and prismatic joints";
        } else if (moving) {
          message = name + " branches off beside joint " + quoted(moving->name) +
                    "; a DH table describes one chain";
        } else {
          moving = joint;
          T_world_joint = T;
        }
        if (!message.empty()) return links;
      }
    }
    return links;
  }

  const RobotDescription& robot_;
  std::map<std::string, std::vector<const Joint*>> children_;
  std::map<std::string, int> visits_;
};

/// One body from all links of a group, in the frame whose pose is T_world_frame. Summed about the
/// common centre of mass: no digits are lost to the distance of the frame.
bool merge(const Group& links, const SE3<double>& T_world_frame, Inertial& merged) {
  std::vector<Inertial> parts;
  for (const Placed& placed : links)
    if (placed.link->has_inertial)
      parts.push_back(
          transported(inverse_times(T_world_frame, placed.T_world), placed.link->inertial));
  merged = parts.size() == 1 ? parts[0] : Inertial{};
  if (parts.size() < 2) return !parts.empty();
  Vec3<double> moment;
  for (const Inertial& part : parts) {
    merged.mass += part.mass;
    moment += part.com * part.mass;
  }
  if (merged.mass != 0) merged.com = moment * (1 / merged.mass);
  for (const Inertial& part : parts)
    merged.about_com = merged.about_com + part.about_com +
                       Inertia<double>::parallel_axes(part.mass, part.com - merged.com);
  return true;
}

/// Pose of the tool in the world at q = 0; a message when the name is not on the last body.
std::string place_tool(const RobotDescription& robot, const Group& last, const std::string& name,
                       SE3<double>& T_world_tool) {
  const std::string wanted = name.empty() ? "tool" : name;
  for (const Placed& placed : last) {
    T_world_tool = placed.T_world;
    if (placed.link->name == wanted) return {};
    for (const FrameOnLink& frame : robot.frames)
      if (frame.name == wanted && frame.link == placed.link->name) {
        T_world_tool = placed.T_world * frame.placement;
        return {};
      }
  }
  if (!name.empty())
    return "tool " + quoted(name) + " is no link or frame fixed to the last moving link " +
           quoted(last[0].link->name);
  const auto outermost = std::max_element(
      last.begin(), last.end(), [](const Placed& a, const Placed& b) { return a.depth < b.depth; });
  T_world_tool = outermost->T_world;
  return {};
}

template <class Entry>
Entry first_or_default(const std::vector<Entry>& entries) {
  return entries.empty() ? Entry{} : entries[0];
}

void describe_row(DhRow& row, const Joint& joint) {
  row.name = joint.name;
  row.link = joint.child;
  row.continuous = joint.kind == JointKind::continuous;
  row.limits = first_or_default(joint.limits);
  row.friction = first_or_default(joint.friction);
  row.actuator = first_or_default(joint.actuator);
  row.spring = first_or_default(joint.spring);
  row.origin = joint.origin;
}

}  // namespace

DhTable dh_to_mdh(const DhTable& standard) {
  expect(standard, Convention::standard);
  DhTable result = standard;
  result.convention = Convention::modified;
  double a = 0, alpha = 0;
  for (DhRow& row : result.rows) {
    const SE3<double> T_mdh_dh = internal::x_screw(row.a, row.alpha);
    transport(row, T_mdh_dh);
    std::swap(row.a, a);
    std::swap(row.alpha, alpha);
  }
  result.tool = internal::x_screw(a, alpha) * standard.tool;
  return result;
}

DhTable mdh_to_dh(const DhTable& modified) {
  expect(modified, Convention::modified);
  DhTable result = modified;
  result.convention = Convention::standard;
  double a = 0, alpha = 0;
  for (auto row = result.rows.rbegin(); row != result.rows.rend(); ++row) {
    std::swap(row->a, a);
    std::swap(row->alpha, alpha);
    transport(*row, inverse(internal::x_screw(row->a, row->alpha)));
  }
  const SE3<double> T_old_new = internal::x_screw(a, alpha);  // of frame 0
  result.base = modified.base * T_old_new;
  if (result.has_inertial) result.inertial = transported(inverse(T_old_new), modified.inertial);
  return result;
}

DhConversion to_dh(const RobotDescription& robot, Convention convention, const std::string& tool) {
  DhConversion result;
  const Chain chain = ChainWalk(robot).chain();
  result.message = chain.message;
  SE3<double> T_world_tool;
  if (result.ok()) result.message = place_tool(robot, chain.groups.back(), tool, T_world_tool);
  if (!result.ok()) return result;

  FrameAssignmentOptions options;
  options.convention = convention;
  const FrameAssignment found = assign_dh_frames(chain.axes, options);
  DhTable& table = result.table;
  table = found.table;
  table.name = robot.name;
  table.source = robot.source;
  table.root = robot.root;
  table.gravity = robot.gravity;
  table.origin = robot.origin;
  table.tool = inverse_times(found.frames.back(), T_world_tool);
  table.has_inertial = merge(chain.groups[0], found.frames[0], table.inertial);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    DhRow& row = table.rows[i];
    describe_row(row, *chain.joints[i]);
    row.has_inertial = merge(chain.groups[i + 1], found.frames[i + 1], row.inertial);
  }
  for (std::size_t i = 0; i < chain.groups.size(); ++i)
    for (const Placed& placed : chain.groups[i])
      result.link_frames.push_back({placed.link->name, i == 0 ? table.root : table.rows[i - 1].link,
                                    inverse_times(found.frames[i], placed.T_world),
                                    placed.link->origin});
  result.direction_error = found.direction_error;
  result.position_error = found.position_error;
  return result;
}

}  // namespace torsor
