#pragma once
/// Verbs of one state for one state or many: the only place that knows the difference.
///
/// One state, (n,): the verb runs at once on the calling thread's Robot. Many, (N, n): the GIL is
/// let go; verbs that the batch room has go there, in float32 where every vector is, and the states
/// of others are shared out to threads, each with its own workspaces; answers have N in front.
/// Vectors with one axis beside others with two count for all states.
#include <initializer_list>
#include <type_traits>

#include "robot_object.hpp"

namespace torsor::python {

/// A vector argument of a verb.
struct StateArgument {
  const char* name;
  py::handle value;
};

/// A reference to something that can be called for one state; it outlives the call that it is
/// given to.
class Kernel {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, Kernel>) Kernel(const Function& function)
      : object_(&function),
        call_([](const void* object, Robot& robot, const Row* in, double* const* out) {
          (*static_cast<const Function*>(object))(robot, in, out);
        }) {}
  void operator()(Robot& robot, const Row* in, double* const* out) const {
    call_(object_, robot, in, out);
  }

 private:
  const void* object_;
  void (*call_)(const void*, Robot&, const Row*, double* const*);
};

/// A verb of the batch room: a generic function (Batch<Real>&, const StatesView<const Real>* in,
/// const StatesView<Real>* out) that returns how many states have no answer. It outlives the call.
class BatchVerb {
 public:
  BatchVerb() = default;  ///< there is none
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, BatchVerb>)
      BatchVerb(const Function& function)
      : object_(&function), doubles_(&call<Function, double>), floats_(&call<Function, float>) {}
  explicit operator bool() const { return object_ != nullptr; }
  std::int64_t operator()(Batch<double>& batch, const StatesView<const double>* in,
                          const StatesView<double>* out) const {
    return doubles_(object_, batch, in, out);
  }
  std::int64_t operator()(Batch<float>& batch, const StatesView<const float>* in,
                          const StatesView<float>* out) const {
    return floats_(object_, batch, in, out);
  }

 private:
  template <class Function, class Real>
  static std::int64_t call(const void* object, Batch<Real>& batch, const StatesView<const Real>* in,
                           const StatesView<Real>* out) {
    return (*static_cast<const Function*>(object))(batch, in, out);
  }
  const void* object_ = nullptr;
  std::int64_t (*doubles_)(const void*, Batch<double>&, const StatesView<const double>*,
                           const StatesView<double>*) = nullptr;
  std::int64_t (*floats_)(const void*, Batch<float>&, const StatesView<const float>*,
                          const StatesView<float>*) = nullptr;
};

/// What the numbers of an answer stand for.
enum class As : unsigned char { number, flag, whole };
/// One answer: an array of numbers, truths or whole numbers, or one of them.
struct Answer {
  Shape shape{};
  As as = As::number;
};

/// The answer as an array (or number), written to `out` where that is given.
py::object map_states(PyRobot& self, std::initializer_list<StateArgument> arguments,
                      const Shape& shape, py::handle out, const Kernel& kernel,
                      const BatchVerb& batch = {});
/// Several answers, as fields of the named tuple torsor.results.<name>.
py::object map_states(PyRobot& self, std::initializer_list<StateArgument> arguments,
                      std::initializer_list<Answer> answers, const char* name, const Kernel& kernel,
                      const BatchVerb& batch = {});

/// Scratch for a matrix by columns, of the calling thread.
Eigen::MatrixXd& scratch(int rows, int cols);

/// A number of threads; throws Error for one below 0.
int read_threads(py::handle value);
/// How many threads many states are shared out to; 0: all cores.
int state_threads();
void set_state_threads(int threads);
/// For benchmarks: without the batch room many states go one by one, as one does.
void use_batch(bool wanted);

}  // namespace torsor::python
