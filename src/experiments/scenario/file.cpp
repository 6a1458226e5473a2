#include "torsor/experiments/scenario_file.hpp"

#include <cmath>
#include <filesystem>

#include "scenario/parts.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

using internal::YamlElement;
using internal::scenario::Section;

Model<double> read_robot(const Section& top, const std::string& file, Findings* findings,
                         const LoadOptions& files) {
  const std::string robot = robot_of_scenario(top.text("robot"), file);
  const Model<double> model =
      load_robot(robot, is_builtin_robot(robot) ? nullptr : findings, files);
  bool floating = false;
  top.read("floating", floating);
  return floating ? with_base(model, JointKind::free) : model;
}

/// Numbers, or words where the first is none.
void set_list(LawParameters& parameters, const std::string& name, const YamlElement& element) {
  const std::vector<YamlElement> items = element.items(name.c_str());
  if (items.empty()) element.fail("is an empty list; leave it out, or say what it holds");
  if (items[0].is_sequence())
    element.fail("is a list of lists; the rows of a matrix stand one after the other in one list");
  if (parse_number(items[0].text())) {
    parameters.set(name, element.numbers());
    return;
  }
  std::vector<std::string> words;
  for (const YamlElement& item : items) words.push_back(item.text());
  parameters.set(name, std::move(words));
}

/// The law as the run will make it: so that a wrong name, gain or reference is refused with its line.
std::unique_ptr<ControlLaw> read_controller(const YamlElement& element, Scenario& s,
                                            const LoadOptions& files) {
  const Section controller(element, "controller");
  s.law = controller.text("law");
  controller.if_there("gains", [&](const YamlElement& gains) {
    if (!gains.is_map()) gains.fail("is no map of names and values");
    const std::vector<YamlElement> values = gains.entries();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string& name = gains.node().keys[k];
      const YamlElement& e = values[k];
      if (e.is_sequence())
        set_list(s.parameters, name, e);
      else if (const auto x = parse_number(e.text()))
        s.parameters.set(name, std::vector<double>{*x});
      else
        s.parameters.set(name, e.text());
    }
  });
  controller.if_there(
      "believes", [&](const YamlElement& e) { internal::scenario::read_believes(e, s, files); });
  try {
    return make_law(s.law, s.controller_model, s.parameters);
  } catch (const Error& error) {
    element.fail(error.what());
  }
}

Integrator read_integrator(const YamlElement& element) {
  std::vector<std::string> known;
  for (int k = 0; k <= static_cast<int>(Integrator::dormand_prince8); ++k) {
    known.emplace_back(name_of(static_cast<Integrator>(k)));
    if (element.text() == known.back()) return static_cast<Integrator>(k);
  }
  element.fail("unknown integrator " + in_quotes(element.text()) +
               did_you_mean(element.text(), known) + " (" + listed(known) + ")");
}

/// The numbers that a recording may hold before it is refused: 2 GB.
constexpr double most_numbers = 2.5e8;

void read_run(const YamlElement& element, SimulateOptions& o, int n_v) {
  const Section run(element, "run");
  run.read("duration", o.duration);
  run.read("record_every", o.record_every);
  const double rows = o.duration / o.record_every, numbers = rows * (12 * n_v + 12);
  if (numbers > most_numbers) {
    const double least = o.record_every * numbers / most_numbers;
    const double digit = std::pow(10.0, std::floor(std::log10(least)));
    run.fail("a duration of " + format_number(o.duration) + " s recorded every " +
             format_number(o.record_every) + " s has " + format_number(std::floor(rows)) +
             " rows, more than memory should hold; record_every: " +
             short_number(std::ceil(least / digit) * digit) + " would do");
  }
  run.if_there("integrator", [&](const YamlElement& e) { o.integrator = read_integrator(e); });
  run.read("step", o.step);
  if (run.has("tolerance")) o.control.relative = o.control.absolute = run.number("tolerance");
  run.read("period", o.period);
  run.read("delay", o.delay);
  run.read("measure_acceleration", o.measure_acceleration);
  if (run.has("most_evaluations"))
    o.most_evaluations = static_cast<long>(run.whole("most_evaluations"));
}

