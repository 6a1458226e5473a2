#include "torsor/identification/base_operations.hpp"

#include <cmath>

#include "dh_regrouping.hpp"
#include "torsor/dynamics/textbook/linear_dynamics.hpp"
#include "torsor/dynamics/textbook/textbook_forward.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor {
namespace {

template <class Algorithm>
OperationCount counted(const Algorithm& algorithm) {
  const OperationCount before = std::exchange(Customised::count, {});
  algorithm();
  return std::exchange(Customised::count, before);
}

/// Numbers of which none is zero or one and no two are equal: a program for any link data.
double some_number(int k) { return 0.7 + 0.0137 * k * k; }

/// The table with such links.
DhTable with_full_links(DhTable table) {
  int k = 1;
  for (DhRow& row : table.rows) {
    const auto next = [&k] { return 0.1 * some_number(k++); };
    row.inertial.mass = 10 * next();
    for (double* x : {&row.inertial.com.x, &row.inertial.com.y, &row.inertial.com.z}) *x = next();
    auto& [xx, xy, yy, xz, yz, zz] = row.inertial.about_com;
    for (double* x : {&xx, &xy, &yy, &xz, &yz, &zz}) *x = next();
    row.has_inertial = true;
  }
  return table;
}

}  // namespace

BaseOperations base_operations(const DhTable& table) {
  const bool standard = table.convention == DhTable::Convention::standard;
  const DhTable tidy = internal::tidied(standard ? dh_to_mdh(table) : table, 1e-8);
  const DhTable arm = with_full_links(tidy);
  const int n = static_cast<int>(arm.rows.size());
  const BaseParameters base = dh_base_parameters(tidy);
  Array<double> all(parameters_per_body * n), values(base.size());
  for (int k = 0; k < all.size(); ++k) all[k] = some_number(k + 1);
  for (int k = 0; k < values.size(); ++k) values[k] = some_number(k + 1);
  const Array<double> kept = base.expanded(values);

  Array<Customised> x(n), tau(n), H(n * n);
  for (int k = 0; k < n; ++k) x[k] = Customised::variable(0.3 + 0.1 * k);
  LinearDynamicsWorkspace<Customised> linear(arm);
  TextbookWorkspace<Customised> newton_euler(arm);
  TextbookForwardWorkspace<Customised> forward(arm);
  const MatrixView<Customised> square = column_major(H.data(), n, n);
  BaseOperations out;
  out.newton_euler =
      counted([&] { textbook_inverse_dynamics<Customised>(arm, newton_euler, x, x, x, tau); });
  out.linear =
      counted([&] { linear_inverse_dynamics<Customised>(arm, linear, x, x, x, all, tau); });
  out.linear_on_base =
      counted([&] { linear_inverse_dynamics<Customised>(arm, linear, x, x, x, kept, tau); });
  out.composite = counted([&] { composite_body_mass_matrix<Customised>(arm, forward, x, square); });
  out.composite_linear =
      counted([&] { linear_mass_matrix<Customised>(arm, linear, x, all, square); });
  out.composite_on_base =
      counted([&] { linear_mass_matrix<Customised>(arm, linear, x, kept, square); });
  return out;
}

}  // namespace torsor
