// Inverse kinematics of the textbook: section 1.3, its test vectors and exercises.
#include "torsor/kinematics/analytic_ik.hpp"

#include "kinematics/analytic_ik_support.hpp"

namespace torsor {
namespace {

using testing::arm;
using testing::expect_solutions;
using testing::pose;
using testing::pose_of;
using testing::puma_rows;
using testing::stanford_rows;
constexpr double pi = std::numbers::pi;
using Table = std::vector<std::vector<double>>;

const SE3<double> stanford_A06 =
    pose({-0.14267542353339545, 0.15908228813390667, 0.97690150430923533, 0.75379754228055404,
          0.10392592314319436, 0.98395087793922246, -0.14505196414205568, 0.2783788919939624,
          -0.98429829117925481, 0.080830040236993856, -0.15691838189608274, 1.0491283730820189});
const Table stanford_front = {
    {0.3, 0.7, 0.9, -0.5, 1.1, 0.4},
    {0.3, 0.7, 0.9, 2.6415926535897932, -1.1, -2.7415926535897932},
    {-2.3352707038314802, -0.7, 0.9, 2.1598282835299546, 1.3200374043272933, 0.65519413418876482},
    {-2.3352707038314802, -0.7, 0.9, -0.98176437005983862, -1.3200374043272933,
     -2.4863985194010284}};
const Table stanford_back = {
    {0.3, -2.4415926535897932, -0.9, -2.6415926535897932, 2.0415926535897932, -2.7415926535897932},
    {0.3, -2.4415926535897932, -0.9, 0.5, -2.0415926535897932, 0.4},
    {-2.3352707038314802, 2.4415926535897932, -0.9, 0.98176437005983862, 1.8215552492624999,
     -2.4863985194010284},
    {-2.3352707038314802, 2.4415926535897932, -0.9, -2.1598282835299546, -1.8215552492624999,
     0.65519413418876482}};

TEST(AnalyticIk, K_1_3_1_TV_07_forward_kinematics_of_the_stanford_arm) {
  EXPECT_LT(
      testing::pose_distance(pose_of(arm(stanford_rows()), "tool", {0.3, 0.7, 0.9, -0.5, 1.1, 0.4}),
                             stanford_A06),
      1e-15);
}

TEST(AnalyticIk, K_1_3_4_G_1_4_TV_08_stanford_has_eight_solutions_four_with_a_positive_boom) {
  const Model<double> model = arm(stanford_rows());
  const AnalyticIkSolver solver(model, "tool");
  EXPECT_STREQ(solver.method(), "spherical wrist");
  AnalyticIkResult result;
  solver.solve(stanford_A06, result);
  Table all = stanford_front;
  all.insert(all.end(), stanford_back.begin(), stanford_back.end());
  expect_solutions(model, solver, result, all, 1e-13);
  EXPECT_EQ(result.status, AnalyticIkStatus::solved);

  DhTable limited = testing::arm_table(stanford_rows());
  limited.rows[2].limits.lower = 0;  // the book discards the negative boom
  const Model<double> real(from_dh(limited));
  const AnalyticIkSolver with_limits(real, "tool");
  with_limits.solve(stanford_A06, result);
  int inside = 0;
  for (const AnalyticIkSolution& s : result) {
    if (!s.inside_limits()) {
      EXPECT_EQ(s.outside_limits, 1u << 2);
      continue;
    }
    ++inside;
    double least = 1;
    for (const auto& q : stanford_front)
      least = std::min(least, testing::joint_distance(real, with_limits, s, q));
    EXPECT_LT(least, 1e-13);
  }
  EXPECT_EQ(inside, 4);
}

/// The family at q, which must be there, has the combination of joints 4 and 6.
void expect_wrist_family(const AnalyticIkSolver& solver, const AnalyticIkResult& result,
                         const Model<double>& model, const SE3<double>& T,
                         const std::vector<double>& representative, double sense, double value) {
  ASSERT_EQ(result.n_families, 2);  // one for each sign of the boom
  for (const AnalyticIkSolution& s : result) {
    if (testing::joint_distance(model, solver, s, representative) > 1e-12) continue;
    ASSERT_GE(s.family, 0);
    const AnalyticIkFamily& family = result.families[static_cast<std::size_t>(s.family)];
    EXPECT_EQ(family.free_joints[0], 3);
    EXPECT_EQ(family.combination[3], 1);
    EXPECT_EQ(family.combination[5], sense);
    EXPECT_NEAR(family.value, value, 1e-12);
    for (const double q4 : {-2.0, 0.7, 3.0}) {  // anywhere along the family
      std::vector<double> q(s.q.begin(), s.q.end());
      q[3] = q4;
      q[5] = (value - q4) / sense;
      EXPECT_LT(testing::pose_distance(pose_of(model, "tool", q), T), 1e-14);
    }
    return;
  }
  FAIL() << "the representative is missing";
}

TEST(AnalyticIk, TV_09_a_singular_wrist_is_a_family_on_one_arm_branch_and_regular_on_the_other) {
  const Model<double> model = arm(stanford_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  const SE3<double> straight =
      pose({0.75653407709723342, -0.22109739095765201, 0.6154446635582735, 0.66343333209281359,
            0.1295226253490494, 0.9731287658245268, 0.19037934406737268, 0.36223671904631949,
            -0.64099928214727906, -0.064314452781256438, 0.76484218728448843, 1.2795685153771617});
  solver.solve(straight, result);
  EXPECT_EQ(result.n_solutions, 6);
  for (const auto& q : Table{{0.3, 0.7, 0.9, 0, 0, -0.1},
                             {-2.3352707038314802, -0.7, 0.9, 1.3754461786793775,
                              0.32412547599156565, 1.2754461786793775},
                             {-2.3352707038314802, -0.7, 0.9, -1.7661464749104158,
                              -0.32412547599156565, -1.8661464749104158}})
    EXPECT_LT(testing::nearest_solution(model, solver, result, q), 1e-13);
  expect_wrist_family(solver, result, model, straight, {0.3, 0.7, 0.9, 0, 0, -0.1}, 1, -0.1);

  const SE3<double> folded =
      pose({-0.68568792744887298, 0.38866429247940008, -0.6154446635582735, 0.35571100031367684,
            0.60784056530081768, 0.77089918441211191, -0.19037934406737268, 0.26704704701263315,
            0.40045213612322197, -0.50463305007126518, -0.76484218728448843, 0.89714742173491748});
  solver.solve(folded, result);
  EXPECT_EQ(result.n_solutions, 6);
  for (const auto& q : Table{{0.3, 0.7, 0.9, 0, pi, 0.9},
                             {-2.3352707038314802, -0.7, 0.9, -1.7661464749104158,
                              2.8174671775982276, 2.6661464749104158},
                             {-2.3352707038314802, -0.7, 0.9, 1.3754461786793775,
                              -2.8174671775982276, -0.47544617867937748}})
    EXPECT_LT(testing::nearest_solution(model, solver, result, q), 1e-13);
  expect_wrist_family(solver, result, model, folded, {0.3, 0.7, 0.9, 0, pi, 0.9}, -1, -0.9);
}

TEST(AnalyticIk, TV_10_on_the_boundary_branches_merge_and_inside_the_cylinder_there_is_none) {
  const Model<double> model = arm(stanford_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  solver.solve(
      pose({0.48682719758830664, 0.009868934390493273, 0.87344254752233818, 0.17403260588138361,
            0.29865390308040928, 0.93779377870056092, -0.17705556982303852, 0.099036580913081272,
            -0.82085633692087274, 0.34705249280839276, 0.45359612142557739, 1.4133990303563943}),
      result);
  int front = 0;
  for (const AnalyticIkSolution& s : result) front += s.q[2] > 0 ? 1 : 0;
  EXPECT_EQ(front, 2);
  EXPECT_LT(testing::nearest_solution(model, solver, result, {0.3, 0, 0.9, -0.5, 1.1, 0.4}), 1e-7);

  solver.solve({SO3<double>::identity(), {0.1, 0, 1}}, result);
  EXPECT_EQ(result.status, AnalyticIkStatus::unreachable);
  EXPECT_EQ(result.n_solutions, 0);
  EXPECT_TRUE(result.distance_of_wrist_centre);
  EXPECT_NEAR(result.distance, 0.05, 1e-9);  // from 0.1 m off the axis to the cylinder of 0.15 m
}

TEST(AnalyticIk, a_stanford_boom_of_length_zero_leaves_joint_2_free) {
  const Model<double> model = arm(stanford_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  const SE3<double> T = pose_of(model, "tool", {0.3, 0.7, 0, -0.5, 1.1, 0.4});
  solver.solve(T, result);
  ASSERT_GT(result.n_solutions, 0);
  for (const AnalyticIkSolution& s : result) {
    EXPECT_LT(testing::pose_distance(pose_of(model, "tool", solver, s), T), 1e-9);
    ASSERT_GE(s.family, 0);
    EXPECT_EQ(result.families[static_cast<std::size_t>(s.family)].free_joints[0], 1);
    EXPECT_EQ(s.q[1], 0);
  }
}

const SE3<double> puma_A06 =
    pose({0.20745700220545035, 0.019682237910485854, 0.97804611432527188, 0.37018747042841609,
          0.14372354665910271, 0.98833491228015817, -0.050375026589578861, 0.31838042538662517,
          -0.96762861386570028, 0.1510189083492762, 0.20220819703794508, 0.66354516395696089});
const Table puma_all = {{0.4, -1.319196745278517, 2.3353655205335928, -0.97100411190067844,
                         0.54406218831815226, 0.95361730179310232},
                        {0.4, -1.319196745278517, 2.3353655205335928, 2.1705885416891148,
                         -0.54406218831815226, -2.1879753517966909},
                        {0.4, -0.6, 0.9, -0.5, 1.1, 0.3},
                        {0.4, -0.6, 0.9, 2.6415926535897932, -1.1, -2.8415926535897932},
                        {-2.1209910082496428, -2.5415926535897932, 2.3353655205335928,
                         2.0223522388353971, 1.272550489169093, 0.34408060619022852},
                        {-2.1209910082496428, -2.5415926535897932, 2.3353655205335928,
                         -1.1192404147543961, -1.272550489169093, -2.7975120473995647},
                        {-2.1209910082496428, -1.8223959083112762, 0.9, 1.7113926717789416,
                         1.0524072774240772, 1.0919020918335259},
                        {-2.1209910082496428, -1.8223959083112762, 0.9, -1.4301999818108517,
                         -1.0524072774240772, -2.0496905617562674}};

TEST(AnalyticIk, X_1_19_X_1_23_TV_22_puma_has_eight_solutions_with_eight_names) {
  const Model<double> model = arm(puma_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  solver.solve(puma_A06, result);
  expect_solutions(model, solver, result, puma_all, 1e-13);
  std::vector<std::string> names;
  for (const std::string& name : solver.branch_names(result)) names.push_back(name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(
      names,
      (std::vector<std::string>{
          "left shoulder, elbow down, wrist flip", "left shoulder, elbow down, wrist no flip",
          "left shoulder, elbow up, wrist flip", "left shoulder, elbow up, wrist no flip",
          "right shoulder, elbow down, wrist flip", "right shoulder, elbow down, wrist no flip",
          "right shoulder, elbow up, wrist flip", "right shoulder, elbow up, wrist no flip"}));
}

TEST(AnalyticIk, X_1_20_the_modified_table_of_the_puma_has_the_same_solutions) {
  DhTable table;
  table.convention = DhTable::Convention::modified;
  const double rows[6][3] = {
      {0, 0, 0},   {0, -90, 0}, {0.4318, 0, 0.14909}, {-0.02032, 90, 0.43307},
      {0, -90, 0}, {0, 90, 0}};
  for (const auto& r : rows) {
    DhRow row;
    row.a = r[0], row.alpha = r[1] * pi / 180, row.d = r[2];
    table.rows.push_back(row);
  }
  const Model<double> model(from_dh(table));
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  solver.solve(puma_A06, result);
  expect_solutions(model, solver, result, puma_all, 1e-13);
}

TEST(AnalyticIk, a_puma_out_of_reach_is_as_far_from_it_as_its_outer_sphere) {
  const Model<double> model = arm(puma_rows());
  AnalyticIkResult result;
  const AnalyticIkSolver solver(model, "tool");
  solver.solve({SO3<double>::identity(), {0, 3, 0}}, result);
  EXPECT_EQ(result.status, AnalyticIkStatus::unreachable);
  const double reach = 0.86534645345106907;  // in the plane of the arm, TV-22
  EXPECT_NEAR(result.distance, 3 - std::sqrt(reach * reach + 0.14909 * 0.14909), 1e-9);
}

TEST(AnalyticIk, K_1_3_5_a_nearly_straight_wrist_keeps_fourteen_digits) {
  const Model<double> model = arm(puma_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  for (const double q5 : {1e-6, 1e-8}) {
    solver.solve(pose_of(model, "tool", {0.4, -0.6, 0.9, -0.5, q5, 0.3}), result);
    double least = 1;
    for (const AnalyticIkSolution& s : result)
      if (std::abs(s.q[2] - 0.9) < 1e-6 && std::abs(s.q[0] - 0.4) < 1e-6)
        least = std::min(least, std::abs(s.q[4] - q5));
    EXPECT_LT(least, 1e-14);
  }
}

struct Structure {
  const char* name;
  std::vector<testing::ArmRow> rows;
  SE3<double> T;
  Table solutions;
};

void PrintTo(const Structure& s, std::ostream* out) { *out << s.name; }

class BasicStructures : public ::testing::TestWithParam<Structure> {};

TEST_P(BasicStructures, K_1_3_6_X_1_25_all_solutions) {
  const Structure& structure = GetParam();
  const Model<double> model = arm(structure.rows);
  const AnalyticIkSolver solver(model, "tool");
  EXPECT_STREQ(solver.method(), "spherical wrist");
  EXPECT_TRUE(has_spherical_wrist(model, "tool"));
  AnalyticIkResult result;
  solver.solve(structure.T, result);
  expect_solutions(model, solver, result, structure.solutions, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(
    Textbook, BasicStructures,
    ::testing::Values(
        Structure{"TV_23_elbow",
                  {{0, -90, 0.6}, {0.5, 0, 0}, {0, 90, 0}, {0, -90, 0.45}, {0, 90, 0}, {0, 0, 0.1}},
                  pose({0.20745700220545035, 0.019682237910485854, 0.97804611432527188,
                        0.60038329324281668, 0.14372354665910271, 0.98833491228015817,
                        -0.050375026589578861, 0.20744935589279684, -0.96762861386570028,
                        0.1510189083492762, 0.20220819703794508, 1.3324434765078349}),
                  {{0.4, -1.2341091167121784, 2.2415926535897932, -0.95926665887131352,
                    0.54900684912940454, 0.93987863310575325},
                   {0.4, -1.2341091167121784, 2.2415926535897932, 2.1823259947184797,
                    -0.54900684912940454, -2.20171402048404},
                   {0.4, -0.6, 0.9, -0.5, 1.1, 0.3},
                   {0.4, -0.6, 0.9, 2.6415926535897932, -1.1, -2.8415926535897932},
                   {-2.7415926535897932, -2.5415926535897932, 2.2415926535897932,
                    2.6415926535897932, 1.1, 0.3},
                   {-2.7415926535897932, -2.5415926535897932, 2.2415926535897932, -0.5, -1.1,
                    -2.8415926535897932},
                   {-2.7415926535897932, -1.9074835368776148, 0.9, 2.1823259947184797,
                    0.54900684912940454, 0.93987863310575325},
                   {-2.7415926535897932, -1.9074835368776148, 0.9, -0.95926665887131352,
                    -0.54900684912940454, -2.20171402048404}}},
        Structure{
            "TV_24_scara",
            {{0.5, 0, 0.6}, {0.4, 0, 0}, {0, 0, 0, 0, true}, {0, -90, 0}, {0, 90, 0}, {0, 0, 0.1}},
            pose({0.5218137064749626, 0.51292000089935294, 0.68163298659342284, 0.92072042679728148,
                  -0.053136991092479241, 0.81703698200401816, -0.57413154434798607,
                  0.057828284401502153, -0.85140291044399147, 0.26336978322346224,
                  0.45359612142557739, 0.44535961214255774}),
            {{-0.1312856611175382, 0.6, -0.2, -1.1687143388824618, 1.1, 0.3},
             {-0.1312856611175382, 0.6, -0.2, 1.9728783147073314, -1.1, -2.8415926535897932},
             {0.4, -0.6, -0.2, -0.5, 1.1, 0.3},
             {0.4, -0.6, -0.2, 2.6415926535897932, -1.1, -2.8415926535897932}}},
        Structure{"TV_25_cylindrical",
                  {{0, 0, 0.6},
                   {0, -90, 0, 0, true},
                   {0, 0, 0, 0, true},
                   {0, -90, 0},
                   {0, 90, 0},
                   {0, 0, 0.1}},
                  pose({0.81231707076976149, 0.21094562680547399, 0.54373055741578475,
                        -0.21821978387447687, -0.58092976122071694, 0.37512812048387197,
                        0.72235691022532514, 0.71697838682455207, -0.051590590848284651,
                        -0.90265211225249084, 0.42726756860548351, 0.94272675686054835}),
                  {{0.4, 0.3, 0.7, -0.5, 1.1, 0.3},
                   {0.4, 0.3, 0.7, 2.6415926535897932, -1.1, -2.8415926535897932},
                   {-2.7415926535897932, 0.3, -0.7, -2.6415926535897932, 2.0415926535897932,
                    -2.8415926535897932},
                   {-2.7415926535897932, 0.3, -0.7, 0.5, -2.0415926535897932, 0.3}}},
        Structure{"TV_26_cartesian",
                  {{0, -90, 0, 0, true},
                   {0, -90, 0, -90, true},
                   {0, 0, 0, 0, true},
                   {0, -90, 0},
                   {0, 90, 0},
                   {0, 0, 0.1}},
                  pose({-0.85140291044399147, 0.26336978322346224, 0.45359612142557739,
                        0.74535961214255774, -0.051590590848284651, -0.90265211225249084,
                        0.42726756860548351, 0.34272675686054835, 0.52196886403637672,
                        0.34037555953820065, 0.78210803821827026, 0.47821080382182703}),
                  {{0.4, 0.3, 0.7, -0.5, 1.1, 0.3},
                   {0.4, 0.3, 0.7, 2.6415926535897932, -1.1, -2.8415926535897932}}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(AnalyticIk, K_1_3_7_TV_28_the_general_arm_of_three_turning_joints_has_exactly_two_postures) {
  const double degree = 180 / pi;
  const Model<double> model =
      arm({{0.1, 0.5 * degree, 0.2}, {0.4, -0.9 * degree, 0.15}, {0.3, 1.2 * degree, -0.1}},
          {SO3<double>::identity(), {0, 0, 0.35}});
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  solver.solve(
      {SO3<double>::identity(), {0.88788306723412378, -0.18443857811598203, 0.043753371830637697}},
      result);
  EXPECT_EQ(result.status,
            AnalyticIkStatus::reduced);  // three joints cannot turn the frame as well
  expect_solutions(
      model, solver, result,
      {{0.3, -0.7, 1.1}, {0.73775782288308293, -1.0083430761074872, 0.68864387264631465}}, 1e-12);
  for (const AnalyticIkSolution& s : result) {
    EXPECT_LT(s.position_error, 1e-12);
    EXPECT_GT(s.rotation_error, 0.01);
  }
}

TEST(AnalyticIk, K_1_3_7_the_wrist_condition_is_about_axes_that_meet) {
  EXPECT_TRUE(has_spherical_wrist(arm(puma_rows()), "tool"));
  auto rows = puma_rows();
  rows[4].d = 0.05;
  EXPECT_FALSE(has_spherical_wrist(arm(rows), "tool"));
}

TEST(AnalyticIk, K_1_3_8_a_pose_is_in_the_workspace_if_and_only_if_there_is_a_solution) {
  // The wrist centre of a PUMA reaches what lies between two spheres, outside a cylinder.
  const Model<double> model = arm(puma_rows());
  const AnalyticIkSolver solver(model, "tool");
  AnalyticIkResult result;
  testing::Draw<double> draw(8);
  const double a2 = 0.4318, fore = std::sqrt(0.02032 * 0.02032 + 0.43307 * 0.43307), d3 = 0.14909;
  for (int trial = 0; trial < 2000; ++trial) {
    const SE3<double> T{draw.rotation(), draw.vec()};
    const double across = T.p.x * T.p.x + T.p.y * T.p.y - d3 * d3;
    const double reach = std::sqrt(std::max(0.0, across + T.p.z * T.p.z));
    const bool inside = across > 0 && reach < a2 + fore && reach > std::abs(a2 - fore);
    solver.solve(T, result);
    EXPECT_EQ(result.status == AnalyticIkStatus::solved, inside);
    EXPECT_EQ(result.n_solutions, inside ? 8 : 0);
    if (!inside) {
      EXPECT_GT(result.distance, 0);
    }
  }
}

}  // namespace
}  // namespace torsor
