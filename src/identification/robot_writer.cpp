#include "robot_writer.hpp"

#include <cmath>
#include <limits>

#include "distribution.hpp"
#include "joint_words.hpp"

namespace torsor::internal {
namespace {

using Of = ParameterSlot::Of;

std::map<std::string, ParameterSlot> all_slots(const Model<double>& model) {
  std::map<std::string, ParameterSlot> slots;
  const RobotDescription& robot = model.description();
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    for (int w = 0; w < parameters_per_body; ++w)
      slots.emplace(robot.links[k].name + "." + parameter_words[static_cast<std::size_t>(w)],
                    ParameterSlot{Of::link, static_cast<int>(k), 0, w});
  const auto words = joint_words();
  for (int v = 0; v < model.n_v(); ++v)
    for (std::size_t w = 0; w < words.size(); ++w)
      slots.emplace(words[w].before + model.dof_name(v) + words[w].after,
                    ParameterSlot{Of::joint, v, 0, static_cast<int>(w)});
  const auto lists = element_words();
  for (std::size_t l = 0; l < lists.size(); ++l)
    for (int k = 0; k < lists[l].count(robot); ++k)
      for (std::size_t w = 0; w < lists[l].words.size(); ++w)
        slots.emplace(lists[l].before + lists[l].name(robot, k) + "." + lists[l].words[w].name,
                      ParameterSlot{Of::element, k, static_cast<int>(l), static_cast<int>(w)});
  return slots;
}

std::vector<std::vector<int>> links_of_bodies(const Model<double>& model) {
  std::vector<std::vector<int>> links(static_cast<std::size_t>(model.n_bodies()));
  const auto& all = model.description().links;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const int body = model.frame(all[k].name).body;
    auto& of_body = links[static_cast<std::size_t>(body)];
    of_body.push_back(static_cast<int>(k));
    if (body > 0 && all[k].name == model.body_name(body))
      std::swap(of_body.front(), of_body.back());
  }
  return links;
}

Inertia<double> inertia_of(const Inertial& in) {
  return Inertia<double>::at_com(in.mass, in.com, in.about_com);
}
bool is_possible(const Inertia<double>& I) {
  const auto p = parameters_of(I);
  const auto values = eigenvalues(pseudo_inertia(p.data()));
  return values[0] >= -1e-10 * values[3];
}

}  // namespace

std::set<int> named_links(const std::vector<ParameterSlot>& slots) {
  std::set<int> named;
  for (const ParameterSlot& s : slots)
    if (s.of == Of::link) named.insert(s.index);
  return named;
}

RobotWriter::RobotWriter(const Model<double>& model)
    : model_(model), slots_(all_slots(model)), bodies_(links_of_bodies(model)) {
  if (!model.is_described())
    throw Error("robot \"" + model.name() +
                "\" has inertial parameters of no possible body; write_back needs a prior");
  out_.robot = model.description();
}

ParameterSlot RobotWriter::slot(const std::string& word) const {
  const auto found = slots_.find(word);
  if (found != slots_.end()) return found->second;
  if (word.starts_with("gain.")) return {Of::none, 0, 0, 0};
  std::vector<std::string> known;
  for (const auto& [name, s] : slots_) known.push_back(name);
  throw Error("robot \"" + model_.name() + "\" has no parameter \"" + word + "\"" +
              did_you_mean(word, known));
}
std::vector<ParameterSlot> RobotWriter::slots_of(const std::vector<std::string>& names) {
  std::vector<ParameterSlot> found;
  std::set<std::string> seen;
  for (const std::string& word : names) {
    if (!seen.insert(word).second) throw Error("parameter \"" + word + "\" is there twice");
    found.push_back(slot(word));
  }
  return found;
}

Inertia<double> RobotWriter::on_body(int link) const {
  return transported(model_.frame(name(link)).placement, inertia_of(before(link)));
}
/// Those behind fixed joints; all links of body 0, which no joint carries.
std::vector<int> RobotWriter::fixed_links(int body) const {
  const std::vector<int>& all = bodies_[at(body)];
  return {all.begin() + (body == 0 || all.empty() ? 0 : 1), all.end()};
}
Inertia<double> RobotWriter::counted(int link, const std::set<int>& named) const {
  const int body = model_.frame(name(link)).body;
  if (body == 0 || bodies_[at(body)].front() != link) return inertia_of(before(link));
  Inertia<double> sum = model_.body(body).inertia;
  for (const int other : fixed_links(body))
    if (named.contains(other)) sum = sum - on_body(other);
  return sum;
}
double RobotWriter::value(const ParameterSlot& slot, const std::set<int>& named) const {
  if (slot.of == Of::link) return parameters_of(counted(slot.index, named))[at(slot.word)];
  if (slot.of == Of::joint) return joint_words()[at(slot.word)].get(model_.dof(slot.index));
  if (slot.of == Of::none) return 0;
  return element_words()[at(slot.list)].words[at(slot.word)].get(model_.description(), slot.index);
}
bool RobotWriter::is_rotor(const ParameterSlot& slot) const {
  if (slot.of == Of::element) return element_words()[at(slot.list)].words[at(slot.word)].is_rotor;
  return slot.of == Of::joint && joint_words()[at(slot.word)].is_rotor;
}

double RobotWriter::rotor_weight(const ParameterSlot& slot) const {
  if (slot.of != Of::element) return 1;
  double sum = 0;
  for (const Coupling::Term& term : model_.description().motors[at(slot.index)].ratios)
    sum += term.factor * term.factor;
  return sum;
}

