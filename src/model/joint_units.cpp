#include "torsor/model/joint_units.hpp"

namespace torsor {

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

}  // namespace torsor
