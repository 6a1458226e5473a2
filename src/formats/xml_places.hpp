#pragma once
/// What editors of XML files share: where the elements of a file stand, and whether numbers changed.
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>

#include "torsor/formats/internal/xml_text.hpp"
#include "torsor/formats/xml.hpp"
#include "torsor/math/se3.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal {

/// To the last bit; the two zeros are one.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a + 0.0) == std::bit_cast<std::uint64_t>(b + 0.0);
}
inline bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}
inline bool same(const Sym3<double>& a, const Sym3<double>& b) {
  return same(Vec3<double>{a.xx, a.xy, a.yy}, {b.xx, b.xy, b.yy}) &&
         same(Vec3<double>{a.xz, a.yz, a.zz}, {b.xz, b.yz, b.zz});
}
inline bool same(const SE3<double>& a, const SE3<double>& b) {
  return same(a.p, b.p) && same(a.R.c0, b.R.c0) && same(a.R.c1, b.R.c1) && same(a.R.c2, b.R.c2);
}

/// An element for reading and the place where it stands; false where there is none.
struct XmlPlace {
  XmlElement element;
  const XmlTag* tag = nullptr;

  explicit operator bool() const { return tag != nullptr; }
};

/// Every element of one file, by tag, name and line.
class XmlPlaces {
 public:
  XmlPlaces(const XmlElement& root, const XmlTag& tag, std::string file) : file_(std::move(file)) {
    collect({root, &tag});
  }

  /// `name` as the element writes it, "" of one without.
  XmlPlace find(const std::string& tag, const std::string& name, const Origin& origin) const {
    if (origin.file != file_) return {};
    const auto at = places_.find({tag, name, origin.line});
    return at == places_.end() ? XmlPlace{} : at->second;
  }

 private:
  void collect(const XmlPlace& at) {
    places_.emplace(
        Key{at.tag->name, at.element.attribute("name").value_or(""), at.element.origin().line}, at);
    const std::vector<XmlElement> elements = at.element.children();
    for (std::size_t k = 0; k < elements.size() && k < at.tag->children.size(); ++k)
      collect({elements[k], at.tag->children[k].get()});
  }

  using Key = std::tuple<std::string, std::string, int>;
  std::string file_;
  std::map<Key, XmlPlace> places_;
};

/// Of what has an entry for each degree of freedom, or none.
template <class Entry>
Entry first_entry(const std::vector<Entry>& entries) {
  return entries.empty() ? Entry{} : entries[0];
}

/// The text with the numbers of `wanted` where they stand: Editor(root, root tag, file).run(read, wanted, text)
/// gives the edits. A text that cannot be read stays: its finding stands.
template <class Editor>
std::string edited_in_place(const std::string& text, const RobotDescription& read,
                            const RobotDescription& wanted, int depth_limit) {
  const std::string file = read.origin.file;
  const XmlDocument document(text, file, nullptr, depth_limit);
  const std::unique_ptr<XmlTag> root = scan_xml(text);
  if (root == nullptr) return text;
  try {
    return edited(text, Editor(document.root(), *root, file).run(read, wanted, text));
  } catch (const Error&) {
    return text;
  }
}

}  // namespace torsor::internal
