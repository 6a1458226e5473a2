// torsor derivatives: the numbers of a closed form, three formats, and every sort of wrong input.

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

using namespace torsor::testing;

namespace {

using Json = nlohmann::json;
using Vector = PlanarArm::Vector;
using Words = std::vector<std::string>;

const Vector q{0.4, -1.1}, qd{0.7, -0.3}, qdd{1.5, 2.5};

class Derivatives : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string robot = (folder / "planar.urdf").string();

  void SetUp() override { write_text(robot, PlanarArm::urdf()); }
  CommandResult run(Words more) {
    Words words = {"derivatives", robot};
    words.insert(words.end(), more.begin(), more.end());
    return torsor_command(words);
  }
  /// At the state above.
  Json at_state(const std::string& of, const std::string& parameters, Words more = {}) {
    Words words = {"--of", of,         "-w",    parameters, "--q",   "0.4,-1.1",
                   "--qd", "0.7,-0.3", "--qdd", "1.5,2.5",  "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json()["results"][0];
  }
};

double entry(const Json& matrix, std::size_t row, std::size_t column) {
  return matrix[row][column].get<double>();
}

TEST_F(Derivatives, of_the_arm_are_those_of_its_closed_form) {
  const Json r = at_state("id", "q,qd,qdd,l2.mass,gravity.z,j1.viscous,j2.coulomb");
  EXPECT_EQ(r["of"], "id");
  EXPECT_EQ(r["parameters"], (Words{"q.j1", "q.j2", "qd.j1", "qd.j2", "qdd.j1", "qdd.j2", "l2.mass",
                                    "gravity.z", "j1.viscous", "j2.coulomb"}));
  const Json& d = r["dtau"];
  const Vector tau = PlanarArm::torque(q, qd, qdd);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(r["tau"][k].get<double>(), tau[k] + PlanarArm::friction(static_cast<int>(k), qd[k]),
                1e-12);
    // Central differences of the closed form, for q and qd.
    for (std::size_t c = 0; c < 2; ++c) {
      const double h = 1e-5;
      Vector a = q, b = q, v = qd, w = qd;
      a[c] += h, b[c] -= h, v[c] += h, w[c] -= h;
      const double by_q =
          (PlanarArm::torque(a, qd, qdd)[k] - PlanarArm::torque(b, qd, qdd)[k]) / (2 * h);
      const double by_qd =
          (PlanarArm::torque(q, v, qdd)[k] - PlanarArm::torque(q, w, qdd)[k]) / (2 * h) +
          (k == c ? PlanarArm::damping[k] : 0);
      EXPECT_NEAR(entry(d, k, c), by_q, 1e-8);
      EXPECT_NEAR(entry(d, k, 2 + c), by_qd, 1e-8);
      EXPECT_NEAR(entry(d, k, 4 + c), PlanarArm::M(q)[k][c], 1e-13);
    }
  }
  const double l1 = PlanarArm::l1, a2 = PlanarArm::a2, c2 = std::cos(q[1]), s2 = std::sin(q[1]);
  const double c1 = std::cos(q[0]), c12 = std::cos(q[0] + q[1]), h = -l1 * a2 * s2;
  const double M12 = a2 * a2 + l1 * a2 * c2;
  EXPECT_NEAR(entry(d, 0, 6),
              (l1 * l1 + a2 * a2 + 2 * l1 * a2 * c2) * qdd[0] + M12 * qdd[1] +
                  h * (2 * qd[0] + qd[1]) * qd[1] + PlanarArm::g * (l1 * c1 + a2 * c12),
              1e-12);
  EXPECT_NEAR(entry(d, 1, 6),
              M12 * qdd[0] + a2 * a2 * qdd[1] - h * qd[0] * qd[0] + PlanarArm::g * a2 * c12, 1e-12);
  EXPECT_NEAR(entry(d, 0, 7), -PlanarArm::gravity(q)[0] / PlanarArm::g, 1e-12);
  EXPECT_NEAR(entry(d, 0, 8), qd[0], 1e-15);
  EXPECT_EQ(entry(d, 1, 8), 0);
  EXPECT_NEAR(entry(d, 1, 9), -1, 1e-15);
}

