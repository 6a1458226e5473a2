// Any text as a xacro file: an expansion that is XML and a robot or one line, or one line.
#include "fuzz/property.hpp"
#include "torsor/formats/internal/expanded_text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/formats/xml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace torsor;
  const std::string text = fuzz::text_of(data, size);
  internal::ExpandedText expanded;
  Findings findings;
  if (!fuzz::accepted(
          [&] { expanded = internal::expanded_xacro(text, "fuzz.xacro", {}, &findings); }))
    return 0;
  for (const Finding& f : findings) fuzz::check_message(f.line());
  if (!fuzz::accepted([&] { (void)XmlDocument(expanded.text, "fuzz.urdf"); }) &&
      fuzz::accepted([&] { (void)XmlDocument(text, "fuzz.xacro"); }) && expanded.text.size() < 1000)
    fuzz::broken("an expansion is no XML", expanded.text);
  (void)fuzz::accepted([&] {
    (void)internal::read_expanded(expanded, &findings,
                                  [](const std::string& t, const std::string& file, Findings& own) {
                                    return read_urdf(t, file, &own);
                                  });
  });
  return 0;
}
