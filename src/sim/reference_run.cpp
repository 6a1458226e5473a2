#include "torsor/sim/reference_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/control/joint/independent_pid.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

/// Samples at which the inertia of the loop is looked up.
constexpr int looks = 50;

/// q_ref of a stretch as a function of time.
class LoggedReference {
 public:
  LoggedReference(const MotionLog& log, int begin, int end)
      : log_(&log), begin_(begin), end_(end) {}

  void operator()(double t, ReferencePoint& point) const {
    const int n = log_->q_ref.cols();
    point.q.resize(n), point.qd.resize(n), point.qdd.resize(n);
    const double at = std::clamp((t - log_->t[begin_]) / log_->period, 0.0, end_ - begin_ - 1.0);
    const int k = std::min(begin_ + static_cast<int>(at), end_ - 2);
    const double u = at - (k - begin_), h = log_->period;
    for (int c = 0; c < n; ++c) {
      const double a = log_->q_ref(k, c), b = log_->q_ref(k + 1, c);
      const double s = slope(k, c), e = slope(k + 1, c);  // per sample
      const double c2 = 3 * (b - a) - 2 * s - e, c3 = s + e - 2 * (b - a);
      point.q[c] = a + u * (s + u * (c2 + u * c3));
      point.qd[c] = (s + u * (2 * c2 + 3 * u * c3)) / h;
      point.qdd[c] = (2 * c2 + 6 * u * c3) / (h * h);
    }
  }

 private:
  double slope(int k, int c) const {
    const Matrix& r = log_->q_ref;
    if (k - 2 >= begin_ && k + 2 < end_)  // of fourth order: no ripple at the rate of the samples
      return (8 * (r(k + 1, c) - r(k - 1, c)) - (r(k + 2, c) - r(k - 2, c))) / 12;
    const int before = std::max(k - 1, begin_), after = std::min(k + 1, end_ - 1);
    return (r(after, c) - r(before, c)) / (after - before);
  }

  const MotionLog* log_;
  int begin_, end_;
};

void check(const Model<double>& robot, const MotionLog& log, const LoopGains& gains) {
  if (log.q_ref.rows() != log.size() || log.q_ref.cols() != robot.n_v())
    throw Error("log \"" + log.name + "\": " + std::to_string(log.q_ref.rows()) + " rows of " +
                std::to_string(log.q_ref.cols()) + " references for " + std::to_string(log.size()) +
                " samples of " + std::to_string(robot.n_v()));
  for (const auto& [list, word] :
       {std::pair{&gains.kp, "kp"}, {&gains.kd, "kd"}, {&gains.ki, "ki"}})
    if (!list->empty() && list->size() != robot.n_v())
      throw Error(std::string("controller: ") + word + " has " + std::to_string(list->size()) +
                  " numbers for " + std::to_string(robot.n_v()) + " joints");
}

/// One stretch; false where the run did not finish.
bool run_stretch(const Model<double>& robot, const MotionLog& log, int begin, int end,
                 ControlLaw& law, const ReferenceRunOptions& options, Matrix& q, Matrix& qd,
                 Matrix& qdd) {
  const LoggedReference reference(log, begin, end);
  ReferencePoint start;
  reference(log.t[begin], start);
  SimulateOptions how;
  how.q0 = start.q, how.v0 = start.qd;
  how.start = log.t[begin];
  how.duration = (end - 1 - begin) * log.period;
  how.record_every = log.period;
  how.integrator = Integrator::dormand_prince5;
  how.control.relative = 1e-7, how.control.absolute = 1e-8;
  how.certificate = false;
  if (options.go_on) how.progress = [&](double) { return options.go_on(); };
  const Recording run = simulate(Plant(robot), law, reference, how);
  if (run.stop != StopReason::finished) return false;
  for (int k = begin; k < end; ++k) {
    const int row = std::min(k - begin, run.size() - 1);
    for (int c = 0; c < robot.n_v(); ++c)
      q(k, c) = run.q(row, c), qd(k, c) = run.qd(row, c), qdd(k, c) = run.qdd(row, c);
  }
  return true;
}

}  // namespace

LoopGains loop_gains(const Model<double>& robot, const MotionLog& log,
                     const ReferenceRunOptions& options) {
  check(robot, log, options.gains);
  const int n = robot.n_v();
  Array<double> inertia(n, 0.0), q(n);
  CrbaWorkspace<double> ws(robot);
  Matrix M(n, n);
  for (int k = 0; k < log.size(); k += std::max(1, log.size() / looks)) {
    for (int c = 0; c < n; ++c) q[c] = log.q_ref(k, c);
    mass_matrix<double, double>(robot, ws, q, M);
    for (int c = 0; c < n; ++c) inertia[c] = std::max(inertia[c], M(c, c));
  }
  LoopGains gains = options.gains;
  gains.kp.resize(n, 0.0), gains.kd.resize(n, 0.0);
  const double w = 2 * std::numbers::pi * std::min(options.frequency, 0.1 / log.period);
  for (int c = 0; c < n; ++c) {
    if (gains.kp[c] == 0) gains.kp[c] = w * w * inertia[c];
    if (gains.kd[c] == 0) gains.kd[c] = 2 * std::sqrt(gains.kp[c] * inertia[c]);
  }
  return gains;
}

ReferenceSimulator reference_simulator(ReferenceRunOptions options) {
  return [options = std::move(options)](const Model<double>& robot, const MotionLog& log, Matrix& q,
                                        Matrix& qd, Matrix& qdd) {
    const LoopGains gains = loop_gains(robot, log, options);
    const Gain kp({gains.kp.begin(), gains.kp.end()}), kd({gains.kd.begin(), gains.kd.end()});
    std::unique_ptr<ControlLaw> law;
    if (gains.ki.empty())
      law = std::make_unique<IndependentPd>(robot, PdGains{kp, kd});
    else
      law = std::make_unique<IndependentPid>(
          robot, PidGains{kp, Gain({gains.ki.begin(), gains.ki.end()}), kd});
    q = qd = qdd = Matrix(log.size(), robot.n_v());
    for (int s = 0; s < log.n_stretches(); ++s)
      if (!run_stretch(robot, log, log.stretch_begin(s), log.stretch_end(s), *law, options, q, qd,
                       qdd))
        return false;
    return true;
  };
}

}  // namespace torsor
