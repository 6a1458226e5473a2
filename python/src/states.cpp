#include "states.hpp"

#include <numeric>

#include "errors.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor::python {
namespace {

constexpr int max_inputs = 6, max_answers = 16;
constexpr py::ssize_t chunk = 128;

int threads_wanted = 0;
bool batch_wanted = true;

struct Call {
  std::array<Rows, max_inputs> in;
  int n_in = 0;
  py::ssize_t states = -1;
  bool single = true;  // every vector is of float32

  explicit Call(std::initializer_list<StateArgument> arguments) {
    const char* first = nullptr;  // that said how many states there are
    for (const StateArgument& argument : arguments) {
      Rows& rows = in[static_cast<std::size_t>(n_in++)];
      rows = read_rows_as_given(argument.name, argument.value);
      single = single && rows.single;
      if (rows.count < 0) continue;
      if (states >= 0 && rows.count != states)
        throw Error(std::string(argument.name) + " has " + std::to_string(rows.count) +
                    " states, but " + first + " has " + std::to_string(states));
      states = rows.count;
      if (!first) first = argument.name;
    }
  }
  void widen() {
    for (int k = 0; k < n_in; ++k) in[static_cast<std::size_t>(k)].widen();
  }
};

void check_widths(const PyRobot& self, const Call& call,
                  std::initializer_list<StateArgument> arguments) {
  std::size_t k = 0;
  for (const StateArgument& argument : arguments) {
    const std::string name = argument.name;
    const int expected = name[0] == 'q' && (name == "q" || name == "q0" || name == "q1")
                             ? self.n_q()
                             : self.n_v(),
              size = call.in[k++].size;
    if (size != expected)
      throw Error("robot \"" + self.robot().name() + "\": " + name + " has " +
                  std::to_string(size) + " numbers, expected " + std::to_string(expected));
  }
}

struct Places {
  std::array<double*, max_answers> data{};
  std::array<int, max_answers> size{};
  int count = 0;
};

void run_chunk(Robot& robot, const Call& call, const Places& places, const Kernel& kernel,
               py::ssize_t begin, py::ssize_t end) {
  std::array<Row, max_inputs> rows;
  std::array<double*, max_answers> out{};
  for (py::ssize_t k = begin; k < end; ++k) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(call.n_in); ++i)
      rows[i] = call.in[i].count < 0 ? call.in[i][0] : call.in[i][k];
    for (std::size_t i = 0; i < static_cast<std::size_t>(places.count); ++i)
      out[i] = places.data[i] + k * places.size[i];
    try {
      kernel(robot, rows.data(), out.data());
    } catch (const Error& e) {
      throw Error("state " + std::to_string(k) + ": " + e.what());
    }
  }
}

void run_many(PyRobot& self, const Call& call, const Places& places, const Kernel& kernel) {
  Robot& mine = self.here();
  Interrupt interrupt;
  {
    const py::gil_scoped_release release;
    const int chunks = static_cast<int>((call.states + chunk - 1) / chunk);
    const int workers = torsor::internal::worker_count(chunks, threads_wanted);
    std::vector<std::unique_ptr<Robot>> others(static_cast<std::size_t>(workers));
    torsor::internal::parallel_for(chunks, {.threads = threads_wanted}, [&](int index, int worker) {
      if (!interrupt.go_on()) return;
      Robot* robot = &mine;
      if (workers > 1) {
        std::unique_ptr<Robot>& own = others[static_cast<std::size_t>(worker)];
        if (!own) own = std::make_unique<Robot>(mine);
        robot = own.get();
      }
      const py::ssize_t begin = index * chunk;
      run_chunk(*robot, call, places, kernel, begin, std::min(begin + chunk, call.states));
    });
  }
  interrupt.rethrow();
}

// "q[17]: ..." of a part of the states as the caller counts them.
std::string counted_from(const std::string& message, py::ssize_t first) {
  const auto open = message.find('['), close = message.find("]: ");
  if (first == 0 || open == std::string::npos || close == std::string::npos || close < open)
    return message;
  const long long k = std::atoll(message.c_str() + open + 1);
  return message.substr(0, open + 1) + std::to_string(k + first) + message.substr(close);
}

// Parts are long enough for lanes and threads, and short enough for Ctrl-C.
constexpr py::ssize_t part = 1 << 16;

