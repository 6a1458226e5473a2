#include "torsor/dynamics/derivatives/directional_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/derivatives/directional_hybrid.hpp"
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"

namespace torsor {
namespace {

using Tangent = Dual<double, 1>;
using Numbers = std::vector<double>;
using Tangents = std::vector<Tangent>;
using testing::State;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A state and a drawn direction of everything in it.
struct Motion {
  Model<double> model;
  State<double> s;
  Numbers dq, dqd, dqdd, dtau;
  std::vector<Wrench<double>> dF;
  std::vector<char> mask;

  Motion(unsigned seed, int joints, bool at_rest = false)
      : model(testing::random_tree(seed, joints)), s(model, seed) {
    testing::Draw<double> draw(seed + 500);
    const auto some = [&] {
      Numbers x(s.qd.size());
      for (double& e : x) e = draw();
      return x;
    };
    dq = some(), dqd = some(), dqdd = some(), dtau = some();
    for (std::size_t i = 0; i < s.F_ext.size(); ++i) {
      dF.push_back(draw.wrench());
      mask.push_back(draw() > 0 ? 1 : 0);
    }
    if (!at_rest) return;
    neutral(model, s.q);
    for (double& v : s.qd) v = 0;
  }

  static Tangents dual(const Numbers& x, const Numbers& d) {
    Tangents y(x.begin(), x.end());
    for (std::size_t k = 0; k < y.size(); ++k) y[k].d[0] = d[k];
    return y;
  }
  Tangents q_dual() const {
    const Tangents q0(s.q.begin(), s.q.end());
    Tangents q(q0.size());
    integrate(model, q0, dual(Numbers(dq.size()), dq), q);
    return q;
  }
  std::vector<Wrench<Tangent>> wrench_dual() const {
    std::vector<Wrench<Tangent>> F;
    for (std::size_t i = 0; i < dF.size(); ++i) {
      F.push_back(s.F_ext[i].cast<Tangent>());
      for (int k = 0; k < 3; ++k) F[i].m[k].d[0] = dF[i].m[k], F[i].f[k].d[0] = dF[i].f[k];
    }
    return F;
  }
  /// The same as a Direction; the workspace must be linearised.
  Direction<double> direction(const DirectionalWorkspace<double>& ws) const {
    Direction<double> d(model);
    add_state<double, double>(model, ws, s.q, s.qd, dq, dqd, d);
    d.qdd = dqdd, d.tau = dtau;
    for (int i = 1; i < model.n_bodies(); ++i) d.add_wrench(i, dF[at(i)]);
    return d;
  }
};

void expect_close(const Numbers& a, const Numbers& b, double multiple, unsigned seed) {
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_CLOSE(a[k], b[k], multiple) << "seed " << seed << " entry " << k;
}
Numbers slopes(const Tangents& x) {
  Numbers d;
  for (const Tangent& e : x) d.push_back(e.d[0]);
  return d;
}

TEST(DirectionalInverse, L_09_table_5_is_the_dual_of_inverse_dynamics) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Motion m(seed, 9, seed % 4 == 0);
    DirectionalWorkspace<double> ws(m.model);
    Numbers tau(m.dq.size()), dtau(tau);
    linearise_inverse_dynamics(m.model, ws, m.s.q, m.s.qd, m.s.qdd, m.s.F_ext, tau);
    directional_inverse_dynamics(m.model, ws, m.direction(ws), dtau);

    RneaWorkspace<Tangent> dual(m.model);
    dual.rotors = false;
    Tangents truth(tau.size());
    rigid_inverse_dynamics(m.model, dual, m.q_dual(), Motion::dual(m.s.qd, m.dqd),
                           Motion::dual(m.s.qdd, m.dqdd), m.wrench_dual(), truth);
    const double scale = testing::scale_of(truth);
    for (std::size_t k = 0; k < tau.size(); ++k) {
      EXPECT_CLOSE(tau[k], truth[k].value, 100 * scale) << seed;
      EXPECT_CLOSE(dtau[k], truth[k].d[0], 100 * scale) << seed;
    }
  }
}

