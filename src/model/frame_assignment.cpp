#include "torsor/model/frame_assignment.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "torsor/math/array.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor {
namespace {

using Point = Vec3<double>;
using Convention = DhTable::Convention;

struct Line {
  Point point;
  Vec3<double> direction;  // unit
};

Point projected(const Point& x, const Line& line) {
  return line.point + line.direction * dot(x - line.point, line.direction);
}
/// The point of `line` that is nearest to `other`; the two are not parallel.
Point foot_on(const Line& line, const Line& other) {
  const Vec3<double> n = cross(line.direction, other.direction);
  const double s = dot(cross(other.point - line.point, other.direction), n) / squared_norm(n);
  return line.point + line.direction * s;
}

/// The lines of the joint axes, and on each the point where the frame wants its origin for the sake
/// of the axes further out: the foot of the next common normal that is not free.
class Axes {
 public:
  Array<Line> lines;
  Array<std::optional<Point>> anchors;

  Axes(const std::vector<JointAxis>& joints, const FrameAssignmentOptions& options)
      : joints_(joints), options_(options) {
    for (const JointAxis& joint : joints)
      lines.push_back({joint.point, normalised(joint.direction)});
    anchors.resize(lines.size());
    const int last_revolute = place_last_prismatic_run();
    for (int k = std::min(last_revolute, size() - 2); k >= 0; --k) {
      if (joints_[k].prismatic)
        place_prismatic(k);
      else
        anchor_revolute(k);
    }
  }

  bool parallel(const Vec3<double>& u, const Vec3<double>& v) const {
    return norm(cross(u, v)) < options_.parallel;
  }

 private:
  int size() const { return static_cast<int>(lines.size()); }

  int revolute_before(int k) const {
    do --k;
    while (k >= 0 && joints_[k].prismatic);
    return k;
  }

  /// Prismatic joints that end the chain go through one point of the last revolute axis: the foot
  /// of its normal to an earlier one, which zeroes d there. Returns the last revolute joint.
  int place_last_prismatic_run() {
    const int last = revolute_before(size());
    if (last == size() - 1) return last;
    Point centre = lines[0].point;
    if (last >= 0) {
      int j = revolute_before(last);
      while (j >= 0 && parallel(lines[j].direction, lines[last].direction)) j = revolute_before(j);
      centre = j >= 0 ? foot_on(lines[last], lines[j]) : projected(centre, lines[last]);
    }
    for (int k = last + 1; k < size(); ++k) {
      lines[k].point = centre;
      anchors[k] = centre;
    }
    return last;
  }

  void anchor_revolute(int k) {
    const Line &line = lines[k], &next = lines[k + 1];
    if (!parallel(line.direction, next.direction))
      anchors[k] = foot_on(line, next);
    else if (anchors[k + 1])
      anchors[k] = projected(*anchors[k + 1], line);
  }

  void place_prismatic(int k) {
    Line& line = lines[k];
    const Line& next = lines[k + 1];
    if (anchors[k + 1]) {
      line.point = *anchors[k + 1];
      anchors[k] = line.point;
    } else if (parallel(line.direction, next.direction)) {
      line.point = next.point;  // the origin may still slide along both
    } else {
      line.point = meeting_point(k, next);
      anchors[k] = line.point;
    }
  }

  /// Where joint k and the prismatic joints before it cross `next`, when nothing further out tells:
  /// where the first of them also meets the revolute axis before it, so that one more a is zero.
  Point meeting_point(int k, const Line& next) const {
    const int j = revolute_before(k);
    if (j < 0) return projected(joints_[k].point, next);
    const Line& before = lines[j];
    const Vec3<double> n = cross(lines[j + 1].direction, before.direction);
    const double slope = dot(next.direction, n);
    if (std::abs(slope) > options_.parallel)
      return next.point + next.direction * (dot(before.point - next.point, n) / slope);
    return parallel(next.direction, before.direction) ? projected(before.point, next)
                                                      : foot_on(next, before);
  }

