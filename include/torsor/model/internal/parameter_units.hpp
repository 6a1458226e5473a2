#pragma once
/// The unit of a parameter, by the last word of its name (model/parameter.hpp).
#include <array>
#include <string_view>

namespace torsor::internal {

struct ParameterUnit {
  std::string_view word;
  const char *turning, *sliding;  ///< of a degree of freedom that is an angle, a length
};

/// Of links, then of joints and motors, then of springs between points.
inline constexpr std::array<ParameterUnit, 25> parameter_units = {{
    {"m", "kg", "kg"},
    {"mx", "kg m", "kg m"},
    {"my", "kg m", "kg m"},
    {"mz", "kg m", "kg m"},
    {"xx", "kg m^2", "kg m^2"},
    {"xy", "kg m^2", "kg m^2"},
    {"yy", "kg m^2", "kg m^2"},
    {"xz", "kg m^2", "kg m^2"},
    {"yz", "kg m^2", "kg m^2"},
    {"zz", "kg m^2", "kg m^2"},
    {"mass", "kg", "kg"},
    {"com_x", "m", "m"},
    {"com_y", "m", "m"},
    {"com_z", "m", "m"},
    {"rotor", "kg m^2", "kg"},
    {"viscous", "N m s/rad", "N s/m"},
    {"coulomb", "N m", "N"},
    {"stiction", "N m", "N"},
    {"offset", "N m", "N"},
    {"viscous_asymmetry", "N m s/rad", "N s/m"},
    {"coulomb_asymmetry", "N m", "N"},
    {"load", "1", "1"},
    {"stiffness", "N m/rad", "N/m"},
    {"damping", "N m s/rad", "N s/m"},
    {"preload", "N m", "N"},
}};

/// "" for a word that is none of them.
constexpr const char* parameter_unit(std::string_view word, bool slides) {
  for (const ParameterUnit& unit : parameter_units)
    if (unit.word == word) return slides ? unit.sliding : unit.turning;
  return "";
}

}  // namespace torsor::internal
