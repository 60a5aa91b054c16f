#!/usr/bin/env bash
# Builds and runs a program that depends on Sonde's libraries by URL and tag, without a setting of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# What makes warnings errors here is not set by others.
unset WARNINGS_OF_SONDE

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sonde"
git ls-files -z --cached --others --exclude-standard -- Package.swift Sources Samples Tests |
  while IFS= read -r -d '' file; do [[ ! -f $file ]] || printf '%s\0' "$file"; done |
  xargs -0 cp --parents --target-directory "$work/sonde"
git -C "$work/sonde" init --quiet
git -C "$work/sonde" add .
git -C "$work/sonde" -c user.name=tests -c user.email=tests@localhost commit --quiet --message "The checkout"
git -C "$work/sonde" tag v0.0.1

cp -r Tests/Dependent "$work/app"
export REPOSITORY=file://$work/sonde
swift build --package-path "$work/app" --cache-path "$work/cache" --disable-index-store >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
if grep --extended-regexp 'warning|error' "$work/log"; then exit 1; fi
printed=$("$work/app/.build/debug/App")
[[ $printed == "System of its own 7 8.8.8.8 refused" ]] || { printf 'printed: %s\n' "$printed"; exit 1; }
echo "it is built, and says: $printed"
