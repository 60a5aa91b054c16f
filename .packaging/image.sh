#!/usr/bin/env bash
# Builds the image for containers: .build/image/sonde_VERSION_ARCH.tar, which `podman load` and `docker load`
# take. An argument is the Debian package to put in, otherwise it is built. Needs root, mmdebstrap and buildah.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for tool in mmdebstrap buildah; do
  command -v "$tool" >/dev/null || { echo "$0: there is no $tool: apt-get install $tool" >&2; exit 1; }
done

package=${1-$(.packaging/deb.sh)}
version=$(dpkg-deb --field "$package" Version)
fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
export SOURCE_DATE_EPOCH LC_ALL=C
SOURCE_DATE_EPOCH=$(date --utc --date="$(fact date)" +%s)

folder=.build/image
rm -rf "$folder"
mkdir -p "$folder/context"
# What is essential, without apt; of the documentation the licences alone. The number of the user is no
# other's, so that a folder of the host can be given to it.
mmdebstrap --quiet --variant=essential --include="tini,libloc-database,$(realpath "$package")" \
  --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --customize-hook='echo "sonde:x:8053:8053::/var/lib/sonde:/usr/sbin/nologin" >>"$1/etc/passwd"' \
  --customize-hook='echo "sonde:x:8053:" >>"$1/etc/group"' \
  --customize-hook='install --directory --mode=700 --owner=8053 --group=8053 "$1/var/lib/sonde"' \
  --customize-hook='rm -rf "$1"/etc/dpkg/dpkg.cfg.d/* "$1"/var/log/* "$1"/var/cache/*' \
  bookworm "$folder/context/root.tar" >&2

# Of its own and without a daemon: nothing of the machine's is touched, nothing but the file stays.
build=(buildah --root "$PWD/$folder/storage" --runroot "$PWD/$folder/run" --storage-driver vfs)
"${build[@]}" build --quiet --isolation chroot --format docker --timestamp "$SOURCE_DATE_EPOCH" \
  --label org.opencontainers.image.title=sonde --label "org.opencontainers.image.version=$version" \
  --label org.opencontainers.image.licenses=MIT \
  --tag "localhost/sonde:$version" --file .packaging/Containerfile "$folder/context" >&2
made=$folder/$(basename "$package" .deb).tar
"${build[@]}" push --quiet "localhost/sonde:$version" "docker-archive:$made:localhost/sonde:$version" >&2
rm -rf "$folder/context" "$folder/storage" "$folder/run"
echo "$made"
