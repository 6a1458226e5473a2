// Robot files: what is built in, checks, conversion.
#include "arrays.hpp"
#include "errors.hpp"
#include "parts.hpp"
#include "torsor/formats/check_file.hpp"
#include "torsor/formats/convert.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/instruction_set.hpp"

namespace torsor::python {
namespace {

py::object robots(const Args&) {
  py::dict out;
  for (const BuiltinRobot& robot : builtin_robots()) out[py::str(robot.name)] = robot.title;
  return out;
}
py::object check(const Args& a) {
  CheckOptions options;
  if (a[1]) options.meshes = read_flag("meshes", a[1]);
  if (a.has(2)) options.package_folders = read_texts("package_folders", a[2]);
  const std::string robot = read_text("robot", a[0]);
  const FileCheck found = unlocked([&] { return check_file(robot, options); });
  py::list list;
  for (const Finding& f : found.findings)
    list.append(record(
        "Finding", {py::str(name_of(f.severity)), py::str(f.origin.file), py::int_(f.origin.line),
                    py::str(f.element), py::str(f.message), py::str(f.why), py::str(f.fix)}));
  return list;
}
py::object convert_robot(const Args& a) {
  const std::string to = read_text("to", a[1]);
  const RobotFormat* const by_ending = robot_format_of_path("robot." + to);
  const RobotFormat& format = by_ending ? *by_ending : robot_format(to);
  const std::string robot = read_text("robot", a[0]), tool = a[2] ? read_text("tool", a[2]) : "";
  const Conversion made = unlocked([&] { return convert(load_description(robot), format, tool); });
  if (!made.ok()) throw Error(made.message);
  return record("Conversion", {py::str(made.text), to_list(made.notes)});
}
py::object formats(const Args&) {
  py::dict out;
  for (const RobotFormat& format : robot_formats()) {
    py::list extensions;
    for (const std::string_view e : format.extensions) extensions.append(py::str(std::string(e)));
    out[py::str(format.name)] = extensions;
  }
  return out;
}

}  // namespace

void bind_formats(py::module_& module) {
  function<&robots>(module, "robots()", R"(The built-in robots: {name: title}.

>>> torsor.robots()["panda"][:6]
'Franka')");
  function<&check>(
      module, "check(robot, meshes=True, package_folders=None)",
      R"(All that is wrong or doubtful about a robot file, also of one that cannot be loaded.

>>> torsor.check("panda")[:0]
[])");
  function<&convert_robot>(
      module, "convert(robot, to, tool='')",
      R"(A robot file in another format: (text, notes). torsor.formats() names them and their endings.

>>> torsor.convert("panda", "urdf").text.startswith("<?xml")
True)");
  function<&formats>(module, "formats()", R"(Formats of robot files: {name: extensions}.

>>> torsor.formats()["urdf"][0]
'.urdf')");
}

}  // namespace torsor::python
