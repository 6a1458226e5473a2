#include "torsor/identification/excitation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <random>

#include "excitation/lbfgs.hpp"
#include "excitation/verify.hpp"
#include "torsor/identification/internal/excitation_objective.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor {
namespace internal {
namespace {

/// One random motion on its way.
struct Runner {
  int index = 0;
  Array<double> z{};
  double value = infinity;
};

/// Between -1 and 1, the same on every machine.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-52 - 1;
}

/// Amplitudes times the factor; postures stay.
Array<double> damped(const ExcitationTask& task, const Array<double>& z, double factor) {
  Array<double> result = z;
  const int m = task.basis.functions();
  for (int k = 0; k < z.size(); ++k)
    if (k % m >= task.basis.constants()) result[k] *= factor;
  return result;
}

/// Random trajectories within all limits; nothing where no posture of `trials` keeps them.
Array<double> random_motion(const ExcitationTask& task, ExcitationEvaluator& evaluator, int index) {
  constexpr int trials = 3000;
  std::mt19937_64 random(task.options.seed * 0x9E3779B97F4A7C15ull +
                         static_cast<unsigned>(index) * 0xD1B54A32D192ED03ull + 1);
  const int m = task.basis.functions();
  Array<double> all;
  for (int r = 0, trial = 0; r < task.options.trajectories && trial < trials; ++trial) {
    Array<double> z(task.basis.coefficients());
    // The further the trials go, the more of the range of postures they look at.
    const double reach = std::min(0.97, 0.3 + 0.7 * trial / 20);
    for (int k = 0; k < z.size(); ++k)
      z[k] = (k % m < task.basis.constants() ? reach : 0.5) * uniform(random);
    if (!evaluator.inside(damped(task, z, 1e-4))) continue;
    double factor = 1;
    while (!evaluator.inside(damped(task, z, factor))) factor *= 0.7;
    z = damped(task, z, 0.9 * factor);
    all.insert(all.end(), z.begin(), z.end());
    ++r, trial = 0;
  }
  if (all.size() < task.size()) all.clear();
  return all;
}

class Design {
 public:
  Design(const Model<double>& model, const ExcitationOptions& options,
         const std::function<bool(const ExcitationProgress&)>& go_on)
      : task_(model, options), go_on_(go_on), iterations_(options.iterations) {
    if (iterations_ == 0) iterations_ = 120;
    const int workers = worker_count(options.starts, options.threads);
    for (int k = 0; k < workers; ++k)
      evaluators_.push_back(std::make_unique<ExcitationEvaluator>(task_));
    // The better half goes on with a closer criterion and thinner walls.
    const bool d_optimal = options.criterion == ExcitationCriterion::d_optimal;
    for (const ExcitationStage& stage :
         {ExcitationStage{4, 0.03}, {8, 0.01}, {16, 0.003}, {32, 0.001}})
      stages_.push_back({d_optimal ? 0 : stage.s, stage.mu});
    state_.stages = stages_.size();
  }

  Excitation run() {
    const ExcitationOptions& options = task_.options;
    std::vector<Runner> runners(static_cast<std::size_t>(options.starts));
    for (std::size_t k = 0; k < runners.size(); ++k) runners[k].index = static_cast<int>(k);
    runners[0].z = random_motion(task_, *evaluators_[0], 0);
    if (runners[0].z.empty()) throw Error(no_motion());
    const Excitation first = realised(task_, runners[0].z);

    for (int s = 0; s < stages_.size() && !stop_; ++s) {
      state_.stage = s + 1;
      state_.starts = static_cast<int>(runners.size());
      const Array<Array<double>> results =
          in_pieces(options.hands, state_.starts,
                    {.threads = static_cast<int>(evaluators_.size()),
                     .stop = &stop_,
                     .go_on = [&](int) { return tell(); }},
                    [&](int index, int worker) {
                      return advance(runners[static_cast<std::size_t>(index)], s,
                                     *evaluators_[static_cast<std::size_t>(worker)]);
                    });
      for (std::size_t k = 0; k < runners.size(); ++k) take(results[k], runners[k]);
      std::sort(runners.begin(), runners.end(), [](const Runner& a, const Runner& b) {
        return a.value != b.value ? a.value < b.value : a.index < b.index;
      });
      std::erase_if(runners, [](const Runner& r) { return r.z.empty(); });
      if (!stop_) runners.resize((runners.size() + 1) / 2);
    }
    Excitation best = first;
    for (const Runner& runner : runners) {
      Excitation found = within_limits(runner.z);
      if (!better(found, best)) continue;
      best = std::move(found);
      if (stop_) break;  // somebody waits: the first of the list will do
    }
    best.start_condition = first.condition;
    best.start_log_det = first.log_det;
    best.stopped = stop_;
    best.evaluations = evaluations_;
    return best;
  }

