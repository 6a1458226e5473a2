// torsor id, fd, mass, coriolis, gravity, energy, regressor: one state, many states, bad input.
#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

using Vector = PlanarArm::Vector;

const Vector q{0.4, -1.1}, qd{0.7, -0.3}, qdd{1.5, 2.5};

class DynamicsVerbs : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string robot = (folder / "planar.urdf").string();
  const std::vector<std::string> verbs = {"id",       "fd",      "hd",     "mass",
                                          "coriolis", "gravity", "energy", "regressor"};

  DynamicsVerbs() { write_text(robot, PlanarArm::urdf()); }

  CommandResult run(const std::string& verb, std::vector<std::string> options) {
    options.insert(options.begin(), {verb, robot});
    return torsor_command(options);
  }
  /// hd is told which joints are prescribed; the others take no such option.
  CommandResult run_plain(const std::string& verb, std::vector<std::string> options) {
    if (verb == "hd") options.insert(options.end(), {"--prescribe", "j1"});
    return run(verb, std::move(options));
  }
  Json one(const std::string& verb, std::vector<std::string> options) {
    options.insert(options.end(), {"--q", "0.4,-1.1", "--json"});
    const CommandResult result = run(verb, std::move(options));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json()["results"][0];
  }
  std::string file(const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return (folder / name).string();
  }
};

