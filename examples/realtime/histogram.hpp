#pragma once
/// Counts of times in equal bins, with what is beyond the last one and the worst of all.
///
/// All memory is taken when it is made; `add` is a few instructions.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace realtime {

class Histogram {
 public:
  /// `bin_ns` wide bins up to `n_bins * bin_ns`.
  Histogram(const char* name, std::int64_t bin_ns, std::size_t n_bins)
      : name_(name), bin_ns_(bin_ns), counts_(n_bins + 1) {}

  void add(std::int64_t ns) noexcept {
    const auto bin = static_cast<std::size_t>(std::max<std::int64_t>(ns, 0) / bin_ns_);
    ++counts_[std::min(bin, counts_.size() - 1)];
    ++total_;
    worst_ns_ = std::max(worst_ns_, ns);
  }

  std::uint64_t total() const { return total_; }
  double worst_us() const { return 1e-3 * static_cast<double>(worst_ns_); }
  const char* name() const { return name_; }

  /// How many are below `us`: whole bins.
  std::uint64_t below(double us) const {
    const auto bins = static_cast<std::size_t>(us * 1e3 / static_cast<double>(bin_ns_) + 0.5);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < std::min(bins, counts_.size() - 1); ++i) sum += counts_[i];
    return sum;
  }

  /// The upper end, in us, of the bin where the part `fraction` of all is reached; the worst where
  /// that is beyond the bins.
  double quantile_us(double fraction) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 1 < counts_.size(); ++i) {
      sum += counts_[i];
      if (sum > 0 && static_cast<double>(sum) >= fraction * static_cast<double>(total_))
        return 1e-3 * static_cast<double>(bin_ns_) * static_cast<double>(i + 1);
    }
    return worst_us();
  }

 private:
  const char* name_;
  std::int64_t bin_ns_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t total_ = 0;
  std::int64_t worst_ns_ = 0;
};

/// Three histograms side by side, and their quantiles.
inline void print_histograms(std::FILE* out, const Histogram& a, const Histogram& b,
                             const Histogram& c) {
  const Histogram* const all[] = {&a, &b, &c};
  std::fprintf(out, "| below, us | %s | %s | %s |\n|---:|---:|---:|---:|\n", a.name(), b.name(),
               c.name());
  const double edges[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 950, 1050, 1500, 2000, 5000, 10000};
  std::uint64_t before[3] = {};
  for (const double edge : edges) {
    std::uint64_t count[3], rest = 0;
    for (int i = 0; i < 3; ++i) count[i] = all[i]->below(edge);
    for (int i = 0; i < 3; ++i) rest += count[i] - before[i];
    if (rest > 0) {
      std::fprintf(out, "| %g |", edge);
      for (int i = 0; i < 3; ++i)
        std::fprintf(out, " %llu |", static_cast<unsigned long long>(count[i] - before[i]));
      std::fprintf(out, "\n");
    }
    std::copy(count, count + 3, before);
  }
  std::fprintf(out, "| more |");
  for (int i = 0; i < 3; ++i)
    std::fprintf(out, " %llu |", static_cast<unsigned long long>(all[i]->total() - before[i]));
  std::fprintf(out, "\n");
  for (const double q : {0.5, 0.99, 0.999, 0.9999}) {
    std::fprintf(out, "| %g %% |", 100 * q);
    for (const Histogram* h : all) std::fprintf(out, " %.1f |", h->quantile_us(q));
    std::fprintf(out, "\n");
  }
  std::fprintf(out, "| worst |");
  for (const Histogram* h : all) std::fprintf(out, " %.1f |", h->worst_us());
  std::fprintf(out, "\n");
}

}  // namespace realtime
