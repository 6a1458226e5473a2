// torsor eval: the door for other programs.
#include <sys/resource.h>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

using Vector = PlanarArm::Vector;
using Matrix = PlanarArm::Matrix;

const Vector q{0.4, -1.1}, qd{0.7, -0.3}, qdd{1.5, 2.5}, tau{3, -2};

class Eval : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string robot = (folder / "planar.urdf").string();
  std::string states = (folder / "states.json").string();

  Eval() { write_text(robot, PlanarArm::urdf()); }

  CommandResult run(const std::string& request, std::vector<std::string> options = {}) {
    write_text(states, request);
    std::vector<std::string> words{"eval", robot, states};
    words.insert(words.end(), options.begin(), options.end());
    return torsor_command(words);
  }
  Json answer(const Json& request, std::vector<std::string> options = {}) {
    const CommandResult result = run(request.dump(), std::move(options));
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out);
  }
  Json one(std::vector<std::string> options = {}) {
    const Json state = {{"q", q}, {"qd", qd}, {"qdd", qdd}, {"tau", tau}};
    return answer({{"frame", "tip"}, {"states", {state}}}, std::move(options))["results"][0];
  }
};

void expect_near(const Json& got, const Vector& want, double tolerance = 1e-13) {
  ASSERT_EQ(got.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(got[k].get<double>(), want[k], tolerance);
}
void expect_near(const Json& got, const Matrix& want) {
  ASSERT_EQ(got.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) expect_near(got[r], want[r]);
}

TEST_F(Eval, torques_and_matrices_are_those_of_the_closed_form) {
  const Json r = one();
  Vector expected = PlanarArm::torque(q, qd, qdd);
  for (std::size_t k = 0; k < 2; ++k)
    expected[k] += PlanarArm::friction(static_cast<int>(k), qd[k]);
  expect_near(r["tau"], expected);
  expect_near(r["gravity"], PlanarArm::gravity(q));
  expect_near(r["bias"], PlanarArm::bias(q, qd));
  expect_near(r["M"], PlanarArm::M(q));
  expect_near(r["C"], PlanarArm::C(q, qd));
  EXPECT_NEAR(r["kinetic"].get<double>(), PlanarArm::kinetic(q, qd), 1e-14);
  EXPECT_NEAR(r["potential"].get<double>(), PlanarArm::potential(q), 1e-13);
  EXPECT_NEAR(r["mass"].get<double>(), PlanarArm::m1 + PlanarArm::m2, 1e-15);
}

TEST_F(Eval, forward_dynamics_gives_the_acceleration_that_the_torque_leaves_after_friction) {
  const Json qdd_fd = one()["qdd_fd"];
  Vector back = PlanarArm::torque(q, qd, {qdd_fd[0], qdd_fd[1]});
  for (std::size_t k = 0; k < 2; ++k) back[k] += PlanarArm::friction(static_cast<int>(k), qd[k]);
  expect_near(Json(back), tau);
}

TEST_F(Eval, no_friction_leaves_out_friction_and_damping) {
  const Json r = one({"--no-friction"});
  expect_near(r["tau"], PlanarArm::torque(q, qd, qdd));
  expect_near(Json(PlanarArm::torque(q, qd, {r["qdd_fd"][0], r["qdd_fd"][1]})), tau);
}

TEST_F(Eval, the_frame_has_a_pose_and_jacobians) {
  const Json r = one();
  const double s1 = std::sin(q[0]), c1 = std::cos(q[0]), s12 = std::sin(q[0] + q[1]),
               c12 = std::cos(q[0] + q[1]), l1 = PlanarArm::l1, l2 = PlanarArm::l2;
  EXPECT_NEAR(r["T_frame"][0][3].get<double>(), l1 * c1 + l2 * c12, 1e-15);
  EXPECT_NEAR(r["T_frame"][2][3].get<double>(), l1 * s1 + l2 * s12, 1e-15);
  EXPECT_EQ(r["T_frame"][3], Json({0.0, 0.0, 0.0, 1.0}));
  // Rows w, then v; the plane is x-z and turns about -y.
  const Json& J = r["J_world_aligned"];
  ASSERT_EQ(J.size(), 6u);
  EXPECT_NEAR(J[1][0].get<double>(), -1, 1e-15);
  EXPECT_NEAR(J[3][0].get<double>(), -l1 * s1 - l2 * s12, 1e-15);
  EXPECT_NEAR(J[5][1].get<double>(), l2 * c12, 1e-15);
  // In the frame's own axes x is along the link: v_y of the second joint is l2.
  EXPECT_NEAR(r["J_body"][2][1].get<double>(), 1, 1e-15);
  EXPECT_NEAR(r["J_body"][4][1].get<double>(), l2, 1e-15);
  EXPECT_EQ(r["Jdot_qd_body"].size(), 6u);
}

TEST_F(Eval, derivatives_are_slopes_of_the_closed_form) {
  const Json r = one({"--no-friction"});
  const double h = 1e-6;
  for (std::size_t k = 0; k < 2; ++k) {
    Vector up = q, down = q, faster = qd, slower = qd;
    up[k] += h, down[k] -= h, faster[k] += h, slower[k] -= h;
    const Vector a = PlanarArm::torque(up, qd, qdd), b = PlanarArm::torque(down, qd, qdd);
    const Vector c = PlanarArm::torque(q, faster, qdd), d = PlanarArm::torque(q, slower, qdd);
    for (std::size_t row = 0; row < 2; ++row) {
      EXPECT_NEAR(r["dtau_dq"][row][k].get<double>(), (a[row] - b[row]) / (2 * h), 1e-8);
      EXPECT_NEAR(r["dtau_dqd"][row][k].get<double>(), (c[row] - d[row]) / (2 * h), 1e-8);
    }
  }
  const Matrix M = PlanarArm::M(q);  // dqdd_dtau = M^-1
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(M[row][0] * r["dqdd_dtau"][0][k].get<double>() +
                      M[row][1] * r["dqdd_dtau"][1][k].get<double>(),
                  row == k ? 1.0 : 0.0, 1e-13);
}

TEST_F(Eval, regressor_times_the_parameters_is_the_torque) {
  const Json info = torsor_command({"info", robot, "--json"}).json();
  const Json all = answer({{"states", {{{"q", q}, {"qd", qd}, {"qdd", qdd}}}}});
  EXPECT_EQ(all["parameters"], info["parameters"]);
  EXPECT_EQ(all["parameters"][0], "l1.m");
  const Vector expected = PlanarArm::torque(q, qd, qdd);
  for (std::size_t r = 0; r < 2; ++r) {
    double sum = 0;
    const Json& row = all["results"][0]["regressor"][r];
    ASSERT_EQ(row.size(), 20u);
    for (std::size_t c = 0; c < 20; ++c)
      sum += row[c].get<double>() * info["parameter_values"][c].get<double>();
    EXPECT_NEAR(sum, expected[r], 1e-13);
  }
}

TEST_F(Eval, an_empty_list_of_states_answers_with_names_and_sizes) {
  const Json r = answer({{"states", Json::array()}});
  EXPECT_EQ(r["robot"], "planar");
  EXPECT_EQ(r["joints"], Json({"j1", "j2"}));
  EXPECT_EQ(r["n_q"], 2);
  EXPECT_EQ(r["n_v"], 2);
  EXPECT_EQ(r["parameters"].size(), 20u);
  EXPECT_EQ(r["results"], Json::array());
}

TEST_F(Eval, a_robot_that_nothing_moves_has_empty_answers) {
  write_text(robot,
             "<robot name=\"rock\"><link name=\"rock\"><inertial><mass value=\"2\"/><inertia "
             "ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
             "</robot>\n");
  const Json state = {{"q", Json::array()}};
  const Json r = answer({{"states", {state, state}}})["results"][1];
  for (const char* key : {"tau", "gravity", "bias", "M", "C", "qdd_fd"})
    EXPECT_TRUE(r.at(key).empty()) << key << r;
  EXPECT_EQ(r["mass"], 0);  // of what moves
}

TEST_F(Eval, answers_to_many_states_are_whole_and_in_order) {
  constexpr int many = 3000;  // more than is printed at once
  Json list = Json::array();
  for (int k = 0; k < many; ++k) list.push_back({{"q", {0.001 * k, -0.5}}});
  const Json results = answer({{"states", list}})["results"];
  ASSERT_EQ(results.size(), std::size_t{many});
  for (int k = 0; k < many; ++k)
    expect_near(results[static_cast<std::size_t>(k)]["gravity"],
                PlanarArm::gravity({0.001 * k, -0.5}));
}

TEST_F(Eval, missing_inputs_are_zero_and_without_a_frame_there_are_no_frame_keys) {
  const Json r = answer({{"states", {{{"q", q}}}}})["results"][0];
  expect_near(r["tau"], PlanarArm::gravity(q));
  EXPECT_EQ(r["kinetic"], 0.0);
  for (const char* key : {"T_frame", "J_body", "J_world_aligned", "Jdot_qd_body"})
    EXPECT_FALSE(r.contains(key)) << key;
}

TEST_F(Eval, only_selects_keys) {
  const Json r = one({"--only", "tau,M"});
  EXPECT_EQ(r.size(), 2u);
  EXPECT_TRUE(r.contains("tau"));
  expect_refusal(run("{\"states\": []}", {"--only", "tau,gravitation"}),
                 "unknown key \"gravitation\"");
}

TEST_F(Eval, a_dash_reads_standard_input) {
  const std::string line = "echo '{\"states\": []}' | '" TORSOR_COMMAND "' eval '" + robot + "' -";
  const ProcessResult result = torsor::testing::run({"sh", "-c", line});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(Json::parse(result.output)["n_v"], 2);
}

TEST_F(Eval, a_floating_robot_begins_with_root_joint) {
  const Json r = answer({{"states", {{{"q", {0, 0, 0, 0, 0, 0, 1, q[0], q[1]}}}}}}, {"--floating"});
  EXPECT_EQ(r["joints"], Json({"root_joint", "j1", "j2"}));
  EXPECT_EQ(r["n_q"], 9);
  EXPECT_EQ(r["n_v"], 8);
  // (m, f) on the base hold the weight.
  EXPECT_NEAR(r["results"][0]["tau"][5].get<double>(), (PlanarArm::m1 + PlanarArm::m2) * 9.81,
              1e-13);
}

TEST_F(Eval, a_quaternion_is_normalised_or_refused) {
  const auto request = [](double w) {
    return Json{{"states", {{{"q", {0, 0, 0, 0, 0, 0, w, 0.1, 0.2}}}}}}.dump();
  };
  EXPECT_EQ(run(request(1 + 1e-7), {"--floating"}).code, 0);
  expect_refusal(run(request(1 + 1e-5), {"--floating"}), "states[0]: q: ");
}

TEST_F(Eval, a_wrench_on_a_link_acts_in_the_frame_of_that_link) {
  // A force f along y of the tip: j1 feels f (l1 cos q2 + l2), j2 feels f l2.
  const Json state = {{"q", q}, {"f_ext", {{"tip", {0, 0, 0, 0, 2, 0}}}}};
  const Json r = answer({{"states", {state}}})["results"][0];
  const Vector g = PlanarArm::gravity(q);
  const Vector held{g[0] - 2 * (PlanarArm::l1 * std::cos(q[1]) + PlanarArm::l2),
                    g[1] - 2 * PlanarArm::l2};
  expect_near(r["tau"], held);
  expect_near(r["gravity"], g);
}

TEST_F(Eval, derivatives_with_a_wrench_are_those_of_differences) {
  const Json wrench = {{"tip", {0.3, -0.1, 0.2, 4, 2, -1}}};
  const auto at = [&](Vector x, Vector v) {
    return answer(
        {{"states", {{{"q", x}, {"qd", v}, {"tau", tau}, {"f_ext", wrench}}}}})["results"][0];
  };
  const Json r = at(q, qd);
  const double h = 1e-5;
  for (std::size_t c = 0; c < 2; ++c) {
    Vector more = q, less = q, faster = qd, slower = qd;
    more[c] += h, less[c] -= h, faster[c] += h, slower[c] -= h;
    const Json up = at(more, qd), down = at(less, qd), fast = at(q, faster), slow = at(q, slower);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto rise = [&](const Json& a, const Json& b, const char* key) {
        return (a[key][k].get<double>() - b[key][k].get<double>()) / (2 * h);
      };
      EXPECT_NEAR(r["dtau_dq"][k][c].get<double>(), rise(up, down, "tau"), 1e-7);
      EXPECT_NEAR(r["dtau_dqd"][k][c].get<double>(), rise(fast, slow, "tau"), 1e-7);
      EXPECT_NEAR(r["dqdd_dq"][k][c].get<double>(), rise(up, down, "qdd_fd"), 1e-6);
      EXPECT_NEAR(r["dqdd_dqd"][k][c].get<double>(), rise(fast, slow, "qdd_fd"), 1e-6);
    }
  }
}

