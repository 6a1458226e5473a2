#pragma once
/// Formulas of docs/theory, which are TeX, as MathML: browsers draw it without script or fonts of the
/// page. Private to this room.
#include <string>
#include <string_view>

namespace torsor::report {

/// One formula without its dollars. `display`: on lines of its own. A command that is not known is a
/// torsor::Error that names it.
std::string mathml(std::string_view tex, bool display);

}  // namespace torsor::report
