#include <map>

#include "info.hpp"
#include "text_output.hpp"

namespace torsor::command {
namespace {

constexpr int deepest = 24;  // branches in branches; a picture wider than that helps nobody

struct Drawing {
  const RobotDescription& robot;
  std::map<std::string, std::vector<const Joint*>> below{};
  std::string out{};

  void line(const std::string& prefix, const Joint& joint) {
    out += prefix + joint.name + " (" + name_of(joint.kind) + ") " + symbol("→", "->") + " " +
           joint.child + "\n";
  }
  /// Everything below a link; `margin` goes before every line of it.
  void draw(std::string link, const std::string& margin, int depth) {
    for (;;) {
      const std::vector<const Joint*>& joints = below[link];
      if (joints.empty()) return;
      if (joints.size() > 1) break;
      line(margin, *joints[0]);
      link = joints[0]->child;
    }
    if (depth == deepest) {
      out += margin + symbol("…", "...") + " more branches\n";
      return;
    }
    const std::vector<const Joint*> joints = below[link];
    for (const Joint* joint : joints) {
      const bool last = joint == joints.back();
      line(margin + (last ? symbol("└─ ", "`- ") : symbol("├─ ", "|- ")), *joint);
      draw(joint->child, margin + (last ? "   " : symbol("│  ", "|  ")), depth + 1);
    }
  }
};

}  // namespace

std::string tree_text(const RobotDescription& robot) {
  Drawing drawing{robot};
  for (const Joint& joint : robot.joints) drawing.below[joint.parent].push_back(&joint);
  std::string root = robot.root;
  if (root.empty())  // models built in code may leave it out
    for (const Link& link : robot.links) {
      bool is_child = false;
      for (const Joint& joint : robot.joints) is_child = is_child || joint.child == link.name;
      if (!is_child) root = link.name;
    }
  drawing.out = "  " + root + "\n";
  drawing.draw(root, "  ", 0);
  return std::move(drawing.out);
}

}  // namespace torsor::command
