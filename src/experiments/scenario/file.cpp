#include "torsor/experiments/scenario_file.hpp"

#include <algorithm>
#include <filesystem>

#include "scenario/parts.hpp"
#include "scenario/sweep.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

namespace {

using internal::YamlElement;

template <class Read>
void optional(const YamlElement& element, const char* key, Read read) {
  if (element.has(key)) read(element.at(key));
}
void number(const YamlElement& element, const char* key, double& x) {
  optional(element, key, [&](const YamlElement& e) { x = e.number(); });
}
void boolean(const YamlElement& element, const char* key, bool& x) {
  optional(element, key, [&](const YamlElement& e) { x = e.boolean(); });
}
void list(const YamlElement& element, const char* key, Array<double>& x, int count) {
  optional(element, key, [&](const YamlElement& e) { x = e.numbers(count); });
}

Model<double> read_robot(const YamlElement& element, const std::string& file, Findings* findings) {
  const std::string name = element.text();
  const auto beside = std::filesystem::path(file).parent_path() / name;
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(beside, ignored);
  const std::string robot = is_file ? beside.string() : name;
  return load_robot(robot, is_builtin_robot(robot) ? nullptr : findings);
}

Payload read_payload(const YamlElement& element, const Model<double>& model) {
  element.allow_keys({"link", "mass", "com", "inertia"});
  Payload p;
  p.link = element.at("link").text();
  if (!model.has_frame(p.link)) element.at("link").fail("no link " + in_quotes(p.link));
  p.inertial.mass = element.at("mass").number();
  if (!(p.inertial.mass > 0)) element.at("mass").fail("must be positive");
  optional(element, "com", [&](const YamlElement& e) { p.inertial.com = e.vec3(); });
  optional(element, "inertia", [&](const YamlElement& e) {
    const std::vector<double> x = e.numbers(3);  // principal moments along the link's axes
    p.inertial.about_com = {x[0], 0, x[1], 0, 0, x[2]};
  });
  return p;
}

ModelChanges read_changes(const YamlElement& element, const Model<double>& model) {
  ModelChanges c;
  optional(element, "gravity", [&](const YamlElement& e) { c.gravity = e.vec3(); });
  number(element, "parameter_factor", c.parameter_factor);
  optional(element, "parameters", [&](const YamlElement& e) {
    const std::vector<std::string> names = parameter_names(model);
    if (!e.is_map()) e.fail("is no map of names and values");
    const std::vector<YamlElement> values = e.entries();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string& name = e.node().keys[k];
      if (std::find(names.begin(), names.end(), name) == names.end())
        values[k].fail("is no inertial parameter" + did_you_mean(name, names));
      c.parameters.push_back({name, values[k].number()});
    }
  });
  optional(element, "payloads", [&](const YamlElement& e) {
    for (const YamlElement& item : e.items("payload"))
      c.payloads.push_back(read_payload(item, model));
  });
  return c;
}

Surface read_surface(const YamlElement& element) {
  element.allow_keys({"name", "frame", "point", "origin", "normal", "radius", "inside", "stiffness",
                      "damping", "bilateral", "restitution", "friction", "slip"});
  Surface s;
  optional(element, "name", [&](const YamlElement& e) { s.name = e.text(); });
  s.frame = element.at("frame").text();
  optional(element, "point", [&](const YamlElement& e) { s.point = e.vec3(); });
  optional(element, "origin", [&](const YamlElement& e) { s.origin = e.vec3(); });
  optional(element, "normal", [&](const YamlElement& e) { s.normal = e.vec3(); });
  number(element, "radius", s.radius);
  boolean(element, "inside", s.inside);
  number(element, "stiffness", s.stiffness);
  number(element, "damping", s.damping);
  boolean(element, "bilateral", s.bilateral);
  number(element, "restitution", s.restitution);
  number(element, "friction", s.friction);
  number(element, "slip", s.slip);
  return s;
}

TorqueFunction read_disturbance(const YamlElement& element, int n_v) {
  element.allow_keys({"torque", "from", "to"});
  double from = -infinity, to = infinity;
  number(element, "from", from);
  number(element, "to", to);
  return [torque = element.at("torque").numbers(n_v), from, to](
             double t, View<const double>, View<const double>, View<double> tau) {
    for (int k = 0; t >= from && t < to && k < tau.size; ++k) tau[k] += torque[k];
  };
}

void read_plant(const YamlElement& element, Scenario& s) {
  element.allow_keys({"gravity", "parameter_factor", "parameters", "payloads", "friction", "stops",
                      "surfaces", "disturbance"});
  s.plant_model = changed(s.plant_model, read_changes(element, s.plant_model));
  boolean(element, "friction", s.friction);
  optional(element, "stops", [&](const YamlElement& e) {
    e.allow_keys({"stiffness", "damping"});
    number(e, "stiffness", s.stops.stiffness);
    number(e, "damping", s.stops.damping);
  });
  optional(element, "surfaces", [&](const YamlElement& e) {
    for (const YamlElement& item : e.items("surface")) s.surfaces.push_back(read_surface(item));
  });
  optional(element, "disturbance",
           [&](const YamlElement& e) { s.disturbance = read_disturbance(e, s.plant_model.n_v()); });
}

