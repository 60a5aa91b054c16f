#!/usr/bin/env bash
# Builds the manual and the libraries' documentation as a static site: .build/site.
#
#   .packaging/site.sh [--base-path PATH]   PATH: the folder at which a server has it, such as sonde/docs
#
# Every link that leads nowhere, and all else that DocC finds amiss, is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base_path=()
if [[ ${1-} == --base-path && $# -eq 2 ]]; then
  base_path=(--hosting-base-path "$2")
elif [[ $# -gt 0 ]]; then
  echo "usage: .packaging/site.sh [--base-path PATH]" >&2
  exit 2
fi

# What other programs may build upon; each may link to those before it.
modules=(SondeAddresses SondeReachability SondeTransfer SondeAccounts SondeWeb SondeWebApp)
work=.build/site-parts
rm -rf "$work" .build/site
mkdir -p "$work/archives"

# It fails for targets of C, which have the package's flags for C++ as well; none of them is needed.
graphs=$(swift build --show-bin-path)/../symbolgraph
rm -rf "$graphs"
swift package dump-symbol-graph --minimum-access-level public >"$work/log" 2>&1 || true

archives=()
convert() { # the name, then its catalog where it has one
  local name=$1 dependencies=()
  for archive in "${archives[@]}"; do dependencies+=(--dependency "$archive"); done
  docc convert "${@:2}" --additional-symbol-graph-dir "$work/graphs/$name" \
    --fallback-display-name "$name" --fallback-bundle-identifier "$name" \
    --warnings-as-errors --enable-experimental-external-link-support \
    --transform-for-static-hosting "${base_path[@]}" --output-path "$work/archives/$name.doccarchive" "${dependencies[@]}"
  archives+=("$work/archives/$name.doccarchive")
}

for module in "${modules[@]}"; do
  mkdir -p "$work/graphs/$module"
  [[ -f $graphs/$module.symbols.json ]] || { cat "$work/log" >&2; exit 1; }
  find "$graphs" -name "$module.symbols.json" -o -name "$module@*.symbols.json" |
    xargs cp --target-directory="$work/graphs/$module"
  catalog=Sources/$module/$module.docc
  if [[ -d $catalog ]]; then convert "$module" "$catalog"; else convert "$module"; fi
done
mkdir -p "$work/graphs/sonde"
convert sonde Sources/sonde/sonde.docc

docc merge "${archives[@]}" --synthesized-landing-page-name "Sonde and its libraries" --output-path .build/site
python3 .packaging/site_pages.py .build/site
echo .build/site
