#pragma once
/// What is not known of an experiment, as distributions: the plan of a sweep.
///
///   plan.parameter_factor = Distribution::uniform(0.8, 1.2);
///   plan.payloads = {{"tool", {0, 0, 0.1}, 0, Distribution::uniform(0, 3)}};
///
/// Everything but gains is of the true robot and the experiment; the law goes on believing what it
/// believed.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "torsor/math/vec3.hpp"

namespace torsor {

struct Distribution {
  enum class Kind : unsigned char { uniform, normal };
  Kind kind = Kind::uniform;
  double a = 0, b = 0;  ///< least and largest; mean and standard deviation

  static Distribution uniform(double least, double largest) {
    return {Kind::uniform, least, largest};
  }
  static Distribution normal(double mean, double deviation) {
    return {Kind::normal, mean, deviation};
  }
};

/// A ball fixed to a link.
struct UncertainPayload {
  std::string link;
  Vec3<double> com{};  ///< its centre, in the link's frame
  double radius = 0;   ///< m; 0: a point
  Distribution mass{};
};

struct UncertainGain {
  std::string name;
  Distribution factor{};
};

struct SweepPlan {
  long samples = 100;
  std::uint64_t seed = 1;

  std::optional<Distribution> parameter_factor;  ///< on all inertial parameters alike
  std::optional<Distribution> link_factor;       ///< on the ten of each link, by its own draw
  /// On each of the ten of each link by its own draw; a link that was a possible body stays one.
  std::optional<Distribution> inertial_factor;
  std::optional<Distribution>
      friction_factor;  ///< on viscous and dry friction, alike in all joints
  std::vector<UncertainPayload> payloads;
  std::optional<Distribution> start_q, start_qd;  ///< added to each degree of freedom of the start
  bool noise = false;                             ///< another seed of sensor noise for each run
  std::vector<UncertainGain> gains;               ///< factors on gains of the law

  bool empty() const {
    return !parameter_factor && !link_factor && !inertial_factor && !friction_factor && !start_q &&
           !start_qd && !noise && payloads.empty() && gains.empty();
  }
};

}  // namespace torsor
