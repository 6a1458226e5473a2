#include "torsor/identification/write_back.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include "base_parameter_ways.hpp"
#include "distribution.hpp"
#include "joint_words.hpp"

namespace torsor {
namespace {

using internal::JointWord;
constexpr int ten = parameters_per_body;

std::string text(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", x);
  return buffer;
}

/// What a name stands for: number k of a link's ten, a word of a velocity, or one of a spring.
struct Slot {
  enum class Of : unsigned char { link, joint, spring } of = Of::link;
  int index = 0;  // link, velocity or spring
  int word = 0;
};
std::map<std::string, Slot> all_slots(const Model<double>& model) {
  std::map<std::string, Slot> slots;
  const RobotDescription& robot = model.description();
  const auto& links = robot.links;
  for (std::size_t k = 0; k < links.size(); ++k)
    for (int w = 0; w < ten; ++w)
      slots.emplace(links[k].name + "." + internal::parameter_words[static_cast<std::size_t>(w)],
                    Slot{Slot::Of::link, static_cast<int>(k), w});
  const auto words = internal::joint_words();
  for (int v = 0; v < model.n_v(); ++v)
    for (std::size_t w = 0; w < words.size(); ++w)
      slots.emplace(words[w].before + model.dof_name(v) + words[w].after,
                    Slot{Slot::Of::joint, v, static_cast<int>(w)});
  const auto fields = internal::spring_words_in_file();
  for (std::size_t s = 0; s < robot.springs.size(); ++s)
    for (std::size_t w = 0; w < fields.size(); ++w)
      slots.emplace("spring_damper." + robot.springs[s].name + "." + fields[w].name,
                    Slot{Slot::Of::spring, static_cast<int>(s), static_cast<int>(w)});
  return slots;
}

/// The links of every body, those that joints carry first.
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
  const auto values = internal::eigenvalues(internal::pseudo_inertia(p.data()));
  return values[0] >= -1e-10 * values[3];
}

/// The robot that an estimate changes, link by link and joint by joint.
class Writer {
 public:
  explicit Writer(const Model<double>& model)
      : model_(model), slots_(all_slots(model)), bodies_(links_of_bodies(model)) {
    if (!model.is_described())
      throw Error("robot \"" + model.name() +
                  "\" has inertial parameters of no possible body; write_back needs a prior");
    out_.robot = model.description();
  }

  const Slot& slot(const std::string& name) const {
    const auto at = slots_.find(name);
    if (at != slots_.end()) return at->second;
    std::vector<std::string> known;
    for (const auto& [word, s] : slots_) known.push_back(word);
    throw Error("robot \"" + model_.name() + "\" has no parameter \"" + name + "\"" +
                did_you_mean(name, known));
  }
  std::vector<const Slot*> slots_of(const std::vector<std::string>& names) const {
    std::vector<const Slot*> found;
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (!seen.insert(name).second) throw Error("parameter \"" + name + "\" is there twice");
      found.push_back(&slot(name));
    }
    return found;
  }

  /// The ten of a link as the estimate counts them: with every link fixed to the one that a joint
  /// carries, but for those that are `named` themselves.
  Inertia<double> counted(int link, const std::set<int>& named) const {
    const auto& links = model_.description().links;
    const int body = model_.frame(links[at(link)].name).body;
    const std::vector<int>& of_body = bodies_[at(body)];
    if (body == 0 || of_body.front() != link) return inertia_of(links[at(link)].inertial);
    Inertia<double> sum = model_.body(body).inertia;
    for (std::size_t k = 1; k < of_body.size(); ++k)
      if (named.contains(of_body[k])) sum = sum - on_body(of_body[k]);
    return sum;
  }
  double value(const Slot& slot, const std::set<int>& named) const {
    if (slot.of == Slot::Of::link) return parameters_of(counted(slot.index, named))[at(slot.word)];
    if (slot.of == Slot::Of::joint)
      return internal::joint_words()[at(slot.word)].get(model_.dof(slot.index));
    return out_.robot.springs[at(slot.index)].*
           internal::spring_words_in_file()[at(slot.word)].member;
  }

