#include "fuzz/property.hpp"
#include "support/recording_seal.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/sim/outcome.hpp"
#include "torsor/sim/run_summary.hpp"

using namespace torsor;

namespace {

/// All that `torsor report` makes of a run.
void report(const Recording& run) {
  (void)summarise(run);
  (void)outcome(run);
  (void)compare_predictions(run);
  for (int k = 0; k < run.tau.width() && run.size() > 0; ++k) (void)metrics(run, k);
  for (int k = 0; k < run.task_e.width() && run.size() > 0; ++k) (void)task_metrics(run, k);
  Report page;
  page.still = true;
  page.sections.push_back({"", "", {{"run", &run}}});
  (void)fuzz::accepted([&] { (void)report_page(page); });
  (void)fuzz::accepted([&] { (void)report_figure(page); });
}

}  // namespace

/// The first byte chooses between the binary form and CSV.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text = fuzz::text_of(data, size);
  const bool binary = text.starts_with("TORSOR");
  if (binary) text = torsor::testing::sealed_again(text);  // else nothing gets past the checksum
  Recording run;
  const auto read_table = [](const std::string& t) {
    return recording_of(parse_csv(t, "fuzz.csv"), "fuzz.csv");
  };
  if (!fuzz::accepted(
          [&] { run = binary ? recording_from_bytes(text, "fuzz.trec") : read_table(text); }))
    return 0;
  fuzz::check_round_trip(run, recording_bytes, [](const std::string& t) {
    return recording_from_bytes(t, "again.trec");
  });
  (void)run.lyapunov_increase();
  (void)recorded_states(run);
  report(run);
  return 0;
}
