#!/usr/bin/env bash
# Builds Sonde, with all that needs, and enriches a sample; with arguments, runs them instead:
#   Samples/try.sh lookup 1.1.1.1
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/Tests/setup.sh"
# Records alone go to stdout.
swift build --package-path "$root" --product sonde </dev/null >&2

if [[ $# -eq 0 ]]; then
  set -- scan --log "$root/Samples/access.log"
fi
exec "$root/.build/debug/sonde" "$@"
