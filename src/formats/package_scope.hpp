#pragma once
/// Package folders for what readers look for themselves: included models, meshes with a volume.
#include <string>
#include <vector>

namespace torsor::internal {

/// The file that is meant by a path in a package: in its sources a folder may hold what its installation has
/// at the top (description/urdf is installed as urdf). As it stands where there is such a file, no package
/// around it, or more than one that it can be.
std::string in_sources(const std::string& path);

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
