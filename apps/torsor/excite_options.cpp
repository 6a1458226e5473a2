#include <algorithm>
#include <cmath>
#include <numbers>

#include "excite.hpp"
#include "number_list.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/text.hpp"
#include "torsor/trajectory/configuration_path.hpp"

namespace torsor::command {
namespace {

// What a robot file does not say is assumed, and told: slow for an industrial arm.
constexpr double pi = std::numbers::pi;
constexpr double angle_range = pi, length_range = 0.5;              // rad, m to both sides
constexpr double angle_velocity = 2, length_velocity = 0.5;         // rad/s, m/s
constexpr double angle_acceleration = 10, length_acceleration = 2;  // rad/s^2, m/s^2

double one_number(const char* option, const std::string& text, const char* what) {
  return parse_numbers(option, text, 1, what)[0];
}

/// One number for all coordinates or a list of them; empty where the option is not given.
std::vector<double> each(const char* option, const std::string& text, std::size_t n) {
  if (text.empty()) return {};
  std::vector<double> x = parse_numbers(option, text);
  if (x.size() == 1) x.assign(n, x[0]);
  if (x.size() != n)
    throw Error(std::string(option) + ": has " + std::to_string(x.size()) +
                " numbers; give one, or one for each of " + std::to_string(n) + " joints");
  return x;
}

std::vector<Limits> limits_of(const ExciteArguments& given, const Model<double>& model,
                              std::vector<std::string>& notes) {
  std::vector<Limits> limits = coordinate_limits(model);
  const std::vector<Measure> measures = coordinate_measures(model);
  const std::vector<std::string> labels = coordinate_labels(model);
  const auto replace = [&](const char* option, const std::string& text, double Limits::*which,
                           bool turns, bool positive) {
    const std::vector<double> x = each(option, text, limits.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (positive && x[k] <= 0)
        throw Error(std::string(option) + ": " + number(x[k]) + " is not positive");
      const bool turned = turns && given.degrees && measures[k] == Measure::angle;
      limits[k].*which = turned ? x[k] * pi / 180 : x[k];
    }
  };
  replace("--lower", given.lower, &Limits::lower, true, false);
  replace("--upper", given.upper, &Limits::upper, true, false);
  replace("--max-velocity", given.velocity, &Limits::velocity, true, true);
  replace("--max-acceleration", given.acceleration, &Limits::acceleration, true, true);
  replace("--max-jerk", given.jerk, &Limits::jerk, true, true);
  replace("--max-torque", given.torque, &Limits::effort, false, true);

  const Array<int> driven = excited_coordinates(model);  // others follow, and need no bounds
  const auto assume = [&](double Limits::*which, double angle, double length, const char* what,
                          const char* unit, const char* option) {
    for (const bool turns : {true, false}) {
      std::vector<std::string> joints;
      for (const int at : driven)
        if (const auto k = static_cast<std::size_t>(at);
            !std::isfinite(limits[k].*which) && (measures[k] == Measure::angle) == turns) {
          limits[k].*which = turns ? angle : length;
          joints.push_back(labels[k]);
        }
      if (!joints.empty())
        notes.push_back(std::string(option) + " " + number(turns ? angle : length) +
                        (turns ? " rad" : " m") + unit + " assumed: the robot file has no " + what +
                        " of " + listed(joints));
    }
  };
  assume(&Limits::lower, -angle_range, -length_range, "lower position limit", "", "--lower");
  assume(&Limits::upper, angle_range, length_range, "upper position limit", "", "--upper");
  assume(&Limits::velocity, angle_velocity, length_velocity, "velocity limit", "/s",
         "--max-velocity");
  assume(&Limits::acceleration, angle_acceleration, length_acceleration, "acceleration limit",
         "/s^2", "--max-acceleration");

  const double share = one_number("--share", given.share, "per cent") / 100;
  if (!(share > 0 && share <= 1))
    throw Error("--share: is " + given.share + " per cent; takes more than 0, up to 100");
  for (Limits& l : limits) {
    const double spared =
        std::isfinite(l.upper - l.lower) ? (1 - share) / 2 * (l.upper - l.lower) : 0;
    l.lower += spared, l.upper -= spared;
    for (double Limits::*which :
         {&Limits::velocity, &Limits::acceleration, &Limits::jerk, &Limits::effort})
      l.*which *= share;
  }
  return limits;
}

/// "tool:x=0.2..0.8,z=0.1.."
WorkspaceBox box_of(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    throw Error("--box " + in_quotes(text) + ": " + why + "; write FRAME:x=0.2..0.8,z=0.1..");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) refuse("has no colon after the frame");
  WorkspaceBox box;
  box.frame = text.substr(0, colon);
  for (const std::string& part : split(text.substr(colon + 1))) {
    const std::size_t dots = part.find("..");
    const std::size_t axis = part.size() > 1 ? std::string("xyz").find(part[0]) : std::string::npos;
    if (axis == std::string::npos || part[1] != '=' || dots == std::string::npos)
      refuse(in_quotes(part) + " is no range of x, y or z");
    const auto read = [&](const std::string& bound, double open) {
      return bound.empty() ? open : one_number("--box", bound, "m");
    };
    box.lower[static_cast<int>(axis)] = read(part.substr(2, dots - 2), -infinity);
    box.upper[static_cast<int>(axis)] = read(part.substr(dots + 2), infinity);
  }
  return box;
}

void leave_out(const std::string& text, ExcitationOptions& options) {
  const std::vector<std::string> known{"rotors", "viscous", "coulomb", "offset"};
  bool* const flags[] = {&options.rotors, &options.viscous, &options.coulomb, &options.offset};
  for (const std::string& word : text.empty() ? std::vector<std::string>{} : split(text)) {
    const auto at = std::find(known.begin(), known.end(), word);
    if (at == known.end())
      throw Error("--without " + in_quotes(word) + ": is none of " + listed(known, " or ") +
                  did_you_mean(word, known));
    *flags[at - known.begin()] = false;
  }
}

std::vector<std::string> names_of(const Array<int>& some, const std::vector<std::string>& labels) {
  std::vector<std::string> names;
  for (const int k : some) names.push_back(labels[static_cast<std::size_t>(k)]);
  return names;
}

/// Of a robot with loops: the joints that drive it.
Array<double> driven_posture(const ExciteArguments& given, const Model<double>& model,
                             const Array<int>& driven) {
  const std::vector<double> said =
      parse_numbers("--start", given.start, static_cast<std::size_t>(driven.size()),
                    "a position of each joint that drives");
  Array<double> posture(said.begin(), said.end());
  const std::vector<Measure> measures = coordinate_measures(model);
  for (int k = 0; k < driven.size(); ++k)
    if (given.degrees && measures[static_cast<std::size_t>(driven[k])] == Measure::angle)
      posture[k] *= pi / 180;
  return posture;
}

}  // namespace

