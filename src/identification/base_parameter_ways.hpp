#pragma once
/// What the two ways to base parameters share.
#include "column_elimination.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

/// Columns in the order in which they are kept where several would do: Huo 2005, sec. 2.5 keeps them so
/// for joints about and along z (YY, MZ, M of hinges, MX of sliders go on to the parent).
inline constexpr int kept_first[parameters_per_body] = {0, 3, 2, 1, 9, 4, 5, 7, 8, 6};
/// Without gravity MX and MY of a hinge whose axis meets those before it are seen in XZ and YZ only.
inline constexpr int kept_first_without_gravity[parameters_per_body] = {0, 3, 9, 4, 5,
                                                                        7, 8, 2, 1, 6};
inline const int (&kept_order(const Model<double>& model))[parameters_per_body] {
  return norm(model.gravity()) > 0 ? kept_first : kept_first_without_gravity;
}

/// A length that describes the robot: what lengths are measured by, so that tolerances have no unit.
double size_of(const Model<double>& model);
/// Unit of inertial parameter k: 1, size or size^2, as lengths are measured by `size`.
double inertial_unit(int k, double size);
/// Units of all parameters. The rotor of a slide is a mass.
Array<double> parameter_units(const Model<double>& model, const BaseParameterOptions& options,
                              double size);

/// Velocities that have a rotor: those that are rates of a coordinate. At others (body velocities of
/// spherical, planar and free joints) there is nothing that a motor could turn.
Array<int> rotor_velocities(const Model<double>& model, const BaseParameterOptions& options);
/// Names of all parameters; nothing is kept yet.
BaseParameters all_named(const Model<double>& model, const BaseParameterOptions& options);
/// Rows of the regrouping by ascending kept parameter, and the roles that follow from it.
void finish(BaseParameters& base);

double longest_column(InMatrix<double> R, int columns);
/// What was kept and how the others follow, and `finish`. Coefficients below `dust`, between columns in
/// their units, are none.
void set_regrouping(BaseParameters& base, const ColumnElimination& columns, double dust,
                    const Array<double>& units);

/// For trees: base_parameters.hpp says how.
BaseParameters recursive_base_parameters(const Model<double>& model,
                                         const BaseParameterOptions& options);

}  // namespace torsor::internal
