#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "command.hpp"
#include "json_output.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/identification/base_operations.hpp"
#include "torsor/identification/dh_base_parameters.hpp"
#include "torsor/identification/internal/link_table.hpp"
#include "torsor/model/dh_conversion.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::command {
namespace {

struct BaseArguments {
  RobotArgument robot;
  std::optional<std::string> way;
  bool rotors = false, symbols = false, latex = false, classes = false, towards_hand = false;
  bool operations = false, json = false;

  /// Asks for a DH table.
  bool closed() const { return symbols || latex || towards_hand || (way && *way == "closed"); }
  const char* needs_table() const {
    return symbols        ? "--symbols"
           : latex        ? "--latex"
           : towards_hand ? "--towards-hand"
           : classes      ? "--classes"
           : operations   ? "--operations"
           : closed()     ? "--way closed"
                          : nullptr;
  }
};

/// Base parameters with and without rotors; the table shows the one that was asked for.
struct Answer {
  BaseParameters base;
  Array<double> values;
  int n = 0, n_with_rotors = 0;
  std::optional<SymbolicBaseParameters> symbolic{};
  std::optional<DhTable> table{};
};

/// Formulas are in the frames of the file's links where these are DH frames, else in those of a table that is
/// found; operations are counted of the latter, which has fewer lengths.
DhTable table_of(const Model<double>& model, const BaseArguments& options) {
  if (!options.towards_hand && !options.operations)
    if (std::optional<DhTable> own = internal::link_table(model.description()))
      return *std::move(own);
  const auto convention =
      options.towards_hand ? DhTable::Convention::standard : DhTable::Convention::modified;
  DhConversion found = to_dh(model.description(), convention);
  if (!found.ok())
    throw Error(std::string(options.needs_table()) + ": is of DH tables, and \"" + model.name() +
                "\" has none: " + found.message);
  return std::move(found.table);
}

Answer answer(const Model<double>& model, const BaseArguments& options) {
  Answer found;
  if (options.needs_table()) found.table = table_of(model, options);
  const auto find = [&](bool rotors) {
    const BaseParameterOptions how{.rotors = rotors};
    if (options.towards_hand) return handward_parameters(*found.table, how);
    if (options.closed()) return dh_base_parameters(*found.table, how);
    const bool numeric = options.way && *options.way == "numeric";
    return numeric ? numeric_base_parameters(model, how) : base_parameters(model, how);
  };
  BaseParameters rigid = find(false), full = find(true);
  found.n = rigid.size();
  found.n_with_rotors = full.size();
  const BaseParameterOptions how{.rotors = options.rotors};
  if (options.symbols || options.latex)
    found.symbolic = options.towards_hand ? symbolic_handward_parameters(*found.table, how)
                                          : symbolic_base_parameters(*found.table, how);
  found.base = std::move(options.rotors ? full : rigid);
  found.values = found.base.values(options.closed() ? table_parameters(*found.table, how)
                                                    : all_parameters(model, how));
  return found;
}

Json table_json(const DhTable& table) {
  Json rows = Json::array();
  for (const DhRow& row : table.rows)
    rows.push_back({{"joint", row.name},
                    {"type", row.prismatic ? "prismatic" : "revolute"},
                    {"a", row.a},
                    {"alpha", row.alpha},
                    {"d", row.d},
                    {"theta", row.theta}});
  return rows;
}

std::vector<std::string> class_names(const DhTable& table) {
  std::vector<std::string> names;
  for (const DhJointClass type : joint_classes(table)) names.emplace_back(name_of(type));
  return names;
}

Json count_json(const OperationCount& count) {
  return {{"multiplications", count.multiplications}, {"additions", count.additions}};
}
Json to_json(const BaseArguments& options, const Answer& found) {
  const BaseParameters& base = found.base;
  Json list = Json::array(), roles = Json::object();
  for (int k = 0; k < base.size(); ++k) {
    Json one = {{"name", base.names[static_cast<std::size_t>(base.kept[k])]},
                {"formula", base.formula(k, 17)},
                {"value", found.values[k]}};
    if (found.symbolic) {
      const auto at = static_cast<std::size_t>(k);
      one["symbol"] = found.symbolic->names[at];
      one["symbolic"] = found.symbolic->formulas[at];
      one["latex"] = found.symbolic->latex[at];
    }
    list.push_back(std::move(one));
  }
  for (int c = 0; c < base.n_parameters(); ++c)
    roles[base.names[static_cast<std::size_t>(c)]] = name_of(base.roles[c]);
  Json out = {{"n", found.n},
              {"n_with_rotors", found.n_with_rotors},
              {"parameters", list},
              {"roles", roles},
              {"frames", options.closed() ? std::string(name_of(found.table->convention)) + " DH"
                                          : std::string("link")}};
  if (found.symbolic) {
    Json symbols = Json::array();
    for (const auto& [name, meaning, value] : found.symbolic->symbols)
      symbols.push_back({{"name", name}, {"meaning", meaning}, {"value", value}});
    out["symbols"] = symbols;
  }
  if (options.closed()) out["table"] = table_json(*found.table);
  if (options.classes) out["classes"] = class_names(*found.table);
  if (options.operations) {
    const BaseOperations count = base_operations(*found.table);
    out["operations"] = {{"newton_euler", count_json(count.newton_euler)},
                         {"linear", count_json(count.linear)},
                         {"linear_on_base", count_json(count.linear_on_base)},
                         {"composite", count_json(count.composite)},
                         {"composite_linear", count_json(count.composite_linear)},
                         {"composite_on_base", count_json(count.composite_on_base)}};
  }
  return out;
}

/// Of which the letters are.
std::string table_text(const DhTable& table, bool frames, bool classes) {
  Table rows({{"i", Table::right},
              {"joint"},
              {"class"},
              {"a", Table::right},
              {"alpha", Table::right},
              {"d", Table::right},
              {"theta", Table::right}});
  const std::vector<std::string> names = class_names(table);
  const auto rounded = [](double x) { return std::abs(x) < 1e-12 ? 0 : x; };
  const auto degrees = [&](double x) { return number(rounded(x * 180 / std::numbers::pi)); };
  const auto length = [&](double x) { return number(rounded(x)); };
  // "q", or where it is at q = 0.
  const auto moving = [&](double x, const std::string& text) {
    return rounded(x) == 0 ? std::string("q")
                           : std::string("q ") + (x < 0 ? "- " + text.substr(1) : "+ " + text);
  };
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const DhRow& row = table.rows[k];
    rows.add({std::to_string(k + 1), row.name, classes ? names[k] : "", length(row.a),
              degrees(row.alpha), row.prismatic ? moving(row.d, length(row.d)) : length(row.d),
              row.prismatic ? degrees(row.theta) : moving(row.theta, degrees(row.theta))});
  }
  return heading(std::string(frames ? "frames: " : "joints: ") + name_of(table.convention) + " DH",
                 "m, deg") +
         rows.text();
}
std::string operations_text(const DhTable& table) {
  const BaseOperations count = base_operations(table);
  Table rows({{"a program written for this arm"},
              {"multiplications", Table::right},
              {"additions", Table::right}});
  const auto add_row = [&](const char* what, const OperationCount& c) {
    rows.add({what, std::to_string(c.multiplications), std::to_string(c.additions)});
  };
  add_row("inverse dynamics about mass centres", count.newton_euler);
  add_row("inverse dynamics, linear, all parameters", count.linear);
  add_row("inverse dynamics, linear, base parameters", count.linear_on_base);
  add_row("mass matrix about mass centres", count.composite);
  add_row("mass matrix, linear, all parameters", count.composite_linear);
  add_row("mass matrix, linear, base parameters", count.composite_on_base);
  return heading("operations", "products with 0 and 1 left out; any link data") + rows.text();
}
/// An aligned environment of amsmath.
std::string latex_text(const SymbolicBaseParameters& symbolic) {
  std::string out = "\\begin{align}\n";
  for (std::size_t k = 0; k < symbolic.names.size(); ++k) {
    const std::string& name = symbolic.names[k];
    const std::size_t digit = name.find_first_of("0123456789");
    out += "  " + name.substr(0, digit) + "_{" + name.substr(digit) + "} &= " + symbolic.latex[k] +
           (k + 1 < symbolic.names.size() ? " \\\\\n" : "\n");
  }
  return out + "\\end{align}\n";
}

