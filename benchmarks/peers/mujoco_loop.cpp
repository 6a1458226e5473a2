// MuJoCo as a peer (peer_loop.hpp): its own Runge-Kutta steps of order 4, its own inverse dynamics. Not
// part of Torsor: built only where MuJoCo is found.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>

#include "peer_loop.hpp"

namespace torsor {
namespace {

std::string numbers(std::initializer_list<double> x) {
  std::string text;
  for (const double v : x) {
    char word[32];
    std::snprintf(word, sizeof word, "%.17g ", v);
    text += word;
  }
  return "\"" + text + "\"";
}

/// A body with its joint and all that it carries; inertia about the centre of mass.
std::string body(const PeerBody* bodies, int n, int i) {
  const PeerBody& b = bodies[i];
  const double k = b.m == 0 ? 0 : 1 / b.m, x = b.h[0] * k, y = b.h[1] * k, z = b.h[2] * k;
  const double* R = b.R;
  std::string text = "<body pos=" + numbers({b.p[0], b.p[1], b.p[2]}) +
                     " xyaxes=" + numbers({R[0], R[1], R[2], R[3], R[4], R[5]}) +
                     "><joint type=\"" + (b.kind == PeerBody::prismatic ? "slide" : "hinge") +
                     "\" axis=" + numbers({b.axis[0], b.axis[1], b.axis[2]}) + "/>";
  text += "<inertial mass=" + numbers({b.m}) + " pos=" + numbers({x, y, z}) + " fullinertia=" +
          numbers({b.J[0] - b.m * (y * y + z * z), b.J[2] - b.m * (x * x + z * z),
                   b.J[5] - b.m * (x * x + y * y), b.J[1] + b.m * x * y, b.J[3] + b.m * x * z,
                   b.J[4] + b.m * y * z}) +
          "/>";
  for (int child = i + 1; child < n; ++child)
    if (bodies[child].parent == i) text += body(bodies, n, child);
  return text + "</body>";
}

class Mujoco final : public PeerLoop {
 public:
  Mujoco(const PeerBody* bodies, int n, const double* gravity, const PeerTracking& tracking)
      : tracking_(tracking) {
    std::string text = "<mujoco><compiler angle=\"radian\"/><option integrator=\"RK4\" timestep=" +
                       numbers({tracking.step}) +
                       " gravity=" + numbers({gravity[0], gravity[1], gravity[2]}) +
                       "><flag contact=\"disable\" constraint=\"disable\"/></option><worldbody>";
    for (int i = 1; i < n; ++i)
      if (bodies[i].parent == 0) text += body(bodies, n, i);
    text += "</worldbody></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[1000] = "";
    model_ = mj_loadXML("robot.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;
  ~Mujoco() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  const char* name() const override { return "MuJoCo 2.2, RK4"; }

  void run(int steps, double* q) override {
    mj_resetData(model_, data_);
    const int n = model_->nv;
    for (int k = 0; k < n; ++k) data_->qpos[k] = tracking_.offset[k];
    for (int step = 0; step < steps; ++step) {
      const double t = step * tracking_.step;
      for (int k = 0; k < n; ++k) {
        const double w = tracking_.frequency[k], a = tracking_.amplitude[k];
        const double s = std::sin(w * t), c = std::cos(w * t);
        data_->qacc[k] = -a * w * w * s +
                         tracking_.kp * (tracking_.offset[k] + a * s - data_->qpos[k]) +
                         tracking_.kd * (a * w * c - data_->qvel[k]);
        data_->qfrc_applied[k] = 0;
      }
      mj_inverse(model_, data_);
      for (int k = 0; k < n; ++k) data_->qfrc_applied[k] = data_->qfrc_inverse[k];
      mj_step(model_, data_);
    }
    std::copy_n(data_->qpos, n, q);
  }

 private:
  PeerTracking tracking_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) PeerLoop* make_mujoco_loop(
    const PeerBody* bodies, int n_bodies, const double* gravity, const PeerTracking& tracking) {
  return new Mujoco(bodies, n_bodies, gravity, tracking);
}

}  // namespace torsor
