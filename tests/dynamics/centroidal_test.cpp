#include "torsor/dynamics/centroidal.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::State;
using Tangent = Dual<double, 1>;
using Tangents = std::vector<Tangent>;

template <class Real>
struct Matrix {
  int rows, cols;
  std::vector<Real> data;

  Matrix(int r, int c) : rows(r), cols(c), data(static_cast<std::size_t>(r * c)) {}
  MatrixView<Real> view() { return column_major(data.data(), rows, cols); }
  Real operator()(int r, int c) const { return data[static_cast<std::size_t>(c * rows + r)]; }
};

/// q with the derivative qd along the manifold, and a vector with a derivative.
Tangents moving(const Model<double>& model, const std::vector<double>& q,
                const std::vector<double>& qd) {
  Tangents start(q.begin(), q.end()), step(qd.size()), out(q.size());
  for (std::size_t k = 0; k < qd.size(); ++k) step[k].d[0] = qd[k];
  integrate(model, start, step, out);
  return out;
}
Tangents moving(const std::vector<double>& x, const std::vector<double>& dx) {
  Tangents out(x.begin(), x.end());
  for (std::size_t k = 0; k < dx.size(); ++k) out[k].d[0] = dx[k];
  return out;
}

template <class Real>
class Centroidal : public ::testing::Test {};
TYPED_TEST_SUITE(Centroidal, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Centroidal, L_11_map_times_the_velocity_is_the_momentum_about_the_centre_of_mass) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    CentroidalWorkspace<Real> ws(model);
    Matrix<Real> A(6, model.n_v()), J(3, model.n_v());
    centroidal_map(model, ws, s.q, A.view());
    com_jacobian(model, ws, s.q, J.view());
    MomentumWorkspace<Real> momenta(model);
    const Wrench<Real> h = momentum(model, momenta, s.q, s.qd);  // about the world's origin
    const CentreOfMass<Real> com = centre_of_mass(model, momenta.kinematics);
    const Vec3<Real> k = h.m - cross(com.position, h.f);
    const double scale = 100 * testing::scale_of(A.data) * model.n_v();
    for (int r = 0; r < 3; ++r) {
      Real angular(0), linear(0), velocity(0);
      for (int c = 0; c < model.n_v(); ++c) {
        const Real& v = s.qd[static_cast<std::size_t>(c)];
        angular = angular + A(r, c) * v;
        linear = linear + A(r + 3, c) * v;
        velocity = velocity + J(r, c) * v;
      }
      EXPECT_CLOSE(angular, k[r], scale) << "seed " << seed;
      EXPECT_CLOSE(linear, h.f[r], scale) << "seed " << seed;
      EXPECT_CLOSE(velocity * com.mass, h.f[r], scale) << "seed " << seed;
    }
  }
}

TYPED_TEST(Centroidal, L_11_rate_of_the_momentum_is_the_map_and_its_derivative_times_the_motion) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    CentroidalWorkspace<Real> ws(model);
    const int n = model.n_v();
    Matrix<Real> A(6, n), Adot(6, n), Jdot(3, n);
    centroidal_map(model, ws, s.q, A.view());
    centroidal_map_dot(model, ws, s.q, s.qd, Adot.view());
    com_jacobian_dot(model, ws, s.q, s.qd, Jdot.view());
    const CentroidalMomentum<Real> h = centroidal_momentum(model, ws, s.q, s.qd, s.qdd);
    const double scale = 200 * n * (testing::scale_of(A.data) + testing::scale_of(Adot.data));
    for (int r = 0; r < 6; ++r) {
      Real sum(0);
      for (int c = 0; c < n; ++c) {
        const auto k = static_cast<std::size_t>(c);
        sum = sum + A(r, c) * s.qdd[k] + Adot(r, c) * s.qd[k];
        if (r >= 3) {
          EXPECT_CLOSE(Jdot(r - 3, c) * h.com.mass, Adot(r, c), scale);
        }
      }
      EXPECT_CLOSE(sum, r < 3 ? h.rate.m[r] : h.rate.f[r - 3], scale) << "seed " << seed;
    }
  }
}

