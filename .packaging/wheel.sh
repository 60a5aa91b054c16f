#!/usr/bin/env bash
# Builds the Spark module as a wheel, and says where it lies. The same sources give the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=.build/wheel-tools
if [[ ! -x $tools/bin/pip ]]; then
  python3 -m venv "$tools"
fi
"$tools/bin/python" -c 'import flit_core' 2>/dev/null ||
  "$tools/bin/pip" install --quiet --disable-pip-version-check flit_core==3.12.0 </dev/null >&2

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
# Nothing of the clock or of who has it: the day of the version, and the modes that all may read.
cp -r Sources/SparkModule "$work/source"
find "$work/source" -name __pycache__ -prune -exec rm -r {} +
chmod -R u=rwX,go=rX "$work/source"
date=$(sed -n 's/.*static let date = "\(.*\)"/\1/p' Sources/SondeOptions/Version.swift)
SOURCE_DATE_EPOCH=$(date --utc --date "$date" +%s) "$tools/bin/pip" wheel --quiet --disable-pip-version-check \
  --no-deps --no-index --no-build-isolation --wheel-dir "$work" "$work/source" </dev/null >&2
mkdir -p .build
mv "$work"/*.whl .build
printf '%s\n' .build/sonde_spark-*.whl
