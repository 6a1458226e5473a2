#include "tree_forward_derivatives.hpp"

namespace torsor::internal {

template void forward_derivatives_of_tree(LaneJob<float>& job);

}  // namespace torsor::internal
