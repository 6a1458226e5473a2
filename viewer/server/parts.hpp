#pragma once
/// What the answers of a session share.
#include <string>
#include <vector>

#include "server/request.hpp"
#include "torsor/robot.hpp"

namespace torsor::view {

inline Robot::Vector vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Robot::Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}
inline Json list(const Robot::Vector& x) {
  Json out = Json::array();
  for (const double v : x) out.push_back(v);
  return out;
}
/// Rows.
inline Json rows(const Robot::Matrix& A) {
  Json out = Json::array();
  for (Eigen::Index r = 0; r < A.rows(); ++r) out.push_back(list(A.row(r)));
  return out;
}
inline Eigen::Isometry3d eigen_pose(const SE3<double>& T) {
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.matrix()(r, c) = T.R(r, c);
    out.matrix()(r, 3) = T.p[r];
  }
  return out;
}
/// 16 numbers, row by row.
inline Json matrix_json(const Eigen::Isometry3d& T) {
  Json out = Json::array();
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out.push_back(T.matrix()(r, c));
  return out;
}
/// x y z qx qy qz qw, at the end of a list.
inline void append_pose(Json& out, const SE3<double>& T) {
  const Quaternion<double> q = quaternion(T.R);
  for (const double x : {T.p.x, T.p.y, T.p.z, q.x, q.y, q.z, q.w}) out.push_back(x);
}
inline Json pose_json(const SE3<double>& T) {
  Json out = Json::array();
  append_pose(out, T);
  return out;
}

Reference reference_of(const std::string& name);
const char* name_of(Reference reference);

}  // namespace torsor::view
