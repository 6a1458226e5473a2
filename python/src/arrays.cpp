#include "arrays.hpp"

#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "errors.hpp"

namespace torsor::python {
namespace {

using py::detail::array_proxy;
using py::detail::npy_api;

constexpr int float64_type = 12, float32_type = 11;
constexpr int aligned = 0x0100, writeable = 0x0400, c_order = 0x0001;

int type_number(const py::detail::PyArray_Proxy* a) {
  return py::detail::array_descriptor_proxy(a->descr)->type_num;
}
bool native(const py::detail::PyArray_Proxy* a) {
  const char order = py::detail::array_descriptor_proxy(a->descr)->byteorder;
  return order == '=' || order == '|' || order == '<';
}
std::string type_name(py::handle array) { return py::str(array.attr("dtype")); }

bool type_named(py::handle value, const char* name) {
  return std::string_view(Py_TYPE(value.ptr())->tp_name) == name;
}

// A mask would be lost without a word, and what it hides be counted.
void refuse_mask(const char* what, py::handle value) {
  const npy_api& api = npy_api::get();
  if (!api.PyArray_Check_(value.ptr()) || Py_TYPE(value.ptr()) == api.PyArray_Type_) return;
  if (py::cast<bool>(py::module_::import("numpy.ma").attr("is_masked")(value)))
    throw Error(std::string(what) +
                " is a masked array that hides some of its numbers; fill them or leave them out");
}

// The argument as an array of real numbers.
py::array numbers(const char* what, py::handle value) {
  if (!value || value.is_none()) throw Error(std::string(what) + " is missing");
  refuse_mask(what, value);
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()))
    for (const py::handle row : value) refuse_mask(what, row);
  py::object array;
  try {
    array = py::module_::import("numpy").attr("asarray")(py::reinterpret_borrow<py::object>(value));
  } catch (py::error_already_set& e) {  // rows of different lengths
    if (!e.matches(PyExc_ValueError)) throw;
    throw Error(std::string(what) + " is no vector or table of numbers: its rows differ in length");
  }
  const char kind = py::cast<std::string>(array.attr("dtype").attr("kind"))[0];
  if (kind == 'O' && array_proxy(array.ptr())->nd == 0)
    throw Error(std::string(what) + " is of the type " + Py_TYPE(value.ptr())->tp_name +
                ", expected an array or a list of numbers" +
                (PyIter_Check(value.ptr()) ? "; list() makes one of what it yields" : ""));
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw Error(std::string(what) + " has the type " + type_name(array) +
                ", expected real numbers");
  return py::reinterpret_borrow<py::array>(array);
}

// The same numbers as Real, in C order, each where the machine wants it.
template <class Real>
py::array_t<Real> in_order(const py::array& given) {
  constexpr int layout = py::array::c_style | py::array::forcecast | aligned;
  auto made =
      py::reinterpret_steal<py::array_t<Real>>(py::array_t<Real, layout>::ensure(given).release());
  if (!made) throw py::error_already_set();
  return made;
}

std::string shape_text(const py::ssize_t* dims, int nd) {
  std::string text = "(";
  for (int k = 0; k < nd; ++k) text += (k ? ", " : "") + std::to_string(dims[k]);
  return text + (nd == 1 ? ",)" : ")");
}

py::object unfilled(int nd, const py::ssize_t* dims, bool single) {
  const npy_api& api = npy_api::get();
  static PyObject* const types[] = {api.PyArray_DescrFromType_(float64_type),
                                    api.PyArray_DescrFromType_(float32_type)};
  PyObject* const type = types[single];
  Py_INCREF(type);  // taken by the call
  PyObject* array =
      api.PyArray_NewFromDescr_(api.PyArray_Type_, type, nd, dims, nullptr, nullptr, 0, nullptr);
  if (!array) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(array);
}

}  // namespace

