#ifdef TORSOR_HAS_CUDA

#include <cstdio>
#include <utility>
#include <vector>

#include "compile.hpp"
#include "device_job.hpp"
#include "device_parts.hpp"
#include "model_bytes.hpp"
#include "torsor/batch/device.hpp"

namespace torsor {

namespace {

using internal::check_driver;

/// A module with kernels of one part.
struct Kernels {
  CUmodule module = nullptr;
  std::string origin;
  bool tried = false;
};

}  // namespace

template <class Real>
struct DeviceBatch<Real>::Parts {
  using Job = internal::DeviceJob<Real>;

  std::shared_ptr<internal::StreamParts> stream;
  Model<double> model;
  DeviceOptions options;
  int chain = 0;  ///< hinges, where it is a chain that has kernels of its own
  bool rotors = false, right = false;
  Kernels parts[2];  ///< sweeps; the larger ones
  std::vector<std::byte> bytes;
  internal::RolledBytes rolled;
  std::unique_ptr<internal::ArrayParts> rolled_at, counter, gains;
  std::vector<std::unique_ptr<internal::ArrayParts>> scratch;  ///< those of captured calls stay
  std::size_t scratch_bytes = 0;

  Parts(const DeviceStream& in, const Model<double>& robot, DeviceOptions given)
      : stream(in.parts()), model(robot), options(std::move(given)) {
    internal::check_for_device(model);
    chain = internal::hinges_of_chain(model);
    if (chain > internal::longest_chain) chain = 0;
    right = internal::right_angles(model);
    for (int k = 0; k < model.n_v(); ++k) rotors = rotors || model.dof(k).armature != 0;
    if (!options.say)
      options.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    counter = memory(sizeof(unsigned long long));
    gains = memory(2 * sizeof(Real) * static_cast<std::size_t>(model.n_v()));
    check_driver(
        driver().cuMemsetD8Async(counter->at, 0, sizeof(unsigned long long), stream->stream),
        "memory");
  }
  ~Parts() {
    driver().cuCtxSetCurrent(stream->device->context);
    driver().cuStreamSynchronize(stream->stream);
    for (Kernels& part : parts)
      if (part.module) driver().cuModuleUnload(part.module);
  }
  const internal::Driver& driver() const { return stream->driver(); }
  std::unique_ptr<internal::ArrayParts> memory(std::size_t size) const {
    return std::make_unique<internal::ArrayParts>(stream->device, stream, size);
  }

  /// Loads code, and the robot into its memory; false where the driver refuses the code.
  bool load(Kernels& part, const void* code, bool reads_memory) {
    CUmodule module = nullptr;
    if (driver().cuModuleLoadData(&module, code) != CUDA_SUCCESS) return false;
    CUdeviceptr at = 0;
    std::size_t size = 0;
    check_driver(driver().cuModuleGetGlobal(&at, &size, module, "torsor_model"), "kernels");
    const auto put = [&](CUdeviceptr to, const void* from, std::size_t bytes_of) {
      check_driver(driver().cuMemcpyHtoDAsync(to, from, bytes_of, stream->stream), "upload");
      stream->wait();
    };
    if (reads_memory) {
      if (!rolled_at) {
        rolled = internal::rolled_bytes<Real>(model);
        rolled_at = memory(rolled.bytes.size());
        put(rolled_at->at, rolled.bytes.data(), rolled.bytes.size());
      }
      const auto view = internal::rolled_model<Real>(
          model, rolled, reinterpret_cast<const std::byte*>(rolled_at->at));
      if (size != sizeof view) throw Error("device: kernels of another version");
      put(at, &view, sizeof view);
    } else {
      bytes = internal::model_bytes<Real>(model);
      if (size != bytes.size()) throw Error("device: kernels of another version");
      put(at, bytes.data(), bytes.size());
    }
    part.module = module;
    return true;
  }

