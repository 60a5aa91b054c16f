#!/usr/bin/env bash
# Prints the names of the libraries that the program loads at their first use, a line each, as this system's
# headers have them. An argument is a file: a library that is linked to these, and needs each function that
# the program takes from them, so that dpkg-shlibdeps can tell the packages and their versions.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT
made=${1-$work/loaded.so}

# Not that of the journal: where there is no systemd there is none to read, so libsystemd is recommended.
mapfile -t shims < <(grep -l '^SONDE_FUNCTIONS' Sources/CSonde*/shim.h | grep -v CSondeJournal)
printf "#include \"$PWD/%s\"\n" "${shims[@]}" >"$work/loaded.c"
{
  echo '#define ADDRESS(name) (void *)name,'
  echo 'void *const functions[] = {'
  sed -n 's/^SONDE_FUNCTIONS(.*, \(.*\))$/\1(ADDRESS)/p' "${shims[@]}"
  echo '};'
} >>"$work/loaded.c"

# The names that the program tries.
names=$(grep -rhoE --include='*.swift' --include=shim.h '"lib[a-z0-9-]+\.so\.[0-9.]+"' Sources | tr --delete '"' | grep -v systemd | sort -u)
mapfile -t links < <(sed 's/^lib/-l/; s/\.so\..*//' <<<"$names" | sort -u)
clang -w -shared -fPIC -Wl,-z,defs -o "$made" "$work/loaded.c" "${links[@]}"

readelf --wide --dynamic "$made" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so' | LC_ALL=C sort |
  while read -r name; do
    grep -qxF "$name" <<<"$names" || { echo "$0: the program does not try $name, which this system has" >&2; exit 1; }
    echo "$name"
  done
