// Several targets, priorities and what is done with the freedom that is left.
#include "kinematics/analytic_ik_support.hpp"
#include "kinematics/inverse_kinematics_support.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/singularity.hpp"

namespace torsor {
namespace {

using testing::angle_apart;
using testing::arm;
using testing::Asker;
using testing::inside_limits;
using testing::middle_of_limits;
using testing::point_target;
using testing::pose_by_products;
using testing::position_apart;
using testing::random_q;

TEST(IkTargets, two_arms_of_a_tree_reach_two_poses_at_once) {
  const Model<double> model = load_robot("humanoid38");
  Asker asker(model, {"left_palm", "right_palm"});
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto goal = random_q(model, seed);
    const SE3<double> left = pose_by_products(model, "left_palm", goal),
                      right = pose_by_products(model, "right_palm", goal);
    const auto [result, q] = asker.ask({{left}, {right}}, middle_of_limits(model));
    EXPECT_TRUE(result.converged) << describe(model, result);
    EXPECT_LE(position_apart(pose_by_products(model, "left_palm", q), left), 2e-8);
    EXPECT_LE(angle_apart(pose_by_products(model, "left_palm", q), left), 2e-8);
    EXPECT_LE(position_apart(pose_by_products(model, "right_palm", q), right), 2e-8);
    EXPECT_LE(angle_apart(pose_by_products(model, "right_palm", q), right), 2e-8);
    EXPECT_TRUE(inside_limits(model, q));
    EXPECT_TRUE(result.targets[0].reached && result.targets[1].reached);
  }
}

TEST(IkTargets, hands_and_feet_are_placed_by_a_floating_base_and_24_rows) {
  const Model<double> model = load_robot("humanoid38");
  const std::vector<std::string> frames{"left_palm", "right_palm", "left_sole", "right_sole"};
  Asker asker(model, frames);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto goal = random_q(model, seed);
    std::vector<IkTarget> targets;
    for (const auto& frame : frames) targets.push_back({pose_by_products(model, frame, goal)});
    const auto [result, q] = asker.ask(targets, random_q(model, 100 + seed));
    EXPECT_TRUE(result.converged) << describe(model, result);
    for (std::size_t t = 0; t < frames.size(); ++t) {
      const SE3<double> there = pose_by_products(model, frames[t], q);
      EXPECT_LE(position_apart(there, targets[t].T_world_frame), 2e-8);
      EXPECT_LE(angle_apart(there, targets[t].T_world_frame), 2e-8);
    }
    EXPECT_TRUE(inside_limits(model, q));
  }
}

TEST(IkTargets, a_target_whose_weights_are_zero_is_dropped) {
  const Model<double> model = load_robot("humanoid38");
  Asker asker(model, {"left_palm", "right_palm"});
  const SE3<double> left = pose_by_products(model, "left_palm", random_q(model, 4));
  const IkTarget nowhere{{SO3<double>::identity(), {900, 0, 0}}, {0, 0, 0}, {0, 0, 0}};
  const auto [result, q] = asker.ask({{left}, nowhere}, middle_of_limits(model));
  EXPECT_TRUE(result.converged);
  EXPECT_LE(position_apart(pose_by_products(model, "left_palm", q), left), 2e-8);
}

/// Planar 3R without limits: the tip's position leaves one freedom, which q1 parametrises.
struct Planar3R {
  static constexpr double l1 = 0.5, l2 = 0.4, l3 = 0.3;
  Model<double> model = arm({{l1, 0, 0}, {l2, 0, 0}, {l3, 0, 0}});

