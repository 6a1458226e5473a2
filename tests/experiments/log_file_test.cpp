/// Logs of any columns, units and side: what is read, and what is refused.
#include "torsor/experiments/log_file.hpp"

#include <sstream>

#include "experiments/log_of_two.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor::testing {
namespace {

TEST_F(LogFile, columns_are_known_by_their_usual_names) {
  const std::string a = model_.dof_name(0), b = model_.dof_name(1);
  for (const std::string& header :
       {"t,q." + a + ",q." + b + ",qd." + a + ",qd." + b + ",tau." + a + ",tau." + b,
        std::string("t,q1,q2,qd1,qd2,tau1,tau2"),
        std::string("Time, q_0, q_1, dq_0, dq_1, tau_0, tau_1"),
        std::string("time,pos[1],pos[2],vel[1],vel[2],torque[1],torque[2]"),
        std::string("t,J1_pos,J2_pos,J1_vel,J2_vel,J1_torque,J2_torque"),
        std::string("stamp,joint_1_position,joint_2_position,joint_1_velocity,joint_2_velocity,"
                    "joint_1_effort,joint_2_effort"),
        std::string("timestamp,actual_q_0,actual_q_1,actual_qd_0,actual_qd_1,tau_J_0,tau_J_1")}) {
    const MotionLog log = load(table(header, 7, cell_of_two));
    EXPECT_EQ(log.qd.rows(), rows) << header;
    expect_motion(log);
  }
}

TEST_F(LogFile, columns_are_said_by_name_number_or_star) {
  const std::string content = table("zeit,foo,bar,x,y,m 1,m 2", 7, cell_of_two);
  for (const std::string map :
       {"{t: zeit, q: [foo, bar], qd: [x, y], tau: [m 1, m 2]}",
        "{t: 1, q: [2, 3], qd: [4, 5], tau: [6, 7]}", "{t: zeit, q: [2, bar], tau: m *}"})
    expect_motion(load(content, map));
}

TEST_F(LogFile, tables_without_a_header_or_with_other_delimiters_are_read) {
  const auto no_header = [](std::string s) { return s.substr(s.find('\n') + 1); };
  const std::string map = "{t: 1, q: [2, 3], qd: [4, 5], tau: [6, 7]}";
  expect_motion(load(no_header(table("", 7, cell_of_two)), map));
  expect_motion(load(no_header(table("", 7, cell_of_two, ' ')), map));
  expect_motion(
      load("# made by hand\n\n" + table("t;q1;q2;qd1;qd2;tau1;tau2", 7, cell_of_two, ';')));
  expect_motion(load(table("t\tq1\tq2\tqd1\tqd2\ttau1\ttau2", 7, cell_of_two, '\t')));
  std::string commas = table("t;q1;q2;qd1;qd2;tau1;tau2", 7, cell_of_two, ';');
  for (char& c : commas)
    if (c == '.') c = ',';
  expect_motion(load(commas));
  std::string windows = "\xef\xbb\xbf";
  for (const char c : table("t,\"q1\",q2,qd1,qd2,tau1,tau2", 7, cell_of_two))
    windows += c == '\n' ? "\r\n" : std::string(1, c);
  expect_motion(load(windows));
}

TEST_F(LogFile, units_are_converted) {
  const auto cell = [](int k, int c) {
    const double unit[] = {1e3, 180 / pi, 180 / pi, 30 / pi, 30 / pi, 1e3, 1e3};
    return cell_of_two(k, c) * unit[c];
  };
  expect_motion(load(table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell),
                     "{units: {t: ms, q: deg, qd: rpm, tau: mNm}}"),
                1e-11);
}

/// What of the log is told, line by line.
std::string told_of(const MotionLog& log) {
  std::string out;
  for (const LogRepair& r : log.repairs) out += r.what + "\n";
  return out;
}

