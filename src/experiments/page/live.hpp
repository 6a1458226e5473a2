#pragma once
/// What makes a page move: the viewer's script and the data of its runs. Private to this room.
#include <string>

#include "report/parts.hpp"

namespace torsor::report {

/// Whether this library has the viewer's script and the page may use it.
bool is_live(const Report& report);
/// The script and its data, for the end of the page; nothing where the page is still. `facts` receives
/// what it says about meshes.
std::string live_part(const Report& report, const Palette& palette, const Extras& extras,
                      std::vector<RunFact>& facts);
/// The same for other data, as viewer/src/data.ts describes it and JsonText writes it.
std::string live_part(const std::string& json);

}  // namespace torsor::report
