#include "torsor/identification/parameter_columns.hpp"

#include <algorithm>
#include <map>

#include "torsor/model/friction.hpp"
#include "torsor/model/internal/parameter_units.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/parameter_name.hpp"
#include "torsor/model/spring_damper.hpp"

namespace torsor {
namespace {

using internal::ColumnKind;
using internal::ColumnLink;
using internal::ColumnTerm;
using internal::parameter_unit;

/// A column that a robot can have, and what it goes by. `of` of an inertial one counts the links of
/// the description.
struct Candidate {
  ColumnTerm term;
  std::string name, unit;
  std::vector<std::string> also;  ///< longer names, and groups that it belongs to
};

struct Word {
  ColumnKind kind;
  const char* word;
};
constexpr std::array<Word, 7> friction_columns = {
    Word{ColumnKind::viscous, "viscous"},
    Word{ColumnKind::coulomb, "coulomb"},
    Word{ColumnKind::stiction, "stiction"},
    Word{ColumnKind::offset, "offset"},
    Word{ColumnKind::viscous_asymmetry, "viscous_asymmetry"},
    Word{ColumnKind::coulomb_asymmetry, "coulomb_asymmetry"},
    Word{ColumnKind::load, "load"}};
constexpr std::array<Word, 3> spring_damper_columns = {
    Word{ColumnKind::spring_damper_stiffness, "stiffness"},
    Word{ColumnKind::spring_damper_preload, "preload"},
    Word{ColumnKind::spring_damper_damping, "damping"}};
/// In one line, whatever is in the text.
std::string quoted(const std::string& text) {
  std::string line = "\"";
  for (const char c : text) line += c == '\n' ? "\\n" : std::string(1, c);
  return line + "\"";
}

/// Everything that can be asked of a robot.
class Catalogue {
 public:
  explicit Catalogue(const Model<double>& model) : model_(model) {
    add_links();
    add_joints();
    add_spring_dampers();
    add_motors();
    for (std::size_t k = 0; k < all.size(); ++k) {
      by_name_[all[k].name].push_back(k);
      for (const std::string& name : all[k].also) by_name_[name].push_back(k);
    }
  }

  /// The columns that a name stands for.
  const std::vector<std::size_t>& of(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    const std::string begin = "parameter " + quoted(name) + ": ";
    for (const std::string& link : fixed_to_world_)
      if (name == link || name.rfind(link + ".", 0) == 0)
        throw Error(begin + "link " + quoted(link) +
                    " is fixed to the world; no torque depends on it");
    if (const auto at = name.rfind(".damping");
        at != std::string::npos && by_name_.count(name.substr(0, at) + ".viscous") != 0)
      throw Error(begin + "has no column of its own; " + quoted(name.substr(0, at) + ".viscous") +
                  " is of all friction that grows with the speed");
    if (is_parameter(name))
      throw Error(begin + "the torque is not linear in it, or it is no constant of the robot");
    std::vector<std::string> known;
    for (const auto& entry : by_name_) known.push_back(entry.first);
    throw Error(begin + "no column of robot " + quoted(model_.name()) + did_you_mean(name, known));
  }

  std::vector<Candidate> all;

