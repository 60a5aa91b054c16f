#!/usr/bin/env bash
# Makes what a release consists of, from the tag of its version: .build/release-VERSION with the Debian
# packages for bookworm and trixie, their debug symbols and source packages, the image for containers, the
# wheel, the documentation, the sources, the list of parts (SPDX), the notes from the change log, and their
# checksums; with SONDE_SIGNING_KEY, which names a key of GnuPG's, also the signature of these. Says what is
# amiss, and makes nothing then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
version=$(fact number) date=$(fact date)

refuse() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}
[[ -z $(git status --porcelain) ]] || refuse "there are changes that no commit has"
git tag --points-at HEAD | grep -x "v$version" >/dev/null ||
  refuse "this is not the tag v$version, as Version.swift has it"
log=.github/CHANGELOG.md
newest=$(sed -n 's/^## //p' "$log" | sed -n 1p)
[[ $newest == "[$version] - $date" ]] ||
  refuse "the newest section of $log is \"$newest\", not \"[$version] - $date\""

packages=()
for release in bookworm trixie; do
  package=$(.packaging/deb.sh "$release")
  .packaging/reproduce.sh "$package"
  packages+=("$package")
done
image=$(.packaging/image.sh "${packages[0]}")
site=$(.packaging/site.sh)
wheel=$(.packaging/wheel.sh "${packages[0]}")
folder=.build/release-$version
rm -rf "$folder"
mkdir -p "$folder"
cp "$image" "$wheel" "$folder"
# With each package its debug symbols and its sources; not what tells of the machine and the hour of the build.
for package in "${packages[@]}"; do
  name=${package##*/}
  cp "$package" "${package%/*}/sonde-dbgsym${name#sonde}" "${package%_*}".{dsc,debian.tar.xz} "$folder"
done
cp "${package%/*}/sonde_$version.orig.tar.gz" "$folder"
.packaging/sbom.sh "${packages[0]}" >"$folder/sonde-$version.spdx.json"
git archive --format=tar --prefix="sonde-$version/" HEAD | gzip --no-name >"$folder/sonde-$version.tar.gz"
# The section of this version, without its heading.
awk '/^## /{ sections++; next } sections == 1' "$log" | sed '1{/^$/d}' >"$folder/NOTES.md"
# The same bytes each time: nothing of the clock, the user or the order of a folder.
tar --create --sort=name --mtime="$date 00:00Z" --owner=0 --group=0 --numeric-owner \
  --directory "$site" . | gzip --no-name >"$folder/sonde-$version-site.tar.gz"
(cd "$folder" && sha256sum -- * >SHA256SUMS)
if [[ -n ${SONDE_SIGNING_KEY-} ]]; then
  gpg --batch --yes --armor --detach-sign --local-user "$SONDE_SIGNING_KEY" "$folder/SHA256SUMS"
else
  echo "$0: not signed: SONDE_SIGNING_KEY names no key" >&2
fi
echo "$folder"
