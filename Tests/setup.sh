#!/usr/bin/env bash
# Installs with apt what building Sonde needs; with --tests, what its tests need as well.
# Says what it does on stderr, and is quick and silent when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*" >&2; }

# simdjson is C++, and so no system library in Package.swift; the others are named there.
mapfile -t packages < <(grep -o 'apt: "[^"]*"' Package.swift | cut -d '"' -f 2)
packages+=(libsimdjson-dev pkg-config libloc-database)
# What the dashboard's page draws its maps and its chart with.
packages+=(libjs-leaflet libjs-dygraphs)
# What Swift needs of Debian 12 by itself: https://www.swift.org/install/linux/tarball
packages+=(binutils git libc6-dev libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 tzdata)
if [[ ${1-} == --tests ]]; then
  packages+=(python3 python3-pytest python3-pytest-xdist python3-pyte jq zstd openssl iproute2 nftables tcpdump zsh fish faketime systemd-journal-remote)
  # For the pages of the manual.
  packages+=(mandoc)
  # For the Debian package, and a Debian to try it in.
  packages+=(debhelper fakeroot lintian mmdebstrap systemd-container autopkgtest)
  # What loads the rules of `block`.
  packages+=(ipset iptables haproxy)
  # For the image, and containers of it.
  packages+=(buildah runc curl)
  # A proxy for the library `Web`, and what looks for faults in its TLS.
  packages+=(nginx-light testssl.sh)
  # What follows an address through the debug build.
  packages+=(gdb)
  # What `--shared` shares.
  packages+=(redis-server)
  # A name server for `--with names`, and what asks it as fast as can be.
  packages+=(nsd dnsperf)
  # A browser for the page of a summary.
  packages+=(chromium-headless-shell chromium-driver python3-selenium)
  # What the Python package's tests run on; Spark itself comes from PyPI.
  packages+=(openjdk-17-jre-headless)
  # For what comes from PyPI: that, and what checks the pages' files and the API.
  packages+=(python3-venv)
fi

# Installs what a list names into a folder for the tests' own use, anew where other versions are wanted.
install_tools() { # the folder, the list, then what is wanted without what it needs
  local folder=$1 wanted=$2
  cmp -s "$wanted" "$folder/installed" && return
  say "installing what $wanted names into $folder"
  rm -rf "$folder" && mkdir -p .build && python3 -m venv "$folder"
  local pip=("$folder/bin/pip" install --quiet --disable-pip-version-check)
  "${pip[@]}" --requirement "$wanted" </dev/null >&2
  for package in "${@:3}"; do "${pip[@]}" --no-deps "$package" </dev/null >&2; done
  cp "$wanted" "$folder/installed"
}

# Installs what does not come from Debian, and ends.
end_with_tools() {
  [[ ${1-} == --tests ]] || exit 0
  # For its copy of axe-core alone, not for what drives another browser.
  install_tools .build/page-tools Tests/Dashboard/requirements.txt axe-playwright-python==0.1.8
  install_tools .build/spark-tools Tests/Spark/requirements.txt
  exit 0
}

if ! command -v swift >/dev/null; then
  say "there is no swift on PATH: install Swift 6.3 (https://www.swift.org/install/linux/)"
  exit 1
fi
if ! command -v dpkg-query >/dev/null; then
  say "not a Debian system: going on as if it had the counterparts of ${packages[*]}"
  end_with_tools "$@"
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
  # One line for each architecture that knows the package.
  grep -qx installed <<<"$state" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  end_with_tools "$@"
fi

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    say "missing, and neither root nor sudo to install them; as root: apt-get install ${missing[*]}"
    exit 1
  fi
  as_root=(sudo "${as_root[@]}")
fi

say "installing ${missing[*]}"
apt=("${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
"${apt[@]}" update </dev/null >&2 || say "the lists of packages could not be renewed: trying the old ones"
if ! "${apt[@]}" install --yes --no-install-recommends "${missing[@]}" </dev/null >&2; then
  say "could not install them; as root: apt-get install ${missing[*]}"
  exit 1
fi
end_with_tools "$@"
