// Keyframes: named configurations.
#include <algorithm>
#include <cmath>

#include "mjcf/reader.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

/// Of w, x, y, z at `at` in MuJoCo's order.
Quaternion<double> quaternion_at(const XmlElement& key, const std::vector<double>& qpos,
                                 std::size_t at, const std::string& joint) {
  const double *x = qpos.data() + at,
               n = std::hypot(std::hypot(x[0], x[1]), std::hypot(x[2], x[3]));
  if (!(n > 1e-10) || !std::isfinite(n))
    key.fail("qpos: the quaternion of joint " + in_quotes(joint) + " has norm " + format_number(n));
  return {x[1] / n, x[2] / n, x[3] / n, x[0] / n};
}

}  // namespace

/// qpos has the coordinates of all joints in the order of the bodies: quaternions w, x, y, z, and of a free
/// joint the pose of the body in the world.
void Reader::read_key(const Node& node) {
  const XmlElement& at = node.xml;
  if (node.tag != "key")
    return notes_.unknown(at, "element <" + node.tag + "> in <keyframe>",
                          did_you_mean(node.tag, {"key"}), "MJCF");
  static const std::set<std::string> others = {"time", "qvel", "act", "ctrl", "mpos", "mquat"};
  for (const std::string& name : at.attribute_names()) {
    if (others.contains(name))
      notes_.unused(at, name + " of keyframes", Finding::Topic::motion);
    else if (name != "name" && name != "qpos")
      notes_.unknown(at, "attribute " + in_quotes(name) + " of <key>",
                     did_you_mean(name, {"name", "qpos", "qvel", "ctrl"}), "MJCF");
  }
  if (!at.attribute("qpos"))
    return notes_.unused(at, "keyframes without qpos", Finding::Topic::motion);
  if (leaves_bodies_out_)  // whose coordinates are among the numbers
    return notes_.unused(at, "keyframes", Finding::Topic::motion);
  std::size_t size = 0;
  for (const Joint& joint : robot_.joints) size += static_cast<std::size_t>(n_q(joint));
  const std::vector<double> qpos = Attributes(at, "", nullptr).numbers("qpos", 0, 1'000'000);
  if (qpos.size() != size)
    at.fail("qpos has " + std::to_string(qpos.size()) + " numbers; the joints have " +
            std::to_string(size) + " coordinates");
  NamedConfiguration key;
  key.origin = at.origin();
  const std::string given = node.attribute("name");
  if (!given.empty() && !key_names_.insert(given).second)
    at.fail("another keyframe has the name " + in_quotes(given));
  key.name = given.empty() ? fresh("key", key_names_) : given;
  std::size_t first = 0;
  for (const Joint& joint : robot_.joints) {
    const auto n = static_cast<std::size_t>(n_q(joint));
    if (n == 0) continue;
    const auto from = qpos.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<double> q(from, from + static_cast<std::ptrdiff_t>(n));
    if (joint.kind == JointKind::spherical) {
      const Quaternion<double> turn = quaternion_at(at, qpos, first, joint.name);
      q = {turn.x, turn.y, turn.z, turn.w};
    } else if (joint.kind == JointKind::free) {
      const Quaternion<double> turn = quaternion_at(at, qpos, first + 3, joint.name);
      const SE3<double> T =
          inverse(joint.placement) *
          SE3<double>{rotation(turn), {qpos[first], qpos[first + 1], qpos[first + 2]}};
      const Quaternion<double> own = quaternion(T.R);
      q = {T.p.x, T.p.y, T.p.z, own.x, own.y, own.z, own.w};
    }
    key.entries.push_back({joint.name, std::move(q)});
    first += n;
  }
  robot_.configurations.push_back(std::move(key));
}

}  // namespace torsor::internal::mjcf
