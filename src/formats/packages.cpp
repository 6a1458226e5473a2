#include "torsor/formats/packages.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "package_scope.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

namespace fs = std::filesystem;

constexpr int crawl_levels = 4;      // of folders below a package path
constexpr int crawl_limit = 20'000;  // folders that one search looks at

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}
bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// What package.xml of the folder says; empty where there is none.
std::string package_name(const fs::path& folder) {
  if (!is_file(folder / "package.xml")) return {};  // a pipe would be waited for
  std::ifstream file(folder / "package.xml");
  if (!file) return {};
  std::string text(1 << 14, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t begin = text.find("<name>"), end = text.find("</name>");
  if (begin == text.npos || end == text.npos || end < begin) return {};
  std::string name = text.substr(begin + 6, end - begin - 6);
  const char* blanks = " \t\r\n";
  name.erase(0, std::min(name.find_first_not_of(blanks), name.size()));
  name.erase(name.find_last_not_of(blanks) + 1);
  return name;
}

/// The folder itself, one in it or, as Gazebo's worlds have them, in its models/, and those of installations:
/// all in one share/, or each in its own. A package.xml counts more than the name of a folder, which an
/// installation has, too.
fs::path at_hand(const fs::path& folder, const std::string& package) {
  const fs::path share = fs::path("share") / package;
  const fs::path places[] = {folder, folder / package, folder / "models" / package, folder / share,
                             folder / package / share};
  for (const fs::path& at : places)
    if (package_name(at) == package) return at;
  for (const fs::path& at : places)
    if (at.filename() == package && is_folder(at) && package_name(at).empty()) return at;
  return {};
}

/// Below the folder, nearest first; packages do not hold packages.
fs::path crawled(const fs::path& root, const std::string& package, int levels, int& seen) {
  std::vector<fs::path> level{root};
  for (int depth = 0; depth < levels; ++depth) {
    std::vector<fs::path> next;
    for (const fs::path& folder : level) {
      std::error_code error;
      std::vector<fs::path> inside;
      for (fs::directory_iterator at(folder, error), end; !error && at != end;
           at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || at->is_symlink(ignored) || !at->is_directory(ignored))
          continue;
        if (++seen > crawl_limit) return {};
        inside.push_back(at->path());
      }
      std::sort(inside.begin(), inside.end());
      for (const fs::path& path : inside) {
        const std::string own = package_name(path);
        if (own == package) return path;
        if (own.empty()) next.push_back(path);
      }
    }
    level = std::move(next);
  }
  return {};
}

fs::path in_folder(const fs::path& folder, const std::string& package, int& seen) {
  if (const fs::path found = at_hand(folder, package); !found.empty()) return found;
  return crawled(folder, package, crawl_levels, seen);
}

std::vector<std::string> environment_folders() {
  std::vector<std::string> folders;
  for (const char* variable :
       {"TORSOR_PACKAGE_PATH", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH",
        "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"}) {
    const char* value = std::getenv(variable);
    for (const std::string& folder : split(value == nullptr ? "" : value, ':'))
      if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

fs::path absolute(const std::string& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // "a/" is a
}
fs::path folder_of(const std::string& file) {
  const fs::path path = absolute(file);
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The folders above a file: each as the package itself and as the folder that holds it, then what
/// lies around the file's own package.
fs::path above(const fs::path& start, const std::string& package, int& seen) {
  fs::path own;  // the package of the file
  for (fs::path at = start;; at = at.parent_path()) {
    if (own.empty() && !package_name(at).empty()) own = at;
    if (const fs::path found = at_hand(at, package); !found.empty()) return found;
    if (!at.has_relative_path()) break;
  }
  if (own.empty()) return {};
  for (fs::path at = own.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    const std::string name = at.filename().string();
    if (const fs::path found = crawled(at, package, 3, seen); !found.empty()) return found;
    if (name == "src" || at == own.parent_path().parent_path()) break;
  }
  return {};
}

}  // namespace

std::string find_package(const std::string& package, const std::string& asking,
                         const std::vector<std::string>& folders) {
  if (package.empty() || package == "." || package == ".." || package.find('/') != package.npos)
    return {};
  int seen = 0;
  for (const auto& list : {folders, internal::PackageScope::folders(), environment_folders()})
    for (const std::string& folder : list)
      if (const fs::path found = in_folder(absolute(folder), package, seen); !found.empty())
        return found.string();
  return above(folder_of(asking), package, seen).string();
}

std::string internal::in_sources(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  fs::path package = absolute(path).parent_path();
  while (package.has_relative_path() && package_name(package).empty())
    package = package.parent_path();
  if (!package.has_relative_path()) return path;
  const fs::path rest = absolute(path).lexically_relative(package);
  std::string found;
  for (fs::directory_iterator at(package, ignored), end; at != end; at.increment(ignored)) {
    if (!is_file(at->path() / rest)) continue;
    if (!found.empty()) return path;
    found = (at->path() / rest).string();
  }
  return found.empty() ? path : found;
}

std::string find_mesh(const std::string& name, const std::string& asking,
                      const std::vector<std::string>& folders) {
  for (const std::string scheme : {"package://", "model://"}) {
    if (!name.starts_with(scheme)) continue;
    const std::string path = name.substr(scheme.size());
    const std::size_t slash = path.find('/');
    if (slash == path.npos) return {};
    const std::string folder = find_package(path.substr(0, slash), asking, folders);
    if (folder.empty()) return {};
    const std::string file =
        internal::in_sources((fs::path(folder) / path.substr(slash + 1)).string());
    return is_file(file) ? file : "";
  }
  const fs::path path = name.starts_with("file://") ? name.substr(7) : name;
  const fs::path file = folder_of(asking) / path;  // an absolute path replaces the folder
  return is_file(file) ? file.string() : "";
}

}  // namespace torsor
