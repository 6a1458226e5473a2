#include "id_methods.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "text_output.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/dynamics/textbook/operation_count.hpp"
#include "torsor/dynamics/textbook/textbook_newton_euler.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/counted.hpp"
#include "torsor/model/dh_conversion.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {
namespace {

/// tau = M qdd + C qd + g from the three of them.
template <class Real>
void by_matrices(const Model<double>& model, In<Real> q, In<Real> qd, In<Real> qdd, Out<Real> tau) {
  const int n = model.n_v();
  CrbaWorkspace<Real> crba(model);
  CoriolisWorkspace<Real> coriolis(model);
  RneaWorkspace<Real> rnea(model);
  Array<Real> M(n * n), C(n * n);
  mass_matrix(model, crba, q, column_major(M.data(), n, n));
  coriolis_matrix(model, coriolis, q, qd, column_major(C.data(), n, n));
  gravity_torque(model, rnea, q, tau);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) tau[r] = tau[r] + (M[c * n + r] * qdd[c] + C[c * n + r] * qd[c]);
}
template <class Real>
void by_recursion(const Model<double>& model, In<Real> q, In<Real> qd, In<Real> qdd,
                  Out<Real> tau) {
  RneaWorkspace<Real> ws(model);
  rigid_inverse_dynamics<Model<double>, Real>(model, ws, q, qd, qdd, {}, tau);
}

/// Any of the methods, on any number.
class Method {
 public:
  enum Kind : unsigned char { recursive, newton_euler, lagrange, matrices };

  Method(const Model<double>& model, Kind kind) : model_(model), kind_(kind) {
    if (kind == recursive || kind == matrices) return;
    DhConversion found = to_dh(model.description(), DhTable::Convention::standard);
    if (!found.ok())
      throw Error("--method " + name() + ": is of DH tables, and \"" + model.name() +
                  "\" has none: " + found.message);
    table_ = std::move(found.table);
  }
  std::string name() const {
    const char* names[] = {"recursive", "newton_euler", "lagrange", "matrices"};
    return names[kind_];
  }
  const char* what() const {
    const char* texts[] = {"twists and wrenches on SE(3), canonical form (rnea.hpp)",
                           "three-vectors (Huo 2005, sec. 2.2)",
                           "4 x 4 matrices (Huo 2005, sec. 2.1)",
                           "M qdd + C qd + g, each computed"};
    return texts[kind_];
  }
  /// What the book counts for n joints.
  std::optional<OperationCount> printed() const {
    if (kind_ == newton_euler) return newton_euler_operations(model_.n_v());
    if (kind_ == lagrange) return lagrange_operations(model_.n_v());
    return {};
  }

  template <class Real>
  void torques(In<Real> q, In<Real> qd, In<Real> qdd, Out<Real> tau) const {
    switch (kind_) {
      case recursive:
        return by_recursion<Real>(model_, q, qd, qdd, tau);
      case matrices:
        return by_matrices<Real>(model_, q, qd, qdd, tau);
      case newton_euler: {
        TextbookWorkspace<Real> ws(table_);
        return textbook_inverse_dynamics<Real>(table_, ws, q, qd, qdd, tau);
      }
      case lagrange: {
        LagrangeWorkspace<Real> ws(table_);
        return lagrange_inverse_dynamics<Real>(table_, ws, q, qd, qdd, tau);
      }
    }
  }
  std::vector<double> torques(const State& s) const {
    std::vector<double> tau(s.qd.size());
    torques<double>(s.q, s.qd, s.qdd, tau);
    return tau;
  }
  /// Of one evaluation. No algorithm branches on the state.
  OperationCount operations(const State& s) const {
    const std::vector<Counted> q(s.q.begin(), s.q.end()), qd(s.qd.begin(), s.qd.end()),
        qdd(s.qdd.begin(), s.qdd.end());
    std::vector<Counted> tau(qd.size());
    Counted::count = {};
    torques<Counted>(q, qd, qdd, tau);
    return Counted::count;
  }

