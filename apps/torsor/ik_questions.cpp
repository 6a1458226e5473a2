// Poses to reach: from --xyz, --rpy, --quaternion, --axis, --pose, or from the columns of a CSV.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ik.hpp"
#include "number_list.hpp"
#include "pose_text.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/rotation.hpp"

namespace torsor::command {
namespace {

constexpr double rigid_tolerance = 1e-6;  // as analytic_ik

SO3<double> rotation_of_quaternion(const std::string& where, const std::vector<double>& x) {
  const double length = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (std::abs(length - 1) > rigid_tolerance)
    throw Error(where + "the quaternion's norm is " + format_number(length) + ", not 1");
  return rotation(normalised(Quaternion<double>{x[0], x[1], x[2], x[3]}));
}

SE3<double> pose_of_matrix(const std::string& where, const std::vector<double>& m) {
  const auto last = [&](std::size_t a, std::size_t b, std::size_t c) {
    return std::abs(m[a]) + std::abs(m[b]) + std::abs(m[c]) + std::abs(m[15] - 1) < 1e-9;
  };
  if (!last(12, 13, 14))
    throw Error(where + "not a pose: the last row is not 0, 0, 0, 1" +
                (last(3, 7, 11) ? "; the matrix is written row by row" : ""));
  const SE3<double> T{
      SO3<double>::rows({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}),
      {m[3], m[7], m[11]}};
  if (!is_rotation(T.R, rigid_tolerance)) {
    const double d = determinant(T.R);
    throw Error(where + "not rigid: its 3 x 3 part is no rotation " +
                (d < 0 ? "(a left-handed one" : "(its columns are not orthogonal unit vectors") +
                ", determinant " + format_number(d) + ")");
  }
  return T;
}

/// What was written of one target.
struct Words {
  std::string frame, xyz, rpy, quaternion, pose, axis;
};

/// Options of a target follow its --frame; those before the first one belong to it.
std::vector<Words> words_of_targets(const IkOptions& o) {
  std::vector<Words> targets(1);
  for (const auto& [option, value] : o.written) {
    if (option == "--frame") {
      if (!targets.back().frame.empty()) targets.emplace_back();
      targets.back().frame = value;
      continue;
    }
    Words& words = o.frames.size() > 1 ? targets.back() : targets.front();
    std::string* const place = option == "--xyz"          ? &words.xyz
                               : option == "--rpy"        ? &words.rpy
                               : option == "--quaternion" ? &words.quaternion
                               : option == "--pose"       ? &words.pose
                               : option == "--axis"       ? &words.axis
                                                          : nullptr;
    if (place == nullptr) continue;
    if (!place->empty())
      throw Error(option + " is given twice" +
                  (words.frame.empty() ? std::string() : " for frame " + in_quotes(words.frame)));
    *place = value;
  }
  return targets;
}

/// The frame's axis and where it should point: "0,0,-1" for z, or "x=0,0,-1".
void read_axis(const std::string& text, IkPose& pose) {
  std::string list = text;
  if (text.size() > 1 && text[1] == '=') {
    pose.axis = text[0] - 'x';
    if (pose.axis < 0 || pose.axis > 2)
      throw Error("--axis " + in_quotes(text) + ": is not x=, y= or z= and a direction");
    list = text.substr(2);
  }
  const std::vector<double> a = parse_numbers("--axis", list, 3, "a direction x, y, z");
  const Vec3<double> direction{a[0], a[1], a[2]};
  if (!(norm(direction) > 0)) throw Error("--axis " + in_quotes(text) + ": has no direction");
  const Vec3<double> d = normalised(direction);
  const Vec3<double> side =
      normalised(cross(d, std::abs(d.x) < 0.6 ? Vec3<double>::unit_x() : Vec3<double>::unit_y()));
  SO3<double> R;
  R[pose.axis] = d;
  R[(pose.axis + 1) % 3] = side;
  R[(pose.axis + 2) % 3] = cross(d, side);
  pose.T.R = R;
  pose.orientation = IkOrientation::axis;
}

IkPose pose_of_words(const Words& words, const IkOptions& o) {
  const std::string of = o.frames.size() > 1 ? " of frame " + in_quotes(words.frame) : "";
  const auto refuse = [&](const char* a, const char* b) {
    throw Error(std::string(a) + of + " excludes " + b);
  };
  IkPose pose;
  pose.frame = words.frame;
  const int turned = !words.rpy.empty() + !words.quaternion.empty() + !words.axis.empty();
  if (!words.pose.empty()) {
    if (!words.xyz.empty()) refuse("--pose", "--xyz");
    if (turned > 0) refuse("--pose", "--rpy, --quaternion, --axis");
    pose.T =
        pose_of_matrix("--pose: ", parse_numbers("--pose", words.pose, 16, "4 x 4, row by row"));
    if (o.position_only) pose.orientation = IkOrientation::none;
    return pose;
  }
  if (words.xyz.empty() && turned > 0)
    throw Error(std::string(!words.rpy.empty()          ? "--rpy"
                            : !words.quaternion.empty() ? "--quaternion"
                                                        : "--axis") +
                of + " requires --xyz");
  if (words.xyz.empty())
    throw Error("the target pose" + of +
                " is missing: give --xyz with --rpy, --quaternion or --axis, or --pose, or many "
                "poses by --csv");
  if (turned > 1) refuse("one of --rpy, --quaternion, --axis", "the others");
  if (turned > 0 && o.position_only) refuse("--position-only", "an orientation");
  const std::vector<double> p = parse_numbers("--xyz", words.xyz, 3, "x, y, z in m");
  pose.T.p = {p[0], p[1], p[2]};
  if (!words.quaternion.empty()) {
    pose.T.R = rotation_of_quaternion(
        "--quaternion: ", parse_numbers("--quaternion", words.quaternion, 4, "x, y, z, w"));
  } else if (!words.rpy.empty()) {
    const std::vector<double> a = parse_numbers("--rpy", words.rpy, 3, "roll, pitch, yaw");
    const double unit = o.degrees ? std::numbers::pi / 180 : 1;
    pose.T.R = rotation_of_roll_pitch_yaw(Vec3<double>{a[0], a[1], a[2]} * unit);
  } else if (!words.axis.empty()) {
    read_axis(words.axis, pose);
  } else {
    pose.orientation = IkOrientation::none;
  }
  return pose;
}

/// The columns of a CSV that make a pose, with or without the frame's name before them.
class PoseColumns {
 public:
  /// Without the frame's name where it is the only one.
  PoseColumns(const CsvTable& table, const std::string& file, const std::string& frame, bool only,
              const Model<double>& model)
      : table_(table), file_(one_line(file)), frame_(frame) {
    std::vector<std::string> prefixes{frame + "."};
    if (only) prefixes.insert(prefixes.begin(), "");
    for (const std::string& prefix : prefixes) {
      take(prefix, {"x", "y", "z"}, position_);
      take(prefix, {"roll", "pitch", "yaw"}, rpy_);
      take(prefix, {"qx", "qy", "qz", "qw"}, quaternion_);
      std::vector<std::string> entries;
      for (const char r : {'1', '2', '3', '4'})
        for (const char c : {'1', '2', '3', '4'})
          entries.push_back(std::string("T.") + r + "." + c);
      take(prefix, entries, matrix_);
    }
    refuse_unknown(model);
    if (matrix_.empty() == position_.empty())
      throw Error(file_ + ": " +
                  (matrix_.empty() ? "no columns x, y, z and none T.1.1 ... T.4.4"
                                   : "has x, y, z and T.1.1 ... T.4.4; one of them") +
                  (only ? std::string() : " of frame " + in_quotes(frame)));
  }

