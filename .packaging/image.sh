#!/usr/bin/env bash
# Builds the image for containers: .build/image/sonde_VERSION_ARCH.tar, which `podman load` and `docker load`
# take. An argument is the Debian package to put in, otherwise it is built. Needs root, mmdebstrap and buildah.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for tool in mmdebstrap buildah; do
  command -v "$tool" >/dev/null || { echo "$0: there is no $tool: apt-get install $tool" >&2; exit 1; }
done

package=$(realpath "${1-$(.packaging/deb.sh bookworm)}")
# Without Debian's revision.
version=$(dpkg-deb --field "$package" Version)
version=${version%-*}
fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
export SOURCE_DATE_EPOCH LC_ALL=C
SOURCE_DATE_EPOCH=$(date --utc --date="$(fact date)" +%s)

folder=.build/image
rm -rf "$folder"
mkdir -p "$folder/context"
# What is essential, without apt and iconv's character sets; of the documentation the licences alone. The number of the user is no
# other's, so that a folder of the host can be given to it. Nothing in it gains rights that it was not given.
# Perl serves the installation alone; usr-is-merged takes the place of usrmerge, which needs all of it.
perl='usrmerge|perl|perl-base|debconf|perl-modules-.*|libperl.*|lib.*-perl|libgdbm.*'
root=$folder/root
mmdebstrap --quiet --variant=essential --include="usr-is-merged,tini,libloc-database,$package" \
  --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/lib/*/gconv/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --customize-hook='echo "sonde:x:8053:8053::/var/lib/sonde:/usr/sbin/nologin" >>"$1/etc/passwd"' \
  --customize-hook='echo "sonde:x:8053:" >>"$1/etc/group"' \
  --customize-hook='install --directory --mode=700 --owner=8053 --group=8053 "$1/var/lib/sonde"' \
  --customize-hook='chroot "$1" dpkg-query --show --showformat "\${Package}\n" | grep -xE "'"$perl"'" | xargs chroot "$1" dpkg --purge --force-depends --force-remove-essential' \
  --customize-hook='find "$1" -xdev -type f -perm /6000 -exec chmod a-s {} +' \
  --customize-hook='rm -f "$1"/etc/hostname "$1"/etc/resolv.conf' \
  --customize-hook='rm -rf "$1"/etc/dpkg/dpkg.cfg.d/* "$1"/var/log/* "$1"/var/cache/*' \
  bookworm "$root" >&2
# Where the package was shown to apt.
rm -f "$root$package"
rmdir --parents --ignore-fail-on-non-empty "$root$(dirname "$package")"

# Three layers, so that a new version of Sonde is a small one: the system, the libraries and the database, the
# program. The first has all folders, and each file is in one of them.
owned() { # the files of packages, from the names
  xargs dpkg-query --root="$root" --listfiles | sed 's|^/bin/|/usr/bin/|; s|^/lib|/usr/lib|; s|^/||' | sort -u |
    while read -r path; do [[ -d $root/$path && ! -L $root/$path ]] || [[ ! -e $root/$path && ! -L $root/$path ]] || echo "$path"; done
}
dpkg-query --root="$root" --show --showformat '${Priority} ${Package}\n' |
  awk '$1 != "required" && $2 != "sonde" && $2 != "tini" { print $2 }' | owned >"$folder/libraries"
echo sonde | owned >"$folder/program"
pack() { # the layer, then what tar is to put in
  tar --create --file "$folder/context/$1.tar" --directory "$root" --sort=name --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" "${@:2}"
}
cat "$folder/libraries" "$folder/program" >"$folder/others"
pack system --anchored --no-wildcards --exclude-from="$folder/others" --transform='s|^\./||' \
  $(ls --almost-all "$root")
pack libraries --no-recursion --files-from="$folder/libraries"
pack program --no-recursion --files-from="$folder/program"

# Of its own and without a daemon: nothing of the machine's is touched, nothing but the file stays.
build=(buildah --root "$PWD/$folder/storage" --runroot "$PWD/$folder/run" --storage-driver vfs)
# A folder of the machine is nobody's source.
origin=$(git remote get-url origin 2>/dev/null | grep '^https://' || true)
label() { labels+=(--label "org.opencontainers.image.$1=$2"); }
labels=()
label title sonde
label description "Tells who and where the addresses of a list or a log are"
label version "$version"
label revision "$(git rev-parse HEAD 2>/dev/null || true)"
label source "${origin:-https://sonde.example}"
label licenses MIT
label created "$(date --utc --date "@$SOURCE_DATE_EPOCH" +%FT%TZ)"
"${build[@]}" build --quiet --layers --isolation chroot --format docker --timestamp "$SOURCE_DATE_EPOCH" \
  "${labels[@]}" --tag "localhost/sonde:$version" --file .packaging/Containerfile "$folder/context" >&2
made=$folder/sonde_${version}_$(dpkg-deb --field "$package" Architecture).tar
"${build[@]}" push --quiet "localhost/sonde:$version" "docker-archive:$made:localhost/sonde:$version" >&2
rm -rf "$folder/context" "$folder/storage" "$folder/run" "$root" "$folder/libraries" "$folder/program" "$folder/others"
echo "$made"
