// CSV row by row: the same rows as in one piece, whatever the length of the file and of its lines.
#include "torsor/formats/csv_reader.hpp"

#include "house/process.hpp"
#include "support/random_model.hpp"
#include "support/refusal.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/state_reader.hpp"

namespace torsor {
namespace {

using testing::refusal;

TEST(CsvReader, goes_through_a_file_that_is_longer_than_what_it_reads_at_once) {
  testing::Draw<double> draw(5);
  CsvTable table{{"t", "a", "b"}, {}, {}};
  for (int r = 0; r < 20'000; ++r) table.rows.push_back({0.001 * r, draw(-1e9, 1e9), draw()});
  const testing::ScratchFolder folder;
  testing::write_text(folder / "long.csv", csv_text(table));
  CsvReader reader((folder / "long.csv").string());
  EXPECT_EQ(reader.columns(), table.columns);
  std::size_t r = 0;
  for (; reader.next(); ++r) {
    ASSERT_LT(r, table.rows.size());
    ASSERT_EQ(std::vector<double>(reader.numbers().begin(), reader.numbers().end()), table.rows[r]);
    ASSERT_EQ(reader.line(), static_cast<int>(r) + 2);
  }
  EXPECT_EQ(r, table.rows.size());
  EXPECT_FALSE(reader.next());
}

TEST(CsvReader, takes_a_line_that_is_longer_than_what_it_reads_at_once) {
  const int many = 200'000;
  std::string names = "c0", row = "0";
  for (int c = 1; c < many; ++c) {
    names += ",c" + std::to_string(c);
    row += "," + std::to_string(c);
  }
  const testing::ScratchFolder folder;
  testing::write_text(folder / "wide.csv", names + "\n" + row + "\n" + row);
  CsvReader reader((folder / "wide.csv").string());
  ASSERT_EQ(reader.columns().size(), std::size_t{many});
  for (int lines = 0; lines < 2; ++lines) {
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.numbers()[many - 1], many - 1);
  }
  EXPECT_FALSE(reader.next());
}

TEST(CsvReader, gives_cells_as_they_are_written_where_they_are_plain) {
  const std::string text = "a,b\n 0.50 ,-1e3\r\n\n\"2\",3\n+4,5\n";
  CsvReader reader(text, "t.csv");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.cells(), (std::vector<std::string_view>{"0.50", "-1e3"}));
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.cells().empty());
  EXPECT_EQ(reader.numbers()[0], 2);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.cells().empty());
  EXPECT_EQ(reader.numbers()[0], 4);
  EXPECT_EQ(reader.place(), "t.csv:5: ");
  EXPECT_FALSE(reader.next());
}

TEST(CsvReader, refuses_what_is_no_table_with_file_and_line) {
  const auto why = [](const std::string& text) {
    return refusal([&] {
      CsvReader reader(text, "t.csv");
      while (reader.next()) {
      }
    });
  };
  EXPECT_EQ(why(""), "t.csv:1: file is empty");
  EXPECT_EQ(why("\n  \n"), "t.csv:1: file is blank");
  EXPECT_EQ(why("a,b\n1,2\n1,\x01\n"), "t.csv:3: not a text file (it holds the byte 1)");
  EXPECT_EQ(why(std::string("a\x02,b\n")), "t.csv:1: not a text file (it holds the byte 2)");
  EXPECT_EQ(why("a,b\n1,2\n3\n"), "t.csv:3: has 1 cells, the header 2");
  EXPECT_EQ(why("a,b\n1,2,\n"), "t.csv:2: has 3 cells, the header 2");
  for (const char* cell : {"inf", "-nan", "0x10", "1e999", "1;2", "", "--1"})
    EXPECT_TRUE(why(std::string("a,b\n1,") + cell + "\n").starts_with("t.csv:2: column \"b\": "))
        << cell;
  EXPECT_EQ(refusal([] { CsvReader("none.csv"); }), "none.csv: no such file");
}

TEST(StateReader, gives_the_states_of_the_whole_table_one_after_the_other) {
  const Model<double> model(testing::random_tree(4, 14));
  StateTable states;
  for (unsigned seed = 1; seed <= 9; ++seed) {
    states.t.push_back(0.1 * seed);
    states.q.push_back(testing::random_q(model, seed));
    states.qdd.push_back(testing::random_velocity(model, seed));
  }
  const testing::ScratchFolder folder;
  const std::string path = (folder / "states.csv").string();
  testing::write_text(path, csv_text(table_of(states, model)));
  const StateTable whole = states_of(read_csv(path), model, path);
  StateReader reader(path, model);
  EXPECT_TRUE(reader.has_t() && reader.has_qdd());
  EXPECT_FALSE(reader.has_qd() || reader.has_tau());
  for (std::size_t r = 0; r < whole.size(); ++r) {
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.t(), whole.t[r]);
    EXPECT_EQ(reader.q(), whole.q[r]);
    EXPECT_EQ(reader.qdd(), whole.qdd[r]);
    EXPECT_EQ(reader.qd(), std::vector<double>(whole.qdd[r].size(), 0.0));
  }
  EXPECT_FALSE(reader.next());
  const StateTable again = read_states_csv(path, model);
  EXPECT_EQ(again.q, whole.q);
  EXPECT_EQ(again.lines, whole.lines);
  EXPECT_TRUE(again.tau.empty());
}

}  // namespace
}  // namespace torsor
