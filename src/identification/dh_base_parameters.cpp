#include "torsor/identification/dh_base_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base_parameter_ways.hpp"
#include "dh_regrouping.hpp"
#include "torsor/dynamics/textbook/lagrange.hpp"
#include "torsor/model/dh_conversion.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace internal {
namespace {

constexpr double right_angle = std::numbers::pi / 2;

/// Nearest multiple of 90 degrees, where the angle is one.
double tidied(double angle, double tolerance) {
  const double turns = std::round(angle / right_angle);
  return std::abs(angle - turns * right_angle) < tolerance ? turns * right_angle : angle;
}

/// The line of a joint's axis in frame 0, at a configuration where nothing is parallel by chance.
struct AxisLine {
  bool prismatic;
  Vec3<double> z, p;
};
std::vector<AxisLine> axis_lines(const DhTable& modified) {
  std::vector<AxisLine> lines;
  SE3<double> T{};
  for (std::size_t k = 0; k < modified.rows.size(); ++k) {
    const double q = 0.37 + 1.1 * std::sin(1.0 + 2.3 * static_cast<double>(k));
    T = T * link_transform(modified.convention, modified.rows[k], q);
    lines.push_back({modified.rows[k].prismatic, T.R.c2, T.p});
  }
  return lines;
}

/// What joint i sees of the axes before it, gravity among the slides.
struct Before {
  bool hinges = false, hinges_differ = false;  ///< any; two that are not parallel
  bool skew_hinge = false, beside = false;     ///< not parallel to it; parallel, another line
  bool slide_across = false;                   ///< a slide that is not parallel to it
  bool hinges_square = true;                   ///< all hinges are normal to it
  bool slides_square = true;                   ///< all slides are normal to it
  bool meet = true;                            ///< all are hinges through one point of its axis
  std::size_t last_hinge = 0;                  ///< where there are hinges
};

/// Of a line, to another one that is not parallel to it.
Vec3<double> nearest_on(const AxisLine& line, const AxisLine& other) {
  const Vec3<double> across = cross(line.z, other.z);
  return line.p + line.z * (dot(cross(other.p - line.p, other.z), across) / dot(across, across));
}

Before look_back(const std::vector<AxisLine>& lines, std::size_t i, const Vec3<double>& gravity,
                 double tolerance, double distance) {
  const AxisLine& own = lines[i];
  const auto parallel = [&](const Vec3<double>& a, const Vec3<double>& b) {
    return norm(cross(a, b)) < tolerance;
  };
  Before before;
  std::optional<Vec3<double>> meeting;
  const auto slide = [&](const Vec3<double>& axis) {
    before.meet = false;
    before.slide_across |= !parallel(axis, own.z);
    before.slides_square &= std::abs(dot(axis, own.z)) < tolerance;
  };
  if (norm(gravity) > 0) slide(gravity * (1 / norm(gravity)));
  for (std::size_t k = 0; k < i; ++k) {
    const AxisLine& line = lines[k];
    if (line.prismatic) {
      slide(line.z);
      continue;
    }
    before.hinges_differ |= before.hinges && !parallel(line.z, lines[before.last_hinge].z);
    before.hinges = true;
    before.last_hinge = k;
    before.hinges_square &= std::abs(dot(line.z, own.z)) < tolerance;
    if (parallel(line.z, own.z)) {
      before.beside |= norm(cross(line.p - own.p, own.z)) > distance;
    } else {
      before.skew_hinge = true;
      if (!meeting) meeting = nearest_on(own, line);
    }
  }
  for (std::size_t k = 0; meeting && k < i; ++k)
    before.meet &= norm(cross(*meeting - lines[k].p, lines[k].z)) < distance;
  return before;
}

/// z of joint `from` in frame `to`, where only slides, whose angles are constant, lie between.
Vec3<double> turned_axis(const DhTable& modified, std::size_t from, std::size_t to) {
  Vec3<double> u{0, 0, 1};
  for (std::size_t k = from + 1; k <= to; ++k) {
    const auto [ca, sa] = direction_of(modified.rows[k].alpha);
    const auto [ct, st] = direction_of(modified.rows[k].theta);
    const Vec3<double> v{u.x, ca * u.y + sa * u.z, ca * u.z - sa * u.y};
    u = {ct * v.x + st * v.y, ct * v.y - st * v.x, v.z};
  }
  return u;
}

DhJointClass class_of(bool prismatic, const Before& before) {
  using enum DhJointClass;
  if (prismatic) {
    if (!before.hinges) return T4;
    return before.hinges_differ ? T1 : before.skew_hinge ? T2 : T3;
  }
  if (before.skew_hinge) return before.meet ? R4 : R1;
  return before.beside || before.slide_across ? R2 : R3;
}
bool rotor_joins(DhJointClass type, const Before& before) {
  switch (type) {
    case DhJointClass::T1:
    case DhJointClass::T2:
      return false;
    case DhJointClass::T3:
    case DhJointClass::T4:
      return before.slides_square;
    default:
      return !before.hinges || (before.hinges_square && !before.hinges_differ);
  }
}

}  // namespace

