# Sourced by ./run and ./test: installs what is missing on Debian or Ubuntu, configures, builds.

torsor_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What the build needs, and why.
build_packages=(
  g++ cmake ninja-build
  libeigen3-dev        # linear algebra
  libtinyxml2-dev      # URDF
  libyaml-cpp-dev      # robot files
  nlohmann-json3-dev   # JSON in and out
  libcli11-dev         # the command line
  libcpp-httplib-dev   # the server of torsor view
  libgtest-dev         # tests
)
# Many machines (docs/many-machines.md): ./test installs it, ./run uses it where it is.
mpi_packages=(libopenmpi-dev openmpi-bin)
# What the Python module and its tests need.
python_packages=(
  pybind11-dev python3-dev python3-numpy
  python3-setuptools python3-wheel python3-pip python3-venv   # pip install .
  python3-pytest mypy python3-pandas python3-matplotlib       # tests
)
full_packages=(
  clang clang-format clang-tidy
  libclang-rt-dev      # sanitizers and libFuzzer
  libbenchmark-dev
  doxygen              # the reference of the public names
  pandoc               # the documents as HTML
  zsh                  # its completion
)
peer_packages=(libmujoco-dev libdart-dev libdart-utils-urdf-dev liborocos-kdl-dev
               libsdformat-dev sdformat-sdf liburdfdom-dev)

# The page's scripts are bundled by node, and ./test looks at the page in a browser.
viewer_packages=(nodejs npm)
browser_packages=(chromium)

say() { printf '\n== %s\n' "$*"; }

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "Please run as root, or install sudo: $*" >&2
    return 1
  fi
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# install_packages NAME...: calls apt-get only when one of them is missing.
install_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian or Ubuntu system; expecting to find: $*"
    return 0
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return 0
  say "Installing with apt-get: ${missing[*]}"
  as_root apt-get update -qq &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "${missing[@]}"
}

# install_viewer: node, npm and the packages of viewer/, as its lock file names them.
install_viewer() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    install_packages "${viewer_packages[@]}" || return 1
  fi
  local lock=$torsor_root/viewer/package-lock.json
  local there=$torsor_root/viewer/node_modules/.package-lock.json
  [[ -f $there && ! $lock -nt $there ]] && return 0
  say "npm ci (viewer)"
  (cd "$torsor_root/viewer" && npm ci --ignore-scripts --loglevel=error) && touch "$there"
}

# One compiler process per core, but no more than the memory carries (about 1.5 GB each).
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  ((memory < 1)) && memory=1
  echo $((cores < memory ? cores : memory))
}

# build PRESET [TARGET...]: configures if need be, and builds.
build() {
  local preset=$1 targets=()
  shift
  [[ $# -gt 0 ]] && targets=(--target "$@")
  say "Building: $preset"
  (
    cd "$torsor_root" || exit 1
    local made=build/$preset/build.ninja
    if [[ ! -f $made || CMakePresets.json -nt $made ||
          viewer/node_modules/.package-lock.json -nt $made ]]; then
      cmake --preset "$preset" || exit 1
    fi
    cmake --build --preset "$preset" -j "$(build_jobs)" "${targets[@]}"
  )
}
