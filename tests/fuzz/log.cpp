#include <cmath>

#include "fuzz/property.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

using namespace torsor;

/// A log of two joints, where the text has a line "---" with a map before it. What is read is finite,
/// even and in stretches, and every repair names rows of the file.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const Model<double> model = load_robot("planar2r");
  const std::string text = fuzz::text_of(data, size);
  const std::size_t line = text.find("---\n");
  ColumnMap map;
  if (line != text.npos) {
    if (!fuzz::accepted([&] { map = read_column_map(text.substr(0, line), "map.yaml"); })) return 0;
    map.files.clear();  // one file is enough
  }
  MotionLog log;
  const bool read = fuzz::accepted([&] {
    log = internal::read_log_text(line == text.npos ? text : text.substr(line + 4), "fuzz.csv",
                                  model, map);
  });
  if (!read) return 0;
  if (log.size() == 0 || log.q.rows() != log.size() || log.tau.rows() != log.size() ||
      log.rows.size() != log.size() || !(log.period > 0))
    fuzz::broken("a log whose parts do not fit");
  for (int k = 0; k < log.size(); ++k) {
    bool begins = false;
    for (const int s : log.stretches) begins = begins || s == k;
    if (!begins &&
        std::abs(log.t[k] - log.t[k - 1] - log.period) > 1e-6 * std::abs(log.t[k]) + 1e-9)
      fuzz::broken("samples that are not even");
    for (int j = 0; j < 2; ++j)
      if (std::isnan(log.q(k, j)) || std::isnan(log.tau(k, j)))
        fuzz::broken("a number that is none");
  }
  for (const LogRepair& r : log.repairs) {
    fuzz::check_message(r.what);
    if (r.first_row < 1 || r.last_row < r.first_row) fuzz::broken("rows of a repair", r.what);
  }
  return 0;
}
