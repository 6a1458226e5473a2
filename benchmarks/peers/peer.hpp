#pragma once
/// Another library behind one small door, so that it is measured in the same run as Torsor.
///
/// A peer is a shared library with a single symbol, `make_<peer>`, compiled apart with the compiler
/// and flags that serve it best (benchmarks/CMakeLists.txt). It keeps its own pool of states,
/// converted once, and its results where its users find them: `call` is what a user of it pays.
/// `read` hands the results over in Torsor's order, to be compared before anything is timed.
///
/// Frames   As in docs/conventions.md: twists and velocities of free joints angular first,
///          quaternions x, y, z, w; matrices by columns, both triangles.

namespace torsor {

/// One body and the joint that carries it; bodies in the model's order, [0] is the world.
struct PeerBody {
  int parent = 0;
  enum Kind { revolute, prismatic, spherical, free } kind = revolute;
  int axis_code = 0;           ///< 1, 2, 3: the axis is x, y, z exactly
  double axis[3]{};            ///< in the joint's frame
  double R[9]{}, p[3]{};       ///< T_parent_joint, R by columns
  double m{}, h[3]{}, J[6]{};  ///< in the body's frame; J: xx, xy, yy, xz, yz, zz about its origin
};

enum class PeerVerb {
  forward_kinematics,  ///< per body: R by columns, p (12)
  jacobian,            ///< of the last body, in its frame (6 x n_v), with its kinematics
  inverse_dynamics,    ///< of x = qdd
  forward_dynamics,    ///< of x = tau
  mass_matrix,
  mass_matrix_inverse,
  coriolis_matrix,
  torque_regressor,              ///< n_v x 10 (n_bodies - 1), of x = qdd
  inverse_dynamics_derivatives,  ///< dtau/dq, dtau/dqd (n_v x n_v each), of x = qdd
  forward_dynamics_derivatives   ///< dqdd/dq, dqdd/dqd, of x = tau
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual const char* name() const = 0;
  virtual void add_state(const double* q, const double* qd, const double* x) = 0;
  /// How many ways the peer has to do it; the fastest counts. 0: it cannot.
  virtual int ways(PeerVerb verb) const = 0;
  virtual void call(PeerVerb verb, int way, int state) = 0;
  /// The results of the last call.
  virtual void read(PeerVerb verb, double* out) const = 0;
};

extern "C" Peer* make_pinocchio(const PeerBody* bodies, int n_bodies, const double* gravity);
extern "C" Peer* make_rbdl(const PeerBody* bodies, int n_bodies, const double* gravity);
/// These answer nullptr for robots that they are not asked for: free and spherical joints, and for
/// KDL branches.
extern "C" Peer* make_kdl(const PeerBody* bodies, int n_bodies, const double* gravity);
extern "C" Peer* make_mujoco(const PeerBody* bodies, int n_bodies, const double* gravity);

}  // namespace torsor
