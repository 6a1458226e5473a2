#include "eval_request.hpp"
#include "fuzz/property.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/pose_csv.hpp"

using namespace torsor;

/// States as JSON, where the text begins like an object, else as CSV.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const Model<double> model = load_robot("planar2r");
  const std::string text = fuzz::text_of(data, size);
  if (text.starts_with("{")) {
    (void)fuzz::accepted([&] { (void)command::parse_eval_request(text, "fuzz.json", model); });
    return 0;
  }
  (void)fuzz::accepted([&] { (void)parse_poses_csv(text, "fuzz.csv", model); });
  CsvTable table;
  if (!fuzz::accepted([&] { table = parse_csv(text, "fuzz.csv"); })) return 0;
  fuzz::check_round_trip(table, csv_text,
                         [](const std::string& t) { return parse_csv(t, "again.csv"); });
  (void)fuzz::accepted([&] { (void)states_of(table, model, "fuzz.csv"); });
  return 0;
}
