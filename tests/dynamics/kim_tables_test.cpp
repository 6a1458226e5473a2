// Kim 2012, tables 6 and 7 transcribed with 6x6 matrices, as printed and as corrected: the
// corrected ones agree with directional_hybrid.hpp, each printed slip does not.
#include <Eigen/Core>

#include "support/dynamics_state.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/directional_hybrid.hpp"
#include "torsor/dynamics/hybrid.hpp"

namespace torsor {
namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;
// Columns of joints with fewer than six degrees of freedom are filled up with zeros.
using Columns6 = Mat6;
using Square = Mat6;
using Vec = Vec6;
using Numbers = std::vector<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Eigen::Matrix3d block(const Mat3<double>& m) {
  Eigen::Matrix3d e;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) e(r, c) = m(r, c);
  return e;
}
Vec6 vec(const Twist<double>& x) { return {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z}; }
Vec6 vec(const Wrench<double>& x) { return {x.m.x, x.m.y, x.m.z, x.f.x, x.f.y, x.f.z}; }
Mat6 mat(const Inertia<double>& I) {
  Mat6 m;
  m << block(I.J.matrix()), block(skew(I.h)), block(skew(I.h)).transpose(),
      I.m * Eigen::Matrix3d::Identity();
  return m;
}
/// (7) of the inverse, and (27).
Mat6 Ad_of_inverse(const SE3<double>& T) {
  const SE3<double> U = inverse(T);
  Mat6 m;
  m << block(U.R), Eigen::Matrix3d::Zero(), block(skew(U.p) * U.R), block(U.R);
  return m;
}
Mat6 ad_of(const Vec6& V) {
  const auto hat = [](const Eigen::Vector3d& a) {
    return block(skew(Vec3<double>{a.x(), a.y(), a.z()}));
  };
  Mat6 m;
  m << hat(V.head<3>()), Eigen::Matrix3d::Zero(), hat(V.tail<3>()), hat(V.head<3>());
  return m;
}

/// Of the first n rows and columns.
Square inverse_of(const Square& D, int n) {
  internal::SmallLdlt<double> factors;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) factors(r, c) = D(r, c);
  factors.factorise(n);
  Square inverse = Square::Zero();
  for (int c = 0; c < n; ++c) {
    double x[6] = {};
    x[c] = 1;
    factors.solve(n, x);
    for (int r = 0; r < n; ++r) inverse(r, c) = x[r];
  }
  return inverse;
}

/// What Kim 2012 prints otherwise than it must be.
enum class Slip {
  none,
  parent_h,           ///< table 6, last part: h of the parent
  rate_in_beta,       ///< table 7, i in u, d beta: S dqd and dS qd
  rate_in_prescribed  ///< table 7, dV' of i in u: dS qd + S dqd
};

/// Body i of the sweep, in the letters of Kim 2012.
struct Row {
  int parent, first, n;
  bool prescribed;
  Mat6 X, I, dI, Ia, dIa, Pi, dPi;  // X = Ad(T^-1)
  Columns6 S, dS;
  Square Psi, dPsi;
  Vec6 h, V, dV, eta, deta, B, dB, beta, dbeta, Vdot, dVdot, F, dF, dFext;
  Vec qd, qdd, tau, dqd, dqdd, dtau;
};

struct Tables {
  std::vector<Row> rows;