  static Vec3<double> end_of_link_2(const std::vector<double>& q) {
    return {l1 * std::cos(q[0]) + l2 * std::cos(q[0] + q[1]),
            l1 * std::sin(q[0]) + l2 * std::sin(q[0] + q[1]), 0};
  }
  /// The q with that q1 and the tip at p, on the side of `like`; empty where there is none.
  static std::vector<double> on_the_way(double q1, const Vec3<double>& p,
                                        const std::vector<double>& like) {
    const double x = p.x - l1 * std::cos(q1), y = p.y - l1 * std::sin(q1);
    const double c = (x * x + y * y - l2 * l2 - l3 * l3) / (2 * l2 * l3);
    if (std::abs(c) > 1) return {};
    const double q3 = std::copysign(std::acos(c), std::sin(like[2]));
    const double q12 = std::atan2(y, x) - std::atan2(l3 * std::sin(q3), l2 + l3 * std::cos(q3));
    std::vector<double> q{q1, q12 - q1, q3};
    for (std::size_t k = 1; k < 3; ++k)  // the turn of the other
      q[k] += 2 * testing::pi * std::round((like[k] - q[k]) / (2 * testing::pi));
    return q;
  }
  /// The least of f on the way around q, within 0.05 rad of q1.
  template <class Function>
  static double least_around(const std::vector<double>& q, const Vec3<double>& p, Function f) {
    double least = infinity;
    for (int i = -500; i <= 500; ++i) {
      const auto other = on_the_way(q[0] + i * 1e-4, p, q);
      if (!other.empty()) least = std::min(least, f(other));
    }
    return least;
  }
};

TEST(IkObjectives, nearest_is_a_least_distance_on_the_way_that_the_target_leaves_open) {
  const Planar3R robot;
  Asker asker(robot.model, {"tool"});
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Vec3<double> p = pose_by_products(robot.model, "tool", random_q(robot.model, seed)).p;
    const std::vector<double> reference = random_q(robot.model, 300 + seed);
    const auto start = random_q(robot.model, 600 + seed);
    const auto plain = asker.ask({point_target(p)}, start);
    InverseKinematicsOptions options;
    options.objective = IkObjective::nearest;
    options.reference = reference;
    const auto near = asker.ask({point_target(p)}, start, options);
    ASSERT_TRUE(plain.result.converged && near.result.converged);
    EXPECT_LE(norm(pose_by_products(robot.model, "tool", near.q).p - p), 2e-8);
    const auto apart = [&](const std::vector<double>& q) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += (q[k] - reference[k]) * (q[k] - reference[k]);
      return sum;
    };
    EXPECT_NEAR(near.result.objective, apart(near.q), 1e-12);
    EXPECT_LE(apart(near.q), Planar3R::least_around(near.q, p, apart) + 1e-6);
  }
}

TEST(IkObjectives, nearest_comes_home_to_a_reference_that_meets_the_target_for_every_joint_kind) {
  for (const JointKind kind : testing::every_moving_kind())
    for (unsigned seed = 1; seed <= 5; ++seed) {
      testing::RandomTree options;
      options.kinds = {kind, JointKind::spherical};
      options.chain = true;
      const Model<double> model(testing::random_tree(seed, 4, options));
      const auto reference = random_q(model, seed);
      auto start = reference;
      integrate(model, reference, testing::random_velocity(model, 30 + seed, 0.15), start);
      InverseKinematicsOptions nearest;
      nearest.objective = IkObjective::nearest;
      nearest.reference = reference;
      Asker asker(model, {"link_4"});
      const Vec3<double> p = pose_by_products(model, "link_4", reference).p;
      const auto [result, q] = asker.ask({point_target(p)}, start, nearest);
      ASSERT_TRUE(result.converged);
      std::vector<double> apart(static_cast<std::size_t>(model.n_v()));
      difference(model, reference, q, apart);
      // The distance is found by its square, hence to the root of rounding.
      for (const double x : apart) EXPECT_NEAR(x, 0, 1e-6) << name_of(kind) << ' ' << seed;
      EXPECT_NEAR(result.objective, 0, 1e-12);
    }
}

