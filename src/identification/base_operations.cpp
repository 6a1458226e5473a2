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

/// The table with links of which nothing is zero.
DhTable with_full_links(DhTable table) {
  for (DhRow& row : table.rows) {
    row.inertial = {2, {0.1, 0.2, 0.3}, {0.5, 0.01, 0.6, 0.02, 0.03, 0.7}};
    row.has_inertial = true;
  }
  return table;
}

}  // namespace

BaseOperations base_operations(const DhTable& table) {
  const bool standard = table.convention == DhTable::Convention::standard;
  const DhTable arm = with_full_links(internal::tidied(standard ? dh_to_mdh(table) : table, 1e-8));
  const int n = static_cast<int>(arm.rows.size());
  const BaseParameters base = dh_base_parameters(arm);
  const Array<double> all = table_parameters(arm);
  Array<double> unit(base.size(), 1.0), kept = base.expanded(unit);
  for (double& p : kept) p *= 0.7;  // neither zero nor one

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
  out.composite_on_base =
      counted([&] { linear_mass_matrix<Customised>(arm, linear, x, kept, square); });
  return out;
}

}  // namespace torsor