std::string parameters_text(const Answer& found) {
  const BaseParameters& base = found.base;
  std::string out;
  double largest = 0;
  for (const double x : found.values) largest = std::max(largest, std::abs(x));
  for (int k = 0; k < base.size(); ++k) {
    const double x = found.values[k];
    const std::string value = number(std::abs(x) < 1e-14 * largest ? 0 : x);
    const std::size_t wide = 14, at = static_cast<std::size_t>(k);
    const std::string formula =
        found.symbolic ? found.symbolic->names[at] + " = " + found.symbolic->formulas[at]
                       : base.formula(k);
    out += std::string(wide - std::min(wide, value.size()), ' ') + value + "   " +
           wrapped(formula, wide + 3, 80) + "\n";
  }
  return out;
}

std::string to_text(const Model<double>& model, const BaseArguments& options, const Answer& found) {
  if (options.latex) return latex_text(*found.symbolic);
  const BaseParameters& base = found.base;
  std::string out = bold(model.name()) + ": " + std::to_string(found.n) +
                    (options.towards_hand ? " parameters" : " base parameters") + " of " +
                    std::to_string(10 * (model.n_bodies() - 1)) + ", " +
                    std::to_string(found.n_with_rotors) + " with rotor inertias\n";
  if (!options.closed() && !options.way && ConstraintSet(model).n_rows() > 0)
    out += "the robot has loops or couplings: found numerically, over motions that close them\n";
  if (options.towards_hand)
    out +=
        "regrouped towards the hand: more than the minimum, and a payload changes the last link\n";
  if (found.table && (options.closed() || options.classes))
    out += table_text(*found.table, options.closed(), !options.towards_hand);
  if (options.operations) out += operations_text(*found.table);
  out += heading("base parameters", "kg, kg m, kg m^2; products of inertia are matrix entries");
  out += parameters_text(found);
  const auto list = [&](ParameterRole role) {
    std::string names;
    for (int c = 0; c < base.n_parameters(); ++c)
      if (base.roles[c] == role)
        names += (names.empty() ? "" : ", ") + base.names[static_cast<std::size_t>(c)];
    return names.empty() ? std::string("none") : names;
  };
  out += heading("without effect on any motion");
  out += "  " + wrapped(list(ParameterRole::ineffective), 2, 78) + "\n";
  return out;
}

