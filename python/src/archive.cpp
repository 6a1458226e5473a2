#include "archive.hpp"

#include "torsor/math/error.hpp"

namespace torsor::python {
namespace {

constexpr std::uint32_t field_version = 1;  // of the fields; rises with a change of them

}  // namespace

Archive::Archive(const char* what) : what_(what) {
  auto tag = field_version;
  raw(&tag, sizeof tag);
}
Archive::Archive(const char* what, std::string bytes)
    : what_(what), bytes_(std::move(bytes)), reading_(true) {
  std::uint32_t tag = 0;
  raw(&tag, sizeof tag);
  if (tag != field_version) refuse();
}
void Archive::raw(void* data, std::size_t size) {
  if (!reading_) {
    bytes_.append(static_cast<const char*>(data), size);
  } else {
    if (size > bytes_.size() - at_) refuse();
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
}
void Archive::end() const {
  if (at_ != bytes_.size()) refuse();
}
void Archive::refuse() const {
  throw Error("this is no pickled " + std::string(what_) + ", or one of another version of Torsor");
}

}  // namespace torsor::python
