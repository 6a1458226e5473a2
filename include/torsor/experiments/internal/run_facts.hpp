#pragma once
/// Lines of "what was run" that pages of all verbs share.
#include <string>

#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/report.hpp"

namespace torsor::internal {

/// SimulateOptions::curve_points of runs that are drawn on pages.
inline constexpr int drawn_points = 600;

/// "my_arm.urdf, hash 0123456789abcdef": the hash changes with the file. Of a file that cannot be read
/// the name alone.
std::string file_with_hash(const std::string& path);
/// Where a robot comes from (a file, a built-in name or code such as chain:6), and the hash of its text.
RunFact robot_file_fact(const std::string& robot);
/// Where the assumptions, statement and proof of a law stand: "docs/theory/uncertain.md#slotine_li".
/// Pages are called after the folders of the headers.
std::string theory_of(const LawEntry& law);

}  // namespace torsor::internal
