#include "log/columns.hpp"

#include <algorithm>
#include <charconv>

#include "torsor/formats/text.hpp"
#include "torsor/math/error.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::logs {
namespace {

using Words = std::vector<std::string>;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

int index_of(const Words& columns, const std::string& name) {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
}

/// A name of the header, or a number from 1.
int named(const Words& columns, const std::string& name, const std::string& word,
          const std::string& file) {
  if (const int at = index_of(columns, name); at >= 0) {
    if (std::count(columns.begin(), columns.end(), name) > 1)
      throw Error(file + ": column " + in_quotes(name) + " is there twice; say its number");
    return at;
  }
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, code] = std::from_chars(name.data(), end, number);
  const int count = static_cast<int>(columns.size());
  if (code == std::errc() && stop == end) {
    if (number >= 1 && number <= count) return number - 1;
    throw Error(file + ": " + word + ": there is no column " + std::to_string(number) + " of " +
                std::to_string(count));
  }
  throw Error(file + ": " + word + ": no column " + in_quotes(name) + did_you_mean(name, columns));
}

/// The names with their star replaced; empty where not all of them are there.
Words starred(const std::string& pattern, const Words& fillings) {
  Words out;
  const std::size_t star = pattern.find('*');
  for (const std::string& filling : fillings)
    out.push_back(pattern.substr(0, star) + filling + pattern.substr(star + 1));
  return out;
}
Words counted(int n, int from) {
  Words out;
  for (int k = 0; k < n; ++k) out.push_back(std::to_string(from + k));
  return out;
}

/// All of them, in any case of letters, or none; `missing` is the first that is not there where others are.
Array<int> all_of(const Words& lower_columns, const Words& names, std::string* missing = nullptr) {
  Array<int> found;
  std::string first;
  for (const std::string& name : names) {
    const int at = index_of(lower_columns, lower(name));
    if (at >= 0)
      found.push_back(at);
    else if (first.empty())
      first = name;
  }
  if (first.empty()) return found;
  if (missing != nullptr && missing->empty() && !found.empty()) *missing = first;
  return {};
}

const Words& other_words(const std::string& word) {
  static const Words q = {"q",   "pos",      "position",    "joint_position",
                          "q_m", "actual_q", "joint_angle", "theta"};
  static const Words qd = {"qd",   "dq",        "vel",        "velocity", "joint_velocity",
                           "qdot", "actual_qd", "joint_speed"};
  static const Words tau = {"tau",          "torque", "effort",       "joint_torque",
                            "joint_effort", "tau_j",  "actual_torque"};
  static const Words q_ref = {"q_ref", "q_d", "q_des", "q_cmd"};
  return word == "q" ? q : word == "qd" ? qd : word == "q_ref" ? q_ref : tau;
}

}  // namespace

int find_time(const Words& columns, const std::string& said, const std::string& file) {
  if (!said.empty()) return named(columns, said, "t", file);
  for (const char* name : {"t", "time", "stamp", "timestamp", "t [s]", "time [s]", "t_s", "time_s"})
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (lower(columns[c]) == name) return static_cast<int>(c);
  return -1;
}

Array<int> find_columns(const Words& columns, const Wanted& wanted, const std::string& file) {
  const int n = static_cast<int>(wanted.joints.size());
  Words lower_columns;
  for (const std::string& c : columns) lower_columns.push_back(lower(c));
  if (wanted.said.size() == 1 && wanted.said[0].find('*') != std::string::npos) {
    for (const Words& fillings : {counted(n, 1), counted(n, 0), wanted.joints})
      if (const Array<int> found = all_of(lower_columns, starred(wanted.said[0], fillings));
          !found.empty())
        return found;
    throw Error(file + ": " + wanted.word + ": " + in_quotes(wanted.said[0]) + " names no " +
                std::to_string(n) + " columns, counted from 1, from 0 or by joint");
  }
  if (!wanted.said.empty()) {
    if (static_cast<int>(wanted.said.size()) != n)
      throw Error(file + ": " + wanted.word + ": " + std::to_string(wanted.said.size()) +
                  " columns for " + std::to_string(n) + " joints or motors");
    Array<int> found;
    for (const std::string& name : wanted.said)
      found.push_back(named(columns, name, wanted.word, file));
    return found;
  }

  std::string missing;
  for (const Words* by : {&wanted.joints, &wanted.labels}) {
    if (by->empty()) continue;
    Words words = {wanted.word};
    if (wanted.word == "q_ref") words = other_words(wanted.word);
    for (const std::string& word : words) {
      const Array<int> found = all_of(lower_columns, starred(word + ".*", *by), &missing);
      if (!found.empty()) return found;
    }
  }
  for (const std::string& word : other_words(wanted.word))
    for (const std::string& pattern :
         {word + "*", word + "_*", word + ".*", word + "[*]", word + "_joint*", word + "_j*",
          "j*_" + word, "joint*_" + word, "joint_*_" + word, "axis*_" + word}) {
      for (const int from : {1, 0}) {
        const Array<int> found =
            all_of(lower_columns, starred(pattern, counted(n, from)), &missing);
        if (found.empty()) continue;
        const std::string beyond = starred(pattern, counted(1, n + from))[0];
        if (index_of(lower_columns, beyond) >= 0)
          throw Error(file + ": column " + in_quotes(beyond) + " is there, and the robot has " +
                      std::to_string(n) + " joints; a map of columns says which is which");
        return found;
      }
    }
  if (!missing.empty())
    throw Error(file + ": column " + in_quotes(missing) + " is missing, though others of " +
                wanted.word + " are there");
  if (wanted.needed)
    throw Error(file + ": no columns of " + wanted.word + " are known, as " +
                in_quotes(wanted.word + "." + (n > 0 ? wanted.joints[0] : "")) + " or " +
                in_quotes(wanted.word + "1") + " would be; a map of columns says which they are");
  return {};
}

}  // namespace torsor::internal::logs
