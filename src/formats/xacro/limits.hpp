#pragma once
/// What an expansion may take: a hostile file gets one line instead of the machine. Private to xacro.
#include <cstddef>
#include <stdexcept>
#include <string>

namespace torsor::internal::xacro {

inline constexpr int macro_limit = 300;   ///< macro calls inside each other
inline constexpr int include_limit = 32;  ///< files that include each other
inline constexpr int depth_limit = 1000;  ///< elements, macros and properties inside each other
inline constexpr int expression_depth_limit = 64;   ///< brackets and operators inside each other
inline constexpr int value_depth_limit = 32;        ///< lists in lists
inline constexpr long step_limit = 60'000'000;      ///< operations and copied 64 byte blocks
inline constexpr std::size_t text_limit = 1 << 20;  ///< bytes of one text
inline constexpr std::size_t list_limit = 100'000;  ///< items of one list
inline constexpr std::size_t made_limit = std::size_t{512} << 20;   ///< bytes of texts and lists
inline constexpr std::size_t output_limit = std::size_t{64} << 20;  ///< bytes of the expansion

/// What is wrong with an expression, without the place, which whoever catches it knows.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Counts work, and refuses the rest where there is too much of it.
class Budget {
 public:
  void spend(std::size_t steps = 1) {
    if ((steps_ += static_cast<long>(steps)) > step_limit)
      throw Refusal("the expansion takes more than " + std::to_string(step_limit) + " steps");
  }
  /// For a text of so many bytes.
  void spend_text(std::size_t bytes) {
    if (bytes > text_limit)
      throw Refusal("a text of more than " + std::to_string(text_limit) + " bytes");
    spend(1 + bytes / 64);
    make(bytes);
  }
  /// For a list of so many items.
  void spend_list(std::size_t items) {
    if (items > list_limit)
      throw Refusal("a list of more than " + std::to_string(list_limit) + " items");
    spend(1 + items);
    make(items * 40);
  }

 private:
  /// All that is made counts, kept or not.
  void make(std::size_t bytes) {
    if ((made_ += bytes) > made_limit)
      throw Refusal("the expansion makes more than " + std::to_string(made_limit >> 20) +
                    " MiB of texts and lists");
  }

  std::size_t made_ = 0;
  long steps_ = 0;
};

/// One level deeper as long as it lives.
class Depth {
 public:
  Depth(int& depth, int limit, const char* what) : depth_(depth) {
    if (++depth_ > limit) {
      --depth_;
      throw Refusal(std::string(what) + " inside each other more than " + std::to_string(limit) +
                    " times");
    }
  }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  int& depth_;
};

}  // namespace torsor::internal::xacro
