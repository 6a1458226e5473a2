// Signatures from their lines, arguments by place and keyword, exceptions.
#include "binding.hpp"

#include <stdexcept>

#include "errors.hpp"

namespace torsor::python {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// What stands between commas; commas inside of brackets or quotes do not count.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'' || c == '"') quoted = !quoted;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0 && !quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (trimmed(parts.back()).empty()) parts.pop_back();
  return parts;
}

bool refuse(const std::string& message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  return false;
}

}  // namespace

Signature::Signature(const char* given, const char* doc_text, bool is_method) : line(given) {
  const std::string& text = line;
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos)
    throw std::logic_error("not a signature: " + text);
  name = text.substr(0, open);
  const std::string inside = text.substr(open + 1, close - open - 1);
  bool by_keyword = false;
  for (const std::string& part : parts_of(inside)) {
    const std::string word = trimmed(part);
    if (word == "*") {
      by_keyword = true;
      continue;
    }
    const auto equals = word.find('=');
    names.push_back(PyUnicode_InternFromString(word.substr(0, equals).c_str()));
    if (!by_keyword) ++positional;
    if (equals == std::string::npos) required = static_cast<int>(names.size());
  }
  if (names.size() > max_arguments) throw std::logic_error("too many arguments: " + text);
  const std::string self = is_method ? (inside.empty() ? "$self" : "$self, ") : "";
  doc = name + "(" + self + inside + ")\n--\n\n" + doc_text;
}

bool Signature::take(PyObject* const* given, Py_ssize_t count, PyObject* keywords,
                     Args& args) const {
  const auto n = static_cast<Py_ssize_t>(names.size());
  if (count > positional)
    return refuse(name + "() takes at most " + std::to_string(positional) +
                  " arguments by place, " + std::to_string(count) + " are given" +
                  (n > positional ? "; the others are by keyword" : ""));
  for (Py_ssize_t k = 0; k < n; ++k)
    args.values_[static_cast<std::size_t>(k)] = k < count ? given[k] : nullptr;
  const Py_ssize_t n_keywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < n_keywords; ++i) {
    PyObject* const word = PyTuple_GET_ITEM(keywords, i);
    Py_ssize_t k = 0;
    while (k < n && names[static_cast<std::size_t>(k)] != word) ++k;
    if (k == n)  // not interned, or unknown
      for (k = 0; k < n; ++k)
        if (PyUnicode_Compare(names[static_cast<std::size_t>(k)], word) == 0) break;
    if (k == n)
      return refuse(name + "() has no argument \"" + std::string(py::str(word)) +
                    "\"; it has: " + line);
    if (args.values_[static_cast<std::size_t>(k)])
      return refuse(name + "() has \"" + std::string(py::str(word)) + "\" twice");
    args.values_[static_cast<std::size_t>(k)] = given[count + i];
  }
  for (int k = 0; k < required; ++k)
    if (!args.values_[static_cast<std::size_t>(k)])
      return refuse(name + "() needs \"" +
                    std::string(py::str(py::handle(names[static_cast<std::size_t>(k)]))) +
                    "\": " + line);
  return true;
}

PyObject* raise_current() noexcept {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const Error& e) {
    PyErr_SetString(error_type(), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown exception");
  }
  return nullptr;
}

void add_method(py::handle cls, Signature& signature, FastCall call) {
  signature.definition = {signature.name.c_str(),
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                          METH_FASTCALL | METH_KEYWORDS, signature.doc.c_str()};
  cls.attr(signature.name.c_str()) = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.ptr()), &signature.definition));
}

void add_function(py::module_& module, Signature& signature, FastCall call) {
  signature.definition = {signature.name.c_str(),
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                          METH_FASTCALL | METH_KEYWORDS, signature.doc.c_str()};
  const py::object name = py::str("torsor._torsor");
  module.attr(signature.name.c_str()) = py::reinterpret_steal<py::object>(
      PyCFunction_NewEx(&signature.definition, nullptr, name.ptr()));
}

}  // namespace torsor::python
