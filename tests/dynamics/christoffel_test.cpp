#include "torsor/dynamics/christoffel.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;
using Tangent = Dual<double, 1>;

testing::RandomTree rates_only() {
  return {.kinds = {JointKind::revolute, JointKind::continuous, JointKind::prismatic,
                    JointKind::helical, JointKind::cylindrical, JointKind::universal,
                    JointKind::translational, JointKind::spherical_euler}};
}

/// dM/dq_k by dual numbers.
Square<double> slope(const Model<double>& model, const std::vector<double>& q0, int k) {
  std::vector<Tangent> q(q0.begin(), q0.end());
  q[static_cast<std::size_t>(k)].d[0] = 1;
  Square<Tangent> M(model.n_v());
  CrbaWorkspace<Tangent> ws(model);
  mass_matrix(model, ws, q, M.view());
  Square<double> out(model.n_v());
  for (std::size_t e = 0; e < M.data.size(); ++e) out.data[e] = M.data[e].d[0];
  return out;
}

struct Symbols {
  std::vector<double> data;
  int n;

  Symbols(const Model<double>& model, const std::vector<double>& q)
      : data(static_cast<std::size_t>(model.n_v() * model.n_v() * model.n_v())), n(model.n_v()) {
    ChristoffelWorkspace<double> ws(model);
    christoffel(model, ws, q, {data.data(), n});
  }
  SymbolView<const double> view() const { return {data.data(), n}; }
};

TEST(Christoffel, C_06_symbols_are_the_derivatives_of_the_mass_matrix) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 6, rates_only()));
    const State<double> s(model, seed);
    const Symbols c(model, s.q);
    std::vector<Square<double>> dM;
    for (int k = 0; k < c.n; ++k) dM.push_back(slope(model, s.q, k));
    const auto at = [](int k) { return static_cast<std::size_t>(k); };
    const double scale = 100 * testing::scale_of(c.data);
    for (int i = 0; i < c.n; ++i)
      for (int j = 0; j < c.n; ++j)
        for (int k = 0; k < c.n; ++k) {
          const double expected = 0.5 * (dM[at(k)](i, j) + dM[at(j)](i, k) - dM[at(i)](j, k));
          EXPECT_CLOSE(c.view()(i, j, k), expected, scale) << "seed " << seed;
          EXPECT_CLOSE(c.view()(i, j, k), c.view()(i, k, j), scale);
          EXPECT_CLOSE(internal::mass_matrix_slope(c.view(), i, j, k), dM[at(k)](i, j), scale);
        }
  }
}

TEST(Christoffel, D_05_the_matrix_of_symbols_is_the_coriolis_matrix) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 6, rates_only()));
    const State<double> s(model, seed);
    const Symbols c(model, s.q);
    Square<double> C(c.n), expected(c.n);
    christoffel_matrix<double>(c.view(), s.qd, C.view());
    CoriolisWorkspace<double> ws(model);
    coriolis_matrix(model, ws, s.q, s.qd, expected.view());
    for (std::size_t e = 0; e < C.data.size(); ++e)
      EXPECT_CLOSE(C.data[e], expected.data[e], 100 * testing::scale_of(c.data));
  }
}

TEST(Christoffel, D_05_the_quadratic_matrix_gives_the_same_forces_but_is_not_skew_with_Mdot) {
  double largest_defect = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 6, rates_only()));
    const State<double> s(model, seed);
    const Symbols c(model, s.q);
    Square<double> C(c.n), Q(c.n);
    christoffel_matrix<double>(c.view(), s.qd, C.view());
    quadratic_matrix<double>(c.view(), s.qd, Q.view());
    double power = 0;
    for (int i = 0; i < c.n; ++i) {
      double difference = 0;
      for (int j = 0; j < c.n; ++j) {
        const double v_i = s.qd[static_cast<std::size_t>(i)],
                     v_j = s.qd[static_cast<std::size_t>(j)];
        double Mdot = 0;
        for (int k = 0; k < c.n; ++k)
          Mdot +=
              internal::mass_matrix_slope(c.view(), i, j, k) * s.qd[static_cast<std::size_t>(k)];
        difference += (C(i, j) - Q(i, j)) * v_j;
        power += v_i * (Mdot - 2 * Q(i, j)) * v_j;  // (2-32)
        largest_defect = std::max(largest_defect, std::abs(Mdot - Q(i, j) - Q(j, i)));
      }
      EXPECT_NEAR(difference, 0, 1e-13 * testing::scale_of(c.data) * c.n * c.n);
    }
    EXPECT_NEAR(power, 0, 1e-13 * testing::scale_of(c.data) * c.n * c.n);
  }
  EXPECT_GT(largest_defect, 0.1);
}

TEST(Christoffel, symbols_exist_only_where_velocities_are_rates) {
  for (const JointKind kind :
       {JointKind::spherical, JointKind::free, JointKind::planar, JointKind::free_euler}) {
    const Model<double> model(testing::random_tree(1, 1, {.kinds = {kind}}));
    try {
      ChristoffelWorkspace<double> ws(model);
      ADD_FAILURE() << "no error for " << name_of(kind);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("joint_1"), std::string::npos) << error.what();
    }
  }
}

TEST(Christoffel, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 10, rates_only()));
  const State<double> s(model, 3);
  ChristoffelWorkspace<double> ws(model);
  std::vector<double> c(static_cast<std::size_t>(model.n_v() * model.n_v() * model.n_v()));
  const testing::AllocationCounter counter;
  christoffel(model, ws, s.q, {c.data(), model.n_v()});
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