ExcitationOptions excitation_options(const ExciteArguments& given, const Model<double>& model,
                                     std::vector<std::string>& notes) {
  ExcitationOptions o;
  if (given.criterion == "d")
    o.criterion = ExcitationCriterion::d_optimal;
  else if (given.criterion != "condition")
    throw Error("--criterion " + in_quotes(given.criterion) + ": is none of condition or d");
  if (given.points > 0) o.motion = ExcitationMotion::spline, o.points = given.points;
  o.harmonics = given.harmonics;
  o.trajectories = given.trajectories;
  o.period = one_number("--period", given.period, "s");
  o.limits = limits_of(given, model, notes);
  for (const std::string& box : given.boxes) {
    o.boxes.push_back(box_of(box));
    (void)model.frame(o.boxes.back().frame);
  }
  if (!given.floor.empty()) o.floor = one_number("--floor", given.floor, "m");
  const Array<int> driven = excited_coordinates(model);
  if (driven.size() == model.n_q()) {
    if (!given.start.empty())
      o.start = parse_configuration(given.start, given.degrees, model, "--start");
  } else {
    notes.push_back("moved are " + listed(names_of(driven, coordinate_labels(model))) +
                    "; all other joints follow through the loops");
    if (!given.start.empty()) o.start = driven_posture(given, model, driven);
  }
  o.torque_noise = each("--noise", given.noise, static_cast<std::size_t>(driven.size()));
  leave_out(given.without, o);
  o.starts = given.starts;
  o.threads = given.threads;
  if (given.seed) o.seed = static_cast<unsigned>(*given.seed);
  if (!given.time.empty()) o.seconds = one_number("--time", given.time, "s");
  return o;
}

}  // namespace torsor::command