  CUmodule module_of(int which) {
    if (chain > 0 && parts[0].module) which = 0;  // chains that were compiled ahead are one program
    Kernels& part = parts[which];
    if (part.module) return part.module;
    stream->device->use();
    const std::string number = sizeof(Real) == 8 ? "double" : "float";
    if (chain > 0) {
      const std::string_view code = internal::kernels_ahead("chain" + std::to_string(chain) +
                                                            (right ? "_right_" : "_") + number);
      if (!code.empty() && load(parts[0], code.data(), false)) {
        parts[0].origin = "compiled ahead for chains of " + std::to_string(chain) + " hinges" +
                          (right ? " at right angles" : "");
        return parts[0].module;
      }
    }
    std::string why = "not asked to compile";
    if (options.compile) {
      const internal::KernelPlan plan = internal::plan_kernels<Real>(model, which);
      const internal::KernelRequest request{internal::shape_text<Real>(model),
                                            plan.flags,
                                            stream->device->architecture,
                                            options.cache,
                                            model.name(),
                                            options.say};
      for (int attempt = 0; attempt < 2; ++attempt) {
        const internal::KernelCode code = internal::compile_kernels(request);
        if (code.bytes.empty()) {
          why = code.origin;
          break;
        }
        if (load(part, code.bytes.data(), plan.rolled)) {
          part.origin = code.origin + (plan.rolled ? "; loops over bodies stay loops" : "");
          return part.module;
        }
        internal::forget_kernels(request);
        why = "the driver refuses what was compiled";
      }
    }
    const std::string_view code = internal::kernels_ahead("any_" + number);
    if (code.empty())
      throw Error("device: no kernels for " + model.name() + ": " + why +
                  ", and none were compiled ahead");
    if (!internal::fits_rolled(model))
      throw Error("device: " + model.name() + " has " + std::to_string(model.n_v()) +
                  " velocities, more than the kernels for any robot take; " + why);
    if (!load(part, code.data(), true))
      throw Error("device: the driver refuses the kernels for " + stream->device->architecture);
    part.origin = "the rolled ones for any robot (" + why + ")";
    options.say("device: " + model.name() + " takes the slow kernels for any robot: " + why);
    return part.module;
  }

  /// Bounds::threads of program.cu.
  int threads() const { return chain > 0 ? 64 : 128; }
  CUfunction function(int part, const char* name) {
    CUfunction found = nullptr;
    check_driver(driver().cuModuleGetFunction(&found, module_of(part), name), name);
    return found;
  }

  void launch(CUfunction kernel, Job job, int threads, std::size_t shared, int rows = 1,
              bool in_turn = false) {
    if (job.count == 0) return;
    stream->device->use();
    if (shared > 48 * 1024)
      check_driver(
          driver().cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(shared)),
          "shared memory");
    long long blocks = (job.count + threads - 1) / threads;
    if (in_turn) {
      int held = 0;
      check_driver(
          driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&held, kernel, threads, shared),
          "kernels");
      blocks = std::min<long long>(
          blocks, static_cast<long long>(std::max(held, 1)) * stream->device->processors);
    }
    if (blocks > 2147483647LL) throw Error("device: too many states for one call");
    void* arguments[] = {&job};
    check_driver(
        driver().cuLaunchKernel(kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(rows),
                                1, static_cast<unsigned>(threads), 1, 1,
                                static_cast<unsigned>(shared), stream->stream, arguments, nullptr),
        "launch");
  }

  void check(const char* name, const DeviceArray<Real>& array, std::int64_t count, int width,
             bool may_be_empty) const {
    if (array.empty() && may_be_empty) return;
    if (array.empty()) throw Error(std::string(name) + ": is empty");
    if (array.width() != width)
      throw Error(std::string(name) + ": has " + std::to_string(array.width()) +
                  " numbers for each state instead of " + std::to_string(width));
    if (array.count() != count)
      throw Error(std::string(name) + ": has " + std::to_string(array.count()) + " states, q has " +
                  std::to_string(count));
  }
  Job job(const DeviceArray<Real>& q) const {
    check("q", q, q.count(), model.n_q(), false);
    Job made{};
    made.count = q.count();
    made.q = q.data();
    made.unanswered = reinterpret_cast<unsigned long long*>(counter->at);
    return made;
  }
  Job job(const DeviceArray<Real>& q, const DeviceArray<Real>& qd, const DeviceArray<Real>& third,
          const char* third_name) const {
    Job made = job(q);
    check("qd", qd, q.count(), model.n_v(), true);
    check(third_name, third, q.count(), model.n_v(), true);
    made.qd = qd.data(), made.third = third.data();
    return made;
  }
  /// Full or packed, by the width.
  Job matrix_job(const DeviceArray<Real>& q, const char* name, const DeviceArray<Real>& M) const {
    const int n = model.n_v(), packed = n * (n + 1) / 2;
    Job made = job(q);
    made.packed = M.width() == packed && n > 1;
    check(name, M, q.count(), made.packed ? packed : n * n, false);
    made.out[0] = M.data();
    return made;
  }

  void forward(const Job& made) {
    if (chain == 0) return launch(function(0, "torsor_forward"), made, 128, 0);
    // Few states on as many processors as there are; else as program.cu is bounded.
    const bool many = made.count >= 256LL * stream->device->processors;
    const int threads = !many ? 64 : sizeof(Real) == 8 ? 256 : 128;
    launch(function(0, rotors ? "torsor_forward_rotors" : "torsor_forward"), made, threads,
           6 * static_cast<std::size_t>(chain) * sizeof(Real) * static_cast<std::size_t>(threads),
           1, true);
  }
  Real* scratch_of(std::size_t numbers) {
    if (numbers * sizeof(Real) > scratch_bytes) {
      scratch.push_back(memory(numbers * sizeof(Real)));
      scratch_bytes = numbers * sizeof(Real);
    }
    return reinterpret_cast<Real*>(scratch.back()->at);
  }
  /// Directions side by side pay where states alone leave processors idle.
  bool few(std::int64_t count) const {
    return count <= 64LL * stream->device->processors / std::max(1, model.n_v());
  }
  void slopes(Job made, bool of_forward) {
    const int n = model.n_v();
    if (chain > 0 && !few(made.count)) {
      constexpr int threads = 64;
      const auto shared =
          static_cast<std::size_t>(internal::slope_numbers(n)) * sizeof(Real) * threads;
      if (of_forward) {
        Job first = made;
        first.out[0] =
            scratch_of(static_cast<std::size_t>(made.count) * static_cast<std::size_t>(n));
        forward(first);
        made.third = first.out[0];
      }
      return launch(function(0, of_forward    ? "torsor_forward_slopes"
                                : made.out[2] ? "torsor_inverse_slopes_and_mass"
                                              : "torsor_inverse_slopes"),
                    made, threads, shared);
    }
    launch(function(1, of_forward ? "torsor_forward_along" : "torsor_inverse_along"), made, 64, 0,
           (made.out[2] ? 3 : 2) * n);
  }
};

