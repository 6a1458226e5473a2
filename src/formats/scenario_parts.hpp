#pragma once
/// Pieces of the reader of scenario files. Private to it.
#include "torsor/sim/reference.hpp"
#include "yaml_tree.hpp"

namespace torsor::scenario_file {

/// The section `reference`. The function owns all it needs.
ReferenceFunction read_reference(const YamlElement& element, const Model<double>& model);

}  // namespace torsor::scenario_file
