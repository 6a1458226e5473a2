#pragma once
/// Steps of `repaired`. Rows are counted from 0 among those that are still there.
#include <functional>
#include <map>
#include <optional>

#include "torsor/identification/log_repair.hpp"

namespace torsor::internal::repair {

/// Collects what is told; neighbouring rows with one finding become one entry.
class Told {
 public:
  Told(std::string log, int limit, std::vector<LogRepair>& out)
      : log_(std::move(log)), limit_(limit), out_(&out) {}

  void rows(const std::string& kind, long long first, long long last, const std::string& what);
  void finish();

 private:
  struct Kind {
    int entries = 0;
    long long more = 0, first = 0, last = 0;
    std::size_t at = 0;  // of the entry that may grow
    bool open = false;
  };
  std::string log_;
  int limit_;
  std::vector<LogRepair>* out_;
  std::map<std::string, Kind> kinds_;
};

/// When each row was measured.
struct Stamps {
  double period = 0;
  Array<int> kept{};     ///< rows with a usable stamp, ascending
  Array<double> t{};     ///< s, of the kept rows; strictly ascending, clocks joined
  Array<double> at{};    ///< the same in periods, whole numbers where rows are evenly spaced
  Array<bool> begins{};  ///< a new clock begins at this row
  bool uneven = false;   ///< `at` are the stamps' own, which jitter
};
Stamps read_stamps(const RawLog& log, Told& told);
/// Samples that are missing between the kept rows k - 1 and k. Stamps that jitter may be far apart although none
/// is: then those after them are not late.
int missing_before(const Stamps& stamps, int k);

/// Rows that are evenly spaced although their stamps are not.
struct LateStamps {
  Stamps stamps{};
  int together = 0;     ///< rows with the stamp of the one before and other values
  bool coarse = false;  ///< a fifth of all rows are such
  double longest = 0;   ///< s that a row waited
  std::vector<std::pair<int, std::string>> left_out{};  ///< rows, and why
};
/// Nothing where rows neither share stamps nor come in bursts, or where time goes back for long.
std::optional<LateStamps> read_late_stamps(const RawLog& log);
bool same_values(const RawLog& log, int a, int b);

/// Where every sample stands in several rows, all but the first of them go, and so does time between.
void leave_out_held_samples(RawLog& log, Told& told);
/// Sets damaged numbers of the kept rows to NaN and tells; returns which rows must be left out.
Array<bool> clear_damage(RawLog& log, const Stamps& stamps, const RepairOptions& options,
                         Told& told);
/// Adds turns to angles; marks rows after jumps as beginnings.
void join_angles(RawLog& log, Stamps& stamps, Told& told);
/// Findings that change nothing.
void tell_suspicions(const MotionLog& log, const RawLog& names, Told& told);

/// x at `at`, cubic through the four samples around it (positions ascending); linear or cubic at the
/// ends, fewer samples give a lower order.
double interpolated(In<double> positions, In<double> x, double at, int& hint);

/// The value below which the share `p` of |values| lie; at most 100,000 of them are looked at.
double quantile(In<double> values, double p);

std::string number(double x);

}  // namespace torsor::internal::repair