template <class Real>
DeviceBatch<Real>::DeviceBatch(const DeviceStream& stream, const Model<double>& model,
                               DeviceOptions options)
    : parts_(std::make_unique<Parts>(stream, model, std::move(options))) {
  parts_->module_of(0);
}
template <class Real>
DeviceBatch<Real>::~DeviceBatch() = default;
template <class Real>
DeviceBatch<Real>::DeviceBatch(DeviceBatch&&) noexcept = default;
template <class Real>
DeviceBatch<Real>& DeviceBatch<Real>::operator=(DeviceBatch&&) noexcept = default;

template <class Real>
std::string DeviceBatch<Real>::kernels() const {
  std::string text = parts_->parts[0].origin;
  if (!parts_->parts[1].origin.empty()) text += "; " + parts_->parts[1].origin;
  return text;
}

template <class Real>
void DeviceBatch<Real>::rigid_inverse_dynamics(const Array& q, const Array& qd, const Array& qdd,
                                               Array& tau) {
  auto job = parts_->job(q, qd, qdd, "qdd");
  parts_->check("tau", tau, q.count(), parts_->model.n_v(), false);
  job.out[0] = tau.data();
  parts_->launch(parts_->function(0, "torsor_inverse"), job, parts_->threads(), 0);
}
template <class Real>
void DeviceBatch<Real>::rigid_forward_dynamics(const Array& q, const Array& qd, const Array& tau,
                                               Array& qdd) {
  auto job = parts_->job(q, qd, tau, "tau");
  parts_->check("qdd", qdd, q.count(), parts_->model.n_v(), false);
  job.out[0] = qdd.data();
  parts_->forward(job);
}
template <class Real>
void DeviceBatch<Real>::mass_matrix(const Array& q, Array& M) {
  parts_->launch(parts_->function(0, "torsor_mass"), parts_->matrix_job(q, "M", M),
                 parts_->threads(), 0);
}
template <class Real>
void DeviceBatch<Real>::mass_matrix_inverse(const Array& q, Array& inverse) {
  parts_->launch(parts_->function(1, "torsor_mass_inverse"), parts_->matrix_job(q, "M^-1", inverse),
                 128, 0);
}
template <class Real>
void DeviceBatch<Real>::body_poses(const Array& q, Array& T) {
  auto job = parts_->job(q);
  parts_->check("T", T, q.count(), 16 * parts_->model.n_bodies(), false);
  job.out[0] = T.data();
  parts_->launch(parts_->function(0, "torsor_poses"), job, parts_->threads(), 0);
}
template <class Real>
void DeviceBatch<Real>::rigid_inverse_dynamics_derivatives(const Array& q, const Array& qd,
                                                           const Array& qdd, Array& dtau_dq,
                                                           Array& dtau_dqd, Array* dtau_dqdd) {
  auto job = parts_->job(q, qd, qdd, "qdd");
  const int square = parts_->model.n_v() * parts_->model.n_v();
  parts_->check("dtau_dq", dtau_dq, q.count(), square, false);
  parts_->check("dtau_dqd", dtau_dqd, q.count(), square, false);
  if (dtau_dqdd) parts_->check("dtau_dqdd", *dtau_dqdd, q.count(), square, false);
  job.out[0] = dtau_dq.data(), job.out[1] = dtau_dqd.data();
  job.out[2] = dtau_dqdd ? dtau_dqdd->data() : nullptr;
  parts_->slopes(job, false);
}
template <class Real>
void DeviceBatch<Real>::rigid_forward_dynamics_derivatives(const Array& q, const Array& qd,
                                                           const Array& tau, Array& dqdd_dq,
                                                           Array& dqdd_dqd, Array* dqdd_dtau) {
  auto job = parts_->job(q, qd, tau, "tau");
  const int square = parts_->model.n_v() * parts_->model.n_v();
  parts_->check("dqdd_dq", dqdd_dq, q.count(), square, false);
  parts_->check("dqdd_dqd", dqdd_dqd, q.count(), square, false);
  if (dqdd_dtau) parts_->check("dqdd_dtau", *dqdd_dtau, q.count(), square, false);
  job.out[0] = dqdd_dq.data(), job.out[1] = dqdd_dqd.data();
  job.out[2] = dqdd_dtau ? dqdd_dtau->data() : nullptr;
  parts_->slopes(job, true);
}
template <class Real>
void DeviceBatch<Real>::rollout(Array& q, Array& qd, const DeviceRollout<Real>& how) {
  auto& p = *parts_;
  const auto n = static_cast<std::size_t>(p.model.n_v());
  auto job = p.job(q);
  p.check("qd", qd, q.count(), p.model.n_v(), false);
  if (!how.from || !how.goal) throw Error("rollout: needs `from` and `goal`");
  p.check("from", *how.from, q.count(), p.model.n_q(), false);
  p.check("goal", *how.goal, q.count(), p.model.n_q(), false);
  if (how.kp.size() != n || how.kd.size() != n)
    throw Error("rollout: kp and kd have " + std::to_string(how.kp.size()) + " and " +
                std::to_string(how.kd.size()) + " numbers instead of " + std::to_string(n));
  if (!(how.step > 0) || how.steps < 0 || how.substeps < 1)
    throw Error("rollout: steps of " + std::to_string(how.step) + " s, " +
                std::to_string(how.steps) + " of them in " + std::to_string(how.substeps) +
                " parts");
  std::vector<Real> gains;
  for (const auto* list : {&how.kp, &how.kd})
    for (const double gain : *list) gains.push_back(static_cast<Real>(gain));
  p.stream->device->use();
  // From pageable memory: the driver has its own copy when this returns.
  check_driver(p.driver().cuMemcpyHtoDAsync(p.gains->at, gains.data(), gains.size() * sizeof(Real),
                                            p.stream->stream),
               "upload");
  job.qd = qd.data();
  job.out[0] = q.data(), job.out[1] = qd.data();
  const Real* const at = reinterpret_cast<const Real*>(p.gains->at);
  job.law = {how.from->data(),
             how.goal->data(),
             at,
             at + n,
             static_cast<Real>(how.duration),
             static_cast<Real>(how.time),
             static_cast<Real>(how.step),
             how.steps,
             how.substeps,
             how.law == DeviceRollout<Real>::Law::computed_torque,
             how.gravity};
  p.launch(p.function(1, "torsor_rollout"), job, 128, 0);
}
template <class Real>
std::int64_t DeviceBatch<Real>::unanswered() {
  auto& p = *parts_;
  unsigned long long count = 0;
  p.stream->device->use();
  check_driver(p.driver().cuMemcpyDtoHAsync(&count, p.counter->at, sizeof count, p.stream->stream),
               "download");
  check_driver(p.driver().cuMemsetD8Async(p.counter->at, 0, sizeof count, p.stream->stream),
               "memory");
  p.stream->wait();
  return static_cast<std::int64_t>(count);
}

template class DeviceBatch<double>;
template class DeviceBatch<float>;

}  // namespace torsor

#endif
