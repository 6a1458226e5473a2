// Bodies that can exist: optimality against conditions and searches written apart from the solver.
#include "torsor/identification/consistency.hpp"

#include <gtest/gtest.h>

#include <random>

#include "torsor/linear/cholesky.hpp"
#include "torsor/math/error.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::testing {
namespace {

struct Problem {
  std::vector<std::string> names;
  Array<double> truth, prior;
  RowFactor factor;
  int N = 0;
};

/// Particles around a point: ten parameters of a body that can exist.
std::array<double, 10> cloud(std::mt19937_64& random, double mass, double size) {
  std::normal_distribution<double> normal;
  std::array<double, 10> p{};
  const double at[3] = {0.1 * normal(random), 0.1 * normal(random), 0.1 * normal(random)};
  for (int k = 0; k < 30; ++k) {
    double r[3];
    for (int i = 0; i < 3; ++i) r[i] = at[i] + size * normal(random);
    const double m = mass / 30;
    p[0] += m, p[1] += m * r[0], p[2] += m * r[1], p[3] += m * r[2];
    p[4] += m * (r[1] * r[1] + r[2] * r[2]), p[5] -= m * r[0] * r[1];
    p[6] += m * (r[0] * r[0] + r[2] * r[2]), p[7] -= m * r[0] * r[2];
    p[8] -= m * r[1] * r[2], p[9] += m * (r[0] * r[0] + r[1] * r[1]);
  }
  return p;
}

/// Bodies, a viscous and a Coulomb column, an offset; `seen` rows of random numbers.
Problem make(int bodies, int rows, double noise, unsigned seed) {
  Problem made;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (int b = 0; b < bodies; ++b) {
    const auto p = cloud(random, 2 + b, 0.1), p0 = cloud(random, 2.5 + b, 0.12);
    for (std::size_t k = 0; k < 10; ++k) {
      made.names.push_back("link" + std::to_string(b) + "." + internal::parameter_words[k]);
      made.truth.push_back(p[k]), made.prior.push_back(p0[k]);
    }
  }
  for (const char* name : {"joint.viscous", "joint.coulomb", "joint.offset"}) {
    made.names.emplace_back(name);
    made.truth.push_back(0.5), made.prior.push_back(0.3);
  }
  made.N = made.truth.size();
  made.factor = RowFactor(made.N + 1);
  for (int r = 0; r < rows; ++r) {
    Array<double> row(made.N + 1, 0.0);
    for (int c = 0; c < made.N; ++c) {
      row[c] = normal(random);
      row[made.N] += row[c] * made.truth[c];
    }
    row[made.N] += noise * normal(random);
    made.factor.add(row);
  }
  return made;
}

double log_det(const std::array<double, 16>& P, bool& inside) {
  Cholesky factor(4);
  if (!factor.factorise(row_major(P.data(), 4, 4))) {
    inside = false;
    return 0;
  }
  return std::log(factor.determinant());
}
std::array<double, 16> inverse(const std::array<double, 16>& P) {
  Cholesky factor(4);
  EXPECT_TRUE(factor.factorise(row_major(P.data(), 4, 4)));
  std::array<double, 16> I;
  factor.inverse(row_major(I.data(), 4, 4));
  return I;
}

/// The sum of the header, written again; infinite outside.
double objective(const Problem& made, const Array<double>& x, double gamma, bool positive = true) {
  const Matrix& R = made.factor.R();
  const int N = made.N;
  double sum = 0, torque = 0;
  Array<double> length(N, 0.0);
  for (int r = 0; r <= N; ++r) {
    double e = R(r, N);
    torque += R(r, N) * R(r, N);
    for (int c = r; c < N; ++c) e -= R(r, c) * x[c], length[c] += R(r, c) * R(r, c);
    sum += e * e;
  }
  bool inside = true;
  int c = 0;
  for (; c + 10 <= N; c += 10) {
    const auto P = pseudo_inertia(View<const double>(x.data() + c, 10));
    const auto P0 = pseudo_inertia(View<const double>(made.prior.data() + c, 10));
    const auto I = inverse(P0);
    double trace = 0;
    for (std::size_t k = 0; k < 16; ++k) trace += I[k] * P[k];
    sum += gamma * (trace - log_det(P, inside) + log_det(P0, inside) - 4);
  }
  for (; c < N; ++c) {
    const bool is_offset = c == N - 1;
    if (is_offset || !positive) {
      sum += gamma * std::pow(x[c] - made.prior[c], 2) * length[c] / torque;
    } else {
      const double u = x[c] / made.prior[c];
      inside = inside && u > 0;
      if (u > 0) sum += gamma * (u - std::log(u) - 1);
    }
  }
  return inside ? sum : std::numeric_limits<double>::infinity();
}

/// Central differences, each with a step that stays inside.
Array<double> gradient(const Problem& made, const Array<double>& x, double gamma) {
  Array<double> g;
  for (int k = 0; k < x.size(); ++k) {
    double h = 1e-5 * std::max(1e-2, std::abs(x[k]));
    for (;; h /= 4) {
      Array<double> up = x, down = x;
      up[k] += h, down[k] -= h;
      const double a = objective(made, up, gamma), b = objective(made, down, gamma);
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      g.push_back((a - b) / (2 * h));
      break;
    }
  }
  return g;
}

TEST(Consistency, without_noise_the_truth_is_found) {
  const Problem made = make(3, 400, 0, 1);
  const ConsistentEstimate e =
      consistent_estimate(made.factor, made.names, made.prior, {.gamma = 1e-9});
  EXPECT_TRUE(e.converged);
  EXPECT_TRUE(e.notes.empty());
  for (int k = 0; k < made.N; ++k) EXPECT_NEAR(e.x[k], made.truth[k], 1e-8) << made.names[k];
}

TEST(Consistency, the_gradient_of_the_sum_vanishes) {
  for (const double gamma : {100.0, 1.0, 0.01})
    for (const int rows : {5, 400}) {  // fewer rows than unknowns: the prior decides
      const Problem made = make(2, rows, 0.5, 2);
      const ConsistentEstimate e =
          consistent_estimate(made.factor, made.names, made.prior, {.gamma = gamma});
      EXPECT_TRUE(e.converged);
      EXPECT_LT(e.gradient, 1e-5);
      const Array<double> at_prior = gradient(made, made.prior, gamma);
      const Array<double> g = gradient(made, e.x, gamma);
      double size = 0, start = 0;
      for (int k = 0; k < g.size(); ++k) size += g[k] * g[k], start += at_prior[k] * at_prior[k];
      EXPECT_LT(std::sqrt(size), 1e-5 * std::sqrt(start)) << gamma << " " << rows;
    }
}

TEST(Consistency, with_a_fixed_mass_the_gradient_is_along_the_masses) {
  const Problem made = make(3, 20, 0.5, 3);
  double prior_mass = 0;
  for (int b = 0; b < 3; ++b) prior_mass += made.prior[10 * b];
  const ConsistentEstimate e = consistent_estimate(made.factor, made.names, made.prior,
                                                   {.gamma = 0.1, .total_mass = prior_mass});
  EXPECT_TRUE(e.converged);
  EXPECT_NEAR(e.mass, prior_mass, 1e-10);
  const Array<double> g = gradient(made, e.x, 0.1), before = gradient(made, made.prior, 0.1);
  double size = 0;
  for (const double v : before) size = std::max(size, std::abs(v));
  for (int k = 0; k < g.size(); ++k) {
    const bool is_mass = k % 10 == 0 && k < 30;
    EXPECT_NEAR(g[k], is_mass ? g[0] : 0, 1e-5 * size) << made.names[k];
  }
  EXPECT_GT(std::abs(g[0]), 1e-3);  // the constraint matters
}

TEST(Consistency, no_random_search_finds_less) {
  const Problem made = make(1, 60, 1, 4);
  const double gamma = 0.5;
  const ConsistentEstimate e =
      consistent_estimate(made.factor, made.names, made.prior, {.gamma = gamma});
  const double least = objective(made, e.x, gamma);
  // From the prior, downhill by random steps whose size adapts.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Array<double> x = made.prior, step(made.N, 0.01);
  double best = objective(made, x, gamma);
  for (int round = 0; round < 40000; ++round) {
    const int k = round % made.N;
    Array<double> next = x;
    next[k] += step[k] * normal(random);
    if (round % 3 == 0)
      for (int i = 0; i < made.N; ++i) next[i] += 0.1 * step[i] * normal(random);
    const double value = objective(made, next, gamma);
    if (value < best) {
      best = value, x = next, step[k] *= 1.5;
    } else {
      step[k] *= 0.97;
      if (step[k] < 1e-7) step[k] = 1e-3;
    }
    ASSERT_GE(value, least - 1e-9 * least);
  }
  EXPECT_LT(best - least, 2e-3 * least);
}

TEST(Consistency, impossible_data_gives_possible_bodies_and_says_so) {
  Problem made = make(2, 0, 0, 6);
  made.truth[4] = -0.3;   // xx of the first: no body
  made.truth[10] = -0.5;  // mass of the second
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int r = 0; r < 300; ++r) {
    Array<double> row(made.N + 1, 0.0);
    for (int c = 0; c < made.N; ++c) row[c] = normal(random), row[made.N] += row[c] * made.truth[c];
    row[made.N] += 0.01 * normal(random);
    for (double& v : row) v *= 100;
    made.factor.add(row);
  }
  const ConsistentEstimate e = consistent_estimate(made.factor, made.names, made.prior);
  EXPECT_TRUE(e.converged);
  for (int b = 0; b < 2; ++b) {
    EXPECT_GT(e.smallest_eigenvalue[b], 0);
    EXPECT_GT(e.x[10 * b], 0);
    EXPECT_LT(e.margin[b], 1e-3);
  }
  EXPECT_GT(e.squared_residual, 10 * e.least_squared_residual);
  ASSERT_EQ(e.notes.size(), 1u);
  EXPECT_NE(e.notes[0].find("cannot exist"), std::string::npos);
  EXPECT_NE(e.notes[0].find("link0, link1"), std::string::npos);
}

