#pragma once
/// Sections of docs/theory on the page of a run. Private to this room.
#include <span>
#include <string>
#include <string_view>

#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/formats/builtin_files.hpp"

namespace torsor::report {

/// The pages of docs/theory that laws have, and their letters: "joint.md", "README.md", ...
std::span<const builtin::File> theory_files();

/// The section of a law as HTML: what its page says of all laws on it, then its formula, assumptions,
/// statement, proof, what is evaluated and the source.
std::string theory_section(const LawEntry& law);
/// The table of letters.
std::string theory_letters();
/// Where theory_part has the section of the law.
std::string theory_anchor(const LawEntry& law);
/// Sections of all laws of the runs, each once and folded; nothing where no run has a law.
std::string theory_part(const Report& report);

}  // namespace torsor::report
