#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace {

/// "x", "y", "z" of one of several; "length", "angle" where there is one of its kind.
std::string part_label(JointKind kind, int k) {
  const Measure measure = internal::coordinate_measure(kind, k);
  int before = 0, all = 0;
  for (int j = 0; j < n_q(kind); ++j) {
    if (internal::coordinate_measure(kind, j) != measure) continue;
    before += j < k ? 1 : 0;
    ++all;
  }
  switch (measure) {
    case Measure::length:
      return all == 1 ? "length" : std::string(1, "xyz"[before]);
    case Measure::quaternion:
      return std::string("q") + "xyzw"[before];
    case Measure::angle:
      break;
  }
  return all == 1 ? "angle" : "angle_" + std::to_string(before + 1);
}

/// After the coordinate whose rate it is, else "wx" ... "vz": the components of a body twist.
std::string rate_label(JointKind kind, int k) {
  if (const int coordinate = internal::rate_coordinate(kind, k); coordinate >= 0)
    return part_label(kind, coordinate);
  const Measure measure = internal::velocity_measure(kind, k);
  int before = 0, all = 0;
  for (int j = 0; j < n_v(kind); ++j) {
    if (internal::velocity_measure(kind, j) != measure) continue;
    before += j < k ? 1 : 0;
    ++all;
  }
  const std::string letter = measure == Measure::angle ? "w" : "v";
  return all == 1 ? letter : letter + "xyz"[before];
}

/// The joint's name, the number of the part where there are several, and the label in it.
template <class Count, class Label>
std::vector<std::string> labels(const Model<double>& model, Count count, Label label) {
  std::vector<std::string> all;
  for (int i = 1; i < model.n_bodies(); ++i) {
    int parts = 0, of_joint = 0, part = 0;
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      ++parts;
      of_joint += count(kind);
    });
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      std::string name = model.joint_name(i);
      if (parts > 1 && of_joint > 1) name += "." + std::to_string(part);
      ++part;
      for (int k = 0; k < count(kind); ++k)
        all.push_back(count(kind) == 1 ? name : name + "." + label(kind, k));
    });
  }
  return all;
}

}  // namespace

std::vector<Measure> coordinate_measures(const Model<double>& model) {
  std::vector<Measure> all;
  for (int i = 1; i < model.n_bodies(); ++i)
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      for (int k = 0; k < n_q(kind); ++k) all.push_back(internal::coordinate_measure(kind, k));
    });
  return all;
}

std::vector<Measure> velocity_measures(const Model<double>& model) {
  std::vector<Measure> all;
  for (int i = 1; i < model.n_bodies(); ++i)
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      for (int k = 0; k < n_v(kind); ++k) all.push_back(internal::velocity_measure(kind, k));
    });
  return all;
}

std::vector<std::string> coordinate_labels(const Model<double>& model) {
  return labels(
      model, [](JointKind kind) { return n_q(kind); }, part_label);
}

std::vector<std::string> velocity_labels(const Model<double>& model) {
  return labels(
      model, [](JointKind kind) { return n_v(kind); }, rate_label);
}

}  // namespace torsor