TEST(IkObjectives, away_from_limits_is_a_least_sum_of_squares_and_improves_on_none) {
  DhTable table = testing::arm_table({{0.5, 0, 0}, {0.4, 0, 0}, {0.3, 0, 0}});
  for (DhRow& row : table.rows) row.limits.lower = -1.5, row.limits.upper = 2.5;
  const Model<double> model(from_dh(table));
  Asker asker(model, {"tool"});
  const auto f = [](const std::vector<double>& q) {
    double sum = 0;
    for (const double x : q) {
      if (x < -1.5 || x > 2.5) return infinity;
      sum += (x - 0.5) * (x - 0.5) / 4;
    }
    return sum;
  };
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Vec3<double> p = pose_by_products(model, "tool", random_q(model, seed)).p;
    const auto start = random_q(model, 600 + seed);
    const auto plain = asker.ask({point_target(p)}, start);
    InverseKinematicsOptions options;
    options.objective = IkObjective::away_from_limits;
    const auto better = asker.ask({point_target(p)}, start, options);
    ASSERT_TRUE(plain.result.converged && better.result.converged);
    EXPECT_LE(norm(pose_by_products(model, "tool", better.q).p - p), 2e-8);
    EXPECT_LE(f(better.q), f(plain.q) + 1e-12);
    EXPECT_NEAR(better.result.objective, f(better.q), 1e-12);
    EXPECT_LE(f(better.q), Planar3R::least_around(better.q, p, f) + 1e-6);
  }
}

TEST(IkObjectives, manipulability_is_a_largest_sqrt_of_det_j_jt_on_the_way) {
  const Planar3R robot;
  Asker asker(robot.model, {"tool"});
  const auto w = [](const std::vector<double>& q) {
    // J of the tip by hand: columns are the arms turned by a right angle.
    const double a = q[0], b = a + q[1], c = b + q[2];
    const double x[3] = {Planar3R::l1 * std::cos(a), Planar3R::l2 * std::cos(b),
                         Planar3R::l3 * std::cos(c)},
                 y[3] = {Planar3R::l1 * std::sin(a), Planar3R::l2 * std::sin(b),
                         Planar3R::l3 * std::sin(c)};
    double xx = 0, xy = 0, yy = 0;
    for (int k = 0; k < 3; ++k) {
      double u = 0, v = 0;
      for (int i = k; i < 3; ++i) u -= y[i], v += x[i];
      xx += u * u, xy += u * v, yy += v * v;
    }
    return std::sqrt(std::max(0.0, xx * yy - xy * xy));
  };
  int improved = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Vec3<double> p = pose_by_products(robot.model, "tool", random_q(robot.model, seed)).p;
    const auto start = random_q(robot.model, 600 + seed);
    IkTarget target = point_target(p);
    target.position_weight = {1, 1, 0};  // of the plane; the third row would make det J J^T vanish
    const auto plain = asker.ask({target}, start);
    InverseKinematicsOptions options;
    options.objective = IkObjective::manipulability;
    const auto better = asker.ask({target}, start, options);
    ASSERT_TRUE(plain.result.converged && better.result.converged);
    EXPECT_LE(norm(pose_by_products(robot.model, "tool", better.q).p - p), 2e-8);
    EXPECT_NEAR(better.result.objective, w(better.q), 1e-12);
    EXPECT_GE(w(better.q), w(plain.q) - 1e-12);
    const double best = -Planar3R::least_around(better.q, p, [&](const auto& q) { return -w(q); });
    EXPECT_GE(w(better.q), best - 1e-6);
    improved += w(better.q) > 1.01 * w(plain.q);
  }
  EXPECT_GT(improved, 20);
}

