#!/usr/bin/env bash
# Builds Sonde and runs all its tests, on Debian 12 with Swift 6.3 on PATH; the rest it installs.
# Every part is run whatever became of the others; the status is 1 if one of them failed.
# Parts run side by side, but for the tests that measure how soon things are told and given up.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export WARNINGS_OF_SONDE=error

failed=()
declare -A running
logs=$(mktemp -d)
# An interrupted run ends what it began: pytest then takes its networks away.
trap 'kill -INT $(jobs -p) 2>/dev/null; wait; rm -r "$logs"' EXIT

# Runs a command under a title, without input, and keeps the title if the command fails.
part() {
  local title=$1
  shift
  printf '== %s\n' "$title"
  "$@" </dev/null || failed+=("$title")
}

# Runs a command like that beside what follows, until `finish`. Bash has it ignore SIGINT, env not.
begin() {
  local title=$1
  shift
  env --default-signal "$@" </dev/null >"$logs/$title" 2>&1 &
  running[$title]=$!
}

# Shows what was begun under a title, from its first line on and to its end.
finish() {
  printf '== %s\n' "$1"
  tail -n +1 -f -s 0.2 --pid="${running[$1]}" "$logs/$1"
  wait "${running[$1]}" || failed+=("$1")
}

# One by one, for side by side they hold up each other's threads; without a line or two for each of
# the many tests that pass, or pages for one that fails. Tests in Python that measure time wait.
unit_tests() {
  mkdir -p .build
  flock --shared --close .build/tests.lock swift test --skip-build --no-parallel "$@" 2>&1 |
    sed '/^◇ /d; /^✔ Test run/b; /^✔ Test /d' | cut -c 1-600
}
measuring='ReachabilityTests|TransferTests|RemoteProviderTests|QuotaGateTests|StoreSharingTests|LogInTimeTests|ShellProcessTests'

part "setting up" Tests/setup.sh --tests
begin "linting" swift format lint --strict --recursive Package.swift Sources Samples Tests
begin "the page's files" Tests/Dashboard/check.sh
begin "the Spark module's files" Tests/Spark/check.sh
part "building" swift build --build-tests
finish "linting"
finish "the page's files"
finish "the Spark module's files"
part "the documentation" .packaging/site.sh
if [[ $EUID -eq 0 ]]; then
  part "the package" Tests/Package/run.sh
else
  printf '== the package: not tried, which needs root\n'
fi
part "unit tests that measure time" unit_tests --filter "$measuring"
# Most of them wait most of the time. Debian's python3, for its pytest.
begin "simulator and command" /usr/bin/python3 -m pytest -r fEs \
  -n "$((2 * $(nproc)))" --dist loadgroup Tests/Structure Tests/Simulator Tests/Blackbox
begin "the Spark module" Tests/Spark/run.sh
part "unit tests" unit_tests --skip "$measuring"
finish "the Spark module"
if [[ ${#failed[@]} -gt 0 ]]; then
  printf '== failed so far: %s\n' "${failed[@]}"
fi
# Last, so that the closing line is the runner's own.
finish "simulator and command"

[[ ${#failed[@]} -eq 0 ]]
