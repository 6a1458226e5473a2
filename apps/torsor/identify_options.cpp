#include "identify_options.hpp"

#include <algorithm>
#include <cmath>

#include "number_list.hpp"
#include "text_output.hpp"

namespace torsor::command {
namespace {

constexpr double least_mass = 1e-9, largest_mass = 1e9;  // kg

double one_number(const char* option, const std::string& text) {
  return parse_numbers(option, text, 1, "a number")[0];
}
/// Between the bounds, which are part of it.
double within(const char* option, const std::string& text, double least, double largest) {
  const double x = one_number(option, text);
  if (x < least) throw Error(std::string(option) + ": " + number(x) + " is below " + number(least));
  if (x > largest)
    throw Error(std::string(option) + ": " + number(x) + " is above " + number(largest));
  return x;
}

void read_filter(const std::string& word, IdentifyOptions& to) {
  const std::vector<std::string> known = {"butterworth", "savitzky_golay", "fourier", "none"};
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw Error("--filter: unknown filter \"" + word + "\"" + did_you_mean(word, known));
  if (word == "savitzky_golay") to.filter.derivatives = FilterOptions::Derivatives::savitzky_golay;
  to.periodic = word == "fourier";
  to.filter.low_pass = word != "none";
}

/// "14.4" or "14.4+-0.3".
void read_mass(const std::string& text, ConsistencyOptions& to) {
  const std::size_t at = text.find("+-");
  to.total_mass = within("--mass", text.substr(0, at), least_mass, largest_mass);
  if (at != std::string::npos)
    to.total_mass_sigma = within("--mass", text.substr(at + 2), 0, largest_mass);
}

/// What is known of a link, a new one where nothing was said of it yet.
LinkKnowledge& link_of(std::vector<LinkKnowledge>& links, const std::string& name) {
  for (LinkKnowledge& link : links)
    if (link.link == name) return link;
  links.emplace_back();
  links.back().link = name;
  return links.back();
}

/// "LINK=A:B": its three parts.
struct LinkBounds {
  std::string link, first, second;
};
LinkBounds link_bounds(const char* option, const std::string& text, const char* form) {
  const std::size_t equals = text.find('='), colon = text.find(':', std::min(equals, text.size()));
  if (equals == std::string::npos || equals == 0 || colon == std::string::npos)
    throw Error(std::string(option) + ": \"" + text + "\" is not " + form);
  return {text.substr(0, equals), text.substr(equals + 1, colon - equals - 1),
          text.substr(colon + 1)};
}

/// "forearm=4:7", kg.
void read_link_mass(const std::string& text, std::vector<LinkKnowledge>& links) {
  const char* const option = "--link-mass";
  const LinkBounds of = link_bounds(option, text, "LINK=LEAST:LARGEST, in kg");
  LinkKnowledge& link = link_of(links, of.link);
  link.least_mass = within(option, of.first, 0, largest_mass);
  link.largest_mass = within(option, of.second, link.least_mass, largest_mass);
}

/// "forearm=0.2,0,0:0.3,0.1,0.1", m: centre and half axes in the link's frame.
void read_link_ellipsoid(const std::string& text, std::vector<LinkKnowledge>& links) {
  const char* const option = "--link-ellipsoid";
  const LinkBounds of = link_bounds(option, text, "LINK=X,Y,Z:A,B,C, centre and half axes in m");
  const std::vector<double> centre = parse_numbers(option, of.first, 3, "x, y, z of the centre"),
                            axes = parse_numbers(option, of.second, 3, "three half axes");
  for (const double a : axes)
    if (!(a > 0 && a <= 1e3))
      throw Error(std::string(option) + ": a half axis of " + number(a) +
                  " m is not above 0 and at most 1000");
  for (const double x : centre)
    if (!(std::abs(x) <= 1e3))
      throw Error(std::string(option) + ": a centre at " + number(x) + " m is beyond 1000");
  LinkKnowledge& link = link_of(links, of.link);
  link.centre = {centre[0], centre[1], centre[2]};
  link.half_axes = {axes[0], axes[1], axes[2]};
}

/// "FRAME", "FRAME=2.5" (kg), "FRAME=2.5:loaded.csv,too.csv": of some logs alone.
PayloadUnknown payload_of(const std::string& text, const std::vector<std::string>& logs) {
  PayloadUnknown load;
  const std::size_t colon = text.find(':');
  std::string what = text.substr(0, colon);
  if (colon != std::string::npos) {
    for (std::size_t from = colon + 1; from <= text.size();) {
      const std::size_t comma = std::min(text.find(',', from), text.size());
      const std::string log = text.substr(from, comma - from);
      if (std::find(logs.begin(), logs.end(), log) == logs.end())
        throw Error("--payload: \"" + log + "\" is none of the logs");
      for (std::size_t k = 0; k < logs.size(); ++k)  // one file may be fitted and validate
        if (logs[k] == log) load.logs.push_back(static_cast<int>(k));
      from = comma + 1;
    }
  }
  const std::size_t equals = what.find('=');
  if (equals != std::string::npos) {
    load.mass = one_number("--payload", what.substr(equals + 1));
    if (!(load.mass > 0 && load.mass <= largest_mass))
      throw Error("--payload: " + text + ": a mass is above 0 and at most " + number(largest_mass));
    what = what.substr(0, equals);
  }
  load.frame = what;
  return load;
}

int whole(const char* option, const std::string& text, int least, int largest) {
  const double x = within(option, text, least, largest);
  if (x != std::floor(x)) throw Error(std::string(option) + ": " + text + " is no whole number");
  return static_cast<int>(x);
}

}  // namespace

Estimator estimator_of(const std::string& word) {
  std::vector<std::string> known;
  for (int k = 0; k <= static_cast<int>(Estimator::output_error); ++k) {
    known.emplace_back(name_of(static_cast<Estimator>(k)));
    if (known.back() == word) return static_cast<Estimator>(k);
  }
  throw Error("--estimator: unknown estimator \"" + word + "\"" + did_you_mean(word, known));
}

IdentifyOptions identify_options(const IdentifyArguments& o, const Motors& motors) {
  IdentifyOptions to;
  to.motors = motors;
  to.estimator = estimator_of(o.estimator);
  to.choice.rotors = !o.no_rotors;
  to.choice.viscous = to.choice.coulomb = to.choice.offset = !o.no_friction;
  to.choice.asymmetry = o.asymmetry;
  to.choice.stiction = o.stiction || to.estimator == Estimator::output_error;
  to.choice.load = o.load;
  to.choice.springs = to.choice.spring_dampers = o.springs;
  for (std::size_t from = 0; !o.unknowns.empty() && from <= o.unknowns.size();) {
    const std::size_t comma = std::min(o.unknowns.find(',', from), o.unknowns.size());
    to.unknowns.push_back(o.unknowns.substr(from, comma - from));
    from = comma + 1;
  }
  std::vector<std::string> logs = o.logs;
  logs.insert(logs.end(), o.validate.begin(), o.validate.end());
  for (const std::string& text : o.payloads) to.payloads.push_back(payload_of(text, logs));
  to.payload_only = o.payload_only;
  read_filter(o.filter, to);
  if (!o.motion_period.empty()) to.motion_period = within("--period", o.motion_period, 1e-6, 1e6);
  to.find_delay = !o.keep_delay;
  if (!o.cutoff.empty()) to.filter.cutoff = within("--cutoff", o.cutoff, 1e-6, 1e9);
  if (!o.decimate.empty()) to.filter.decimation = whole("--decimate", o.decimate, 1, 1000000);
  to.filter.use_velocities = !o.no_velocities;
  if (!o.least_speed.empty()) to.least_speed = within("--least-speed", o.least_speed, 0, 1e6);
  if (!o.width.empty()) {
    to.sign_width = within("--width", o.width, 0, 1e6);
    to.force_width = true;
  }
  if (o.bootstrap > 0 && o.bootstrap < 10)
    throw Error("--bootstrap: " + std::to_string(o.bootstrap) +
                " draws tell nothing; 0, or 10 at least");
  if (!o.split.empty()) to.split = within("--split", o.split, 0.01, 1);
  if (!o.block.empty()) to.block = within("--block", o.block, 1e-3, 1e6);
  if (!o.mass.empty()) read_mass(o.mass, to.consistency);
  for (const std::string& text : o.link_masses) read_link_mass(text, to.consistency.links);
  for (const std::string& text : o.link_ellipsoids) read_link_ellipsoid(text, to.consistency.links);
  if (!o.gamma.empty()) to.consistency.gamma = within("--gamma", o.gamma, 1e-12, 1e12);
  to.bootstrap = o.bootstrap;
  to.seed = static_cast<unsigned>(o.seed);
  return to;
}

}  // namespace torsor::command
