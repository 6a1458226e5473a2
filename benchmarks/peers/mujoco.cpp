// MuJoCo as a peer (peer.hpp), for trees of hinges and sliders. Not part of Torsor: built only where
// MuJoCo is found. It is asked for the stages of its pipeline that a verb needs, no more.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "peer.hpp"

namespace torsor {
namespace {

std::string numbers(std::initializer_list<double> x) {
  std::string text;
  for (const double v : x) {
    char word[32];
    std::snprintf(word, sizeof word, "%.17g ", v);
    text += word;
  }
  return text;
}

/// The inertia in its principal axes: MuJoCo's own are good to 1e-9. MJCF takes no rotation matrix:
/// two columns give the same frame.
std::string inertial(const PeerBody& b) {
  const Eigen::Vector3d c = Eigen::Map<const Eigen::Vector3d>(b.h) / b.m;
  Eigen::Matrix3d J;
  J << b.J[0], b.J[1], b.J[3], b.J[1], b.J[2], b.J[4], b.J[3], b.J[4], b.J[5];
  J -= b.m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(J);
  const Eigen::Matrix3d& A = principal.eigenvectors();
  const Eigen::Vector3d& moments = principal.eigenvalues();
  return "<inertial pos=\"" + numbers({c.x(), c.y(), c.z()}) + "\" mass=\"" + numbers({b.m}) +
         "\" xyaxes=\"" + numbers({A(0, 0), A(1, 0), A(2, 0), A(0, 1), A(1, 1), A(2, 1)}) +
         "\" diaginertia=\"" + numbers({moments[0], moments[1], moments[2]}) + "\"/>";
}

std::string text_of(const PeerBody* bodies, int n, int i) {
  const PeerBody& b = bodies[i];
  std::string out = "<body pos=\"" + numbers({b.p[0], b.p[1], b.p[2]}) + "\" xyaxes=\"" +
                    numbers({b.R[0], b.R[1], b.R[2], b.R[3], b.R[4], b.R[5]}) +
                    "\"><joint type=\"" + (b.kind == PeerBody::prismatic ? "slide" : "hinge") +
                    "\" axis=\"" + numbers({b.axis[0], b.axis[1], b.axis[2]}) + "\"/>" +
                    inertial(b);
  for (int child = i + 1; child < n; ++child)
    if (bodies[child].parent == i) out += text_of(bodies, n, child);
  return out + "</body>";
}

mjModel* load(const PeerBody* bodies, int n, const double* gravity) {
  std::string text = "<mujoco><compiler angle=\"radian\"/><option gravity=\"" +
                     numbers({gravity[0], gravity[1], gravity[2]}) + "\"/><worldbody>";
  for (int i = 1; i < n; ++i)
    if (bodies[i].parent == 0) text += text_of(bodies, n, i);
  text += "</worldbody></mujoco>";
  char name[] = "/tmp/torsor-peer-XXXXXX.xml";
  const int file = mkstemps(name, 4);
  if (file < 0) return nullptr;
  close(file);
  std::ofstream(name) << text;
  char error[1000] = "";
  mjModel* model = mj_loadXML(name, nullptr, error, sizeof error);
  if (model == nullptr) std::fprintf(stderr, "MuJoCo does not take the robot: %s\n", error);
  unlink(name);
  return model;
}

class Mujoco final : public Peer {
 public:
  explicit Mujoco(mjModel* model)
      : m_(model),
        d_(mj_makeData(model)),
        n_(model->nv),
        out_(static_cast<std::size_t>(n_)),
        M_(static_cast<std::size_t>(n_ * n_)),
        J_(static_cast<std::size_t>(6 * n_)) {}
  ~Mujoco() override {
    mj_deleteData(d_);
    mj_deleteModel(m_);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;
  const char* name() const override { return "MuJoCo 2.2"; }

  void add_state(const double* q, const double* qd, const double* x) override {
    states_.push_back({{q, q + n_}, {qd, qd + n_}, {x, x + n_}});
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
    mju_copy(d_->qpos, s.q.data(), n_);
    mj_kinematics(m_, d_);
    if (verb == PeerVerb::forward_kinematics) return;
    mj_comPos(m_, d_);
    if (verb == PeerVerb::jacobian) {
      mj_jacBody(m_, d_, J_.data() + 3 * n_, J_.data(), m_->nbody - 1);
      return;
    }
    if (verb == PeerVerb::mass_matrix) {
      mj_crb(m_, d_);
      mj_fullM(m_, M_.data(), d_->qM);
      return;
    }
    mju_copy(d_->qvel, s.qd.data(), n_);
    if (verb == PeerVerb::inverse_dynamics) {
      mju_copy(d_->qacc, s.x.data(), n_);
      mj_comVel(m_, d_);
      mj_rne(m_, d_, 1, out_.data());
      return;
    }
    mj_crb(m_, d_);
    mj_factorM(m_, d_);
    mj_comVel(m_, d_);
    mj_rne(m_, d_, 0, out_.data());
    mju_sub(out_.data(), s.x.data(), out_.data(), n_);
    mj_solveM(m_, d_, out_.data(), out_.data(), 1);
  }
  void read(PeerVerb verb, double* out) const override {
    if (verb == PeerVerb::forward_kinematics) {
      for (int i = 1; i < m_->nbody; ++i) {
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) *out++ = d_->xmat[9 * i + 3 * r + c];
        for (int r = 0; r < 3; ++r) *out++ = d_->xpos[3 * i + r];
      }
    } else if (verb == PeerVerb::jacobian) {  // by rows, in the world's axes
      const double* R = d_->xmat + 9 * (m_->nbody - 1);
      for (int k = 0; k < n_; ++k)
        for (int half = 0; half < 2; ++half)
          for (int r = 0; r < 3; ++r) {
            double sum = 0;
            for (int c = 0; c < 3; ++c)
              sum += R[3 * c + r] * J_[static_cast<std::size_t>((3 * half + c) * n_ + k)];
            *out++ = sum;
          }
    } else if (verb == PeerVerb::mass_matrix) {
      for (const double x : M_) *out++ = x;
    } else {
      for (const double x : out_) *out++ = x;
    }
  }

 private:
  struct State {
    std::vector<double> q, qd, x;
  };

  mjModel* m_;
  mjData* d_;
  int n_;
  std::vector<State> states_;
  std::vector<double> out_, M_, J_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Peer* make_mujoco(const PeerBody* bodies, int n,
                                                                    const double* gravity) {
  for (int i = 1; i < n; ++i)
    if (!(bodies[i].m > 0) || bodies[i].kind == PeerBody::free ||
        bodies[i].kind == PeerBody::spherical)
      return nullptr;
  mjModel* model = load(bodies, n, gravity);
  return model == nullptr ? nullptr : new Mujoco(model);
}

}  // namespace torsor