TEST(Consistency, the_gap_bounds_what_a_smaller_gamma_could_gain) {
  const Problem made = make(2, 200, 2, 8);
  double last = 0;
  for (const double gamma : {1.0, 0.1, 0.01, 1e-4}) {
    const ConsistentEstimate e =
        consistent_estimate(made.factor, made.names, made.prior, {.gamma = gamma});
    EXPECT_TRUE(e.converged);
    EXPECT_GE(e.squared_residual, e.least_squared_residual);
    if (last > 0) {
      EXPECT_LE(e.squared_residual, last + 1e-9);
    }
    last = e.squared_residual;
    EXPECT_NEAR(e.gap, gamma * 10, 1e-3 * gamma);  // four for each body, one for each friction
  }
}

TEST(Consistency, bounds_of_mass_and_ellipsoids_hold) {
  const Problem made = make(2, 100, 0.01, 9);  // masses 2 and 3
  ConsistencyOptions options;
  options.gamma = 1e-3;
  LinkKnowledge light{.link = "link0", .least_mass = 2.4, .largest_mass = 2.6};
  LinkKnowledge small{.link = "link1", .centre = {0, 0, 0}, .half_axes = {0.1, 0.1, 0.1}};
  options.links = {light, small};
  const ConsistentEstimate e = consistent_estimate(made.factor, made.names, made.prior, options);
  EXPECT_TRUE(e.converged);
  EXPECT_GT(e.x[0], 2.4);
  EXPECT_LT(e.x[0], 2.4 + 1e-3);                            // at the bound: the data says 2
  const double second = (e.x[14] + e.x[16] + e.x[19]) / 2;  // int r^2 dm
  EXPECT_LE(second, 0.01 * e.x[10]);
  EXPECT_GT(second, 0.0099 * e.x[10]);  // the data asks for a larger one
}