AngleDirection direction_of(double angle) {
  const double turns = std::round(angle / right_angle);
  if (angle != turns * right_angle) return {std::cos(angle), std::sin(angle)};
  const int quarter = static_cast<int>(turns - 4 * std::floor(turns / 4));
  constexpr AngleDirection quarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  return quarters[quarter];
}

double size_of(const DhTable& table) {
  double size = 0;
  for (const DhRow& row : table.rows) size = std::max({size, std::abs(row.a), std::abs(row.d)});
  return size > 0 ? size : 1;
}

DhTable tidied(DhTable table, double tolerance) {
  const double least = tolerance * size_of(table);
  for (DhRow& row : table.rows) {
    if (std::abs(row.a) < least) row.a = 0;
    if (std::abs(row.d) < least) row.d = 0;
    row.alpha = tidied(row.alpha, tolerance);
    row.theta = tidied(row.theta, tolerance);
  }
  return table;
}

Array<DhJointFacts> joint_facts(const DhTable& modified, double tolerance) {
  const std::vector<AxisLine> lines = axis_lines(modified);
  const double beside = tolerance * size_of(modified);
  Array<DhJointFacts> facts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Before before = look_back(lines, i, gravity_in_frame_0(modified), tolerance, beside);
    DhJointFacts joint;
    joint.type = class_of(lines[i].prismatic, before);
    joint.rotor_joins = rotor_joins(joint.type, before);
    if (joint.type == DhJointClass::T2)
      joint.hinge_direction = turned_axis(modified, before.last_hinge, i);
    facts.push_back(joint);
  }
  return facts;
}

BaseParameters all_named(const DhTable& table, const BaseParameterOptions& options) {
  BaseParameters base;
  const auto name = [](const std::string& given, const char* word, std::size_t k) {
    return given.empty() ? word + std::to_string(k + 1) : given;
  };
  for (std::size_t k = 0; k < table.rows.size(); ++k)
    for (const char* word : parameter_words)
      base.names.push_back(name(table.rows[k].link, "link_", k) + "." + word);
  for (std::size_t k = 0; options.rotors && k < table.rows.size(); ++k)
    base.names.push_back("rotor." + name(table.rows[k].name, "joint_", k));
  return base;
}

void set_rows(BaseParameters& base, const DhTable& table,
              const std::vector<std::pair<int, std::map<int, double>>>& rows, double tolerance) {
  const int N = static_cast<int>(base.names.size());
  const int n = static_cast<int>(table.rows.size()), n_inertial = parameters_per_body * n;
  const double size = size_of(table);
  const auto unit = [&](int k) {
    if (k < n_inertial) return inertial_unit(k, size);
    return table.rows[static_cast<std::size_t>(k - n_inertial)].prismatic ? 1 : size * size;
  };
  base.regrouping = Matrix(static_cast<int>(rows.size()), N);
  base.kept.clear();
  for (const auto& [kept, form] : rows) {
    const int r = base.kept.size();
    for (const auto& [column, x] : form)
      if (std::abs(x) * unit(column) > tolerance * unit(kept)) base.regrouping(r, column) = x;
    base.kept.push_back(kept);
  }
  finish(base);
}

