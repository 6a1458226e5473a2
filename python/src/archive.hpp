#pragma once
/// Values of the library as bytes, for pickle, and back from them.
///
///   Archive to("torsor.Log");  to(log, motors);           bytes = to.bytes();
///   Archive from("torsor.Log", bytes);  from(log, motors);  from.end();
///
/// A struct is what its fields are. Structured bindings name all of them: with a new field nothing
/// compiles until it stands here, too.
#include <cstring>
#include <string>
#include <type_traits>

#include "torsor/identification/excitation.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor::python {

class Archive {
 public:
  /// To be written. `what` is said where bytes are of something else, or of another version.
  explicit Archive(const char* what);
  /// To be read; throws Error.
  Archive(const char* what, std::string bytes);

  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  const std::string& bytes() const { return bytes_; }
  /// Throws Error where there is more than was read.
  void end() const;

 private:
  template <class Value>
  void one(Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
      raw(&value, sizeof value);
    else if constexpr (requires { value.resize(value.size()); })
      list(value);
    else
      fields(*this, value);
  }
  template <class List>
  void list(List& values) {
    using Element = std::remove_reference_t<decltype(*values.data())>;
    auto count = static_cast<std::uint64_t>(values.size());
    raw(&count, sizeof count);
    if (reading_) {
      if (count > bytes_.size() - at_) refuse();
      values.resize(static_cast<decltype(values.size())>(count));
    }
    if constexpr (std::is_arithmetic_v<Element> || std::is_enum_v<Element>)
      raw(values.data(), sizeof(Element) * static_cast<std::size_t>(count));
    else
      for (Element& value : values) one(value);
  }
  void raw(void* data, std::size_t size);
  [[noreturn]] void refuse() const;

