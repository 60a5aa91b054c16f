#!/usr/bin/env bash
# Builds Sonde and runs all its tests, on Debian 12 with Swift 6.3 on PATH; the rest it installs.
# Every part is run whatever became of the others; the status is 1 if one of them failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

failed=()

# Runs a command under a title, without input, and keeps the title if the command fails.
part() {
  local title=$1
  shift
  printf '== %s\n' "$title"
  "$@" </dev/null || failed+=("$title")
}

# Without a line or two for each of the many tests that pass, or pages for one that fails.
unit_tests() {
  swift test --skip-build "$@" 2>&1 | sed '/^◇ /d; /^✔ Test run/b; /^✔ Test /d' | cut -c 1-600
}

part "setting up" Tests/setup.sh --tests
part "building" swift build --build-tests
part "linting" swift format lint --strict --recursive Package.swift Sources Tests
part "unit tests" unit_tests --skip "ReachabilityTests|TransferTests"
# By themselves, for they measure how soon things are told and given up.
part "network tests" unit_tests --no-parallel --filter "ReachabilityTests|TransferTests"
if [[ ${#failed[@]} -gt 0 ]]; then
  printf '== failed so far: %s\n' "${failed[@]}"
fi
# Last, so that the closing line is the runner's own. Debian's python3, for its pytest.
part "simulator and command" /usr/bin/python3 -m pytest -r fEs Tests/Simulator Tests/Blackbox

[[ ${#failed[@]} -eq 0 ]]
