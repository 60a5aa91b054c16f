#!/usr/bin/env bash
# Proves the Debian package: builds it, has lintian judge it, installs it in a fresh Debian, starts that,
# tries what is in it there, and purges it. Needs root, and what Tests/setup.sh --tests installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '== %s\n' "$*"; }

say "the package"
package=$(.packaging/deb.sh)
lintian --allow-root --info --fail-on error,warning "${package%.deb}.changes"

say "the same package again"
first=$(sha256sum <"$package")
.packaging/deb.sh >/dev/null 2>&1
[[ $first == "$(sha256sum <"$package")" ]]

say "a fresh Debian"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mmdebstrap --quiet --variant=minbase --include=systemd-sysv,dbus,man-db,bash-completion,libloc-database,"$PWD/$package" \
  --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount bookworm "$root"
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
