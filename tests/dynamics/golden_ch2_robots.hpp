#pragma once
/// The robots of Huo 2005, chapter 2, with link data, one motion, and what their dynamics are
/// (tests/data/huo_chapter_2_robots.json).
///
/// Geometry: examples 2-1 to 2-3, tables 2-1 and 2-4, and the PUMA 560. H, C qd, G and the energies
/// were computed outside this library, from link Jacobians and complex-step derivatives.
/// Inertias are matrix entries about the mass centre, in the order xx, xy, yy, xz, yz, zz.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "support/golden_file.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {

struct GoldenRobot {
  std::string name;
  DhTable::Convention convention = DhTable::Convention::standard;
  std::vector<double> a, alpha, d, theta;
  std::vector<int> sigma;  ///< 1: prismatic
  Vec3<double> gravity{};
  std::vector<Inertial> links;
  std::vector<double> tau, G, Cqd, H;  ///< H row by row
  double kinetic_energy = 0, potential_energy = 0, least_eigenvalue = 0;

  /// For the messages of failing tests.
  friend void PrintTo(const GoldenRobot& robot, std::ostream* out) { *out << robot.name; }
  int n() const { return static_cast<int>(a.size()); }
  DhTable table() const {
    DhTable t;
    t.convention = convention;
    t.name = name;
    t.gravity = gravity;
    for (std::size_t i = 0; i < a.size(); ++i) {
      DhRow row;
      row.a = a[i], row.alpha = alpha[i], row.d = d[i], row.theta = theta[i];
      row.prismatic = sigma[i] == 1;
      row.inertial = links[i];
      row.has_inertial = true;
      t.rows.push_back(row);
    }
    return t;
  }
  /// The motion of all robots, as many joints as this one has.
  std::vector<double> q() const { return first({0.3, -0.7, 0.45, 0.9, -1.1, 0.6}); }
  std::vector<double> qd() const { return first({0.8, -0.5, 0.35, -1.2, 0.65, 0.9}); }
  std::vector<double> qdd() const { return first({-0.4, 1.1, 0.25, 0.7, -0.95, 1.3}); }

 private:
  std::vector<double> first(std::vector<double> all) const {
    all.resize(a.size());
    return all;
  }
};

inline GoldenRobot read_golden_robot(const nlohmann::json& from) {
  GoldenRobot to;
  const auto vec3 = [](const nlohmann::json& x) { return Vec3<double>{x[0], x[1], x[2]}; };
  to.name = from["name"];
  to.convention = from["convention"] == "standard" ? DhTable::Convention::standard
                                                   : DhTable::Convention::modified;
  for (const auto& [key, list] : {std::pair{"a", &to.a},
                                  {"alpha", &to.alpha},
                                  {"d", &to.d},
                                  {"theta", &to.theta},
                                  {"tau", &to.tau},
                                  {"G", &to.G},
                                  {"Cqd", &to.Cqd}})
    *list = from[key].get<std::vector<double>>();
  to.sigma = from["sigma"].get<std::vector<int>>();
  to.gravity = vec3(from["gravity"]);
  for (const auto& link : from["links"]) {
    const auto& I = link["about_com"];
    to.links.push_back({link["mass"], vec3(link["com"]), {I[0], I[1], I[2], I[3], I[4], I[5]}});
  }
  for (const auto& row : from["H"])
    for (const double entry : row) to.H.push_back(entry);
  to.kinetic_energy = from["kinetic_energy"];
  to.potential_energy = from["potential_energy"];
  to.least_eigenvalue = from["least_eigenvalue"];
  return to;
}

inline std::vector<GoldenRobot> golden_robots() {
  std::vector<GoldenRobot> robots;
  for (const auto& from : golden_file("huo_chapter_2_robots.json"))
    robots.push_back(read_golden_robot(from));
  return robots;
}

inline GoldenRobot golden_robot(const std::string& name) {
  for (const GoldenRobot& robot : golden_robots())
    if (robot.name == name) return robot;
  return {};
}

}  // namespace torsor::testing
