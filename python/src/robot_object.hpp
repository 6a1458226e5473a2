#pragma once
/// torsor.Robot: one immutable model, and a C++ Robot (its workspaces) for each thread that calls.
#include <memory>
#include <thread>
#include <unordered_map>

#include "arrays.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/robot.hpp"

namespace torsor::python {

class PyRobot {
 public:
  explicit PyRobot(Robot robot, std::string source = "")
      : robot_(std::move(robot)), source_(std::move(source)) {}
  PyRobot(const PyRobot& other)
      : findings(other.findings), robot_(other.robot_), source_(other.source_) {}
  PyRobot& operator=(const PyRobot&) = delete;

  /// The robot of the calling thread, which holds the GIL now and may let it go while it works.
  Robot& here() {
    const std::thread::id thread = std::this_thread::get_id();
    if (thread == owner_) return robot_;
    std::unique_ptr<Robot>& mine = scratch_[thread].robot;
    if (!mine) mine = std::make_unique<Robot>(robot_);
    return *mine;
  }
  /// The same for many states. It is shared: the handler of a signal may ask for other threads
  /// while a call goes on.
  template <class Real>
  std::shared_ptr<Batch<Real>> batch(int threads) {
    Scratch& mine = scratch_[std::this_thread::get_id()];
    if (mine.threads != threads) mine.doubles.reset(), mine.floats.reset();
    mine.threads = threads;
    auto& wanted = [&]() -> std::shared_ptr<Batch<Real>>& {
      if constexpr (std::is_same_v<Real, float>)
        return mine.floats;
      else
        return mine.doubles;
    }();
    if (!wanted) wanted = std::make_shared<Batch<Real>>(model(), BatchOptions{threads});
    return wanted;
  }
  const Robot& robot() const { return robot_; }
  const Model<double>& model() const { return robot_.model(); }
  int n_q() const { return robot_.n_q(); }
  int n_v() const { return robot_.n_v(); }
  int n_constraints() const { return n_constraints_; }
  /// Of one from a pickle: what was said of its file; else null, and the robot knows.
  py::object findings{};
  /// The file or name that it was made from; empty where it was made otherwise.
  const std::string& source() const { return source_; }

 private:
  Robot robot_;
  std::string source_;
  int n_constraints_ = robot_.n_constraints();  // counted once: it walks through all loops
  std::thread::id owner_ = std::this_thread::get_id();
  struct Scratch {
    std::unique_ptr<Robot> robot;  // of threads other than the owner
    std::shared_ptr<Batch<double>> doubles;
    std::shared_ptr<Batch<float>> floats;
    int threads = 0;
  };
  std::unordered_map<std::thread::id, Scratch> scratch_;
};

/// What an argument of Python stands for. They throw Error.
FrameArgument read_frame(const char* what, py::handle value);
JointArgument read_joint(py::handle value);
JointSet read_joints(py::handle value);  ///< null or None: none
Robot::Pose read_pose(const char* what, py::handle value);
Robot::Wrenches read_wrenches(py::handle value);  ///< {frame: six numbers}; null or None: none
Effects read_effects(py::handle value);           ///< null or None: all
Reference read_reference(py::handle value);       ///< null: body
/// The place of a word in a list; Error with the words.
int read_word(const char* what, py::handle value, const std::vector<std::string>& words);
std::string text_of(Reference reference);

py::object new_robot(Robot robot);
PyRobot& robot_of(py::handle value);

}  // namespace torsor::python
