#!/usr/bin/env bash
# Prints the parts of this version as an SPDX 2.3 document (JSON): what is linked into the program, embedded in
# it, or bundled with it in the wheel, each with version, licence and origin. The argument is the program,
# or a Debian package that has it; without one, it is the optimized build. A library whose licence the table below lacks is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${1-.build/release/sonde}
if [[ $program == *.deb ]]; then
  work=$(mktemp --directory)
  trap 'rm -rf "$work"' EXIT
  dpkg-deb --fsys-tarfile "$program" | tar --extract --directory "$work" ./usr/bin/sonde
  program=$work/usr/bin/sonde
fi
[[ -x $program ]] || { echo "$0: there is no $program: swift build -c release --disable-local-rpath --product sonde" >&2; exit 1; }
fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
version=$(fact number) date=$(fact date)

# The licences of what the libraries are built from, by Debian's name of the source package, as SPDX writes
# them: of the files of the library, not of its tools and tests (/usr/share/doc/PACKAGE/copyright).
declare -A licences=(
  [brotli]=MIT [bzip2]=bzip2-1.0.6 [c-ares]=MIT [curl]=curl [cyrus-sasl2]=BSD-4-Clause-UC
  [dbus]="AFL-2.1 OR GPL-2.0-or-later" [e2fsprogs]=MIT [gcc]="GPL-3.0-or-later WITH GCC-exception-3.1"
  [glibc]=LGPL-2.1-or-later [gmp]="LGPL-3.0-or-later OR GPL-2.0-or-later" [gnutls28]=LGPL-2.1-or-later
  [hiredis]=BSD-3-Clause [keyutils]=LGPL-2.0-or-later [krb5]=MIT [leaflet]=BSD-2-Clause [libarchive]=BSD-2-Clause
  [libcap2]="BSD-3-Clause OR GPL-2.0-only" [libffi]=MIT [libgcrypt20]=LGPL-2.1-or-later
  [libgpg-error]=LGPL-2.1-or-later [libidn2]="LGPL-3.0-or-later OR GPL-2.0-or-later" [libloc]=LGPL-2.1-or-later
  [libmaxminddb]=Apache-2.0 [libmicrohttpd]=LGPL-2.1-or-later [libnl3]=LGPL-2.1-only [libpcap]=BSD-3-Clause
  [libpsl]=MIT [libsodium]=ISC [libssh2]=BSD-3-Clause [libtasn1-6]=LGPL-2.1-or-later
  [libunistring]="LGPL-3.0-or-later OR GPL-2.0-or-later" [libxml2]=MIT [libzstd]="BSD-3-Clause OR GPL-2.0-only"
  [lz4]=BSD-2-Clause [nettle]="LGPL-3.0-or-later OR GPL-2.0-or-later" [nghttp2]=MIT [openldap]=OLDAP-2.8
  [openssl]=Apache-2.0 [p11-kit]=BSD-3-Clause [pcre2]=BSD-3-Clause [rdma-core]="GPL-2.0-only OR BSD-2-Clause"
  [rtmpdump]=LGPL-2.1-or-later [simdjson]=Apache-2.0 [sqlite3]=blessing [systemd]=LGPL-2.1-or-later
  [acl]=LGPL-2.1-or-later [xz-utils]=0BSD [zlib]=Zlib [dygraphs]=MIT
)

# A part, as a line of tabs: its name, version, licence, origin, and how the program has it.
part() { printf '%s\t%s\t%s\t%s\t%s\n' "$@"; }

# A part that Debian brings.
debian() { # the package, and how the program has it
  local fields source built
  fields=$(dpkg-query --show --showformat '${source:Package} ${source:Version}\n' "$1" | sed -n 1p)
  read -r source built <<<"$fields"
  # gcc-12 and gcc-14 are of one licence.
  [[ $source != gcc-* ]] || source=gcc
  [[ -n ${licences[$source]-} ]] || { echo "$0: which licence has $1, built from $source?" >&2; exit 1; }
  part "$1" "$built" "${licences[$source]}" "https://tracker.debian.org/pkg/${fields%% *}" "$2"
}

package_of() { # a library; where /lib is a link, some packages have its files there still
  dpkg-query --search "$1" 2>/dev/null || dpkg-query --search "${1#/usr}" 2>/dev/null
}

parts() {
  local swift_version
  swift_version=$(swift --version 2>/dev/null | grep --only-matching --max-count=1 'Swift version [0-9.]*' | cut -d ' ' -f 3)
  part Swift "$swift_version" "Apache-2.0 WITH Swift-exception" https://github.com/swiftlang/swift STATIC_LINK
  part swift-corelibs-libdispatch "$swift_version" "Apache-2.0 WITH Swift-exception" \
    https://github.com/swiftlang/swift-corelibs-libdispatch STATIC_LINK
  debian libjs-leaflet CONTAINS
  debian libjs-dygraphs CONTAINS
  part Montserrat 9.000 OFL-1.1 https://github.com/JulietaUla/Montserrat CONTAINS
  part "Natural Earth" 1:110m LicenseRef-public-domain https://www.naturalearthdata.com CONTAINS

  # What is linked to, and what is loaded at its first use, with what these need.
  local libraries=() name path
  while read -r name; do
    path=$(ldconfig -p | awk -v name="$name" '!found && $1 == name && /x86-64/ { print $NF; found = 1 }')
    [[ -n $path ]] || { echo "$0: $name is not installed, which the program loads at its first use" >&2; exit 1; }
    libraries+=("$path")
  done < <(.packaging/loaded.sh)
  ldd "$program" "${libraries[@]}" | awk '$3 ~ "^/" { print $3 }' | cat - <(printf '%s\n' "${libraries[@]}") |
    grep -v /swift/ | sort -u | xargs realpath | sort -u | while read -r path; do package_of "$path" | cut -d : -f 1; done |
    sort -u | while read -r name; do debian "$name" DYNAMIC_LINK; done
}

list=$(parts)
jq --null-input --raw-input --arg version "$version" --arg date "$date" '
  def id: "SPDXRef-" + (gsub("[^A-Za-z0-9.-]"; "-"));
  [inputs | split("\t") | {name: .[0], version: .[1], licence: .[2], origin: .[3], how: .[4]}] as $parts
  | {
      spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", name: "sonde-\($version)",
      documentNamespace: "https://spdx.org/spdxdocs/sonde-\($version)",
      creationInfo: {created: "\($date)T00:00:00Z", creators: ["Organization: The Sonde authors"]},
      packages: [
        {
          name: "sonde", SPDXID: "SPDXRef-sonde", versionInfo: $version, downloadLocation: "NOASSERTION",
          filesAnalyzed: false, licenseConcluded: "MIT", licenseDeclared: "MIT", copyrightText: "2026 The Sonde authors",
          primaryPackagePurpose: "APPLICATION"
        },
        ($parts[] | {
          name, SPDXID: (.name | id), versionInfo: .version, downloadLocation: .origin, filesAnalyzed: false,
          licenseConcluded: .licence, licenseDeclared: .licence, copyrightText: "NOASSERTION"
        })
      ],
      relationships: [
        {spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: "SPDXRef-sonde"},
        ($parts[] | {spdxElementId: "SPDXRef-sonde", relationshipType: .how, relatedSpdxElement: (.name | id)})
      ],
      hasExtractedLicensingInfos: [{
        licenseId: "LicenseRef-public-domain", name: "Public domain",
        extractedText: "Natural Earth is in the public domain: https://www.naturalearthdata.com/about/terms-of-use/"
      }]
    }' <<<"$list"
