#pragma once
/// The C++ files of the source tree, with their rooms and #include lines.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "house/process.hpp"

namespace torsor::testing {

struct Include {
  int line = 0;
  bool angled = false;
  std::string text;  ///< Without quotes or brackets.
};

struct SourceFile {
  std::string path;  ///< From the root of the tree, such as "src/dynamics/rnea.cpp".
  std::string room;  ///< Empty for files above the rooms and outside include/ and src/.
  std::string text;
  std::vector<Include> includes;
};

/// The room of include/torsor/<room>/... and src/<room>/..., else "".
inline std::string room_of(const std::string& path) {
  for (const std::string prefix : {"include/torsor/", "src/"}) {
    if (!path.starts_with(prefix)) continue;
    const auto slash = path.find('/', prefix.size());
    return slash == std::string::npos ? "" : path.substr(prefix.size(), slash - prefix.size());
  }
  return "";
}

/// Rooms whose headers every user compiles again: they have a budget (docs/architecture.md).
inline bool is_kernel_room(const std::string& room) {
  return std::set<std::string>{"math",     "model",          "kinematics", "trajectory",
                               "dynamics", "identification", "control"}
      .contains(room);
}

inline std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const auto open = line.find_first_of("\"<", word);
    if (open == std::string::npos) continue;
    const auto close = line.find_first_of("\">", open + 1);
    if (close == std::string::npos) continue;
    const std::string file = line.substr(open + 1, close - open - 1);
    if (file.starts_with("torsor/needs/")) continue;  // no file: it ends the compilation
    includes.push_back({number, line[open] == '<', file});
  }
  return includes;
}

/// All .hpp, .cpp, .cu and .cuh files below the named folders of the tree, sorted by path.
inline std::vector<SourceFile> source_files(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  const fs::path root = TORSOR_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() ||
          !std::set<std::string>{".hpp", ".cpp", ".cu", ".cuh"}.contains(extension)) {
        continue;
      }
      SourceFile file;
      file.path = fs::relative(entry.path(), root).generic_string();
      file.room = room_of(file.path);
      file.text = read_text(entry.path());
      file.includes = includes_of(file.text);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

/// The exceptions in tests/house/allow.txt.
class Allowed {
 public:
  Allowed() {
    std::istringstream lines(read_text(TORSOR_SOURCE_DIR "/tests/house/allow.txt"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line.substr(0, line.find('#')));
      std::string rule, path;
      if (words >> rule >> path) entries_.emplace(rule, path);
    }
  }
  bool operator()(const std::string& rule, const std::string& path) const {
    return entries_.contains({rule, path});
  }
  [[nodiscard]] const std::set<std::pair<std::string, std::string>>& entries() const {
    return entries_;
  }

 private:
  std::set<std::pair<std::string, std::string>> entries_;
};

}  // namespace torsor::testing
