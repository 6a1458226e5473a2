#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz/property.hpp"
#include "support/recording_seal.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/experiments/sweep_journal.hpp"
#include "torsor/formats/text.hpp"

using namespace torsor;

/// A journal that is accepted keeps its rows when it is opened again; one that is refused keeps its
/// bytes. Every other input gets the checksums of its lines: else nothing gets past them.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string file = TORSOR_SOURCE_DIR "/tests/fuzz/sweep.yaml";
  static const Scenario scenario = load_scenario(file);
  static const std::string fingerprint = scenario_fingerprint(read_text_file(file), file);
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("torsor_fuzz_" + std::to_string(getpid())))
          .string();
  std::string text = fuzz::text_of(data, size);
  if (size % 2 == 0) text = torsor::testing::sealed_lines(text);
  std::ofstream(path, std::ios::binary) << text;
  std::size_t rows = 0;
  const auto open = [&] { rows = SweepJournal(path, fingerprint, scenario).rows().size(); };
  if (fuzz::accepted(open)) {
    const std::size_t before = rows;
    if (!fuzz::accepted(open) || rows != before) fuzz::broken("a journal that changes by reading");
  } else {
    std::ifstream again(path, std::ios::binary);
    const std::string kept((std::istreambuf_iterator<char>(again)), {});
    if (kept != text) fuzz::broken("a refused journal was changed", kept);
  }
  std::filesystem::remove(path);
  return 0;
}