TEST_F(LogFile, units_of_the_header_count_and_are_told) {
  const auto cell = [](int k, int c) {
    const double unit[] = {1e3, 180 / pi, 180 / pi, 180 / pi, 180 / pi, 1e3, 1e3};
    return cell_of_two(k, c) * unit[c];
  };
  const auto expect_it = [&](MotionLog log) {
    EXPECT_EQ(told_of(log), "q in deg, qd in deg/s, tau in mNm, as the header says\n");
    log.repairs.clear();
    expect_motion(log, 1e-11);
  };
  for (const char* header :
       {"t [ms],q1 [deg],q2 [deg],qd1 [deg/s],qd2 [deg/s],tau1 [mNm],tau2 [mNm]",
        "Time (ms),Position A1 (deg),Position A2 (deg),Velocity A1 (deg/s),Velocity A2 (deg/s),"
        "Torque A1 (mNm),Torque A2 (mNm)",
        "time_ms,joint_1_pos_deg,joint_2_pos_deg,joint_1_vel_deg_s,joint_2_vel_deg_s,"
        "joint_1_torque_mNm,joint_2_torque_mNm",
        "t/ms,q1/\xc2\xb0,q2/\xc2\xb0,qd1/\xc2\xb0/s,qd2/\xc2\xb0/s,tau1/mN.m,tau2/mN.m",
        "t,q1,q2,qd1,qd2,tau1,tau2\nms,deg,deg,deg/s,deg/s,mNm,mNm",
        "t,q1,q2,qd1,qd2,tau1,tau2\n[ms],[deg],[deg],[deg/s],[deg/s],[mNm],[mNm]"})
    expect_it(load(table(header, 7, cell)));
  // Columns that a map names, without units of its own; and a star for names with units.
  const char* const named = "zeit [ms],a [deg],b [deg],c [deg/s],d [deg/s],m1 [mNm],m2 [mNm]";
  expect_it(load(table(named, 7, cell),
                 "{t: 'zeit [ms]', q: ['a [deg]', 'b [deg]'], qd: [4, 5], tau: m*}"));
  // Names of a map may end like units.
  EXPECT_EQ(told_of(load(table("t,Enc_A,Enc_m,I_A,I_B", 5,
                               [](int k, int c) { return cell_of_two(k, c < 3 ? c : c + 2); }),
                         "{q: [Enc_A, Enc_m], tau: [I_A, I_B]}")),
            "");
  // The map counts where both say something.
  const MotionLog other = load(table("t [s],q1 [rad],q2 [rad],qd1,qd2,tau1,tau2", 7, cell),
                               "{units: {t: ms, q: deg, tau: mNm}}");
  EXPECT_EQ(told_of(other), "q in rad, says the header; the map says otherwise and counts\n");
  EXPECT_NEAR(other.q(7, 1), q_at(7, 1), 1e-12);
}