  void set_joint(const Slot& slot, double x) {
    const JointWord& word = internal::joint_words()[at(slot.word)];
    for (int i = 1; i < model_.n_bodies(); ++i) {
      const Dofs v = model_.body(i).v;
      if (slot.index < v.first || slot.index >= v.first + v.count) continue;
      for (Joint& joint : out_.robot.joints)
        if (joint.name == model_.joint_name(i))
          word.set({joint, slot.index - v.first, v.count, model_.dof(slot.index), out_.notes}, x);
    }
  }
  void set_spring(const Slot& slot, double x) {
    out_.robot.springs[at(slot.index)].*internal::spring_words_in_file()[at(slot.word)].member = x;
  }

  /// Every link of `wanted` as counted() has it; what the links of a body can state of it.
  void set_links(const std::map<int, Inertia<double>>& wanted) {
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

  WriteBack take() {
    if (out_.ok()) try {
        const Model<double> made(out_.robot);
      } catch (const Error& refused) {
        out_.message = refused.what();
      }
    if (!out_.ok()) out_.robot = model_.description();
    return std::move(out_);
  }
  WriteBack& out() { return out_; }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  const std::string& name(int link) const { return out_.robot.links[at(link)].name; }
  Inertia<double> on_body(int link) const {
    return transported(model_.frame(name(link)).placement,
                       inertia_of(model_.description().links[at(link)].inertial));
  }

  /// Those behind fixed joints; all links of body 0, which no joint carries.
  std::vector<int> fixed_links(int body) const {
    const std::vector<int>& all = bodies_[at(body)];
    return {all.begin() + (body == 0 || all.empty() ? 0 : 1), all.end()};
  }

  /// False where mass, centre and inertia cannot say I.
  bool state(int link, const Inertia<double>& I) {
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
  void share(int carried, const Inertia<double>& I, const std::vector<int>& fixed) {
    Inertia<double> rest = I;
    double mass = model_.description().links[at(carried)].inertial.mass;
    for (const int link : fixed) {
      rest = rest - on_body(link);
      mass += model_.description().links[at(link)].inertial.mass;
    }
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    const bool was_empty = model_.description().links[at(carried)].inertial.mass == 0;
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
      const double part = model_.description().links[at(link)].inertial.mass / mass;
      state(link, transported(inverse(model_.frame(name(link)).placement), I * part));
    };
    const SE3<double> own = model_.frame(name(carried)).placement;
    state(carried, transported(inverse(own),
                               I * (model_.description().links[at(carried)].inertial.mass / mass)));
    for (const int link : fixed) put(link);
    out_.notes.push_back("body " + name(carried) + ": less mass than " + names +
                         " had; all of its links share it in proportion to their masses");
  }

  void finish(const std::vector<Inertia<double>>& total, const std::set<int>& changed) {
    for (std::size_t i = 1; i < total.size(); ++i) {
      const auto p = parameters_of(total[i]);
      out_.inertial.insert(out_.inertial.end(), p.begin(), p.end());
      const auto values = internal::eigenvalues(internal::pseudo_inertia(p.data()));
      const bool possible = values[0] >= -1e-10 * values[3];
      out_.bodies.push_back({model_.body_name(static_cast<int>(i)), values[0], possible});
      out_.consistent = out_.consistent && (possible || !changed.contains(static_cast<int>(i)));
    }
  }

  const Model<double>& model_;
  std::map<std::string, Slot> slots_;
  std::vector<std::vector<int>> bodies_;
  WriteBack out_;
};

std::string impossible(const WriteBack& out) {
  std::string words;
  for (const BodyConsistency& body : out.bodies)
    if (!body.consistent)
      words += (words.empty() ? "" : ", ") + body.link + " (smallest eigenvalue " +
               text(body.smallest_eigenvalue) + ")";
  return words;
}

void write(Writer& writer, const std::vector<const Slot*>& slots, In<double> values) {
  std::set<int> named;
  for (const Slot* s : slots)
    if (s->of == Slot::Of::link) named.insert(s->index);
  std::map<int, Inertia<double>> links;
  for (const int link : named) links[link] = writer.counted(link, named);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const double x = values[static_cast<int>(k)];
    const Slot& s = *slots[k];
    if (s.of == Slot::Of::joint) writer.set_joint(s, x);
    if (s.of == Slot::Of::spring) writer.set_spring(s, x);
    if (s.of != Slot::Of::link) continue;
    auto p = parameters_of(links[s.index]);
    p[static_cast<std::size_t>(s.word)] = x;
    links[s.index] = torsor::inertia_of(p.data());
  }
  writer.set_links(links);
}