  Tables(const Model<double>& model, const DirectionalWorkspace<double>& ws,
         const Direction<double>& d, const Numbers& tau, const std::vector<Wrench<double>>& F_ext)
      : rows(at(model.n_bodies())) {
    Row& world = rows[0];
    world.V = vec(ws.V[0]), world.Vdot = vec(ws.Vdot[0]);
    world.dV = vec(d.V_base), world.dVdot = vec(d.Vdot_base), world.h = Vec6::Zero();
    for (int i = 1; i < model.n_bodies(); ++i) {
      Row& r = rows[at(i)];
      const Dofs v = model.body(i).v;
      r.parent = model.body(i).parent, r.first = v.first, r.n = v.count;
      r.prescribed = ws.prescribed[at(i)] != 0;
      r.X = Ad_of_inverse(ws.T[at(i)]);
      r.I = mat(model.body(i).inertia), r.dI = mat(d.I[at(i)]);
      r.h = vec(d.h[at(i)]), r.dFext = vec(d.F_ext[at(i)]);
      Columns6 Sdot = Columns6::Zero(), dSdot = Sdot;
      r.S = r.dS = Sdot;
      for (auto* x : {&r.qd, &r.qdd, &r.tau, &r.dqd, &r.dqdd, &r.dtau}) x->setZero();
      for (int k = 0; k < r.n; ++k) {
        const auto j = at(r.first + k);
        r.S.col(k) = vec(ws.S[j]), r.dS.col(k) = vec(d.S[j]);
        Sdot.col(k) = internal::has_sdot(model.joint(i).kind) ? vec(ws.Sdot[j]) : Vec6::Zero();
        dSdot.col(k) = vec(d.Sdot[j]);
        r.qd[k] = ws.qd[j], r.qdd[k] = ws.qdd[j], r.tau[k] = tau[j];
        r.dqd[k] = d.qd[j], r.dqdd[k] = d.qdd[j], r.dtau[k] = d.tau[j];
      }
      const Row& p = rows[at(r.parent)];
      r.V = r.X * p.V + r.S * r.qd;
      r.eta = ad_of(r.V) * r.S * r.qd + Sdot * r.qd;
      r.dV = r.X * p.dV - ad_of(r.h) * r.X * p.V + r.dS * r.qd + r.S * r.dqd;
      r.deta = ad_of(r.dV) * r.S * r.qd + ad_of(r.V) * (r.dS * r.qd + r.S * r.dqd) + dSdot * r.qd +
               Sdot * r.dqd;
      r.Ia = r.I, r.dIa = r.dI;
      r.B = -ad_of(r.V).transpose() * r.I * r.V - vec(F_ext[at(i)]);
      r.dB = -ad_of(r.dV).transpose() * r.I * r.V -
             ad_of(r.V).transpose() * (r.dI * r.V + r.I * r.dV) - r.dFext;
    }
  }

  void run(Slip slip) {
    for (std::size_t i = rows.size() - 1; i > 0; --i) inward(rows[i], slip);
    for (std::size_t i = 1; i < rows.size(); ++i) outward(rows[i], slip);
  }

