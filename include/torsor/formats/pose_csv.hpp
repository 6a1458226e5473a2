#pragma once
/// CSV of measured poses: configurations and where a frame of the robot was seen.
///
///   q.shoulder, q.elbow, x, y, z, qx, qy, qz, qw, frame
///   0.5, -1, 0.31, 0.12, 0.4, 0, 0, 0.247404, 0.968912, tool
///
/// q.<joint> of every joint, as in csv.hpp; x, y, z in m. A rotation is qx, qy, qz, qw (norm 1 to
/// 1e-3, normalised) or rx, ry, rz (axis times angle), for all rows or none. `frame` names what was
/// seen, `weight` counts the row's squares. With a column `distance`, x, y, z is a known point and
/// nothing but the distance from it was measured. In degrees: angles of q and rx, ry, rz.
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

struct PoseTable {
  std::vector<std::vector<double>> q;
  std::vector<Vec3<double>> position;
  std::vector<SO3<double>> rotation;  ///< empty where none was measured
  std::vector<std::string> frame;     ///< empty where the file has no such column
  std::vector<double> weight;         ///< likewise
  std::vector<double> distance;       ///< likewise
  std::vector<int> lines;

  std::size_t size() const { return q.size(); }
};

/// Throws Error with file and line for what is missing or no pose.
PoseTable parse_poses_csv(const std::string& text, const std::string& file_name,
                          const Model<double>& model, bool degrees = false);
PoseTable read_poses_csv(const std::string& path, const Model<double>& model, bool degrees = false);

}  // namespace torsor
