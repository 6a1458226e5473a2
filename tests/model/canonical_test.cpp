// The canonical form is the same robot: energies, masses and centres agree for trees of every kind.
#include "torsor/model/internal/canonical.hpp"

#include <gtest/gtest.h>

#include "support/random_model.hpp"
#include "support/tree_motion.hpp"
#include "torsor/model/builder.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// tree_motion in canonical frames, from nothing but the canonical form's own numbers.
TreeMotion canonical_motion(const Model<double>& model, const std::vector<double>& q,
                            const std::vector<double>& v, const Twist<double>& V_0) {
  const internal::CanonicalForm<double>& form = model.canonical();
  TreeMotion m{{SE3<double>{}}, {V_0}};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    SE3<double> T{b.R, b.p};
    internal::JointColumns<double> S{};
    const double angle = q[at(b.q)] + form.offset[at(b.q)];
    switch (b.joint) {
      case internal::JointClass::hinge:
        T.R =
            SO3<double>{{1, 0, 0}, {0, b.cos_alpha, b.sin_alpha}, {0, -b.sin_alpha, b.cos_alpha}} *
            rotation_z(angle);
        S[0] = {{0, 0, 1}, {}};
        break;
      case internal::JointClass::turned_hinge:
        T.R = b.R * rotation_z(angle);
        S[0] = {{0, 0, 1}, {}};
        break;
      case internal::JointClass::slider:
        T.p = b.p + b.R.c2 * q[at(b.q)];
        S[0] = {{}, {0, 0, 1}};
        break;
      case internal::JointClass::general: {
        const auto motion = joint_motion(model.joint(i), q.data() + b.q);
        T = T * motion.T;
        S = motion.S;
      }
    }
    Twist<double> V = Ad_inv(T, m.V[at(b.parent)]);
    for (int k = 0; k < b.n_v; ++k) V += S[at(k)] * v[at(b.v + k)];
    m.T.push_back(m.T[at(b.parent)] * T);
    m.V.push_back(V);
  }
  return m;
}

double kinetic(const Inertia<double>& I, const Twist<double>& V) { return dot(V, I * V) / 2; }

TreeTotals canonical_totals(const Model<double>& model, const TreeMotion& m) {
  TreeTotals sum;
  for (int i = 0; i < model.n_bodies(); ++i) {
    const Inertia<double> I = inertia(model.canonical(i).moments);
    sum.energy += kinetic(I, m.V[at(i)]);
    sum.mass += I.m;
    sum.moment += transported(m.T[at(i)], I).h;
  }
  return sum;
}

void expect_same_robot(const Model<double>& model, unsigned seed) {
  Draw<double> draw(seed);
  const auto q = random_q(model, seed), v = random_velocity(model, seed);
  const Twist<double> V_0 = draw.twist();
  const TreeMotion a = tree_motion(model, q, v, V_0), b = canonical_motion(model, q, v, V_0);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const SO3<double>& turn = model.canonical().R_link_canonical[at(i)];
    EXPECT_CLOSE(b.T[at(i)], (a.T[at(i)] * SE3<double>{turn, {}}), 100.0 * model.n_bodies())
        << seed;
    const Twist<double> V{turn * b.V[at(i)].w, turn * b.V[at(i)].v};
    const double scale = 1 + norm(V.w) + norm(V.v);
    EXPECT_CLOSE(V, a.V[at(i)], 100.0 * model.n_bodies() * scale) << seed;
  }
  const TreeTotals one = tree_totals(model, a), two = canonical_totals(model, b);
  double gross = 0;  // of the terms that cancel
  for (int i = 0; i < model.n_bodies(); ++i)
    gross += std::abs(kinetic(inertia(model.canonical(i).moments), b.V[at(i)]));
  EXPECT_NEAR(two.energy, one.energy, 400 * eps<double> * gross) << seed;
  EXPECT_NEAR(two.mass, one.mass, 10 * eps<double> * one.mass * model.n_bodies()) << seed;
  EXPECT_CLOSE(two.moment, one.moment, 100 * one.mass * model.n_bodies()) << seed;
}

TEST(Canonical, kinetic_energy_mass_and_centre_are_those_of_the_physical_form) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    expect_same_robot(Model<double>(random_tree(seed, 14)), seed);
}

