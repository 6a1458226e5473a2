#include "torsor/trajectory/pose_path.hpp"

namespace torsor {

PosePath<double> pose_path(const std::vector<double>& times, std::vector<SE3<double>> poses,
                           double blend, PoseInterpolation interpolation) {
  using internal::check::number;
  internal::check::times("pose_path", times);
  internal::check::size("pose_path", "poses", static_cast<int>(poses.size()),
                        static_cast<int>(times.size()));
  internal::check::finite("pose_path", "blend", blend);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    internal::check::pose("pose_path", "poses[" + std::to_string(k) + "]", poses[k]);
    if (blend < 0 || (k > 0 && blend > times[k] - times[k - 1]))
      throw Error("pose_path: blend is " + number(blend) +
                  " s; it must be between 0 and the time of every segment" +
                  (k > 0 ? ", " + number(times[k] - times[k - 1]) + " s before poses[" +
                               std::to_string(k) + "]"
                         : ""));
  }
  return {times, std::move(poses), interpolation, blend};
}

}  // namespace torsor