 private:
  bool is_parameter(const std::string& name) const {
    try {
      return !parse_parameter(model_, name).empty();
    } catch (const Error&) {
      return false;
    }
  }
  void add_links() {
    const std::vector<Link>& links = model_.description().links;
    for (std::size_t k = 0; k < links.size(); ++k) {
      const std::string& link = links[k].name;
      if (model_.frame(link).body == 0) {
        fixed_to_world_.push_back(link);
        continue;
      }
      for (int e = 0; e < parameters_per_body; ++e) {
        const std::string word = internal::parameter_words.data()[e], name = link + "." + word;
        all.push_back({{ColumnKind::inertial, static_cast<int>(k), 0, e},
                       name,
                       parameter_unit(word, false),
                       {link, "link." + link, "link." + name}});
      }
    }
  }
  void add_joints() {
    const std::vector<Measure> measures = velocity_measures(model_);
    for (int i = 1; i < model_.n_bodies(); ++i)
      for (int j = 0; j < model_.joint(i).n_v; ++j) {
        const int dof = model_.body(i).v.first + j;
        const bool slides = measures[static_cast<std::size_t>(dof)] == Measure::length;
        add_dof(i, j, dof, slides);
      }
  }
  void add_dof(int body, int j, int dof, bool slides) {
    const std::string name = model_.dof_name(dof), joint = model_.joint_name(body);
    const bool several = name != joint;
    const auto add = [&](ColumnTerm term, const std::string& own, const char* word,
                         std::vector<std::string> also, const std::string& of_joint) {
      if (several) also.push_back(of_joint);
      all.push_back({term, own, parameter_unit(word, slides), std::move(also)});
    };
    add({ColumnKind::rotor, dof}, "rotor." + name, "rotor", {"rotor"}, "rotor." + joint);
    for (const Word& w : friction_columns) {
      if (w.kind == ColumnKind::load && several) continue;
      std::vector<std::string> also = {"friction." + name + "." + w.word};
      if (is_usual(w.kind, model_.dof(dof))) {
        also.insert(also.end(), {"friction", "friction." + name});
        if (several) also.push_back("friction." + joint);
      }
      add({w.kind, dof}, name + "." + w.word, w.word, also, joint + "." + w.word);
    }
    const int at = internal::coordinate_of_dof(model_.joint(body), j);
    if (at < 0) return;
    add({ColumnKind::spring, dof, 0, model_.body(body).q.first + at},
        "spring." + name + ".stiffness", "stiffness", {"spring", "spring." + name},
        "spring." + joint + ".stiffness");
  }
  void add_spring_dampers() {
    const std::vector<SpringDamper>& springs = model_.description().springs;
    for (std::size_t k = 0; k < springs.size(); ++k)
      for (const Word& w : spring_damper_columns) {
        const std::string group = "spring_damper." + springs[k].name;
        all.push_back({{w.kind, static_cast<int>(k)},
                       group + "." + w.word,
                       parameter_unit(w.word, true),
                       {"spring_damper", group}});
      }
  }
  void add_motors() {
    for (int k = 0; k < model_.motors().size(); ++k) {
      const auto add = [&](ColumnKind kind, const char* word, bool usual) {
        const std::string group =
            "motor." + model_.description().motors[static_cast<std::size_t>(k)].name;
        Candidate c{{kind, k}, group + "." + word, parameter_unit(word, false), {}};
        c.term.of_motor = true;
        if (usual) c.also = {"motor", group};
        all.push_back(std::move(c));
      };
      add(ColumnKind::rotor, "rotor", true);
      for (const Word& w : friction_columns)
        if (w.kind != ColumnKind::load)  // a gear behind the motor takes it
          add(w.kind, w.word, is_usual(w.kind, model_.motors()[k].constants));
    }
  }
  /// Of the friction that a joint or a motor is asked for by its name alone.
  static bool is_usual(ColumnKind kind, const DofConstants<double>& dof) {
    return kind == ColumnKind::viscous || kind == ColumnKind::coulomb ||
           kind == ColumnKind::offset || (kind == ColumnKind::stiction && dof.stribeck > 0);
  }

