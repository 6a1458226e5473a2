#include <set>

#include "sdf/writer.hpp"

namespace torsor::internal::sdf {

std::map<std::string, std::string> make_names_plain(RobotDescription& robot) {
  std::map<std::string, std::string> old_names;
  const auto plain = [&](auto& elements) {
    std::set<std::string> taken;
    for (const auto& element : elements) taken.insert(element.name);
    std::map<std::string, std::string> now;
    for (auto& element : elements) {
      std::string name = element.name;
      for (std::size_t at; (at = name.find("::")) != std::string::npos;) name.replace(at, 2, "_");
      if (name == element.name) continue;
      const std::string wish = name;
      for (int k = 1; !taken.insert(name).second; ++k) name = wish + "_" + std::to_string(k);
      now[element.name] = name;
      old_names[name] = element.name;
      element.name = name;
    }
    return now;
  };
  const auto change = [](const std::map<std::string, std::string>& now, std::string& name) {
    if (const auto at = now.find(name); at != now.end()) name = at->second;
  };
  const auto links = plain(robot.links), joints = plain(robot.joints);
  (void)plain(robot.frames);
  change(links, robot.root);
  for (Joint& j : robot.joints) change(links, j.parent), change(links, j.child);
  for (FrameOnLink& f : robot.frames) change(links, f.link);
  for (LoopJoint& l : robot.loops) change(links, l.link_a), change(links, l.link_b);
  for (SpringDamper& d : robot.springs) change(links, d.link_a), change(links, d.link_b);
  for (Coupling& c : robot.couplings)
    for (Coupling::Term& term : c.terms) change(joints, term.joint);
  for (Motor& m : robot.motors)
    for (Coupling::Term& term : m.ratios) change(joints, term.joint);
  return old_names;
}

}  // namespace torsor::internal::sdf
