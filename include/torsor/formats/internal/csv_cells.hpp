#pragma once
/// Cells of one line of CSV. Private to the formats.
#include <string>
#include <string_view>
#include <vector>

namespace torsor::internal {

/// In double quotes a comma is a letter and "" is a quote; blanks around a cell are dropped. Throws
/// Error that begins with `where`.
std::vector<std::string> csv_cells(std::string_view line, const std::string& where);

}  // namespace torsor::internal