  const Model<double>& model_;
  std::map<std::string, std::vector<std::size_t>> by_name_;
  std::vector<std::string> fixed_to_world_;
};

const DofConstants<double>& constants_of(const Model<double>& model, const ColumnTerm& term) {
  return term.of_motor ? model.motors()[term.of].constants : model.dof(term.of);
}

bool chosen(const Model<double>& model, const Candidate& c, ColumnChoice choice) {
  if (c.term.of_motor)
    choice.rotors = choice.viscous = choice.coulomb = choice.offset = choice.motors;
  switch (c.term.kind) {
    case ColumnKind::inertial: {
      const std::string& link = model.description().links[static_cast<std::size_t>(c.term.of)].name;
      return choice.inertial && model.body_name(model.frame(link).body) == link;
    }
    case ColumnKind::rotor:
      return choice.rotors;
    case ColumnKind::viscous:
      return choice.viscous;
    case ColumnKind::coulomb:
      return choice.coulomb;
    case ColumnKind::stiction:
      return choice.stiction && constants_of(model, c.term).stribeck > 0 &&
             (choice.motors || !c.term.of_motor);
    case ColumnKind::offset:
      return choice.offset;
    case ColumnKind::viscous_asymmetry:
    case ColumnKind::coulomb_asymmetry:
      return choice.asymmetry && (choice.motors || !c.term.of_motor);
    case ColumnKind::load:
      return choice.load;
    case ColumnKind::spring:
      return choice.springs;
    case ColumnKind::spring_damper_stiffness:
    case ColumnKind::spring_damper_preload:
    case ColumnKind::spring_damper_damping:
      break;
  }
  return choice.spring_dampers;
}

/// Whether the model has a stiction of its own beside Coulomb friction.
bool has_own_stiction(const Model<double>& model, const ColumnTerm& term) {
  const DofConstants<double>& dof = constants_of(model, term);
  return dof.stiction > dof.coulomb;
}

/// Of a fixed link, in its own frame.
Inertia<double> inertia_of(const Model<double>& model, const ColumnLink& link) {
  const Link* const found = model.description().find_link(link.name);
  if (!found) throw Error("robot " + quoted(model.name()) + ": no link " + quoted(link.name));
  const Inertial& i = found->inertial;
  return Inertia<double>::at_com(i.mass, i.com, i.about_com);
}

/// Of a joint or motor.
double value_of(ColumnKind kind, const DofConstants<double>& dof) {
  switch (kind) {
    case ColumnKind::rotor:
      return dof.armature;
    case ColumnKind::viscous:
      return dof.viscous;
    case ColumnKind::coulomb:
      return dof.coulomb;
    case ColumnKind::stiction:
      return dof.stiction;
    case ColumnKind::offset:
      return dof.offset;
    case ColumnKind::viscous_asymmetry:
      return dof.viscous_asymmetry;
    case ColumnKind::coulomb_asymmetry:
      return dof.coulomb_asymmetry;
    case ColumnKind::load:
      return dof.load;
    case ColumnKind::spring:
      return dof.stiffness;
    default:
      return 0;
  }
}

void sort_by_owner(Array<ColumnTerm>& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const ColumnTerm& a, const ColumnTerm& b) { return a.of < b.of; });
}

}  // namespace

ParameterColumns::ParameterColumns(const Model<double>& model, const ColumnChoice& choice) {
  const Catalogue catalogue(model);
  plan_.motors = model.motors();
  std::vector<ColumnTerm> terms;
  // Bodies in the model's order, whatever that of the file's links.
  for (int i = 1; i < model.n_bodies() && choice.inertial; ++i)
    for (const std::size_t k : catalogue.of("link." + model.body_name(i))) {
      terms.push_back(catalogue.all[k].term);
      names_.push_back(catalogue.all[k].name);
      units_.push_back(catalogue.all[k].unit);
    }
  for (const bool rotors : {true, false})
    for (const Candidate& c : catalogue.all) {
      const bool rotor = c.term.kind == ColumnKind::rotor && !c.term.of_motor;
      if (c.term.kind == ColumnKind::inertial || rotor != rotors || !chosen(model, c, choice))
        continue;
      terms.push_back(c.term);
      names_.push_back(c.name);
      units_.push_back(c.unit);
    }
  compile(model, terms);
}

ParameterColumns::ParameterColumns(const Model<double>& model,
                                   const std::vector<std::string>& names) {
  const Catalogue catalogue(model);
  plan_.motors = model.motors();
  std::vector<ColumnTerm> terms;
  std::vector<char> taken(catalogue.all.size());
  for (const std::string& name : names)
    for (const std::size_t k : catalogue.of(name)) {
      const Candidate& c = catalogue.all[k];
      if (taken[k]) throw Error("parameter " + quoted(c.name) + ": is said twice");
      taken[k] = 1;
      terms.push_back(c.term);
      names_.push_back(c.name);
      units_.push_back(c.unit);
    }
  compile(model, terms);
}

int ParameterColumns::find(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at == names_.end() ? -1 : static_cast<int>(at - names_.begin());
}

