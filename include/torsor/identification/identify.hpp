#pragma once
/// From measured motions of a robot to its numbers.
///
///   logs -> q, qd, qdd -> W x = tau -> low-pass, every d-th row -> factors -> x, its spread -> other motions
///
/// Torque and every column of the regressor pass the same low-pass (parallel filtering), so that
/// F(W) x = F(tau) holds for the same x. Ends of stretches, where filters settle, are left out.
///
/// Unknowns   Columns of the model (parameter_columns.hpp). What is not unknown is the model's own and is
///            subtracted. Only combinations are determined (base_parameters.hpp): those are estimated;
///            `consistent` gives all ten of every body, bodies that can exist, near the model's.
/// Spread     By bootstrap over blocks of time: noise of measured logs is not white, and what classical
///            formulas say is several times too small. Both are given. Where the width of dry friction's
///            smooth sign is assumed, low and high also count what an exact sign would make of the rows.
/// Determined Columns that the logs move, and of which less is unknown than a fifth of the logs' torque along
///            usual motions (1 rad/s, 1 rad/s^2). What they do not move keeps the model's number. Of
///            `consistent` low and high count what the model decides, and such numbers are not determined.
/// Cost       Linear in the samples, constant memory beside the logs.
/// Same       For one seed the numbers are the same whatever the number of threads and processes.
/// Source     Gautier 1997; Swevers, Verdonck & De Schutter 2007; Khalil & Dombre 2002, ch. 12.
#include <functional>
#include <string>
#include <vector>

#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/consistency.hpp"
#include "torsor/identification/estimate.hpp"
#include "torsor/identification/motion_log.hpp"
#include "torsor/identification/parameter_columns.hpp"
#include "torsor/identification/residual_tests.hpp"
#include "torsor/identification/signal/prepare.hpp"
#include "torsor/identification/write_back.hpp"
#include "torsor/math/internal/pieces.hpp"

namespace torsor {

enum class Estimator : unsigned char {
  automatic,       ///< consistent where the model's bodies can exist, else weighted
  ordinary,        ///< least squares, rows as they are
  weighted,        ///< least squares, joints by the noise that they have
  total,           ///< total least squares
  robust,          ///< rows far from the fit count less
  consistent,      ///< bodies that can exist, near the model's
  joint_by_joint,  ///< from the tip to the base (Huo 2005, sec. 2.5)
  power,           ///< the balance of energy: no accelerations
  instrumental,    ///< instruments from a simulation of the motion asked for (instrumental.hpp)
  didim,           ///< the regressor of that simulation, positions are not used (instrumental.hpp)
  output_error     ///< weighted, and the Stribeck velocities, too (output_error.hpp)
};
const char* name_of(Estimator estimator);

/// Whether it simulates: it then needs IdentifyOptions::simulate and logs with references.
bool simulates(Estimator estimator);

/// The motion of a robot that is asked for log.q_ref, as many samples as the log has; false where it goes
/// astray. Called from several threads.
using ReferenceSimulator = std::function<bool(const Model<double>& robot, const MotionLog& log,
                                              Matrix& q, Matrix& qd, Matrix& qdd)>;

/// A load of which little is known, in some of the logs.
struct PayloadUnknown {
  std::string frame;  ///< that carries it
  double mass = 0;    ///< kg; 0: unknown
  std::vector<int>
      logs{};  ///< that have it, those of validation counted after the others; empty: all
};

struct IdentifyOptions {
  ColumnChoice choice{};
  std::vector<std::string> unknowns{};  ///< names, in place of the choice
  std::vector<PayloadUnknown> payloads{};
  bool payload_only = false;  ///< everything but payloads is the model's
  Motors motors{};            ///< of logs of the motor side
  /// rad/s, and of slides a tenth of it in m/s: of the smooth sign of Coulomb friction where the file has
  /// none; 0: exact.
  double sign_width = 0.02;
  bool force_width = false;  ///< that width for all joints, slides too

  FilterOptions filter{};
  bool periodic = false;     ///< periods are averaged and differentiated as Fourier series
  double motion_period = 0;  ///< s, of a periodic motion; 0: found
  bool find_delay = true;    ///< torques that come late, clearly, are moved back
  double least_speed = 0;    ///< rad/s or m/s: rows of slower joints are left out
  double split = 1;          ///< the first share of each log; what follows is for validation
  double block = 1;          ///< s, of the bootstrap

