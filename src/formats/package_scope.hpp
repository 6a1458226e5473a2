#pragma once
/// Package folders for what readers look for themselves: included models, meshes with a volume.
#include <string>
#include <vector>

namespace torsor::internal {

/// While it lives, find_package and the readers of this thread look through these folders, too.
class PackageScope {
 public:
  explicit PackageScope(const std::vector<std::string>& folders) : before_(current()) {
    current() = &folders;
  }
  ~PackageScope() { current() = before_; }
  PackageScope(const PackageScope&) = delete;
  PackageScope& operator=(const PackageScope&) = delete;

  static const std::vector<std::string>& folders() {
    static const std::vector<std::string> none;
    return current() == nullptr ? none : *current();
  }

 private:
  static const std::vector<std::string>*& current() {
    thread_local const std::vector<std::string>* folders = nullptr;
    return folders;
  }
  const std::vector<std::string>* before_;
};

}  // namespace torsor::internal
