#pragma once
/// A text that was made from others, and where its lines came from. Private to this room.
#include <memory>
#include <string>

#include "torsor/formats/finding.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal {

struct ExpandedText {
  struct Line {
    Origin origin;
    std::string chain;  ///< "; in macro ... called at file:line", or nothing
  };
  std::string file;  ///< under this name the text is read
  std::string text;
  struct Places;  ///< of every line
  std::shared_ptr<const Places> places;

  /// Where a line of the text came from; a line beyond the last has none.
  Line line(int number) const;
  /// "file:line: message" of the text as one of the files it was made from.
  std::string message(const std::string& of_text) const;
  void correct_line(std::string& message, const std::string& word,
                    const std::string& file_of_message) const;
  void place(Origin& origin) const;
  void place(RobotDescription& robot) const;
  void place(Findings& findings) const;
};

ExpandedText expanded_xacro(const std::string& text, const std::string& file_name,
                            const LoadOptions& options, Findings* findings);

/// Reads the text by `read`, with places of the files it was made from in whatever comes of it.
template <class Read>
auto read_expanded(const ExpandedText& expanded, Findings* findings, Read read) {
  Findings own;
  try {
    auto robot = read(expanded.text, expanded.file, own);
    expanded.place(robot);
    expanded.place(own);
    if (findings != nullptr) findings->insert(findings->end(), own.begin(), own.end());
    return robot;
  } catch (const Error& refused) {
    throw Error(expanded.message(refused.what()));
  }
}

}  // namespace torsor::internal
