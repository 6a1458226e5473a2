#include "fuzz/property.hpp"
#include "torsor/experiments/scenario_file.hpp"

using namespace torsor;

/// A scenario is not written; reading it twice gives one fingerprint.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  if (!fuzz::accepted([&] { (void)read_scenario(text, "fuzz.yaml"); })) return 0;
  if (scenario_fingerprint(text, "fuzz.yaml") != scenario_fingerprint(text + "\n", "fuzz.yaml"))
    fuzz::broken("a fingerprint that depends on blanks");
  return 0;
}
