#!/usr/bin/env bash
# Proves a Debian package in a fresh root of its release, the arguments: has that release's lintian judge what was
# built, upgrades to it from version 0.1.0, starts the system, tries what is in it there, purges it, and has
# autopkgtest run its own tests. Needs root, and what Tests/setup.sh --tests installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

release=$1 package=$2 built=${2%.deb}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '== %s\n' "$*"; }

say "a fresh $release, with version 0.1.0"
dpkg-deb --raw-extract "$package" "$work/older"
# Which was a package of its own making, without a revision of Debian's.
sed -i 's/^Version: .*/Version: 0.1.0/' "$work/older/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/older" "$work/older.deb" >/dev/null
root=$work/root
mmdebstrap --quiet --variant=minbase \
  --include=systemd-sysv,dbus,man-db,bash-completion,logrotate,apt-utils,libloc-database,lintian,"$work/older.deb" \
  --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount "$release" "$root"

say "what $release's lintian says of it, which is nothing"
mkdir "$root/built"
dcmd() { sed -n '/^Files:/,/^$/s/^ .* //p' "$1"; }
cp "$built.changes" "$root/built"
dcmd "$built.changes" | while read -r name; do cp "${package%/*}/$name" "$root/built"; done
chroot "$root" lintian --allow-root --pedantic "/built/${built##*/}.changes" >"$work/said" 2>&1 || true
[[ ! -s $work/said ]] || { cat "$work/said"; exit 1; }
rm -r "$root/built"

cp "$package" "$root/sonde.deb"
cp Tests/Package/prove.sh "$root/prove.sh"
cp Tests/Fuzz/Corpus/mmdb/records-24 "$root/some.mmdb"
# The units of the manual's page, each begins with its path.
awk -v root="$root" '/^```$/ { unit = "" } /^# \/etc\/systemd\// { unit = root $2 } unit { print >unit }' \
  Sources/sonde/sonde.docc/Scheduling.md
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
TimeoutStartSec=240

[Install]
WantedBy=default.target
END
systemctl --quiet --root="$root" enable prove.service

say "what is in it, in that $release"
timeout 300 systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit \
  --private-network --console=pipe </dev/null >"$work/console" 2>&1 || true
cat "$root/proved"
tail -n 1 "$root/proved" | grep -qx 'all of it holds' || { tail -n 50 "$work/console"; exit 1; }

say "its own tests, by autopkgtest in $release"
dpkg-source --no-check --extract "${built%_*}.dsc" "$work/source" >/dev/null 2>&1
# In a network of its own, where there is nobody; what they need is there.
: >"$root/etc/apt/sources.list"
unshare --net --mount --pid --fork --mount-proc="$root/proc" autopkgtest --quiet --no-built-binaries \
  "$package" "$work/source/" -- chroot "$root"
