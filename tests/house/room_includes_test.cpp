// The room table of docs/architecture.md, held against every #include of the source tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "house/process.hpp"
#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

using Words = std::set<std::string>;

// Who may include what. A room may always include itself.
const std::map<std::string, Words> room_table = {
    {"math", {}},
    {"linear", {"math"}},
    {"model", {"linear", "math"}},
    {"kinematics", {"model", "linear", "math"}},
    {"trajectory", {"kinematics", "model", "linear", "math"}},
    {"dynamics", {"kinematics", "model", "linear", "math"}},
    {"identification", {"dynamics", "trajectory", "kinematics", "model", "linear", "math"}},
    {"control",
     {"identification", "dynamics", "trajectory", "kinematics", "model", "linear", "math"}},
    {"sim",
     {"control", "identification", "dynamics", "trajectory", "kinematics", "model", "linear",
      "math"}},
    {"batch",
     {"sim", "control", "identification", "dynamics", "trajectory", "kinematics", "model", "linear",
      "math"}},
    {"formats", {"kinematics", "model", "linear", "math"}},
    {"experiments",
     {"batch", "formats", "sim", "control", "identification", "dynamics", "trajectory",
      "kinematics", "model", "linear", "math"}},
};

std::string violation(const SourceFile& file, const Include& include, const std::string& why) {
  return file.path + ":" + std::to_string(include.line) + ": " + include.text + ": " + why + "\n";
}

TEST(RoomIncludes, every_room_of_the_tree_is_in_the_table) {
  for (const SourceFile& file : source_files({"include", "src"})) {
    if (!file.room.empty()) {
      EXPECT_TRUE(room_table.contains(file.room)) << file.path;
    }
  }
}

TEST(RoomIncludes, rooms_include_only_what_their_row_names) {
  std::string found;
  for (const SourceFile& file : source_files({"include", "src"})) {
    const auto row = room_table.find(file.room);
    if (row == room_table.end()) continue;  // robot.hpp, torsor.hpp: the faces see every room
    for (const Include& include : file.includes) {
      if (!include.text.starts_with("torsor/")) continue;
      const std::string room = room_of("include/" + include.text);
      if (room.empty()) {
        found += violation(file, include, "rooms do not know the faces built on them");
      } else if (room != file.room && !row->second.contains(room)) {
        found += violation(file, include, file.room + " may not include " + room);
      }
    }
  }
  EXPECT_EQ(found, "");
}

TEST(RoomIncludes, included_files_of_the_project_exist_and_are_named_from_the_root) {
  const std::filesystem::path root = TORSOR_SOURCE_DIR;
  std::string found;
  for (const SourceFile& file :
       source_files({"include", "src", "apps", "examples", "benchmarks"})) {
    for (const Include& include : file.includes) {
      if (include.text.starts_with("torsor/") && include.angled) {
        found += violation(file, include, "write it in quotes");
      } else if (include.text.starts_with("torsor/") && !exists(root / "include" / include.text)) {
        found += violation(file, include, "no such file");
      } else if (include.text.find("..") != std::string::npos) {
        found += violation(file, include, "name it from the root, as torsor/<room>/<file>");
      } else if (!include.angled && file.path.starts_with("include/") &&
                 !include.text.starts_with("torsor/")) {
        found += violation(file, include, "public headers include public headers");
      }
    }
  }
  EXPECT_EQ(found, "");
}

TEST(RoomIncludes, kernel_headers_stay_light) {
  const Words heavy = {"iostream", "istream", "ostream", "sstream",    "iomanip", "regex",
                       "ranges",   "format",  "locale",  "filesystem", "fstream"};
  std::string found;
  for (const SourceFile& file : source_files({"include"})) {
    if (!is_kernel_room(file.room)) continue;
    for (const Include& include : file.includes) {
      const std::string package = include.text.substr(0, include.text.find('/'));
      if (heavy.contains(include.text) || package == "nlohmann" || package == "yaml-cpp" ||
          package == "tinyxml2.h") {
        found += violation(file, include, "too heavy for a kernel header");
      }
    }
  }
  EXPECT_EQ(found, "");
}

TEST(RoomIncludes, packages_are_used_only_in_their_rooms) {
  std::string found;
  for (const SourceFile& file : source_files({"include", "src"})) {
    const bool reads_files = file.room == "formats" || file.room == "experiments" ||
                             file.path == "src/batch/cuda/compile.cpp";  // compiled kernels
    for (const Include& include : file.includes) {
      const std::string package = include.text.substr(0, include.text.find('/'));
      if (package == "Eigen" && !file.room.empty()) {
        found +=
            violation(file, include, "rooms take their algebra from linear; Eigen is for faces");
      } else if (Words{"nlohmann", "yaml-cpp", "tinyxml2.h", "fstream", "filesystem"}.contains(
                     package) &&
                 !reads_files) {
        found += violation(file, include, "only formats and experiments touch files");
      } else if (Words{"nlohmann", "yaml-cpp", "tinyxml2.h"}.contains(package) &&
                 file.path.starts_with("include/")) {
        found += violation(file, include, "consumers of the library need not have this package");
      } else if (Words{"gtest", "benchmark", "CLI"}.contains(package)) {
        found += violation(file, include, "not a dependency of the library");
      }
    }
  }
  EXPECT_EQ(found, "");
}

TEST(RoomIncludes, torsor_hpp_is_everything_public) {
  const std::string all = read_text(TORSOR_SOURCE_DIR "/include/torsor/torsor.hpp");
  for (const SourceFile& file : source_files({"include"})) {
    if (file.room.empty() || !file.path.ends_with(".hpp")) continue;
    if (file.path.find("/internal/") != std::string::npos) continue;  // machinery
    const std::string name = file.path.substr(std::string("include/").size());
    EXPECT_NE(all.find("#include \"" + name + "\"\n"), std::string::npos) << name;
  }
}

TEST(RoomIncludes, every_header_of_the_library_has_its_include_guard_first) {
  for (const SourceFile& file : source_files({"include"})) {
    EXPECT_TRUE(file.text.starts_with("#pragma once\n")) << file.path;
  }
}

TEST(FileLength, no_file_exceeds_500_lines) {
  const Allowed allowed;
  for (const SourceFile& file : source_files({"include", "src", "apps", "tests", "benchmarks",
                                              "examples", "python", "cmake", "viewer/server"})) {
    const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
    if (!allowed("long", file.path)) {
      EXPECT_LE(lines, 500) << file.path;
    }
  }
}

TEST(Allowed, names_only_files_that_exist) {
  const std::filesystem::path root = TORSOR_SOURCE_DIR;
  const Allowed allowed;
  for (const auto& [rule, path] : allowed.entries()) {
    EXPECT_TRUE(rule == "eigen" || rule == "long") << rule;
    EXPECT_TRUE(exists(root / path)) << path;
  }
}

}  // namespace
