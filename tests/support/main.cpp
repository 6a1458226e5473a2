// A program of several test files. `NAME --file=rnea_test` runs the tests of that file alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view option = "--file=";
  if (argc == 1) return RUN_ALL_TESTS();
  const std::string_view word = argv[1];
  if (argc > 2 || !word.starts_with(option)) {
    std::cerr << "unknown argument: " << argv[argc - 1] << "\n";
    return 2;
  }
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      if (std::filesystem::path(test.file()).stem() == word.substr(option.size()))
        filter += std::string(filter.empty() ? "" : ":") + suite.name() + "." + test.name();
    }
  }
  if (filter.empty()) {
    std::cerr << "no test of this program is in the file " << word.substr(option.size()) << "\n";
    return 2;
  }
  // --gtest_filter chooses among the tests of the file.
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter);
  return RUN_ALL_TESTS();
}