TEST(IkObjectives, seven_joints_gain_in_each_objective_without_leaving_the_pose) {
  for (const char* const name : {"panda", "iiwa14"}) {
    const Model<double> model = load_robot(name);
    const std::string frame = model.has_frame("tool") ? "tool" : "flange";
    Asker asker(model, {frame});
    SingularityWorkspace ws(model);
    const auto middle = middle_of_limits(model);
    const auto value = [&](IkObjective objective, const std::vector<double>& q) {
      if (objective == IkObjective::manipulability)
        return -manipulability(model, ws, q, model.frame(frame)).measure;
      double sum = 0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        const double half = model.limits(static_cast<int>(k)).upper - middle[k];
        const double d = (q[k] - middle[k]) / (objective == IkObjective::nearest ? 1 : half);
        sum += d * d;
      }
      return sum;
    };
    for (const IkObjective objective :
         {IkObjective::nearest, IkObjective::away_from_limits, IkObjective::manipulability}) {
      int improved = 0;
      for (unsigned seed = 1; seed <= 40; ++seed) {
        const auto start = random_q(model, seed);
        const SE3<double> T = pose_by_products(model, frame, start);
        InverseKinematicsOptions options;
        options.objective = objective;
        options.reference = middle;
        const auto [result, q] = asker.ask({{T}}, start, options);
        ASSERT_TRUE(result.converged);
        EXPECT_LE(position_apart(pose_by_products(model, frame, q), T), 2e-8);
        EXPECT_LE(angle_apart(pose_by_products(model, frame, q), T), 2e-8);
        EXPECT_TRUE(inside_limits(model, q));
        const double sign = objective == IkObjective::manipulability ? -1 : 1;
        EXPECT_NEAR(result.objective, sign * value(objective, q), 1e-10);
        EXPECT_LE(value(objective, q), value(objective, start));
        improved += value(objective, q) < value(objective, start) - 1e-4;
      }
      EXPECT_GT(improved, 20) << name << ' ' << name_of(objective);
    }
  }
}

TEST(IkPriorities, a_lower_target_never_worsens_a_higher_one_and_comes_as_near_as_it_may) {
  const Planar3R robot;
  Asker asker(robot.model, {"tool", "link_3"});
  int reached = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Vec3<double> p = pose_by_products(robot.model, "tool", random_q(robot.model, seed)).p;
    const Vec3<double> elbow =
        pose_by_products(robot.model, "link_3", random_q(robot.model, 70 + seed)).p;
    const auto [result, q] =
        asker.ask({point_target(p, 1), point_target(elbow, 4)}, random_q(robot.model, 900 + seed));
    EXPECT_EQ(result.levels, 2);
    EXPECT_GE(result.levels_reached, 1);
    EXPECT_TRUE(result.targets[0].reached);
    EXPECT_LE(norm(pose_by_products(robot.model, "tool", q).p - p), 2e-8);
    // Every posture with the tip there, by closed form: q1 and both sides of the elbow.
    double least = infinity;
    for (int i = 0; i < 20000; ++i)
      for (const double side : {-1.0, 1.0}) {
        const auto other = Planar3R::on_the_way(i * 2 * testing::pi / 20000, p, {0, 0, side});
        if (other.empty()) continue;
        const Vec3<double> at = Planar3R::end_of_link_2(other);
        least = std::min(least, norm(at - elbow));
      }
    EXPECT_LE(norm(Planar3R::end_of_link_2(q) - pose_by_products(robot.model, "link_3", q).p),
              1e-14);
    EXPECT_LE(result.targets[1].position, least + 1e-6) << seed;
    reached += result.converged;
  }
  EXPECT_LT(reached, 40);  // most lower targets cannot be met
}

