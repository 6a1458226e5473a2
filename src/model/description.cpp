#include "torsor/model/description.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace torsor {
namespace {

/// Letters to add, leave out or change, and neighbours to swap.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> before(b.size() + 1), line(b.size() + 1), next(b.size() + 1);
  std::iota(line.begin(), line.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitute = line[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({line[j] + 1, next[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(line);
    line.swap(next);
  }
  return line[b.size()];
}

template <class Element>
const Element* find(const std::vector<Element>& elements, const std::string& name) {
  const auto at = std::find_if(elements.begin(), elements.end(),
                               [&](const Element& e) { return e.name == name; });
  return at == elements.end() ? nullptr : &*at;
}

}  // namespace

const Link* RobotDescription::find_link(const std::string& link) const { return find(links, link); }
const Joint* RobotDescription::find_joint(const std::string& joint) const {
  return find(joints, joint);
}

int n_q(const Joint& joint) {
  int n = n_q(joint.kind);
  for (const JointPart& part : joint.parts) n += n_q(part.kind);
  return n;
}
int n_v(const Joint& joint) {
  int n = n_v(joint.kind);
  for (const JointPart& part : joint.parts) n += n_v(part.kind);
  return n;
}

JointKind joint_kind(const std::string& name) {
  std::vector<std::string> known;
  for (const JointKind kind : joint_kinds) {
    if (name == name_of(kind)) return kind;
    known.emplace_back(name_of(kind));
  }
  throw Error("unknown joint kind \"" + name + "\"" + did_you_mean(name, known));
}
const char* name_of(EulerOrder order) {
  return order == EulerOrder::zyx ? "zyx" : order == EulerOrder::zyz ? "zyz" : "zxz";
}
const char* name_of(LoopJoint::Kind kind) {
  constexpr std::array names = {"weld",        "revolute",  "prismatic", "universal",
                                "cylindrical", "spherical", "distance"};
  return names[static_cast<std::size_t>(kind)];
}

std::string internal::nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    const auto distance = static_cast<std::size_t>(edit_distance(name, candidate));
    if (distance >= least || 2 * distance > std::max(name.size(), candidate.size())) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known,
                         const char* before) {
  // Comparing costs length times length, and a file may hold any number of names of any length.
  constexpr std::size_t longest = 60, most = 10'000;
  const auto typed = [](const std::string& text) {
    return text.size() <= longest && std::none_of(text.begin(), text.end(), [](char c) {
             return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
           });
  };
  if (!typed(name)) return {};
  std::vector<std::string> candidates;
  for (const std::string& k : known)
    if (candidates.size() < most && typed(k)) candidates.push_back(k);
  const std::string nearest = internal::nearest_name(name, candidates);
  return nearest.empty() ? "" : std::string(before) + "did you mean \"" + nearest + "\"?";
}

}  // namespace torsor