 private:
  const Model<double>& model_;
  Kind kind_;
  DhTable table_;
};

struct Comparison {
  Model<double> model;  // of rigid bodies alone
  bool degrees;
  std::vector<Method> methods{};

  Comparison(const Model<double>& robot, bool in_degrees)
      : model(with_effects(robot, Effects::none())), degrees(in_degrees) {}

  std::vector<Quantity> quantities(const State& s) const {
    if (!s.F_ext.empty()) throw Error("--method: takes no --f-ext");
    std::vector<Quantity> all{coordinates("q", model, s.q),
                              velocities("qd", model, s.qd, Rate::velocity),
                              velocities("qdd", model, s.qdd, Rate::acceleration)};
    for (const Method& m : methods)
      all.push_back(velocities(methods.size() == 1 ? "tau" : "tau_" + m.name(), model, m.torques(s),
                               Rate::torque));
    return all;
  }
  /// Largest difference of a method's torques from the first one's, relative to the largest torque.
  double difference(const State& s, const Method& m) const {
    const std::vector<double> a = methods.front().torques(s), b = m.torques(s);
    double largest = 0, most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      largest = std::max(largest, std::abs(a[k]));
      most = std::max(most, std::abs(a[k] - b[k]));
    }
    return largest > 0 ? most / largest : most;
  }

  Json json(const State& s) const {
    Json out = Json::object();
    for (const Quantity& x : quantities(s)) out[x.name] = json_of(x);
    Json& list = out["methods"] = Json::array();
    for (const Method& m : methods) {
      const OperationCount count = m.operations(s);
      Json entry{{"method", m.name()},
                 {"multiplications", count.multiplications},
                 {"additions", count.additions}};
      if (const auto printed = m.printed())
        entry["printed"] = {{"multiplications", printed->multiplications},
                            {"additions", printed->additions}};
      if (methods.size() > 1) entry["difference"] = difference(s, m);
      list.push_back(entry);
    }
    return out;
  }
  std::string text(const State& s) const {
    Table table({{"method"},
                 {"multiplications", Table::right},
                 {"additions", Table::right},
                 {"printed", Table::right},
                 {"difference", Table::right},
                 {"by"}});
    for (const Method& m : methods) {
      const OperationCount count = m.operations(s);
      const auto printed = m.printed();
      table.add({m.name(), std::to_string(count.multiplications), std::to_string(count.additions),
                 printed ? std::to_string(printed->multiplications) + " + " +
                               std::to_string(printed->additions)
                         : "",
                 methods.size() > 1 ? number(difference(s, m)) : "", m.what()});
    }
    return text_of(quantities(s), degrees) +
           heading("operations", "rigid bodies alone, no friction and rotors; counted as coded") +
           table.text() +
           (methods.size() > 1
                ? "\n  " +
                      wrapped("printed: Huo 2005, table 2-2, of programs without products by a "
                              "constant zero. difference: of the torques from the first method's, "
                              "beside the largest.",
                              2) +
                      "\n"
                : "");
  }
};

}  // namespace

Reporter method_report(const Model<double>& model, const std::string& method, const Given& given) {
  const std::vector<std::string> names{"recursive", "newton_euler", "lagrange", "matrices"};
  const auto known = std::find(names.begin(), names.end(), method);
  if (known == names.end() && method != "all")
    throw Error("--method " + in_quotes(method) + ": is none of " + listed(names) + " or all" +
                did_you_mean(method, names));
  if (has_loops(model)) throw Error("--method: \"" + model.name() + "\" has loops or couplings");
  const auto report = std::make_shared<Comparison>(model, given.degrees);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (method == "all" || method == names[k])
      report->methods.emplace_back(report->model, static_cast<Method::Kind>(k));
  return {[report](const State& s) { return report->quantities(s); },
          [report](const State& s) { return report->json(s); },
          [report](const State& s) { return report->text(s); }};
}

}  // namespace torsor::command
