// What users may call: the names that headers outside internal/ declare in namespace torsor, held
// to tests/house/public_names.txt. A new name there is a decision, an old one that goes a change
// for users. TORSOR_WRITE_PUBLIC_NAMES=1 writes the list anew.
#include "house/public_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

const char* const list = TORSOR_SOURCE_DIR "/tests/house/public_names.txt";

// One line a room: its name, and the names of its headers in alphabetical order.
std::string names_of_the_tree() {
  std::map<std::string, std::set<std::string>> rooms;
  for (const SourceFile& file : source_files({"include"}))
    if (file.path.find("/internal/") == std::string::npos)
      rooms[file.room.empty() ? "faces" : file.room].merge(public_names(file.text));
  std::string text;
  std::size_t count = 0;
  for (const auto& [room, names] : rooms) {
    text += room + "\n";
    for (const std::string& name : names) text += "  " + name + "\n";
    count += names.size();
  }
  std::printf("%zu public names\n", count);
  return text;
}

TEST(PublicNames, are_those_of_the_list) {
  const std::string found = names_of_the_tree();
  if (std::getenv("TORSOR_WRITE_PUBLIC_NAMES")) write_text(list, found);
  const auto lines = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    std::string room;
    for (std::string line; std::getline(stream, line);)
      if (line.starts_with("  "))
        all.push_back(room + " " + line.substr(2));
      else
        room = line;
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto have = lines(found), listed = lines(read_text(list));
  std::vector<std::string> added, gone;
  std::set_difference(have.begin(), have.end(), listed.begin(), listed.end(),
                      std::back_inserter(added));
  std::set_difference(listed.begin(), listed.end(), have.begin(), have.end(),
                      std::back_inserter(gone));
  for (const std::string& name : added) ADD_FAILURE() << "new and not in the list: " << name;
  for (const std::string& name : gone) ADD_FAILURE() << "in the list and gone: " << name;
}

// Headers of internal/ folders keep out of namespace torsor, or they would export in secret; they
// may announce what public headers define.
TEST(PublicNames, are_not_declared_in_internal_folders) {
  const std::string listed = names_of_the_tree();
  for (const SourceFile& file : source_files({"include"})) {
    if (file.path.find("/internal/") == std::string::npos) continue;
    for (const std::string& name : public_names(file.text))
      if (listed.find("  " + name + "\n") == std::string::npos)
        ADD_FAILURE() << file.path << ": " << name << " is not in namespace torsor::internal";
  }
}

TEST(PublicNames, the_reader_sees_declarations_and_not_what_is_inside_them) {
  const auto names = public_names(R"(
    #define MACRO(x) \
      struct no_1 {}
    namespace torsor {
    struct A { int member = 0; void method(); };
    template <class Real, int N> requires(N > 0) [[nodiscard]] View<const Real> f(In<Real> q = {}, int no_1 = 0);
    template <class X, class Y> using Product = decltype(X{} * Y{});
    template <class Real> class [[nodiscard]] B;
    enum class E : unsigned char { one, two };
    using C = A;
    TORSOR_LIST(extern, double)
    inline constexpr int k = 3, l = 4;
    extern template void f<double, 2>(In<double>);
    template <class Real> void B<Real>::method() { int local = 0; }
    A operator+(const A&, const A&);
    namespace internal { void no_2(); }
    }
    namespace torsor::internal { struct no_3 {}; }
  )");
  EXPECT_EQ(names, (std::set<std::string>{"A", "B", "C", "E", "Product", "f", "k"}));
}

}  // namespace
