#pragma once
/// Rows that many laws have about their gains.
#include "torsor/control/certificate.hpp"
#include "torsor/control/gain.hpp"

namespace torsor::internal {

inline Condition symmetric(const std::string& gain, const Gain& K) {
  return condition(gain + " symmetric", "largest asymmetry of " + gain, K.asymmetry(),
                   Relation::at_most, 0);
}
inline Condition positive_definite(const std::string& gain, const Gain& K) {
  return condition(gain + " positive definite", "smallest eigenvalue of " + gain,
                   K.smallest_eigenvalue(), Relation::greater, 0);
}
inline void append(std::vector<Condition>& all, std::vector<Condition> more) {
  for (Condition& c : more) all.push_back(std::move(c));
}

}  // namespace torsor::internal
