// Logs that are written faster than their sensors run: every sample stands in several rows.
#include <algorithm>

#include "log_repair/parts.hpp"

namespace torsor::internal::repair {

/// That is the rule, and not a fault here and there or a robot at rest, where rows with news come every so
/// many rows, one more or less.
void leave_out_held_samples(RawLog& log, Told& told) {
  constexpr int least = 16;        // samples
  constexpr double regular = 0.9;  // share of the distances
  Array<int> fresh;
  for (int r = 0; r < log.values.rows(); ++r)
    if (r == 0 || !same_values(log, r, r - 1)) fresh.push_back(r);
  if (fresh.size() < least) return;
  Array<int> apart;
  for (int k = 1; k < fresh.size(); ++k) apart.push_back(fresh[k] - fresh[k - 1]);
  Array<int> sorted = apart;
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  const int usual = sorted[sorted.size() / 2];
  if (usual < 2) return;
  const int slack =
      log.t.empty() ? 0 : 1;  // without stamps nothing else tells when a sample was taken
  const auto usual_ones = std::count_if(apart.begin(), apart.end(),
                                        [&](int n) { return std::abs(n - usual) <= slack; });
  const double share = static_cast<double>(usual_ones) / apart.size();
  if (share < (log.t.empty() ? 1 : regular)) return;

  told.rows("held", log.rows[0], log.rows.back(),
            "every sample is in " + std::to_string(usual) +
                " rows: those that repeat the row before are left out");
  RawLog kept = log;
  kept.values = Matrix(fresh.size(), log.values.cols());
  kept.rows.clear(), kept.t.clear();
  for (int k = 0; k < fresh.size(); ++k) {
    for (int c = 0; c < log.values.cols(); ++c) kept.values(k, c) = log.values(fresh[k], c);
    kept.rows.push_back(log.rows[fresh[k]]);
    // Without stamps rows are counted in those of the file.
    kept.t.push_back(log.t.empty() ? (log.rows[fresh[k]] - log.rows[0]) * log.period
                                   : log.t[fresh[k]]);
  }
  kept.period = 0;
  log = std::move(kept);
}

}  // namespace torsor::internal::repair
