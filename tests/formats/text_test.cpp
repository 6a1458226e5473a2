#include "torsor/formats/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>

#include "support/refusal.hpp"
#include "torsor/model/error.hpp"

using namespace torsor;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, gone afterwards.
struct Scratch {
  fs::path path =
      fs::temp_directory_path() / ("torsor_text_test_" + std::to_string(std::random_device{}()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string with(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return file(name);
  }
};

TEST(Numbers, are_read_whole_or_not_at_all) {
  EXPECT_EQ(parse_number("1"), 1.0);
  EXPECT_EQ(parse_number("+1"), 1.0);
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_number(" .5\t"), 0.5);
  EXPECT_EQ(parse_number("1."), 1.0);
  EXPECT_EQ(parse_number("5e-324"), 5e-324);
  for (const char* bad :
       {"",    " ",    "nan", "NaN",  "inf",   "-inf",  "infinity", "1e400", "-1e400",
        "1,5", "1.5x", "x",   "--1",  "+-1",   "++1",   "+",        "-",     ".",
        "e5",  "1e",   "1 2", "0x10", "1_000", "1'000", "1d3",      "1.2.3", "one"})
    EXPECT_FALSE(parse_number(bad).has_value()) << bad;
}

TEST(Numbers, say_why_they_are_refused) {
  std::string why;
  EXPECT_FALSE(parse_number("1,5", &why));
  EXPECT_EQ(why, "\"1,5\" has a comma; write 1.5");
  EXPECT_FALSE(parse_number("nan", &why));
  EXPECT_EQ(why, "\"nan\" is not finite");
  EXPECT_FALSE(parse_number("1e400", &why));
  EXPECT_EQ(why, "\"1e400\" is out of the range of a number");
  EXPECT_FALSE(parse_number("1\n2", &why));
  EXPECT_EQ(why, "\"1\\n2\" is not a number");
}

TEST(Numbers, survive_writing_and_reading_to_the_last_bit) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 100'000; ++k) {
    const auto x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    const auto y = parse_number(format_number(x));
    ASSERT_TRUE(y.has_value()) << format_number(x);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*y), std::bit_cast<std::uint64_t>(x));
  }
}

TEST(Numbers, are_written_with_as_few_digits_as_will_do) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(-9.81), "-9.81");
  EXPECT_EQ(format_number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(format_number(100), "100");
  EXPECT_EQ(format_number(-0.0), "-0");
}

TEST(Numbers, do_not_depend_on_the_locale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_FALSE(parse_number("1,5"));
  EXPECT_EQ(format_number(1.5), "1.5");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Quoted, keeps_a_message_one_short_line) {
  EXPECT_EQ(in_quotes("elbow"), "\"elbow\"");
  EXPECT_EQ(in_quotes("a\nb\tc\x01"), "\"a\\nb\\tc\\x01\"");
  EXPECT_LT(in_quotes(std::string(1'000'000, 'a')).size(), 100u);
  const std::string cut = in_quotes("x" + std::string(59, 'a') + "\xc3\xa9 and more");
  EXPECT_EQ(cut, "\"x" + std::string(59, 'a') + "...\"");
}

TEST(TextFile, comes_back_as_it_was_written) {
  const Scratch scratch;
  const std::string text = "first\nsecond \xc3\xa9\r\n";
  write_text_file_atomically(scratch.file("a.txt"), text);
  EXPECT_EQ(read_text_file(scratch.file("a.txt")), text);
  write_text_file_atomically(scratch.file("a.txt"), "shorter\n");
  EXPECT_EQ(read_text_file(scratch.file("a.txt")), "shorter\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path), fs::directory_iterator()), 1);
}

TEST(TextFile, replaces_what_a_symbolic_link_points_to_and_keeps_its_permissions) {
  const Scratch scratch;
  const std::string real = scratch.with("real.txt", "old\n"), link = scratch.file("link.txt");
  fs::permissions(real, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(real, link);
  write_text_file_atomically(link, "new\n");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text_file(real), "new\n");
  EXPECT_EQ(fs::status(real).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(TextFile, that_cannot_be_written_leaves_nothing_behind) {
  const Scratch scratch;
  EXPECT_EQ(
      torsor::testing::refusal([&] { write_text_file_atomically(scratch.path.string(), "x"); }),
      scratch.path.string() + ": cannot write: is a folder, not a file");
  const std::string nowhere = scratch.file("no/such/folder.txt");
  EXPECT_EQ(torsor::testing::refusal([&] { write_text_file_atomically(nowhere, "x"); }),
            nowhere + ": cannot write: No such file or directory");
}

TEST(TextFile, is_refused_when_missing_empty_blank_binary_or_a_folder) {
  const Scratch scratch;
  const auto refusal = [&](const std::string& path) {
    return torsor::testing::refusal([&] { read_text_file(path); });
  };
  EXPECT_EQ(refusal(scratch.file("none")), scratch.file("none") + ": no such file");
  EXPECT_EQ(refusal(scratch.path.string()), scratch.path.string() + ": is a folder, not a file");
  const std::string empty = scratch.with("empty", ""), blank = scratch.with("blank", " \n\t\n");
  EXPECT_EQ(refusal(empty), empty + ":1: file is empty");
  EXPECT_EQ(refusal(blank), blank + ":1: file is blank");
  const std::string binary = scratch.with("binary", std::string("a\nb\n\x7f"
                                                                "ELF\0\0",
                                                                10));
  EXPECT_EQ(refusal(binary), binary + ":3: not a text file (it holds the byte 127)");
}

TEST(TextFile, over_the_limit_is_refused_with_its_size_and_not_read) {
  const Scratch scratch;
  const std::string large = scratch.with("large", "x");
  fs::resize_file(large, std::uintmax_t{100} << 20);  // sparse: takes no room
  EXPECT_EQ(torsor::testing::refusal([&] { read_text_file(large); }),
            large + ": file has 100 MiB, the limit is 64 MiB");
  fs::resize_file(large, std::uintmax_t{1} << 42);  // reading 4 TiB would not end
  EXPECT_EQ(torsor::testing::refusal([&] { read_text_file(large); }),
            large + ": file has 4194304 MiB, the limit is 64 MiB");
  if (fs::exists("/dev/zero")) {
    EXPECT_EQ(torsor::testing::refusal([&] { read_text_file("/dev/zero", 1'000'000); }),
              "/dev/zero: file has more than 977 KiB, the limit is 977 KiB");
  }
}

TEST(Words, are_listed_split_and_put_in_cells) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}, " or "), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, " or "), "a, b or c");
  using List = std::vector<std::string>;
  EXPECT_EQ(split(""), (List{""}));
  EXPECT_EQ(split("a,,b "), (List{"a", "", "b "}));
  EXPECT_EQ(split("a:b", ':'), (List{"a", "b"}));
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\\nb\"");
}

TEST(Messages, have_facts_apart_from_their_words) {
  using torsor::testing::facts;
  EXPECT_EQ(facts("r.urdf:4: joint \"j\": <axis> xyz: lower limit -2.5 exceeds 1 (rad), twice"),
            "r.urdf:4: \"j\" <axis> xyz: -2.5 1");
  EXPECT_EQ(facts("nothing to see"), "");
}

}  // namespace