void check(const BaseArguments& options) {
  if (!options.way) return;
  const std::string& way = *options.way;
  if (way != "closed" && way != "generic" && way != "numeric")
    throw Error("--way " + way + ": closed, generic or numeric");
  if (way != "closed" && options.closed())
    throw Error("--way " + way + ": " + options.needs_table() + " is of the closed form");
}

Action add_base(Arguments& app) {
  const auto o = std::make_shared<BaseArguments>();
  add_robot(app, o->robot);
  app.add_option("--way", o->way,
                 "closed: by classes of joints of the DH table; generic: by the recursion for any "
                 "tree (default); numeric: from the regressor at random states")
      .type_name("WAY");
  app.add_flag("--rotors", o->rotors, "rotor inertias are parameters, too");
  app.add_flag("--symbols", o->symbols, "formulas in the letters of the modified DH table");
  app.add_flag("--latex", o->latex, "these formulas for LaTeX");
  app.add_flag("--classes", o->classes, "the class of each joint: T1 to T4, R1 to R4");
  app.add_flag("--towards-hand", o->towards_hand,
               "standard DH: regroup outwards, so that a payload stays at the last link");
  app.add_flag("--operations", o->operations,
               "multiplications and additions of dynamics with all and with base parameters");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    check(*o);
    const Model<double> model = load_model(o->robot);
    const Answer found = answer(model, *o);
    out += o->json ? json_text(to_json(*o, found)) : to_text(model, *o, found);
    return good;
  };
}

}  // namespace

extern const Verb base;
const Verb base{"base", "base parameters: what motions can tell about the masses",
                "  torsor base puma560\n"
                "  torsor base panda --rotors --json\n"
                "  torsor base stanford --symbols --operations   # formulas, and what they save\n"
                "  torsor base puma560 --latex --rotors\n",
                add_base};

}  // namespace torsor::command
