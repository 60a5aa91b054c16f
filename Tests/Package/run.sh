#!/usr/bin/env bash
# Proves the Debian package, the image and the wheel: builds the package, has lintian judge it, builds the image and
# the wheel of it, runs containers of the one, and the other in a root with nothing but a C library. With --roots, also builds the same package again, upgrades to it in a fresh Debian,
# starts that, tries what is in it there, purges it, and has autopkgtest run its own tests.
# Needs root, and what Tests/setup.sh --tests installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '== %s\n' "$*"; }

say "the package"
package=$(.packaging/deb.sh)
lintian --allow-root --info --fail-on error,warning "${package%.deb}.changes"
# Another folder would give the same, as .packaging/reproduce.sh makes sure of: nothing in it is of this one.
binary=${package%_*}; binary=${binary/_/-}/debian/sonde/usr/bin/sonde
! grep --quiet --text --fixed-strings "$PWD" "$binary"
! readelf --wide --sections "$binary" | grep -E 'swift_modhash|build-id'
readelf --wide --segments "$binary" | grep -q GNU_RELRO

# What is loaded when it is first needed must be named by hand.
depends=" $(dpkg-deb --field "$package" Depends | tr --delete ',') "
while read -r library; do
  [[ $depends == *" $library "* ]] || { echo "Depends lacks $library, which is loaded at first use"; exit 1; }
done < <(grep -rh --include='*.swift' '^ *let library = DynamicLibrary(' Sources | cut -d '"' -f 4)

say "the image"
IMAGE=$PWD/$(.packaging/image.sh "$package" 2>"$work/image") || { cat "$work/image"; exit 1; }
export IMAGE
say "the wheel"
WHEEL=$PWD/$(.packaging/wheel.sh "$binary" 2>"$work/wheel") || { cat "$work/wheel"; exit 1; }
export WHEEL
/usr/bin/python3 -m pytest --quiet Tests/Package

[[ ${1-} == --roots ]] || exit 0

say "the same wheel again"
first=$(sha256sum <"$WHEEL")
.packaging/wheel.sh "$binary" >/dev/null 2>&1
[[ $first == "$(sha256sum <"$WHEEL")" ]]

say "the same package again"
first=$(sha256sum <"$package")
.packaging/deb.sh >/dev/null 2>&1
[[ $first == "$(sha256sum <"$package")" ]]

say "a fresh Debian, with an older version"
dpkg-deb --raw-extract "$package" "$work/older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$work/older/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/older" "$work/older.deb" >/dev/null
root=$work/root
mmdebstrap --quiet --variant=minbase --include=systemd-sysv,dbus,man-db,bash-completion,apt-utils,libloc-database,"$work/older.deb" \
  --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount bookworm "$root"
cp "$package" "$root/sonde.deb"
cp Tests/Package/prove.sh "$root/prove.sh"
cat >"$root/etc/systemd/system/prove.service" <<'END'
[Unit]
After=multi-user.target
SuccessAction=poweroff-force
FailureAction=poweroff-force

[Service]
Type=oneshot
ExecStart=/prove.sh
StandardOutput=truncate:/proved
StandardError=inherit
TimeoutStartSec=120

[Install]
WantedBy=default.target
END
systemctl --quiet --root="$root" enable prove.service

say "what is in it, in that Debian"
timeout 180 systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit \
  --private-network --console=pipe </dev/null >"$work/console" 2>&1 || true
cat "$root/proved"
tail -n 1 "$root/proved" | grep -qx 'all of it holds' || { tail -n 50 "$work/console"; exit 1; }

say "its own tests, by autopkgtest"
# In a network of its own, where there is nobody; what they need is there.
: >"$root/etc/apt/sources.list"
unshare --net --mount --pid --fork --mount-proc="$root/proc" autopkgtest --quiet --no-built-binaries \
  "$package" ".build/deb/sonde-$(dpkg-deb --field "$package" Version)/" -- chroot "$root"