TEST(IkPriorities, equal_priorities_share_the_error_that_unequal_ones_give_to_the_lower) {
  const Planar3R robot;
  Asker asker(robot.model, {"tool", "tool"});
  const Vec3<double> a{0.6, 0.1, 0}, b{0.6, 0.3, 0};
  const auto shared = asker.ask({point_target(a), point_target(b)}, {0.1, 0.2, 0.3});
  EXPECT_NEAR(shared.result.targets[0].position, 0.1, 1e-9);
  EXPECT_NEAR(shared.result.targets[1].position, 0.1, 1e-9);
  const auto first = asker.ask({point_target(a), point_target(b, 1)}, {0.1, 0.2, 0.3});
  EXPECT_NEAR(first.result.targets[0].position, 0, 1e-8);
  EXPECT_NEAR(first.result.targets[1].position, 0.2, 2e-8);
  const auto second = asker.ask({point_target(a, 2), point_target(b, 1)}, {0.1, 0.2, 0.3});
  EXPECT_NEAR(second.result.targets[1].position, 0, 1e-8);
  EXPECT_NEAR(second.result.targets[0].position, 0.2, 2e-8);
  // Twice the weight on one: the point between divides as the squares of the weights.
  IkTarget heavy = point_target(a);
  heavy.position_weight = {2, 2, 2};
  const auto weighted = asker.ask({heavy, point_target(b)}, {0.1, 0.2, 0.3});
  EXPECT_NEAR(weighted.result.targets[0].position, 0.2 / 5, 1e-9);
}

TEST(IkPriorities, an_unreachable_level_stays_as_near_as_it_comes_without_the_lower_ones) {
  const Model<double> model = load_robot("humanoid38");
  // One sole keeps its place, one hand reaches for what is too far, the other one moves last.
  Asker two(model, {"left_sole", "left_palm"}), three(model, {"left_sole", "left_palm", "head"});
  const auto start = middle_of_limits(model);
  const SE3<double> sole = pose_by_products(model, "left_sole", start);
  const Vec3<double> head = pose_by_products(model, "head", start).p;
  const IkTarget far = point_target({3, 0.2, 1}, 1);
  InverseKinematicsOptions options;
  options.max_restarts = 0;
  const auto without = two.ask({{sole}, far}, start, options);
  EXPECT_TRUE(without.result.targets[0].reached);
  EXPECT_GT(without.result.targets[1].position, 0.5);
  EXPECT_EQ(without.result.levels_reached, 1);
  const auto with = three.ask({{sole}, far, point_target(head, 2)}, without.q, options);
  EXPECT_TRUE(with.result.targets[0].reached);
  EXPECT_LE(with.result.targets[1].position, without.result.targets[1].position * (1 + 1e-8));
  const bool same = with.result.targets[1].position > without.result.targets[1].position - 1e-9;
  const double before = norm(pose_by_products(model, "head", without.q).p - head);
  EXPECT_TRUE(!same || with.result.targets[2].position <= before + 1e-9);
  EXPECT_TRUE(inside_limits(model, with.q));
}

TEST(IkPriorities, a_reachable_pose_and_a_lower_one_are_both_reached) {
  const Model<double> model = load_robot("humanoid38");
  Asker asker(model, {"left_sole", "left_palm", "right_palm"});
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto goal = random_q(model, seed);
    const SE3<double> sole = pose_by_products(model, "left_sole", goal),
                      left = pose_by_products(model, "left_palm", goal),
                      right = pose_by_products(model, "right_palm", goal);
    const auto [result, q] = asker.ask({{sole, {1, 1, 1}, {1, 1, 1}, 0},
                                        {left, {1, 1, 1}, {1, 1, 1}, 1},
                                        {right, {1, 1, 1}, {1, 1, 1}, 2}},
                                       random_q(model, 40 + seed));
    EXPECT_TRUE(result.converged) << describe(model, result);
    EXPECT_EQ(result.levels_reached, 3);
    EXPECT_LE(position_apart(pose_by_products(model, "left_sole", q), sole), 2e-8);
    EXPECT_LE(position_apart(pose_by_products(model, "left_palm", q), left), 2e-8);
    EXPECT_LE(position_apart(pose_by_products(model, "right_palm", q), right), 2e-8);
  }
}

}  // namespace
}  // namespace torsor