/// Numbers, or words where the first is none.
void set_list(LawParameters& parameters, const std::string& name, const YamlElement& element) {
  const std::vector<YamlElement> items = element.items(name.c_str());
  if (items.empty() || parse_number(items[0].text())) {
    parameters.set(name, element.numbers());
    return;
  }
  std::vector<std::string> words;
  for (const YamlElement& item : items) words.push_back(item.text());
  parameters.set(name, std::move(words));
}

/// The law as the run will make it: so that a wrong name, gain or reference is refused with its line.
std::unique_ptr<ControlLaw> read_controller(const YamlElement& element, Scenario& s) {
  element.allow_keys({"law", "gains", "believes"});
  s.law = element.at("law").text();
  optional(element, "gains", [&](const YamlElement& gains) {
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
  optional(element, "believes", [&](const YamlElement& e) {
    e.allow_keys({"gravity", "parameter_factor", "parameters", "payloads", "friction"});
    ModelChanges changes = read_changes(e, s.controller_model);
    boolean(e, "friction", changes.friction);
    s.controller_model = changed(s.controller_model, changes);
  });
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
               did_you_mean(element.text(), known));
}

void read_run(const YamlElement& element, SimulateOptions& o) {
  element.allow_keys({"duration", "record_every", "integrator", "step", "tolerance", "period",
                      "delay", "measure_acceleration"});
  number(element, "duration", o.duration);
  number(element, "record_every", o.record_every);
  optional(element, "integrator", [&](const YamlElement& e) { o.integrator = read_integrator(e); });
  number(element, "step", o.step);
  optional(element, "tolerance",
           [&](const YamlElement& e) { o.control.relative = o.control.absolute = e.number(); });
  number(element, "period", o.period);
  number(element, "delay", o.delay);
  boolean(element, "measure_acceleration", o.measure_acceleration);
}

void read_sensors(const YamlElement& element, SensorOptions& s, int n_v) {
  element.allow_keys(
      {"encoder_step", "velocity_by_difference", "position_noise", "velocity_noise", "seed"});
  list(element, "encoder_step", s.encoder_step, n_v);
  boolean(element, "velocity_by_difference", s.velocity_by_difference);
  number(element, "position_noise", s.position_noise);
  number(element, "velocity_noise", s.velocity_noise);
  double seed = 1;
  number(element, "seed", seed);
  if (!(seed >= 0) || seed != static_cast<double>(static_cast<unsigned long>(seed)))
    element.at("seed").fail("must be a whole number, not negative");
  s.seed = static_cast<unsigned long>(seed);
}

}  // namespace

Scenario read_scenario(std::string_view text, const std::string& file_name, Findings* findings) {
  const internal::YamlNode root = internal::parse_yaml(text, file_name);
  const YamlElement top(root, file_name, "scenario");
  top.allow_keys({"scenario", "title", "robot", "plant", "controller", "reference", "start", "run",
                  "sensors", "actuators", "sweep", "output"});
  const Model<double> robot = read_robot(top.at("robot"), file_name, findings);
  Scenario s{.name = {}, .title = {}, .plant_model = robot, .controller_model = robot, .law = {}};
  optional(top, "scenario", [&](const YamlElement& e) { s.name = e.text(); });
  optional(top, "title", [&](const YamlElement& e) { s.title = e.text(); });
  optional(top, "plant", [&](const YamlElement& e) { read_plant(e, s); });
  const std::unique_ptr<ControlLaw> law = read_controller(top.at("controller"), s);
  s.reference = [](double, ReferencePoint&) {};  // enough for laws that need none
  optional(top, "reference", [&](const YamlElement& e) {
    s.reference = internal::scenario::read_reference(e, s.plant_model);
  });
  try {
    ReferencePoint point;
    s.reference(s.options.start, point);
    law->check_reference(point.view());
  } catch (const Error& error) {
    if (!top.has("reference")) (void)top.at("reference");  // "is missing"
    top.at("reference").fail(error.what());
  }
  optional(top, "start", [&](const YamlElement& e) {
    e.allow_keys({"q", "qd"});
    list(e, "q", s.options.q0, robot.n_q());
    list(e, "qd", s.options.v0, robot.n_v());
  });
  optional(top, "run", [&](const YamlElement& e) { read_run(e, s.options); });
  optional(top, "sensors",
           [&](const YamlElement& e) { read_sensors(e, s.options.sensors, robot.n_v()); });
  optional(top, "actuators", [&](const YamlElement& e) {
    e.allow_keys({"torque_limit", "model_limits", "rate_limit"});
    list(e, "torque_limit", s.options.actuators.torque_limit, robot.n_v());
    boolean(e, "model_limits", s.options.actuators.model_limits);
    list(e, "rate_limit", s.options.actuators.rate_limit, robot.n_v());
  });
  optional(top, "sweep",
           [&](const YamlElement& e) { s.sweep = internal::scenario::read_sweep(e, s); });
  optional(top, "output", [&](const YamlElement& e) {
    for (const YamlElement& item : e.items("file")) s.outputs.push_back(item.text());
  });
  return s;
}

Scenario load_scenario(const std::string& path, Findings* findings) {
  return read_scenario(read_text_file(path), path, findings);
}

}  // namespace torsor
