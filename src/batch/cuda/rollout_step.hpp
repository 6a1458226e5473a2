#pragma once
/// A rollout of rigid bodies and rotors: Runge-Kutta 4 on the manifold of q under a law that is asked once
/// in every step and held.
///
///   e = q_r (-) q,  ed = qd_r - qd        PD               tau = kp e + kd ed (+ g(q))
///                                         computed torque  tau = ID(q, qd, qdd_r + kp e + kd ed)
///
/// A stage is q (+) z with z' = chart_rates(z, v): joints whose velocities are rates of their coordinates
/// just add. The reference goes from `from` to `goal` along their difference d by the quintic
/// s = 10 u^3 - 15 u^4 + 6 u^5, u = t / duration: q_r = from (+) s d, qd_r = s' d, qdd_r = s'' d.
#include "device_job.hpp"
#include "torsor/dynamics/aba.hpp"

namespace torsor::internal::device {

template <class Model, class Real>
class Rollout {
  using Storage = typename Model::Storage;
  using Coordinates = typename Storage::template PerCoordinate<Real>;
  using Velocities = typename Storage::template PerVelocity<Real>;

 public:
  Coordinates q;
  Velocities qd;

  /// forward(q, qd, tau, qdd) gives the ratio of pivots, inverse(q, qd, qdd, tau) nothing.
  template <class Forward, class Inverse>
  TORSOR_HD void run(const Model& model, const DeviceLaw<Real>& law, long long count,
                     long long state, Forward forward, Inverse inverse) {
    const int n = model.n_v(), n_q = model.n_q();
    Coordinates from;
    Velocities way;
    for (int k = 0; k < n_q; ++k) from[k] = law.from[k * count + state];
    {
      Coordinates goal;
      for (int k = 0; k < n_q; ++k) goal[k] = law.goal[k * count + state];
      difference(model, from.data(), goal.data(), way.data());
    }
    const Real h = law.step / static_cast<Real>(law.substeps);
    Real time = law.time;
    for (int step = 0; step < law.steps;
         ++step, time = law.time + law.step * static_cast<Real>(step)) {
      Real s(1), s1(0), s2(0);
      if (time < law.duration) {
        const Real u = time / law.duration, rate = Real(1) / law.duration;
        s = u * u * u * (Real(10) + u * (Real(-15) + u * Real(6)));
        s1 = u * u * (Real(30) + u * (Real(-60) + u * Real(30))) * rate;
        s2 = u * (Real(60) + u * (Real(-180) + u * Real(120))) * rate * rate;
      }
      Velocities tau, wanted;
      {
        Coordinates reference;
        Velocities z;
        for (int k = 0; k < n; ++k) z[k] = way[k] * s;
        integrate(model, from.data(), z.data(), reference.data());
        difference(model, q.data(), reference.data(), wanted.data());
        for (int k = 0; k < n; ++k) {
          wanted[k] = wanted[k] * law.kp[k] + (way[k] * s1 - qd[k]) * law.kd[k];
          z[k] = law.computed_torque ? Real(wanted[k] + way[k] * s2) : Real(0);
          tau[k] = Real(0);
        }
        if (law.computed_torque) {
          inverse(q.data(), qd.data(), z.data(), tau.data());
        } else {
          if (law.gravity) {
            Velocities rest;
            for (int k = 0; k < n; ++k) rest[k] = Real(0);
            inverse(q.data(), rest.data(), z.data(), tau.data());
          }
          for (int k = 0; k < n; ++k) tau[k] = tau[k] + wanted[k];
        }
      }
      for (int part = 0; part < law.substeps; ++part) advance(model, h, tau.data(), forward);
    }
  }

 private:
  /// One step of Runge-Kutta 4 from q, qd under constant torques.
  template <class Forward>
  TORSOR_HD void advance(const Model& model, const Real& h, const Real* tau, Forward forward) {
    const int n = model.n_v();
    Velocities z_sum, v_sum, z_rate, v, v_rate;
    Coordinates at;
    for (int k = 0; k < n; ++k) z_sum[k] = v_sum[k] = v_rate[k] = z_rate[k] = Real(0);
    for (int stage = 0; stage < 4; ++stage) {
      const Real along = stage == 0 ? Real(0) : stage == 3 ? h : h * Real(0.5);
      const Real weight = (stage == 0 || stage == 3 ? h : h + h) * Real(1.0 / 6);
      for (int k = 0; k < n; ++k) {
        z_rate[k] = z_rate[k] * along;
        v[k] = qd[k] + v_rate[k] * along;
      }
      integrate(model, q.data(), z_rate.data(), at.data());
      forward(at.data(), v.data(), tau, v_rate.data());
      chart_rates(model, q.data(), z_rate.data(), v.data());
      for (int k = 0; k < n; ++k) {
        z_rate[k] = v[k];
        z_sum[k] = z_sum[k] + v[k] * weight;
        v_sum[k] = v_sum[k] + v_rate[k] * weight;
      }
    }
    integrate(model, q.data(), z_sum.data(), at.data());
    for (int k = 0; k < model.n_q(); ++k) q[k] = at[k];
    for (int k = 0; k < n; ++k) qd[k] = qd[k] + v_sum[k];
  }

  /// f(kind, order, first coordinate, first velocity) of every joint or part that is not a plain one.
  template <class Plain, class Function>
  TORSOR_HD static void each_joint(const Model& model, Plain plain, Function f) {
    if constexpr (Model::is_chain) {
      for (int k = 0; k < Model::n_v(); ++k) plain(k, k);
    } else {
      for (int i = 1; i < model.n_bodies(); ++i) {
        const int q = model.first_q(i), v = model.first_v(i);
        if (model.joint_class(i) != JointClass::general) {
          plain(q, v);
        } else {
          for_each_part(model.joint(i), [&](JointKind kind, EulerOrder order, int iq, int iv) {
            f(kind, order, q + iq, v + iv);
          });
        }
      }
    }
  }
  TORSOR_HD static void integrate(const Model& model, const Real* q, const Real* z, Real* to) {
    each_joint(
        model, [&](int k, int v) { to[k] = q[k] + z[v]; },
        [&](JointKind kind, EulerOrder order, int k, int v) {
          with_kind(kind, [&](auto type) { type.integrate(order, q + k, z + v, to + k); });
        });
  }
  TORSOR_HD static void difference(const Model& model, const Real* a, const Real* b, Real* z) {
    each_joint(
        model, [&](int k, int v) { z[v] = b[k] - a[k]; },
        [&](JointKind kind, EulerOrder order, int k, int v) {
          with_kind(kind, [&](auto type) { type.difference(order, a + k, b + k, z + v); });
        });
  }
  /// z' in place of the velocity v at q (+) z.
  TORSOR_HD static void chart_rates(const Model& model, const Real* q, const Real* z, Real* v) {
    each_joint(
        model, [](int, int) {},
        [&](JointKind kind, EulerOrder order, int k, int first) {
          with_kind(kind, [&](auto type) { type.chart_rates(order, q + k, z + first, v + first); });
        });
  }
};

}  // namespace torsor::internal::device
