#include "base_parameter_ways.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {
namespace internal {

double size_of(const Model<double>& model) {
  double size = 0;
  for (int i = 1; i < model.n_bodies(); ++i) size = std::max(size, norm(model.body(i).placement.p));
  return size > 0 ? size : 1;
}

double inertial_unit(int k, double size) {
  const int own = k % parameters_per_body;
  return own == 0 ? 1 : own < 4 ? size : size * size;
}

Array<int> rotor_velocities(const Model<double>& model, const BaseParameterOptions& options) {
  Array<int> velocities;
  for (int i = 1; options.rotors && i < model.n_bodies(); ++i)
    for (int k = 0; k < model.body(i).v.count; ++k)
      if (coordinate_of_dof(model.joint(i), k) >= 0)
        velocities.push_back(model.body(i).v.first + k);
  return velocities;
}

Array<double> parameter_units(const Model<double>& model, const BaseParameterOptions& options,
                              double size) {
  const std::vector<Measure> rates = velocity_measures(model);
  Array<double> units;
  for (int k = 0; k < parameters_per_body * (model.n_bodies() - 1); ++k)
    units.push_back(inertial_unit(k, size));
  for (const int k : rotor_velocities(model, options))
    units.push_back(rates[static_cast<std::size_t>(k)] == Measure::length ? 1 : size * size);
  return units;
}

BaseParameters all_named(const Model<double>& model, const BaseParameterOptions& options) {
  BaseParameters base;
  base.names = parameter_names(model);
  for (const int k : rotor_velocities(model, options))
    base.names.push_back("rotor." + model.dof_name(k));
  return base;
}

namespace {

void sort_rows(BaseParameters& base) {
  Array<int> order(base.size());
  for (int k = 0; k < base.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return base.kept[a] < base.kept[b]; });
  Array<int> kept;
  Matrix rows(base.size(), base.regrouping.cols());
  for (int k = 0; k < base.size(); ++k) {
    kept.push_back(base.kept[order[k]]);
    for (int c = 0; c < rows.cols(); ++c) rows(k, c) = base.regrouping(order[k], c);
  }
  base.kept = std::move(kept);
  base.regrouping = std::move(rows);
}
void set_roles(BaseParameters& base) {
  const int N = base.regrouping.cols();
  base.roles.assign(N, ParameterRole::ineffective);
  for (int c = 0; c < N; ++c)
    for (int r = 0; r < base.size(); ++r)
      if (base.regrouping(r, c) != 0) base.roles[c] = ParameterRole::regrouped;
  for (int r = 0; r < base.size(); ++r) {
    bool alone = true;
    for (int c = 0; c < N; ++c) alone = alone && (c == base.kept[r] || base.regrouping(r, c) == 0);
    base.roles[base.kept[r]] = alone ? ParameterRole::alone : ParameterRole::kept;
  }
}

}  // namespace

void finish(BaseParameters& base) {
  sort_rows(base);
  set_roles(base);
}

}  // namespace internal

const char* name_of(ParameterRole role) {
  switch (role) {
    case ParameterRole::alone:
      return "alone";
    case ParameterRole::kept:
      return "kept";
    case ParameterRole::regrouped:
      return "regrouped";
    case ParameterRole::ineffective:
      break;
  }
  return "ineffective";
}

Array<double> BaseParameters::values(In<double> p) const {
  if (p.size != n_parameters())
    throw Error("base parameters: " + std::to_string(n_parameters()) + " parameters are needed, " +
                std::to_string(p.size) + " were given");
  Array<double> b(size(), 0.0);
  for (int r = 0; r < size(); ++r) {
    double terms = 0;
    for (int c = 0; c < p.size; ++c) {
      b[r] += regrouping(r, c) * p[c];
      terms += std::abs(regrouping(r, c) * p[c]);
    }
    if (std::abs(b[r]) < 1e-15 * terms) b[r] = 0;  // what rounding leaves of terms that cancel
  }
  return b;
}

Array<double> BaseParameters::expanded(In<double> b) const {
  if (b.size != size())
    throw Error("base parameters: " + std::to_string(size()) + " values are needed, " +
                std::to_string(b.size) + " were given");
  Array<double> p(n_parameters(), 0.0);
  for (int k = 0; k < size(); ++k) p[kept[k]] = b[k];
  return p;
}

std::string BaseParameters::formula(int k, int digits) const {
  const auto factor = [digits](double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    return std::string(text);
  };
  const auto name = [this](int c) { return names[static_cast<std::size_t>(c)]; };
  std::string text = name(kept[k]);
  for (int c = 0; c < n_parameters(); ++c) {
    const double x = regrouping(k, c);
    if (c == kept[k] || x == 0) continue;
    text += x < 0 ? " - " : " + ";
    const std::string size_of_x = factor(std::abs(x));
    if (size_of_x != "1") text += size_of_x + " ";
    text += name(c);
  }
  return text;
}

Array<double> all_parameters(const Model<double>& model, const BaseParameterOptions& options) {
  const std::vector<double> inertial = parameters(model);
  Array<double> p(inertial.begin(), inertial.end());
  for (const int k : internal::rotor_velocities(model, options)) p.push_back(model.dof(k).armature);
  return p;
}

BaseParameters base_parameters(const Model<double>& model, const BaseParameterOptions& options) {
  if (ConstraintSet(model).n_rows() > 0) return numeric_base_parameters(model, options);
  return internal::recursive_base_parameters(model, options);
}

}  // namespace torsor