  const char* what_;
  std::string bytes_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

inline void fields(Archive& archive, Matrix& x) {
  int rows = x.rows(), cols = x.cols();
  Array<double> entries = x.entries();
  archive(rows, cols, entries);
  x = Matrix(rows, cols, std::move(entries));
}
inline void fields(Archive& archive, Vec3<double>& v) { archive(v.x, v.y, v.z); }
inline void fields(Archive& archive, LogRepair& x) {
  auto& [log, first_row, last_row, what] = x;
  archive(log, first_row, last_row, what);
}
inline void fields(Archive& archive, MotionLog& x) {
  auto& [name, period, t, q, qd, tau, measured, drive, q_ref, rows, stretches, repairs] = x;
  archive(name, period, t, q, qd, tau, measured, drive, q_ref, rows, stretches, repairs);
}
inline void fields(Archive& archive, Motors& x) {
  auto& [N, gain, unknown_gain, gain_unit] = x;
  archive(N, gain, unknown_gain, gain_unit);
}
inline void fields(Archive& archive, LoopGains& x) {
  auto& [kp, kd, ki] = x;
  archive(kp, kd, ki);
}
inline void fields(Archive& archive, LimitUse& x) {
  auto& [of, what, attained, limit, share] = x;
  archive(of, what, attained, limit, share);
}
inline void fields(Archive& archive, ColumnChoice& x) {
  auto& [inertial, rotors, viscous, coulomb, offset, asymmetry, stiction, load, springs,
         spring_dampers, motors] = x;
  archive(inertial, rotors, viscous, coulomb, offset, asymmetry, stiction, load, springs,
          spring_dampers, motors);
}
inline void fields(Archive& archive, PayloadUnknown& x) {
  auto& [frame, mass, logs] = x;
  archive(frame, mass, logs);
}
inline void fields(Archive& archive, FilterOptions& x) {
  auto& [low_pass, cutoff, order, decimation, position_factor, use_velocities, derivatives, window,
         polynomial] = x;
  archive(low_pass, cutoff, order, decimation, position_factor, use_velocities, derivatives, window,
          polynomial);
}
inline void fields(Archive& archive, LinkKnowledge& x) {
  auto& [link, least_mass, largest_mass, centre, half_axes] = x;
  archive(link, least_mass, largest_mass, centre, half_axes);
}
inline void fields(Archive& archive, ConsistencyOptions& x) {
  auto& [gamma, total_mass, total_mass_sigma, links, nonnegative] = x;
  archive(gamma, total_mass, total_mass_sigma, links, nonnegative);
}
/// Without what simulates and other processes: these are of the call.
inline void fields(Archive& archive, IdentifyOptions& x) {
  auto& [choice, unknowns, payloads, payload_only, motors, sign_width, force_width, filter,
         periodic, motion_period, find_delay, least_speed, split, block, estimator, simulate,
         consistency, bootstrap, seed, threads, hands] = x;
  archive(choice, unknowns, payloads, payload_only, motors, sign_width, force_width, filter,
          periodic, motion_period, find_delay, least_speed, split, block, estimator, consistency,
          bootstrap, seed, threads);
}
inline void fields(Archive& archive, BaseParameters& x) {
  auto& [names, kept, regrouping, roles] = x;
  archive(names, kept, regrouping, roles);
}
inline void fields(Archive& archive, IdentifiedParameter& x) {
  auto& [name, formula, unit, value, sigma, low, high, classical_sigma, before, determined] = x;
  archive(name, formula, unit, value, sigma, low, high, classical_sigma, before, determined);
}
inline void fields(Archive& archive, Residual& x) {
  auto& [all, joints] = x;
  archive(all, joints);
}
inline void fields(Archive& archive, LogResidual& x) {
  auto& [log, validation, residual, covered] = x;
  archive(log, validation, residual, covered);
}
inline void fields(Archive& archive, ConsistentEstimate& e) {
  auto& [x, gamma, mass, converged, newton_steps, decrement, gradient, gap, bodies,
         smallest_eigenvalue, margin, squared_residual, least_squared_residual, notes] = e;
  archive(x, gamma, mass, converged, newton_steps, decrement, gradient, gap, bodies,
          smallest_eigenvalue, margin, squared_residual, least_squared_residual, notes);
}
inline void fields(Archive& archive, HausmanTest& x) {
  auto& [statistic, degrees, p_value, agree, verdict] = x;
  archive(statistic, degrees, p_value, agree, verdict);
}
inline void fields(Archive& archive, BiasTest& x) {
  auto& [done, test] = x;
  archive(done, test);
}
inline void fields(Archive& archive, TorqueSeries& x) {
  auto& [log, t, measured, predicted, half_width, validation, q] = x;
  archive(log, t, measured, predicted, half_width, validation, q);
}
inline void fields(Archive& archive, Identification& i) {
  auto& [estimator, method, filter, base, parameters, links, nonlinear, names, x, joints,
         bootstrapped, stopped, train, validation, validated, covered, logs, mass, condition, rows,
         consistent, gamma, certificate, bias, noise, not_essential, series, repairs, notes] = i;
  archive(estimator, method, filter, base, parameters, links, nonlinear, names, x, joints,
          bootstrapped, stopped, train, validation, validated, covered, logs, mass, condition, rows,
          consistent, gamma, certificate, bias, noise, not_essential, series, repairs, notes);
}
inline void fields(Archive& archive, FourierSeries<double>& x) {
  int size = x.size(), harmonics = x.harmonics();
  double frequency = x.frequency();
  std::vector<double> parameters = x.parameters();
  archive(size, harmonics, frequency, parameters);
  x = FourierSeries<double>(size, harmonics, frequency, std::move(parameters));
}
inline void fields(Archive& archive, PiecewisePolynomial<double>& x) {
  int size = x.size(), degree = x.degree();
  std::vector<double> knots = x.knots();
  std::vector<double> coefficients;
  if (size > 0) coefficients.assign(x.coefficients(0, 0), x.coefficients(x.segments(), 0));
  Outside outside = x.outside();
  archive(size, degree, knots, coefficients, outside);
  x = PiecewisePolynomial<double>(size, degree, std::move(knots), std::move(coefficients), outside);
}
inline void fields(Archive& archive, Excitation& e) {
  auto& [series, splines, coordinates, unknowns, dependent, condition, log_det, start_condition,
         start_log_det, use, samples, verified, seed, evaluations, stopped] = e;
  auto count = static_cast<int>(series.size());
  archive(count);
  series.resize(static_cast<std::size_t>(count), FourierSeries<double>(0, 0, 1, {}));
  for (FourierSeries<double>& s : series) fields(archive, s);
  archive(splines, coordinates, unknowns, dependent, condition, log_det, start_condition,
          start_log_det, use, samples, verified, seed, evaluations, stopped);
}

}  // namespace torsor::python
