#include "torsor/control/beside/no_law.hpp"

#include "law_entries.hpp"

namespace torsor {

LawEntry internal::no_law() {
  return {"none",
          "beside/no_law.hpp",
          "no torque: the robot falls and swings as it is",
          {},
          "none",
          "Huo 2005, sec. 2.4 with tau = 0",
          [](const Model<double>& model, LawParameters&) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<NoLaw>(model);
          }};
}

}  // namespace torsor
