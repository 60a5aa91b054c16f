#!/usr/bin/env bash
# Makes sure that a Debian package, its argument, comes out the same, byte for byte, with its debug symbols and its
# source package, when the sources of the last commit are built anew in another folder. Takes as long as an
# optimized build from nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package=$(realpath "$1")
case $package in
  *~deb12u*) release=bookworm ;;
  *~deb13u*) release=trixie ;;
  *) echo "$0: $1 is not one of deb.sh's" >&2; exit 1 ;;
esac
elsewhere=$(mktemp --directory)
trap 'rm -rf "$elsewhere"' EXIT
git archive HEAD | tar --extract --directory "$elsewhere"
"$elsewhere/.packaging/deb.sh" "$release" >/dev/null
status=0
for again in "$elsewhere"/.build/deb/*.deb "$elsewhere"/.build/deb/*.tar.* "$elsewhere"/.build/deb/*.dsc; do
  cmp "${package%/*}/${again##*/}" "$again" || status=1
done
[[ $status == 0 ]] || echo "$0: $package came out otherwise when it was built again" >&2
exit $status
