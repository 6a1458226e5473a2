#include "torsor/model/parameter_name.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace torsor {
namespace {

using Names = std::vector<std::string>;
using Parameters = std::vector<Parameter>;

/// One line, whatever is in the text.
std::string in_quotes(const std::string& text) {
  std::string line = "\"";
  for (const char c : text) line += c == '\n' ? "\\n" : std::string(1, c);
  return line + "\"";
}

/// Whether something of the robot has this name.
bool is_element(const Model<double>& model, const std::string& name) {
  const RobotDescription& robot = model.description();
  const auto named = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& x) { return x.name == name; });
  };
  if (named(robot.links) || named(robot.joints) || named(model.frames()) || named(robot.springs) ||
      named(robot.motors))
    return true;
  for (int k = 0; k < model.n_v(); ++k)
    if (model.dof_name(k) == name) return true;
  return false;
}

/// A name in pieces: its kind, what it is of, and the last word.
struct Reader {
  const Model<double>& model;
  const std::string& name;
  std::string kind{}, element{}, word{};
  bool has_element = false, has_word = false;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("parameter " + in_quotes(name) + ": " + what);
  }
  /// Runs `make` with messages that begin with the name.
  template <class Make>
  Parameter made(Make make) const {
    try {
      return make();
    } catch (const Error& refused) {
      fail(refused.what());
    }
  }

  /// KIND.ELEMENT.WORD; the element may have dots itself.
  void split(bool with_word) {
    const std::size_t first = name.find('.');
    kind = name.substr(0, first);
    if (first == std::string::npos) return;
    has_element = true;
    element = name.substr(first + 1);
    const std::size_t last = element.rfind('.');
    if (!with_word || last == std::string::npos || is_element(model, element)) return;
    has_word = true;
    word = element.substr(last + 1);
    element.resize(last);
  }
  const std::string& need_element(const char* what) const {
    if (element.empty()) fail(std::string("has no ") + what + ": " + kind + "." + what);
    return element;
  }

  /// The places of the word in a list: all of them where there is none.
  template <int N>
  std::vector<int> places(const FixedArray<const char*, N>& words, const std::string& given,
                          bool has) const {
    std::vector<int> found;
    for (std::size_t k = 0; k < N; ++k)
      if (!has || given == words[k]) found.push_back(static_cast<int>(k));
    if (!found.empty()) return found;
    Names known(words.begin(), words.end());
    std::string list;
    for (const std::string& w : known) list += (list.empty() ? "" : ", ") + w;
    fail("no " + in_quotes(given) + did_you_mean(given, known) + " (" + list + ")");
  }
  template <int N>
  std::vector<int> places(const FixedArray<const char*, N>& words) const {
    return places(words, word, has_word);
  }

  /// "joint" or "joint.1": degrees of freedom; all of the robot without an element.
  std::vector<int> dofs() const {
    std::vector<int> found;
    Names known;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const Dofs v = model.body(i).v;
      known.push_back(model.joint_name(i));
      for (int k = v.first; k < v.first + v.count; ++k) {
        if (!has_element || element == model.joint_name(i) || element == model.dof_name(k))
          found.push_back(k);
        if (v.count > 1) known.push_back(model.dof_name(k));
      }
    }
    if (!has_element || !found.empty()) return found;
    fail("no joint " + in_quotes(element) + did_you_mean(element, known));
  }

  using OfDof = Parameter (*)(const Model<double>&, int);
  Parameters each_dof(OfDof make) const {
    Parameters list;
    for (const int k : dofs()) list.push_back(made([&] { return make(model, k); }));
    return list;
  }
  template <int N>
  Parameters each_dof_word(Parameter (*make)(const Model<double>&, int, int),
                           const FixedArray<const char*, N>& words) const {
    Parameters list;
    for (const int dof : dofs())
      for (const int k : places(words)) {
        try {
          list.push_back(make(model, dof, k));
        } catch (const Error& refused) {  // of all of them, those that there are
          if (has_word) fail(refused.what());
        }
      }
    return list;
  }
  template <int N>
  Parameters each_word(Parameter (*make)(const Model<double>&, const std::string&, int),
                       const FixedArray<const char*, N>& words, const char* what) const {
    (void)need_element(what);
    Parameters list;
    for (const int k : places(words)) list.push_back(made([&] { return make(model, element, k); }));
    return list;
  }

  /// Of a motor without a word: all that there are.
  Parameters each_motor_word() const {
    (void)need_element("NAME");
    Parameters list;
    for (const int k : places(internal::motor_words)) {
      try {
        list.push_back(Parameter::motor(model, element, k));
      } catch (const Error& refused) {
        if (has_word || k == 0) fail(refused.what());
      }
    }
    return list;
  }

  int row(const std::string& text) const {
    for (int i = 1; i < model.n_bodies(); ++i)
      if (text == model.joint_name(i)) return i;
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !(std::abs(number) < 1e6) ||
        number != static_cast<int>(number)) {
      Names known;
      for (int i = 1; i < model.n_bodies(); ++i) known.push_back(model.joint_name(i));
      fail("row " + in_quotes(text) + " is neither a number nor a joint" +
           did_you_mean(text, known));
    }
    return static_cast<int>(number);
  }
  Parameters dh() const {
    const auto convention =
        kind == "dh" ? DhTable::Convention::standard : DhTable::Convention::modified;
    std::vector<int> rows;
    if (has_element) rows.push_back(row(element));
    for (int i = 1; !has_element && i < model.n_bodies(); ++i) rows.push_back(i);
    Parameters list;
    for (const int r : rows)
      for (const int e : places(internal::dh_words))
        list.push_back(
            made([&] { return Parameter::dh(model, convention, r, static_cast<DhEntry>(e)); }));
    return list;
  }
  Parameters gravity() const {
    Parameters list;
    for (const int k : places(internal::axis_words, element, has_element))
      list.push_back(Parameter::gravity(model, k));
    return list;
  }
  Parameters link() const {
    Parameters list;
    if (!has_word) {
      for (int k = 0; k < parameters_per_body; ++k)
        list.push_back(made([&] { return Parameter::inertial(model, element, k); }));
      return list;
    }
    Names known;
    for (std::size_t k = 0; k < internal::parameter_words.size(); ++k) {
      known.emplace_back(internal::parameter_words[k]);
      if (word == internal::parameter_words[k])
        return {made([&] { return Parameter::inertial(model, element, static_cast<int>(k)); })};
    }
    for (int k = 0; k < internal::link_words.size(); ++k) {
      known.emplace_back(internal::link_words[k]);
      if (word == internal::link_words[k])
        return {made([&] { return Parameter::of_link(model, element, static_cast<int>(k)); })};
    }
    fail("a link has no " + in_quotes(word) + did_you_mean(word, known));
  }
};