  Array<JointAxis> joints_;
  const FrameAssignmentOptions& options_;
};

std::vector<Point> origins(const std::vector<JointAxis>& joints, const Axes& axes) {
  const std::size_t n = joints.size();
  std::vector<Point> O{axes.anchors[0].value_or(axes.lines[0].point)};
  for (std::size_t i = 1; i < n; ++i) {
    const Line &before = axes.lines[i - 1], &line = axes.lines[i];
    if (!axes.parallel(before.direction, line.direction))
      O.push_back(foot_on(line, before));
    else if (joints[i - 1].prismatic && axes.anchors[i])
      O.push_back(*axes.anchors[i]);
    else
      O.push_back(projected(O.back(), line));
  }
  O.push_back(O.back());
  return O;
}

/// Unit, perpendicular to z.
Vec3<double> perpendicular_part(const Vec3<double>& x, const Vec3<double>& z) {
  return normalised(x - z * dot(x, z));
}

Vec3<double> with_sense_of(const Vec3<double>& x, const std::optional<Vec3<double>>& previous) {
  constexpr double zero = 1e-9;
  if (previous && std::abs(dot(x, *previous)) > zero) return dot(x, *previous) > 0 ? x : -x;
  for (int k = 0; k < 3; ++k)
    if (std::abs(x[k]) > zero) return x[k] > 0 ? x : -x;
  return x;
}

/// X_i along the common normal of Z_{i-1} and Z_i, or nothing where they coincide.
std::optional<Vec3<double>> normal_direction(const Line& before, const Line& line, const Point& O,
                                             const std::optional<Vec3<double>>& previous,
                                             const Axes& axes, double meeting) {
  if (axes.parallel(before.direction, line.direction)) {
    const Vec3<double> offset = O - projected(O, before);
    if (norm(offset) < meeting) return std::nullopt;
    return normalised(offset);
  }
  const Vec3<double> n = normalised(cross(before.direction, line.direction));
  const double distance = dot(O - before.point, n);
  if (std::abs(distance) < meeting) return with_sense_of(n, previous);
  return distance > 0 ? n : -n;
}

std::vector<SE3<double>> standard_frames(const std::vector<JointAxis>& joints, const Axes& axes,
                                         double meeting) {
  const std::size_t n = joints.size();
  const std::vector<Point> O = origins(joints, axes);
  std::vector<Vec3<double>> X(n + 1);
  std::optional<Vec3<double>> previous;
  for (std::size_t i = 1; i < n; ++i) {
    const Line &before = axes.lines[i - 1], &line = axes.lines[i];
    const bool first = !previous;
    if (const auto x = normal_direction(before, line, O[i], previous, axes, meeting)) previous = x;
    if (!previous) continue;
    X[i] = *previous;
    if (first) std::fill_n(X.begin(), i, *previous);
  }
  if (!previous) {  // one line only: any X will do
    const Vec3<double>& z = axes.lines[0].direction;
    previous = std::abs(z.x) < 0.9 ? Vec3<double>::unit_x() : Vec3<double>::unit_y();
    std::fill(X.begin(), X.end(), *previous);
  }
  X[n] = *previous;

  std::vector<SE3<double>> frames;
  for (std::size_t i = 0; i <= n; ++i) {
    const Vec3<double>& z = axes.lines[std::min(i, n - 1)].direction;
    const Vec3<double> x = perpendicular_part(X[i], z);
    frames.push_back({{x, cross(z, x), z}, O[i]});
  }
  return frames;
}

/// Rounding in directions and points leaves a few epsilon where the geometry says 0 or 90 degrees.
constexpr double rounding = 4e-15;

double clean_angle(double angle) {
  constexpr double quarter = std::numbers::pi / 2;
  const double k = std::round(angle / quarter);
  if (std::abs(angle - k * quarter) > rounding) return angle;
  return k == -2 ? std::numbers::pi : k * quarter + 0.0;  // + 0.0: no negative zero
}
double clean_length(double length, double scale) {
  return std::abs(length) < rounding * scale ? 0 : length;
}

DhTable table_of(const std::vector<JointAxis>& joints, const std::vector<SE3<double>>& frames) {
  double scale = 1;
  for (const SE3<double>& T : frames) scale = std::max(scale, norm(T.p));
  DhTable table;
  table.base = frames[0];
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const DhParameters found = dh_parameters_from_frames(frames[i], frames[i + 1]);
    DhRow row;
    row.a = clean_length(found.a, scale);
    row.alpha = clean_angle(found.alpha);
    row.d = clean_length(found.d, scale);
    row.theta = clean_angle(found.theta);
    row.prismatic = joints[i].prismatic;
    (row.prismatic ? row.d : row.theta) -= joints[i].q;
    table.rows.push_back(row);
  }
  return table;
}

/// Normalised directions, and antiparallel neighbours turned where the options ask for it.
std::vector<JointAxis> checked(const std::vector<JointAxis>& axes,
                               const FrameAssignmentOptions& options, std::vector<int>& sign) {
  if (axes.empty()) throw Error("frame assignment: there are no joint axes");
  std::vector<JointAxis> result = axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    JointAxis& axis = result[i];
    const std::string name = "frame assignment: axis " + std::to_string(i + 1);
    const double length = norm(axis.direction);
    if (!std::isfinite(length) || !std::isfinite(norm(axis.point)) || !std::isfinite(axis.q))
      throw Error(name + " holds a number that is not finite");
    if (!(length > 0)) throw Error(name + " has direction zero");
    axis.direction = axis.direction * (1 / length);
    sign.push_back(1);
    if (!options.same_sense || i == 0) continue;
    const Vec3<double>& before = result[i - 1].direction;
    if (norm(cross(before, axis.direction)) < options.parallel && dot(before, axis.direction) < 0) {
      axis.direction = -axis.direction;
      axis.q = -axis.q;
      sign.back() = -1;
    }
  }
  return result;
}

/// Frames and errors as the table has them, so that nobody relies on digits that it lost.
void place_frames(FrameAssignment& result, const std::vector<JointAxis>& joints) {
  const DhTable& table = result.table;
  const bool standard = table.convention == Convention::standard;
  result.frames = {table.base};
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const SE3<double> A = link_transform(table.convention, table.rows[i], joints[i].q);
    result.frames.push_back(result.frames.back() * A);
    const SE3<double>& T = result.frames[standard ? i : i + 1];
    const Line axis{T.p, T.R.c2};
    result.direction_error =
        std::max(result.direction_error, norm(cross(axis.direction, joints[i].direction)));
    if (!joints[i].prismatic)
      result.position_error =
          std::max(result.position_error, norm(joints[i].point - projected(joints[i].point, axis)));
  }
}

}  // namespace

FrameAssignment assign_dh_frames(const std::vector<JointAxis>& given,
                                 const FrameAssignmentOptions& options) {
  FrameAssignment result;
  const std::vector<JointAxis> joints = checked(given, options, result.sign);
  const Axes axes(joints, options);
  result.table = table_of(joints, standard_frames(joints, axes, options.meeting));
  if (options.convention == Convention::modified) result.table = dh_to_mdh(result.table);
  place_frames(result, joints);
  return result;
}

}  // namespace torsor
