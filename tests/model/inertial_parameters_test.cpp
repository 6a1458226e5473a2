// Ten inertial parameters a body: read, written, named, in both orders.
#include "torsor/model/inertial_parameters.hpp"

#include <gtest/gtest.h>

#include "support/random_model.hpp"
#include "torsor/model/builder.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

using Numbers = std::vector<double>;

double largest_difference(const Numbers& a, const Numbers& b) {
  double d = a.size() == b.size() ? 0 : infinity;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    d = std::max(d, distance(a[k], b[k]));
  return d;
}

/// One arm with a tool fixed to it.
Model<double> arm() {
  ModelBuilder b("arm");
  b.revolute("joint", "base", "arm");
  b.fixed("flange", "arm", "tool", {.p = {0, 0, 1}});
  b.inertia("base", 9, {}, {});
  b.inertia("arm", 2, {0.5, 0, 0}, {0.1, 0, 0.2, 0, 0, 0.3});
  b.inertia("tool", 1, {0, 0.25, 0}, {});
  return b.build();
}

TEST(Parameters, ten_numbers_are_mass_first_moments_and_inertia_about_the_origin) {
  // arm: J about its origin = about_com + 2 * 0.25 diag(0, 1, 1); tool at (0, 1/4, 1), mass 1
  const Numbers expected{
      3, 1, 0.25, 1, 0.1 + 0.0625 + 1, 0, 0.2 + 0.5 + 1, 0, -0.25, 0.3 + 0.5 + 0.0625};
  EXPECT_LE(largest_difference(parameters(arm()), expected), 4 * eps<double>);
  const auto names = parameter_names(arm());
  EXPECT_EQ(names.front(), "arm.m");
  EXPECT_EQ(names[8], "arm.yz");
  EXPECT_EQ(names.size(), 10u);
}

TEST(Parameters, textbook_order_is_that_of_its_section_2_5) {
  const Numbers p{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};  // m mx my mz xx xy yy xz yz zz
  EXPECT_EQ(textbook_order(p), (Numbers{5, 6, 8, 7, 9, 10, 2, 3, 4, 1}));
  EXPECT_EQ(textbook_order(p, ProductSign::integral), (Numbers{5, -6, -8, 7, -9, 10, 2, 3, 4, 1}));
  const auto names = textbook_order(parameter_names(arm()));
  EXPECT_EQ(names[2], "arm.xz");
  EXPECT_EQ(names[9], "arm.m");
  for (ProductSign sign : {ProductSign::matrix_entry, ProductSign::integral}) {
    const Numbers all = parameters(Model<double>(random_tree(2, 5)));
    EXPECT_EQ(from_textbook_order(textbook_order(all, sign), sign), all);
  }
  EXPECT_THROW(textbook_order(Numbers(11)), Error);
}

TEST(Parameters, a_model_with_its_own_parameters_is_the_same_model) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(random_tree(seed, 14));
    const Numbers p = parameters(model);
    const Model<double> same = with_parameters(model, p);
    EXPECT_EQ(parameters(same), p);
    EXPECT_TRUE(same.is_described());
    for (int i = 0; i < model.n_bodies(); ++i)
      EXPECT_CLOSE(same.canonical(i).moments, model.canonical(i).moments, 0);
    // what the description says is the same, too
    EXPECT_LE(largest_difference(parameters(Model<double>(same.description())), p),
              100 * eps<double>);
  }
}

TEST(Parameters, a_link_without_mass_carries_none_and_what_is_fixed_to_it_keeps_its_own) {
  ModelBuilder b("hand");
  b.revolute("joint", "base", "wrist");
  b.fixed("flange", "wrist", "tool", {rotation_x(0.7), {0.1, 0.2, 0.3}});
  b.fixed("plate", "wrist", "camera", {rotation_y(0.7), {0.1, -0.2, 0.3}});
  b.inertia("tool", 0.7, {0.1, 0.03, 0.2}, {0.01, 0.001, 0.02, 0.002, 0, 0.015});
  b.inertia("camera", 1.3, {0.1, 0.03, -0.2}, {0.01, 0.001, 0.02, 0.002, 0, 0.015});
  const Model<double> model = b.build();
  const RobotDescription same = with_parameters(model, parameters(model)).description();
  EXPECT_EQ(same.find_link("wrist")->inertial.mass, 0);
  EXPECT_EQ(trace(same.find_link("wrist")->inertial.about_com), 0);
  EXPECT_EQ(same.find_link("tool")->inertial.mass, 0.7);
  EXPECT_EQ(same.find_link("camera")->inertial.mass, 1.3);
}

TEST(Parameters, written_parameters_are_read_back_and_described) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(random_tree(seed, 14)), other(random_tree(100 + seed, 14));
    const Numbers p = parameters(other);
    const Model<double> changed = with_parameters(model, p);
    EXPECT_EQ(parameters(changed), p);
    EXPECT_TRUE(changed.is_described());
    EXPECT_LE(largest_difference(parameters(Model<double>(changed.description())), p),
              400 * eps<double>);
    EXPECT_EQ(changed.n_q(), model.n_q());
  }
}

TEST(Parameters, links_fixed_to_a_body_keep_theirs_where_mass_is_left) {
  const Model<double> model = arm();
  Numbers p = parameters(model);
  p[0] += 1;
  const RobotDescription more = with_parameters(model, p).description();
  EXPECT_NEAR(more.find_link("arm")->inertial.mass, 3, 4 * eps<double>);
  EXPECT_EQ(more.find_link("tool")->inertial.mass, 1);
  p[0] = 0.5;  // less than the tool alone: all goes to the arm
  const RobotDescription less = with_parameters(model, p).description();
  EXPECT_EQ(less.find_link("arm")->inertial.mass, 0.5);
  EXPECT_EQ(less.find_link("tool")->inertial.mass, 0);
  EXPECT_LE(largest_difference(parameters(Model<double>(less)), p), 20 * eps<double>);
}

TEST(Parameters, base_parameters_without_mass_are_carried_but_not_described) {
  const Model<double> model = arm();
  const Numbers p{0, 0.7, -0.2, 0, 0.4, 0.1, 0, 0, 0, 0.9};
  const Model<double> base = with_parameters(model, p);
  EXPECT_EQ(parameters(base), p);
  EXPECT_FALSE(base.is_described());
  EXPECT_FALSE(base.cast<float>().is_described());
  const Inertia<double> I = inertia(base.canonical(1).moments);
  EXPECT_NEAR(I.J.zz, 0.9, 4 * eps<double>);  // a hinge feels nothing but this about its axis
  EXPECT_TRUE(with_parameters(base, parameters(model)).is_described());
}

TEST(Parameters, wrong_sizes_and_numbers_are_refused) {
  const Model<double> model = arm();
  const auto message = [&](const Numbers& p) -> std::string {
    try {
      with_parameters(model, p);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(Numbers(9)), "robot \"arm\" has 10 inertial parameters; 9 are given");
  EXPECT_EQ(message({1, 0, 0, 0, NAN, 0, 0, 0, 0, 0}),
            "robot \"arm\": parameter \"arm.xx\" is not finite");
}

}  // namespace