template <class Real>
void run_batch(PyRobot& self, const Call& call, const BatchVerb& verb,
               const std::vector<py::object>& fields, std::initializer_list<Answer> answers) {
  std::array<StatesView<const Real>, max_inputs> in;
  std::array<StatesView<Real>, max_answers> out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.n_in); ++i) {
    const Rows& rows = call.in[i];
    if constexpr (std::is_same_v<Real, float>)
      in[i] = {rows.floats, call.states, rows.size, rows.count < 0 ? 0 : rows.float_stride, 1};
    else
      in[i] = {rows.data, call.states, rows.size, rows.count < 0 ? 0 : rows.stride, 1};
  }
  std::size_t k = 0;
  for (const Answer& answer : answers) {
    Real* data = reinterpret_cast<Real*>(data_of(fields[k]));
    const int width = answer.shape.size();
    out[k++] = width == 0 ? StatesView<Real>() : by_state(data, call.states, width);
  }
  const std::shared_ptr<Batch<Real>> batch = self.batch<Real>(threads_wanted);
  Interrupt interrupt;
  py::ssize_t first = 0;
  std::int64_t unanswered = 0;
  {
    const py::gil_scoped_release release;
    for (; first < call.states && interrupt.go_on() && unanswered == 0; first += part) {
      const py::ssize_t n = std::min(part, call.states - first);
      std::array<StatesView<const Real>, max_inputs> in_part;
      std::array<StatesView<Real>, max_answers> out_part;
      for (std::size_t i = 0; i < static_cast<std::size_t>(call.n_in); ++i)
        in_part[i] = in[i].part(first, n);
      for (std::size_t i = 0; i < k; ++i) out_part[i] = out[i].part(first, n);
      try {
        unanswered = verb(*batch, in_part.data(), out_part.data());
      } catch (const Error& e) {
        throw Error(counted_from(e.what(), first));
      }
    }
  }
  interrupt.rethrow();
  if (unanswered == 0) return;
  py::ssize_t state = std::max<py::ssize_t>(first - part, 0);
  while (state < call.states && out[0](state, 0) == out[0](state, 0)) ++state;
  throw Error("state " + std::to_string(state) + ": robot \"" + self.robot().name() +
              "\": the mass matrix cannot be inverted");
}

// Whether the batch room takes the call: many states of a tree.
bool goes_to_batch(const PyRobot& self, const Call& call, const BatchVerb& verb) {
  return verb && batch_wanted && call.states >= 0 && self.n_constraints() == 0;
}

// Whether `out` shares memory with numbers that are still to be read.
bool overlaps(const Call& call, py::handle out) {
  const auto array = py::reinterpret_borrow<py::array>(out);
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
  const auto end = begin + static_cast<std::uintptr_t>(array.nbytes());
  const auto meets = [&](const auto* data, py::ssize_t stride, const Rows& rows) {
    if (!data || rows.count == 0) return false;
    const auto* last = data + std::max<py::ssize_t>(rows.count - 1, 0) * stride;
    const auto low = reinterpret_cast<std::uintptr_t>(std::min(data, last));
    const auto high = reinterpret_cast<std::uintptr_t>(std::max(data, last) + rows.size);
    return low < end && begin < high;
  };
  return std::any_of(call.in.begin(), call.in.begin() + call.n_in, [&](const Rows& rows) {
    return meets(rows.data, rows.stride, rows) || meets(rows.floats, rows.float_stride, rows);
  });
}

// Whether one state takes more than a few microseconds: then other threads run meanwhile.
bool takes_long(const PyRobot& self, const Places& places) {
  const auto end = places.size.begin() + places.count;
  return self.n_v() > 16 || self.n_constraints() > 0 ||
         std::accumulate(places.size.begin(), end, 0) > 512;
}

void evaluate(PyRobot& self, const Call& call, const Places& places, const Kernel& kernel) {
  if (call.states >= 0) return run_many(self, call, places, kernel);
  std::array<Row, max_inputs> rows;
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.n_in); ++i) rows[i] = call.in[i][0];
  Robot& robot = self.here();
  if (takes_long(self, places))
    unlocked([&] { return kernel(robot, rows.data(), places.data.data()); });
  else
    kernel(robot, rows.data(), places.data.data());
}

// Fields without numbers, such as multipliers of robots without loops, are the same array each time.
py::object empty_array(const Shape& shape) {
  static std::vector<std::pair<Shape, PyObject*>> arrays;  // few, and live as long as the process
  for (const auto& [known, array] : arrays)
    if (known.rank == shape.rank && known.dims == shape.dims)
      return py::reinterpret_borrow<py::object>(array);
  arrays.emplace_back(shape, new_array(-1, shape).release().ptr());
  return py::reinterpret_borrow<py::object>(arrays.back().second);
}

