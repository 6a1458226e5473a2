#include "torsor/control/control_law.hpp"

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

[[noreturn]] void refuse(const ControlLaw& law, const char* count, const char* member) {
  throw Error(std::string("law \"") + law.name() + "\" has " + count + " and no " + member);
}

}  // namespace

void ControlLaw::state_derivative(const ControlInput&, Out<double>) {
  if (n_states() > 0) refuse(*this, "states", "state_derivative");
}
void ControlLaw::task_error(const ControlInput&, Out<double>) {
  if (n_task_errors() > 0) refuse(*this, "errors of a task", "task_error");
}
void ControlLaw::estimate(const ControlInput&, Out<double>) {
  if (n_estimates() > 0) refuse(*this, "estimates", "estimate");
}
LyapunovValue ControlLaw::lyapunov(const ControlInput&, const Model<double>&) {
  return {.given = false};
}
void ControlLaw::check_reference(const ControlReference& reference) const {
  if (n_task_errors() == 0 && reference.q.empty())
    throw Error(std::string("law \"") + name() +
                "\" follows a motion of the joints; there is none");
}

}  // namespace torsor
