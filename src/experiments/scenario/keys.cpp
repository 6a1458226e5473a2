/// The table of keys.
#include "torsor/experiments/scenario_keys.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/formats/text.hpp"

namespace torsor {

namespace {

using Key = ScenarioKey;

constexpr const char* required = "required";

Key positive(Key k) {
  k.least = 0, k.more_than_least = true;
  return k;
}
Key not_negative(Key k) {
  k.least = 0;
  return k;
}
Key between(double least, double largest, Key k) {
  k.least = least, k.largest = largest;
  return k;
}

std::vector<Key> keys() {
  using enum KeyKind;  // here alone: its words are names of functions elsewhere
  return {
      {"", "scenario", text, "", "", "its name in tables and legends"},
      {"", "title", text, "", "", "one line"},
      {"", "robot", text, "", required, "built in, or a file beside this one"},
      {"", "floating", boolean, "", "false", "a free joint under the root link"},
      {"", "plant", map, "", "", "how the true robot differs from the file's"},
      {"", "controller", map, "", required, "the law, its gains and what it believes"},
      {"", "reference", map, "", "",
       "what the law follows; required for laws that follow something"},
      {"", "start", map, "", "neutral, at rest", "the state at the start"},
      {"", "run", map, "", "", "duration, recording and integration"},
      {"", "sensors", map, "", "exact", "what the law measures; needs a period"},
      {"", "actuators", map, "", "no limits", "what the motors can give"},
      {"", "sweep", map, "", "", "what `torsor sweep` varies"},
      {"", "output", list, "", "",
       "files for the recording (.csv, .trec), below the current folder"},

      {"plant", "gravity", vector, "m/s^2", "the file's", "of the true world"},
      not_negative({"plant", "parameter_factor", number, "", "1", "on all inertial parameters"}),
      {"plant", "parameters", map, "", "", "single inertial parameters: {link_2.mx: 0.4}"},
      {"plant", "payloads", list, "", "", "bodies fixed to links"},
      {"plant", "friction", boolean, "", "true", "that of the model"},
      {"plant", "stops", map, "", "none", "springs beyond the joint limits"},
      {"plant", "surfaces", list, "", "", "planes and spheres that a point touches"},
      {"plant", "disturbance", map, "", "", "torques at the joints for a time"},

      {"payloads", "link", text, "", required,
       "that carries it; links fixed to another are links, too"},
      positive({"payloads", "mass", number, "kg", required, ""}),
      {"payloads", "com", vector, "m", "0", "its centre of mass, in the link's frame"},
      not_negative({"payloads", "inertia", numbers, "kg m^2", "0",
                    "three principal moments along the link's axes, about its centre of mass"}),

      positive({"stops", "stiffness", number, "N m / rad, N / m", required, ""}),
      not_negative(
          {"stops", "damping", number, "s / rad, s / m", "0", "relative to the stiffness"}),

      {"surfaces", "name", text, "", "surface", ""},
      {"surfaces", "frame", text, "", required, "whose point touches it"},
      {"surfaces", "point", vector, "m", "0", "in the frame"},
      {"surfaces", "origin", vector, "m", "0", "a point of the plane, or the centre of the sphere"},
      {"surfaces", "normal", vector, "", "[0, 0, 1]", "of a plane, to the side where the robot is"},
      not_negative({"surfaces", "radius", number, "m", "0", "of a sphere; 0: a plane"}),
      {"surfaces", "inside", boolean, "", "false", "a sphere touched from inside"},
      positive({"surfaces", "stiffness", number, "N/m", "rigid", "makes it compliant"}),
      not_negative({"surfaces", "damping", number, "N s / m", "0", "of a compliant one"}),
      {"surfaces", "bilateral", boolean, "", "false", "a rigid one that is never left"},
      between(0, 1, {"surfaces", "restitution", number, "", "0", "of a rigid one"}),
      not_negative(
          {"surfaces", "friction", number, "", "0", "Coulomb's coefficient, of a compliant one"}),
      positive({"surfaces", "slip", number, "m/s", "0.001", "over which friction turns its sign"}),

      {"disturbance", "torque", numbers, "N m, N", required, "one for each degree of freedom"},
      {"disturbance", "from", number, "s", "always", "when it begins"},
      {"disturbance", "to", number, "s", "for ever", "when it ends"},

      {"controller", "law", text, "", required, "`torsor laws` lists them"},
      {"controller", "gains", map, "", "", "numbers, lists and words: `torsor laws NAME`"},
      {"controller", "believes", map, "", "the file's robot",
       "how the law's robot differs from the file's"},

      {"believes", "robot", text, "", "the file's",
       "another file with the same joints: an identified robot"},
      {"believes", "gravity", vector, "m/s^2", "the file's", ""},
      not_negative({"believes", "parameter_factor", number, "", "1",
                    "on all inertial parameters; 0: nothing has mass"}),
      {"believes", "parameters", map, "", "", "single inertial parameters"},
      {"believes", "payloads", list, "", "", "bodies fixed to links"},
      {"believes", "friction", boolean, "", "true", "false: joints and motors have none"},

      {"reference", "hold", numbers, "rad, m", "", "one configuration"},
      {"reference", "quintic", map, "", "", "from rest to rest; quaternions too"},
      {"reference", "sinusoid", map, "", "", "offset + amplitude sin(frequency t + phase)"},
      {"reference", "trapezoid", map, "", "", "with a limit of velocity and acceleration"},
      {"reference", "spline", map, "", "", "cubic, through points"},
      {"reference", "fourier", map, "", "", "a Fourier series"},
      {"reference", "task", map, "", "",
       "one of these motions, or a circle, of the law's own coordinates"},
      {"reference", "force", map, "", "", "one of these motions, of the force on the environment"},
      {"reference", "pose", map, "", "", "of the law's frame"},

      {"quintic", "from", numbers, "rad, m", required, ""},
      {"quintic", "to", numbers, "rad, m", required, ""},
      positive({"quintic", "duration", number, "s", required, ""}),
      {"sinusoid", "amplitude", numbers, "rad, m", required, ""},
      {"sinusoid", "frequency", numbers, "rad/s", required, "one, or one for each coordinate"},
      {"sinusoid", "offset", numbers, "rad, m", "0", "one, or one for each coordinate"},
      {"sinusoid", "phase", numbers, "rad", "0", "one, or one for each coordinate"},
      {"trapezoid", "from", numbers, "rad, m", required, ""},
      {"trapezoid", "to", numbers, "rad, m", required, ""},
      positive({"trapezoid", "velocity", numbers, "rad/s, m/s", required, "one, or one for each"}),
      positive({"trapezoid", "acceleration", numbers, "rad/s^2, m/s^2", required,
                "one, or one for each"}),
      {"spline", "times", numbers, "s", required, "of the points, in order"},
      {"spline", "points", list, "rad, m", required, "a list of numbers for each time"},
      {"spline", "ends", text, "", "clamped", "natural, clamped, periodic or not_a_knot"},
      positive({"fourier", "frequency", number, "rad/s", required, "of the first harmonic"}),
      {"fourier", "offset", numbers, "rad, m", required, ""},
      {"fourier", "a", list, "rad, m", required, "of the sines: a row for each coordinate"},
      {"fourier", "b", list, "rad, m", required, "of the cosines: a row for each coordinate"},
      {"circle", "centre", numbers, "m", required, "in the coordinates of the task"},
      positive({"circle", "radius", number, "m", required, ""}),
      {"circle", "rate", number, "rad/s", required, ""},
      {"circle", "phase", number, "rad", "0", "at t = 0"},
      {"circle", "axes", list, "", "the first two", "two vectors of length 1 at right angles"},
      {"pose", "hold", map, "", "", "{xyz: [..], rpy: [..]}, or with quaternion: [x, y, z, w]"},
      {"pose", "from", map, "", "", "a pose; with to and duration"},
      {"pose", "to", map, "", "", "a pose"},
      positive({"pose", "duration", number, "s", "", "rest to rest, quintic"}),
      {"pose", "straight", boolean, "", "false", "the point on a line; else along the screw"},

      {"start", "q", numbers, "rad, m", "neutral",
       "n_q numbers, or the name of a configuration of the robot"},
      {"start", "qd", numbers, "rad/s, m/s", "0", "n_v numbers"},

      positive({"run", "duration", number, "s", "1", ""}),
      positive({"run", "record_every", number, "s", "0.01",
                "between rows of the recording; the end has one, too"}),
      {"run", "integrator", text, "", "dormand_prince8; dormand_prince5 with a period up to 0.005",
       "taylor, semi_implicit_euler, rk4, dormand_prince5 or dormand_prince8"},
      positive({"run", "step", number, "s", "0.001", "of integrators with a fixed step"}),
      between(1e-15, 0.1,
              {"run", "tolerance", number, "", "1e-10", "relative and absolute, of the others"}),
      not_negative({"run", "period", number, "s", "0", "of sampled control; 0: continuous"}),
      not_negative({"run", "delay", number, "s", "0", "from measuring to acting; needs a period"}),
      {"run", "measure_acceleration", boolean, "", "false", "the law sees qdd"},
      between(1, 1e15,
              {"run", "most_evaluations", whole, "", "2e6, and 1e7 per second",
               "of the plant, after which a run that has not ended is stopped"}),

      not_negative({"sensors", "encoder_step", numbers, "rad, m", "0",
                    "resolution for each degree of freedom"}),
      {"sensors", "velocity_by_difference", boolean, "", "false",
       "qd from the last two measured q"},
      not_negative({"sensors", "position_noise", number, "rad, m", "0", "standard deviation"}),
      not_negative({"sensors", "velocity_noise", number, "rad/s, m/s", "0", "standard deviation"}),
      between(0, 9007199254740991.0, {"sensors", "seed", whole, "", "1", "of the noise"}),

      positive({"actuators", "torque_limit", numbers, "N m, N", "none",
                "one for each degree of freedom"}),
      {"actuators", "model_limits", boolean, "", "false", "the effort limits of the robot, too"},
      positive({"actuators", "rate_limit", numbers, "N m / s, N / s", "none", "needs a period"}),

      between(1, 10'000'000, {"sweep", "samples", whole, "", "100", "runs"}),
      between(0, 9007199254740991.0, {"sweep", "seed", whole, "", "1", "of all draws"}),
      {"sweep", "uncertainties", map, "", required,
       "[least, largest], or {normal: [mean, deviation]}"},
      {"uncertainties", "parameter_factor", list, "", "", "one factor on all inertial parameters"},
      {"uncertainties", "link_factor", list, "", "", "one factor for each link"},
      {"uncertainties", "inertial_factor", list, "", "",
       "one for each parameter of each link; possible bodies stay possible"},
      {"uncertainties", "friction_factor", list, "", "",
       "one factor on the friction of all joints"},
      {"uncertainties", "payload", map, "", "", "the mass of a ball fixed to a link"},
      {"uncertainties", "payloads", list, "", "", "several of them"},
      {"uncertainties", "start_q", list, "rad, m", "", "added to each degree of freedom"},
      {"uncertainties", "start_qd", list, "rad/s, m/s", "", "added to each degree of freedom"},
      {"uncertainties", "noise", boolean, "", "false", "another seed of the noise for each run"},
      {"uncertainties", "gains", map, "", "", "factors: {Kp: [0.8, 1.2]}"},
      {"payload", "link", text, "", required, "that carries it"},
      {"payload", "mass", list, "kg", required, "a distribution"},
      {"payload", "com", vector, "m", "0", "its centre, in the link's frame"},
      not_negative({"payload", "radius", number, "m", "0", "of the ball; 0: a point"}),
  };
}

}  // namespace

const char* name_of(KeyKind kind) {
  constexpr const char* names[] = {
      "text",          "true or false", "whole number", "number", "list of numbers",
      "three numbers", "keys",          "list"};
  return names[static_cast<int>(kind)];
}

std::string ScenarioKey::range() const {
  if (std::isfinite(least) && std::isfinite(largest))
    return format_number(least) + " ... " + format_number(largest);
  if (std::isfinite(least)) return (more_than_least ? "> " : ">= ") + format_number(least);
  return std::isfinite(largest) ? "<= " + format_number(largest) : "";
}

const std::vector<ScenarioKey>& scenario_keys() {
  static const std::vector<ScenarioKey> all = keys();
  return all;
}

std::vector<std::string> scenario_sections() {
  std::vector<std::string> sections;
  for (const ScenarioKey& k : scenario_keys())
    if (std::find(sections.begin(), sections.end(), k.section) == sections.end())
      sections.emplace_back(k.section);
  return sections;
}

std::string scenario_keys_table(const std::string& section) {
  std::string out = "| key | takes | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const ScenarioKey& k : scenario_keys()) {
    if (section != k.section) continue;
    const std::string range = k.range();
    out += std::string("| `") + k.key + "` | " + name_of(k.kind) +
           (range.empty() ? "" : ", " + range) + " | " + k.unit + " | " + k.fallback + " | " +
           k.meaning + " |\n";
  }
  return out;
}

}  // namespace torsor
