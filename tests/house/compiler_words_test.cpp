// Words that are one compiler's, one processor's or one system's stand in two headers of math: another
// compiler is a change there, and nowhere else.
#include <gtest/gtest.h>

#include <cctype>

#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

/// The words of a text, without comments and what stands in quotes.
std::vector<std::string> words_of(const std::string& text) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
    } else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
      ++i;
    } else if (is_letter(text[i])) {
      while (i < text.size() && is_letter(text[i])) ++i;
      words.push_back(text.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return words;
}

bool is_of_a_compiler(const std::string& word) {
  static const std::set<std::string> whole = {
      "__attribute__", "__extension__", "__declspec", "vector_size", "ext_vector_type",
      "__GNUC__",      "__clang__",     "_MSC_VER",   "typeof",      "__PRETTY_FUNCTION__",
      "__x86_64__",    "__aarch64__",   "__FMA__",    "asm",         "_Pragma"};
  static const std::vector<std::string> starts = {
      "__builtin_", "__restrict", "__forceinline", "__int128", "__asm",  "__AVX",
      "__SSE",      "__ARM",      "_mm_",          "_mm256_",  "_mm512_"};
  return whole.contains(word) || word.ends_with("intrin") ||
         std::any_of(starts.begin(), starts.end(),
                     [&](const std::string& start) { return word.starts_with(start); });
}

std::string first_word(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_of_a_compiler(words[i])) return words[i];
    if (words[i] == "pragma" && i + 1 < words.size() &&
        (words[i + 1] == "GCC" || words[i + 1] == "clang"))
      return "pragma " + words[i + 1];
  }
  return "";
}

TEST(CompilerWords, are_found_outside_of_comments_and_quotes) {
  EXPECT_EQ(first_word("int f() __attribute__((noinline));"), "__attribute__");
  EXPECT_EQ(first_word("x = __builtin_expect(y, 0);"), "__builtin_expect");
  EXPECT_EQ(first_word("#if defined(__AVX2__)"), "__AVX2__");
  EXPECT_EQ(first_word("#pragma GCC ivdep"), "pragma GCC");
  EXPECT_EQ(first_word("#pragma once\n// __builtin_expect\nauto s = \"__attribute__\";"), "");
  EXPECT_EQ(first_word("auto s = \"a\\\"b\"; asm(\"nop\");"), "asm");
}

TEST(CompilerWords, stand_in_the_headers_of_the_compiler) {
  const std::set<std::string> allowed = {
      "include/torsor/math/internal/register.hpp",  // attributes, vectors
      "include/torsor/math/internal/builtins.hpp",  // functions
      "include/torsor/math/language.hpp",           // the version of the language
      // two shuffles of registers, and a hint that a loop's outputs do not overlap
      "include/torsor/dynamics/internal/matrix_output.hpp",
      "include/torsor/identification/regressor.hpp",
      "src/batch/cuda/program.cu",  // another compiler's
  };
  std::set<std::string> used;
  for (const SourceFile& file :
       source_files({"include", "src", "apps", "viewer/server", "python/src", "examples"})) {
    const std::string word = first_word(file.text);
    if (word.empty()) continue;
    used.insert(file.path);
    EXPECT_TRUE(allowed.contains(file.path)) << file.path << ": " << word;
  }
  EXPECT_TRUE(used.contains("include/torsor/math/internal/register.hpp"));
  EXPECT_TRUE(used.contains("include/torsor/math/internal/builtins.hpp"));
}

}  // namespace