/// Sorts the columns into the order of the work.
void ParameterColumns::compile(const Model<double>& model, const std::vector<ColumnTerm>& terms) {
  n_v_ = model.n_v();
  const RobotDescription& robot = model.description();
  Array<int> link_of(static_cast<int>(robot.links.size()), -1);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    ColumnTerm term = terms[k];
    term.column = static_cast<int>(k);
    switch (term.kind) {
      case ColumnKind::inertial: {
        const Link& link = robot.links[static_cast<std::size_t>(term.of)];
        if (link_of[term.of] < 0) {
          link_of[term.of] = plan_.links.size();
          const Frame& frame = model.frame(link.name);
          plan_.links.push_back(
              {frame.body, model.body_name(frame.body) == link.name, frame.placement, link.name});
        }
        term.of = link_of[term.of];
        plan_.inertial.push_back(term);
        break;
      }
      case ColumnKind::spring_damper_stiffness:
      case ColumnKind::spring_damper_preload:
      case ColumnKind::spring_damper_damping:
        plan_.spring_dampers.push_back(term);
        break;
      case ColumnKind::load:
        has_load_ = true;
        plan_.of_joints.push_back(term);
        break;
      default:
        (term.of_motor ? plan_.of_motors : plan_.of_joints).push_back(term);
    }
  }
  for (Array<ColumnTerm>* list : {&plan_.of_joints, &plan_.of_motors})
    for (ColumnTerm& term : *list) {
      if (term.kind != ColumnKind::coulomb) continue;
      term.decays = has_own_stiction(model, term);
      for (const ColumnTerm& other : *list)
        term.decays |= other.kind == ColumnKind::stiction && other.of == term.of;
    }
  sort_by_owner(plan_.inertial);
  sort_by_owner(plan_.of_joints);
  sort_by_owner(plan_.spring_dampers);
  sort_by_owner(plan_.of_motors);
  for (int k = 0; k < plan_.inertial.size(); ++k) {
    ColumnLink& link = plan_.links[plan_.inertial[k].of];
    if (link.end == 0) link.first = k;
    link.end = k + 1;
  }
  for (ColumnLink& link : plan_.links) {
    link.complete = link.end - link.first == parameters_per_body;
    for (int e = 0; link.complete && e < parameters_per_body; ++e) {
      const ColumnTerm& term = plan_.inertial[link.first + e];
      link.complete = term.entry == e && term.column == plan_.inertial[link.first].column + e;
    }
  }
  mark(model);
}

/// acts_: which velocities move what a column is of.
void ParameterColumns::mark(const Model<double>& model) {
  acts_.assign(n_v_ * size(), 0);
  const auto along = [&](int body, int column) {
    for (int i = body; i > 0; i = model.body(i).parent) {
      const Dofs v = model.body(i).v;
      for (int k = v.first; k < v.first + v.count; ++k) acts_[k * size() + column] = 1;
    }
  };
  for (const ColumnTerm& term : plan_.inertial) along(plan_.links[term.of].body, term.column);
  for (const ColumnTerm& term : plan_.of_joints) acts_[term.of * size() + term.column] = 1;
  const auto ends = internal::spring_ends(model.description(), model.frames());
  for (const ColumnTerm& term : plan_.spring_dampers) {
    along(ends[static_cast<std::size_t>(term.of)].body_a, term.column);
    along(ends[static_cast<std::size_t>(term.of)].body_b, term.column);
  }
  for (const ColumnTerm& term : plan_.of_motors)
    for (const CoupledMotor<double>::Term& t : plan_.motors[term.of].terms)
      acts_[t.v * size() + term.column] = 1;
}

Array<double> ParameterColumns::values(const Model<double>& model) const {
  Array<double> x(size(), 0.0);
  Array<Inertia<double>> apart(model.n_bodies());  // what columns of fixed links have of each body
  for (const bool carries : {false, true})
    for (const ColumnLink& link : plan_.links) {
      if (link.carries != carries) continue;
      const auto ten = parameters_of(carries ? model.body(link.body).inertia - apart[link.body]
                                             : inertia_of(model, link));
      std::array<double, parameters_per_body> asked{};
      for (int k = link.first; k < link.end; ++k) {
        const ColumnTerm& term = plan_.inertial[k];
        x[term.column] = asked.data()[term.entry] = ten.data()[term.entry];
      }
      if (!carries)
        apart[link.body] =
            apart[link.body] + transported(link.placement, torsor::inertia_of(asked.data()));
    }
  for (const Array<ColumnTerm>* terms : {&plan_.of_joints, &plan_.of_motors})
    for (const ColumnTerm& term : *terms)
      x[term.column] = value_of(term.kind, constants_of(model, term));
  for (const ColumnTerm& term : plan_.spring_dampers) {
    const SpringDamper& spring = model.description().springs[static_cast<std::size_t>(term.of)];
    if (term.kind == ColumnKind::spring_damper_stiffness) x[term.column] = spring.stiffness;
    if (term.kind == ColumnKind::spring_damper_preload) x[term.column] = spring.preload;
    if (term.kind == ColumnKind::spring_damper_damping) x[term.column] = spring.damping;
  }
  return x;
}

}  // namespace torsor
