#include "identifying.hpp"
#include "torsor/identification/write_back.hpp"

namespace torsor {
namespace {

/// What a robot's file can hold: not gains of drives, nor loads that come and go.
bool belongs_to_robot(const Model<double>& model, const std::string& name) {
  if (name.starts_with("gain.")) return false;
  return !name.starts_with("payload") || model.has_frame(name.substr(0, name.rfind('.')));
}

}  // namespace

WriteBack write_back(const Model<double>& model, const IdentifyOptions& options,
                     const Identification& found, const WriteBackOptions& how) {
  IdentifyOptions without = options;
  without.payloads.clear();
  Model<double> shape = identified_shape(model, without);
  Array<int> dofs;
  Array<double> stribeck;
  for (int v = 0; v < shape.n_v(); ++v)
    for (const IdentifiedParameter& p : found.nonlinear)
      if (p.name == shape.dof_name(v) + ".stribeck") dofs.push_back(v), stribeck.push_back(p.value);
  if (!dofs.empty()) shape = internal::with_stribeck(shape, dofs, stribeck);
  if (found.estimator == Estimator::consistent) {
    ParameterValues all;
    for (int k = 0; k < found.names.size(); ++k)
      if (belongs_to_robot(model, found.names[k])) {
        all.names.push_back(found.names[k]);
        all.values.push_back(found.x[k]);
      }
    return write_back(shape, all, how);
  }
  // Base parameters of the robot alone: rows and columns of the others are left out.
  BaseParameters base;
  Array<int> columns, rows;
  for (int k = 0; k < found.base.n_parameters(); ++k)
    if (belongs_to_robot(model, found.base.names[static_cast<std::size_t>(k)])) {
      columns.push_back(k);
      base.names.push_back(found.base.names[static_cast<std::size_t>(k)]);
      base.roles.push_back(found.base.roles[k]);
    }
  Array<double> values;
  const Array<double> all = found.base.values(found.x);
  for (int r = 0; r < found.base.size(); ++r)
    for (int c = 0; c < columns.size(); ++c)
      if (columns[c] == found.base.kept[r]) {
        base.kept.push_back(c);
        rows.push_back(r);
        values.push_back(all[r]);
      }
  base.regrouping = Matrix(rows.size(), columns.size());
  for (int r = 0; r < rows.size(); ++r)
    for (int c = 0; c < columns.size(); ++c)
      base.regrouping(r, c) = found.base.regrouping(rows[r], columns[c]);
  return write_back(shape, base, values, how);
}

}  // namespace torsor