TEST_F(LogFile, units_of_the_header_that_do_not_fit_are_refused_by_column) {
  EXPECT_NE(refusal(table("t,q1,q2,qd1,qd2,tau1 [A],tau2 [A]", 7, cell_of_two))
                .find("column \"tau1 [A]\" is in A, which are currents"),
            std::string::npos);
  EXPECT_NE(refusal(table("t,q1 [mm],q2 [mm],qd1,qd2,tau1,tau2", 7, cell_of_two))
                .find("column \"q1 [mm]\" is in mm, which is no unit of q of a hinge"),
            std::string::npos);
  EXPECT_NE(refusal(table("t [m],q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two)).find("is in m"),
            std::string::npos);
  EXPECT_NE(refusal(table("t,q1 [deg],q2 [deg],q1 [rad],q2 [rad],tau1,tau2", 7, cell_of_two))
                .find("\"q1\" is there twice"),
            std::string::npos);
  const MotionLog gains = load(table("t,q1,q2,qd1,qd2,I1 [mA],I2 [mA]", 7, cell_of_two),
                               "{current: I*, motor: {gain: [2, 3]}}");
  EXPECT_NEAR(gains.tau(5, 0), 2e-3 * tau_at(5, 0), 1e-12);
}

TEST_F(LogFile, tables_of_other_programs_are_known) {
  const std::string a = model_.dof_name(0), b = model_.dof_name(1);
  const auto joints = [&](const std::string& pattern, const char* word) {
    std::string out;
    for (const std::string& joint : {a, b}) {
      std::string name = pattern;
      name.replace(name.find("JOINT"), 5, joint);
      name.replace(name.find("WORD"), 4, word);
      out += "," + name;
    }
    return out;
  };
  // A remark with the names above numbers; spreadsheets; tables of messages; names of joints anywhere.
  expect_motion(load(table("# t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two)));
  expect_motion(load(table("# t q1 q2 qd1 qd2 tau1 tau2", 7, cell_of_two, ' ')));
  expect_motion(load("sep=;\r\n" + table("t;q1;q2;qd1;qd2;tau1;tau2", 7, cell_of_two, ';')));
  for (const std::string pattern :
       {"JOINT_WORD", "WORD_JOINT", "JOINT.WORD", "/joint_states/JOINT/WORD", "WORD[JOINT]"})
    expect_motion(load(table("__time" + joints(pattern, "position") + joints(pattern, "velocity") +
                                 joints(pattern, "effort"),
                             7, cell_of_two)));
  expect_motion(
      load(table("%time,field.position0,field.position1,field.velocity0,field.velocity1,"
                 "field.effort0,field.effort1",
                 7, cell_of_two)));
  expect_motion(load(table("%time,field.position0,field.position1,field.velocity0,field.velocity1,"
                           "field.effort0,field.effort1",
                           7, [](int k, int c) { return cell_of_two(k, c) * (c == 0 ? 1e9 : 1); }),
                     "units: {t: ns}"));
}

// rostopic echo -p: nanoseconds since 1970, names of the joints and of a frame among the numbers.
TEST_F(LogFile, messages_with_texts_among_their_numbers_are_read) {
  std::string content =
      "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.name1,"
      "field.position0,field.position1,field.velocity0,field.velocity1,field.effort0,"
      "field.effort1\n";
  const std::string plain = table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two);
  std::istringstream lines(plain.substr(plain.find('\n') + 1));
  int k = 0;
  for (std::string row; std::getline(lines, row); ++k) {
    const std::string stamp = std::to_string(1600000000000000000LL + 5000000LL * k);
    content +=
        stamp + "," + std::to_string(k) + "," + stamp + ",,a,b" + row.substr(row.find(',')) + "\n";
  }
  const MotionLog log = load(content);
  ASSERT_EQ(log.size(), rows);
  EXPECT_TRUE(log.repairs.empty()) << log.repairs[0].what;
  EXPECT_NEAR(log.period, 0.005, 1e-8);  // doubles of such stamps are 256 ns apart
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < 2; ++j) {
      EXPECT_NEAR(log.q(r, j), q_at(r, j), 1e-12);
      EXPECT_NEAR(log.qd(r, j), qd_at(r, j), 1e-12);
      EXPECT_NEAR(log.tau(r, j), tau_at(r, j), 1e-12);
    }
}

TEST_F(LogFile, motors_become_joints) {
  // q_m = N q, tau = N^T gain i: i = gain^-1 N^-T tau.
  const double N[2][2] = {{50, 0}, {20, -40}}, gain[2] = {0.1, 0.25};
  const auto cell = [&](int k, int c) {
    if (c == 0) return 0.005 * k;
    const double s[] = {1, -1};
    const auto q = [&](int j) { return s[j] * (q_at(k, j) - 0.3 * (j + 1)); };
    const auto tau = [&](int j) { return s[j] * tau_at(k, j); };
    if (c < 3) return N[c - 1][0] * q(0) + N[c - 1][1] * q(1);
    const double second = tau(1) / N[1][1], first = (tau(0) - N[1][0] * second) / N[0][0];
    return (c == 3 ? first : second) / gain[c - 3];
  };
  const std::string content = table("t,m1,m2,i1,i2", 5, cell);
  const std::string map = R"(
q: m*
current: i*
motor: {N: [[50, 0], [20, -40]], gain: [0.1, 0.25]}
sign: [1, -1]
offset: [0.3, 0.6]
)";
  const MotionLog log = load(content, map);
  expect_motion(log, 1e-10);
  ASSERT_EQ(log.drive.rows(), rows);
  EXPECT_NEAR(log.drive(7, 1), cell(7, 4), 1e-12);
  const LoadedLogs loaded =
      load_logs({(folder_ / "log.csv").string()}, model_, read_column_map(map, "map.yaml"));
  // q_m = N q again, up to the offsets: differences of samples.
  for (int m = 0; m < 2; ++m)
    EXPECT_NEAR(loaded.motors.N(m, 0) * (log.q(9, 0) - log.q(3, 0)) +
                    loaded.motors.N(m, 1) * (log.q(9, 1) - log.q(3, 1)),
                cell(9, m + 1) - cell(3, m + 1), 1e-10);
  EXPECT_FALSE(loaded.motors.unknown_gain);
}

TEST_F(LogFile, gains_may_be_unknown_and_positions_those_of_joints) {
  const std::string content = table("t,q1,q2,i1,i2", 5, [](int k, int c) {
    return cell_of_two(k, c < 3 ? c : c + 2) / (c < 3 ? 1 : 100);
  });
  const ColumnMap map = read_column_map(
      "{current: i*, motor: {N: [100, 100], gain: unknown, positions: joint}}", "map.yaml");
  write_text(folder_ / "log.csv", content);
  const LoadedLogs loaded = load_logs({(folder_ / "log.csv").string()}, model_, map);
  EXPECT_TRUE(loaded.motors.unknown_gain);
  expect_motion(loaded.logs[0]);
}

TEST_F(LogFile, positions_and_torques_may_be_in_two_files_without_time) {
  write_text(folder_ / "torque.csv",
             table("Joint_1,Joint_2", 2, [](int k, int c) { return tau_at(k, c); }));
  const std::string map = "{rate: 200, q: Joint_*, tau: Joint_*, files: {tau: torque.csv}}";
  const std::string positions =
      table("Joint_1,Joint_2", 2, [](int k, int c) { return q_at(k, c); });
  expect_motion(load(positions, map));
  EXPECT_NE(refusal(positions + "1,2\n", map).find("torque.csv: 200 rows, and"), std::string::npos);
}

TEST_F(LogFile, rows_are_chosen_and_keep_their_numbers) {
  const MotionLog log =
      load(table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two), "{rows: {from: 51, to: 150}}");
  ASSERT_EQ(log.size(), 100);
  EXPECT_EQ(log.rows[0], 51);
  EXPECT_EQ(log.rows.back(), 150);
  EXPECT_NEAR(log.t[0], 0.25, 1e-12);
}

TEST_F(LogFile, columns_may_be_in_the_order_of_other_joints) {
  const MotionLog log = load(table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two),
                             "{joints: [" + model_.dof_name(1) + ", " + model_.dof_name(0) + "]}");
  EXPECT_EQ(log.q(5, 1), q_at(5, 0));
  EXPECT_EQ(log.tau(5, 0), tau_at(5, 1));
}

