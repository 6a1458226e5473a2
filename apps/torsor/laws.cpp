#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/internal/run_facts.hpp"

namespace torsor::command {
namespace {

struct LawsArguments {
  std::string law;
  bool json = false;
};

using internal::theory_of;

Json law_json(const LawEntry& law) {
  Json gains = Json::array();
  for (const GainEntry& g : law.gains) {
    const bool none = g.required || *g.value == '\0';
    gains.push_back({{"name", g.name},
                     {"kind", name_of(g.kind)},
                     {"required", g.required},
                     {"default", none ? Json(nullptr) : Json(g.value)},
                     {"unit", g.unit},
                     {"meaning", g.meaning}});
  }
  return {{"name", law.name},   {"chapter", law.chapter()},   {"header", law.header},
          {"claim", law.claim}, {"reference", law.reference}, {"source", law.source},
          {"gains", gains},     {"example", example_of(law)}, {"theory", theory_of(law)}};
}

std::string law_text(const LawEntry& law) {
  Table gains({{"gain"}, {"kind"}, {"unit"}, {"default"}, {"meaning"}});
  for (const GainEntry& g : law.gains)
    gains.add({g.name, name_of(g.kind), g.unit, g.required ? "required" : g.value, g.meaning});
  const auto line = [](const char* what, const std::string& text) {
    return what + wrapped(text, 12) + "\n";
  };
  return bold(law.name) + "\n" + line("  claim     ", law.claim) +
         line("  follows   ", law.reference) + line("  source    ", law.source) +
         line("  header    ", std::string("torsor/control/") + law.header) +
         line("  theory    ", theory_of(law)) + heading("gains") + gains.words() +
         heading("example", "frames and links are those of your robot") + example_of(law) +
         "\nA whole scenario:\n  torsor scenario new --law " + law.name + " --robot ROBOT\n";
}

std::string list_text() {
  std::string out;
  for (const char* title : {"Joint space, known model", "Unknown parameters", "Tasks and contact",
                            "Several arms", "Beside other laws"}) {
    Table table({{"law"}, {"claim"}});
    for (const LawEntry& law : laws())
      if (law.chapter() == title) table.add({law.name, law.claim});
    out += heading(title) + table.words();
  }
  return out + "\nGains, reference and source of one: torsor laws slotine_li\n";
}

Action add_laws(Arguments& app) {
  const auto o = std::make_shared<LawsArguments>();
  app.add_option("law", o->law, "name of a law; none: all of them");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    if (!o->law.empty()) {
      const LawEntry& law = find_law(o->law);
      out += o->json ? json_text(law_json(law)) : law_text(law);
      return good;
    }
    Json list = Json::array();
    for (const LawEntry& law : laws()) list.push_back(law_json(law));
    out += o->json ? json_text({{"laws", list}}) : list_text();
    return good;
  };
}

}  // namespace

extern const Verb laws;
const Verb laws{"laws", "list the control laws, or the gains of one",
                "  torsor laws\n  torsor laws computed_torque\n", add_laws};

}  // namespace torsor::command
