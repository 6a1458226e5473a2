#include "torsor/formats/internal/expanded_text.hpp"

#include <charconv>
#include <deque>

#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/xacro.hpp"
#include "xacro/expander.hpp"

namespace torsor {
namespace internal {

struct ExpandedText::Places {
  std::deque<std::string> files;  ///< the places point at them
  std::vector<xacro::Place> lines;
};

ExpandedText::Line ExpandedText::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > places->lines.size()) return {{file, 0}, ""};
  const xacro::Place& at = places->lines[static_cast<std::size_t>(number - 1)];
  return {at.origin(), at.chain()};
}

/// "the first is in line 7": of the file, not of the text that was made from it.
void ExpandedText::correct_line(std::string& message, const std::string& word,
                                const std::string& file_of_message) const {
  const std::size_t found = message.rfind(word);
  if (found == message.npos) return;
  int number = 0;
  const char* const digits = message.data() + found + word.size();
  const char* const end = std::from_chars(digits, message.data() + message.size(), number).ptr;
  if (end == digits) return;
  const Origin there = line(number).origin;
  const std::string before = word.substr(0, word.find("line"));
  message = message.substr(0, found) +
            (there.file == file_of_message ? word : before + one_line(there.file) + ":") +
            std::to_string(there.line) +
            message.substr(static_cast<std::size_t>(end - message.data()));
}

std::string ExpandedText::message(const std::string& of_text) const {
  const std::string start = one_line(file) + ":";
  if (!of_text.starts_with(start)) return of_text;
  int number = 0;
  const char* const begin = of_text.data() + start.size();
  const auto [end, code] = std::from_chars(begin, of_text.data() + of_text.size(), number);
  if (code != std::errc() || *end != ':') return of_text;
  const Line at = line(number);
  std::string rest = of_text.substr(static_cast<std::size_t>(end - of_text.data()) + 1);
  rest.erase(0, rest.find_first_not_of(' '));
  for (const char* const word : {" in line ", " (line "}) correct_line(rest, word, at.origin.file);
  return Origin{one_line(at.origin.file), at.origin.line}.prefix() + rest + at.chain;
}

void ExpandedText::place(Origin& origin) const {
  if (origin.file == file && origin.line > 0) origin = line(origin.line).origin;
}
void ExpandedText::place(RobotDescription& robot) const {
  place(robot.origin);
  const auto all = [&](auto& elements) {
    for (auto& element : elements) place(element.origin);
  };
  all(robot.links), all(robot.joints), all(robot.frames), all(robot.loops), all(robot.couplings);
  all(robot.springs), all(robot.motors), all(robot.configurations);
}
void ExpandedText::place(Findings& findings) const {
  for (Finding& f : findings) place(f.origin);
}

ExpandedText expanded_xacro(const std::string& text, const std::string& file_name,
                            const LoadOptions& options, Findings* findings) {
  xacro::Expander expander(options, findings);
  xacro::WrittenNodes written = expander.expand(text, file_name);
  ExpandedText out;
  out.file = file_name;
  out.text = std::move(written.text);
  out.places = std::make_shared<const ExpandedText::Places>(
      ExpandedText::Places{expander.take_file_names(), std::move(written.lines)});
  return out;
}

}  // namespace internal

std::string expand_xacro(const std::string& path, const LoadOptions& options, Findings* findings) {
  return internal::expanded_xacro(internal::read_regular_file(path), path, options, findings).text;
}

}  // namespace torsor
