#include "log/columns.hpp"

#include <algorithm>
#include <charconv>

#include "log/units.hpp"
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
Array<int> all_of(const Words& lower_columns, const Words& names, const std::string& file,
                  std::string* missing = nullptr) {
  Array<int> found;
  std::string first;
  for (const std::string& name : names) {
    const int at = index_of(lower_columns, lower(name));
    if (at >= 0)
      found.push_back(at);
    else if (first.empty())
      first = name;
  }
  for (std::size_t k = 0; first.empty() && k < names.size(); ++k)
    if (std::count(lower_columns.begin(), lower_columns.end(), lower(names[k])) > 1)
      throw Error(file + ": column " + in_quotes(names[k]) +
                  " is there twice; a map of columns says which one by its number");
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
  for (const bool bare : {false, true})
    for (const char* name : {"t", "time", "stamp", "timestamp", "__time", "%time"})
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (lower(bare ? split_unit(columns[c]).first : columns[c]) == name)
          return static_cast<int>(c);
  return -1;
}

namespace {

/// Names as one looks for them: small letters; `bare`: also without the unit at the end and what programs that
/// write messages to tables put before it.
Words names_of(const Words& columns, bool bare) {
  Words out;
  for (const std::string& column : columns) {
    std::string name = lower(bare ? split_unit(column).first : column);
    for (const std::string_view before : {"joint_states/", "joint_states.", "field."})
      if (const std::size_t at = name.rfind(before); bare && at != std::string::npos)
        name.erase(0, at + before.size());
    out.push_back(std::move(name));
  }
  return out;
}

/// For a refusal: the first names of the table.
std::string what_is_there(const Words& columns) {
  constexpr std::size_t most = 6;
  bool numbers = true;  // of a table without a header
  for (std::size_t c = 0; c < columns.size(); ++c)
    numbers = numbers && columns[c] == std::to_string(c + 1);
  const std::string all = std::to_string(columns.size());
  if (numbers) return ", by their numbers: the table has no header, and " + all + " columns";
  Words first(columns.begin(), columns.begin() + static_cast<long>(std::min(most, columns.size())));
  for (std::string& name : first) name = one_line(name);
  return " (of " + all + ": " + listed(first) + (columns.size() > most ? ", ..." : "") + ")";
}

/// For a refusal of torques: the first column that looks like a current.
std::string currents_in(const Words& lower_columns, const Words& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (lower_columns[c].find("current") != std::string::npos)
      return ", or current and motor: {gain: ...} of " + in_quotes(one_line(columns[c]));
  return "";
}

/// By the joints' names: q.elbow; then, and for other words, q_elbow, elbow_q, elbow/q.
Array<int> by_joint(const Words& columns, const Wanted& wanted, const std::string& file,
                    std::string& missing) {
  for (const Words* by : {&wanted.joints, &wanted.labels}) {
    if (by->empty()) continue;
    for (const std::string& word : other_words(wanted.word))
      for (const std::string& pattern :
           {word + ".*", word + "_*", word + "[*]", word + "/*", word + " *", "*_" + word,
            "*." + word, "*/" + word, "* " + word}) {
        const bool own = word == wanted.word && pattern == word + ".*";
        const Array<int> found =
            all_of(columns, starred(pattern, *by), file, own ? &missing : nullptr);
        if (!found.empty()) return found;
      }
  }
  return {};
}

/// By the usual words and numbers.
Array<int> by_number(const Words& columns, const Wanted& wanted, const std::string& file,
                     std::string& missing) {
  const int n = static_cast<int>(wanted.joints.size());
  for (const std::string& word : other_words(wanted.word))
    for (const std::string& pattern :
         {word + "*",        word + "_*",       word + ".*",       word + "[*]",
          word + " *",       word + "_joint*",  word + "_j*",      word + "_a*",
          word + " a*",      word + " j*",      "j*_" + word,      "j* " + word,
          "a*_" + word,      "a* " + word,      "joint*_" + word,  "joint_*_" + word,
          "joint *_" + word, "joint * " + word, "joint_*/" + word, "joint*/" + word,
          "axis*_" + word,   "axis_*_" + word,  "axis * " + word}) {
      for (const int from : {1, 0}) {
        const Array<int> found =
            all_of(columns, starred(pattern, counted(n, from)), file, &missing);
        if (found.empty()) continue;
        const std::string beyond = starred(pattern, counted(1, n + from))[0];
        if (index_of(columns, beyond) >= 0)
          throw Error(file + ": column " + in_quotes(beyond) + " is there, and the robot has " +
                      std::to_string(n) + " joints; a map of columns says which is which");
        return found;
      }
    }
  return {};
}

}  // namespace

FoundColumns find_columns(const Words& columns, const Wanted& wanted, const std::string& file) {
  const int n = static_cast<int>(wanted.joints.size());
  const Words as_they_are = names_of(columns, false), bare = names_of(columns, true);
  if (wanted.said.size() == 1 && wanted.said[0].find('*') != std::string::npos) {
    for (const Words* names : {&as_they_are, &bare})
      for (const Words& fillings : {counted(n, 1), counted(n, 0), wanted.joints})
        if (const Array<int> found = all_of(*names, starred(wanted.said[0], fillings), file);
            !found.empty())
          return {found, names == &bare};
    throw Error(file + ": " + wanted.word + ": " + in_quotes(wanted.said[0]) + " names no " +
                std::to_string(n) + " columns, counted from 1, from 0 or by joint");
  }
  if (!wanted.said.empty()) {
    if (static_cast<int>(wanted.said.size()) != n)
      throw Error(file + ": " + wanted.word + ": " + std::to_string(wanted.said.size()) +
                  " columns for " + std::to_string(n) + " joints or motors");
    FoundColumns found;
    for (const std::string& name : wanted.said)
      found.at.push_back(named(columns, name, wanted.word, file));
    return found;
  }

  std::string missing;
  for (const Words* names : {&as_they_are, &bare}) {
    Array<int> found = by_joint(*names, wanted, file, missing);
    if (found.empty()) found = by_number(*names, wanted, file, missing);
    if (!found.empty()) return {found, names == &bare};
  }
  if (!missing.empty())
    throw Error(file + ": column " + in_quotes(missing) + " is missing, though others of " +
                wanted.word + " are there");
  if (wanted.needed)
    throw Error(file + ": no columns of " + wanted.word + " are known, as " +
                in_quotes(wanted.word + "." + (n > 0 ? wanted.joints[0] : "")) + " or " +
                in_quotes(wanted.word + "1") + " would be; a map of columns says which they are" +
                (wanted.word == "tau" ? currents_in(as_they_are, columns) : "") +
                what_is_there(columns));
  return {};
}

}  // namespace torsor::internal::logs
