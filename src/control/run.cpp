#include "torsor/control/run.hpp"

#include <chrono>
#include <utility>

#include "torsor/control/internal/patience.hpp"

namespace torsor {

namespace control_detail {

namespace {

using Clock = std::chrono::steady_clock;
thread_local std::function<bool()> still_wanted;
thread_local Clock::time_point asked_at;

}  // namespace

Patience::Patience(std::function<bool()> go_on)
    : before_(std::exchange(still_wanted, std::move(go_on))) {
  asked_at = {};
}
Patience::~Patience() { still_wanted = std::move(before_); }

void ask_whether_wanted() {
  if (!still_wanted) return;
  const Clock::time_point now = Clock::now();
  if (now - asked_at < std::chrono::milliseconds(100)) return;
  asked_at = now;
  if (!still_wanted()) throw NotWanted();
}

}  // namespace control_detail

Run ideal_run(const Model<double>& model) {
  Run run{.model = &model, .plant = &model};
  run.q0.resize(model.n_q());
  run.v0.resize(model.n_v());
  neutral(model, Out<double>(run.q0));
  run.reference = hold(run.q0, model.n_v());
  run.torque_limit.assign(model.n_v(), infinity);
  return run;
}

}  // namespace torsor
