// Twist, Wrench and pose are different types, and a control law has the members of its interface:
// what mixes or misses them is refused by the compiler, while the neighbouring correct line is
// accepted (so that the refusal is not a slip of the snippet).
#include <gtest/gtest.h>

#include "house/process.hpp"

using namespace torsor::testing;

namespace {

struct Pair {
  const char* name;
  const char* right;
  const char* wrong;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.wrong; }

class MustNotCompile : public ::testing::TestWithParam<Pair> {};

ProcessResult compile_text(const std::string& text) {
  const ScratchFolder scratch;
  write_text(scratch / "snippet.cpp", text);
  return run({TORSOR_CXX_COMPILER, "-std=c++20", "-fsyntax-only", "-I",
              TORSOR_SOURCE_DIR "/include", (scratch / "snippet.cpp").string()});
}

ProcessResult compile(const std::string& statement) {
  return compile_text(
      "#include \"torsor/math/inertia.hpp\"\n"
      "using namespace torsor;\n"
      "using V6 = Twist<double>;\n"
      "using F6 = Wrench<double>;\n"
      "using Pose = SE3<double>;\n"
      "void snippet(const Pose& T, const V6& V, const F6& F, const Inertia<double>& I) {\n"
      "  (void)T;\n  (void)V;\n  (void)F;\n  (void)I;\n  " +
      statement + "\n}\n");
}

/// A law with these members, made once.
ProcessResult compile_law(const std::string& members) {
  return compile_text(
      "#include \"torsor/control/control_law.hpp\"\n"
      "using namespace torsor;\n"
      "struct Law final : ControlLaw {\n"
      "  explicit Law(const Model<double>& model) : ControlLaw(\"law\", model) {}\n" +
      members + "};\nvoid snippet(const Model<double>& model) { Law law(model); (void)law; }\n");
}

TEST(ControlLawMustNotCompile, with_a_misspelt_or_missing_member) {
  const std::string
      torque = "  void torque(const ControlInput&, Out<double>) override {}\n",
      hypotheses = "  Hypotheses hypotheses() const override { return {}; }\n",
      conditions = "  std::vector<Condition> conditions(const Run&) override { return {}; }\n",
      predictions = "  std::vector<Prediction> predictions(const Run&) override { return {}; }\n",
      misspelt = "  std::vector<Prediction> prediction(const Run&) override { return {}; }\n",
      other_arguments = "  int n_states(int) const override { return 0; }\n";
  const ProcessResult right = compile_law(torque + hypotheses + conditions + predictions);
  EXPECT_EQ(right.exit_code, 0) << right.output;
  for (const std::string& members :
       {hypotheses + conditions, torque + conditions, torque + hypotheses,
        torque + hypotheses + conditions + misspelt,
        torque + hypotheses + conditions + other_arguments})
    EXPECT_EQ(compile_law(members).exit_code, 1) << members << "was accepted";
}

TEST_P(MustNotCompile, the_right_line_compiles_and_the_wrong_one_does_not) {
  const ProcessResult right = compile(GetParam().right);
  EXPECT_EQ(right.exit_code, 0) << GetParam().right << "\n" << right.output;

  const ProcessResult wrong = compile(GetParam().wrong);
  EXPECT_EQ(wrong.exit_code, 1) << GetParam().wrong << " was accepted\n" << wrong.output;
  EXPECT_NE(wrong.output.find("snippet.cpp"), std::string::npos) << wrong.output;
}

INSTANTIATE_TEST_SUITE_P(
    Types, MustNotCompile,
    ::testing::Values(
        Pair{"a_wrench_into_Ad", "V6 x = Ad(T, V);", "auto x = Ad(T, F);"},
        Pair{"a_wrench_into_Ad_inv", "V6 x = Ad_inv(T, V);", "auto x = Ad_inv(T, F);"},
        Pair{"a_twist_into_Ad_dual", "F6 x = Ad_dual(T, F);", "auto x = Ad_dual(T, V);"},
        Pair{"a_twist_into_Ad_dual_inv", "F6 x = Ad_dual_inv(T, F);",
             "auto x = Ad_dual_inv(T, V);"},
        Pair{"ad_of_a_wrench", "V6 x = ad(V, V);", "auto x = ad(F, V);"},
        Pair{"ad_dual_of_twists", "F6 x = ad_dual(V, F);", "auto x = ad_dual(V, V);"},
        Pair{"twist_plus_wrench", "V6 x = V + V;", "auto x = V + F;"},
        Pair{"wrench_minus_twist", "F6 x = F - F;", "auto x = F - V;"},
        Pair{"twist_plus_equals_wrench", "V6 x = V; x += V;", "V6 x = V; x += F;"},
        Pair{"twist_times_twist", "V6 x = 2 * V;", "auto x = V * V;"},
        Pair{"wrench_times_vector", "F6 x = F * 2.0;", "auto x = F * V.w;"},
        Pair{"vector_times_vector", "double x = dot(V.w, V.v);", "auto x = V.w * V.v;"},
        Pair{"pose_given_to_a_twist", "V6 x = V;", "V6 x = T;"},
        Pair{"wrench_given_to_a_twist", "V6 x(V);", "V6 x(F);"},
        Pair{"twist_given_to_a_wrench", "F6 x(F);", "F6 x(V);"},
        Pair{"twist_given_to_a_pose", "Pose x = T;", "Pose x = V;"},
        Pair{"pose_plus_twist", "Pose x = T * T;", "auto x = T + V;"},
        Pair{"power_of_two_twists", "double x = dot(V, F);", "double x = dot(V, V);"},
        Pair{"inertia_times_wrench", "F6 x = I * V;", "auto x = I * F;"},
        Pair{"pose_times_twist", "V6 x = Ad(T, V);", "auto x = T * V;"}),
    [](const auto& pair) { return pair.param.name; });

}  // namespace
