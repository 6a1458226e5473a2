// Pieces of work: results belong to their pieces, whoever worked them out.
#include "torsor/math/internal/pieces.hpp"

#include <gtest/gtest.h>

namespace torsor::internal {
namespace {

Array<double> squares(int piece, int) {
  Array<double> out;
  for (int k = 0; k <= piece; ++k) out.push_back(1.0 * piece * k * k);
  return out;
}

TEST(Pieces, results_are_by_piece_whatever_the_number_of_threads) {
  for (const int threads : {1, 2, 7}) {
    int told = 0;
    const Array<Array<double>> results = in_pieces({}, 40,
                                                   {.threads = threads,
                                                    .go_on =
                                                        [&](int done) {
                                                          EXPECT_GT(done, told);
                                                          told = done;
                                                          return true;
                                                        }},
                                                   squares);
    ASSERT_EQ(results.size(), 40);
    for (int k = 0; k < 40; ++k) EXPECT_EQ(results[k], squares(k, 0));
    EXPECT_TRUE(told == 40 || threads > 1);  // others may be faster than the one that called
    EXPECT_LE(told, 40);
  }
}

TEST(Pieces, that_did_not_begin_are_empty) {
  std::atomic<bool> stop{false};
  const Array<Array<double>> results = in_pieces(
      {}, 10, {.threads = 1, .stop = &stop, .go_on = [](int done) { return done < 3; }}, squares);
  EXPECT_TRUE(stop);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(results[k].empty(), k >= 3) << k;
}

TEST(Pieces, go_to_the_hands_that_are_given) {
  const Hands backwards = [](int n, const PieceOptions& options, const PieceWork& work) {
    EXPECT_EQ(options.threads, 3);
    Array<Array<double>> results(n);
    for (int k = n; k-- > 0;) results[k] = work(k, 0);
    return results;
  };
  EXPECT_EQ(in_pieces(backwards, 9, {.threads = 3}, squares), in_pieces({}, 9, {}, squares));
}

TEST(Pieces, pass_on_what_the_work_throws) {
  EXPECT_THROW((void)in_pieces({}, 5, {.threads = 2},
                               [](int piece, int) -> Array<double> {
                                 if (piece == 3) throw std::runtime_error("three");
                                 return {};
                               }),
               std::runtime_error);
}

}  // namespace
}  // namespace torsor::internal