TEST_F(Derivatives, of_forward_dynamics_are_minus_the_inverse_mass_matrix_times_those_of_inverse) {
  const std::string list = "q,qd,l1.mass,placement.j2.x,axis.j2.x,mdh.2.a,gear.j1";
  const Json fd = at_state("fd", list, {"--tau", "3,-2"});
  Words words = {"--of",     "id",   "-w",       list,     "--q",
                 "0.4,-1.1", "--qd", "0.7,-0.3", "--json", "--qdd"};
  words.push_back(fd["qdd"][0].dump() + "," + fd["qdd"][1].dump());
  const Json id = run(words).json()["results"][0];
  EXPECT_NEAR(id["tau"][0].get<double>(), 3, 1e-12);
  EXPECT_NEAR(id["tau"][1].get<double>(), -2, 1e-12);
  const auto M = PlanarArm::M(q);
  for (std::size_t c = 0; c < fd["parameters"].size(); ++c)
    for (std::size_t r = 0; r < 2; ++r)
      EXPECT_NEAR(M[r][0] * entry(fd["dqdd"], 0, c) + M[r][1] * entry(fd["dqdd"], 1, c),
                  -entry(id["dtau"], r, c), 1e-10)
          << fd["parameters"][c];
}

TEST_F(Derivatives, of_hybrid_dynamics_reduce_to_both_ends) {
  const std::string list = "q,qd,l2.com_x";
  const Json id = at_state("id", list), all = at_state("hd", list, {"--prescribe", "all"});
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_NEAR(entry(all["dtau"], r, c), entry(id["dtau"], r, c), 1e-12);
  const Json fd = at_state("fd", list, {"--tau", "3,-2"}),
             none = at_state("hd", list, {"--prescribe", "none", "--tau", "3,-2"});
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_NEAR(entry(none["dqdd"], r, c), entry(fd["dqdd"], r, c), 1e-12);
  const Json one = at_state("hd", list, {"--prescribe", "j1", "--tau", "0,-2"});
  EXPECT_EQ(one["qdd"][0], 1.5);
  EXPECT_EQ(one["tau"][1], -2);
  EXPECT_EQ(one["dqdd"][0], (std::vector<double>(5, 0)));
}

TEST_F(Derivatives, a_force_at_the_tip_moves_with_it) {
  // Fy = 5 on the link tip: tau_2 = -l2 5 there, and moving the tip by dx changes it by -5 dx.
  const Json r = at_state("id", "wrench.tip.fy,tool.tip.x,point.tip.x,placement.end.x",
                          {"--f-ext", "tip=0,0,0,0,5,0"});
  EXPECT_NEAR(entry(r["dtau"], 1, 0), -PlanarArm::l2, 1e-12);
  EXPECT_NEAR(entry(r["dtau"], 1, 1), -5, 1e-12);
  EXPECT_NEAR(entry(r["dtau"], 1, 2), -5, 1e-12);
  EXPECT_NEAR(entry(r["dtau"], 1, 3), 0, 1e-12);  // the tip has no mass, the load stays
}

TEST_F(Derivatives, without_names_the_usual_ones_are_taken) {
  EXPECT_EQ(run({"--json"}).json()["results"][0]["parameters"],
            (Words{"q.j1", "q.j2", "qd.j1", "qd.j2", "qdd.j1", "qdd.j2"}));
  EXPECT_EQ(run({"--json", "--of", "fd"}).json()["results"][0]["parameters"],
            (Words{"q.j1", "q.j2", "qd.j1", "qd.j2", "tau.j1", "tau.j2"}));
}

TEST_F(Derivatives, text_is_a_table_and_says_where_a_slope_is_a_choice) {
  const CommandResult r = run({"-w", "l2.mass,q.j1", "--q", "0.4,-1.1"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* word :
       {"planar", "dtau", "l2.mass", "q.j1", "j2", "Coulomb friction of j1, j2 jumps"})
    EXPECT_TRUE(r.says(word)) << word << "\n" << r.out;
  EXPECT_FALSE(run({"-w", "l2.mass", "--no-friction"}).says("Coulomb"));
  EXPECT_FALSE(run({"-w", "l2.mass", "--qd", "1,1"}).says("Coulomb"));
}

TEST_F(Derivatives, many_states_go_to_csv) {
  const std::string in = (folder / "in.csv").string();
  write_text(in, "t,q.j1,q.j2\n0,0.4,-1.1\n1,0,0\n");
  const CommandResult r = run({"-w", "l2.mass,q.j1", "--csv", in});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with(
      "t,tau.j1,tau.j2,dtau.j1.l2.mass,dtau.j1.q.j1,dtau.j2.l2.mass,dtau.j2.q.j1\n0,"))
      << r.out;
}

TEST_F(Derivatives, help_teaches_the_names) {
  const CommandResult help = torsor_command({"derivatives", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"Example", "dh.ROW.a", "LINK.mass", "gravity.x", "JOINT.viscous",
                           "spring_damper.NAME", "--prescribe", "--f-ext", "--of"})
    EXPECT_TRUE(help.says(word)) << word;
}

