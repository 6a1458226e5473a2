#include "torsor/model/measure.hpp"

#include "torsor/model/configuration.hpp"

namespace torsor {

std::vector<Measure> coordinate_measures(const Model<double>& model) {
  std::vector<Measure> all;
  for (int i = 1; i < model.n_bodies(); ++i)
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      for (int k = 0; k < n_q_of(kind); ++k) all.push_back(coordinate_measure(kind, k));
    });
  return all;
}

std::vector<Measure> velocity_measures(const Model<double>& model) {
  std::vector<Measure> all;
  for (int i = 1; i < model.n_bodies(); ++i)
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      for (int k = 0; k < n_v_of(kind); ++k) all.push_back(velocity_measure(kind, k));
    });
  return all;
}

}  // namespace torsor