  bool oriented() const { return !(matrix_.empty() && rpy_.empty() && quaternion_.empty()); }

  int line(std::size_t row) const { return row < table_.lines.size() ? table_.lines[row] : 0; }

  IkPose pose(std::size_t row) const {
    const std::string where = file_ + ":" + std::to_string(line(row)) + ": ";
    const auto numbers = [&](const std::vector<std::size_t>& columns) {
      std::vector<double> out;
      for (const std::size_t c : columns) out.push_back(table_.rows[row][c]);
      return out;
    };
    IkPose out;
    out.frame = frame_;
    if (!oriented()) out.orientation = IkOrientation::none;
    if (!matrix_.empty()) {
      out.T = pose_of_matrix(where, numbers(matrix_));
      return out;
    }
    const std::vector<double> p = numbers(position_);
    out.T.p = {p[0], p[1], p[2]};
    if (!rpy_.empty()) {
      const std::vector<double> a = numbers(rpy_);
      out.T.R = rotation_of_roll_pitch_yaw({a[0], a[1], a[2]});
    }
    if (!quaternion_.empty()) {
      const SO3<double> R = rotation_of_quaternion(where, numbers(quaternion_));
      if (!rpy_.empty() && norm(log(transpose_times(R, out.T.R))) > rigid_tolerance)
        throw Error(where + "roll, pitch, yaw and the quaternion are different orientations");
      out.T.R = R;
    }
    return out;
  }

