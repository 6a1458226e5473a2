// From names, a prior and conditions to numbers; the prior is moved to where all conditions hold.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "consistency_newton.hpp"
#include "factor_algebra.hpp"
#include "torsor/math/error.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::internal {
namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

/// The first few names, and how many more there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, names.size()); ++k)
    text += (k == 0 ? "" : ", ") + names[k];
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                             : text;
}

}  // namespace

bool never_negative(const std::string& name) {
  if (name.rfind("rotor.", 0) == 0) return true;
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return false;
  const std::string word = name.substr(dot + 1);
  for (const char* positive :
       {"viscous", "coulomb", "stiction", "load", "rotor", "stiffness", "damping"})
    if (word == positive) return true;
  return false;
}

namespace {

/// Links with all ten parameters among the names, in order.
Array<ConsistentBody> bodies_of(const std::vector<std::string>& names,
                                std::vector<std::string>& notes) {
  std::map<std::string, std::array<int, 10>> found;
  Array<ConsistentBody> bodies;
  std::vector<std::string> order;
  for (int k = 0; k < static_cast<int>(names.size()); ++k) {
    const std::string& name = names[static_cast<std::size_t>(k)];
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos) continue;
    const auto word =
        std::find(parameter_words.begin(), parameter_words.end(), name.substr(dot + 1));
    if (word == parameter_words.end()) continue;
    const auto [place, is_new] = found.try_emplace(name.substr(0, dot));
    if (is_new) place->second.fill(-1), order.push_back(place->first);
    place->second[static_cast<std::size_t>(word - parameter_words.begin())] = k;
  }
  for (const std::string& link : order) {
    const std::array<int, 10>& columns = found[link];
    if (std::find(columns.begin(), columns.end(), -1) != columns.end()) {
      notes.push_back("link " + link +
                      ": not all ten parameters are unknowns; whether it can exist " +
                      "is not asked");
      continue;
    }
    ConsistentBody body;
    body.name = link;
    body.columns = columns;
    body.largest_mass = std::numeric_limits<double>::infinity();
    bodies.push_back(body);
  }
  return bodies;
}

/// tr(P Q) of an ellipsoid, as ten coefficients; Q = [-A, A c; c^T A, 1 - c^T A c], A = diag(1 /
/// s^2).
std::array<double, 10> ellipsoid_row(const LinkKnowledge& link) {
  const Vec3<double>&c = link.centre, &s = link.half_axes;
  const double A[3] = {1 / (s.x * s.x), 1 / (s.y * s.y), 1 / (s.z * s.z)};
  const double at[3] = {c.x, c.y, c.z};
  // Sigma_xx = (yy + zz - xx) / 2 and so on.
  return {1 - A[0] * at[0] * at[0] - A[1] * at[1] * at[1] - A[2] * at[2] * at[2],
          2 * A[0] * at[0],
          2 * A[1] * at[1],
          2 * A[2] * at[2],
          -0.5 * (A[1] + A[2] - A[0]),
          0,
          -0.5 * (A[0] + A[2] - A[1]),
          0,
          0,
          -0.5 * (A[0] + A[1] - A[2])};
}

void set_knowledge(Array<ConsistentBody>& bodies, const std::vector<LinkKnowledge>& links) {
  for (const LinkKnowledge& link : links) {
    const auto body = std::find_if(bodies.begin(), bodies.end(),
                                   [&](const ConsistentBody& b) { return b.name == link.link; });
    if (body == bodies.end())
      throw Error("consistency: link \"" + link.link + "\" is not among the unknowns");
    if (!(link.least_mass >= 0 && link.least_mass < link.largest_mass))
      throw Error("consistency: link \"" + link.link + "\": no mass lies between " +
                  number(link.least_mass) + " and " + number(link.largest_mass) + " kg");
    body->least_mass = link.least_mass;
    body->largest_mass = link.largest_mass;
    const Vec3<double>& s = link.half_axes;
    body->has_ellipsoid = s.x != 0 || s.y != 0 || s.z != 0;
    if (body->has_ellipsoid && !(s.x > 0 && s.y > 0 && s.z > 0))
      throw Error("consistency: link \"" + link.link +
                  "\": an ellipsoid needs three positive half axes");
    if (body->has_ellipsoid) body->ellipsoid = ellipsoid_row(link);
  }
}

