#include "torsor/identification/write_back.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base_parameter_ways.hpp"
#include "distribution.hpp"
#include "robot_writer.hpp"

namespace torsor {
namespace {

using internal::ParameterSlot;
using internal::RobotWriter;

std::string text(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", x);
  return buffer;
}

std::string impossible(const WriteBack& out) {
  std::string words;
  for (const BodyConsistency& body : out.bodies)
    if (!body.consistent)
      words += (words.empty() ? "" : ", ") + body.link + " (smallest eigenvalue " +
               text(body.smallest_eigenvalue) + ")";
  return words;
}

void check(const std::vector<std::string>& names, In<double> values) {
  if (static_cast<int>(names.size()) != values.size)
    throw Error("an estimate has " + std::to_string(names.size()) + " names and " +
                std::to_string(values.size) + " values");
  for (int k = 0; k < values.size; ++k)
    if (!std::isfinite(values[k]))
      throw Error("parameter \"" + names[static_cast<std::size_t>(k)] + "\" is not finite");
}

/// The problem over the parameters that may change, and where they are among all. A rotor that the model
/// does not have and no motion can tell from a link stays away.
struct Layout {
  internal::DistributionProblem problem;
  Array<int> at;
};
Layout layout_of(const Model<double>& model, const BaseParameters& base, const RobotWriter& writer,
                 const std::vector<ParameterSlot>& slots, const std::set<int>& named) {
  Layout layout;
  internal::DistributionProblem& problem = layout.problem;
  problem.length = internal::size_of(model);
  double mass = 0;
  for (int i = 1; i < model.n_bodies(); ++i)
    mass += model.body(i).inertia.m / (model.n_bodies() - 1);
  if (!(mass > 0)) mass = 1;
  for (int k = 0; k < base.n_parameters(); ++k) {
    const ParameterSlot& s = slots[static_cast<std::size_t>(k)];
    const bool of_link = s.of == ParameterSlot::Of::link, rotor = writer.is_rotor(s);
    const double prior = writer.value(s, named);
    if (rotor && prior == 0 && base.roles[k] != ParameterRole::alone) continue;
    const int here = layout.at.size();
    if (of_link && s.word == 0) problem.bodies.push_back(here);
    if (rotor) problem.positive.push_back(here);
    const int power = !of_link ? 2 : s.word == 0 ? 0 : s.word < 4 ? 1 : 2;
    layout.at.push_back(k);
    problem.prior.push_back(prior);
    const double inertial = mass * std::pow(problem.length, power);
    problem.unit.push_back(of_link ? inertial
                           : rotor ? inertial / writer.rotor_weight(s)
                                   : std::max(1.0, std::abs(prior)));
  }
  problem.A = Matrix(base.size(), layout.at.size());
  for (int r = 0; r < base.size(); ++r)
    for (int c = 0; c < layout.at.size(); ++c) problem.A(r, c) = base.regrouping(r, layout.at[c]);
  return layout;
}

}  // namespace

WriteBack write_back(const Model<double>& model, const ParameterValues& estimate,
                     const WriteBackOptions& options) {
  check(estimate.names, estimate.values);
  RobotWriter writer(model);
  writer.write(writer.slots_of(estimate.names), estimate.values);
  WriteBack& out = writer.out();
  if (!out.consistent && !options.inconsistent)
    out.message = "no mass distribution has the estimate of " + impossible(out);
  return writer.take();
}

WriteBack write_back(const Model<double>& model, const BaseParameters& base, In<double> values,
                     const WriteBackOptions& options) {
  std::vector<std::string> names;
  for (const int k : base.kept) names.push_back(base.names[static_cast<std::size_t>(k)]);
  check(names, values);
  RobotWriter writer(model);
  const std::vector<ParameterSlot> slots = writer.slots_of(base.names);
  const Layout layout = layout_of(model, base, writer, slots, internal::named_links(slots));
  internal::DistributionProblem problem = layout.problem;
  problem.b.assign(values.begin(), values.end());
  const internal::Distribution found = internal::distribute(problem);
  Array<double> p(base.n_parameters(), 0.0);
  for (int k = 0; k < layout.at.size(); ++k) p[layout.at[k]] = found.p[k];
  writer.write(slots, p);
  WriteBack& out = writer.out();
  out.divergence = found.divergence;
  out.consistent = out.consistent && found.found;
  if (!out.consistent && !options.inconsistent)
    out.message =
        "no physically consistent robot has these base parameters; the nearest exact one has " +
        impossible(out);
  return writer.take();
}

}  // namespace torsor