 private:
  void inward(Row& r, Slip slip) {
    const Mat6 &Ia = r.Ia, &dIa = r.dIa;
    if (r.prescribed) {
      r.Pi = Ia, r.dPi = dIa;
      r.beta = r.B + Ia * (r.eta + r.S * r.qdd);
      const bool slipped = slip == Slip::rate_in_beta;
      const Vec a = slipped ? r.qd : r.qdd, da = slipped ? r.dqd : r.dqdd;
      r.dbeta = r.dB + dIa * (r.eta + r.S * r.qdd) + Ia * (r.deta + r.dS * a + r.S * da);
    } else {
      r.Psi = inverse_of(r.S.transpose() * Ia * r.S, r.n);
      const Square SdS = r.dS.transpose() * Ia * r.S;
      r.dPsi = -r.Psi * (r.S.transpose() * dIa * r.S + SdS + SdS.transpose()) * r.Psi;
      const Columns6 U = Ia * r.S;
      r.Pi = Ia - U * r.Psi * U.transpose();
      const Mat6 one = dIa * r.S * r.Psi * U.transpose(), two = Ia * r.dS * r.Psi * U.transpose();
      r.dPi = dIa - (U * r.dPsi * U.transpose() + one + one.transpose() + two + two.transpose());
      const Vec left = r.tau - r.S.transpose() * (Ia * r.eta + r.B);
      r.beta = r.B + Ia * (r.eta + r.S * r.Psi * left);
      // dS stands transposed before (I^ eta + B); as printed the sizes do not fit.
      const Vec dleft = r.dtau - r.dS.transpose() * (Ia * r.eta + r.B) -
                        r.S.transpose() * (dIa * r.eta + Ia * r.deta + r.dB);
      r.dbeta = r.dB + dIa * (r.eta + r.S * r.Psi * left) +
                Ia * (r.deta + (r.dS * r.Psi + r.S * r.dPsi) * left + r.S * r.Psi * dleft);
    }
    if (r.parent == 0) return;
    Row& p = rows[at(r.parent)];
    const Mat6 turn = r.Pi * ad_of(r.h);
    p.Ia += r.X.transpose() * r.Pi * r.X;
    p.dIa += r.X.transpose() * (r.dPi - turn - turn.transpose()) * r.X;
    p.B += r.X.transpose() * r.beta;
    p.dB += r.X.transpose() * (r.dbeta - ad_of(r.h).transpose() * r.beta);
  }
  void outward(Row& r, Slip slip) {
    const Row& p = rows[at(r.parent)];
    const Vec6 A = r.X * p.Vdot;
    const auto carried = [&](const Vec6& h) { return Vec6(r.X * p.dVdot - ad_of(h) * A); };
    if (!r.prescribed) {
      const Vec6 dA = carried(slip == Slip::parent_h ? p.h : r.h);
      r.qdd = r.Psi * (r.tau - r.S.transpose() * (r.Ia * (A + r.eta) + r.B));
      r.dqdd = r.dPsi * (r.tau - r.S.transpose() * (r.Ia * (A + r.eta) + r.B)) +
               r.Psi * (r.dtau - (r.dS.transpose() * r.Ia + r.S.transpose() * r.dIa) * (A + r.eta) -
                        r.S.transpose() * r.Ia * (dA + r.deta) - r.dS.transpose() * r.B -
                        r.S.transpose() * r.dB);
    }
    const bool slipped = slip == Slip::rate_in_prescribed && r.prescribed;
    r.Vdot = A + r.S * r.qdd + r.eta;
    r.dVdot =
        carried(r.h) + r.deta + (slipped ? r.dS * r.qd + r.S * r.dqd : r.dS * r.qdd + r.S * r.dqdd);
    r.F = r.Ia * r.Vdot + r.B;
    r.dF = r.dIa * r.Vdot + r.Ia * r.dVdot + r.dB;
    if (r.prescribed) r.dtau = r.dS.transpose() * r.F + r.S.transpose() * r.dF;
  }
};

/// The largest difference of the tables' dqdd, dtau and dF from those of the library.
double difference(unsigned seed, Slip slip, bool forward) {
  // Without rotors: the tables have none. Composite joints may have dependent columns.
  std::vector<JointKind> kinds = testing::every_moving_kind();
  kinds.pop_back();
  const Model<double> model(testing::random_tree(seed, 7, {.kinds = kinds, .rotors = false}));
  testing::State<double> s(model, seed);
  testing::Draw<double> draw(seed);
  std::vector<char> mask(at(model.n_bodies()));
  for (char& m : mask) m = !forward && draw() > 0 ? 1 : 0;
  DirectionalWorkspace<double> ws(model);
  EXPECT_TRUE(linearise_hybrid_dynamics(model, ws, mask, s.q, s.qd, s.qdd, s.tau, s.F_ext));
  Direction<double> d(model);
  Numbers dq(s.qd), dqd(s.qd), dqdd(s.qd), dtau(s.qd);
  for (const Out<double>& x :
       {Out<double>(dq), Out<double>(dqd), Out<double>(d.qdd), Out<double>(d.tau)})
    for (double& e : x) e = draw();
  add_state<double, double>(model, ws, s.q, s.qd, dq, dqd, d);
  for (int i = 1; i < model.n_bodies(); ++i) {
    d.add_pose(i, draw.twist());
    d.add_inertia(i, draw.inertia());
    d.add_wrench(i, draw.wrench());
    for (int k = model.body(i).v.first; k < model.body(i).v.first + model.body(i).v.count; ++k) {
      d.add_column(i, k, draw.twist(), draw.twist());
      if (!mask[at(i)]) d.qdd[at(k)] = 0;
    }
  }
  directional_hybrid_dynamics(model, ws, d, dqdd, dtau);

  Tables tables(model, ws, d, s.tau, s.F_ext);
  tables.run(slip);
  double worst = 0, size = 1;
  const auto compare = [&](double a, double b) {
    worst = std::max(worst, std::abs(a - b)), size = std::max(size, std::abs(b));
  };
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Row& r = tables.rows[at(i)];
    for (int k = 0; k < r.n; ++k) {
      compare(r.dqdd[k], dqdd[at(r.first + k)]);
      compare(r.dtau[k], dtau[at(r.first + k)]);
    }
    for (int k = 0; k < 6; ++k) compare(r.dF[k], vec(ws.dF[at(i)])[k]);
  }
  return worst / size;
}