TEST_F(Eval, couplings_give_constrained_accelerations_rows_and_multipliers) {
  write_text(robot, PlanarArm::urdf("<mimic joint=\"j1\" multiplier=\"2\"/>"));
  const Vector on{0.4, 0.8};
  const Json request = {{"states", {{{"q", on}, {"tau", tau}}}}};
  const Json closed = answer(request)["results"][0],
             open = answer(request, {"--tree"})["results"][0];
  EXPECT_EQ(closed["A"], Json({{-2.0, 1.0}}));  // q2 - 2 q1
  const Vector found{closed["qdd_fd"][0], closed["qdd_fd"][1]};
  const double lambda = closed["lambda"][0];
  EXPECT_NEAR(found[1], 2 * found[0], 1e-12);
  const Vector felt = PlanarArm::torque(on, {0, 0}, found);
  EXPECT_NEAR(felt[0], tau[0] - 2 * lambda, 1e-12);
  EXPECT_NEAR(felt[1], tau[1] + lambda, 1e-12);
  EXPECT_FALSE(open.contains("A"));
  EXPECT_FALSE(open.contains("lambda"));
  EXPECT_GT(std::abs(open["qdd_fd"][1].get<double>() - 2 * open["qdd_fd"][0].get<double>()), 0.1);
  expect_refusal(run(Json{{"states", {{{"q", q}}}}}.dump()), "is open by 1.9 m or rad");
  expect_refusal(run(request.dump(), {"--tree", "--only", "lambda"}), "no loops or couplings");
}