void read_sensors(const YamlElement& element, SensorOptions& s, int n_v) {
  const Section sensors(element, "sensors");
  sensors.read("encoder_step", s.encoder_step, n_v);
  sensors.read("velocity_by_difference", s.velocity_by_difference);
  sensors.read("position_noise", s.position_noise);
  sensors.read("velocity_noise", s.velocity_noise);
  if (sensors.has("seed")) s.seed = static_cast<unsigned long>(sensors.whole("seed"));
}

void read_actuators(const YamlElement& element, ActuatorOptions& a, int n_v) {
  const Section actuators(element, "actuators");
  actuators.read("torque_limit", a.torque_limit, n_v);
  actuators.read("model_limits", a.model_limits);
  actuators.read("rate_limit", a.rate_limit, n_v);
}

/// A configuration of the robot's file, where its name stands instead of numbers.
void read_named(const YamlElement& at, SimulateOptions& o, const Model<double>& robot) {
  try {
    o.q0 = named_configuration(robot, at.text());
  } catch (const Error& error) {
    at.fail(error.what());
  }
}

void read_start(const YamlElement& element, SimulateOptions& o, const Model<double>& robot) {
  if (!element.is_map() && !element.is_sequence()) return read_named(element, o, robot);
  const Section start(element, "start");
  start.read("qd", o.v0, robot.n_v());
  if (!start.has("q")) return;
  const YamlElement q = start.at("q");
  const auto& known = robot.description().configurations;
  if (!q.is_map() && !q.is_sequence() && !known.empty()) return read_named(q, o, robot);
  start.read("q", o.q0, robot.n_q());
  try {
    check_configuration(robot, o.q0);
  } catch (const Error& error) {
    start.at("q").fail(error.what());
  }
}

/// The reference, tried on the law at the start.
void read_reference(const Section& top, const ControlLaw& law, Scenario& s) {
  s.reference = [](double, ReferencePoint&) {};  // enough for laws that need none
  top.if_there("reference", [&](const YamlElement& e) {
    s.reference = internal::scenario::read_reference(e, s.plant_model);
  });
  try {
    ReferencePoint point;
    s.reference(s.options.start, point);
    law.check_reference(point.view());
  } catch (const Error& error) {
    if (!top.has("reference")) (void)top.at("reference");  // "is missing"
    top.at("reference").fail(error.what());
  }
}

}  // namespace

std::string robot_of_scenario(const std::string& robot, const std::string& file_name) {
  // The arguments of a xacro file stand behind its name.
  const std::string file = robot.substr(0, robot.find(' ', robot.find(".xacro ")));
  const auto beside = std::filesystem::path(file_name).parent_path() / file;
  std::error_code ignored;
  return std::filesystem::is_regular_file(beside, ignored)
             ? beside.string() + robot.substr(file.size())
             : robot;
}

Scenario read_scenario(std::string_view text, const std::string& file_name, Findings* findings,
                       const std::vector<std::string>& package_folders) {
  const LoadOptions files{.package_folders = package_folders};
  const internal::YamlNode root = internal::parse_yaml(text, file_name);
  const Section top(YamlElement(root, file_name, "scenario"), "");
  const Model<double> robot = read_robot(top, file_name, findings, files);
  Scenario s{.name = {}, .title = {}, .plant_model = robot, .controller_model = robot, .law = {}};
  const int n_v = robot.n_v();
  top.read("scenario", s.name);
  top.read("title", s.title);
  top.if_there("plant",
               [&](const YamlElement& e) { internal::scenario::read_plant(e, s, findings); });
  const std::unique_ptr<ControlLaw> law = read_controller(top.at("controller"), s, files);
  read_reference(top, *law, s);
  top.if_there("start", [&](const YamlElement& e) { read_start(e, s.options, robot); });
  top.if_there("run", [&](const YamlElement& e) { read_run(e, s.options, n_v); });
  top.if_there("sensors", [&](const YamlElement& e) { read_sensors(e, s.options.sensors, n_v); });
  top.if_there("actuators",
               [&](const YamlElement& e) { read_actuators(e, s.options.actuators, n_v); });
  top.if_there("sweep",
               [&](const YamlElement& e) { s.sweep = internal::scenario::read_sweep(e, s); });
  top.if_there("output", [&](const YamlElement& e) {
    for (const YamlElement& item : e.items("file")) s.outputs.push_back(item.text());
  });
  return s;
}

Scenario load_scenario(const std::string& path, Findings* findings,
                       const std::vector<std::string>& package_folders) {
  return read_scenario(read_text_file(path), path, findings, package_folders);
}

}  // namespace torsor