TEST_F(Derivatives, bad_input_is_one_line) {
  expect_refusal(run({"--of", "xd"}), "--of \"xd\"");
  expect_refusal(run({"-w", ""}), "a name is missing");
  expect_refusal(run({"-w", "q,,qd"}), "a name is missing");
  expect_refusal(run({"-w", "q.j3"}), "no joint \"j3\"; did you mean \"j1\"?");
  expect_refusal(run({"-w", "l2.mas"}), "did you mean \"mass\"?");
  expect_refusal(run({"-w", "l3.mass"}), "did you mean \"l1\"?");
  expect_refusal(run({"-w", "gravty"}), "did you mean \"gravity\"?");
  expect_refusal(run({"-w", "dh.3.a"}), "rows are 1 to 2");
  expect_refusal(run({"-w", "pitch.j1"}), "has no pitch");
  expect_refusal(run({"-w", "spring_damper.s.damping"}), "no spring_damper \"s\"");
  expect_refusal(run({"--of", "hd"}), "needs --prescribe");
  expect_refusal(run({"--of", "hd", "--prescribe", "j9"}), "--prescribe: ");
  expect_refusal(run({"--of", "fd", "--prescribe", "j1"}), "belongs to --of hd");
  expect_refusal(run({"--q", "0"}), "--q: has 1 numbers");
  expect_refusal(run({"--tau", "nan,0"}), "--tau: number 1");
  expect_refusal(run({"--f-ext", "tip=1"}), "a wrench has 6");
  expect_refusal(run({"--wrt", "q"}), "unknown option --wrt");
  expect_refusal(torsor_command({"derivatives", (folder / "none.urdf").string()}), "none.urdf");
  write_text(robot, PlanarArm::urdf("<mimic joint=\"j1\" multiplier=\"2\"/>"));
  expect_refusal(run({"--of", "fd", "--q", "0.3,0"}), "\"j2_mimic\" is open by 0.6");
  EXPECT_EQ(run({"--of", "fd", "--q", "0.3,0", "--tree"}).code, 0);
}

