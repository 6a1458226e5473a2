#include "batch_parts.hpp"

#include <algorithm>

#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

template <class Real>
Batch<Real>::Parts::Parts(const Model<double>& robot, BatchOptions given)
    : model(robot), own(robot.cast<Real>()), shape(robot), options(given), loops(has_loops(robot)) {
  smooth = !loops && !internal::has_load_friction(robot) && robot.description().springs.empty();
  rigid = smooth && !internal::has_joint_torques(robot);
}

template <class Real>
void Batch<Real>::Parts::check(const Job& job, const char* third,
                               const std::array<internal::ViewShape, 3>& outputs) const {
  using internal::check_view;
  const std::int64_t count = job.q.count;
  if (job.q.empty() && count > 0 && model.n_q() > 0) throw Error("q: has no numbers");
  check_view(job.q, {"q", model.n_q()}, count);
  check_view(job.qd, {"qd", model.n_v()}, count);
  check_view(job.third, {third, model.n_v()}, count);
  check_view(job.F_ext, {"F_ext", 6 * model.n_bodies()}, count);
  check_view(job.parameters, {"parameters", parameters_per_body * (model.n_bodies() - 1)}, count);
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (outputs[k].name) check_view(job.out[k], outputs[k], count);
}

/// Chunks are multiples of every number of lanes, so that the lanes of a state depend on its place in
/// the array alone, and small enough for the caches and for threads to share evenly.
template <class Real>
BatchResult Batch<Real>::Parts::in_chunks(
    const Job& job, const std::function<void(Job&, internal::BatchWorker&)>& answer) {
  constexpr std::int64_t numbers = 1 << 16, lanes = 16;
  std::int64_t width = job.q.width + job.qd.width + job.third.width;
  for (const auto& out : job.out) width += out.width;
  const std::int64_t at_once = std::clamp<std::int64_t>(
      numbers / std::max<std::int64_t>(width, 1) / lanes * lanes, 64, 4096);
  const int chunks = static_cast<int>((job.q.count + at_once - 1) / at_once);
  if (chunks == 1) {  // a short call: nothing to divide
    if (workers.empty()) workers.resize(1);
    Job part = job;
    part.first = 0, part.end = job.q.count;
    answer(part, workers[0]);
    BatchResult result;
    result.unanswered = part.failed;
    return result;
  }
  const int threads = internal::worker_count(chunks, options.threads);
  if (workers.size() < threads) workers.resize(threads);
  Array<std::int64_t> failed(chunks);
  Array<std::exception_ptr> refused(chunks);
  internal::parallel_for(chunks, {.threads = threads}, [&](int chunk, int worker) {
    Job part = job;
    part.first = chunk * at_once;
    part.end = std::min(part.first + at_once, job.q.count);
    try {
      answer(part, workers[worker]);
    } catch (...) {
      refused[chunk] = std::current_exception();
    }
    failed[chunk] = part.failed;
  });
  for (const std::exception_ptr& reason : refused)  // the first state that is refused is told
    if (reason) std::rethrow_exception(reason);
  BatchResult result;
  for (const std::int64_t n : failed) result.unanswered += n;
  return result;
}

template <class Real>
BatchResult Batch<Real>::Parts::run(Job job, Verb verb, internal::Slot slot, const char* third,
                                    std::array<internal::ViewShape, 3> outputs) {
  check(job, third, outputs);
  // Outputs lie one after the other in the lanes, whether they are wanted or not.
  for (std::size_t k = 0; k < outputs.size(); ++k) job.out[k].width = outputs[k].width;
  job.model = &own;
  job.shape = &shape;
  return in_chunks(job, [&](Job& part, internal::BatchWorker& worker) {
    part.scratch = &worker.lanes[static_cast<int>(slot)];
    verb(part);
    if (part.suspect) internal::check_states(model, part, third);
  });
}

template <class Real>
BatchResult Batch<Real>::Parts::run_states(Job job, const StateVerb& verb, const char* third,
                                           std::array<internal::ViewShape, 3> outputs) {
  check(job, third, outputs);
  return in_chunks(job, [&](Job& part, internal::BatchWorker& worker) {
    if (!worker.state) worker.state = std::make_unique<internal::StateScratch>(model);
    internal::StateScratch& scratch = *worker.state;
    internal::check_states(model, part, third);
    const auto read = [&](const StatesView<const Real>& view, std::int64_t s, Array<double>& to) {
      if (view.empty()) return to.assign(model.n_v(), 0.0);
      internal::copy_state(view, s, to);
    };
    for (std::int64_t s = part.first; s < part.end; ++s) {
      read(part.q, s, scratch.q);
      read(part.qd, s, scratch.qd);
      read(part.third, s, scratch.third);
      check_configuration(model, scratch.q);  // which normalises quaternions
      scratch.F.resize(part.F_ext.empty() ? 0 : model.n_bodies());
      for (int i = 0; i < scratch.F.size(); ++i) {
        const auto x = [&](int k) { return static_cast<double>(part.F_ext(s, 6 * i + k)); };
        scratch.F[i] = {{x(0), x(1), x(2)}, {x(3), x(4), x(5)}};
      }
      if (verb(scratch, part, s)) continue;
      ++part.failed;
      for (const auto& out : part.out)
        for (int k = 0; !out.empty() && k < out.width; ++k)
          out(s, k) = std::numeric_limits<Real>::quiet_NaN();
    }
  });
}

template struct Batch<double>::Parts;
template struct Batch<float>::Parts;

}  // namespace torsor