Rows read_rows_as_given(const char* what, py::handle value, const char* expected) {
  Rows rows;
  const npy_api& api = npy_api::get();
  const py::detail::PyArray_Proxy* a = nullptr;
  if (value && api.PyArray_Check_(value.ptr())) {
    a = array_proxy(value.ptr());
    refuse_mask(what, value);
  }
  const auto in_place = [&](int type, py::ssize_t bytes) {
    return a && type_number(a) == type && native(a) && (a->flags & aligned) &&
           (a->nd == 1 || a->nd == 2) &&
           (a->strides[a->nd - 1] == bytes || a->dimensions[a->nd - 1] <= 1) &&
           (a->nd == 1 || a->strides[0] % bytes == 0);
  };
  if (in_place(float32_type, 4)) {
    rows.single = true;
  } else if (!in_place(float64_type, 8)) {
    const py::array given = numbers(what, value);
    rows.single = type_number(array_proxy(given.ptr())) == float32_type;
    if (rows.single)
      rows.keep = in_order<float>(given);
    else
      rows.keep = in_order<double>(given);
    a = array_proxy(rows.keep.ptr());
  }
  if (a->nd != 1 && a->nd != 2)
    throw Error(std::string(what) + " has the shape " + shape_text(a->dimensions, a->nd) +
                ", expected " + expected);
  if (!std::in_range<int>(a->dimensions[a->nd - 1]))
    throw Error(std::string(what) + " has " + std::to_string(a->dimensions[a->nd - 1]) +
                " numbers for one state");
  rows.size = static_cast<int>(a->dimensions[a->nd - 1]);
  if (a->nd == 2) rows.count = a->dimensions[0];
  if (rows.single) {
    rows.floats = reinterpret_cast<const float*>(a->data);
    if (a->nd == 2) rows.float_stride = a->strides[0] / 4;
  } else {
    rows.data = reinterpret_cast<const double*>(a->data);
    if (a->nd == 2) rows.stride = a->strides[0] / 8;
  }
  return rows;
}
Rows read_rows(const char* what, py::handle value, const char* expected) {
  Rows rows = read_rows_as_given(what, value, expected);
  rows.widen();
  return rows;
}
void Rows::widen() {
  if (!single || data) return;
  const py::ssize_t n = count < 0 ? 1 : count;
  widened = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(n * size));
  double* to = widened.get();
  for (py::ssize_t k = 0; k < n; ++k)
    to = std::copy(floats + k * float_stride, floats + k * float_stride + size, to);
  data = widened.get();
  stride = count < 0 ? 0 : size;
}

py::object new_array(py::ssize_t states, const Shape& shape, bool single) {
  std::array<py::ssize_t, 4> dims{};
  int nd = 0;
  if (states >= 0) dims[static_cast<std::size_t>(nd++)] = states;
  for (int k = 0; k < shape.rank; ++k)
    dims[static_cast<std::size_t>(nd++)] = shape.dims[static_cast<std::size_t>(k)];
  return unfilled(nd, dims.data(), single);
}
double* data_of(const py::object& array) {
  return reinterpret_cast<double*>(array_proxy(array.ptr())->data);
}

py::object narrowed(const py::object& array) {
  const auto* const from = array_proxy(array.ptr());
  py::object made = unfilled(from->nd, from->dimensions, true);
  py::ssize_t n = 1;
  for (int k = 0; k < from->nd; ++k) n *= from->dimensions[k];
  const double* const x = data_of(array);
  float* const y = reinterpret_cast<float*>(array_proxy(made.ptr())->data);
  for (py::ssize_t k = 0; k < n; ++k) y[k] = static_cast<float>(x[k]);
  return made;
}

void check_out(py::handle out, py::ssize_t states, const Shape& shape, bool single) {
  std::vector<py::ssize_t> expected;
  if (states >= 0) expected.push_back(states);
  for (int k = 0; k < shape.rank; ++k) expected.push_back(shape.dims[static_cast<std::size_t>(k)]);
  const std::string wanted = shape_text(expected.data(), static_cast<int>(expected.size()));
  if (!npy_api::get().PyArray_Check_(out.ptr()))
    throw Error("out is no array; expected one of the shape " + wanted);
  const auto* a = array_proxy(out.ptr());
  if (a->nd != static_cast<int>(expected.size()) ||
      !std::equal(expected.begin(), expected.end(), a->dimensions))
    throw Error("out has the shape " + shape_text(a->dimensions, a->nd) + ", expected " + wanted);
  if (type_number(a) != (single ? float32_type : float64_type) || !native(a))
    throw Error("out has the type " + type_name(out) + ", expected " +
                (single ? "float32" : "float64"));
  if (!(a->flags & c_order) || !(a->flags & aligned) || !(a->flags & writeable))
    throw Error("out must be writeable, in C order");
  if (Py_TYPE(out.ptr()) != npy_api::get().PyArray_Type_ && py::hasattr(out, "mask"))
    throw Error("out is a masked array, expected one without a mask");
}