TEST(Consistency, a_mass_with_a_deviation_is_one_more_measurement) {
  const Problem made = make(2, 100, 0.5, 10);
  ConsistencyOptions options;
  options.gamma = 0.1;
  options.total_mass = 9, options.total_mass_sigma = 1e-4;
  const ConsistentEstimate tight =
      consistent_estimate(made.factor, made.names, made.prior, options);
  EXPECT_NEAR(tight.mass, 9, 1e-4);
  options.total_mass_sigma = 1e4;
  const ConsistentEstimate loose =
      consistent_estimate(made.factor, made.names, made.prior, options);
  options.total_mass = 0;
  const ConsistentEstimate none = consistent_estimate(made.factor, made.names, made.prior, options);
  EXPECT_NEAR(loose.mass, none.mass, 1e-5);
}

TEST(Consistency, a_prior_that_cannot_exist_is_moved_and_said) {
  Problem made = make(2, 100, 0.1, 11);
  made.prior[0] = -1;                      // no mass
  made.prior[14] = made.prior[16] = 1e-5;  // a rod without length
  made.prior[20] = 0;                      // viscous
  const ConsistentEstimate e = consistent_estimate(made.factor, made.names, made.prior);
  EXPECT_TRUE(e.converged);
  ASSERT_EQ(e.notes.size(), 3u);
  EXPECT_NE(e.notes[0].find("\"link0\" of the file cannot exist: mass -1 kg"), std::string::npos);
  EXPECT_NE(e.notes[1].find("\"link1\" of the file cannot exist: second moment"),
            std::string::npos);
  EXPECT_NE(e.notes[2].find("joint.viscous"), std::string::npos);
  for (int k = 0; k < made.N; ++k) EXPECT_NEAR(e.x[k], made.truth[k], 0.1) << made.names[k];
}