TEST(CentroidalMap, L_11_its_derivative_is_that_of_dual_numbers) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14));
    const State<double> s(model, seed);
    const int n = model.n_v();
    CentroidalWorkspace<double> ws(model);
    CentroidalWorkspace<Tangent> moved(model);
    Matrix<double> Adot(6, n), Jdot(3, n);
    Matrix<Tangent> A(6, n), J(3, n);
    centroidal_map_dot(model, ws, s.q, s.qd, Adot.view());
    com_jacobian_dot(model, ws, s.q, s.qd, Jdot.view());
    const Tangents q = moving(model, s.q, s.qd);
    centroidal_map(model, moved, q, A.view());
    com_jacobian(model, moved, q, J.view());
    const double scale = 200 * (testing::scale_of(A.data) + testing::scale_of(Adot.data));
    for (std::size_t k = 0; k < A.data.size(); ++k)
      EXPECT_CLOSE(Adot.data[k], A.data[k].d[0], scale) << "seed " << seed;
    for (std::size_t k = 0; k < J.data.size(); ++k)
      EXPECT_CLOSE(Jdot.data[k], J.data[k].d[0], scale) << "seed " << seed;
  }
}

TEST(CentroidalMomentum, L_11_motion_of_the_centre_of_mass_is_that_of_dual_numbers) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14));
    const State<double> s(model, seed);
    CentroidalWorkspace<double> ws(model);
    CentroidalWorkspace<Tangent> moved(model);
    const CentroidalMomentum<double> h = centroidal_momentum(model, ws, s.q, s.qd, s.qdd);
    const auto along = centroidal_momentum(model, moved, moving(model, s.q, s.qd),
                                           moving(s.qd, s.qdd), Tangents(s.qdd.size()));
    const double scale = 1000 * (1 + h.com.mass) * model.n_v();
    for (int r = 0; r < 3; ++r) {
      EXPECT_CLOSE(along.com.position[r].d[0], h.com.velocity[r], scale) << "seed " << seed;
      EXPECT_CLOSE(along.com.velocity[r].d[0], h.com.acceleration[r], scale) << "seed " << seed;
      EXPECT_CLOSE(along.momentum.m[r].d[0], h.rate.m[r], scale) << "seed " << seed;
      EXPECT_CLOSE(along.momentum.f[r].d[0], h.rate.f[r], scale) << "seed " << seed;
    }
  }
}

TEST(CentroidalMap, of_two_particles_by_hand) {
  // 2 kg at (x, 0, 0) and 1 kg at (0, y, 0): the centre is at (2 x / 3, y / 3, 0).
  ModelBuilder b("particles");
  b.prismatic("x", "base", "first", {}, {1, 0, 0});
  b.prismatic("y", "base", "second", {}, {0, 1, 0});
  b.inertia("first", 2, {}), b.inertia("second", 1, {});
  const Model<double> model = b.build();
  const std::vector<double> q{0.9, -0.6};
  CentroidalWorkspace<double> ws(model);
  Matrix<double> A(6, 2), J(3, 2);
  centroidal_map(model, ws, q, A.view());
  com_jacobian(model, ws, q, J.view());
  EXPECT_NEAR(J(0, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(J(1, 1), 1.0 / 3, 1e-15);
  EXPECT_NEAR(A(3, 0), 2, 1e-15);
  EXPECT_NEAR(A(4, 1), 1, 1e-15);
  // Angular momentum about z: -(0 - y / 3) 2 for the first, (0 - 2 x / 3) 1 for the second.
  EXPECT_NEAR(A(2, 0), 2 * q[1] / 3, 1e-15);
  EXPECT_NEAR(A(2, 1), -2 * q[0] / 3, 1e-15);
}

TEST(CentroidalMap, of_a_robot_without_mass_is_zero_and_finite) {
  ModelBuilder b("massless");
  b.revolute("joint", "base", "rod");
  const Model<double> model = b.build();
  CentroidalWorkspace<double> ws(model);
  Matrix<double> J(3, 1), A(6, 1);
  com_jacobian(model, ws, std::vector<double>{0.3}, J.view());
  centroidal_map(model, ws, std::vector<double>{0.3}, A.view());
  for (const double x : J.data) EXPECT_EQ(x, 0);
  for (const double x : A.data) EXPECT_EQ(x, 0);
}

TEST(CentroidalMap, calls_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  CentroidalWorkspace<double> ws(model);
  Matrix<double> A(6, model.n_v()), J(3, model.n_v());
  const testing::AllocationCounter counter;
  centroidal_map(model, ws, s.q, A.view());
  centroidal_map_dot(model, ws, s.q, s.qd, A.view());
  com_jacobian(model, ws, s.q, J.view());
  com_jacobian_dot(model, ws, s.q, s.qd, J.view());
  const auto h = centroidal_momentum(model, ws, s.q, s.qd, s.qdd);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(h.com.mass, 0);
}

}  // namespace
}  // namespace torsor
