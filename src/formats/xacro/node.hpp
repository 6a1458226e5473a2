#pragma once
/// The elements of a xacro document, before and after expansion, with where they stand in files.
/// Private to xacro.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "torsor/model/error.hpp"

namespace torsor::internal::xacro {

/// A line of a file, and the macro call or include through which it came here.
struct Place {
  /// One step of the way: who called or included, and the step before it.
  struct Way {
    std::shared_ptr<const Way> before;
    const std::string* file = nullptr;  ///< owned by the expansion's list of documents
    int line = 0;
    std::string through;  ///< as in: macro "arm"; empty for an include
    int depth = 1;
  };
  const std::string* file = nullptr;
  int line = 0;
  std::shared_ptr<const Way> way{};

  Origin origin() const { return {file == nullptr ? "" : *file, line}; }
  /// "; in macro "arm" at robot.xacro:12, included at ..."; the innermost three and the outermost.
  std::string chain() const;
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind : unsigned char { element, text, data, comment };  // data: CDATA
  Kind kind = Kind::element;
  std::string name;  ///< of an element; the text of the others
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::shared_ptr<Node>> children;
  Place place{};

  const std::string* attribute(const std::string& attribute_name) const;
  void set_attribute(const std::string& attribute_name, const std::string& value);
};

/// The root element of an XML text. `file` outlives the tree. Throws Error.
std::shared_ptr<Node> read_nodes(const std::string& text, const std::string& file);

/// A tree as XML with the place of each line (the first is lines[0]). Throws Error beyond
/// output_limit.
struct WrittenNodes {
  std::string text;
  std::vector<Place> lines;
};
WrittenNodes write_nodes(const Node& root);

}  // namespace torsor::internal::xacro