const Names& kinds() {
  static const Names names = {
      "q",        "qd",    "qdd",  "tau",           "link",        "placement", "axis",
      "pitch",    "dh",    "mdh",  "gravity",       "wrench",      "tool",      "point",
      "friction", "rotor", "gear", "motor_viscous", "disturbance", "spring",    "spring_damper",
      "motor"};
  return names;
}
bool takes_word(const std::string& kind) {
  static const Names without = {"q",     "qd",   "qdd",           "tau",         "pitch",
                                "rotor", "gear", "motor_viscous", "disturbance", "gravity"};
  return std::find(without.begin(), without.end(), kind) == without.end();
}

/// LINK, LINK.word or JOINT.word without a kind in front, or nothing like a parameter.
Parameters short_name(const Model<double>& model, const std::string& name) {
  Reader r{model, name};
  const bool whole = model.description().find_link(name) != nullptr;
  std::string dotted = name;
  std::replace(dotted.begin(), dotted.end(), ':', '.');
  const std::string kind = dotted.substr(0, dotted.find('.'));
  if (!whole && dotted != name && std::find(kinds().begin(), kinds().end(), kind) != kinds().end())
    r.fail("has colons; write " + dotted);
  const std::size_t last = whole ? name.size() : name.rfind('.');
  if (last == std::string::npos)
    r.fail("is not known" + did_you_mean(name, kinds()) + " (a link's are LINK.mass and so on)");
  r.element = name.substr(0, last);
  r.has_element = true;
  r.has_word = !whole;
  if (r.has_word) r.word = name.substr(last + 1);
  const bool of_joint = std::find(internal::friction_words.begin(), internal::friction_words.end(),
                                  r.word) != internal::friction_words.end();
  if (of_joint && is_element(model, r.element))
    return r.each_dof_word(Parameter::friction, internal::friction_words);
  r.kind = "link";
  if (!model.description().find_link(r.element)) {
    Names known = kinds();
    for (const Link& l : model.description().links) known.push_back(l.name);
    for (const Joint& j : model.description().joints) known.push_back(j.name);
    r.fail(in_quotes(r.element) + " is neither a kind of parameter nor a link or joint" +
           did_you_mean(r.element, known));
  }
  return r.link();
}

}  // namespace

Parameters parse_parameter(const Model<double>& model, const std::string& name) {
  const std::string kind = name.substr(0, name.find('.'));
  if (std::find(kinds().begin(), kinds().end(), kind) == kinds().end())
    return short_name(model, name);
  Reader r{model, name};
  r.split(takes_word(kind));
  if (r.has_element && r.element.empty()) r.fail("has nothing after the dot");
  if (kind == "q") return r.each_dof(Parameter::coordinate);
  if (kind == "qd") return r.each_dof(Parameter::velocity);
  if (kind == "qdd") return r.each_dof(Parameter::acceleration);
  if (kind == "tau") return r.each_dof(Parameter::torque);
  if (kind == "rotor") return r.each_dof(Parameter::rotor);
  if (kind == "gear") return r.each_dof(Parameter::gear);
  if (kind == "motor_viscous") return r.each_dof(Parameter::motor_viscous);
  if (kind == "disturbance") return r.each_dof(Parameter::disturbance);
  if (kind == "friction") return r.each_dof_word(Parameter::friction, internal::friction_words);
  if (kind == "spring") return r.each_dof_word(Parameter::spring, internal::spring_words);
  if (kind == "dh" || kind == "mdh") return r.dh();
  if (kind == "gravity") return r.gravity();
  if (kind == "pitch")
    return {r.made([&] { return Parameter::pitch(model, r.need_element("JOINT")); })};
  if (kind == "placement")
    return r.each_word(Parameter::placement, internal::placement_words, "JOINT");
  if (kind == "axis") return r.each_word(Parameter::axis, internal::axis_words, "JOINT");
  if (kind == "wrench") return r.each_word(Parameter::wrench, internal::wrench_words, "FRAME");
  if (kind == "tool") return r.each_word(Parameter::tool, internal::placement_words, "FRAME");
  if (kind == "point") return r.each_word(Parameter::point, internal::axis_words, "FRAME");
  if (kind == "spring_damper")
    return r.each_word(Parameter::spring_damper, internal::spring_damper_words, "NAME");
  if (kind == "motor") return r.each_motor_word();
  (void)r.need_element("LINK");
  return r.link();
}

Parameters parse_parameters(const Model<double>& model, const std::string& names) {
  Parameters list;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty()) throw Error("parameters: a name is missing in " + in_quotes(names));
    for (Parameter& p : parse_parameter(model, name)) list.push_back(std::move(p));
  }
  return list;
}

}  // namespace torsor
