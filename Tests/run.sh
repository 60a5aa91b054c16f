#!/usr/bin/env bash
# Builds Sonde and runs its tests, on Debian 12 with Swift 6.3 on PATH; the rest it installs.
#
#   Tests/run.sh            all tests
#   Tests/run.sh --quick    what finds most errors soon: the debug build, without browsers, waiting and long computing
#   Tests/run.sh --release  all tests, and the packages in other roots and the benchmarks' build
#
# Every part is run whatever became of the others; the status is 1 if one of them failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export WARNINGS_OF_SONDE=error

failed=()
times=()
declare -A running began
logs=$(mktemp -d)
# An interrupted run ends what it began: pytest then takes its networks away.
trap 'kill -INT $(jobs -p) 2>/dev/null; wait; rm -r "$logs"' EXIT

# Runs a command under a title, without input, and keeps the title if the command fails.
part() {
  local title=$1 start=$SECONDS
  shift
  printf '== %s\n' "$title"
  "$@" </dev/null || failed+=("$title")
  times+=("$((SECONDS - start)) s: $title")
}

# Runs a command like that beside what follows, until `finish`. Bash has it ignore SIGINT, env not.
begin() {
  local title=$1
  shift
  began[$title]=$(date +%s)
  env --default-signal "$@" </dev/null >"$logs/$title" 2>&1 &
  running[$title]=$!
}

# Shows what was begun under a title, from its first line on and to its end.
finish() {
  printf '== %s\n' "$1"
  tail -n +1 -f -s 0.2 --pid="${running[$1]}" "$logs/$1"
  wait "${running[$1]}" || failed+=("$1")
  times+=("$(($(stat --format %Y "$logs/$1") - began[$1])) s: $1")
}

# One by one, for side by side they hold up each other's threads; without a line or two for each of
# the many tests that pass, or pages for one that fails. The lock is that of tests in Python: those
# that measure time have it alone. With SwiftPM's, all that builds would wait for them.
unit_tests() { # --shared or --exclusive, then arguments of swift test
  flock "$1" --close .build/tests.lock swift test --skip-build --ignore-lock --no-parallel "${@:2}" 2>&1 |
    sed '/^◇ /d; /^✔ Test run/b; /^✔ Test /d' | cut -c 1-600
}
measuring='ReachabilityTests|TransferTests|RemoteProviderTests|QuotaGateTests|StoreSharingTests|LogInTimeTests|ShellProcessTests'
# Compute for many seconds without being optimized.
computing='NetworkDivisionTests|OutageReckoningTests|QuotaScenarioTests|DecimalTests|CompiledTableTests|ForeignReaderTests|PlacesTests|GuardMemoryTests|ControlCharactersTests'

# The programs that tests run, optimized: most of the time of tests in Python is theirs.
release_build() {
  local product
  for product in sonde converter gallery WebProbe; do
    swift build -c release --disable-local-rpath --product "$product" || return
  done
}

# Tests in Python, with Debian's python3 for its pytest. Most wait most of the time; more at once with little beside.
python_tests=(/usr/bin/python3 -m pytest -r fEs --dist loadgroup)

last="simulator and command"
mkdir -p .build
part "setting up" Tests/setup.sh --tests
begin "linting" swift format lint --strict --recursive Package.swift Sources Samples Tests
begin "the page's files" Tests/Dashboard/check.sh
begin "the Python package's files" Tests/Spark/check.sh
if [[ ${1-} == --quick ]]; then
  part "building for tests" swift build --build-tests
  begin "$last" "${python_tests[@]}" -n "$((5 * $(nproc)))" -m "not slow and not measures_time and not browser" \
    Tests/Structure Tests/Simulator Tests/Blackbox
  part "unit tests" unit_tests --shared --skip "$measuring|$computing"
else
  part "building for release" release_build
  begin "$last" env BUILD_OF_SONDE=release "${python_tests[@]}" -n "$((3 * $(nproc)))" --ignore=Tests/Blackbox/test_walk.py \
    Tests/Simulator Tests/Blackbox
  # What follows leaves the processors to them: a browser that gets none fails.
  renice --priority 10 $$ >/dev/null
  # Tests that measure time wait for it.
  part "building for tests" flock --shared --close .build/tests.lock swift build --build-tests
  begin "the shape of the sources" /usr/bin/python3 -m pytest -r fEs Tests/Structure Tests/Blackbox/test_walk.py
  begin "the Python package" env BUILD_OF_SONDE=release Tests/Spark/run.sh
  begin "the documentation" .packaging/site.sh
  begin "another package" Tests/Dependent/run.sh
  if [[ $EUID -eq 0 ]]; then
    begin "the package" Tests/Package/run.sh ${1+--roots}
  else
    printf '== the package: not tried, which needs root\n'
  fi
  part "unit tests" unit_tests --shared --skip "$measuring"
  for title in "the shape of the sources" "the Python package" "the documentation" "another package" "the package"; do
    [[ -z ${running[$title]-} ]] || finish "$title"
  done
  part "unit tests that measure time" unit_tests --exclusive --filter "$measuring"
  [[ ${1-} != --release ]] || part "building the benchmarks" swift build -c release --disable-local-rpath
fi
for title in "linting" "the page's files" "the Python package's files"; do finish "$title"; done
printf '== the time of each part, of %d s\n' "$SECONDS"
printf '%s\n' "${times[@]}"
if [[ ${#failed[@]} -gt 0 ]]; then
  printf '== failed so far: %s\n' "${failed[@]}"
fi
# Last, so that the closing line is the runner's own.
finish "$last"

[[ ${#failed[@]} -eq 0 ]]
