// The sweeps of dynamics in a kernel: a chain of seven hinges whose shape the compiler knows, one state
// per thread. It is compiled, not run: what a device sees needs no header of the host.
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/rnea.hpp"

namespace {

using namespace torsor;

/// A fixed chain of n hinges: plain data for constant memory, topology as constants.
template <int n>
struct HingeChain {
  static constexpr int bodies = n + 1;
  internal::CanonicalBody<double> body[bodies];
  SO3<double> axes[bodies];
  double offsets_of_hinges[n];
  DofConstants<double> dofs[n];
  Vec3<double> g;

  TORSOR_HD static constexpr int n_bodies() { return bodies; }
  TORSOR_HD static constexpr int n_q() { return n; }
  TORSOR_HD static constexpr int n_v() { return n; }
  TORSOR_HD static constexpr int parent(int i) { return i - 1; }
  TORSOR_HD static constexpr int first_q(int i) { return i - 1; }
  TORSOR_HD static constexpr int first_v(int i) { return i - 1; }
  TORSOR_HD static constexpr int n_v(int) { return 1; }
  TORSOR_HD static constexpr bool branching(int) { return false; }
  TORSOR_HD static constexpr internal::JointClass joint_class(int) {
    return internal::JointClass::hinge;
  }
  TORSOR_HD const internal::CanonicalBody<double>& canonical(int i) const { return body[i]; }
  TORSOR_HD const SO3<double>& link_axes(int i) const { return axes[i]; }
  TORSOR_HD double offset(int k) const { return offsets_of_hinges[k]; }
  TORSOR_HD const DofConstants<double>& dof(int k) const { return dofs[k]; }
  TORSOR_HD const Vec3<double>& gravity() const { return g; }
  template <class Function>
  TORSOR_HD void for_each_hinge(Function&& f) const {
    TORSOR_UNROLL
    for (int k = 0; k < n; ++k) f(k);
  }
  template <class Function>
  TORSOR_HD void for_each_not_hinge(Function&&) const {}
};

constexpr int n = 7;
using Chain = HingeChain<n>;
using Storage = internal::FixedStorage<n + 1, n, n>;
static_assert(internal::SweepModel<Chain>);
static_assert(std::is_trivially_copyable_v<Chain>);

/// Numbers of one state, dof-major: number k of all states, then number k + 1.
__device__ void load(const double* from, int states, int state, double* to) {
  for (int k = 0; k < n; ++k) to[k] = from[k * states + state];
}

}  // namespace

__constant__ unsigned char chain_bytes[sizeof(Chain)];

__global__ void inverse_dynamics_kernel(const double* q, const double* qd, const double* qdd,
                                        double* tau, int states) {
  const int s = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s >= states) return;
  const Chain& model = *reinterpret_cast<const Chain*>(chain_bytes);
  double x[n], v[n], a[n], t[n];
  load(q, states, s, x), load(qd, states, s, v), load(qdd, states, s, a);
  RneaWorkspace<double, Storage> ws;
  rigid_inverse_dynamics(model, ws, {x, n}, {v, n}, {a, n}, {}, {t, n});
  for (int k = 0; k < n; ++k) tau[k * states + s] = t[k];
}

__global__ void forward_dynamics_kernel(const double* q, const double* qd, const double* tau,
                                        double* qdd, bool* regular, int states) {
  const int s = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s >= states) return;
  const Chain& model = *reinterpret_cast<const Chain*>(chain_bytes);
  double x[n], v[n], t[n], a[n];
  load(q, states, s, x), load(qd, states, s, v), load(tau, states, s, t);
  AbaWorkspace<double, Storage> ws;
  regular[s] = rigid_forward_dynamics(model, ws, {x, n}, {v, n}, {t, n}, {}, {a, n}).regular;
  for (int k = 0; k < n; ++k) qdd[k * states + s] = a[k];
}
