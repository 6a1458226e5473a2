// Joints that couplings tie to others: q = factor q_master + offset, through any number of couplings.
#include <cmath>

#include "inverse_kinematics/parts.hpp"

namespace torsor::numeric_ik {
namespace {

bool carries(const Model<double>& model, int body, int other) {
  while (other > body) other = model.body(other).parent;
  return other == body;
}

void refuse_loops(const Model<double>& model, int body) {
  const std::string& joint = model.joint_name(body);
  for (const LoopJoint& loop : model.description().loops)
    if (carries(model, body, model.frame(loop.link_a).body) !=
        carries(model, body, model.frame(loop.link_b).body))
      refuse("joint \"" + joint + "\" is part of the loop that \"" + loop.name + "\" closes");
}

/// The joints that follow one master, found from coupling to coupling.
class Group {
 public:
  Group(const Model<double>& model, int master) : model_(model) {
    ties_.push_back({master, master, 1, 0});
    for (int k = 0; k < ties_.size(); ++k) follow(ties_[k]);
    if (!constant_) return;
    for (Tie& tie : ties_) {
      tie.master = 0;
      tie.offset += tie.factor * value_;
      tie.factor = 0;
    }
  }
  /// The master first; it is tied to itself, or to nothing where a coupling holds it.
  const Array<Tie>& ties() const { return ties_; }

 private:
  void follow(const Tie from) {
    const std::string& joint = model_.joint_name(from.body);
    for (const Coupling& coupling : model_.description().couplings) {
      const Coupling::Term* own = nullptr;
      for (const Coupling::Term& term : coupling.terms)
        if (term.joint == joint) own = &term;
      if (own == nullptr) continue;
      if (coupling.terms.size() > 2)
        refuse("joint \"" + joint + "\" is tied to more than one other by coupling \"" +
               coupling.name + "\"");
      if (coupling.terms.size() == 1) {  // the others of it are locked
        constant_ = true;
        value_ = (coupling.offset / own->factor - from.offset) / from.factor;
        continue;
      }
      const Coupling::Term& term = coupling.terms[own == coupling.terms.data() ? 1 : 0];
      add({model_.joint_index(term.joint), ties_[0].body, -own->factor * from.factor / term.factor,
           (coupling.offset - own->factor * from.offset) / term.factor},
          coupling.name);
    }
  }
  void add(const Tie& tie, const std::string& coupling) {
    for (const Tie& known : ties_) {
      if (known.body != tie.body) continue;
      if (std::abs(known.factor - tie.factor) + std::abs(known.offset - tie.offset) > 1e-9)
        refuse("coupling \"" + coupling + "\" contradicts the others of joint \"" +
               model_.joint_name(tie.body) + "\"");
      return;
    }
    ties_.push_back(tie);
  }

  const Model<double>& model_;
  Array<Tie> ties_;
  bool constant_ = false;
  double value_ = 0;
};

}  // namespace

Array<Tie> find_ties(const Model<double>& model, const Array<int>& moving) {
  Array<Tie> all;
  for (const int body : moving) {
    refuse_loops(model, body);
    bool known = false;
    for (const Tie& tie : all) known |= tie.body == body;
    if (known) continue;
    const Group group(model, body);
    const Array<Tie>& ties = group.ties();
    if (ties.size() == 1 && ties[0].master == body) continue;  // tied to nothing
    for (const Tie& tie : ties) all.push_back(tie);
  }
  return all;
}

}  // namespace torsor::numeric_ik