// Nothing says what drives: joints that mimic others need no columns of their own.
TEST_F(LogFile, joints_that_mimic_others_follow_those_that_are_logged) {
  std::string urdf = "<robot name=\"hand\"><link name=\"base\"/>";
  for (const std::string joint : {"a", "b", "c"}) {
    const std::string parent = joint == "a" ? "base" : joint == "b" ? "link_a" : "link_b";
    urdf += "<link name=\"link_" + joint +
            "\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.01\" "
            "iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint "
            "name=\"" +
            joint + "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"link_" +
            joint + "\"/><origin xyz=\"0.2 0 0\"/><axis xyz=\"0 0 1\"/>" +
            (joint == "c" ? "<mimic joint=\"b\" multiplier=\"-2\" offset=\"0.1\"/>" : "") +
            "</joint>";
  }
  write_text(folder_ / "hand.urdf", urdf + "</robot>");
  write_text(folder_ / "log.csv", table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two));
  const MotionLog log =
      load_log((folder_ / "log.csv").string(), load_robot((folder_ / "hand.urdf").string()));
  ASSERT_EQ(log.q.cols(), 3);
  for (int k = 0; k < log.size(); ++k) {
    EXPECT_EQ(log.q(k, 1), q_at(k, 1));
    EXPECT_NEAR(log.q(k, 2), 0.1 - 2 * q_at(k, 1), 1e-9);
    EXPECT_EQ(log.tau(k, 1), tau_at(k, 1));
    EXPECT_EQ(log.tau(k, 2), 0);
  }
}

