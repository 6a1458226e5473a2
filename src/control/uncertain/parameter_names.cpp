#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "torsor/control/uncertain/parameter_set.hpp"
#include "torsor/model/internal/parameter_advice.hpp"

namespace torsor {

namespace {

/// "joint.viscous" ... of every degree of freedom.
std::vector<std::string> joint_parameter_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (int k = 0; k < model.n_v(); ++k)
    for (const char* word : internal::joint_parameter_words)
      names.push_back(model.dof_name(k) + "." + word);
  return names;
}

int find(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The next " + " or " - " from a place on.
std::size_t next_sign(const std::string& name, std::size_t from) {
  return std::min(name.find(" + ", from), name.find(" - ", from));
}

}  // namespace

void ParameterSet::add(const std::string& name) {
  for (int i = 1; i < model_->n_bodies(); ++i)
    if (name == model_->body_name(i)) {
      for (const char* word : internal::parameter_words) add(name + "." + word);
      return;
    }
  if (find(names_, name) >= 0) throw Error("parameter \"" + name + "\" is named twice");
  double sign = 1;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t end = std::min(next_sign(name, from), name.size());
    add_term(name, trimmed(name.substr(from, end - from)), sign);
    if (end == name.size()) break;
    sign = name[end + 1] == '-' ? -1 : 1;
    from = end + 3;
  }
  names_.push_back(name);
}

void ParameterSet::add_term(const std::string& whole, std::string term, double factor) {
  const std::string where = "robot \"" + model_->name() + "\": parameter \"" + whole + "\"";
  if (!term.empty() && (term[0] == '-' || term[0] == '+')) {
    if (term[0] == '-') factor = -factor;
    term = trimmed(term.substr(1));
  }
  if (const std::size_t star = term.find('*'); star != std::string::npos) {
    const std::string number = trimmed(term.substr(0, star));
    char* end = nullptr;
    const double x = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !std::isfinite(x) || x == 0)
      throw Error(where + " has \"" + number + "\" for a factor; a number other than 0 is needed");
    factor *= x;
    term = trimmed(term.substr(star + 1));
  }
  double motion = factor, weight = 0;
  std::string name = term;
  if (ends_with(name, ".inertia")) {
    name.resize(name.size() - 8);
    weight = -factor;
  } else if (ends_with(name, ".gravity")) {
    name.resize(name.size() - 8);
    motion = 0, weight = factor;
  }
  const int column = size();
  std::vector<std::string> known = parameter_names(*model_);
  if (const int k = find(known, name); k >= 0) {
    const int body = k / parameters_per_body + 1, entry = k % parameters_per_body;
    if (entry > 3) {
      if (motion == 0) throw Error(where + " has no share in gravity");
      weight = 0;
    }
    links_.push_back({column, body, entry, motion, weight});
    named_[body] = 1;
    return;
  }
  const std::vector<std::string> of_joints = joint_parameter_names(*model_);
  if (const int k = find(of_joints, name); k >= 0 && name == term) {
    const int words = internal::joint_parameter_words.size();
    joints_.push_back({column, k / words, static_cast<JointParameter>(k % words), factor});
    return;
  }
  known.insert(known.end(), of_joints.begin(), of_joints.end());
  for (int i = 1; i < model_->n_bodies(); ++i) known.push_back(model_->body_name(i));
  throw Error(where + (whole == name ? " is unknown" : ": \"" + name + "\" is unknown") +
              internal::parameter_advice(*model_, name, known));
}

}  // namespace torsor