void expect_near(const Json& got, const Vector& want) {
  ASSERT_EQ(got.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(got[k].get<double>(), want[k], 1e-13);
}
Vector with_friction(Vector tau) {
  for (std::size_t k = 0; k < 2; ++k) tau[k] += PlanarArm::friction(static_cast<int>(k), qd[k]);
  return tau;
}

TEST_F(DynamicsVerbs, id_is_the_closed_form_with_friction) {
  const std::vector<std::string> motion{"--qd", "0.7,-0.3", "--qdd", "1.5,2.5"};
  expect_near(one("id", motion)["tau"], with_friction(PlanarArm::torque(q, qd, qdd)));
  std::vector<std::string> rigid = motion;
  rigid.emplace_back("--no-friction");
  expect_near(one("id", rigid)["tau"], PlanarArm::torque(q, qd, qdd));
}

TEST_F(DynamicsVerbs, fd_undoes_id) {
  const Json r = one("fd", {"--qd", "0.7,-0.3", "--tau", "3,-2"});
  expect_near(Json(with_friction(PlanarArm::torque(q, qd, {r["qdd"][0], r["qdd"][1]}))), {3, -2});
}

TEST_F(DynamicsVerbs, L_05_hd_of_any_subset_of_joints_is_the_closed_form) {
  const Vector torque = with_friction(PlanarArm::torque(q, qd, qdd));
  const std::string tau = std::to_string(torque[0]) + "," + std::to_string(torque[1]);
  const std::vector<std::string> given{"--qd", "0.7,-0.3", "--qdd", "1.5,2.5", "--tau", tau};
  for (const char* prescribed : {"none", "j1", "j2", "j1,j2", "all"}) {
    std::vector<std::string> options = given;
    options.insert(options.end(), {"--prescribe", prescribed});
    const Json r = one("hd", options);
    for (std::size_t k = 0; k < 2; ++k) {  // tau was printed with six digits
      EXPECT_NEAR(r["qdd"][k].get<double>(), qdd[k], 1e-5) << prescribed;
      EXPECT_NEAR(r["tau"][k].get<double>(), torque[k], 1e-5) << prescribed;
    }
  }
  // What is answered belongs to what was given: the closed form of the answer is the answer.
  const Json r =
      one("hd", {"--qd", "0.7,-0.3", "--qdd", "1,9", "--tau", "9,-2", "--prescribe", "j1"});
  EXPECT_EQ(r["qdd"][0], 1.0);
  EXPECT_EQ(r["tau"][1], -2.0);
  const Vector back = with_friction(PlanarArm::torque(q, qd, {1, r["qdd"][1].get<double>()}));
  EXPECT_NEAR(back[0], r["tau"][0].get<double>(), 1e-12);
  EXPECT_NEAR(back[1], -2, 1e-12);
}

TEST_F(DynamicsVerbs, hd_refuses_joints_that_are_not_there) {
  expect_refusal(run("hd", {}), "--prescribe");
  expect_refusal(run("hd", {"--prescribe", "j3"}), "--prescribe: ");
  expect_refusal(run("hd", {"--prescribe", "j1,"}), "--prescribe: ");
}

TEST_F(DynamicsVerbs, D_32_a_wrench_on_a_link_acts_in_the_frame_of_that_link) {
  // A force f along y of the tip: j1 feels f (l1 cos q2 + l2), j2 feels f l2.
  const Vector g = PlanarArm::gravity(q);
  const Vector felt{2 * (PlanarArm::l1 * std::cos(q[1]) + PlanarArm::l2), 2 * PlanarArm::l2};
  const std::string force = "tip=0,0,0,0,2,0";
  expect_near(one("id", {"--f-ext", force})["tau"], {g[0] - felt[0], g[1] - felt[1]});
  expect_near(one("id", {"--f-ext", force, "--f-ext", force})["tau"],
              {g[0] - 2 * felt[0], g[1] - 2 * felt[1]});
  // The torque that the force saves keeps the arm at rest, whoever answers.
  for (const char* verb : {"fd", "hd"}) {
    char tau[80];
    std::snprintf(tau, sizeof tau, "%.17g,%.17g", g[0] - felt[0], g[1] - felt[1]);
    std::vector<std::string> options{"--f-ext", force, "--tau", tau};
    if (verb == std::string("hd")) options.insert(options.end(), {"--prescribe", "none"});
    const Json qdd_fd = one(verb, options)["qdd"];
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(qdd_fd[k].get<double>(), 0, 1e-13) << verb;
  }
  expect_refusal(run("id", {"--f-ext", "tip"}), "LINK=mx,my,mz,fx,fy,fz");
  expect_refusal(run("id", {"--f-ext", "tipp=0,0,0,0,0,0"}), "tip");
  expect_refusal(run("fd", {"--f-ext", "tip=0,0,0"}), "3 numbers");
  expect_refusal(run("fd", {"--f-ext", "tip=0,0,0,0,x,0"}), "number 5");
}

TEST_F(DynamicsVerbs, L_11_springs_and_dampers_between_links_count_in_torques_and_energy) {
  robot = file("slider.yaml",
               "robot: slider\n"
               "bodies: [{name: base}, {name: mass, mass: 2, inertia: [1, 1, 1]}]\n"
               "joints:\n"
               "  - {name: j, type: prismatic, parent: base, child: mass, axis: [1, 0, 0]}\n"
               "springs:\n"
               "  - {name: tie, link_a: base, link_b: mass, stiffness: 50, rest_length: 0.4,\n"
               "     damping: 3}\n");
  const std::vector<std::string> motion{"--q", "0.7", "--qd", "0.2", "--json"};
  const auto answer = [&](const std::string& verb, std::vector<std::string> more) {
    more.insert(more.end(), motion.begin(), motion.end());
    const CommandResult result = run(verb, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json()["results"][0];
  };
  const double pull = 50 * 0.3 + 3 * 0.2;
  EXPECT_NEAR(answer("id", {"--qdd", "1.5"})["tau"][0].get<double>(), 2 * 1.5 + pull, 1e-13);
  EXPECT_NEAR(answer("fd", {"--tau", "4"})["qdd"][0].get<double>(), (4 - pull) / 2, 1e-13);
  EXPECT_NEAR(answer("hd", {"--tau", "4", "--prescribe", "none"})["qdd"][0].get<double>(),
              (4 - pull) / 2, 1e-13);
  const Json energy = answer("energy", {});
  EXPECT_NEAR(energy["springs"].get<double>(), 25 * 0.3 * 0.3, 1e-14);
  EXPECT_NEAR(energy["total"].get<double>(), 25 * 0.3 * 0.3 + 0.2 * 0.2, 1e-14);
}

TEST_F(DynamicsVerbs, mass_coriolis_and_gravity_are_the_closed_form) {
  const Json M = one("mass", {})["M"], C = one("coriolis", {"--qd", "0.7,-0.3"})["C"];
  for (std::size_t r = 0; r < 2; ++r) {
    expect_near(M[r], PlanarArm::M(q)[r]);
    expect_near(C[r], PlanarArm::C(q, qd)[r]);
  }
  expect_near(one("gravity", {})["gravity"], PlanarArm::gravity(q));
}

TEST_F(DynamicsVerbs, energy_is_the_closed_form) {
  const Json r = one("energy", {"--qd", "0.7,-0.3"});
  const double kinetic = PlanarArm::kinetic(q, qd), potential = PlanarArm::potential(q);
  EXPECT_NEAR(r["kinetic"].get<double>(), kinetic, 1e-14);
  EXPECT_NEAR(r["potential"].get<double>(), potential, 1e-13);
  EXPECT_NEAR(r["total"].get<double>(), kinetic + potential, 1e-13);
  EXPECT_NEAR(r["com"][2].get<double>() * r["mass"].get<double>() * PlanarArm::g, potential, 1e-13);
}

TEST_F(DynamicsVerbs, regressor_times_the_parameters_is_the_rigid_torque) {
  const Json info = torsor_command({"info", robot, "--json"}).json();
  const Json Y = one("regressor", {"--qd", "0.7,-0.3", "--qdd", "1.5,2.5"})["Y"];
  const Vector expected = PlanarArm::torque(q, qd, qdd);
  for (std::size_t r = 0; r < 2; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < 20; ++c)
      sum += Y[r][c].get<double>() * info["parameter_values"][c].get<double>();
    EXPECT_NEAR(sum, expected[r], 1e-13);
  }
}

TEST_F(DynamicsVerbs, degrees_count_for_angles_and_their_rates) {
  const Json deg =
      run("id", {"--q", "90,0", "--qd", "180,0", "--qdd", "0,90", "--deg", "--json"}).json();
  const double pi = 3.14159265358979323846;
  const Vector at{pi / 2, 0}, v{pi, 0}, a{0, pi / 2};
  Vector expected = PlanarArm::torque(at, v, a);
  expected[0] += PlanarArm::friction(0, pi);
  expect_near(deg["results"][0]["tau"], expected);
}

TEST_F(DynamicsVerbs, text_names_joints_and_quantities) {
  for (const std::string& verb : verbs) {
    const CommandResult result = run_plain(verb, {"--q", "0.4,-1.1"});
    EXPECT_EQ(result.code, 0) << verb << result.err;
    EXPECT_TRUE(result.says("planar")) << verb << result.out;
    EXPECT_TRUE(result.says(verb == "energy" ? "kinetic" : "j2")) << verb << result.out;
  }
  EXPECT_TRUE(run("id", {}).says("tau"));
  EXPECT_TRUE(run("energy", {}).says("potential"));
  EXPECT_TRUE(run("regressor", {}).says("l2.zz"));
}

TEST_F(DynamicsVerbs, many_states_go_from_csv_to_csv) {
  const std::string in = file("in.csv",
                              "t,q.j1,q.j2,qd.j1,qd.j2,qdd.j1,qdd.j2\n"
                              "0,0.4,-1.1,0.7,-0.3,1.5,2.5\n0.5,0,0,0,0,0,0\n");
  const std::string out = (folder / "out.csv").string();
  const CommandResult result = run("id", {"--csv", in, "-o", out});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const std::string text = read_text(out);
  EXPECT_TRUE(text.starts_with(
      "t,q.j1,q.j2,qd.j1,qd.j2,qdd.j1,qdd.j2,tau.j1,tau.j2\n0,0.4,-1.1,0.7,-0.3,1.5,2.5,"))
      << text;
  // What id wrote, fd reads: the accelerations come back.
  const Json back = run("fd", {"--csv", out, "--json"}).json();
  ASSERT_EQ(back["results"].size(), 2u);
  EXPECT_EQ(back["results"][1]["t"], 0.5);
  expect_near(back["results"][0]["qdd"], qdd);
  // A joint that follows its acceleration keeps it; the torques are those that id wrote.
  const CommandResult hybrid = run("hd", {"--csv", out, "--prescribe", "j2"});
  EXPECT_TRUE(hybrid.says("t,q.j1,q.j2,qd.j1,qd.j2,qdd.j1,qdd.j2,tau.j1,tau.j2\n0,0.4,-1.1,"))
      << hybrid.out;
  const Json mixed = run("hd", {"--csv", out, "--prescribe", "j2", "--json"}).json();
  ASSERT_EQ(mixed["results"].size(), 2u);
  expect_near(mixed["results"][0]["qdd"], qdd);
  expect_near(mixed["results"][0]["tau"], with_friction(PlanarArm::torque(q, qd, qdd)));
  EXPECT_TRUE(run("mass", {"--csv", in}).says("t,M.j1.j1,M.j1.j2,M.j2.j1,M.j2.j2\n0,"));
  EXPECT_TRUE(run("energy", {"--csv", in}).says("t,kinetic,potential,total,mass,com.x,"));
}

TEST_F(DynamicsVerbs, an_output_is_not_replaced_by_accident) {
  const std::string out = file("out.csv", "mine");
  expect_refusal(run("gravity", {"-o", out}), "exists already");
  EXPECT_EQ(read_text(out), "mine");
  EXPECT_EQ(run("gravity", {"-o", out, "--force"}).code, 0);
  EXPECT_EQ(read_text(out).substr(0, 10), "gravity.j1");
}

TEST_F(DynamicsVerbs, bad_input_is_one_line) {
  for (const std::string& verb : verbs) {
    SCOPED_TRACE(verb);
    expect_refusal(run_plain(verb, {"--q", "0"}), "--q: has 1 numbers");
    expect_refusal(run_plain(verb, {"--q", "0,x"}), "number 2");
    expect_refusal(run_plain(verb, {"--csv", (folder / "none.csv").string()}), "none.csv");
    expect_refusal(run_plain(verb, {"--csv", file("bad.csv", "q.j1,q.j2\n0,one\n")}),
                   "bad.csv:2: ");
    expect_refusal(run_plain(verb, {"--csv", file("bad.csv", "q.j1,q.j3\n0,1\n")}), "bad.csv: ");
    expect_refusal(run_plain(verb, {"--csv", file("bad.csv", "q.j1,q.j2\n")}), "has no states");
    expect_refusal(run_plain(verb, {"--spee", "1"}), "unknown option --spee");
    std::vector<std::string> elsewhere{verb, (folder / "none.urdf").string()};
    if (verb == "hd") elsewhere.insert(elsewhere.end(), {"--prescribe", "all"});
    expect_refusal(torsor_command(elsewhere), "none.urdf");
    const CommandResult help = torsor_command({verb, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(help.says("Example")) << help.out;
  }
  expect_refusal(run("id", {"--qd", "1,2,3"}), "--qd: has 3 numbers");
  expect_refusal(run("id", {"--qdd", "1,,2"}), "--qdd: number 2");
  expect_refusal(run("fd", {"--tau", "nan,0"}), "--tau: number 1");
  expect_refusal(run("mass", {"--qd", "0,0"}), "--qd");
  expect_refusal(run("id", {"--q", "0,0", "--csv", file("in.csv", "q.j1,q.j2\n0,0\n")}), "--csv");
}

TEST_F(DynamicsVerbs, coupled_robots_obey_their_coupling_and_say_what_does_not_fit) {
  write_text(robot, PlanarArm::urdf("<mimic joint=\"j1\" multiplier=\"2\"/>"));
  const auto answer = [&](const char* verb, std::vector<std::string> options) {
    options.insert(options.end(), {"--q", "0.2,0.4", "--json"});
    const CommandResult result = run(verb, options);
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out)["results"][0];
  };
  const Json fd = answer("fd", {"--tau", "3,-2"});
  EXPECT_NEAR(fd["qdd"][1].get<double>(), 2 * fd["qdd"][0].get<double>(), 1e-12);
  EXPECT_EQ(fd["lambda"].size(), 1u);
  const Json hd = answer("hd", {"--prescribe", "j1", "--qdd", "1,0"});
  EXPECT_NEAR(hd["qdd"][1].get<double>(), 2, 1e-12);
  // both joints driven: the shorter of the torques that make the motion
  const Json id = answer("id", {"--qdd", "1,2"});
  EXPECT_LT(std::hypot(id["tau"][0].get<double>(), id["tau"][1].get<double>()),
            std::hypot(hd["tau"][0].get<double>(), 0) + 1e-9);
  expect_refusal(run("fd", {"--q", "0.4,-1.1"}), "\"j2_mimic\" is open by 1.9 ");
  expect_refusal(run("id", {"--q", "0.2,0.4", "--qdd", "1,1"}),
                 "qdd opens coupling \"j2_mimic\" by 1 ");
  EXPECT_EQ(run("fd", {"--q", "0.4,-1.1", "--close"}).code, 0);
  EXPECT_EQ(run("fd", {"--q", "0.4,-1.1", "--tree"}).code, 0);
}

TEST_F(DynamicsVerbs, a_singular_mass_matrix_is_reported) {
  std::string text = PlanarArm::urdf();
  const std::size_t begin = text.find("<inertial>", text.find("\"l2\"")),
                    end = text.find("</inertial>", begin) + 11;
  text.erase(begin, end - begin);
  write_text(robot, text);
  for (const CommandResult& result : {run("fd", {}), run("hd", {"--prescribe", "j1"})}) {
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("singular: joint \"j2\" moves no mass"), std::string::npos)
        << result.err;
  }
  EXPECT_NE(run("derivatives", {"--of", "fd"}).err.find("joint \"j2\" moves no mass"),
            std::string::npos);
  EXPECT_EQ(run("hd", {"--prescribe", "j2"}).code, 0);  // the massless end is led, not moved
}

}  // namespace