TEST_F(Eval, a_number_that_overflows_is_a_failure_with_its_state_and_key) {
  const CommandResult result =
      run("{\"states\": [{\"q\": [0,0]}, {\"q\": [0,0], \"qd\": [1e200,1e200]}]}",
          {"--only", "M,tau,kinetic"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("torsor: states[1]: tau is too large")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(Eval, bad_requests_are_refused_with_the_state_and_the_key) {
  expect_refusal(run("{"), "states.json: ");
  expect_refusal(run("[]"), "is not an object");
  expect_refusal(run("{}"), "has no \"states\"");
  expect_refusal(run("{\"states\": 1}"), "is not a list");
  expect_refusal(run("{\"states\": [], \"fram\": \"tip\"}"),
                 "unknown key \"fram\"; did you mean \"frame\"?");
  expect_refusal(run("{\"states\": [], \"frame\": \"tipp\"}"), "tip");
  expect_refusal(run("{\"states\": [{}]}"), "states[0]: has no \"q\"");
  expect_refusal(run("{\"states\": [{\"q\": [0,0]}, {\"q\": [0]}]}"), "states[1]: q: ");
  expect_refusal(run("{\"states\": [{\"q\": [0,\"x\"]}]}"), "number 2");
  expect_refusal(run("{\"states\": [{\"q\": [0,0], \"qd\": [1]}]}"),
                 "states[0]: qd: has 1 numbers");
  expect_refusal(run("{\"states\": [{\"q\": [0,0], \"qdt\": [1]}]}"), "unknown key \"qdt\"");
  expect_refusal(run("{\"states\": [{\"q\": [0,0], \"qd\": [1,1], \"qd\": [2,2]}]}"),
                 "states.json: key \"qd\" stands twice in one object");
  expect_refusal(run("{\"states\": [{\"q\": [0,1e999]}]}"), "states.json: ");
  expect_refusal(run("{\"states\": [{\"q\": [0,0], \"f_ext\": {\"l3\": [0,0,0,0,0,0]}}]}"),
                 "no link \"l3\"");
  expect_refusal(run("{\"states\": [{\"q\": [0,0], \"f_ext\": {\"l2\": [0,0,0]}}]}"), "3 numbers");
  expect_refusal(torsor_command({"eval", robot, (folder / "none.json").string()}), "none.json");
  expect_refusal(torsor_command({"eval", robot}), "STATES");
}

TEST_F(Eval, the_time_grows_with_the_number_of_states_and_not_with_its_square) {
  std::string text = "{\"states\": [";
  for (int k = 0; k < 300'000; ++k) text += k == 0 ? "{\"q\":[0,0]}" : ",{\"q\":[0,0]}";
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  const CommandResult result = run(text + "]}", {"--only", "mass"});
  getrusage(RUSAGE_CHILDREN, &after);
  EXPECT_EQ(result.code, 0);
  EXPECT_LT(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 15);
}
TEST_F(Eval, deep_nesting_is_refused_at_once) {
  expect_refusal(run(std::string(1 << 20, '[')), "nested more than 16 deep");
  std::string deep;
  for (int k = 0; k < 100'000; ++k) deep += "{\"a\":";
  expect_refusal(run(deep), "nested more than 16 deep");
  expect_refusal(run("{\"states\": [null]}"), "null is not an object");
  expect_refusal(run("{\"states\": [{\"q\": [0, 0]}, 3]}"), "is not an object");
}

}  // namespace
