// torsor._view: the server of Robot.show, apart from the library so that only those who open a page
// load an HTTP server and what it needs.
#include "server/server.hpp"

#include <pybind11/pybind11.h>

#include <thread>

#include "torsor/math/error.hpp"

namespace py = pybind11;

namespace torsor::python {
namespace {

/// A server in a thread of its own, which needs no interpreter.
class Served {
 public:
  Served(py::object session, std::string html, std::string script, std::string style, int port)
      : session_(std::move(session)),
        html_(std::move(html)),
        script_(std::move(script)),
        style_(std::move(style)),
        server_(*py::capsule(session_.attr("answers")).get_pointer<view::Answers>(),
                {html_, script_, style_}, {.port = port}),
        thread_([this] { server_.run(); }) {}
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() { close(); }

  const std::string& url() const { return server_.url(); }
  bool is_open() const { return thread_.joinable(); }
  void close() {
    if (!thread_.joinable()) return;
    const py::gil_scoped_release release;
    server_.stop();
    thread_.join();
  }

 private:
  py::object session_;
  std::string html_, script_, style_;
  view::Server server_;
  std::thread thread_;
};

}  // namespace
}  // namespace torsor::python

PYBIND11_MODULE(_view, module) {
  using torsor::python::Served;
  const py::object error = py::module_::import("torsor._torsor").attr("Error");
  static PyObject* const type = error.inc_ref().ptr();
  py::register_local_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const torsor::Error& refused) {
      PyErr_SetString(type, refused.what());
    }
  });
  py::class_<Served>(module, "Server", "A page on 127.0.0.1, served by a thread of its own.")
      .def(py::init<py::object, std::string, std::string, std::string, int>())
      .def_property_readonly("url", &Served::url)
      .def_property_readonly("is_open", &Served::is_open)
      .def("close", &Served::close);
}
