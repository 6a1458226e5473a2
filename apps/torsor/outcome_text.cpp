#include "outcome_text.hpp"

#include "text_output.hpp"

namespace torsor::command {

std::string outcome_text(const Recording& recording) {
  std::string text;
  for (const OutcomeRow& row : outcome(recording)) {
    std::string name = row.name;
    name.resize(18, ' ');
    const bool worst = row.name == "end" || row.name == "divergence";
    const std::string line = row.verdict != OutcomeVerdict::bad
                                 ? row.text
                                 : coloured(worst ? Colour::red : Colour::yellow, row.text);
    text += "  " + name + line + "\n";
  }
  return text.empty() ? "" : heading("outcome") + text;
}

Json outcome_json(const Recording& recording) {
  Json list = Json::array();
  for (const OutcomeRow& row : outcome(recording))
    list.push_back({{"name", row.name},
                    {"verdict", name_of(row.verdict)},
                    {"value", row.value},
                    {"bound", row.bound},
                    {"text", row.text}});
  return list;
}

}  // namespace torsor::command
