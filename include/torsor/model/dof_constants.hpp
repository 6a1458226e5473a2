#pragma once
/// Friction, rotor, spring and disturbance of one degree of freedom, as the algorithms read them;
/// friction.hpp says what they mean.

namespace torsor {

/// Constants of one velocity coordinate, at the joint's side of the gear.
template <class Param>
struct DofConstants {
  Param viscous{}, coulomb{}, stiction{}, stribeck{}, width{};
  Param armature{};           ///< reflected rotor inertia
  Param stiffness{}, rest{};  ///< joint spring
  Param disturbance{};
  Param offset{}, viscous_asymmetry{}, coulomb_asymmetry{};
  Param load{};  ///< friction per unit of the torque that the joint transmits

  template <class Other>
  DofConstants<Other> cast() const {
    return {Other(viscous),     Other(coulomb),  Other(stiction),          Other(stribeck),
            Other(width),       Other(armature), Other(stiffness),         Other(rest),
            Other(disturbance), Other(offset),   Other(viscous_asymmetry), Other(coulomb_asymmetry),
            Other(load)};
  }
};

}  // namespace torsor