TEST(Consistency, gamma_is_chosen_by_what_is_left_out) {
  // A good prior and few noisy rows ask for a large gamma, a bad prior and many rows for a small
  // one.
  const auto chosen = [](const Array<double>& prior, int rows, double noise) {
    Problem made = make(2, 1, 0, 12);
    CompressedLog log;
    log.names = made.names, log.joints = {"joint"};
    std::mt19937_64 random(13);
    std::normal_distribution<double> normal;
    for (int b = 0; b < 10; ++b) {
      log.add_block(0);
      for (int r = 0; r < rows; ++r) {
        Array<double> row(made.N + 1, 0.0);
        for (int c = 0; c < made.N; ++c)
          row[c] = normal(random), row[made.N] += row[c] * made.truth[c];
        row[made.N] += noise * normal(random);
        log.factor(b, 0).add(row);
      }
    }
    const Array<double> weights{1 / noise};
    const GammaChoice choice = choose_gamma(log, weights, prior.empty() ? made.prior : prior);
    EXPECT_EQ(choice.errors.size(), choice.gammas.size());
    return choice.gamma;
  };
  const Problem made = make(2, 1, 0, 12);
  const double good_prior = chosen(made.truth, 4, 1), other_prior = chosen({}, 4, 1);
  EXPECT_GE(good_prior, 100);
  EXPECT_LE(other_prior, 0.1 * good_prior);
}

TEST(Consistency, what_is_refused) {
  const Problem made = make(2, 50, 0.1, 14);
  const auto attempt = [&](const ConsistencyOptions& options) {
    (void)consistent_estimate(made.factor, made.names, made.prior, options);
  };
  EXPECT_THROW(attempt({.gamma = 0}), Error);
  EXPECT_THROW(attempt({.links = {{.link = "nobody"}}}), Error);
  EXPECT_THROW(attempt({.links = {{.link = "link0", .least_mass = 2, .largest_mass = 1}}}), Error);
  EXPECT_THROW(attempt({.links = {{.link = "link0", .half_axes = {1, 0, 1}}}}), Error);
  EXPECT_THROW(
      attempt({.total_mass = 3,
               .links = {{.link = "link0", .least_mass = 2}, {.link = "link1", .least_mass = 2}}}),
      Error);
  Array<double> prior = made.prior;
  prior[3] = std::nan("");
  EXPECT_THROW((void)consistent_estimate(made.factor, made.names, prior), Error);
  EXPECT_THROW((void)consistent_estimate(made.factor, made.names, Array<double>{1.0}), Error);
}

}  // namespace
}  // namespace torsor::testing
