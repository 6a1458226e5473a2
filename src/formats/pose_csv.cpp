#include "torsor/formats/pose_csv.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "torsor/formats/csv.hpp"
#include "torsor/formats/internal/csv_cells.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace {

/// The table without its column of words, and these words; lines keep their numbers.
struct Split {
  std::string numbers;
  std::vector<std::string> words;
};
Split without_column(const std::string& text, const std::string& name, const std::string& file) {
  Split out;
  std::optional<std::size_t> column;
  std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  bool header = true;
  for (int line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string content = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string where = one_line(file) + ":" + std::to_string(line) + ": ";
    std::vector<std::string> cells;
    if (content.find_first_not_of(" \t\r") != std::string::npos)
      cells = internal::csv_cells(content, where);
    if (header && !cells.empty()) {
      header = false;
      const auto at = std::find(cells.begin(), cells.end(), name);
      if (at == cells.end()) return {text, {}};
      column = static_cast<std::size_t>(at - cells.begin());
      cells.erase(at);
    } else if (column && !cells.empty()) {
      if (*column >= cells.size() || cells[*column].empty())
        throw Error(where + "column " + in_quotes(name) + " is empty");
      out.words.push_back(cells[*column]);
      cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(*column));
    }
    for (std::size_t k = 0; k < cells.size(); ++k)
      out.numbers += (k == 0 ? "" : ",") + csv_cell(cells[k]);
    out.numbers += "\n";
  }
  return out;
}

/// The columns of these names: all of them or none.
std::vector<std::size_t> columns(const CsvTable& table, const std::vector<std::string>& names,
                                 const std::string& where) {
  std::vector<std::size_t> found;
  for (const std::string& name : names)
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c] == name) found.push_back(c);
  if (!found.empty() && found.size() != names.size())
    throw Error(where + "of the columns " + listed(names) + " some are missing");
  return found;
}

}  // namespace

PoseTable parse_poses_csv(const std::string& text, const std::string& file_name,
                          const Model<double>& model, bool degrees) {
  check_is_text(text, file_name);
  const Split split = without_column(text, "frame", file_name);
  CsvTable table = parse_csv(split.numbers, file_name);
  const std::string where = one_line(file_name) + ": ";
  const auto at = [&](std::size_t r) {
    return one_line(file_name) + ":" + std::to_string(table.lines[r]) + ": ";
  };
  const double rad = degrees ? std::numbers::pi / 180 : 1;
  const std::vector<Measure> measures = coordinate_measures(model);
  for (int k = 0; degrees && k < model.n_q(); ++k)
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (measures[static_cast<std::size_t>(k)] == Measure::angle &&
          table.columns[c] == "q." + model.coordinate_name(k))
        for (std::vector<double>& row : table.rows) row[c] *= rad;
  const StateTable states = states_of(table, model, file_name);
  if (table.rows.empty()) throw Error(where + "has no pose");

  PoseTable poses{states.q, {}, {}, split.words, {}, {}, table.lines};
  const auto xyz = columns(table, {"x", "y", "z"}, where);
  if (xyz.empty()) throw Error(where + "has no columns x, y, z: where was the robot seen?");
  const auto quaternion_columns = columns(table, {"qx", "qy", "qz", "qw"}, where);
  const auto vector_columns = columns(table, {"rx", "ry", "rz"}, where);
  const auto weights = columns(table, {"weight"}, where);
  const auto distances = columns(table, {"distance"}, where);
  if (!distances.empty() && !(quaternion_columns.empty() && vector_columns.empty()))
    throw Error(where + "has distances and rotations; a distance has no axes");
  if (!quaternion_columns.empty() && !vector_columns.empty())
    throw Error(where + "has both qx, qy, qz, qw and rx, ry, rz");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<double>& row = table.rows[r];
    poses.position.push_back({row[xyz[0]], row[xyz[1]], row[xyz[2]]});
    if (!quaternion_columns.empty()) {
      const Quaternion<double> q{row[quaternion_columns[0]], row[quaternion_columns[1]],
                                 row[quaternion_columns[2]], row[quaternion_columns[3]]};
      const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
      if (!(std::abs(norm - 1) <= 1e-3))
        throw Error(at(r) + "the quaternion qx, qy, qz, qw has norm " + format_number(norm) +
                    " instead of 1");
      poses.rotation.push_back(rotation(normalised(q)));
    }
    if (!vector_columns.empty())
      poses.rotation.push_back(
          exp(Vec3<double>{row[vector_columns[0]] * rad, row[vector_columns[1]] * rad,
                           row[vector_columns[2]] * rad}));
    if (!distances.empty()) {
      if (row[distances[0]] < 0)
        throw Error(at(r) + "distance " + format_number(row[distances[0]]) + " is negative");
      poses.distance.push_back(row[distances[0]]);
    }
    if (!weights.empty()) {
      if (row[weights[0]] < 0)
        throw Error(at(r) + "weight " + format_number(row[weights[0]]) + " is negative");
      poses.weight.push_back(row[weights[0]]);
    }
    if (!poses.frame.empty() && !model.has_frame(poses.frame[r])) {
      std::vector<std::string> known;
      for (const Frame& frame : model.frames()) known.push_back(frame.name);
      throw Error(at(r) + "no frame " + in_quotes(poses.frame[r]) +
                  did_you_mean(poses.frame[r], known));
    }
  }
  return poses;
}

PoseTable read_poses_csv(const std::string& path, const Model<double>& model, bool degrees) {
  return parse_poses_csv(read_text_file(path), path, model, degrees);
}

}  // namespace torsor
