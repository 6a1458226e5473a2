// What Robot.show needs of the library: a session. The server is a module of its own (view/server.cpp).
#include "server/session.hpp"

#include "arrays.hpp"
#include "parts.hpp"
#include "robot_object.hpp"
#include "server/page.hpp"

namespace torsor::python {
namespace {

py::object open_session(const Args& a) {
  PyRobot& robot = robot_of(a[0]);
  view::SessionOptions options{.robot = robot.source(), .runs = !robot.source().empty()};
  if (a.has(1)) {
    const Eigen::VectorXd q = read_vector("q", a[1], robot.n_q());
    options.q.emplace(q.begin(), q.end());
  }
  if (a.has(2)) options.package_folders = read_texts("package_folders", a[2]);
  return py::cast(std::make_unique<view::Session>(robot.robot(), std::move(options)));
}
py::object page(const Args&) {
  const view::PageFiles files = view::page_files();
  return py::make_tuple(std::string(files.html), std::string(files.script),
                        std::string(files.style));
}

}  // namespace

void bind_view(py::module_& module) {
  py::class_<view::Session> cls(module, "_Session", "A robot that a page plays with.");
  cls.def_property_readonly(
      "q", [](const view::Session& s) { return to_array(s.q()); }, "Where it stands.");
  cls.def(
      "move",
      [](view::Session& s, py::handle q) {
        const view::Json to = {{"q", read_numbers("q", q)}};
        const py::gil_scoped_release release;
        (void)s.answer("move", to);
      },
      "Goes to a configuration; loops are closed from there.");
  // As torsor._view takes it.
  cls.def_property_readonly("answers", [](view::Session& s) {
    return py::capsule(static_cast<view::Answers*>(&s), "torsor.view.Answers");
  });
  function<&open_session>(module, "_view_session(robot, q, package_folders)", "A _Session.");
  function<&page>(module, "_view_page()", "(html, script, style); no script: built without it.");
}

}  // namespace torsor::python