  Estimator estimator = Estimator::automatic;
  ReferenceSimulator simulate{};  ///< of estimators that simulate (sim/reference_run.hpp)
  ConsistencyOptions consistency{.gamma = 0};  ///< gamma 0: by cross-validation
  int bootstrap = 200;                         ///< draws; 0: classical intervals alone
  unsigned seed = 1;
  int threads = 0;          ///< 0: all cores
  internal::Hands hands{};  ///< of several processes; empty: threads of this one
};

/// Least squares against instruments (residual_tests.hpp), of correlated rows.
struct BiasTest {
  bool done = false;
  HausmanTest test{};
};

/// One number that was estimated.
struct IdentifiedParameter {
  std::string name, formula, unit;
  double value = 0;
  double sigma = 0, low = 0, high = 0;  ///< bootstrap, 95 %
  double classical_sigma = 0;           ///< white noise
  double before = 0;                    ///< the model's
  bool determined = true;               ///< by these logs
};

/// Torque of one joint along a log: measured and filtered, of the model, and the predicted interval.
struct TorqueSeries {
  std::string log;
  Array<double> t{};
  Matrix measured{}, predicted{}, half_width{};  ///< samples x joints; half width of 95 %
  bool validation = false;
  Matrix q{};  ///< samples x coordinates: where the robot was
};

struct LogResidual {
  std::string log;
  bool validation = false;
  Residual residual{};
  double covered = 0;  ///< per cent of the samples inside of the predicted interval
};

struct Identification {
  Estimator estimator = Estimator::weighted;
  std::string method;  ///< one line
  std::string filter;  ///< one line
  BaseParameters base{};
  Array<IdentifiedParameter> parameters{};  ///< base parameters, friction, ...
  Array<IdentifiedParameter> links{};       ///< ten of each body, where the estimator gives them
  Array<IdentifiedParameter> nonlinear{};   ///< JOINT.stribeck, of output_error
  Array<std::string> names{};               ///< of all unknowns
  Array<double> x{};                        ///< all unknowns, with the torques of the fit
  std::vector<std::string> joints{};        ///< whose torques have rows, in the order of residuals
  bool bootstrapped = false;                ///< intervals are of the bootstrap, else classical
  bool stopped = false;                     ///< by the caller, once the fit was done
  Residual train{}, validation{};
  bool validated = false;
  double covered = 0;  ///< per cent of the validation's samples inside of the predicted interval
  std::vector<LogResidual> logs{};
  double mass = 0;  ///< kg, of the bodies; what the logs say of it is in `links`
  double condition = 0;
  long long rows = 0;
  bool consistent = false;  ///< all bodies can exist
  double gamma = 0;
  ConsistentEstimate certificate{};
  BiasTest bias{};        ///< of least squares, where the estimator is instrumental
  Array<double> noise{};  ///< N m, by joint: spread of the residual
  /// Parameters without which the fit is as good (F-test, rows counted as independent ones are).
  std::vector<std::string> not_essential{};
  std::vector<TorqueSeries> series{};
  std::vector<LogRepair> repairs{};
  std::vector<std::string> notes{};  ///< what a reader has to know
};

/// `progress` is told the share that is done and may return false to stop: an Error until the fit is done (0.65);
/// from then on draws of the bootstrap by then count, and `stopped` is set. Throws Error for logs of other widths
/// than the model's, unknowns that are none, logs without rows.
Identification identify(const Model<double>& model, const std::vector<MotionLog>& logs,
                        const std::vector<MotionLog>& validation = {},
                        const IdentifyOptions& options = {},
                        const std::function<bool(double)>& progress = {});

/// The model with the smooth sign of the options, payloads and motors: the one that x belongs to (of
/// output_error with the Stribeck velocities that were found, too).
Model<double> identified_shape(const Model<double>& model, const IdentifyOptions& options);

/// The robot with the numbers that were found, and the smooth sign that they go with. Loads and gains of drives
/// stay out of it.
WriteBack write_back(const Model<double>& model, const IdentifyOptions& options,
                     const Identification& found, const WriteBackOptions& how = {});

}  // namespace torsor
