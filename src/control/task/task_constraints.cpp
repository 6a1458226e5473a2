#include "torsor/control/task/task_constraints.hpp"

#include <algorithm>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

const std::vector<std::string> quantities{"v_x", "v_y", "v_z", "w_x", "w_y", "w_z",
                                          "f_x", "f_y", "f_z", "n_x", "n_y", "n_z"};
const char* const directions[6] = {"x", "y", "z", "turn about x", "turn about y", "turn about z"};

/// 0 to 5: motion, 6 to 11: force.
int quantity_of(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find_first_of(" ="));
  const auto found = std::find(quantities.begin(), quantities.end(), name);
  if (found == quantities.end())
    throw Error("constraint \"" + entry + "\": no direction \"" + name + "\"" +
                did_you_mean(name, quantities));
  return static_cast<int>(found - quantities.begin());
}

}  // namespace

TaskConstraints::TaskConstraints(const std::vector<std::string>& natural,
                                 const std::vector<std::string>& artificial) {
  bool natural_motion[6]{};
  const auto place = [](const std::vector<std::string>& list, std::string(&into)[6],
                        const char* kind, auto store) {
    for (const std::string& entry : list) {
      const int q = quantity_of(entry);
      const int k = q % 6;
      if (!into[k].empty())
        throw Error("constraints \"" + into[k] + "\" and \"" + entry + "\" are both " + kind +
                    " for one direction");
      into[k] = entry;
      store(k, q < 6);
    }
    for (int k = 0; k < 6; ++k)
      if (into[k].empty())
        throw Error(std::string("no ") + kind + " constraint for direction \"" + directions[k] +
                    "\"");
  };
  place(natural, natural_, "natural", [&](int k, bool motion) { natural_motion[k] = motion; });
  place(artificial, artificial_, "artificial", [&](int k, bool motion) { force_[k] = !motion; });
  for (int k = 0; k < 6; ++k)
    if (natural_motion[k] != force_[k])
      throw Error("constraints \"" + natural_[k] + "\" and \"" + artificial_[k] +
                  "\" are of the same quantity: the task commands what the environment leaves");
}

int TaskConstraints::n_force() const {
  return static_cast<int>(std::count(force_, force_ + 6, true));
}

Constraint TaskConstraints::constraint(const SO3<double>& axes) const {
  Constraint c;
  c.kind = ConstraintKind::rows;
  for (const bool forced : {true, false})
    for (int k = 0; k < 6; ++k) {
      if (force_[k] != forced) continue;
      Array<double>& rows = forced ? c.gradient : c.seeds;
      for (int column = 0; column < 6; ++column)
        rows.push_back(column / 3 == k / 3 ? axes[k % 3][column % 3] : 0.0);
    }
  static const char* const moved[] = {"x", "y", "z", "rx", "ry", "rz"};
  static const char* const pressed[] = {"f_x", "f_y", "f_z", "n_x", "n_y", "n_z"};
  for (const bool forced : {false, true})
    for (int k = 0; k < 6; ++k)
      if (force_[k] == forced) c.names.emplace_back(forced ? pressed[k] : moved[k]);
  return c;
}

std::string TaskConstraints::text() const {
  std::string table;
  for (int k = 0; k < 6; ++k) {
    std::string line = directions[k];
    line.resize(15, ' ');
    line += natural_[k] + " (natural)";
    line.resize(40, ' ');
    table += line + artificial_[k] + " (artificial)\n";
  }
  return table;
}

}  // namespace torsor