 private:
  void take(const std::string& prefix, const std::vector<std::string>& names,
            std::vector<std::size_t>& columns) {
    std::vector<std::size_t> found;
    std::string missing;
    for (const std::string& name : names) {
      known_.push_back(prefix + name);
      const auto at = std::find(table_.columns.begin(), table_.columns.end(), prefix + name);
      if (at != table_.columns.end())
        found.push_back(static_cast<std::size_t>(at - table_.columns.begin()));
      else if (missing.empty())
        missing = prefix + name;
    }
    if (found.empty()) return;
    if (!missing.empty())
      throw Error(file_ + ": column " + in_quotes(missing) + " is missing, though " +
                  in_quotes(table_.columns[found.front()]) + " is there");
    if (!columns.empty())
      throw Error(file_ + ": column " + in_quotes(table_.columns[found.front()]) +
                  " is there twice, with the frame's name and without");
    columns = found;
  }
  /// What fk writes besides (other frames, velocities) is passed over.
  void refuse_unknown(const Model<double>& model) {
    known_.emplace_back("t");
    for (const std::string& column : table_.columns) {
      const auto of_frame = [&](const Frame& f) { return column.starts_with(f.name + "."); };
      if (std::find(known_.begin(), known_.end(), column) == known_.end() &&
          std::none_of(model.frames().begin(), model.frames().end(), of_frame))
        throw Error(file_ + ": unknown column " + in_quotes(column) + did_you_mean(column, known_));
    }
  }

  const CsvTable& table_;
  std::string file_, frame_;
  std::vector<std::string> known_;
  std::vector<std::size_t> position_, rpy_, quaternion_, matrix_;
};

}  // namespace

IkQuestions read_ik_questions(const IkOptions& o, const IkRobot& robot) {
  IkQuestions out;
  const auto add = [&](IkQuestion question) {
    for (IkPose& pose : question.poses) {
      pose.T = robot.T_world_root() * pose.T;
      if (o.position_only) pose.orientation = IkOrientation::none;
    }
    out.list.push_back(std::move(question));
  };
  if (o.csv.empty()) {
    IkQuestion question;
    for (const Words& words : words_of_targets(o))
      question.poses.push_back(pose_of_words(words, o));
    add(std::move(question));
    return out;
  }
  const CsvTable table = read_csv(o.csv);
  std::vector<PoseColumns> columns;
  for (const std::string& frame : robot.frames())
    columns.emplace_back(table, o.csv, frame, robot.frames().size() == 1, robot.robot());
  const auto t = std::find(table.columns.begin(), table.columns.end(), "t");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    IkQuestion question;
    question.line = columns.front().line(r);
    for (const PoseColumns& of_frame : columns) question.poses.push_back(of_frame.pose(r));
    add(std::move(question));
    if (t != table.columns.end())
      out.t.push_back(table.rows[r][static_cast<std::size_t>(t - table.columns.begin())]);
  }
  if (out.list.empty()) throw Error(one_line(o.csv) + ": has no poses, only a header");
  return out;
}

}  // namespace torsor::command
