#pragma once
/// What base parameters save: operations of programs written for one arm, with all of its inertial
/// parameters and with its base parameters.
///
/// The textbook's algorithms run on numbers that know constants, zeros and ones (Customised): sines and
/// cosines of right angles, lengths that are zero and eliminated parameters cost nothing.
///
/// Frames   Modified; standard tables are written in modified frames first.
/// Source   Huo 2005, sec. 2.5 and exercise 2-19.
#include "torsor/math/counted.hpp"
#include "torsor/model/dh.hpp"

namespace torsor {

struct BaseOperations {
  OperationCount newton_euler{};    ///< three-vectors about mass centres, textbook_inverse_dynamics
  OperationCount linear{};          ///< linear_inverse_dynamics with all parameters
  OperationCount linear_on_base{};  ///< the same with base parameters
  OperationCount composite{};       ///< composite bodies about mass centres
  OperationCount composite_linear{};   ///< linear_mass_matrix with all parameters
  OperationCount composite_on_base{};  ///< linear_mass_matrix with base parameters
};

/// Parameters that are zero in the table are counted as if they were not.
BaseOperations base_operations(const DhTable& table);

}  // namespace torsor
