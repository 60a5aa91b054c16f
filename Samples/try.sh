#!/usr/bin/env bash
# Builds Sonde, with all that needs, and enriches a sample; with arguments, runs them instead:
#   Samples/try.sh lookup 1.1.1.1
# Or builds and starts one of the small apps on Sonde's libraries:
#   Samples/try.sh converter
#   Samples/try.sh gallery
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

product=sonde
case ${1-} in
  converter | gallery)
    product=$1
    shift
    ;;
  '') set -- scan --log "$root/Samples/access.log" ;;
esac

"$root/Tests/setup.sh"
# What is asked for goes to stdout, and nothing else.
swift build --package-path "$root" --product "$product" </dev/null >&2
exec "$root/.build/debug/$product" "$@"
