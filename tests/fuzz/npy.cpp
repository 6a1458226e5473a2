#include "fuzz/property.hpp"
#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/npy_writer.hpp"

using namespace torsor;

/// The header of a .npy file: what is accepted has lengths whose bytes can be counted, and survives
/// being written.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string bytes = fuzz::text_of(data, size);
  internal::NpyHeader header;
  if (!fuzz::accepted([&] { header = internal::parse_npy_header(bytes, "fuzz.npy"); })) return 0;
  if (header.begin < 10 || header.begin > static_cast<std::int64_t>(size))
    fuzz::broken("numbers that begin outside of the file");
  for (const std::int64_t length : header.shape)
    if (length < 0) fuzz::broken("a length below zero");
  if (header.bytes() < 0) fuzz::broken("fewer than no bytes");
  const internal::NpyHeader again =
      internal::parse_npy_header(internal::npy_header(header.shape), "again.npy");
  if (again.shape != header.shape) fuzz::broken("another shape", shape_text(header.shape));
  return 0;
}
