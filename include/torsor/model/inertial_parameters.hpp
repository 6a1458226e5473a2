#pragma once
/// Inertial parameters: ten numbers for each moving body, read, written and named.
///
///   m, mx, my, mz, xx, xy, yy, xz, yz, zz
///
/// m (kg), first moments m c (kg m), and the entries of the inertia matrix about the frame's origin
/// (kg m^2); links fixed to the body are included. Body 1 comes first: 10 (n_bodies - 1) numbers.
/// The robot's dynamics are linear in them.
///
/// Huo's order: xx, xy, xz, yy, yz, zz, mx, my, mz, m. Huo 2005, sec. 2.5 has the matrix entries,
/// as here; its sections 2.1 to 2.4 have products with the other sign (plus the integral).
///
/// Frames   the file's link frame that the body's joint carries.
/// Source   Huo 2005, sec. 2.5, (2-110); Atkeson, An & Hollerbach 1986.
#include <array>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

inline constexpr int parameters_per_body = 10;

namespace internal {

inline constexpr std::array<const char*, parameters_per_body> parameter_words = {
    "m", "mx", "my", "mz", "xx", "xy", "yy", "xz", "yz", "zz"};
inline constexpr std::array<const char*, parameters_per_body> textbook_parameter_words = {
    "xx", "xy", "xz", "yy", "yz", "zz", "mx", "my", "mz", "m"};

}  // namespace internal

/// Sign of xy, xz, yz: entries of the inertia matrix, or integrals of x y dm and so on.
enum class ProductSign : unsigned char { matrix_entry, integral };

/// The ten numbers of one body, and back.
template <class Real>
constexpr std::array<Real, parameters_per_body> parameters_of(const Inertia<Real>& I) {
  return {I.m, I.h.x, I.h.y, I.h.z, I.J.xx, I.J.xy, I.J.yy, I.J.xz, I.J.yz, I.J.zz};
}
template <class Real>
constexpr Inertia<std::remove_cv_t<Real>> inertia_of(Real* p) {
  return {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7], p[8], p[9]}};
}

std::vector<double> parameters(const Model<double>& model);
/// "link.m", "link.mx", ... with the name of the link that carries the body.
std::vector<std::string> parameter_names(const Model<double>& model);

/// Any number of bodies from this library's order to that of Huo 2005, and back.
std::vector<double> textbook_order(View<const double> parameters,
                                   ProductSign sign = ProductSign::matrix_entry);
std::vector<double> from_textbook_order(View<const double> parameters,
                                        ProductSign sign = ProductSign::matrix_entry);
std::vector<std::string> textbook_order(const std::vector<std::string>& names);

/// The same robot whose bodies have exactly these parameters; they need not be of a possible body.
///
/// In the description the link that carries a body gets p less what the links fixed to it have.
/// Where that leaves no positive mass, it gets all of p and the fixed links none. Where p itself
/// has no positive mass but first moments (base parameters), the description keeps the old numbers
/// and Model::is_described() is false.
/// Throws Error for a wrong size or a number that is not finite.
Model<double> with_parameters(const Model<double>& model, View<const double> parameters);

}  // namespace torsor
