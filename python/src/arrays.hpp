#pragma once
/// NumPy arrays as rows of doubles, and back.
///
/// Numbers come as arrays of float64 (read in place), of any other real type, or as lists; they go
/// out as new arrays in C order.
#include <Eigen/Core>
#include <memory>

#include "binding.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/math/se3.hpp"

namespace torsor::python {

/// One vector of one state.
struct Row {
  const double* data = nullptr;
  int size = 0;

  Eigen::Map<const Eigen::VectorXd> vector() const { return {data, size}; }
};

/// A vector for one state, (n,), or for many, (N, n).
struct Rows {
  const double* data = nullptr;  ///< null of float32 that is not widened
  py::ssize_t stride = 0;        ///< numbers from row to row
  py::ssize_t count = -1;        ///< -1: one state, which counts for all
  int size = 0;                  ///< n
  bool single = false;           ///< float32: `floats` are its numbers
  const float* floats = nullptr;
  py::ssize_t float_stride = 0;
  py::object keep{};  ///< what was converted
  std::unique_ptr<double[]> widened{};

  Row operator[](py::ssize_t k) const { return {data + k * stride, size}; }
  /// Numbers of float32 as doubles, too.
  void widen();
};
/// Throws Error, naming `what` and what was `expected`, for anything but numbers with one or two axes.
inline constexpr const char* one_or_many = "(n,) for one state or (N, n) for many";
Rows read_rows(const char* what, py::handle value, const char* expected = one_or_many);
/// The same, but float32 is not widened.
Rows read_rows_as_given(const char* what, py::handle value, const char* expected = one_or_many);

/// The shape of an answer for one state.
struct Shape {
  int rank = 0;
  std::array<int, 3> dims{};

  static Shape scalar() { return {}; }
  static Shape vector(int n) { return {1, {n, 0, 0}}; }
  static Shape matrix(int rows, int cols) { return {2, {rows, cols, 0}}; }
  static Shape cube(int n, int rows, int cols) { return {3, {n, rows, cols}}; }
  int size() const {
    int n = 1;
    for (int k = 0; k < rank; ++k) n *= dims[static_cast<std::size_t>(k)];
    return n;
  }
};
/// A new array of float64 (`single`: float32) for so many states (-1: one, without an axis for
/// them), not filled.
py::object new_array(py::ssize_t states, const Shape& shape, bool single = false);
double* data_of(const py::object& array);
/// An array of float64 in C order as float32.
py::object narrowed(const py::object& array);
/// `out` as a place for answers: throws Error for another shape, type or order.
void check_out(py::handle out, py::ssize_t states, const Shape& shape, bool single);

// One vector, matrix or pose. Throw Error, naming `what`.
Eigen::VectorXd read_vector(const char* what, py::handle value);
Eigen::VectorXd read_vector(const char* what, py::handle value, int size);
Array<double> read_numbers(const char* what, py::handle value);
Eigen::MatrixXd read_matrix(const char* what, py::handle value);
double read_number(const char* what, py::handle value);
/// A whole number of this type; throws Error for one that is beyond it.
template <class Whole>
Whole read_whole(const char* what, py::handle value);
bool read_flag(const char* what, py::handle value);  ///< True, False, 1 or 0
std::string read_text(const char* what, py::handle value);
std::vector<std::string> read_texts(const char* what, py::handle value);  ///< one counts as a list
/// What a list or another iterable of them holds.
std::vector<py::object> read_items(const char* what, py::handle value, const char* expected);

py::object to_array(const Eigen::Ref<const Eigen::VectorXd>& v);
py::object to_array(const std::vector<double>& v);
py::object to_array(const Eigen::Ref<const Eigen::MatrixXd>& M, bool matrix);
py::object to_array(const Matrix& M);
py::object to_list(const std::vector<std::string>& words);
/// A pose as 4 x 4.
py::object to_pose(const SE3<double>& T);
void write_rows(const Eigen::Ref<const Eigen::MatrixXd>& M, double* out);

/// As __copy__ and __deepcopy__ of what never changes.
inline py::object itself(const py::object& self) { return self; }
inline py::object itself_deep(const py::object& self, const py::dict&) { return self; }

/// A named tuple of torsor.results.
py::object record(const char* name, const std::vector<py::object>& fields);
py::object record(const char* name, const py::object* fields, std::size_t count);

}  // namespace torsor::python
