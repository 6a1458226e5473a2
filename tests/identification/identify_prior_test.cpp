// Intervals of bodies that are kept near a file which is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "identification/identified_robot.hpp"
#include "torsor/identification/column_regressor.hpp"

namespace torsor::testing {
namespace {

/// The robot as a file may have it: every mass, centre, inertia, rotor and friction is off by its own share.
Model<double> wrong_file(RobotDescription robot, unsigned seed, double share) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto off = [&] { return std::exp(share * std::clamp(normal(random), -2.0, 2.0)); };
  for (Link& link : robot.links) {
    Inertial& body = link.inertial;
    const double mass = off(), size = off();
    body.mass *= mass;
    body.com.x *= off(), body.com.y *= off(), body.com.z *= off();
    body.about_com = body.about_com * (mass * size * size);
  }
  for (Joint& joint : robot.joints) {
    for (Friction& f : joint.friction) f.viscous *= off(), f.coulomb *= off(), f.offset = 0;
    for (Actuator& a : joint.actuator) a.rotor_inertia *= off();
  }
  return Model<double>(robot);
}

struct Covered {
  int within = 0, all = 0;
  double share() const { return static_cast<double>(within) / all; }
  void add(const IdentifiedParameter& p, double truth) {
    ++all;
    within += truth >= p.low && truth <= p.high;
  }
};

TEST(IdentifyPrior, intervals_of_consistent_bodies_contain_the_truth_where_the_file_decides) {
  Covered base, told, links, drawn;
  int open = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const RobotDescription robot =
        tree(seed % 8 + 1, 3 + static_cast<int>(seed % 3), {JointKind::revolute}, true);
    Motion motion{.seed = seed, .seconds = 12, .noise = seed % 2 == 0 ? 0.02 : 0.5};
    motion.size = seed % 4 < 2 ? 1 : 0.1;  // some motions say little
    IdentifyOptions options = exact(Estimator::consistent);
    options.bootstrap = 40;
    const Model<double> truth(robot);
    const Identification found =
        identify(wrong_file(robot, seed, 0.3), {moved(truth, motion)}, {}, options);
    const Model<double> shape = identified_shape(truth, options);
    const ParameterColumns columns(
        shape, std::vector<std::string>(found.names.begin(), found.names.end()));
    const Array<double> x = columns.values(shape), wanted = found.base.values(x);
    for (int k = 0; k < wanted.size(); ++k) {
      base.add(found.parameters[k], wanted[k]);
      if (found.parameters[k].determined) told.add(found.parameters[k], wanted[k]);
      open += !found.parameters[k].determined;
    }
    for (int c = 0; c < x.size(); ++c) {
      IdentifiedParameter p = found.links[c];
      links.add(p, x[c]);
      p.low = p.value - 1.96 * p.sigma, p.high = p.value + 1.96 * p.sigma;
      drawn.add(p, x[c]);
    }
  }
  EXPECT_GE(base.share(), 0.90);
  EXPECT_GE(told.share(), 0.90);
  EXPECT_GE(links.share(), 0.90);
  EXPECT_LT(drawn.share(), 0.75);     // what the draws alone say
  EXPECT_GT(open, 20);                // some are not determined
  EXPECT_GT(told.all, base.all / 3);  // and most are
}

}  // namespace
}  // namespace torsor::testing
