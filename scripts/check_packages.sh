#!/usr/bin/env bash
# Installs the Debian packages in a clean Debian 12, uses them there, and removes them again.
#   scripts/check_packages.sh FOLDER [MIRROR]     FOLDER has the five packages that cpack -G DEB makes
# The system is made by debootstrap in build/packages and deleted afterwards; what it downloads is kept
# there. It needs root: others get one line and exit code 0.
set -euo pipefail
folder=$(cd "${1:?usage: scripts/check_packages.sh FOLDER [MIRROR]}" && pwd)
mirror=("${@:2:1}")   # where none is named: the one that debootstrap knows
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

if [[ $(id -u) -ne 0 ]]; then
  echo "check_packages: skipped, a system in a folder (debootstrap) needs root"
  exit 0
fi
names=(libtorsor0 libtorsor-dev torsor torsor-mpi python3-torsor)
packages=()
shopt -s nullglob
for name in "${names[@]}"; do
  found=("$folder/${name}"_*.deb)
  if [[ ${#found[@]} -ne 1 ]]; then
    echo "check_packages: $folder: ${#found[@]} files ${name}_*.deb, not one (scripts/release makes them)" >&2
    exit 2
  fi
  packages+=("${found[0]##*/}")
done
install_packages debootstrap

work=$PWD/build/packages
mkdir -p "$work/cache"
root=$(mktemp -d "$work/debian-XXXXXX")
leave() {
  mountpoint -q "$root/proc" && umount "$root/proc"
  rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 130' INT TERM
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; return 1; }; }

say "A clean Debian 12"
quietly debootstrap --variant=minbase --cache-dir="$work/cache" bookworm "$root" "${mirror[@]}"
mount -t proc proc "$root/proc"
mkdir -p "$root/packages" "$root/smoke"
cp "${packages[@]/#/$folder/}" "$root/packages"
cp tests/packages/* "$root/smoke"

say "Installing ${packages[*]}"
quietly inside apt-get update -qq
quietly inside apt-get install -y --no-install-recommends "${packages[@]/#//packages/}"
# The command, the library and the module are enough for themselves.
inside /bin/sh /smoke/smoke.sh command python mpi
quietly inside apt-get install -y --no-install-recommends g++ cmake make pkg-config
inside /bin/sh /smoke/smoke.sh consumer

# What packages leave behind: with everything they depend on in place, the files before they come and
# after they went are the same. The records of dpkg itself are not compared.
files() {
  inside find / -xdev \( -path /proc -o -path /packages -o -path /smoke -o -path /tmp -o -path /var/lib/dpkg \
    -o -path /var/cache/ldconfig -o -path /var/log \) -prune -o -print | sort
}
say "Removing and comparing"
quietly inside dpkg --purge "${names[@]}"
files >"$work/before"
if grep torsor "$work/before"; then
  echo "check_packages: files of Torsor are left behind" >&2
  exit 1
fi
quietly inside dpkg --install "${packages[@]/#//packages/}"
inside /bin/sh /smoke/smoke.sh command python mpi consumer
quietly inside dpkg --remove "${names[@]}"
files >"$work/removed"
quietly inside dpkg --purge "${names[@]}" || true  # nothing is left to purge
files >"$work/after"
for state in removed after; do
  if ! diff "$work/before" "$work/$state"; then
    echo "check_packages: files of Torsor are left behind" >&2
    exit 1
  fi
done
if inside dpkg-query -W -f='${Package} ${db:Status-Status}\n' | grep torsor; then
  echo "check_packages: dpkg still knows the packages" >&2
  exit 1
fi
echo "check_packages: installed, used and removed: ${packages[*]}"