TEST(DirectionalHybrid, L_09_tables_6_and_7_are_the_duals_of_forward_and_hybrid_dynamics) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Motion m(seed, 9);
    if (seed % 2 == 0) m.mask.assign(m.mask.size(), 0);
    DirectionalWorkspace<double> ws(m.model);
    Numbers qdd = m.s.qdd, tau = m.s.tau, dqdd(tau.size()), dtau(dqdd);
    const auto result =
        linearise_hybrid_dynamics(m.model, ws, m.mask, m.s.q, m.s.qd, qdd, tau, m.s.F_ext);
    EXPECT_TRUE(result);
    Direction<double> d = m.direction(ws);
    for (int i = 1; i < m.model.n_bodies(); ++i)
      for (int k = 0; !m.mask[at(i)] && k < m.model.body(i).v.count; ++k)
        d.qdd[m.model.body(i).v.first + k] = 0;
    directional_hybrid_dynamics(m.model, ws, d, dqdd, dtau);

    AbaWorkspace<Tangent> dual(m.model);
    Tangents a = Motion::dual(m.s.qdd, m.dqdd), t = Motion::dual(m.s.tau, m.dtau);
    EXPECT_TRUE(rigid_hybrid_dynamics(m.model, dual, m.mask, m.q_dual(),
                                      Motion::dual(m.s.qd, m.dqd), a, t, m.wrench_dual()));
    const double scale = (testing::scale_of(a) + testing::scale_of(t)) / result.pivot_ratio;
    expect_close(dqdd, slopes(a), 50 * scale, seed);
    expect_close(dtau, slopes(t), 50 * scale, seed);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_CLOSE(qdd[k], a[k].value, 50 * scale);
  }
}

TEST(DirectionalHybrid, motions_and_wrenches_are_those_of_inverse_dynamics_at_the_found_dqdd) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Motion m(seed, 8);
    DirectionalWorkspace<double> ws(m.model), inverse(m.model);
    Numbers qdd = m.s.qdd, tau = m.s.tau, dqdd(tau.size()), dtau(dqdd);
    const auto result =
        linearise_hybrid_dynamics(m.model, ws, {}, m.s.q, m.s.qd, qdd, tau, m.s.F_ext);
    Direction<double> d = m.direction(ws);
    d.qdd.assign(d.qdd.size(), 0);
    directional_hybrid_dynamics(m.model, ws, d, dqdd, dtau);

    linearise_inverse_dynamics(m.model, inverse, m.s.q, m.s.qd, qdd, m.s.F_ext, tau);
    d.qdd = dqdd;
    directional_inverse_dynamics(m.model, inverse, d, tau);
    double scale = testing::scale_of(dqdd) / result.pivot_ratio;
    for (int i = 1; i < ws.dF.size(); ++i) {
      EXPECT_CLOSE(ws.dVdot[i], inverse.dVdot[i], 200 * scale) << seed;
      EXPECT_CLOSE(ws.dF[i], inverse.dF[i], 200 * scale) << seed;
    }
  }
}

TEST(DirectionalHybrid, prescribing_all_joints_is_inverse_dynamics_with_rotors) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Motion m(seed, 8);
    m.mask.assign(m.mask.size(), 1);
    DirectionalWorkspace<double> ws(m.model), inverse(m.model);
    Numbers qdd = m.s.qdd, tau = m.s.tau, dqdd(tau.size()), dtau(dqdd), expected(dqdd);
    EXPECT_TRUE(linearise_hybrid_dynamics(m.model, ws, m.mask, m.s.q, m.s.qd, qdd, tau, m.s.F_ext));
    Direction<double> d = m.direction(ws);
    for (double& x : d.armature) x = 0.25;
    directional_hybrid_dynamics(m.model, ws, d, dqdd, dtau);
    linearise_inverse_dynamics(m.model, inverse, m.s.q, m.s.qd, qdd, m.s.F_ext, tau);
    directional_inverse_dynamics(m.model, inverse, d, expected);
    for (std::size_t k = 0; k < expected.size(); ++k)
      expected[k] += m.model.dof(static_cast<int>(k)).armature * m.dqdd[k] + 0.25 * qdd[k];
    expect_close(dtau, expected, 100 * testing::scale_of(expected), seed);
    EXPECT_EQ(dqdd, m.dqdd);
  }
}

