#include "eval_request.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "command.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {
namespace {

using InputJson = nlohmann::ordered_json;

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

/// Of two equal keys a parser keeps one, and nobody knows which was meant.
InputJson parsed(const std::string& text, const std::string& file) {
  std::vector<std::set<std::string>> open;  // keys of the objects around the place
  return InputJson::parse(text, [&](int, InputJson::parse_event_t event, InputJson& value) {
    if (event == InputJson::parse_event_t::object_start) open.emplace_back();
    if (event == InputJson::parse_event_t::object_end) open.pop_back();
    if (event == InputJson::parse_event_t::key &&
        !open.back().insert(value.get<std::string>()).second)
      throw Error(file + ": key " + in_quotes(value.get<std::string>()) +
                  " stands twice in one object");
    return true;
  });
}

/// Refuses keys that are not in `known`.
void check_keys(const InputJson& object, const std::vector<std::string>& known,
                const std::string& where) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Error(where + "unknown key " + in_quotes(key) + did_you_mean(key, known));
}

std::vector<double> numbers(const InputJson& value, const std::string& where) {
  if (!value.is_array()) throw Error(where + "is not a list of numbers");
  std::vector<double> list;
  for (const InputJson& item : value) {
    if (!item.is_number())
      throw Error(where + "number " + std::to_string(list.size() + 1) + " is " +
                  in_quotes(item.dump(-1, ' ', false, InputJson::error_handler_t::replace)));
    list.push_back(item.get<double>());
  }
  return list;
}
std::vector<double> velocity_of(const InputJson& state, const char* key, const Model<double>& model,
                                const std::string& where) {
  if (!state.contains(key)) return std::vector<double>(static_cast<std::size_t>(model.n_v()), 0.0);
  const std::string place = where + key + ": ";
  std::vector<double> v = numbers(state[key], place);
  if (v.size() != static_cast<std::size_t>(model.n_v()))
    throw Error(place + "has " + std::to_string(v.size()) + " numbers, \"" + model.name() +
                "\" has " + std::to_string(model.n_v()) + " degrees of freedom");
  return v;
}
std::vector<double> configuration_of(const InputJson& state, const Model<double>& model,
                                     const std::string& where) {
  if (!state.contains("q")) throw Error(where + "has no \"q\"");
  std::vector<double> q = numbers(state["q"], where + "q: ");
  try {
    check_configuration(model, q);
  } catch (const Error& refused) {
    throw Error(where + "q: " + refused.what());
  }
  return q;
}

/// {link: (m, f) in the link's frame}, moved to the frames of the bodies that carry the links.
std::vector<Wrench<double>> wrenches_of(const InputJson& value, const Model<double>& model,
                                        const std::string& where) {
  if (!value.is_object()) throw Error(where + "is not {link: six numbers}");
  std::vector<std::string> links;
  for (const Link& link : model.description().links) links.push_back(link.name);
  std::vector<Wrench<double>> F(static_cast<std::size_t>(model.n_bodies()));
  for (const auto& [name, item] : value.items()) {
    if (std::find(links.begin(), links.end(), name) == links.end())
      throw Error(where + "no link " + in_quotes(name) + did_you_mean(name, links));
    const std::vector<double> x = numbers(item, where + in_quotes(name) + ": ");
    if (x.size() != 6)
      throw Error(where + in_quotes(name) + ": has " + std::to_string(x.size()) +
                  " numbers, a wrench has 6 (moment, force)");
    const Frame& frame = model.frame(name);
    F[static_cast<std::size_t>(frame.body)] +=
        Ad_dual_inv(frame.placement, Wrench<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }
  return F;
}

}  // namespace

EvalRequest read_eval_request(const std::string& path, const Model<double>& model) {
  const std::string file = path == "-" ? "standard input" : one_line(path);
  const std::string text = path == "-" ? read_standard_input() : read_text_file(path);
  InputJson input;
  try {
    input = parsed(text, file);
  } catch (const InputJson::exception& error) {
    std::string why = error.what();  // "[json.exception.parse_error.101] parse error at line ..."
    why.erase(0, why.starts_with("[") ? std::min(why.find("] ") + 2, why.size()) : 0);
    throw Error(file + ": " + why);
  }
  if (!input.is_object()) throw Error(file + ": is not an object {\"states\": [...]}");
  check_keys(input, {"frame", "states", "f_ext"}, file + ": ");
  EvalRequest request;
  if (input.contains("frame")) {
    if (!input["frame"].is_string()) throw Error(file + ": frame: is not a name");
    request.frame = input["frame"].get<std::string>();
    try {
      (void)model.frame(request.frame);
    } catch (const Error& refused) {
      throw Error(file + ": frame: " + refused.what());
    }
  }
  if (!input.contains("states")) throw Error(file + ": has no \"states\"");
  if (!input["states"].is_array()) throw Error(file + ": states: is not a list");
  std::vector<Wrench<double>> common;
  if (input.contains("f_ext")) common = wrenches_of(input["f_ext"], model, file + ": f_ext: ");
  for (const InputJson& item : input["states"]) {
    const std::string where = file + ": states[" + std::to_string(request.states.size()) + "]: ";
    if (!item.is_object()) throw Error(where + "is not an object {\"q\": [...]}");
    check_keys(item, {"q", "qd", "qdd", "tau", "f_ext"}, where);
    EvalState entry;
    entry.state = {configuration_of(item, model, where), velocity_of(item, "qd", model, where),
                   velocity_of(item, "qdd", model, where), velocity_of(item, "tau", model, where)};
    entry.F_ext =
        item.contains("f_ext") ? wrenches_of(item["f_ext"], model, where + "f_ext: ") : common;
    request.states.push_back(std::move(entry));
  }
  return request;
}

}  // namespace torsor::command