// Truths and whole numbers were written as numbers.
py::object as_it_stands(const py::object& array, As as) {
  if (as == As::number) return array;
  return array.attr("astype")(as == As::flag ? "bool" : "int64");
}
py::object as_it_stands(double number, As as) {
  if (as == As::flag) return py::bool_(number != 0);
  if (as == As::whole) return py::int_(static_cast<long>(number));
  return py::float_(number);
}

}  // namespace

py::object map_states(PyRobot& self, std::initializer_list<StateArgument> arguments,
                      const Shape& shape, py::handle out, const Kernel& kernel,
                      const BatchVerb& batch) {
  Call call(arguments);
  if (goes_to_batch(self, call, batch)) {
    check_widths(self, call, arguments);
    const bool there = out && !out.is_none();
    if (there) check_out(out, call.states, shape, call.single);
    const bool direct = there && !overlaps(call, out);
    py::object answer = direct ? py::reinterpret_borrow<py::object>(out)
                               : new_array(call.states, shape, call.single);
    if (!call.single) call.widen();
    if (call.single)
      run_batch<float>(self, call, batch, {answer}, {{shape}});
    else
      run_batch<double>(self, call, batch, {answer}, {{shape}});
    if (!there || direct) return answer;
    out[py::ellipsis()] = answer;
    return py::reinterpret_borrow<py::object>(out);
  }
  call.widen();
  Places places;
  places.count = 1;
  places.size[0] = shape.size();
  if (shape.rank == 0 && call.states < 0) {
    if (out && !out.is_none()) throw Error("out has no place for one number");
    double value = 0;
    places.data[0] = &value;
    evaluate(self, call, places, kernel);
    return py::float_(value);
  }
  const bool given = out && !out.is_none();
  if (given) check_out(out, call.states, shape, call.single);
  const bool direct = given && !call.single && !overlaps(call, out);
  py::object answer =
      direct ? py::reinterpret_borrow<py::object>(out) : new_array(call.states, shape);
  places.data[0] = data_of(answer);
  evaluate(self, call, places, kernel);
  if (!given) return call.single ? narrowed(answer) : answer;
  if (direct) return answer;
  out[py::ellipsis()] = answer;
  return py::reinterpret_borrow<py::object>(out);
}

py::object map_states(PyRobot& self, std::initializer_list<StateArgument> arguments,
                      std::initializer_list<Answer> answers, const char* name, const Kernel& kernel,
                      const BatchVerb& batch) {
  Call call(arguments);
  if (goes_to_batch(self, call, batch)) {
    check_widths(self, call, arguments);
    std::vector<py::object> arrays;
    for (const Answer& answer : answers)
      arrays.push_back(new_array(call.states, answer.shape, call.single));
    if (!call.single) call.widen();
    if (call.single)
      run_batch<float>(self, call, batch, arrays, answers);
    else
      run_batch<double>(self, call, batch, arrays, answers);
    std::size_t at = 0;
    for (const Answer& answer : answers) {
      arrays[at] = as_it_stands(arrays[at], answer.as);
      ++at;
    }
    return record(name, arrays);
  }
  call.widen();
  Places places;
  std::array<py::object, max_answers> fields;
  std::array<double, max_answers> numbers{};
  for (const Answer& answer : answers) {
    const auto k = static_cast<std::size_t>(places.count++);
    places.size[k] = answer.shape.size();
    if (answer.shape.rank == 0 && call.states < 0) {
      places.data[k] = &numbers[k];
      continue;
    }
    fields[k] = places.size[k] == 0 && call.states < 0 ? empty_array(answer.shape)
                                                       : new_array(call.states, answer.shape);
    places.data[k] = data_of(fields[k]);
  }
  evaluate(self, call, places, kernel);
  std::size_t k = 0;
  for (const Answer& answer : answers) {
    py::object& field = fields[k];
    if (!field)
      field = as_it_stands(numbers[k], answer.as);
    else if (answer.as != As::number)
      field = as_it_stands(field, answer.as);
    else if (call.single)
      field = narrowed(field);
    ++k;
  }
  return record(name, fields.data(), k);
}

Eigen::MatrixXd& scratch(int rows, int cols) {
  thread_local Eigen::MatrixXd matrix;
  matrix.resize(rows, cols);
  return matrix;
}

int read_threads(py::handle value) {
  const int n = read_whole<int>("threads", value);
  if (n < 0) throw Error("threads is " + std::to_string(n) + ", expected 0 (all cores) or more");
  return n;
}
int state_threads() { return threads_wanted; }
void set_state_threads(int threads) { threads_wanted = threads; }
void use_batch(bool wanted) { batch_wanted = wanted; }

}  // namespace torsor::python