TEST_F(Derivatives, of_coupled_joints_are_those_of_the_one_motion_that_is_left) {
  write_text(robot, PlanarArm::urdf("<mimic joint=\"j1\" multiplier=\"2\"/>"));
  const CommandResult result =
      run({"--of", "fd", "-w", "tau,l2.mass", "--q", "0.3,0.6", "--tau", "3,-2", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json r = result.json()["results"][0];
  // qdd = P a with P = (1, 2): a = P^T (tau - g) / P^T M P
  const auto M = PlanarArm::M({0.3, 0.6});
  const double inertia = M[0][0] + 4 * M[0][1] + 4 * M[1][1], P[] = {1, 2};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(entry(r["dqdd"], i, k), P[i] * P[k] / inertia, 1e-12);
  const double a = r["qdd"][0].get<double>(), l1 = PlanarArm::l1, a2 = PlanarArm::a2;
  const double c2 = std::cos(0.6);  // of P^T M P and P^T g per kilogram of link 2
  const double by_mass = l1 * l1 + a2 * a2 + 2 * l1 * a2 * c2 + 4 * (a2 * a2 + l1 * a2 * c2) +
                         4 * a2 * a2,
               weight = PlanarArm::g * (l1 * std::cos(0.3) + 3 * a2 * std::cos(0.9));
  EXPECT_NEAR(entry(r["dqdd"], 0, 2), -(by_mass * a + weight) / inertia, 1e-12);
  EXPECT_NEAR(entry(r["dqdd"], 1, 2), -2 * (by_mass * a + weight) / inertia, 1e-12);
  EXPECT_EQ(r["dlambda"].size(), 1u);
}

TEST(DerivativesOfLoops, tilting_a_joint_of_a_planar_loop_has_no_derivative_and_moving_it_has) {
  const auto run = [](const std::string& of, const std::string& what, Words more = {}) {
    Words words = {"derivatives", "five_bar", "--of", of, "-w", what, "--close", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return torsor_command(words);
  };
  const Json robot = torsor_command({"info", "five_bar", "--json"}).json();
  const std::string joint = robot["joints"][1]["name"].get<std::string>();
  for (const Words& more : {Words{"fd"}, Words{"id"}, Words{"hd", "--prescribe", joint}}) {
    const Words rest(more.begin() + 1, more.end());
    const CommandResult good = run(more[0], "q,qd,placement." + joint + ".z,gravity", rest);
    EXPECT_EQ(good.code, 0) << more[0] << good.err;
    const CommandResult bad = run(more[0], "placement." + joint + ".rx,q", rest);
    EXPECT_EQ(bad.code, 1) << more[0];
    EXPECT_NE(bad.err.find("the rank of its loops changes with placement." + joint),
              std::string::npos)
        << bad.err;
  }
}

/// Forward dynamics is linear in tau: a difference of two answers of fd is a column.
TEST(DerivativesOfLoops, by_tau_are_differences_of_fd) {
  const Words at = {"--q", "0.1,-0.1,0.1,0.1,-0.1", "--close", "--json"};
  const auto results = [&](Words words) {
    words.insert(words.end(), at.begin(), at.end());
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json()["results"][0];
  };
  const Json d = results({"derivatives", "five_bar", "--of", "fd", "-w", "tau"}),
             none = results({"fd", "five_bar", "--tau", "0,0,0,0,0"}),
             one = results({"fd", "five_bar", "--tau", "0,1,0,0,0"});
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(entry(d["dqdd"], k, 1), one["qdd"][k].get<double>() - none["qdd"][k].get<double>(),
                1e-10 * (1 + std::abs(one["qdd"][k].get<double>())));
  for (std::size_t r = 0; r < d["dlambda"].size(); ++r)
    EXPECT_NEAR(entry(d["dlambda"], r, 1),
                one["lambda"][r].get<double>() - none["lambda"][r].get<double>(), 1e-9);
}

TEST_F(Derivatives, a_singular_mass_matrix_is_reported) {
  std::string text = PlanarArm::urdf();
  const std::size_t begin = text.find("<inertial>", text.find("\"l2\"")),
                    end = text.find("</inertial>", begin) + 11;
  text.erase(begin, end - begin);
  write_text(robot, text);
  const CommandResult result = run({"--of", "fd"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("singular"), std::string::npos) << result.err;
  EXPECT_EQ(run({"--of", "id"}).code, 0);
}

/// Parameters of the state alone are not asked one by one, as they are beside others.
TEST(DerivativesOfRobots, of_the_state_alone_are_those_beside_other_parameters) {
  const struct {
    const char *of, *drive, *found, *derivative;
  } problems[] = {{"id", "qdd", "tau", "dtau"}, {"fd", "tau", "qdd", "dqdd"}};
  for (const std::string name : {"puma560", "panda", "scara", "ur5"})
    for (const auto& problem : problems) {
      const Json robot = torsor_command({"info", name, "--json"}).json();
      const std::size_t n = robot["n_v"];
      std::string state;
      for (std::size_t k = 0; k < n; ++k)
        state += (k ? "," : "") + std::to_string(0.2 + 0.1 * static_cast<double>(k));
      const auto ask = [&](const std::string& parameters) {
        const CommandResult result =
            torsor_command({"derivatives", name, "--of", problem.of, "-w", parameters, "--q", state,
                            "--qd", state, std::string("--") + problem.drive, state, "--json"});
        EXPECT_EQ(result.code, 0) << result.err;
        return result.json()["results"][0];
      };
      // Not in the order of q, qd and the rest.
      const std::string names = std::string("qd,") + problem.drive + ",q";
      const Json alone = ask(names), beside = ask(names + ",gravity.z");
      double largest = 1;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < 3 * n; ++c)
          largest = std::max(largest, std::abs(entry(beside[problem.derivative], r, c)));
      for (std::size_t r = 0; r < n; ++r) {
        EXPECT_NEAR(alone[problem.found][r].get<double>(), beside[problem.found][r].get<double>(),
                    1e-12 * largest);
        ASSERT_EQ(alone[problem.derivative][r].size(), 3 * n);
        for (std::size_t c = 0; c < 3 * n; ++c)
          EXPECT_NEAR(entry(alone[problem.derivative], r, c),
                      entry(beside[problem.derivative], r, c), 1e-12 * largest)
              << name << " " << problem.of << " " << r << " " << c;
      }
    }
}

TEST(DerivativesOfRobots, every_built_in_robot_answers) {
  const Json robots = torsor_command({"robots", "--json"}).json();
  for (const auto& entry_of : robots["robots"]) {
    const std::string name =
        entry_of.is_string() ? entry_of.get<std::string>() : entry_of["name"].get<std::string>();
    if (name.find(':') != std::string::npos) continue;  // a pattern of names
    const CommandResult r =
        torsor_command({"derivatives", name, "--of", "id", "-w", "q,gravity", "--json"});
    EXPECT_EQ(r.code, 0) << name << r.err;
  }
}

}  // namespace
