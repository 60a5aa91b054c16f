#!/usr/bin/env bash
# Builds the Debian package of Sonde for the machine's architecture: .build/deb/sonde_VERSION_ARCH.deb.
# The same sources give the same bytes. Needs what Tests/setup.sh installs, and debhelper.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v dh >/dev/null; then
  echo "$0: there is no debhelper: apt-get install debhelper" >&2
  exit 1
fi

fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
version=$(fact number)
export SOURCE_DATE_EPOCH LC_ALL=C
SOURCE_DATE_EPOCH=$(date --utc --date="$(fact date)" +%s)

# Without a RUNPATH, so that no library is loaded from beside the program.
swift build --configuration release --disable-local-rpath --product sonde </dev/null >&2
binary=$(swift build --configuration release --show-bin-path)/sonde
if readelf --dynamic "$binary" | grep -E '\((RPATH|RUNPATH)\)' >&2; then
  echo "$0: $binary would load libraries from there" >&2
  exit 1
fi

tree=.build/deb/sonde-$version
rm -rf "$tree"
mkdir -p "$tree/man" "$tree/completions/zsh"
cp -r .packaging/debian "$tree/debian"
# What tells of the folder of the build, through hashes of debugging information. GNU's objcopy would take
# away that relocated data become read-only.
llvm-objcopy --strip-all --remove-section=.note.gnu.build-id --remove-section=.swift_modhash "$binary" "$tree/sonde"
cp README.md .github/CHANGELOG.md "$tree"
cat >"$tree/debian/changelog" <<END
sonde ($version) unstable; urgency=medium

  * The changes are in CHANGELOG.md.

 -- The Sonde authors <sonde@packages.debian.org>  $(date --utc --date="@$SOURCE_DATE_EPOCH" --rfc-email)
END
# The font's licence stands last there, and lies beside the font.
sed 's/^$/./; s/^/ /' Sources/CSondeDashboardAssets/Resources/montserrat-licence.txt >>"$tree/debian/copyright"

"$binary" help --man >"$tree/man/sonde.1"
commands=$("$binary" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\+\).*/\1/p')
for command in $commands; do "$binary" help --man "$command" >"$tree/man/sonde-$command.1"; done
"$binary" completions bash >"$tree/completions/sonde"
"$binary" completions zsh >"$tree/completions/zsh/_sonde"
"$binary" completions fish >"$tree/completions/sonde.fish"

(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >&2
ls ".build/deb/sonde_${version}_"*.deb
