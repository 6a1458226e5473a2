// Orocos KDL as a peer (peer.hpp), for chains of hinges and sliders. Not part of Torsor: built only
// where KDL is found.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <memory>
#include <vector>

#include "peer.hpp"

namespace torsor {
namespace {

using namespace KDL;

Vector vector(const double* x) { return {x[0], x[1], x[2]}; }

/// One segment for each body: its joint stands at the start, the body's frame at the end.
Chain chain_of(const PeerBody* bodies, int n) {
  Chain chain;
  for (int i = 1; i < n; ++i) {
    const PeerBody& b = bodies[i];
    const double* R = b.R;
    const Frame placement(Rotation(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]),
                          vector(b.p));
    const Joint joint(vector(b.p), placement.M * vector(b.axis),
                      b.kind == PeerBody::prismatic ? Joint::TransAxis : Joint::RotAxis);
    const double k = b.m == 0 ? 0 : 1 / b.m, x = b.h[0] * k, y = b.h[1] * k, z = b.h[2] * k;
    const RotationalInertia about_com(b.J[0] - b.m * (y * y + z * z),
                                      b.J[2] - b.m * (x * x + z * z),
                                      b.J[5] - b.m * (x * x + y * y), b.J[1] + b.m * x * y,
                                      b.J[3] + b.m * x * z, b.J[4] + b.m * y * z);
    chain.addSegment(Segment(joint, placement, RigidBodyInertia(b.m, Vector(x, y, z), about_com)));
  }
  return chain;
}

class Kdl final : public Peer {
 public:
  Kdl(const PeerBody* bodies, int n, const double* gravity)
      : chain_(chain_of(bodies, n)),
        n_(static_cast<unsigned>(n - 1)),
        poses_(chain_),
        jacobian_(chain_),
        inverse_(chain_, vector(gravity)),
        forward_(chain_, vector(gravity)),
        dynamics_(chain_, vector(gravity)),
        none_(n_),
        frames_(n_),
        J_(n_),
        M_(static_cast<int>(n_)),
        out_(n_) {}
  const char* name() const override { return "KDL 1.5"; }

  void add_state(const double* q, const double* qd, const double* x) override {
    State s{JntArray(n_), JntArray(n_), JntArray(n_)};
    for (unsigned k = 0; k < n_; ++k) s.q(k) = q[k], s.qd(k) = qd[k], s.x(k) = x[k];
    states_.push_back(s);
  }
  int ways(PeerVerb verb) const override {
    switch (verb) {
      case PeerVerb::forward_kinematics:
      case PeerVerb::jacobian:
      case PeerVerb::inverse_dynamics:
      case PeerVerb::forward_dynamics:
      case PeerVerb::mass_matrix:
        return 1;
      default:
        return 0;
    }
  }
  void call(PeerVerb verb, int, int state) override {
    const State& s = states_[static_cast<std::size_t>(state)];
    switch (verb) {
      case PeerVerb::forward_kinematics:
        poses_.JntToCart(s.q, frames_);
        break;
      case PeerVerb::jacobian:
        jacobian_.JntToJac(s.q, J_);
        poses_.JntToCart(s.q, tip_);
        break;
      case PeerVerb::inverse_dynamics:
        inverse_.CartToJnt(s.q, s.qd, s.x, none_, out_);
        break;
      case PeerVerb::forward_dynamics:
        forward_.CartToJnt(s.q, s.qd, s.x, none_, out_);
        break;
      default:
        dynamics_.JntToMass(s.q, M_);
    }
  }
  void read(PeerVerb verb, double* out) const override {
    if (verb == PeerVerb::forward_kinematics) {
      for (const Frame& T : frames_) {
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) *out++ = T.M(r, c);
        for (int r = 0; r < 3; ++r) *out++ = T.p(r);
      }
    } else if (verb == PeerVerb::jacobian) {  // linear first, in the base's axes at the tip
      for (unsigned k = 0; k < n_; ++k) {
        const Twist local = tip_.M.Inverse() * J_.getColumn(k);
        for (int r = 0; r < 3; ++r) *out++ = local.rot(r);
        for (int r = 0; r < 3; ++r) *out++ = local.vel(r);
      }
    } else if (verb == PeerVerb::mass_matrix) {
      for (unsigned c = 0; c < n_; ++c)
        for (unsigned r = 0; r < n_; ++r) *out++ = M_(r, c);
    } else {
      for (unsigned k = 0; k < n_; ++k) *out++ = out_(k);
    }
  }

 private:
  struct State {
    JntArray q, qd, x;
  };

  Chain chain_;
  unsigned n_;
  ChainFkSolverPos_recursive poses_;
  ChainJntToJacSolver jacobian_;
  ChainIdSolver_RNE inverse_;
  ChainFdSolver_RNE forward_;
  ChainDynParam dynamics_;
  Wrenches none_;
  std::vector<State> states_;
  std::vector<Frame> frames_;
  Frame tip_;
  Jacobian J_;
  JntSpaceInertiaMatrix M_;
  JntArray out_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Peer* make_kdl(const PeerBody* bodies, int n,
                                                                 const double* gravity) {
  for (int i = 1; i < n; ++i)
    if (bodies[i].parent != i - 1 || bodies[i].kind == PeerBody::free ||
        bodies[i].kind == PeerBody::spherical)
      return nullptr;
  return new Kdl(bodies, n, gravity);
}

}  // namespace torsor
