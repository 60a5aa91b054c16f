#!/usr/bin/env bash
# Takes the screenshots of this folder anew, by the debug build or that which BUILD_OF_SONDE names.
# Look at each before it is committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
SONDE_TAKE_SCREENS=1 exec /usr/bin/python3 -m pytest -q Tests/Blackbox/test_screens.py "$@"