/// Ten parameters of mass m, centre c and second moments Sc about it.
std::array<double, 10> parameters_from(double m, const std::array<double, 3>& c,
                                       const SquareMatrix<double, 3>& Sc) {
  double S[3][3];
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t k = 0; k < 3; ++k) S[r][k] = Sc[r][k] + m * c[r] * c[k];
  const double trace = S[0][0] + S[1][1] + S[2][2];
  return {m,        m * c[0],        m * c[1], m * c[2], trace - S[0][0],
          -S[0][1], trace - S[1][1], -S[0][2], -S[1][2], trace - S[2][2]};
}

/// A body that can exist, near p; says what was moved.
void move_inside(ConsistentBody& body, const LinkKnowledge* knowledge, double usual_mass,
                 std::vector<std::string>& notes) {
  std::array<double, 10>& p = body.prior;
  double m = p[0];
  std::array<double, 3> c{};
  std::string moved;
  if (m > 1e-6 * usual_mass) {
    c = {p[1] / m, p[2] / m, p[3] / m};
  } else {
    m = 1e-2 * usual_mass;
    moved = "mass " + number(p[0]) + " kg taken as " + number(m);
  }
  const Matrix4 P = pseudo_inertia_matrix(p.data());
  SquareMatrix<double, 3> Sc{};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t k = 0; k < 3; ++k) Sc[r][k] = P[r][k] - m * c[r] * c[k];
  const auto pairs = symmetric_eigen<double, 3>(Sc);
  const double largest = std::max(pairs.values[2], 0.0), least = pairs.values[0];
  if (!(least > 1e-6 * largest && least > 1e-9 * m)) {
    const double floor = std::max(1e-3 * largest, 1e-4 * m);
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t k = 0; k < 3; ++k) {
        Sc[r][k] = 0;
        for (std::size_t i = 0; i < 3; ++i)
          Sc[r][k] += std::max(pairs.values[i], floor) * pairs.vectors[i][r] * pairs.vectors[i][k];
      }
    moved += std::string(moved.empty() ? "" : ", ") + "second moment " + number(least) +
             " kg m^2 about the centre of mass taken as " + number(floor);
  }
  if (!moved.empty()) p = parameters_from(m, c, Sc);
  if (body.has_ellipsoid) {
    double distance = 0;
    for (std::size_t k = 0; k < 10; ++k) distance += body.ellipsoid[k] * p[k];
    if (!(distance > 1e-3 * m)) {
      const Vec3<double>&o = knowledge->centre, &s = knowledge->half_axes;
      SquareMatrix<double, 3> half{};
      half[0][0] = m * s.x * s.x / 20, half[1][1] = m * s.y * s.y / 20;
      half[2][2] = m * s.z * s.z / 20;
      p = parameters_from(m, {o.x, o.y, o.z}, half);
      moved = "it is not inside of its ellipsoid; taken as one of half the size";
    }
  }
  if (!moved.empty())
    notes.push_back("link \"" + body.name + "\" of the file cannot exist: " + moved);
}

double interior_low(const ConsistentBody& b, double part) {
  return std::isfinite(b.largest_mass) ? b.least_mass + part * (b.largest_mass - b.least_mass)
                                       : b.least_mass * (1 + part);
}
double interior_high(const ConsistentBody& b, double part) {
  return b.largest_mass - part * (b.largest_mass - b.least_mass);
}

/// Masses of the prior inside of their bounds and, where it is exact, of the total.
void scale_masses(Array<ConsistentBody>& bodies, const ConsistencyOptions& options,
                  std::vector<std::string>& notes) {
  const bool exact = options.total_mass > 0 && options.total_mass_sigma == 0;
  double part = 0.05, low = 0, high = 0, least = 0, largest = 0;
  for (const ConsistentBody& b : bodies) least += b.least_mass, largest += b.largest_mass;
  if (exact && !(least < options.total_mass && options.total_mass < largest))
    throw Error("consistency: the total mass " + number(options.total_mass) +
                " kg is not between the sums of the links' bounds, " + number(least) + " and " +
                number(largest) + " kg");
  const auto total_at = [&](double s) {
    double total = 0;
    for (const ConsistentBody& b : bodies)
      total += std::clamp(s * b.prior[0], interior_low(b, part), interior_high(b, part));
    return total;
  };
  double s = 1;
  if (exact) {
    low = 1e-9, high = 1e9;
    while (!(total_at(low) < options.total_mass && options.total_mass < total_at(high))) {
      part /= 2;
      if (part < 1e-12)
        throw Error("consistency: a total mass of " + number(options.total_mass) +
                    " kg is out of reach of the robot's links");
    }
    for (int k = 0; k < 200; ++k) {
      s = std::sqrt(low * high);
      (total_at(s) < options.total_mass ? low : high) = s;
    }
  }
  double before = 0, after = 0;
  for (ConsistentBody& b : bodies) {
    before += b.prior[0];
    const double mass = std::clamp(s * b.prior[0], interior_low(b, part), interior_high(b, part));
    const double factor = mass / b.prior[0];
    for (double& x : b.prior) x *= factor;
    after += mass;
  }
  if (std::abs(after - before) > 1e-3 * before)
    notes.push_back("masses of the prior scaled to what is known: " + number(before) + " to " +
                    number(after) + " kg");
}

}  // namespace

