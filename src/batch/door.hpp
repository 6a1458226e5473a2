#pragma once
/// What is refused before a batch begins, and which state it was where the numbers were not good.
#include <string>

#include "lanes/lane_job.hpp"

namespace torsor::internal {

/// Numbers of a state that a view has to have.
struct ViewShape {
  const char* name;
  int width;
};

/// Throws Error unless the view, if it is not empty, has `count` states of that width.
template <class Element>
void check_view(const StatesView<Element>& view, const ViewShape& shape, std::int64_t count) {
  if (view.empty()) return;
  const auto number = [](auto x) { return std::to_string(x); };
  if (view.width != shape.width)
    throw Error(std::string(shape.name) + ": has " + number(view.width) +
                " numbers for each state instead of " + number(shape.width));
  if (view.count != count)
    throw Error(std::string(shape.name) + ": has " + number(view.count) + " states, q has " +
                number(count));
}

/// The numbers of one state.
template <class Element>
void copy_state(const StatesView<Element>& from, std::int64_t s, Array<double>& to) {
  to.resize(from.width);
  for (int k = 0; k < from.width; ++k) to[k] = static_cast<double>(from(s, k));
}

/// Throws Error with the view and the state, "qd[12]: ...", where a number of the job's states first ...
/// end - 1 is refused. `third` is the name of the third input.
template <class Real>
void check_states(const Model<double>& model, const LaneJob<Real>& job, const char* third);
extern template void check_states(const Model<double>&, const LaneJob<double>&, const char*);
extern template void check_states(const Model<double>&, const LaneJob<float>&, const char*);

}  // namespace torsor::internal
