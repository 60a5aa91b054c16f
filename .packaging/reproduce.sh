#!/usr/bin/env bash
# Makes sure that a Debian package, its argument, comes out the same, byte for byte, when the sources of the
# last commit are built anew in another folder. Takes as long as an optimized build from nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package=$(realpath "$1")
elsewhere=$(mktemp --directory)
trap 'rm -rf "$elsewhere"' EXIT
git archive HEAD | tar --extract --directory "$elsewhere"
again=$elsewhere/$("$elsewhere/.packaging/deb.sh")
cmp "$package" "$again" || { echo "$0: $package came out otherwise when it was built again" >&2; exit 1; }