ConsistencyProblem consistency_problem(const RowFactor& factor,
                                       const std::vector<std::string>& names, In<double> prior,
                                       const ConsistencyOptions& options,
                                       std::vector<std::string>& notes) {
  const int N = static_cast<int>(names.size());
  const auto name = [&](int k) { return names[static_cast<std::size_t>(k)]; };
  if (factor.columns() != N + 1 || prior.size != N)
    throw Error("consistency: " + std::to_string(N) + " unknowns, but a factor of " +
                std::to_string(factor.columns()) + " columns and a prior of " +
                std::to_string(prior.size));
  if (!(options.gamma > 0) || !(options.total_mass >= 0) || !(options.total_mass_sigma >= 0))
    throw Error("consistency: gamma must be positive, masses not negative");
  for (int k = 0; k < N; ++k)
    if (!std::isfinite(prior[k]))
      throw Error("consistency: prior of " + name(k) + " is not finite");
  ConsistencyProblem problem;
  problem.N = N;
  problem.bodies = bodies_of(names, notes);
  problem.x0.assign(prior.begin(), prior.end());
  set_knowledge(problem.bodies, options.links);
  if (options.total_mass > 0 && problem.bodies.empty())
    throw Error("consistency: a total mass, but no link has all ten parameters among the unknowns");

  double usual_mass = 0;
  for (const ConsistentBody& b : problem.bodies)
    usual_mass = std::max(usual_mass, prior[b.columns[0]]);
  if (usual_mass == 0) usual_mass = 1;
  for (ConsistentBody& b : problem.bodies) {
    const LinkKnowledge* knowledge = nullptr;
    for (const LinkKnowledge& link : options.links)
      if (link.link == b.name) knowledge = &link;
    for (std::size_t k = 0; k < 10; ++k) b.prior[k] = prior[b.columns[k]];
    move_inside(b, knowledge, usual_mass, notes);
  }
  scale_masses(problem.bodies, options, notes);

  RowFactor rows = factor;
  if (options.total_mass > 0 && options.total_mass_sigma > 0) {
    Array<double> row(N + 1, 0.0);
    for (const ConsistentBody& b : problem.bodies) row[b.columns[0]] = 1 / options.total_mass_sigma;
    row[N] = options.total_mass / options.total_mass_sigma;
    rows.add(row);
  }
  problem.mass_is_exact = options.total_mass > 0 && options.total_mass_sigma == 0;
  problem.R = rows.R();
  for (const double x : problem.R.entries())
    if (!std::isfinite(x)) throw Error("consistency: the factor has a number that is not finite");

  Array<int> of_body(N, 0);
  for (ConsistentBody& b : problem.bodies) {
    Matrix4 L;
    if (!cholesky4(pseudo_inertia_matrix(b.prior.data()), L))
      throw Error("consistency: prior of link \"" + b.name + "\" could not be moved inside");
    b.prior_inverse = inverse_from_cholesky4(L);
    for (std::size_t k = 0; k < 10; ++k) {
      problem.x0[b.columns[k]] = b.prior[k];
      of_body[b.columns[k]] = 1;
    }
    problem.n_bounds += 4 + (b.least_mass > 0) + std::isfinite(b.largest_mass) + b.has_ellipsoid;
  }
  const double torque = column_length(problem.R, N);
  std::vector<std::string> moved;
  for (int k = 0; k < N; ++k) {
    const double length = column_length(problem.R, k);
    problem.width.push_back(length > 0 && torque > 0 ? torque / length
                                                     : std::max(1.0, std::abs(problem.x0[k])));
    if (of_body[k]) continue;
    if (!options.nonnegative || !never_negative(name(k))) {
      problem.free_columns.push_back(k);
      continue;
    }
    problem.positive.push_back(k);
    ++problem.n_bounds;
    if (problem.x0[k] > 1e-9 * problem.width[k]) continue;
    problem.x0[k] = 1e-3 * problem.width[k];
    moved.push_back(name(k));
  }
  if (!moved.empty())
    notes.push_back("the file has no number above 0 for " + some_of(moved) +
                    ": begun at 0.001 of what would explain all torque");
  return problem;
}

}  // namespace torsor::internal