TEST(KimTables, L_09_corrected_tables_6_and_7_agree_for_any_direction) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    EXPECT_LT(difference(seed, Slip::none, true), 1e-8) << seed;
    EXPECT_LT(difference(seed, Slip::none, false), 1e-8) << seed;
  }
}
TEST(KimTables, L_09_table_6_needs_h_of_the_body_not_of_its_parent) {
  for (unsigned seed = 1; seed <= 5; ++seed)
    EXPECT_GT(difference(seed, Slip::parent_h, true), 1e-6) << seed;
}
TEST(KimTables, L_09_table_7_needs_accelerations_where_rates_are_printed) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    EXPECT_GT(difference(seed, Slip::rate_in_beta, false), 1e-6) << seed;
    EXPECT_GT(difference(seed, Slip::rate_in_prescribed, false), 1e-6) << seed;
  }
}

/// (34): the accelerations of released joints need M_vu, the transpose of M_uv.
TEST(KimTables, L_05_equation_34_needs_the_block_below) {
  const Model<double> model(testing::random_tree(
      5, 4, {.kinds = testing::one_dof_kinds(), .chain = true, .dissipation = false}));
  testing::State<double> s(model, 5);
  const std::vector<char> mask = {0, 1, 0, 1, 0};  // u = {1, 3}, v = {2, 4}
  AbaWorkspace<double> ws(model);
  Numbers tau = s.tau, bias(4), zero(4), M(16);
  EXPECT_TRUE(rigid_hybrid_dynamics(model, ws, mask, s.q, s.qd, s.qdd, tau, {}));
  RneaWorkspace<double> rnea(model);
  rigid_inverse_dynamics(model, rnea, s.q, s.qd, zero, {}, bias);
  CrbaWorkspace<double> crba(model);
  mass_matrix(model, crba, s.q, column_major(M.data(), 4, 4));
  const Eigen::Map<Eigen::Matrix4d> all(M.data());
  Eigen::Matrix2d M_vv, M_uv;
  Eigen::Vector2d tau_v, b_v, qdd_u, qdd_v;
  for (int r = 0; r < 2; ++r) {
    const int u = 2 * r, v = 2 * r + 1;
    for (int c = 0; c < 2; ++c) M_vv(r, c) = all(v, 2 * c + 1), M_uv(r, c) = all(u, 2 * c + 1);
    tau_v[r] = s.tau[at(v)], b_v[r] = bias[at(v)];
    qdd_u[r] = s.qdd[at(u)], qdd_v[r] = s.qdd[at(v)];
  }
  const auto residual = [&](const Eigen::Matrix2d& B) {
    return (M_vv * qdd_v - (tau_v - b_v - B * qdd_u)).norm();
  };
  EXPECT_LT(residual(M_uv.transpose()), 1e-11);
  EXPECT_GT(residual(M_uv), 1e-3);
}

}  // namespace
}  // namespace torsor