TEST(Canonical, chains_of_hinges_and_sliders_are_the_same_robot) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RandomTree options;
    options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::continuous};
    options.chain = seed % 2 == 0;
    expect_same_robot(Model<double>(random_tree(seed, 12, options)), seed);
  }
}

TEST(Canonical, axes_along_the_frame_axes_and_parallel_to_each_other_are_the_same_robot) {
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RandomTree options;
    options.kinds = one_dof_kinds();
    RobotDescription robot = random_tree(seed, 10, options);
    Draw<double> draw(seed);
    for (Joint& joint : robot.joints) {
      joint.axis = axes[at(static_cast<int>(draw(0, 5.999)))];
      if (draw() > 0) joint.placement.R = SO3<double>::identity();
    }
    expect_same_robot(Model<double>(robot), seed);
  }
}

TEST(Canonical, nearly_parallel_axes_are_the_same_robot) {
  for (double tilt : {1e-15, 1e-14, 3e-14, 1e-12, 1e-9, 1e-6}) {
    for (double sign : {1.0, -1.0}) {
      ModelBuilder b;
      b.revolute("j1", "base", "a", {}, {0.3, 0.2, 0.9});
      b.revolute("j2", "a", "b", {.p = {0.3, 0.1, 0}}, {0.3 * sign + tilt, 0.2 * sign, 0.9 * sign});
      b.revolute("j3", "b", "c", {.p = {0.3, 0.1, 0.2}}, {0.3, 0.2 - tilt, 0.9});
      for (const char* link : {"a", "b", "c"})
        b.inertia(link, 1.5, {0.1, 0.2, -0.1}, {0.02, 0.001, 0.03, 0.002, -0.003, 0.04});
      expect_same_robot(b.build(), 5);
    }
  }
}

TEST(Canonical, every_joint_of_a_chain_of_hinges_is_a_hinge_but_for_the_first) {
  RandomTree options;
  options.kinds = {JointKind::revolute};
  options.chain = true;
  const Model<double> model(random_tree(8, 20, options));
  EXPECT_EQ(model.canonical().not_hinges, std::vector<int>{1});  // the world's frame is not turned
  for (int i = 2; i < model.n_bodies(); ++i)
    EXPECT_EQ(model.canonical(i).joint, internal::JointClass::hinge) << i;
  EXPECT_EQ(model.canonical().hinge_q.size(), 20u);
}

TEST(Canonical, mass_on_the_axis_of_a_hinge_is_the_parents) {
  const Model<double> model(random_tree(21, 30));
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    const MassMoments<double>& m = b.moments;
    const bool turns =
        b.joint == internal::JointClass::hinge || b.joint == internal::JointClass::turned_hinge;
    const double on_axis = std::abs(m.m) + std::abs(m.h.z) + std::abs(m.S.zz);
    EXPECT_EQ(on_axis == 0, turns);
    EXPECT_EQ(distance(m.S, Sym3<double>{}) == 0, b.joint == internal::JointClass::slider);
  }
}

TEST(Canonical, branching_bodies_are_those_with_a_child_that_does_not_follow_them) {
  const Model<double> model(random_tree(22, 30));
  std::vector<bool> branching(30 + 1);
  for (int i = 1; i < model.n_bodies(); ++i)
    if (model.body(i).parent != i - 1) branching[at(model.body(i).parent)] = true;
  for (int i = 0; i < model.n_bodies(); ++i) {
    EXPECT_EQ(model.canonical(i).branching, branching[at(i)]) << i;
  }
}

TEST(Canonical, turn_to_is_a_rotation_that_takes_z_to_the_axis) {
  std::vector<Vec3<double>> axes = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}};
  for (double tilt : {1e-16, 1e-12, 1e-9, 1e-8, 1e-6, 1e-3, 0.5})
    for (double z : {1.0, -1.0}) {
      axes.push_back(normalised(Vec3<double>{tilt, 0, z}));
      axes.push_back(normalised(Vec3<double>{0.6 * tilt, -0.8 * tilt, z}));
    }
  for (const Vec3<double>& axis : axes) {
    const SO3<double> R = internal::turn_to(axis);
    EXPECT_CLOSE(R.c2, axis, 1);
    EXPECT_CLOSE(transpose_times(R, R), SO3<double>::identity(), 8);
    EXPECT_NEAR(determinant(R), 1, 8 * eps<double>);
  }
}

}  // namespace