TEST_F(LogFile, joints_without_columns_follow_their_loops) {
  const Model<double> five_bar = load_robot("five_bar");
  const std::string content = table("t,q1,q2,tau1,tau2", 5, [](int k, int c) {
    if (c == 0) return 0.005 * k;
    return c == 1   ? 2 + 0.2 * std::sin(0.02 * k)
           : c == 2 ? 1 + 0.1 * std::cos(0.03 * k)
                    : tau_at(k, c - 3);
  });
  write_text(folder_ / "log.csv", content);
  const std::string path = (folder_ / "log.csv").string();
  const MotionLog log = load_log(
      path, five_bar, read_column_map("{joints: [left_shoulder, right_shoulder]}", "map.yaml"));
  // The joints with motors, where nobody says which.
  EXPECT_EQ(load_log(path, five_bar).q.entries(), log.q.entries());
  EXPECT_EQ(load_log(path, five_bar, read_column_map("{q: q*}", "map.yaml")).tau.entries(),
            log.tau.entries());
  const ConstraintSet set(five_bar);
  ASSERT_EQ(log.q.cols(), 5);
  for (int k = 0; k < log.size(); ++k) {
    Array<double> q;
    for (int j = 0; j < 5; ++j) q.push_back(log.q(k, j));
    ConstraintWorkspace<double> ws(five_bar);
    Array<double> phi(set.n_rows(), 0.0);
    constraint_residual(five_bar, set, ws, q, phi);
    for (const double x : phi) ASSERT_NEAR(x, 0, 1e-10);
    EXPECT_NEAR(log.q(k, 0), 2 + 0.2 * std::sin(0.02 * k), 1e-12);
    EXPECT_NEAR(log.q(k, 3), 1 + 0.1 * std::cos(0.03 * k), 1e-12);
    EXPECT_NEAR(log.q(k, 2), log.q(std::max(0, k - 1), 2), 0.05);  // one way of closing it
    EXPECT_EQ(log.tau(k, 1), 0);
  }
}

TEST_F(LogFile, references_are_read_where_they_are_asked_for_and_go_the_way_of_positions) {
  // t, q, tau, reference of two motors in degrees: ratios 50 and -20, an offset, a reference that stands.
  const auto motor = [](double q, int j) {
    return (q - (j == 1 ? 0.3 : 0)) * (j == 0 ? 50 : -20) * 180 / pi;
  };
  const auto asked = [](int k, int j) { return k < 60 ? 0.25 : q_at(k, j) + 0.01; };
  const std::string content = table("t,q1,q2,tau1,tau2,q_ref1,q_ref2", 7, [&](int k, int c) {
    if (c == 0) return 0.005 * k;
    if (c < 3) return motor(q_at(k, c - 1), c - 1);
    return c < 5 ? tau_at(k, c - 3) : motor(asked(k, c - 5), c - 5);
  });
  const std::string side = "units: deg\nmotor: {N: [50, -20]}\noffset: [0, 0.3]\n";
  EXPECT_EQ(load(content, side).q_ref.rows(), 0);
  const MotionLog log = load(content, side + "reference: q_ref*\n");
  ASSERT_EQ(log.q_ref.rows(), rows);
  EXPECT_TRUE(log.repairs.empty()) << log.repairs[0].what;
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(log.q_ref(k, j), asked(k, j), 1e-12) << k;

  ColumnMap found = read_column_map(side, "map.yaml");
  found.find_reference = true;
  found.controller = {{1, 2}, {3, 4}, {}};
  const LoadedLogs loaded = load_logs({(folder_ / "log.csv").string()}, model_, found);
  ASSERT_EQ(loaded.logs[0].q_ref.rows(), rows);
  EXPECT_EQ(loaded.logs[0].q_ref(100, 1), log.q_ref(100, 1));
  EXPECT_EQ(loaded.controller.kp, (Array<double>{1, 2}));
  // Both wrap, each where it passes pi.
  const MotionLog wrapped =
      load(table("t,q1,q2,tau1,tau2,q_ref1,q_ref2", 7,
                 [&](int k, int c) {
                   if (c == 0) return 0.005 * k;
                   if (c == 3 || c == 4) return tau_at(k, c - 3);
                   return std::remainder(3 + 0.01 * k + (c > 4 ? 0.05 : 0), 2 * pi);
                 }),
           "reference: q_ref*\n");
  for (int k = 0; k < rows; ++k)
    EXPECT_NEAR(wrapped.q_ref(k, 0) - wrapped.q(k, 0), 0.05, 1e-9) << k;
  EXPECT_NE(refusal(content, side + "reference: cmd*\n").find("cmd*"), std::string::npos);
  EXPECT_NE(refusal(content, side + "controller: {kp: [1], kd: [1]}\n").find("controller: kp"),
            std::string::npos);
}

}  // namespace
}  // namespace torsor::testing
