#pragma once
/// Which joints make a mass matrix singular.
///
///   M = L^T D L of the articulated bodies: a joint whose D is zero beside the largest one moves no
///   inertia, neither a body's nor a rotor's.
///
/// Source   Featherstone 2008, sec. 7.3.
#include <string>

#include "torsor/model/model.hpp"

namespace torsor {

/// One line that names the joints, such as
///   "arm": the mass matrix is singular: joint "finger" moves no mass at this q; ...
/// "" where M is regular. Joints that are prescribed (per body; empty: none) need no mass. Allocates:
/// for what is said after a verb's result was not regular.
std::string singular_mass_message(const Model<double>& model, In<double> q,
                                  In<char> prescribed = {});

}  // namespace torsor