TEST(DirectionalInverse, a_moving_base_is_a_direction_too) {
  const Motion m(3, 6);
  testing::Draw<double> draw(9);
  const Twist<double> V = draw.twist(), A = draw.twist(), dV = draw.twist(), dA = draw.twist();
  DirectionalWorkspace<double> ws(m.model);
  ws.V_base = V, ws.Vdot_base = A;
  Numbers tau(m.dq.size()), dtau(tau);
  linearise_inverse_dynamics(m.model, ws, m.s.q, m.s.qd, m.s.qdd, {}, tau);
  Direction<double> d(m.model);
  d.V_base = dV, d.Vdot_base = dA;
  directional_inverse_dynamics(m.model, ws, d, dtau);

  JointWrenchWorkspace<Tangent> dual(m.model);
  dual.V_base = V.cast<Tangent>(), dual.Vdot_base = A.cast<Tangent>();
  for (int k = 0; k < 3; ++k) {
    dual.V_base.w[k].d[0] = dV.w[k], dual.V_base.v[k].d[0] = dV.v[k];
    dual.Vdot_base.w[k].d[0] = dA.w[k], dual.Vdot_base.v[k].d[0] = dA.v[k];
  }
  Tangents truth(tau.size());
  const auto constant = [](const Numbers& x) { return Tangents(x.begin(), x.end()); };
  joint_wrenches(m.model, dual, constant(m.s.q), constant(m.s.qd), constant(m.s.qdd), {}, truth);
  expect_close(dtau, slopes(truth), 50 * testing::scale_of(truth), 3);
}

TEST(Direction, clearing_forgets_everything) {
  const Motion m(4, 9);
  DirectionalWorkspace<double> ws(m.model);
  Numbers tau(m.dq.size()), dtau(tau);
  linearise_inverse_dynamics(m.model, ws, m.s.q, m.s.qd, m.s.qdd, m.s.F_ext, tau);
  Direction<double> d = m.direction(ws);
  d.V_base.w.x = 1, d.Vdot_base.v.y = 1;
  d.add_inertia(1, m.model.body(1).inertia);
  d.clear(m.model);
  directional_inverse_dynamics(m.model, ws, d, dtau);
  for (const double x : dtau) EXPECT_EQ(x, 0);
  for (const unsigned char part : d.parts) EXPECT_EQ(part, 0);
}

/// Packs run through: four states at once, each its own derivative.
TEST(DirectionalHybrid, lanes_are_states) {
  using Lanes = Pack<double, 4>;
  const Model<double> model(testing::random_tree(6, 5));
  const State<Lanes> s(model, 6);
  const std::size_t n = s.qd.size();
  std::vector<Lanes> qdd(n), tau = s.tau, dqdd(n), dtau(n);
  DirectionalWorkspace<Lanes> ws(model);
  const auto regular =
      linearise_hybrid_dynamics<double, Lanes>(model, ws, {}, s.q, s.qd, qdd, tau, s.F_ext);
  EXPECT_TRUE(regular);
  Direction<Lanes> d(model);
  add_state<double, Lanes>(model, ws, s.q, s.qd, s.qdd, s.tau, d);
  directional_hybrid_dynamics<double, Lanes>(model, ws, d, dqdd, dtau);

  for (int lane = 0; lane < 4; ++lane) {
    const auto take = [&](const std::vector<Lanes>& x) {
      Numbers y;
      for (const Lanes& e : x) y.push_back(e[lane]);
      return y;
    };
    std::vector<Wrench<double>> F;
    for (const Wrench<Lanes>& f : s.F_ext)
      F.push_back(
          {{f.m.x[lane], f.m.y[lane], f.m.z[lane]}, {f.f.x[lane], f.f.y[lane], f.f.z[lane]}});
    DirectionalWorkspace<double> one(model);
    Numbers a(n), t = take(s.tau), da(n), dt(n);
    const Numbers q = take(s.q), qd = take(s.qd), dq = take(s.qdd), dqd = take(s.tau);
    const auto result = linearise_hybrid_dynamics(model, one, {}, q, qd, a, t, F);
    Direction<double> e(model);
    add_state<double, double>(model, one, q, qd, dq, dqd, e);
    directional_hybrid_dynamics(model, one, e, da, dt);
    expect_close(take(dqdd), da, 50 * testing::scale_of(da) / result.pivot_ratio, 6);
  }
}

TEST(DirectionalHybrid, a_call_allocates_nothing) {
  Motion m(7, 30);
  DirectionalWorkspace<double> ws(m.model);
  Numbers qdd = m.s.qdd, tau = m.s.tau, dqdd(tau.size()), dtau(dqdd);
  Direction<double> d(m.model);
  const testing::AllocationCounter counter;
  const auto result =
      linearise_hybrid_dynamics(m.model, ws, m.mask, m.s.q, m.s.qd, qdd, tau, m.s.F_ext);
  add_state<double, double>(m.model, ws, m.s.q, m.s.qd, m.dq, m.dqd, d);
  directional_hybrid_dynamics(m.model, ws, d, dqdd, dtau);
  linearise_inverse_dynamics(m.model, ws, m.s.q, m.s.qd, qdd, m.s.F_ext, tau);
  directional_inverse_dynamics(m.model, ws, d, dtau);
  d.clear(m.model);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace torsor
