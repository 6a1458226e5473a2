#include "states.hpp"

#include "errors.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor::python {
namespace {

constexpr int max_inputs = 6, max_answers = 16;
constexpr py::ssize_t chunk = 128;

int threads_wanted = 0;

struct Call {
  std::array<Rows, max_inputs> in;
  int n_in = 0;
  py::ssize_t states = -1;
  bool single = true;  // every vector is of float32

  explicit Call(std::initializer_list<StateArgument> arguments) {
    const char* first = nullptr;  // that said how many states there are
    for (const StateArgument& argument : arguments) {
      Rows& rows = in[static_cast<std::size_t>(n_in++)];
      rows = read_rows(argument.name, argument.value);
      single = single && rows.single;
      if (rows.count < 0) continue;
      if (states >= 0 && rows.count != states)
        throw Error(std::string(argument.name) + " has " + std::to_string(rows.count) +
                    " states, but " + first + " has " + std::to_string(states));
      states = rows.count;
      if (!first) first = argument.name;
    }
  }
};

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

void evaluate(PyRobot& self, const Call& call, const Places& places, const Kernel& kernel) {
  if (call.states >= 0) return run_many(self, call, places, kernel);
  std::array<Row, max_inputs> rows;
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.n_in); ++i) rows[i] = call.in[i][0];
  kernel(self.here(), rows.data(), places.data.data());
}

py::object as_single(const py::object& array) { return array.attr("astype")("float32"); }

}  // namespace

py::object map_states(PyRobot& self, std::initializer_list<StateArgument> arguments,
                      const Shape& shape, py::handle out, const Kernel& kernel) {
  const Call call(arguments);
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
  py::object answer = given && !call.single ? py::reinterpret_borrow<py::object>(out)
                                            : new_array(call.states, shape);
  places.data[0] = data_of(answer);
  evaluate(self, call, places, kernel);
  if (!call.single) return answer;
  if (!given) return as_single(answer);
  out[py::ellipsis()] = answer;
  return py::reinterpret_borrow<py::object>(out);
}

py::object map_states(PyRobot& self, std::initializer_list<StateArgument> arguments,
                      std::initializer_list<Answer> answers, const char* name,
                      const Kernel& kernel) {
  const Call call(arguments);
  Places places;
  std::vector<py::object> fields;
  std::array<double, max_answers> numbers{};
  for (const Answer& answer : answers) {
    const auto k = static_cast<std::size_t>(places.count++);
    places.size[k] = answer.shape.size();
    const bool number = answer.shape.rank == 0 && call.states < 0;
    fields.push_back(number ? py::object() : new_array(call.states, answer.shape));
    places.data[k] = number ? &numbers[k] : data_of(fields.back());
  }
  evaluate(self, call, places, kernel);
  std::size_t k = 0;
  for (const Answer& answer : answers) {
    py::object& field = fields[k];
    if (!field && answer.flag)
      field = py::bool_(numbers[k] != 0);
    else if (!field)
      field = py::float_(numbers[k]);
    else if (answer.flag)
      field = field.attr("astype")("bool");
    else if (call.single)
      field = as_single(field);
    ++k;
  }
  return record(name, fields);
}

Eigen::MatrixXd& scratch(int rows, int cols) {
  thread_local Eigen::MatrixXd matrix;
  matrix.resize(rows, cols);
  return matrix;
}

int state_threads() { return threads_wanted; }
void set_state_threads(int threads) { threads_wanted = threads; }

}  // namespace torsor::python