void check(const std::vector<std::string>& names, In<double> values) {
  if (static_cast<int>(names.size()) != values.size)
    throw Error("an estimate has " + std::to_string(names.size()) + " names and " +
                std::to_string(values.size) + " values");
  for (int k = 0; k < values.size; ++k)
    if (!std::isfinite(values[k]))
      throw Error("parameter \"" + names[static_cast<std::size_t>(k)] + "\" is not finite");
}

/// The problem over the parameters that may change, and where they are among all. A rotor that the model
/// does not have and no motion can tell from a link stays away.
struct Layout {
  internal::DistributionProblem problem;
  Array<int> at;
};
Layout layout_of(const Model<double>& model, const BaseParameters& base, const Writer& writer,
                 const std::vector<const Slot*>& slots, const std::set<int>& named) {
  Layout layout;
  internal::DistributionProblem& problem = layout.problem;
  problem.length = internal::size_of(model);
  double mass = 0;
  for (int i = 1; i < model.n_bodies(); ++i)
    mass += model.body(i).inertia.m / (model.n_bodies() - 1);
  if (!(mass > 0)) mass = 1;
  for (int k = 0; k < base.n_parameters(); ++k) {
    const Slot& s = *slots[static_cast<std::size_t>(k)];
    const bool of_link = s.of == Slot::Of::link;
    const bool rotor = s.of == Slot::Of::joint &&
                       internal::joint_words()[static_cast<std::size_t>(s.word)].is_rotor;
    const double prior = writer.value(s, named);
    if (rotor && prior == 0 && base.roles[k] != ParameterRole::alone) continue;
    const int here = layout.at.size();
    if (of_link && s.word == 0) problem.bodies.push_back(here);
    if (rotor) problem.positive.push_back(here);
    const int power = !of_link ? 2 : s.word == 0 ? 0 : s.word < 4 ? 1 : 2;
    layout.at.push_back(k);
    problem.prior.push_back(prior);
    problem.unit.push_back(of_link || rotor ? mass * std::pow(problem.length, power)
                                            : std::max(1.0, std::abs(prior)));
  }
  problem.A = Matrix(base.size(), layout.at.size());
  for (int r = 0; r < base.size(); ++r)
    for (int c = 0; c < layout.at.size(); ++c) problem.A(r, c) = base.regrouping(r, layout.at[c]);
  return layout;
}

}  // namespace

WriteBack write_back(const Model<double>& model, const ParameterValues& estimate,
                     const WriteBackOptions& options) {
  check(estimate.names, estimate.values);
  Writer writer(model);
  write(writer, writer.slots_of(estimate.names), estimate.values);
  WriteBack& out = writer.out();
  if (!out.consistent && !options.inconsistent)
    out.message = "no mass distribution has the estimate of " + impossible(out);
  return writer.take();
}

WriteBack write_back(const Model<double>& model, const BaseParameters& base, In<double> values,
                     const WriteBackOptions& options) {
  std::vector<std::string> names;
  for (const int k : base.kept) names.push_back(base.names[static_cast<std::size_t>(k)]);
  check(names, values);
  Writer writer(model);
  const std::vector<const Slot*> slots = writer.slots_of(base.names);
  std::set<int> named;
  for (const Slot* s : slots)
    if (s->of == Slot::Of::link) named.insert(s->index);
  const Layout layout = layout_of(model, base, writer, slots, named);
  internal::DistributionProblem problem = layout.problem;
  problem.b.assign(values.begin(), values.end());
  const internal::Distribution found = internal::distribute(problem);
  Array<double> p(base.n_parameters(), 0.0);
  for (int k = 0; k < layout.at.size(); ++k) p[layout.at[k]] = found.p[k];
  write(writer, slots, p);
  WriteBack& out = writer.out();
  out.divergence = found.divergence;
  out.consistent = out.consistent && found.found;
  if (!out.consistent && !options.inconsistent)
    out.message =
        "no physically consistent robot has these base parameters; the nearest exact one has " +
        impossible(out);
  return writer.take();
}

}  // namespace torsor