namespace {

/// Rows of a table as numbers.
Array<DhNumbers<double>> numbers_of(const DhTable& table, const Array<DhJointFacts>& facts,
                                    double tolerance) {
  Array<DhNumbers<double>> numbers;
  for (const DhRow& row : table.rows) {
    DhNumbers<double> x;
    const auto [ca, sa] = direction_of(row.alpha);
    const auto [ct, st] = direction_of(row.theta);
    x.a = row.a, x.d = row.d, x.ca = ca, x.sa = sa, x.ct = ct, x.st = st;
    if (!facts.empty()) {
      const auto& [l, mu, nu] = facts[numbers.size()].hinge_direction;
      x.pivot_x = std::abs(l) > tolerance;
      if (facts[numbers.size()].type == DhJointClass::T2)
        x.of_y = x.pivot_x ? mu / l : 0, x.of_z = nu / (x.pivot_x ? l : mu);
    }
    numbers.push_back(x);
  }
  return numbers;
}

void check(const DhTable& table) {
  if (table.rows.empty())
    throw Error(table.origin.prefix() + "DH table '" + table.name + "' has no row");
}

}  // namespace
}  // namespace internal

const char* name_of(DhJointClass type) {
  constexpr const char* names[] = {"T1", "T2", "T3", "T4", "R1", "R2", "R3", "R4"};
  return names[static_cast<int>(type)];
}
int kept_count(DhJointClass type) {
  constexpr int counts[] = {4, 3, 1, 1, 7, 3, 1, 5};
  return counts[static_cast<int>(type)];
}

Array<DhJointClass> joint_classes(const DhTable& table, double tolerance) {
  internal::check(table);
  const bool standard = table.convention == DhTable::Convention::standard;
  Array<DhJointClass> classes;
  for (const internal::DhJointFacts& joint : internal::joint_facts(
           internal::tidied(standard ? dh_to_mdh(table) : table, tolerance), tolerance))
    classes.push_back(joint.type);
  return classes;
}

Array<double> table_parameters(const DhTable& table, const BaseParameterOptions& options) {
  Array<double> p;
  for (const auto& row : table.rows) {
    const auto& [mass, com, about_com] = row.inertial;
    for (const double x : parameters_of(Inertia<double>::at_com(mass, com, about_com)))
      p.push_back(row.has_inertial ? x : 0);
  }
  for (std::size_t k = 0; options.rotors && k < table.rows.size(); ++k) {
    const Actuator& motor = table.rows[k].actuator;
    p.push_back(motor.rotor_inertia * motor.gear_ratio * motor.gear_ratio);
  }
  return p;
}

BaseParameters dh_base_parameters(const DhTable& table, const BaseParameterOptions& options) {
  using namespace internal;
  check(table);
  const bool standard = table.convention == DhTable::Convention::standard;
  const DhTable modified = tidied(standard ? dh_to_mdh(table) : table, options.tolerance);
  const Array<DhJointFacts> facts = joint_facts(modified, options.tolerance);
  BaseParameters base = all_named(modified, options);
  DhRegrouping<double> formulas(modified, numbers_of(modified, facts, options.tolerance),
                                options.rotors);
  set_rows(base, modified, formulas.towards_base(facts), options.tolerance);
  return base;
}

BaseParameters handward_parameters(const DhTable& standard, const BaseParameterOptions& options) {
  using namespace internal;
  check(standard);
  if (standard.convention != DhTable::Convention::standard)
    return handward_parameters(mdh_to_dh(standard), options);
  const DhTable table = tidied(standard, options.tolerance);
  BaseParameters base = all_named(table, options);
  DhRegrouping<double> formulas(table, numbers_of(table, {}, options.tolerance), options.rotors);
  set_rows(base, table, formulas.towards_hand(), options.tolerance);
  return base;
}

}  // namespace torsor
