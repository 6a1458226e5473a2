#include "torsor/model/internal/parameter_advice.hpp"

namespace torsor::internal {

std::string parameter_advice(const Model<double>& model, const std::string& name,
                             const std::vector<std::string>& known) {
  // "tool", "tool.mx" and "tool.mx.inertia" are all of link "tool".
  for (std::size_t end = name.size(); end != std::string::npos && end > 0;
       end = name.rfind('.', end - 1)) {
    const std::string link = name.substr(0, end);
    if (!model.has_frame(link) || !model.description().find_link(link)) continue;
    const int body = model.frame(link).body;
    if (body == 0) return "; link \"" + link + "\" is fixed to the world and does not move";
    if (model.body_name(body) != link)
      return "; link \"" + link + "\" is fixed to \"" + model.body_name(body) +
             "\", whose parameters contain it";
  }
  return did_you_mean(name, known);
}

}  // namespace torsor::internal
