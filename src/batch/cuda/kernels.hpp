#pragma once
/// What one thread does, for every verb: loads the numbers of its state, runs a sweep, stores the results.
/// Plain functions, so that the host can run them too (tests/batch/device_text_test.cpp).
#include "chain_forms.hpp"
#include "chain_slopes.hpp"
#include "device_job.hpp"
#include "device_model.hpp"
#include "rollout_step.hpp"
#include "tree_forms.hpp"

namespace torsor::internal::device {

template <class Model, class Real>
struct Kernels {
  using Storage = typename Model::Storage;
  using Job = DeviceJob<Real>;
  using Coordinates = typename Storage::template PerCoordinate<Real>;
  using Velocities = typename Storage::template PerVelocity<Real>;
  static constexpr bool is_chain = Model::is_chain;

  TORSOR_HD TORSOR_INLINE static void load(const Job& job, const Real* from, long long s, int n,
                                           Real* to) {
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k) to[k] = from ? from[k * job.count + s] : Real(0);
  }
  TORSOR_HD TORSOR_INLINE static void store(const Job& job, const Real* from, long long s, int n,
                                            Real* to) {
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k) stream(to[k * job.count + s], from[k]);
  }
  /// The coordinates; quaternions are normalised, as long as they are within 1e-6 of unit norm: false
  /// where one is not.
  TORSOR_HD TORSOR_INLINE static bool load_q(const Model& model, const Job& job, long long s,
                                             Real* q) {
    load(job, job.q, s, model.n_q(), q);
    bool sound = true;
    model.for_each_not_hinge([&](auto i) {
      if (model.joint_class(i) != JointClass::general) return;
      for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int iq, int) {
        const int place = with_kind(kind, [](auto type) { return type.quaternion; });
        if (place < 0) return;
        Real* const x = q + model.first_q(i) + iq + place;
        const Real square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        // Float numbers themselves are that far from unit norm.
        const Real off = abs(square - Real(1)), bound(sizeof(Real) == 8 ? Real(2e-6) : Real(4e-6));
        sound = sound && off <= bound;
        const Real scale = Real(1) / sqrt(square);
        for (int k = 0; k < 4; ++k) x[k] = x[k] * scale;
      });
    });
    return sound;
  }
  /// A state without an answer: nan, and counted.
  TORSOR_HD TORSOR_INLINE static void refuse(const Job& job, long long s, int n, Real* out) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    if (out)
      for (int k = 0; k < n; ++k) out[k * job.count + s] = nan;
  }
  TORSOR_HD TORSOR_INLINE static void count_one(const Job& job) {
#ifdef __CUDA_ARCH__
    atomicAdd(job.unanswered, 1ULL);
#else
    ++*job.unanswered;
#endif
  }
  TORSOR_HD TORSOR_INLINE static bool finite(const Real* x, int n) {
    bool sound = true;
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k) sound = sound && is_finite(x[k]);
    return sound;
  }
  TORSOR_HD TORSOR_INLINE static bool regular(const Real& ratio) {
    return ratio > Real(8 * ScalarTraits<Real>::epsilon);
  }
  TORSOR_HD TORSOR_INLINE static bool angle_in_range(const Real& q) {
    // As sincos, by the bits: a device has more room for integers.
    using Bits = TwinOf<Real>;
    return bits_as<Bits>(abs(q)) < bits_as<Bits>(sizeof(Real) == 8 ? Real(0x1p+48) : Real(0x1p+19));
  }

  TORSOR_HD TORSOR_INLINE static void inverse_of(const Model& model, const Real* q, const Real* qd,
                                                 const Real* qdd, Real* tau) {
    if constexpr (is_chain) {
      chain_inverse_dynamics(model, q, qd, qdd, tau);
    } else {
      RneaWorkspace<Real, Storage> ws;
      const int n = model.n_v();
      prepare(model, ws.joints, {q, model.n_q()}, {qd, n});
      motion_sweep<true>(model, ws, {qd, n}, {qdd, n});
      project_wrenches(model, ws, {tau, n});
      add_rotor_torques(model, View<const Real>{qdd, n}, View<Real>{tau, n});
    }
  }
  /// The ratio of pivots. A name for what the fixed arrays of a rolled model hold more of than they use.
  template <class Number>
  struct Pivots {
    Number* at;
    int n;
    TORSOR_HD Number* data() const { return at; }
    TORSOR_HD int size() const { return n; }
  };
  template <bool with_rotors>
  TORSOR_HD TORSOR_INLINE static Real forward_of(const Model& model, const Real* q, const Real* qd,
                                                 const Real* tau, Real* qdd) {
    if constexpr (is_chain) {
      return chain_forward_dynamics<with_rotors>(model, q, qd, tau, qdd);
    } else {
      AbaWorkspace<Real, Storage> ws;
      const int n = model.n_v();
      prepare(model, ws.joints, {q, model.n_q()}, {qd, n});
      bias_sweep(model, ws, {qd, n}, {});
      release_sweep(model, ws, {tau, n});
      acceleration_sweep(model, ws, {qdd, n});
      return regularity(Pivots<Real>{ws.D.data(), n}).pivot_ratio;
    }
  }

  /// The numbers of a state where they are, read when they are needed: registers are few.
  struct AtState {
    const Real* at;
    long long count;
    TORSOR_HD TORSOR_INLINE Real operator[](int k) const { return at[k * count]; }
  };

  TORSOR_HD TORSOR_INLINE static void inverse(const Model& model, const Job& job, long long s) {
    const int n = model.n_v();
    if constexpr (is_chain && sizeof(Real) == 4) {  // double was slower so, by 4 %
      if (job.qd && job.third) {
        Velocities tau;
        chain_inverse_dynamics(model, AtState{job.q + s, job.count}, AtState{job.qd + s, job.count},
                               AtState{job.third + s, job.count}, tau.data());
        store(job, tau.data(), s, n, job.out[0]);
        if (!finite(tau.data(), n)) {
          refuse(job, s, n, job.out[0]);
          count_one(job);
        }
        return;
      }
    }
    Coordinates q;
    Velocities qd, qdd, tau;
    const bool sound = load_q(model, job, s, q.data());
    load(job, job.qd, s, n, qd.data());
    load(job, job.third, s, n, qdd.data());
    inverse_of(model, q.data(), qd.data(), qdd.data(), tau.data());
    store(job, tau.data(), s, n, job.out[0]);
    if (!sound || !finite(tau.data(), n)) {
      refuse(job, s, n, job.out[0]);
      count_one(job);
    }
  }

  template <bool with_rotors>
  TORSOR_HD TORSOR_INLINE static void forward(const Model& model, const Job& job, long long s) {
    const int n = model.n_v();
    Coordinates q;
    Velocities qd, tau, qdd;
    const bool sound = load_q(model, job, s, q.data());
    load(job, job.qd, s, n, qd.data());
    load(job, job.third, s, n, tau.data());
    const Real ratio = forward_of<with_rotors>(model, q.data(), qd.data(), tau.data(), qdd.data());
    store(job, qdd.data(), s, n, job.out[0]);
    if (!sound || !regular(ratio) || !finite(qdd.data(), n)) {
      refuse(job, s, n, job.out[0]);
      count_one(job);
    }
  }

  /// M, or its inverse: n n numbers, or the lower triangle by rows.
  template <bool inverted>
  TORSOR_HD TORSOR_INLINE static void mass(const Model& model, const Job& job, long long s) {
    const int n = model.n_v();
    Real* const out = job.out[0];
    const auto place = [&](int i, int j) -> Real& {
      return out[(job.packed ? i * (i + 1) / 2 + j : i * n + j) * job.count + s];
    };
    Coordinates q;
    bool sound = load_q(model, job, s, q.data());
    Real ratio(1);
    if constexpr (is_chain && Model::max_velocities <= 12) {
      constexpr int N = Model::max_velocities;
      Real M[N * (N + 1) / 2];
      chain_mass_matrix(model, q.data(), M);
      TORSOR_UNROLL
      for (int k = 0; k < N; ++k) sound = sound & angle_in_range(q[k]);
      if constexpr (inverted) {
        ratio = factorise_packed<N>(M);
        for (int c = 0; c < N; ++c) {
          Real y[N];
          TORSOR_UNROLL
          for (int i = 0; i < N; ++i) y[i] = Real(i == c ? 1 : 0);
          solve_packed<N>(M, y);
          TORSOR_UNROLL
          for (int i = 0; i < N; ++i)
            if (!job.packed || i >= c)
              out[(job.packed ? i * (i + 1) / 2 + c : i * N + c) * job.count + s] = y[i];
        }
      } else if (job.packed) {
        store(job, M, s, N * (N + 1) / 2, out);
      } else {
        TORSOR_UNROLL
        for (int i = 0; i < N; ++i) {
          TORSOR_UNROLL
          for (int j = 0; j <= i; ++j) {
            out[(i * N + j) * job.count + s] = M[i * (i + 1) / 2 + j];
            if (j < i) out[(j * N + i) * job.count + s] = M[i * (i + 1) / 2 + j];
          }
        }
      }
    } else {
      JointStates<Real, Storage> joints;
      typename Storage::template PerBody<MassMoments<Real>> from_children;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) place(i, j) = Real(0);
      tree_mass_matrix(model, joints, from_children, {q.data(), model.n_q()},
                       [&](int i, int j, const Real& x) { place(i, j) = x; });
      sound = sound && finite(q.data(), model.n_q());
      for (int i = 0; i < n; ++i) sound = sound && is_finite(place(i, i));
      if constexpr (inverted) ratio = invert_in_place<Real>(n, place);
      if (!job.packed)
        for (int i = 1; i < n; ++i)
          for (int j = 0; j < i; ++j) place(j, i) = place(i, j);
    }
    if (!sound || !regular(ratio)) {
      refuse(job, s, job.packed ? n * (n + 1) / 2 : n * n, out);
      count_one(job);
    }
  }

  TORSOR_HD TORSOR_INLINE static void poses(const Model& model, const Job& job, long long s) {
    Coordinates q;
    bool sound = load_q(model, job, s, q.data());
    JointStates<Real, Storage> joints;
    typename Storage::template PerBody<SE3<Real>> kept;
    tree_poses(model, joints, kept, {q.data(), model.n_q()},
               [&](int i, const SO3<Real>& R, const Vec3<Real>& p) {
                 Real* const to = job.out[0] + 16LL * i * job.count + s;
                 const Real numbers[16]{R.c0.x,  R.c1.x,  R.c2.x,  p.x,    R.c0.y, R.c1.y,
                                        R.c2.y,  p.y,     R.c0.z,  R.c1.z, R.c2.z, p.z,
                                        Real(0), Real(0), Real(0), Real(1)};
                 TORSOR_UNROLL
                 for (int k = 0; k < 16; ++k) to[k * job.count] = numbers[k];
                 sound = sound && is_finite(R.c0.x) && is_finite(p.x);
               });
    if (!sound) {
      refuse(job, s, 16 * model.n_bodies(), job.out[0]);
      count_one(job);
    }
  }

  /// Derivatives along one direction: 0 ... n - 1 of the tangent of q, then of qd, then of the third
  /// input. out[d / n] gets column d % n.
  template <bool of_forward>
  TORSOR_HD TORSOR_INLINE static void slope_along(const Model& model, const Job& job, long long s,
                                                  int direction) {
    using Number = Dual<Real, 1>;
    const int n = model.n_v(), which = direction / n, column = direction - which * n;
    Real* const out = job.out[which];
    if (!out) return;
    Coordinates q;
    Velocities qd, third;
    const bool sound = load_q(model, job, s, q.data());
    load(job, job.qd, s, n, qd.data());
    load(job, job.third, s, n, third.data());
    const DualState<Model, Real> at(model, q.data(), qd.data(), third.data(), direction);
    typename Storage::template PerVelocity<Number> result;
    Real ratio(1);
    if constexpr (is_chain && of_forward) {
      ratio = chain_forward_dynamics<true>(model, at.q.data(), at.qd.data(), at.third.data(),
                                           result.data())
                  .value;
    } else if constexpr (is_chain) {
      chain_inverse_dynamics(model, at.q.data(), at.qd.data(), at.third.data(), result.data());
    } else if constexpr (of_forward) {
      AbaWorkspace<Number, Storage> ws;
      prepare(model, ws.joints, {at.q.data(), model.n_q()}, {at.qd.data(), n});
      bias_sweep(model, ws, {at.qd.data(), n}, {});
      release_sweep(model, ws, {at.third.data(), n});
      acceleration_sweep(model, ws, {result.data(), n});
      ratio = regularity(Pivots<Number>{ws.D.data(), n}).pivot_ratio.value;
    } else {
      RneaWorkspace<Number, Storage> ws;
      prepare(model, ws.joints, {at.q.data(), model.n_q()}, {at.qd.data(), n});
      motion_sweep<true>(model, ws, {at.qd.data(), n}, {at.third.data(), n});
      project_wrenches(model, ws, {result.data(), n});
      TORSOR_UNROLL
      for (int k = 0; k < n; ++k) result[k] = result[k] + at.third[k] * model.dof(k).armature;
    }
    bool answered = sound && regular(ratio);
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k) answered = answered && is_finite(result[k].d[0]);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k)
      out[(static_cast<long long>(k) * n + column) * job.count + s] =
          answered ? result[k].d[0] : nan;
    if (!answered && direction == 0) count_one(job);
  }

  /// Of chains: d tau, or with `solved` -M^-1 d tau, which is d qdd where job.third is qdd. out[2], where
  /// wanted, gets M^-1 with `solved`, else M with `with_mass`.
  template <bool solved, bool with_mass, int stride>
  TORSOR_HD TORSOR_INLINE static void chain_slopes_of(const Model& model, const Job& job,
                                                      long long s,
                                                      const ColumnMemory<Real, stride>& columns) {
    if constexpr (is_chain && Model::max_velocities <= 12) {
      constexpr int n = Model::max_velocities;
      const long long count = job.count;
      const auto number = [&](const Real* from, int k) -> Real {
        return from ? from[k * count + s] : Real(0);
      };
      Real *const by_q = job.out[0] + s, *const by_qd = job.out[1] + s;
      constexpr bool mass_too = solved || with_mass;
      // M_rc lies behind the sine and cosine of joint c, where its column was, whose turn is over.
      const auto M_at = [&](int r, int c) -> Real& {
        return c > 0 ? columns.number(c, 2 + r) : columns.number(1, 0);
      };
      bool sound = chain_slopes<mass_too>(
          model, columns, [&](int k) { return number(job.q, k); },
          [&](int k) { return number(job.qd, k); }, [&](int k) { return number(job.third, k); },
          [&](int r, int c, bool down) {
            const long long at = (r * n + c) * count;
            return SlopeCursor<Real>{by_q + at, by_qd + at, down ? n * count : count};
          },
          [&](int r, int c, const Real& x) {
            if constexpr (solved) {
              M_at(r, c) = x;
            } else {
              job.out[2][(r * n + c) * count + s] = x;
              if (r < c) job.out[2][(c * n + r) * count + s] = x;
            }
          });
      if constexpr (solved) {
        Real M[n * (n + 1) / 2];
        TORSOR_UNROLL
        for (int i = 0; i < n; ++i) {
          TORSOR_UNROLL
          for (int j = 0; j <= i; ++j) M[i * (i + 1) / 2 + j] = M_at(j, i);
        }
        sound = sound && regular(factorise_packed<n>(M));
        // Two columns in hand and the next two on their way.
        Real next[2][n];
        const auto fetch = [&](int c) TORSOR_INLINE_LAMBDA {
          TORSOR_UNROLL
          for (int i = 0; i < n; ++i) {
            next[0][i] = by_q[(i * n + c) * count];
            next[1][i] = by_qd[(i * n + c) * count];
          }
        };
        fetch(0);
#ifdef __CUDACC__
#pragma unroll 1
#endif
        for (int c = 0; c < n; ++c) {
          Real y[2][n];
          TORSOR_UNROLL
          for (int i = 0; i < n; ++i) y[0][i] = -next[0][i], y[1][i] = -next[1][i];
          fetch(c + 1 < n ? c + 1 : c);
          solve_packed<n>(M, y[0]);
          solve_packed<n>(M, y[1]);
          TORSOR_UNROLL
          for (int i = 0; i < n; ++i) {
            by_q[(i * n + c) * count] = y[0][i];
            by_qd[(i * n + c) * count] = y[1][i];
          }
        }
        if (job.out[2]) {
          for (int c = 0; c < n; ++c) {
            Real y[n];
            TORSOR_UNROLL
            for (int i = 0; i < n; ++i) y[i] = Real(i == c ? 1 : 0);
            solve_packed<n>(M, y);
            TORSOR_UNROLL
            for (int i = 0; i < n; ++i) job.out[2][(i * n + c) * count + s] = y[i];
          }
        }
      }
      if (!sound) {
        refuse(job, s, n * n, job.out[0]);
        refuse(job, s, n * n, job.out[1]);
        refuse(job, s, n * n, job.out[2]);
        count_one(job);
      }
    }
  }

  template <bool with_rotors>
  TORSOR_HD TORSOR_INLINE static void rollout(const Model& model, const Job& job, long long s) {
    const int n = model.n_v();
    Rollout<Model, Real> run;
    bool sound = load_q(model, job, s, run.q.data());
    load(job, job.qd, s, n, run.qd.data());
    run.run(
        model, job.law, job.count, s,
        [&](const Real* q, const Real* qd, const Real* tau, Real* qdd) {
          sound = sound && regular(forward_of<with_rotors>(model, q, qd, tau, qdd));
        },
        [&](const Real* q, const Real* qd, const Real* qdd, Real* tau) {
          inverse_of(model, q, qd, qdd, tau);
        });
    sound = sound && finite(run.q.data(), model.n_q()) && finite(run.qd.data(), n);
    store(job, run.q.data(), s, model.n_q(), job.out[0]);
    store(job, run.qd.data(), s, n, job.out[1]);
    if (!sound) {
      refuse(job, s, model.n_q(), job.out[0]);
      refuse(job, s, n, job.out[1]);
      count_one(job);
    }
  }
};

}  // namespace torsor::internal::device
