#include "eval_request.hpp"

#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "json_input.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {
namespace {

using Kind = JsonValue::Kind;

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, n);
    if (text.size() > text_file_limit) break;  // check_is_text says so
  }
  check_is_text(text, "standard input");
  return text;
}

/// Refuses keys that are not in `known`.
void check_keys(const JsonValue& object, const std::vector<std::string>& known,
                const std::string& where) {
  for (const std::string& key : object.keys)
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Error(where + "unknown key " + in_quotes(key) + did_you_mean(key, known));
}

std::vector<double> numbers(const JsonValue& value, const std::string& where) {
  if (!value.is(Kind::list)) throw Error(where + "is not a list of numbers");
  for (std::size_t k = 0; k < value.items.size(); ++k)
    if (!value.items[k].is(Kind::number))
      throw Error(where + "number " + std::to_string(k + 1) + " is " + shown(value.items[k]));
  return value.numbers;
}
/// Adds the values of state number `count` to those of the states before; states without them have
/// zeros as soon as there is one with.
void add_velocity(const JsonValue& state, const char* key, const Model<double>& model, int count,
                  const std::string& where, std::vector<double>& all) {
  const JsonValue* const given = state.find(key);
  if (given == nullptr && all.empty()) return;
  const auto n = static_cast<std::size_t>(model.n_v());
  all.resize(static_cast<std::size_t>(count) * n, 0.0);
  if (given == nullptr) return all.resize(all.size() + n, 0.0);
  const std::string place = where + key + ": ";
  const std::vector<double> v = numbers(*given, place);
  if (v.size() != n)
    throw Error(place + "has " + std::to_string(v.size()) + " numbers, " + in_quotes(model.name()) +
                " has " + std::to_string(model.n_v()) + " degrees of freedom");
  all.insert(all.end(), v.begin(), v.end());
}
std::vector<double> configuration_of(const JsonValue& state, const Model<double>& model,
                                     const std::string& where) {
  const JsonValue* const given = state.find("q");
  if (given == nullptr) throw Error(where + "has no \"q\"");
  std::vector<double> q;
  if (!given->is(Kind::text)) q = numbers(*given, where + "q: ");
  try {
    if (given->is(Kind::text)) q = named_configuration(model, given->text);
    check_configuration(model, q);
  } catch (const Error& refused) {
    throw Error(where + "q: " + refused.what());
  }
  return q;
}

/// {link: (m, f) in the link's frame}, moved to the frames of the bodies that carry the links.
std::vector<Wrench<double>> wrenches_of(const JsonValue& value, const Model<double>& model,
                                        const std::string& where) {
  if (!value.is(Kind::object)) throw Error(where + "is not {link: six numbers}");
  Array<Wrench<double>> F(model.n_bodies());
  for (std::size_t k = 0; k < value.keys.size(); ++k) {
    const std::string& name = value.keys[k];
    if (model.description().find_link(name) == nullptr) {
      std::vector<std::string> links;
      for (const Link& link : model.description().links) links.push_back(link.name);
      throw Error(where + "no link " + in_quotes(name) + did_you_mean(name, links));
    }
    const std::vector<double> x = numbers(value.items[k], where + in_quotes(name) + ": ");
    if (x.size() != 6)
      throw Error(where + in_quotes(name) + ": has " + std::to_string(x.size()) +
                  " numbers, a wrench has 6 (moment, force)");
    const Frame& frame = model.frame(name);
    F[frame.body] +=
        Ad_dual_inv(frame.placement, Wrench<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }
  return F;
}

void add_state(const JsonValue& item, const Model<double>& model, const std::string& where,
               EvalRequest& request) {
  if (!item.is(Kind::object)) throw Error(where + "is not an object {\"q\": [...]}");
  check_keys(item, {"q", "qd", "qdd", "tau", "f_ext"}, where);
  const std::vector<double> q = configuration_of(item, model, where);
  request.q.insert(request.q.end(), q.begin(), q.end());
  add_velocity(item, "qd", model, request.count, where, request.qd);
  add_velocity(item, "qdd", model, request.count, where, request.qdd);
  add_velocity(item, "tau", model, request.count, where, request.tau);
  if (const JsonValue* const wrenches = item.find("f_ext"))
    request.own_F_ext[request.count] = wrenches_of(*wrenches, model, where + "f_ext: ");
  ++request.count;
}

}  // namespace

EvalRequest parse_eval_request(const std::string& text, const std::string& file,
                               const Model<double>& model) {
  EvalRequest request;
  // States are turned into numbers as they come: there may be a million of them.
  const auto take = [&](const std::vector<std::string>& path, const JsonValue& value) {
    if (path.size() != 2 || path[0] != "states") return false;
    const std::string where = file + ": states[" + path[1] + "]: ";
    add_state(value, model, where, request);
    return true;
  };
  const JsonValue input = read_json(text, file, take);
  if (!input.is(Kind::object)) throw Error(file + ": is not an object {\"states\": [...]}");
  check_keys(input, {"frame", "states", "f_ext"}, file + ": ");
  if (const JsonValue* const frame = input.find("frame")) {
    if (!frame->is(Kind::text)) throw Error(file + ": frame: is not a name");
    request.frame = frame->text;
    try {
      (void)model.frame(request.frame);
    } catch (const Error& refused) {
      throw Error(file + ": frame: " + refused.what());
    }
  }
  const JsonValue* const states = input.find("states");
  if (states == nullptr) throw Error(file + ": has no \"states\"");
  if (!states->is(Kind::list)) throw Error(file + ": states: is not a list");
  if (!states->items.empty() || !states->numbers.empty())
    throw Error(file +
                ": states: " + (states->items.empty() ? "a number" : shown(states->items.front())) +
                " is not an object {\"q\": [...]}");
  if (const JsonValue* const common = input.find("f_ext"))
    request.F_ext = wrenches_of(*common, model, file + ": f_ext: ");
  return request;
}

EvalRequest read_eval_request(const std::string& path, const Model<double>& model) {
  if (path == "-") return parse_eval_request(read_standard_input(), "standard input", model);
  return parse_eval_request(read_text_file(path), one_line(path), model);
}

}  // namespace torsor::command