void RobotWriter::set_joint(const ParameterSlot& slot, double x) {
  const JointWord& word = joint_words()[at(slot.word)];
  for (int i = 1; i < model_.n_bodies(); ++i) {
    const Dofs v = model_.body(i).v;
    if (slot.index < v.first || slot.index >= v.first + v.count) continue;
    for (Joint& joint : out_.robot.joints)
      if (joint.name == model_.joint_name(i))
        word.set({joint, slot.index - v.first, v.count, model_.dof(slot.index), out_.notes}, x);
  }
}

void RobotWriter::write(const std::vector<ParameterSlot>& slots, In<double> values) {
  const std::set<int> named = named_links(slots);
  std::map<int, Inertia<double>> links;
  for (const int link : named) links[link] = counted(link, named);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const double x = values[static_cast<int>(k)];
    const ParameterSlot& s = slots[k];
    if (s.of == Of::joint) set_joint(s, x);
    if (s.of == Of::element)
      element_words()[at(s.list)].words[at(s.word)].set(out_.robot, s.index, x);
    if (s.of != Of::link) continue;
    auto p = parameters_of(links[s.index]);
    p[at(s.word)] = x;
    links[s.index] = torsor::inertia_of(p.data());
  }
  set_links(links);
}

/// Every link of `wanted` as counted() has it.
void RobotWriter::set_links(const std::map<int, Inertia<double>>& wanted) {
  std::vector<Inertia<double>> total;
  std::set<int> changed;
  for (const auto& [link, I] : wanted) changed.insert(model_.frame(name(link)).body);
  for (int i = 0; i < model_.n_bodies(); ++i) {
    total.push_back(i == 0 ? Inertia<double>{} : model_.body(i).inertia);
    Inertia<double> named_part;
    std::vector<int> others;
    for (const int link : fixed_links(i)) {
      const auto own = wanted.find(link);
      if (own == wanted.end()) {
        others.push_back(link);
        continue;
      }
      const Inertia<double> now = transported(model_.frame(name(link)).placement, own->second);
      named_part = named_part + now;
      total.back() = total.back() - on_body(link) + now;
      state(link, own->second);
    }
    if (i == 0) continue;
    const int carried = bodies_[at(i)].front();
    const auto own = wanted.find(carried);
    if (own == wanted.end()) continue;
    total.back() = own->second + named_part;
    share(carried, own->second, others);
  }
  finish(total, changed);
}

/// False where mass, centre and inertia cannot say I.
bool RobotWriter::state(int link, const Inertia<double>& I) {
  Link& to = out_.robot.links[at(link)];
  if (I.m > 0) {
    const Vec3<double> com = I.h * (1 / I.m);
    to.inertial = {I.m, com, I.J - Inertia<double>::parallel_axes(I.m, com)};
  } else if (I.m == 0 && squared_norm(I.h) == 0) {
    to.inertial = {0, {}, I.J};
  } else {
    return out_.described = false;
  }
  to.has_inertial = true;
  return true;
}
/// I on the link that the joint carries and on those fixed to it.
void RobotWriter::share(int carried, const Inertia<double>& I, const std::vector<int>& fixed) {
  Inertia<double> rest = I;
  double mass = before(carried).mass;
  for (const int link : fixed) {
    rest = rest - on_body(link);
    mass += before(link).mass;
  }
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const bool was_empty = before(carried).mass == 0;
  if (!fixed.empty() && was_empty && std::abs(rest.m) <= rounding * mass) {
    rest.m = 0, rest.h = {};  // what rounding left of a link without mass has no centre
  }
  const bool fits = fixed.empty() || !is_possible(I) || (rest.m >= 0 && is_possible(rest));
  if (fits && state(carried, rest)) return;
  if (fixed.empty()) return;
  out_.described = true;
  std::string names;
  for (const int link : fixed) names += (names.empty() ? "" : ", ") + name(link);
  if (!(mass > 0) || !(I.m > 0)) {
    if (state(carried, I)) {
      for (const int link : fixed) state(link, {});
      out_.notes.push_back("body " + name(carried) + ": all of it is on that link, none on " +
                           names);
    }
    return;
  }
  const auto put = [&](int link) {
    const double part = before(link).mass / mass;
    state(link, transported(inverse(model_.frame(name(link)).placement), I * part));
  };
  const SE3<double> own = model_.frame(name(carried)).placement;
  state(carried, transported(inverse(own), I * (before(carried).mass / mass)));
  for (const int link : fixed) put(link);
  out_.notes.push_back("body " + name(carried) + ": less mass than " + names +
                       " had; all of its links share it in proportion to their masses");
}

void RobotWriter::finish(const std::vector<Inertia<double>>& total, const std::set<int>& changed) {
  for (std::size_t i = 1; i < total.size(); ++i) {
    const auto p = parameters_of(total[i]);
    out_.inertial.insert(out_.inertial.end(), p.begin(), p.end());
    const auto values = eigenvalues(pseudo_inertia(p.data()));
    const bool possible = values[0] >= -1e-10 * values[3];
    out_.bodies.push_back({model_.body_name(static_cast<int>(i)), values[0], possible});
    out_.consistent = out_.consistent && (possible || !changed.contains(static_cast<int>(i)));
  }
}

WriteBack RobotWriter::take() {
  if (out_.ok()) try {
      const Model<double> made(out_.robot);
    } catch (const Error& refused) {
      out_.message = refused.what();
    }
  if (!out_.ok()) out_.robot = model_.description();
  return std::move(out_);
}

}  // namespace torsor::internal
