#!/usr/bin/env bash
# Builds the Debian package of Sonde for a release of Debian's, bookworm or trixie (without an argument, this
# machine's): in a bare root of that release, without a network, from a source package. Into .build/deb go
# sonde_VERSION-1~deb12u1_ARCH.deb (deb13u1 for trixie), what tells debuggers of it, and the source package; the
# first one's path is printed. The same sources give the same bytes. Needs mmdebstrap, Swift on PATH, and root or
# the right to make namespaces. With SONDE_PROGRAM, a program built from these sources on that release is packed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

refuse() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}
release=${1-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
case $release in
  bookworm) number=12 policy=4.6.2 ;;
  trixie) number=13 policy=4.7.2 ;;
  *) refuse "packages are for bookworm and trixie, not for '$release'" ;;
esac
command -v mmdebstrap >/dev/null || refuse "there is no mmdebstrap: apt-get install mmdebstrap"
command -v swift >/dev/null || refuse "there is no swift on PATH: https://www.swift.org/install/linux/"
# The folder of the toolchain, whatever leads to it.
toolchain=$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/usr/lib/swift".*|\1|p')

fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
version=$(fact number)
export SOURCE_DATE_EPOCH LC_ALL=C
SOURCE_DATE_EPOCH=$(date --utc --date="$(fact date)" +%s)

work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# The sources: what git has or would take, or in an unpacked archive all that lies there. Nothing of the clock,
# the user or the order of a folder.
sources() {
  # Though another user, who called sudo, may own it.
  local git=(git -c safe.directory="$PWD")
  if [[ $("${git[@]}" rev-parse --show-toplevel 2>/dev/null) == "$PWD" ]]; then
    "${git[@]}" ls-files -z --cached --others --exclude-standard | while IFS= read -rd '' path; do
      [[ ! -e $path && ! -L $path ]] || printf '%s\0' "$path"
    done
  else
    find . -path ./.build -prune -o -path ./.git -prune -o -name __pycache__ -prune -o ! -type d -printf '%P\0'
  fi
}
pack() { # an archive, the name of its folder, then what tar is to put in
  tar --create --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX --format=gnu \
    --transform="flags=r;s|^|$2/|" "${@:3}" | gzip --best --no-name >"$1"
}
sources | sort --zero-terminated --unique |
  pack "$work/sonde_$version.orig.tar.gz" "sonde-$version" --null --no-recursion --files-from=-

# Debian's part. The font's licence stands last there, and lies beside the font.
cp -r .packaging/debian "$work/debian"
sed 's/^$/./; s/^/ /' Sources/CSondeDashboardAssets/Resources/montserrat-licence.txt >>"$work/debian/copyright"
sed -i "s/^Standards-Version: .*/Standards-Version: $policy/" "$work/debian/control"
cat >"$work/debian/changelog" <<END
sonde ($version-1~deb${number}u1) $release; urgency=medium

  * The changes are in changelog.gz.

 -- The Sonde authors <sonde@packages.debian.org>  $(date --utc --date="@$SOURCE_DATE_EPOCH" --rfc-email)
END

cat >"$work/build.sh" <<'END'
set -euo pipefail
cd /build
version=$1
mkdir made "sonde-$version"
tar --extract --file "sonde_$version.orig.tar.gz"
mv debian "sonde-$version"
# The sources as they are handed out, and from these the packages.
dpkg-source --build "sonde-$version"
rm -r "sonde-$version"
dpkg-source --extract "sonde_$version"-*.dsc "sonde-$version"
cd "sonde-$version"
dpkg-buildpackage --build=full --no-sign
cd ..
mv sonde_* sonde-dbgsym_* made
END

into=.build/deb
rm -rf "$into/$release"
mkdir -p "$into/$release"
# Build-Depends, as apt takes them.
needed=$(sed -n '/^Build-Depends:/,/^[^ B]/{s/^Build-Depends://; s/-compat ([^)]*)//; /^[ a-z]/p}' .packaging/debian/control | tr --delete ' \n')
[[ -z ${SONDE_PROGRAM-} ]] || cp "$SONDE_PROGRAM" "$work/program"
mmdebstrap --quiet --variant=buildd --format=null --include="$needed" \
  --customize-hook='mkdir --parents "$1/build" "$1/opt/swift"' \
  --customize-hook="sync-in $work /build" \
  --customize-hook='mount --bind '"$toolchain"' "$1/opt/swift"' \
  --customize-hook='unshare --net chroot "$1" env --ignore-environment PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    '"LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH ${SONDE_PROGRAM:+SONDE_PROGRAM=/build/program} bash /build/build.sh $version >&2"'; \
    status=$?; umount "$1/opt/swift"; exit $status' \
  --customize-hook="sync-out /build/made $into/$release" \
  "$release" >&2
mv "$into/$release"/* "$into"
rmdir "$into/$release"
ls "$into/sonde_$version-1~deb${number}u1_"*.deb