Eigen::VectorXd read_vector(const char* what, py::handle value) {
  const Rows rows = read_rows(what, value, "a list of numbers");
  if (rows.count >= 0) throw Error(std::string(what) + " has two axes, expected one");
  return rows[0].vector();
}
Eigen::VectorXd read_vector(const char* what, py::handle value, int size) {
  Eigen::VectorXd v = read_vector(what, value);
  if (v.size() != size)
    throw Error(std::string(what) + " has " + std::to_string(v.size()) + " numbers, expected " +
                std::to_string(size));
  return v;
}
Array<double> read_numbers(const char* what, py::handle value) {
  const py::array a = numbers(what, value);
  const auto flat = in_order<double>(a);
  if (flat.ndim() > 1) throw Error(std::string(what) + " has more than one axis, expected a list");
  return Array<double>(std::vector<double>(flat.data(), flat.data() + flat.size()));
}
Eigen::MatrixXd read_matrix(const char* what, py::handle value) {
  const Rows rows = read_rows(what, value, "a matrix");
  if (rows.count < 0) throw Error(std::string(what) + " has one axis, expected a matrix");
  Eigen::MatrixXd M(rows.count, rows.size);
  for (py::ssize_t r = 0; r < rows.count; ++r) M.row(r) = rows[r].vector().transpose();
  return M;
}
double read_number(const char* what, py::handle value) {
  const double x = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw Error(std::string(what) + " is " + std::string(py::repr(value)) + ", expected a number");
  }
  return x;
}
template <class Whole>
Whole read_whole(const char* what, py::handle value) {
  constexpr auto least = std::numeric_limits<Whole>::min(),
                 most = std::numeric_limits<Whole>::max();
  int beyond = 0;
  const long long x = PyLong_AsLongLongAndOverflow(value.ptr(), &beyond);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw Error(std::string(what) + " is " + std::string(py::repr(value)) +
                ", expected a whole number");
  }
  if (beyond != 0 || !std::in_range<Whole>(x))
    throw Error(std::string(what) + " is " + std::string(py::repr(value)) + ", expected " +
                std::to_string(least) + " to " + std::to_string(most));
  return static_cast<Whole>(x);
}
template int read_whole(const char*, py::handle);
template long read_whole(const char*, py::handle);
template unsigned read_whole(const char*, py::handle);
template std::uint64_t read_whole(const char*, py::handle);

bool read_flag(const char* what, py::handle value) {
  const bool truth = PyBool_Check(value.ptr()) ||
                     (type_named(value, "numpy.bool_") || type_named(value, "numpy.bool"));
  const long x = truth                       ? PyObject_IsTrue(value.ptr())
                 : PyLong_Check(value.ptr()) ? PyLong_AsLong(value.ptr())
                                             : -1;
  PyErr_Clear();
  if (x != 0 && x != 1)
    throw Error(std::string(what) + " is " + std::string(py::repr(value)) +
                ", expected True or False");
  return x == 1;
}
std::string read_text(const char* what, py::handle value) {
  py::object text = py::reinterpret_borrow<py::object>(value);
  if (value && !py::isinstance<py::str>(value) && py::hasattr(value, "__fspath__"))
    text = value.attr("__fspath__")();
  if (!text || !py::isinstance<py::str>(text))
    throw Error(std::string(what) + " is " +
                (value ? std::string(py::repr(value)) : std::string("missing")) +
                ", expected text");
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw Error(std::string(what) + " is " + std::string(py::repr(text)) +
              ", which has a character that no text in UTF-8 has");
}
std::vector<std::string> read_texts(const char* what, py::handle value) {
  if (py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__"))
    return {read_text(what, value)};
  std::vector<std::string> words;
  for (const py::object& item : read_items(what, value, "a list of names"))
    words.push_back(read_text(what, item));
  return words;
}
std::vector<py::object> read_items(const char* what, py::handle value, const char* expected) {
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(value.ptr()));
  if (!iterator) {
    PyErr_Clear();
    throw Error(std::string(what) + " is " + std::string(py::repr(value)) + ", expected " +
                expected);
  }
  std::vector<py::object> items;
  while (PyObject* const item = PyIter_Next(iterator.ptr()))
    items.push_back(py::reinterpret_steal<py::object>(item));
  if (PyErr_Occurred()) throw py::error_already_set();
  return items;
}

