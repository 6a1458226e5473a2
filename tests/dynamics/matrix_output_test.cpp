#include "torsor/dynamics/internal/matrix_output.hpp"

#include "support/dynamics_state.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/minverse.hpp"

namespace torsor {
namespace {

using testing::State;

/// A matrix in the middle of other numbers, which must stay as they are.
template <class Real>
struct Guarded {
  static constexpr Real guard = Real(-77);
  int n, row_stride, col_stride;
  std::vector<Real> data;

  Guarded(int rows, int row_step, int col_step)
      : n(rows),
        row_stride(row_step),
        col_stride(col_step),
        data(static_cast<std::size_t>(16 + rows * (row_step + col_step)), guard) {}
  MatrixView<Real> view() { return {data.data() + 8, n, n, row_stride, col_stride}; }
  /// Numbers that belong to no entry and are not the guard any more.
  int overwritten() {
    std::vector<bool> own(data.size());
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        own[static_cast<std::size_t>(8 + r * row_stride + c * col_stride)] = true;
    int count = 0;
    for (std::size_t k = 0; k < data.size(); ++k) count += !own[k] && data[k] != guard;
    return count;
  }
};

struct Strides {
  int row, col;
};
std::vector<Strides> storages(int n) {
  return {{1, n}, {1, n + 3}, {n, 1}, {n + 2, 1}, {2, 2 * n + 1}, {3 * n, 3}};
}

template <class Real>
class MatrixOutput : public ::testing::Test {};
using Numbers = ::testing::Types<double, float>;
TYPED_TEST_SUITE(MatrixOutput, Numbers);

TYPED_TEST(MatrixOutput, the_mirror_image_completes_a_lower_triangle_of_any_size_and_storage) {
  using Real = TypeParam;
  for (int n = 1; n <= 37; ++n)
    for (const auto [row, col] : storages(n)) {
      Guarded<Real> M(n, row, col);
      const auto entry = [n](int r, int c) { return Real(1 + r + n * c); };
      for (int c = 0; c < n; ++c)
        for (int r = c; r < n; ++r) M.view()(r, c) = entry(r, c);
      internal::mirror_below<Real>(M.view());
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r)
          ASSERT_EQ(M.view()(r, c), entry(std::max(r, c), std::min(r, c))) << n << " " << row;
      EXPECT_EQ(M.overwritten(), 0) << n << " " << row << " " << col;
    }
}

TYPED_TEST(MatrixOutput, a_column_is_written_from_its_first_row_and_is_zero_from_the_end_on) {
  using Real = TypeParam;
  constexpr int lanes = internal::column_lanes<Real>;
  const int n = 21, k = 5;
  for (const auto [row, col] : storages(n))
    for (int first = 0; first < n; ++first)
      for (int end = first; end <= n; ++end) {
        Guarded<Real> M(n, row, col);
        internal::write_column<Real>(M.view(), k, first, end, [=](int j) {
          Real lane[lanes];
          for (int l = 0; l < lanes; ++l) lane[l] = Real(j + l + 1);
          return internal::load_block<internal::ColumnBlock<Real>>(lane);
        });
        for (int r = 0; r < n; ++r)
          ASSERT_EQ(M.view()(r, k), r < first ? Guarded<Real>::guard
                                    : r < end ? Real(r + 1)
                                              : Real(0))
              << first << " " << end << " " << r;
        ASSERT_EQ(M.overwritten(), 0);
      }
}

TEST(MatrixVerbs, output_is_the_same_in_any_storage_and_nothing_else_is_written) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> model(
        testing::random_tree(seed, static_cast<int>(1 + 2 * seed), testing::everything()));
    const State<double> s(model, seed);
    const int n = model.n_v();
    CrbaWorkspace<double> crba(model);
    MinverseWorkspace<double> minverse(model);
    CoriolisWorkspace<double> coriolis(model);
    Guarded<double> M(n, 1, n), X(n, 1, n), C(n, 1, n);
    mass_matrix(model, crba, s.q, M.view());
    (void)mass_matrix_inverse(model, minverse, s.q, X.view());
    coriolis_matrix(model, coriolis, s.q, s.qd, C.view());
    for (const auto [row, col] : storages(n)) {
      Guarded<double> M2(n, row, col), X2(n, row, col), C2(n, row, col);
      mass_matrix(model, crba, s.q, M2.view());
      (void)mass_matrix_inverse(model, minverse, s.q, X2.view());
      coriolis_matrix(model, coriolis, s.q, s.qd, C2.view());
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
          ASSERT_EQ(M2.view()(r, c), M.view()(r, c)) << "seed " << seed;
          ASSERT_EQ(X2.view()(r, c), X.view()(r, c)) << "seed " << seed;
          ASSERT_EQ(C2.view()(r, c), C.view()(r, c)) << "seed " << seed;
        }
      EXPECT_EQ(M2.overwritten() + X2.overwritten() + C2.overwritten(), 0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace torsor