 private:
  bool better(const Excitation& a, const Excitation& b) const {
    if (!a.keeps_limits()) return false;
    if (!b.keeps_limits()) return true;
    return task_.options.criterion == ExcitationCriterion::condition ? a.condition < b.condition
                                                                     : a.log_det > b.log_det;
  }

  /// What happens between the samples may be beyond a limit: amplitudes go down until it is not.
  Excitation within_limits(const Array<double>& z) const {
    Excitation found = realised(task_, z);
    for (double factor = 0.995; !found.keeps_limits() && factor > 1e-3; factor *= factor)
      found = realised(task_, damped(task_, z, factor));
    return found;
  }

  /// The value after this stage, evaluations, and z; no z where there is no such motion.
  Array<double> advance(const Runner& runner, int s, ExcitationEvaluator& evaluator) {
    const long long before = evaluator.evaluations;
    Array<double> z = runner.z;
    if (z.empty()) z = random_motion(task_, evaluator, runner.index);
    double value = infinity;
    if (!z.empty()) {  // others are luckier
      const auto f = [&](In<double> at, Out<double> g) { return evaluator(stages_[s], at, g); };
      value = minimise(f, z, iterations_, [&] { return step(evaluator.condition_bound()); });
    }
    z.insert(z.begin(), {value, static_cast<double>(evaluator.evaluations - before)});
    return z;
  }
  void take(const Array<double>& result, Runner& runner) {
    if (result.empty()) return;  // stopped before it began
    runner.value = result[0];
    evaluations_ += static_cast<long long>(result[1]);
    runner.z.assign(result.begin() + 2, result.end());
  }

  /// After every step of every thread; false: enough.
  bool step(double condition) {
    {
      const std::lock_guard lock(mutex_);
      ++state_.evaluations;
      state_.condition = std::min(state_.condition, condition);
    }
    return tell();
  }
  bool tell() {
    const std::lock_guard lock(mutex_);
    state_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (state_.seconds > task_.options.seconds) stop_ = true;
    if (!stop_ && go_on_ && !go_on_(state_)) stop_ = true;
    return !stop_;
  }

  std::string no_motion() const {
    std::string what;
    const auto name = [&](bool given, const char* word) {
      if (given) what += (what.empty() ? "" : ", ") + std::string(word);
    };
    name(!task_.options.start.empty(), "the start");
    name(task_.limits.torques, "torques");
    name(!task_.limits.frames.empty(), "boxes");
    name(what.empty(), "positions");
    return "design_excitation: no posture of \"" + task_.model.name() +
           "\" was found that keeps all limits at rest (" + what + ")";
  }

  ExcitationTask task_;
  const std::function<bool(const ExcitationProgress&)>& go_on_;
  int iterations_;
  Array<ExcitationStage> stages_;
  std::vector<std::unique_ptr<ExcitationEvaluator>> evaluators_;
  long long evaluations_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of the state
  ExcitationProgress state_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

ExcitationObjective excitation_objective(const Model<double>& model,
                                         const ExcitationOptions& options, int power, double mu) {
  const auto task = std::make_shared<ExcitationTask>(model, options);
  const auto evaluator = std::make_shared<ExcitationEvaluator>(*task);
  Array<double> z = random_motion(*task, *evaluator, 0);
  return {std::move(z), [task, evaluator, power, mu](In<double> at, Out<double> gradient) {
            return (*evaluator)({power, mu}, at, gradient);
          }};
}

}  // namespace internal

bool LimitUse::kept() const { return std::isnan(share) || share <= 1; }

double Excitation::duration() const {
  return series.empty() ? splines.front().duration() : series.front().duration();
}

void Excitation::sample(int trajectory, double t, Out<double> q, Out<double> qd,
                        Out<double> qdd) const {
  const auto k = static_cast<std::size_t>(trajectory);
  if (series.empty())
    splines[k].sample(t, q, qd, qdd);
  else
    series[k].sample(t, q, qd, qdd);
}

bool Excitation::keeps_limits() const {
  return std::all_of(use.begin(), use.end(), [](const LimitUse& u) { return u.kept(); });
}

Excitation design_excitation(const Model<double>& model, const ExcitationOptions& options,
                             const std::function<bool(const ExcitationProgress&)>& go_on) {
  return internal::Design(model, options, go_on).run();
}

}  // namespace torsor