py::object to_array(const Eigen::Ref<const Eigen::VectorXd>& v) {
  py::object array = new_array(-1, Shape::vector(static_cast<int>(v.size())));
  std::copy(v.data(), v.data() + v.size(), data_of(array));
  return array;
}
py::object to_array(const std::vector<double>& v) {
  py::object array = new_array(-1, Shape::vector(static_cast<int>(v.size())));
  std::copy(v.begin(), v.end(), data_of(array));
  return array;
}
py::object to_array(const Eigen::Ref<const Eigen::MatrixXd>& M, bool) {
  py::object array =
      new_array(-1, Shape::matrix(static_cast<int>(M.rows()), static_cast<int>(M.cols())));
  write_rows(M, data_of(array));
  return array;
}
py::object to_array(const Matrix& M) {
  py::object array = new_array(-1, Shape::matrix(M.rows(), M.cols()));
  std::copy(M.entries().begin(), M.entries().end(), data_of(array));
  return array;
}
py::object to_list(const std::vector<std::string>& words) {
  py::list list(words.size());
  for (std::size_t k = 0; k < words.size(); ++k) list[k] = py::str(words[k]);
  return list;
}
py::object to_pose(const SE3<double>& T) {
  py::object array = new_array(-1, Shape::matrix(4, 4));
  double* const x = data_of(array);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) x[4 * r + c] = T.R(r, c);
  x[3] = T.p.x, x[7] = T.p.y, x[11] = T.p.z;
  x[12] = x[13] = x[14] = 0, x[15] = 1;
  return array;
}
void write_rows(const Eigen::Ref<const Eigen::MatrixXd>& M, double* out) {
  const Eigen::Index rows = M.rows(), cols = M.cols(), step = M.outerStride();
  const double* const from = M.data();
  for (Eigen::Index r = 0; r < rows; ++r)
    for (Eigen::Index c = 0; c < cols; ++c) *out++ = from[r + c * step];
}

py::object record(const char* name, const std::vector<py::object>& fields) {
  return record(name, fields.data(), fields.size());
}
py::object record(const char* name, const py::object* fields, std::size_t count) {
  struct Type {
    PyTypeObject* type = nullptr;
    std::size_t size = 0;
  };
  static std::unordered_map<const void*, Type> types;  // by literals; live as long as the process
  auto found = types.find(name);
  if (found == types.end()) {
    const py::object type = py::module_::import("torsor.results").attr(name);
    found = types.emplace(name, Type{}).first;
    found->second.size = py::len(type.attr("_fields"));
    found->second.type = reinterpret_cast<PyTypeObject*>(py::object(type).release().ptr());
  }
  const auto [type, size] = found->second;
  if (count != size)
    throw std::logic_error(std::string("torsor.results.") + name + " has other fields");
  // As tuple.__new__ does for a type derived from it, without the call of a function in Python.
  PyObject* made = type->tp_alloc(type, static_cast<Py_ssize_t>(size));
  if (!made) throw py::error_already_set();
  for (std::size_t k = 0; k < size; ++k)
    PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(k), fields[k].inc_ref().ptr());
  return py::reinterpret_steal<py::object>(made);
}

}  // namespace torsor::python
