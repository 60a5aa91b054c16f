#!/usr/bin/env bash
# Proves the Debian package, the image and the wheel: packs the optimized program for this release of Debian's, has
# lintian judge it, builds the image and the wheel of it, runs containers of the one, and the other in a root with
# nothing but a C library. With --roots, also builds the package from nothing for each release, twice for this one,
# and proves it in a fresh root (fresh.sh). Needs root, and what Tests/setup.sh --tests installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '== %s\n' "$*"; }

say "the package"
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
swift build -c release --disable-local-rpath --product sonde >&2
package=$(SONDE_PROGRAM=$PWD/.build/release/sonde .packaging/deb.sh)
complaints=$(lintian --allow-root --pedantic "${package%.deb}.changes" 2>&1) || true
printf '%s' "$complaints"
[[ -z $complaints ]]
dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$work" ./usr/bin/sonde
binary=$work/usr/bin/sonde
# Another folder would give the same, as .packaging/reproduce.sh makes sure of: nothing in it is of this one.
! grep --quiet --text --fixed-strings "$PWD" "$binary"
! readelf --wide --sections "$binary" | grep swift_modhash
! readelf --wide --dynamic "$binary" | grep -E 'RPATH|RUNPATH'
# Not grep -q, which ends before all is written, for whoever still writes then fails.
readelf --wide --segments "$binary" | grep GNU_RELRO >/dev/null

# The packages that have what is loaded when it is first needed, as dpkg knows them.
depends=" $(dpkg-deb --field "$package" Depends | tr --delete ',') "
while read -r library; do
  of=$(dpkg-query --search "*/$library" | cut -d : -f 1 | sort -u)
  [[ $depends == *" $of "* ]] || { echo "Depends lacks $of, which has $library"; exit 1; }
done < <(.packaging/loaded.sh)
[[ $depends == *" libc6 (>= 2."* ]]
# What debuggers are told is of this program.
number=$(readelf --notes "$binary" | sed -n 's/.*Build ID: //p')
dpkg-deb --contents "${package/sonde_/sonde-dbgsym_}" |
  grep --fixed-strings "/usr/lib/debug/.build-id/${number:0:2}/${number:2}.debug" >/dev/null

say "the image"
IMAGE=$PWD/$(.packaging/image.sh "$package" 2>"$work/image") || { cat "$work/image"; exit 1; }
export IMAGE
say "the wheel"
WHEEL=$PWD/$(.packaging/wheel.sh "$package" 2>"$work/wheel") || { cat "$work/wheel"; exit 1; }
export WHEEL
/usr/bin/python3 -m pytest --quiet Tests/Package

[[ ${1-} == --roots ]] || exit 0

say "the same wheel again"
first=$(sha256sum <"$WHEEL")
.packaging/wheel.sh "$package" >/dev/null 2>&1
[[ $first == "$(sha256sum <"$WHEEL")" ]]

for name in bookworm trixie; do
  say "the package for $name, from nothing"
  package=$(.packaging/deb.sh "$name" 2>"$work/built") || { tail -n 50 "$work/built"; exit 1; }
  if [[ $name == "$release" ]]; then
    say "the same package again, from an archive in another folder"
    .packaging/reproduce.sh "$package" 2>"$work/built" || { tail -n 50 "$work/built"; exit 1; }
  fi
  Tests/Package/fresh.sh "$name" "$package"
done
